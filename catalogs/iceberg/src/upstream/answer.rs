// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Answers of the upstream, as far as they are read. Metadata and restrictions stay the text that they are.

use std::collections::BTreeMap;

use lakeward_catalog::upstream_catalog::{UpstreamAccess, UpstreamCredential};
use lakeward_metadata::Properties;
use lakeward_storage::Location;
use serde::Deserialize;
use serde_json::value::RawValue;

/// `GET /v1/config`
#[derive(Debug, Default, Deserialize)]
pub(super) struct ConfigAnswer {
    #[serde(default)]
    pub(super) defaults: Option<BTreeMap<String, String>>,
    #[serde(default)]
    pub(super) overrides: Option<BTreeMap<String, String>>,
    #[serde(default)]
    pub(super) endpoints: Option<Vec<String>>,
}

/// The answer of a token endpoint.
#[derive(Deserialize)]
pub(super) struct TokenAnswer {
    pub(super) access_token: String,
    #[serde(default)]
    pub(super) expires_in: Option<u64>,
}

/// `GET …/namespaces`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct NamespacesAnswer {
    #[serde(default)]
    pub(super) namespaces: Option<Vec<Vec<String>>>,
    #[serde(default)]
    pub(super) next_page_token: Option<String>,
}

/// `GET …/namespaces/{namespace}`
#[derive(Debug, Deserialize)]
pub(super) struct NamespaceAnswer {
    #[serde(default)]
    pub(super) properties: Option<Properties>,
}

/// `GET …/tables` and `GET …/views`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct NamesAnswer {
    #[serde(default)]
    pub(super) identifiers: Option<Vec<Identifier>>,
    #[serde(default)]
    pub(super) next_page_token: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Identifier {
    pub(super) namespace: Vec<String>,
    pub(super) name: String,
}

/// `GET …/tables/{table}`. A repeated member is refused.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct TableAnswer {
    #[serde(default)]
    pub(super) metadata_location: Option<String>,
    pub(super) metadata: Box<RawValue>,
    #[serde(default)]
    pub(super) config: Option<BTreeMap<String, String>>,
    #[serde(default)]
    pub(super) storage_credentials: Option<Vec<CredentialAnswer>>,
    #[serde(default)]
    pub(super) read_restrictions: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
pub(super) struct CredentialAnswer {
    prefix: String,
    config: BTreeMap<String, String>,
}

/// `GET …/views/{view}`
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct ViewAnswer {
    pub(super) metadata_location: String,
    pub(super) metadata: Box<RawValue>,
}

/// How a storage is reached: what is no secret and no way to anything else.
const OPEN: [&str; 6] = [
    "s3.endpoint",
    "s3.region",
    "s3.path-style-access",
    "client.region",
    "gcs.project-id",
    "gcs.service.host",
];
/// Temporary credentials.
const SECRET: [&str; 6] = [
    "s3.access-key-id",
    "s3.secret-access-key",
    "s3.session-token",
    "s3.session-token-expires-at-ms",
    "gcs.oauth2.token",
    "gcs.oauth2.token-expires-at",
];
/// The same, with the name of an account at their end.
const SECRET_OF_ACCOUNT: [&str; 2] = ["adls.sas-token.", "adls.sas-token-expires-at-ms."];

impl TableAnswer {
    /// What of `config` and `storage-credentials` concerns the table's files. Everything else stays here: addresses and
    /// tokens of the upstream, classes for clients to load, keys that do not end by themselves.
    pub(super) fn access(&self, location: &str, with_credentials: bool) -> UpstreamAccess {
        let config = self.config.clone().unwrap_or_default();
        let mut credentials = Vec::new();
        if with_credentials {
            let stated = self.storage_credentials.iter().flatten();
            credentials.extend(
                stated
                    .filter(|stated| lies_in(&stated.prefix, location))
                    .filter_map(|stated| credential(&stated.prefix, &stated.config)),
            );
            if credentials.is_empty() {
                credentials.extend(credential(location, &config));
            }
        }
        UpstreamAccess {
            properties: config
                .into_iter()
                .filter(|(name, _)| OPEN.contains(&name.as_str()))
                .collect(),
            credentials,
        }
    }
}

