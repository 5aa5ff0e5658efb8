// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What is a literal of which type.

use serde_json::{Value as Json, json};

use super::{Literal, shorten};
use crate::field::FieldType;
use crate::schema::primitive;

/// Reads a literal and writes it back.
fn check(type_name: &str, json: Json, expected: Option<&str>) {
    let field_type = primitive(type_name).unwrap_or(FieldType::Unknown);
    let literal = Literal::from_wire(&json, &field_type).ok();
    let text = literal.as_ref().map(Literal::value_json);
    assert_eq!(text.as_deref(), expected, "{json} as {type_name}");
    if let Some(literal) = literal {
        assert_eq!(literal.field_type(), field_type);
    }
}

#[test]
fn accepts_the_canonical_form_only() {
    check("boolean", json!(true), Some("true"));
    check("boolean", json!("true"), None);
    check("boolean", json!(1), None);
    check("int", json!(-2_147_483_648), Some("-2147483648"));
    check("int", json!(2_147_483_648_i64), None);
    check("int", json!(1.0), None);
    check("int", json!("1"), None);
    check("long", json!(i64::MIN), Some("-9223372036854775808"));
    check("long", json!(9_223_372_036_854_775_808_u64), None);
    check("float", json!(0.5), Some("0.5"));
    check("float", json!(1), None);
    check("float", json!(1e39), None);
    check("float", json!(16_777_217.0), None);
    check("double", json!(-0.0), Some("-0.0"));
    check("double", json!(1e300), Some(&format!("{:.1}", 1e300)));
    check("double", json!("NaN"), None);
    check("decimal(9,2)", json!("-12.50"), Some("\"-12.50\""));
    check("decimal(9,2)", json!("12.5"), None);
    check("decimal(9,2)", json!(12.5), None);
    check("decimal(39,2)", json!("12.50"), None);
    check("date", json!("2024-02-29"), Some("\"2024-02-29\""));
    check("date", json!(19_000), None);
    check("time", json!("10:11:12.000000"), Some("\"10:11:12.000000\""));
    check("time", json!("10:11:12"), None);
    check(
        "timestamp",
        json!("2024-02-29T10:11:12.000001"),
        Some("\"2024-02-29T10:11:12.000001\""),
    );
    check("timestamp", json!("2024-02-29T10:11:12"), None);
    check("timestamp", json!("2024-02-29T10:11:12.000001+00:00"), None);
    check(
        "string",
        json!("a\u{1}\"\\/\u{7f}\u{2028}é"),
        Some("\"a\\u0001\\\"\\\\/\u{7f}\u{2028}é\""),
    );
    check("string", json!(null), None);
}

#[test]
fn other_types_have_no_literals() {
    for name in [
        "timestamptz",
        "timestamp_ns",
        "timestamptz_ns",
        "uuid",
        "fixed[4]",
        "binary",
        "variant",
        "geometry",
        "unknown",
    ] {
        check(name, json!("x"), None);
        check(name, json!(null), None);
    }
}

#[test]
fn an_error_stays_short() {
    let long = Json::String("é".repeat(1_000));
    assert!(shorten(&long).chars().count() < 100);
    let message = Literal::from_wire(&json!("x"), &FieldType::Int).map_err(|error| error.to_string());
    assert_eq!(
        message,
        Err("\"x\" is not a literal of type int in its canonical form".to_owned())
    );
}
