// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The TLS configuration of a listener whose key, certificates and trusted authorities are in key stores. New connections get
//! what the files hold when they begin; open ones go on.

use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::crypto::ring::default_provider;
use rustls::server::WebPkiClientVerifier;
use rustls::sign::SingleCertAndKey;
use rustls::version::{TLS12, TLS13};
use rustls::{ServerConfig, SupportedProtocolVersion};

use crate::key_store::KeyStore;
use crate::reloaded::{ReloadError, Reloaded};

/// How a listener is encrypted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenerTls {
    /// Its key and certificates.
    pub identity: KeyStore,
    /// Whose certificates clients must show; `None` when they need none.
    pub clients: Option<KeyStore>,
    /// What it speaks.
    pub versions: Versions,
    /// The cipher suites that may be used, by their standard names (IANA); `None` for all that are known.
    pub suites: Option<Vec<String>>,
}

/// Versions of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Versions {
    /// 1.2 and 1.3.
    #[default]
    All,
    /// 1.2 only.
    Only12,
    /// 1.3 only.
    Only13,
}

impl Versions {
    fn supported(self) -> Vec<&'static SupportedProtocolVersion> {
        match self {
            Self::All => vec![&TLS13, &TLS12],
            Self::Only12 => vec![&TLS12],
            Self::Only13 => vec![&TLS13],
        }
    }
}

/// The configuration, made again when a file changes. `protocols` are what ALPN offers, best first.
///
/// # Errors
/// [`ReloadError`] with the file that cannot be used, or with the cipher suite that is not known.
pub fn listener_config(
    tls: &ListenerTls,
    protocols: &'static [&'static [u8]],
) -> Result<Reloaded<ServerConfig>, ReloadError> {
    let files = [Some(&tls.identity), tls.clients.as_ref()];
    let files = files.into_iter().flatten().map(|store| store.file.clone());
    let tls = tls.clone();
    Reloaded::new("what encrypts the listener", files.collect(), move || {
        made(&tls, protocols)
    })
}

fn made(tls: &ListenerTls, protocols: &[&[u8]]) -> Result<ServerConfig, ReloadError> {
    let refused = |cause: &dyn std::fmt::Display| ReloadError(format!("TLS cannot be set up: {cause}"));
    let provider = Arc::new(provider(tls.suites.as_deref())?);
    let identity = tls.identity.identity(&provider)?;
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&tls.versions.supported())
        .map_err(|cause| refused(&cause))?;
    let builder = match &tls.clients {
        None => builder.with_no_client_auth(),
        Some(clients) => {
            let verifier = WebPkiClientVerifier::builder_with_provider(clients.authorities()?, provider);
            builder.with_client_cert_verifier(verifier.build().map_err(|cause| refused(&cause))?)
        }
    };
    let mut config = builder.with_cert_resolver(Arc::new(SingleCertAndKey::from(identity)));
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    Ok(config)
}

/// The cryptography with these suites only.
fn provider(suites: Option<&[String]>) -> Result<CryptoProvider, ReloadError> {
    let mut provider = default_provider();
    let Some(suites) = suites else {
        return Ok(provider);
    };
    let known: Vec<String> = provider
        .cipher_suites
        .iter()
        .map(|suite| standard_name(*suite))
        .collect();
    if let Some(unknown) = suites.iter().find(|name| !known.contains(name)) {
        return Err(ReloadError(format!(
            "the cipher suite `{unknown}` is not known; known are {}",
            known.join(", ")
        )));
    }
    provider
        .cipher_suites
        .retain(|suite| suites.contains(&standard_name(*suite)));
    Ok(provider)
}

/// The library marks those of TLS 1.3 in their names, IANA does not.
fn standard_name(suite: rustls::SupportedCipherSuite) -> String {
    format!("{:?}", suite.suite()).replacen("TLS13_", "TLS_", 1)
}

#[cfg(test)]
mod tests {
    use super::{ListenerTls, Versions, listener_config};
    use crate::key_store::{KeyStore, KeyStoreKind};

    #[test]
    fn suites_and_versions_must_fit() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.pem");
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        std::fs::write(&file, made.cert.pem() + &made.signing_key.serialize_pem()).unwrap();
        let outcome = |versions, suites: &[&str]| {
            let tls = ListenerTls {
                identity: KeyStore {
                    file: file.clone(),
                    kind: KeyStoreKind::Pem,
                    password: String::new(),
                },
                clients: None,
                versions,
                suites: Some(suites.iter().map(|&suite| suite.to_owned()).collect()),
            };
            let config = listener_config(&tls, &[b"http/1.1"]);
            config.map(|config| config.current().crypto_provider().cipher_suites.len())
        };
        let new = "TLS_AES_256_GCM_SHA384";
        let old = "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384";
        assert_eq!(outcome(Versions::All, &[new, old]).unwrap(), 2);
        assert_eq!(outcome(Versions::Only13, &[new]).unwrap(), 1);
        assert!(outcome(Versions::Only12, &[new]).is_err());
        let unknown = outcome(Versions::All, &[new, "TLS_RSA_WITH_RC4_128_MD5"]).unwrap_err();
        assert!(unknown.to_string().contains(new) && unknown.to_string().contains("RC4"));
    }
}