fn credential(prefix: &str, config: &BTreeMap<String, String>) -> Option<UpstreamCredential> {
    let is_secret = |name: &str| {
        SECRET.contains(&name)
            || SECRET_OF_ACCOUNT
                .iter()
                .any(|beginning| name.starts_with(beginning))
    };
    let ends = config.contains_key("s3.session-token") || !config.contains_key("s3.access-key-id");
    let properties: Properties = config
        .iter()
        .filter(|(name, _)| is_secret(name) || OPEN.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let has_secret = properties.keys().any(|name| is_secret(name));
    (ends && has_secret).then(|| UpstreamCredential {
        prefix: prefix.to_owned(),
        properties,
    })
}

/// Whether a place is a location or lies below it, by whole segments.
fn lies_in(place: &str, location: &str) -> bool {
    if let (Ok(place), Ok(location)) = (Location::parse(place), Location::parse(location)) {
        return place.is_within(&location);
    }
    let (place, location) = (place.trim_end_matches('/'), location.trim_end_matches('/'));
    let rest = place.strip_prefix(location);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) && !place.contains("..")
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: &str = "s3://b/t";

    fn access(answer: &str, with_credentials: bool) -> UpstreamAccess {
        let answer: TableAnswer = serde_json::from_str(answer).unwrap();
        answer.access(AT, with_credentials)
    }

    #[test]
    fn only_ways_to_the_files_pass() {
        let answer = r#"{"metadata": {}, "config": {
            "s3.endpoint": "http://s3", "token": "t", "uri": "http://up", "header.x": "y", "io-impl": "a.B",
            "s3.signer.uri": "http://up", "oauth2-server-uri": "http://up", "credential": "c",
            "s3.access-key-id": "a", "s3.secret-access-key": "s", "s3.session-token": "sesame"}}"#;
        let open = Properties::from([("s3.endpoint".to_owned(), "http://s3".to_owned())]);
        let none = access(answer, false);
        assert_eq!((none.properties, none.credentials.len()), (open.clone(), 0));
        let some = access(answer, true);
        assert_eq!(some.properties, open);
        let [credential] = some.credentials.as_slice() else {
            panic!("one credential: {:?}", some.credentials);
        };
        assert_eq!(credential.prefix, AT);
        let names: Vec<&str> = credential.properties.keys().map(String::as_str).collect();
        let expected = [
            "s3.access-key-id",
            "s3.endpoint",
            "s3.secret-access-key",
            "s3.session-token",
        ];
        assert_eq!(names, expected);
        assert!(!format!("{credential:?}").contains("sesame"), "{credential:?}");
    }

    #[test]
    fn credentials_that_reach_further_or_never_end_do_not_pass() {
        let cases = [
            ("s3://b/t", true, true),
            ("s3://b/t/data/", true, true),
            ("s3a://b/t", true, true),
            ("s3://b/", true, false),
            ("s3://b/t2", true, false),
            ("s3", true, false),
            ("s3://b/t/../u", true, false),
            ("s3://b/t", false, false),
        ];
        for (prefix, with_token, expected) in cases {
            let token = if with_token {
                r#","s3.session-token":"t""#
            } else {
                ""
            };
            let answer = format!(
                r#"{{"metadata": {{}}, "storage-credentials": [{{"prefix": "{prefix}",
                    "config": {{"s3.access-key-id":"a","s3.secret-access-key":"s"{token}}}}}]}}"#
            );
            assert_eq!(
                access(&answer, true).credentials.len(),
                usize::from(expected),
                "{prefix}"
            );
        }
    }

    #[test]
    fn a_repeated_member_is_refused() {
        let twice = r#"{"metadata": {}, "read-restrictions": {"a": 1}, "read-restrictions": null}"#;
        assert!(serde_json::from_str::<TableAnswer>(twice).is_err());
    }
}
