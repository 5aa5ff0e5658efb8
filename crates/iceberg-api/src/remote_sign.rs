// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests to the storage that a client has signed (`POST …/tables/{table}/sign`).

use std::collections::BTreeMap;
use std::fmt;

use lakeward_read_restrictions::admission::Governed;
use serde::{Deserialize, Serialize};

/// Names of headers with their values.
pub type MultiValuedMap = BTreeMap<String, Vec<String>>;

/// Body of the request.
#[derive(Clone, PartialEq, Eq, Deserialize)]
pub struct RemoteSignRequest {
    /// The region that the storage is in, as the client sees it.
    pub region: String,
    /// The URI that the client will ask, percent-encoded.
    pub uri: String,
    /// The method.
    pub method: String,
    /// The headers that the client will send.
    pub headers: MultiValuedMap,
    /// What the client was told to pass on; nothing is.
    #[serde(default)]
    pub properties: Option<BTreeMap<String, String>>,
    /// The body, of requests that say in it what they do.
    #[serde(default)]
    pub body: Option<String>,
    /// The storage; `s3` where it is not said.
    #[serde(default)]
    pub provider: Option<String>,
}

// Its query and headers may hold a signature or a session token of the client's.
impl fmt::Debug for RemoteSignRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteSignRequest")
            .field("method", &self.method)
            .finish_non_exhaustive()
    }
}

/// Answer: what the request is to be sent with.
#[derive(Serialize)]
pub struct RemoteSignResult {
    uri: String,
    headers: MultiValuedMap,
}

// A signature must not reach a log by way of a derived implementation.
impl fmt::Debug for RemoteSignResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteSignResult").finish_non_exhaustive()
    }
}

impl RemoteSignResult {
    /// The answer for a signature that the gate let through. Only headers that the client does not send yet are in it: some
    /// clients add them to their own, and others put their own over them.
    pub fn new(uri: String, added: Governed<Vec<(String, String)>>) -> Self {
        let (added, _) = added.into_parts();
        let mut headers = MultiValuedMap::new();
        for (name, value) in added {
            headers.entry(name).or_default().push(value);
        }
        Self { uri, headers }
    }
}

#[cfg(test)]
mod tests {
    use super::{RemoteSignRequest, RemoteSignResult};

    #[test]
    fn reads_what_clients_send() {
        let body = r#"{"method": "GET", "region": "r", "uri": "https://h/b/k", "headers": {"Range": ["bytes=0-1"]},
            "properties": {}, "body": null, "provider": "s3", "later": 1}"#;
        let request: RemoteSignRequest = serde_json::from_str(body).unwrap();
        assert_eq!(request.headers["Range"], ["bytes=0-1"]);
        assert_eq!(request.provider.as_deref(), Some("s3"));
        assert!(
            serde_json::from_str::<RemoteSignRequest>(r#"{"method": "GET", "uri": "u", "region": "r"}"#)
                .is_err()
        );
    }

    #[test]
    fn signatures_do_not_print_themselves() {
        let body = r#"{"method": "GET", "region": "r", "uri": "https://h/b/k?X-Amz-Security-Token=correct-horse",
            "headers": {"authorization": ["correct-horse"]}}"#;
        let request: RemoteSignRequest = serde_json::from_str(body).unwrap();
        let answer = RemoteSignResult {
            uri: request.uri.clone(),
            headers: request.headers.clone(),
        };
        let shown = format!("{request:?} {answer:?}");
        assert!(
            !shown.contains("correct-horse") && shown.contains("GET"),
            "{shown}"
        );
    }
}
