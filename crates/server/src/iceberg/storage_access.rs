// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What was delegated, in the properties that clients of the protocol read.

use std::collections::BTreeMap;

use lakeward_catalog::storage_delegation::TemporaryCredential;
use lakeward_iceberg_api::load_table::StorageCredential;
use lakeward_operations::delegation::Delegated;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::http::parts::Parts;

/// Everything but what no client encodes in a path.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The properties of a table's answer. Paths in them are below the address that the client knows the catalog by.
pub(super) fn table_config(delegated: &Delegated, parts: &Parts) -> BTreeMap<String, String> {
    let mut config = delegated.client_properties.clone();
    if let Some(credential) = &delegated.credential {
        config.extend(credential_config(credential));
        let endpoint = format!("{}/credentials", table_path(delegated, parts));
        config.insert("client.refresh-credentials-enabled".to_owned(), "true".to_owned());
        config.insert("client.refresh-credentials-endpoint".to_owned(), endpoint);
    }
    if let [credential] = delegated.upstream_credentials.as_slice() {
        config.extend(credential.properties.clone());
    }
    if !delegated.upstream_credentials.is_empty() {
        let endpoint = format!("{}/credentials", table_path(delegated, parts));
        config.insert("client.refresh-credentials-enabled".to_owned(), "true".to_owned());
        config.insert("client.refresh-credentials-endpoint".to_owned(), endpoint);
    }
    if delegated.signs {
        let endpoint = format!("{}/sign", table_path(delegated, parts));
        let told = [
            ("s3.remote-signing-enabled", "true"),
            // Java 1.11 reads the one, Java before and Python the other.
            ("signer.endpoint", &endpoint),
            ("s3.signer.endpoint", &endpoint),
            // Python signs only when it is told by what, and in one of its two ways to read files.
            ("s3.signer", "S3V4RestSigner"),
            ("py-io-impl", "pyiceberg.io.fsspec.FsspecFileIO"),
        ];
        config.extend(told.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
    config
}

fn table_path(delegated: &Delegated, parts: &Parts) -> String {
    let encoded = |text: &str| utf8_percent_encode(text, SEGMENT).to_string();
    let prefix = parts
        .optional_path("prefix")
        .map(|prefix| format!("{}/", encoded(prefix)))
        .unwrap_or_default();
    format!(
        "v1/{prefix}namespaces/{}/tables/{}",
        encoded(&delegated.namespace.join("\u{1f}")),
        encoded(&delegated.name)
    )
}

/// The credentials of a table's answer.
pub(super) fn storage_credentials(delegated: &Delegated) -> Vec<StorageCredential> {
    let credential = delegated.credential.as_ref();
    let credentials = credential.map(|credential| StorageCredential {
        prefix: delegated.location.clone(),
        config: credential_config(credential),
    });
    let passed_on = delegated.upstream_credentials.iter();
    let passed_on = passed_on.map(|credential| StorageCredential {
        prefix: credential.prefix.clone(),
        config: credential.properties.clone(),
    });
    credentials.into_iter().chain(passed_on).collect()
}

fn credential_config(credential: &TemporaryCredential) -> BTreeMap<String, String> {
    BTreeMap::from([
        ("s3.access-key-id".to_owned(), credential.access_key_id.clone()),
        (
            "s3.secret-access-key".to_owned(),
            credential.secret_access_key.clone(),
        ),
        ("s3.session-token".to_owned(), credential.session_token.clone()),
        (
            "s3.session-token-expires-at-ms".to_owned(),
            credential.expires_at.to_string(),
        ),
    ])
}
