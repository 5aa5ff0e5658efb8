// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The envelope of a commit.

use super::CommitTableRequest;
use crate::request::parse_body;

fn commit(body: &str) -> Option<CommitTableRequest> {
    parse_body(body.as_bytes()).ok()
}

#[test]
fn keeps_requirements_and_updates_as_they_are() {
    let commit = commit(
        r#"{"identifier":{"namespace":["n1"],"name":"t"},
            "requirements":[{"type":"assert-create"},{"type":"assert-table-uuid","uuid":"u"}],
            "updates":[{"action":"set-properties","updates":{"x":"y"},"unknown":[1,2.5]}]}"#,
    )
    .unwrap();
    assert!(commit.creates());
    let kinds: Vec<_> = commit
        .requirements
        .iter()
        .map(|requirement| requirement.kind.as_str())
        .collect();
    assert_eq!(kinds, ["assert-create", "assert-table-uuid"]);
    assert_eq!(commit.updates[0].action, "set-properties");
    assert_eq!(
        serde_json::to_string(&commit.updates[0].body).unwrap(),
        r#"{"action":"set-properties","updates":{"x":"y"},"unknown":[1,2.5]}"#
    );
    assert!(
        !CommitTableRequest {
            requirements: Vec::new(),
            ..commit
        }
        .creates()
    );
}

#[test]
fn refuses_a_broken_envelope() {
    for body in [
        "[]",
        "null",
        r#"{"updates":{}}"#,
        r#"{"updates":[1]}"#,
        r#"{"updates":[{}]}"#,
        r#"{"updates":[{"action":1}]}"#,
        r#"{"requirements":[{"uuid":"u"}]}"#,
        r#"{"requirements":[null]}"#,
        r#"{"table-changes":[]}"#,
        r#"{"identifier":{"namespace":[],"name":"t"}}"#,
    ] {
        assert!(commit(body).is_none(), "{body}");
    }
    assert!(commit("{}").is_some_and(|commit| !commit.creates() && commit.updates.is_empty()));
}
