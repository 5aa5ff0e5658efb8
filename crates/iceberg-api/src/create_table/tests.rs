// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Creating and registering: what clients send, and what is refused.

use serde_json::{Value, json};

use super::{CreateTableRequest, RegisterTableRequest};
use crate::request::parse_body;

fn create(body: Value) -> Option<CreateTableRequest> {
    parse_body(body.to_string().as_bytes()).ok()
}

#[test]
fn reads_what_clients_send() {
    let schema = json!({"type": "struct", "schema-id": 0, "fields": []});
    let full = create(json!({
        "name": "t", "location": null, "schema": schema, "partition-spec": {"spec-id": 0, "fields": []},
        "write-order": null, "stage-create": true, "properties": {"p": "q"},
    }))
    .unwrap();
    assert!(full.stage_create && full.location.is_none() && full.write_order.is_none());
    assert_eq!(full.schema.as_json(), &schema);
    assert!(
        full.partition_spec
            .is_some_and(|spec| spec.into_json() == json!({"spec-id": 0, "fields": []}))
    );
    let least =
        create(json!({"name": "t", "schema": schema, "stage-create": null, "properties": null})).unwrap();
    assert!(!least.stage_create && least.properties.is_empty());
}

#[test]
fn refuses_what_is_no_request() {
    let schema = json!({});
    assert!(create(json!({"name": "q"})).is_none());
    assert!(create(json!({"name": "q", "schema": null})).is_none());
    assert!(create(json!({"name": "", "schema": schema})).is_none());
    assert!(create(json!({"name": "q", "schema": []})).is_none());
    assert!(create(json!({"name": "q", "schema": schema, "write-order": 1})).is_none());
    assert!(create(json!({"name": "q", "schema": schema, "stage-create": "yes"})).is_none());
    assert!(create(json!({"name": "q", "schema": schema, "comment": "c"})).is_none());
    assert!(create(json!({"name": "q", "schema": schema, "properties": {"a": 1}})).is_none());
}

#[test]
fn registers_a_metadata_file() {
    let register: RegisterTableRequest =
        parse_body(br#"{"name":"r","metadata-location":"file:/x.json","overwrite":true}"#).unwrap();
    assert!(register.overwrite && register.metadata_location == "file:/x.json");
    assert!(parse_body::<RegisterTableRequest>(br#"{"name":"r"}"#).is_err());
}
