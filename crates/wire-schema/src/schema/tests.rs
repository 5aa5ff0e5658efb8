// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Each keyword, from both sides.

use serde_json::{Value, json};

use super::Schema;

fn check(schema: Value, right: &[Value], wrong: &[Value]) {
    let schema = Schema::parse(&schema.to_string()).unwrap();
    for instance in right {
        assert_eq!(schema.problems(instance), Vec::<String>::new(), "{instance}");
    }
    for instance in wrong {
        assert!(!schema.problems(instance).is_empty(), "{instance}");
    }
}

#[test]
fn types_and_values() {
    check(
        json!({"type": ["integer", "null"]}),
        &[json!(1), json!(1.0), json!(null)],
        &[json!(1.5), json!("1"), json!(true)],
    );
    check(json!({"type": "number"}), &[json!(1), json!(1.5)], &[json!("1")]);
    check(
        json!({"enum": ["a", 1]}),
        &[json!("a"), json!(1)],
        &[json!("b"), json!(null)],
    );
    check(json!({"const": true}), &[json!(true)], &[json!(false), json!(1)]);
    check(
        json!({"minimum": i64::MIN, "maximum": i64::MAX}),
        &[json!(i64::MIN), json!(i64::MAX), json!("no number")],
        &[json!(9_223_372_036_854_775_808_u64), json!(-1e19)],
    );
    check(
        json!({"pattern": "^a+$"}),
        &[json!("aa"), json!(1)],
        &[json!("ab")],
    );
    check(json!(true), &[json!({})], &[]);
    check(json!(false), &[], &[json!({})]);
}

#[test]
fn members_and_elements() {
    check(
        json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}, "additionalProperties": false}),
        &[json!({"a": "x"})],
        &[json!({}), json!({"a": 1}), json!({"a": "x", "b": 1}), json!([])],
    );
    check(
        json!({"additionalProperties": {"type": "boolean"}}),
        &[json!({"x": true})],
        &[json!({"x": 1})],
    );
    check(
        json!({"items": {"type": "string"}, "minItems": 1, "uniqueItems": true}),
        &[json!(["a", "b"])],
        &[json!([]), json!(["a", "a"]), json!([1])],
    );
}

#[test]
fn combinations() {
    let forms = json!([{"type": "integer"}, {"type": "number"}]);
    check(json!({"anyOf": forms}), &[json!(1), json!(1.5)], &[json!("a")]);
    check(json!({"oneOf": forms}), &[json!(1.5)], &[json!(1), json!("a")]);
    check(
        json!({"$ref": "#/$defs/list", "$defs": {"list": {"anyOf": [{"const": 0}, {"items": {"$ref": "#/$defs/list"}, "type": "array"}]}}}),
        &[json!(0), json!([[0], []])],
        &[json!([[1]])],
    );
}

#[test]
fn what_is_not_understood_is_no_schema() {
    for schema in [
        json!({"minLength": 1}),
        json!({"properties": {"a": {"format": "date"}}}),
        json!({"$ref": "#/$defs/nothing"}),
        json!({"$ref": "http://elsewhere"}),
        json!({"type": 1}),
        json!({"required": "a"}),
        json!({"pattern": "("}),
        json!(1),
    ] {
        assert!(Schema::parse(&schema.to_string()).is_err(), "{schema}");
    }
    assert!(Schema::parse("{").is_err());
    let schema = Schema::parse("{}").unwrap();
    assert!(schema.problems_by("nothing", &json!(1)).is_err());
}
