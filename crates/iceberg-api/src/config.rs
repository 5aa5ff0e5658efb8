// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a client learns first.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Answer of `GET /v1/config`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigResponse {
    /// Properties that the client's own override.
    #[serde(default)]
    pub defaults: BTreeMap<String, String>,
    /// Properties that override the client's own; `prefix` is among them.
    #[serde(default)]
    pub overrides: BTreeMap<String, String>,
    /// The endpoints that the server has, each `METHOD /v1/path/{with}/{parameters}`. Absent from old servers.
    #[serde(default)]
    pub endpoints: Vec<String>,
    /// How long a request may be repeated under its `Idempotency-Key`, as an ISO 8601 duration. Absent from servers that
    /// heed no key.
    #[serde(
        default,
        rename = "idempotency-key-lifetime",
        skip_serializing_if = "Option::is_none"
    )]
    pub idempotency_key_lifetime: Option<String>,
}

/// A duration of whole seconds in the form of ISO 8601 (`PT30M`), as the protocol writes it.
pub fn iso_duration(seconds: u64) -> String {
    if seconds > 0 && seconds.is_multiple_of(60) {
        format!("PT{}M", seconds / 60)
    } else {
        format!("PT{seconds}S")
    }
}

#[cfg(test)]
mod tests {
    use super::{ConfigResponse, iso_duration};
    use std::collections::BTreeMap;

    #[test]
    fn durations_are_in_minutes_or_seconds() {
        for (seconds, text) in [
            (1800, "PT30M"),
            (60, "PT1M"),
            (59, "PT59S"),
            (61, "PT61S"),
            (1, "PT1S"),
        ] {
            assert_eq!(iso_duration(seconds), text);
        }
    }

    #[test]
    fn has_the_recorded_members() {
        let config = ConfigResponse {
            defaults: BTreeMap::new(),
            overrides: BTreeMap::from([("prefix".to_owned(), "ice".to_owned())]),
            endpoints: vec!["GET /v1/{prefix}/namespaces".to_owned()],
            idempotency_key_lifetime: None,
        };
        let text = serde_json::to_string(&config).unwrap_or_default();
        assert_eq!(
            text,
            r#"{"defaults":{},"overrides":{"prefix":"ice"},"endpoints":["GET /v1/{prefix}/namespaces"]}"#
        );
    }
}
