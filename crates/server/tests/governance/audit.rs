// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the audit log of a server says.

use serde_json::Value;

use crate::server::Server;

impl Server {
    /// Everything that was recorded until now.
    pub(crate) async fn audit_records(&self) -> Vec<Value> {
        self.running.app.audit.flush().await;
        let text = std::fs::read_to_string(self.folder.path().join("audit").join("audit.jsonl")).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The records that say that a policy whose name begins so was taken from something.
    pub(crate) async fn widenings(&self, policy: &str) -> Vec<Value> {
        let taken = |record: &Value| {
            let widened = record["widened"].as_array();
            widened
                .into_iter()
                .flatten()
                .filter_map(|widened| widened["policies"].as_array())
                .flatten()
                .any(|name| name.as_str().is_some_and(|name| name.starts_with(policy)))
        };
        self.audit_records().await.into_iter().filter(taken).collect()
    }
}
