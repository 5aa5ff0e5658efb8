// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How a listener is encrypted: the original's keys, which are the same for the native listener and for that of Iceberg REST
//! but for how they begin.

use lakeward_tls::key_store::{KeyStore, KeyStoreKind};
use lakeward_tls::listener::{ListenerTls, Versions};

use super::ConfigurationError;
use super::properties::Properties;

/// How the keys of the native listener begin.
pub(crate) const NATIVE: &str = "gravitino.server.webserver";
/// How the keys of the Iceberg listener begin.
pub(crate) const ICEBERG: &str = "gravitino.iceberg-rest";

/// Reads the keys of a listener; `None` when it is not encrypted. Files are read when the server starts.
///
/// # Errors
/// [`ConfigurationError`] for a value that a key cannot have, and for a file that is not named.
pub(super) fn from_properties(
    properties: &Properties,
    listener: &str,
) -> Result<Option<ListenerTls>, ConfigurationError> {
    let key = |name: &str| format!("{listener}.{name}");
    let asks_clients = properties.switch(&key("enableClientAuth"))?;
    if !properties.switch(&key("enableHttps"))? {
        // Who wants certificates of clients must not get a listener that asks nobody for one.
        if asks_clients {
            return Err(ConfigurationError::Combination(format!(
                "`{} = true` needs `{} = true`",
                key("enableClientAuth"),
                key("enableHttps")
            )));
        }
        return Ok(None);
    }
    let identity = key_store(properties, listener, "keyStore", "enableHttps")?;
    let manager = key("managerPassword");
    if properties
        .given(&manager)
        .is_some_and(|password| password != identity.password)
    {
        return Err(ConfigurationError::Combination(format!(
            "`{manager}` must be `{}` or not be set: PKCS#12 has one password for the file and its key, and PEM none",
            key("keyStorePassword")
        )));
    }
    let suites = properties.list(&key("enableCipherAlgorithms"));
    Ok(Some(ListenerTls {
        identity,
        clients: asks_clients
            .then(|| key_store(properties, listener, "trustStore", "enableClientAuth"))
            .transpose()?,
        versions: versions(properties, &key("tlsProtocol"))?,
        suites: (!suites.is_empty()).then_some(suites),
    }))
}

fn key_store(
    properties: &Properties,
    listener: &str,
    store: &str,
    switch: &str,
) -> Result<KeyStore, ConfigurationError> {
    let path = format!("{listener}.{store}Path");
    let Some(file) = properties.given(&path) else {
        return Err(ConfigurationError::Combination(format!(
            "`{listener}.{switch} = true` needs `{path}`"
        )));
    };
    let kind = format!("{listener}.{store}Type");
    let given = properties.get(&kind).unwrap_or_default();
    let kind = match given.to_ascii_uppercase().as_str() {
        "PEM" => KeyStoreKind::Pem,
        // Java writes PKCS#12 whatever of these it is told since its version 9; files of the older format are refused by name.
        "PKCS12" | "JKS" => KeyStoreKind::Pkcs12,
        _ => {
            return Err(ConfigurationError::Value {
                key: kind,
                value: given.to_owned(),
                expected: "`PKCS12`, `JKS` or `PEM`",
            });
        }
    };
    let password = properties.given(&format!("{listener}.{store}Password"));
    Ok(KeyStore {
        file: file.into(),
        kind,
        password: password.unwrap_or_default().to_owned(),
    })
}

fn versions(properties: &Properties, key: &str) -> Result<Versions, ConfigurationError> {
    match properties.given(key) {
        None | Some("TLS") => Ok(Versions::All),
        Some("TLSv1.2") => Ok(Versions::Only12),
        Some("TLSv1.3") => Ok(Versions::Only13),
        Some(other) => Err(ConfigurationError::Value {
            key: key.to_owned(),
            value: other.to_owned(),
            expected: "`TLS`, `TLSv1.2` or `TLSv1.3`",
        }),
    }
}
