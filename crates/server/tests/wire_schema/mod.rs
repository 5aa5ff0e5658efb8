// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every answer that a test receives goes through here, so that no `read-restrictions` object leaves the server in a form that
//! our JSON Schema of the wire format does not allow.

use serde_json::Value;

/// Asserts that every member `read-restrictions` anywhere in the answer has the form of the wire.
#[track_caller]
pub(crate) fn check(answer: &Value) {
    let problems = lakeward_wire_schema::answer_problems(answer);
    assert!(
        problems.is_empty(),
        "not in the form of the wire: {problems:#?}: {answer}"
    );
}

#[test]
fn an_answer_of_another_form_is_seen() {
    check(&serde_json::json!({"read-restrictions": {"required-row-filter": false}}));
    let wrong = serde_json::json!([{"a": {"read-restrictions": {"required-row-filter": "false"}}}]);
    assert!(std::panic::catch_unwind(|| check(&wrong)).is_err());
}
