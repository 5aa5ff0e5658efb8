// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `fixtures/read-restrictions.schema.json` accepts what may be sent, refuses what may not, and speaks of the same revision of
//! the specification as the code.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use std::path::PathBuf;

use lakeward_read_restrictions::action::MaskAction;
use lakeward_read_restrictions::json::parse_strict;
use lakeward_read_restrictions::restrictions::ReadRestrictions;
use lakeward_read_restrictions::schema::fields_from_schema;
use lakeward_read_restrictions::specification::{SPECIFICATION_READ_AS, SPECIFICATION_REVISION};
use lakeward_wire_schema::read_restrictions_problems;
use serde_json::{Value, json};

/// What only the schema of the table tells: that a field exists, its type, whether it is required.
const NEEDS_THE_TABLE: [&str; 4] = [
    "bad-literal-type",
    "read-unknown-field",
    "read-inapplicable",
    "read-null-required",
];

fn fixture(name: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures")
        .join(name);
    parse_strict(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn is_valid(restrictions: &Value) -> bool {
    read_restrictions_problems(restrictions).is_empty()
}

fn cases(file: &str) -> Vec<Value> {
    let cases = fixture(&format!("conformance/{file}.json"))["cases"].clone();
    serde_json::from_value(cases).unwrap()
}

#[test]
fn schema_and_code_name_one_revision() {
    let schema = fixture("read-restrictions.schema.json");
    let identity = format!("urn:lakeward:read-restrictions:{SPECIFICATION_REVISION}");
    assert_eq!(schema["$id"], identity);
    let comment = schema["$comment"].as_str().unwrap();
    assert!(comment.contains(&format!(
        "{SPECIFICATION_REVISION}; until that can be read, {SPECIFICATION_READ_AS}"
    )));
}

#[test]
fn every_right_answer_of_the_fixtures_is_valid() {
    let mut checked = 0;
    let mut check = |id: &Value, restrictions: &Value| {
        assert_eq!(
            read_restrictions_problems(restrictions),
            Vec::<String>::new(),
            "{id}"
        );
        checked += 1;
    };
    for case in cases("bind") {
        if let Some(filter) = case["expect"].get("filter") {
            check(&case["id"], &json!({"required-row-filter": filter}));
        }
        if let Some(mask) = case["expect"].get("mask") {
            check(&case["id"], &json!({"required-column-projections": [mask]}));
        }
    }
    for case in cases("resolve") {
        if case["expect"]["restrictions"].is_object() {
            check(&case["id"], &case["expect"]["restrictions"]);
        }
    }
    assert!(checked > 250, "{checked}");
}

#[test]
fn what_readers_refuse_is_invalid_unless_only_the_table_tells() {
    let file = fixture("conformance/eval.json");
    for case in cases("eval") {
        let restrictions = match case.get("filter") {
            Some(filter) => json!({"required-row-filter": filter}),
            None if case["restrictions"].is_null() => continue,
            None => case["restrictions"].clone(),
        };
        let id = case["id"].as_str().unwrap();
        let valid = is_valid(&restrictions);
        let refused = case["expect"].get("error").is_some();
        assert_eq!(valid, !refused || NEEDS_THE_TABLE.contains(&id), "{id}");
        let fields = fields_from_schema(&file["schemas"][case["schema"].as_str().unwrap()]).unwrap();
        let read = ReadRestrictions::parse(&restrictions, &fields);
        assert_eq!(read.is_err(), refused, "{id}");
    }
}

#[test]
fn every_literal_is_valid_although_types_overlap() {
    for (value, data_type) in [
        (json!(42), "int"),
        (json!(42), "long"),
        (json!(i64::MIN), "long"),
        (json!(i64::MAX), "long"),
        (json!(-0.0), "double"),
        (json!(42.0), "float"),
        (json!(f32::MAX), "float"),
        (json!("1970-01-01"), "string"),
        (json!("1970-01-01"), "date"),
        (json!("-0.00"), "decimal(38,38)"),
    ] {
        let literal = json!({"type": "literal", "value": value, "data-type": data_type});
        let filter = json!({"type": "eq", "left": {"type": "reference", "id": 1}, "right": literal});
        assert!(
            is_valid(&json!({"required-row-filter": filter})),
            "{value} {data_type}"
        );
    }
    for (value, data_type) in [
        (json!(2_147_483_648_i64), "int"),
        (json!("1"), "int"),
        (json!(1.5), "long"),
        (json!(1), "string"),
        (json!("1970-13-01"), "date"),
        (json!("00:00:00"), "time"),
        (json!("1.50"), "decimal(39,2)"),
        (json!("1.50"), "decimal(9, 2)"),
        (json!("00000000-0000-0000-0000-000000000000"), "uuid"),
    ] {
        let literal = json!({"type": "literal", "value": value, "data-type": data_type});
        let filter = json!({"type": "eq", "left": {"type": "reference", "id": 1}, "right": literal});
        assert!(
            !is_valid(&json!({"required-row-filter": filter})),
            "{value} {data_type}"
        );
    }
}

#[test]
fn every_action_is_valid_and_no_other() {
    let with = |action: &str| json!({"required-column-projections": [{"field-id": 1, "action": action}]});
    for action in MaskAction::ALL {
        assert!(is_valid(&with(action.as_str())), "{action}");
    }
    for action in ["mask-to-default", "apply-expression", "apply", ""] {
        assert!(!is_valid(&with(action)), "{action}");
    }
}
