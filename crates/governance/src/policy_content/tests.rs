// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Contents as recorded from the original, and everything that is refused.

use serde_json::{Value, json};

use super::PolicyContent;
use crate::policy::PolicyType;

#[track_caller]
fn check(policy_type: PolicyType, text: &str, expected: Result<Value, &str>) {
    let found = PolicyContent::parse(policy_type, text);
    match (found, expected) {
        (Ok(content), Ok(json)) => {
            assert_eq!(content.to_json(), json);
            assert_eq!(content.policy_type(), policy_type);
            assert_eq!(PolicyContent::parse(policy_type, &json.to_string()), Ok(content));
        }
        (Err(error), Err(code)) => assert_eq!(error.code(), code, "{error}"),
        (found, expected) => panic!("{text}: {found:?} is not {expected:?}"),
    }
}

#[test]
fn recorded_contents() {
    check(
        PolicyType::IcebergCompaction,
        "{}",
        Ok(json!({
            "minDataFileMse": 405_323_966_463_344_i64, "minDeleteFileNumber": 1, "dataFileMseWeight": 1,
            "deleteFileNumberWeight": 100, "maxPartitionNum": 50, "rewriteOptions": {}
        })),
    );
    check(
        PolicyType::Custom,
        r#"{"customRules":{"days":30,"mode":"x"},"supportedObjectTypes":["CATALOG","SCHEMA","CATALOG"],"properties":{"k":"v"}}"#,
        Ok(json!({
            "customRules": {"days": 30, "mode": "x"}, "properties": {"k": "v"},
            "supportedObjectTypes": ["catalog", "schema"]
        })),
    );
    check(
        PolicyType::Custom,
        r#"{"supportedObjectTypes":["TABLE"],"properties":{}}"#,
        Ok(json!({"properties": {}, "supportedObjectTypes": ["table"]})),
    );
    check(
        PolicyType::RowFilter,
        r#"{"expression":"filter := true"}"#,
        Ok(json!({"expression": "filter := true"})),
    );
}

#[test]
fn refused_contents() {
    let restriction = PolicyType::RowFilter;
    check(restriction, "{}", Err("content-member-missing"));
    check(restriction, "[]", Err("content-not-an-object"));
    check(restriction, "\"filter := true\"", Err("content-not-an-object"));
    check(restriction, "{", Err("content-not-json"));
    check(restriction, r#"{"expression":1}"#, Err("content-member-type"));
    check(
        restriction,
        r#"{"function":null}"#,
        Err("content-member-reserved"),
    );
    check(
        restriction,
        r#"{"expression":"filter := true","language":"rego"}"#,
        Err("content-member-reserved"),
    );
    check(
        restriction,
        r#"{"expression":"filter := true","expression":"filter := true"}"#,
        Err("content-member-repeated"),
    );
    check(
        restriction,
        r#"{"expression":"filter := region"}"#,
        Err("unknown-word"),
    );
    check(
        PolicyType::ColumnMask,
        r#"{"expression":"filter := true"}"#,
        Err("wrong-rule-head"),
    );
    check(
        PolicyType::Custom,
        r#"{"supportedObjectTypes":[]}"#,
        Err("content-member-type"),
    );
    check(
        PolicyType::Custom,
        r#"{"supportedObjectTypes":["THING"]}"#,
        Err("content-member-type"),
    );
    check(
        PolicyType::IcebergCompaction,
        r#"{"maxPartitionNum":0}"#,
        Err("content-member-type"),
    );
    check(
        PolicyType::IcebergCompaction,
        r#"{"minDataFileMse":"1"}"#,
        Err("content-member-type"),
    );
}
