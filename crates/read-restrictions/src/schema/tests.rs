// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Types as schemas spell them.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{fields_from_schema, primitive};
use crate::field::FieldType;

fn shown(name: &str) -> Option<String> {
    primitive(name).map(|field_type| field_type.to_string())
}

#[test]
fn primitive_types() {
    for name in [
        "boolean",
        "int",
        "long",
        "float",
        "double",
        "date",
        "time",
        "timestamp",
        "timestamptz",
        "timestamp_ns",
        "timestamptz_ns",
        "string",
        "uuid",
        "binary",
        "unknown",
        "variant",
        "geometry",
        "geography",
        "decimal(9,2)",
        "fixed[16]",
    ] {
        assert_eq!(shown(name).as_deref(), Some(name));
    }
    for (name, expected) in [
        ("decimal(9, 2)", "decimal(9,2)"),
        ("decimal( 9 , 2 )", "decimal(9,2)"),
        ("DECIMAL(38,0)", "decimal(38,0)"),
        ("decimal(39,2)", "decimal(39,2)"),
        ("fixed[ 4 ]", "fixed[4]"),
        ("geometry(srid:3857)", "geometry"),
        ("geography(srid:4326, spherical)", "geography"),
    ] {
        assert_eq!(shown(name).as_deref(), Some(expected));
    }
    for name in [
        "",
        "integer",
        "decimal",
        "decimal(9)",
        "decimal(0,0)",
        "decimal(-1,2)",
        "decimal(9,2",
        "decimal(300,2)",
        "fixed",
        "fixed[]",
        "fixed[x]",
        "fixed[99999999999]",
        "geometryx",
        "timestamp(6)",
        "struct",
        "list<int>",
    ] {
        assert_eq!(shown(name), None, "{name}");
    }
}

#[test]
fn nested_types() {
    let schema = json!({"type": "struct", "schema-id": 3, "fields": [
        {"id": 1, "name": "s", "required": true, "type": {"type": "struct", "fields": [
            {"id": 2, "name": "x", "required": false, "type": "int", "doc": "d"},
        ]}},
        {"id": 3, "name": "l", "required": false, "type": {"type": "list", "element-id": 4, "element": "string", "element-required": true}},
        {"id": 5, "name": "m", "required": false, "type": {"type": "map", "key-id": 6, "key": "string", "value-id": 7, "value": "long", "value-required": false}},
    ]});
    let fields = fields_from_schema(&schema).unwrap();
    let types: Vec<_> = fields.iter().map(|field| (field.id, field.required)).collect();
    assert_eq!(types, [(1, true), (3, false), (5, false)]);
    let FieldType::Map { key, value } = fields.get(2).map(|field| field.field_type.clone()).unwrap() else {
        return assert!(fields.is_empty(), "not a map");
    };
    assert_eq!(
        (key.id, key.required, value.id, value.required),
        (6, true, 7, false)
    );
}

#[test]
fn an_unusable_id_is_zero() {
    for id in [
        json!(null),
        json!("1"),
        json!(1.5),
        json!(true),
        json!(4_294_967_296_i64),
    ] {
        let schema = json!({"fields": [{"id": id, "name": "c", "required": false, "type": "int"}]});
        assert_eq!(
            fields_from_schema(&schema).unwrap().first().map(|field| field.id),
            Some(0)
        );
    }
}

fn check_refused(schema: Value, at: &str) {
    assert_eq!(
        fields_from_schema(&schema).map_err(|error| error.at),
        Err(at.to_owned())
    );
}

#[test]
fn refuses_what_is_no_schema() {
    check_refused(json!(null), "");
    check_refused(json!({"type": "list", "fields": []}), "");
    check_refused(json!({"type": "struct"}), "");
    check_refused(json!({"fields": [1]}), "/fields/0");
    check_refused(
        json!({"fields": [{"id": 1, "required": false, "type": "int"}]}),
        "/fields/0",
    );
    check_refused(
        json!({"fields": [{"id": 1, "name": "c", "type": "int"}]}),
        "/fields/0",
    );
    check_refused(
        json!({"fields": [{"id": 1, "name": "c", "required": false, "type": "nope"}]}),
        "/fields/0/type",
    );
    check_refused(
        json!({"fields": [{"id": 1, "name": "c", "required": false, "type": {"type": "set"}}]}),
        "/fields/0/type",
    );
}

#[test]
fn endless_nesting_is_refused() {
    let mut field_type = json!("int");
    for _ in 0..100 {
        field_type =
            json!({"type": "list", "element-id": 1, "element": field_type, "element-required": false});
    }
    let schema = json!({"fields": [{"id": 1, "name": "c", "required": false, "type": field_type}]});
    assert!(fields_from_schema(&schema).is_err());
}

proptest! {
    #[test]
    fn never_panics(name in "\\PC{0,20}|decimal\\([0-9 ,]{0,8}\\)|fixed\\[[0-9 ]{0,30}\\]") {
        let _ = primitive(&name);
    }
}
