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
}

#[cfg(test)]
mod tests {
    use super::ConfigResponse;
    use std::collections::BTreeMap;

    #[test]
    fn has_the_recorded_members() {
        let config = ConfigResponse {
            defaults: BTreeMap::new(),
            overrides: BTreeMap::from([("prefix".to_owned(), "ice".to_owned())]),
            endpoints: vec!["GET /v1/{prefix}/namespaces".to_owned()],
        };
        let text = serde_json::to_string(&config).unwrap_or_default();
        assert_eq!(
            text,
            r#"{"defaults":{},"overrides":{"prefix":"ice"},"endpoints":["GET /v1/{prefix}/namespaces"]}"#
        );
    }
}
