// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Single-value JSON both ways.

use serde_json::{Value as Json, json};

use super::Value;
use crate::field::FieldType;
use crate::schema::fields_from_schema;

fn read(field_type: &Json, json: &Json) -> Result<Value, String> {
    let schema = json!({"fields": [{"id": 1, "name": "c", "required": false, "type": field_type}]});
    let field_type = fields_from_schema(&schema)
        .ok()
        .and_then(|mut fields| fields.pop())
        .map_or(FieldType::Unknown, |field| field.field_type);
    Value::from_json(json, &field_type).map_err(|error| error.to_string())
}

/// Reads a value; `expected` is what it is written as, `None` when it must be refused.
fn check(field_type: Json, json: Json, expected: Option<Json>) {
    let written = read(&field_type, &json)
        .map(|value| value.to_json().to_string())
        .ok();
    assert_eq!(
        written,
        expected.map(|json| json.to_string()),
        "{json} as {field_type}"
    );
}

fn same(field_type: Json, json: Json) {
    check(field_type, json.clone(), Some(json));
}

#[test]
fn primitives_go_both_ways() {
    same(json!("boolean"), json!(true));
    same(json!("int"), json!(-1));
    same(json!("long"), json!(i64::MAX));
    same(json!("float"), json!(0.1));
    same(json!("double"), json!(-0.0));
    for special in ["NaN", "Infinity", "-Infinity"] {
        same(json!("float"), json!(special));
        same(json!("double"), json!(special));
    }
    same(json!("decimal(5,0)"), json!("-12"));
    same(json!("date"), json!("1969-12-31"));
    same(json!("time"), json!("00:00:00.000001"));
    same(json!("timestamp"), json!("2024-01-01T00:00:00.000000"));
    same(json!("timestamptz"), json!("2024-01-01T00:00:00.000000+00:00"));
    same(json!("timestamp_ns"), json!("2024-01-01T00:00:00.000000001"));
    same(
        json!("timestamptz_ns"),
        json!("2024-01-01T00:00:00.000000001+00:00"),
    );
    same(json!("string"), json!(""));
    same(json!("uuid"), json!("3f2504e0-4f89-11d3-9a0c-0305e82c3301"));
    same(json!("fixed[2]"), json!("00FF"));
    same(json!("binary"), json!(""));
    same(json!("variant"), json!({"k": [1, "a"]}));
    same(json!("geometry"), json!("POINT (1 1)"));
    check(json!("binary"), json!("0aFf"), Some(json!("0AFF")));
    check(json!("time"), json!("10:11:12"), Some(json!("10:11:12.000000")));
    for field_type in ["int", "unknown", "geometry"] {
        same(json!(field_type), json!(null));
    }
}

#[test]
fn nested_values_go_both_ways() {
    let structure = json!({"type": "struct", "fields": [
        {"id": 5, "name": "a", "required": false, "type": "int"},
        {"id": 6, "name": "b", "required": false, "type": {"type": "list", "element-id": 7, "element": "string", "element-required": false}},
    ]});
    same(structure.clone(), json!({"5": 1, "6": ["x", null]}));
    check(structure.clone(), json!({}), Some(json!({"5": null, "6": null})));
    check(structure.clone(), json!({"a": 1}), None);
    check(structure, json!([]), None);
    let map = json!({"type": "map", "key-id": 1, "key": "string", "value-id": 2, "value": "int", "value-required": false});
    same(map.clone(), json!({"keys": ["a", "b"], "values": [1, null]}));
    check(map.clone(), json!({"keys": ["a"], "values": []}), None);
    check(map.clone(), json!({"keys": ["a"]}), None);
    check(map, json!("a"), None);
}

#[test]
fn refuses_what_is_no_value_of_the_type() {
    for (field_type, json) in [
        ("boolean", json!("true")),
        ("int", json!(1.5)),
        ("int", json!(2_147_483_648_i64)),
        ("long", json!("1")),
        ("double", json!("nan")),
        ("decimal(5,1)", json!("1")),
        ("date", json!("2024-13-01")),
        ("timestamptz", json!("2024-01-01T00:00:00.000000")),
        ("timestamptz", json!("2024-01-01T00:00:00.000000+01:00")),
        ("uuid", json!("3f2504e04f8911d39a0c0305e82c3301")),
        ("uuid", json!("3f2504e0-4f89-11d3-9a0c-0305e82c330g")),
        ("fixed[2]", json!("00")),
        ("binary", json!("0")),
        ("unknown", json!(1)),
    ] {
        check(json!(field_type), json, None);
    }
    let message = read(&json!("int"), &json!("x"));
    assert_eq!(
        message,
        Err("`\"x\"` is not a value of type int: not in the single-value form".to_owned())
    );
}
