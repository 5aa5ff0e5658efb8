// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a reader makes of an answer.

use serde_json::{Value, json};

use super::{LoadTableError, LoadTableResponse, current_schema};

fn metadata() -> Value {
    json!({"current-schema-id": 1, "schemas": [
        {"schema-id": 0, "fields": [{"id": 1, "name": "old", "required": false, "type": "int"}]},
        {"schema-id": 1, "fields": [{"id": 2, "name": "new", "required": false, "type": "string"}]},
    ]})
}

fn restrictions(body: &str) -> Result<bool, String> {
    LoadTableResponse::parse(body.as_bytes())
        .and_then(|response| response.restrictions())
        .map(|restrictions| restrictions.is_active())
        .map_err(|error| error.to_string())
}

fn with_restrictions(restrictions: &str) -> String {
    format!(
        r#"{{"metadata":{},"read-restrictions":{restrictions},"future":{{"x":1}}}}"#,
        metadata()
    )
}

#[test]
fn restrictions_are_of_the_current_schema() {
    let mask = |id: i32| {
        format!(r#"{{"required-column-projections":[{{"field-id":{id},"action":"mask-to-fixed-value"}}]}}"#)
    };
    assert_eq!(restrictions(&with_restrictions(&mask(2))), Ok(true));
    assert!(restrictions(&with_restrictions(&mask(1))).is_err());
}

#[test]
fn an_answer_without_restrictions_has_none() {
    assert_eq!(
        restrictions(&format!(r#"{{"metadata":{}}}"#, metadata())),
        Ok(false)
    );
    assert_eq!(restrictions(&with_restrictions("null")), Ok(false));
    assert_eq!(restrictions(&with_restrictions("{}")), Ok(false));
    // Not even the schema need be understood then.
    assert_eq!(restrictions(r#"{"metadata":{}}"#), Ok(false));
}

#[test]
fn what_is_not_understood_is_refused() {
    for unknown in [
        r#"{"required-limit":1}"#,
        "1",
        "\"\"",
        "[]",
        r#"{"required-row-filter":false,"required-row-filter":null}"#,
    ] {
        assert!(restrictions(&with_restrictions(unknown)).is_err(), "{unknown}");
    }
    for body in [
        r#"{"metadata":{},"read-restrictions":{"required-row-filter":false},"read-restrictions":null}"#,
        r#"{"read-restrictions":{"required-row-filter":false}}"#,
        r#"{"metadata":{},"config":{"a":1}}"#,
        "",
        "[]",
    ] {
        assert!(restrictions(body).is_err(), "{body}");
    }
}

#[test]
fn known_members_are_read_and_null_is_nothing() {
    let body = r#"{"metadata-location":"file:/m.json","metadata":{"a" : 1},"config":{"k":"v"},"storage-credentials":null}"#;
    let response = LoadTableResponse::parse(body.as_bytes()).unwrap();
    assert_eq!(response.metadata_location.as_deref(), Some("file:/m.json"));
    assert_eq!(response.metadata.get(), r#"{"a" : 1}"#);
    assert_eq!(response.config.len(), 1);
    assert!(response.storage_credentials.is_empty());
    assert!(matches!(
        response.current_fields(),
        Err(LoadTableError::NoCurrentSchema(_))
    ));
}

#[test]
fn there_is_exactly_one_current_schema() {
    assert!(current_schema(&metadata()).is_ok_and(|schema| schema["schema-id"] == 1));
    assert!(current_schema(&json!({"schema": {"fields": []}})).is_ok());
    for metadata in [
        json!({}),
        json!({"schemas": []}),
        json!({"schemas": [], "current-schema-id": 0}),
        json!({"schemas": {}, "current-schema-id": 0}),
        json!({"schemas": [{"schema-id": 0}, {"schema-id": 0}], "current-schema-id": 0}),
        json!({"schemas": [{"schema-id": 0}], "schema": {}, "current-schema-id": 1}),
    ] {
        assert!(current_schema(&metadata).is_err(), "{metadata}");
    }
}
