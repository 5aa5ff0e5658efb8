// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Canonical bytes.

use super::write_json_string;
use crate::action::MaskAction;
use crate::literal::Literal;
use crate::predicate::{Comparison, Predicate};
use crate::restrictions::{ReadRestrictions, RequiredColumnProjection};

fn null(field: i32) -> Predicate {
    Predicate::IsNull { field }
}

fn check(predicate: &Predicate, expected: &str) {
    assert_eq!(predicate.wire_json(), expected);
}

#[test]
fn members_stand_in_fixed_order() {
    check(&Predicate::Constant(true), "true");
    check(
        &null(3),
        r#"{"type":"is-null","child":{"type":"reference","id":3}}"#,
    );
    check(
        &Predicate::Compare {
            comparison: Comparison::GtEq,
            field: 7,
            literal: Literal::Decimal {
                unscaled: -5,
                precision: 9,
                scale: 2,
            },
        },
        r#"{"type":"gt-eq","left":{"type":"reference","id":7},"right":{"type":"literal","value":"-0.05","data-type":"decimal(9,2)"}}"#,
    );
    check(
        &Predicate::In {
            field: 1,
            values: vec![Literal::Long(9), Literal::Long(10)],
        },
        r#"{"type":"in","child":{"type":"reference","id":1},"values":{"type":"literals","values":[9,10],"data-type":"long"}}"#,
    );
    check(
        &Predicate::Not(Box::new(Predicate::NotNull { field: 2 })),
        r#"{"type":"not","child":{"type":"not-null","child":{"type":"reference","id":2}}}"#,
    );
}

#[test]
fn logic_is_a_balanced_binary_tree() {
    let leaf = |field: i32| null(field).wire_json();
    let node = |left: &str, right: &str| format!(r#"{{"type":"and","left":{left},"right":{right}}}"#);
    check(
        &Predicate::And((1..=5).map(null).collect()),
        &node(
            &node(&leaf(1), &leaf(2)),
            &node(&leaf(3), &node(&leaf(4), &leaf(5))),
        ),
    );
    check(&Predicate::And(Vec::new()), "true");
    check(&Predicate::Or(Vec::new()), "false");
    check(&Predicate::Or(vec![null(1)]), &leaf(1));
}

#[test]
fn an_empty_list_of_values_keeps_no_row() {
    check(
        &Predicate::In {
            field: 1,
            values: Vec::new(),
        },
        "false",
    );
}

#[test]
fn strings_escape_what_must_be_and_nothing_else() {
    let mut out = String::new();
    write_json_string(&mut out, "\"\\/\u{8}\u{c}\n\r\t\u{0}\u{1f}\u{7f}\u{2028}😀");
    assert_eq!(out, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u{7f}\u{2028}😀\"");
}

#[test]
fn restrictions_have_only_the_members_that_say_something() {
    assert_eq!(ReadRestrictions::none().wire_json(), "{}");
    let mask = RequiredColumnProjection {
        field_id: 4,
        action: MaskAction::ShowLast4,
    };
    let both = ReadRestrictions::combine(Some(Predicate::Constant(false)), [mask]).unwrap_or_default();
    let expected = r#"{"required-row-filter":false,"required-column-projections":[{"field-id":4,"action":"show-last-4"}]}"#;
    assert_eq!(both.wire_json(), expected);
    assert_eq!(serde_json::to_string(&both).unwrap_or_default(), expected);
    assert_eq!(both.to_json().to_string(), expected);
}

#[test]
fn a_literal_that_is_not_finite_is_no_json() {
    let filter = Predicate::Compare {
        comparison: Comparison::Eq,
        field: 1,
        literal: Literal::Double(f64::NAN),
    };
    let restrictions = ReadRestrictions::combine(Some(filter), []).unwrap_or_default();
    assert!(serde_json::to_string(&restrictions).is_err());
    assert_eq!(restrictions.to_json(), serde_json::Value::Bool(false));
}
