// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The closed profile: what is read, what is refused, and that reading undoes writing.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test names only the variants that it makes"
)]

use proptest::prelude::*;
use serde_json::{Value, json};

use super::parse_strict;
use crate::action::MaskAction;
use crate::error::ReaderError;
use crate::field::{Field, FieldType};
use crate::literal::Literal;
use crate::predicate::{Comparison, Predicate};
use crate::restrictions::{ReadRestrictions, RequiredColumnProjection};

/// Fields 1 to 3 have the types of [`predicates`]; 4 is required, 5 is there twice.
fn fields() -> Vec<Field> {
    [
        (1, FieldType::Int, false),
        (2, FieldType::Double, false),
        (3, FieldType::String, false),
        (4, FieldType::String, true),
        (5, FieldType::String, false),
        (5, FieldType::String, false),
        (0, FieldType::String, false),
    ]
    .into_iter()
    .map(|(id, field_type, required)| Field {
        id,
        name: format!("c{id}"),
        field_type,
        required,
    })
    .collect()
}

fn comparisons() -> impl Strategy<Value = Comparison> {
    prop::sample::select(vec![
        Comparison::Eq,
        Comparison::NotEq,
        Comparison::Lt,
        Comparison::LtEq,
        Comparison::Gt,
        Comparison::GtEq,
    ])
}

fn literals() -> impl Strategy<Value = (i32, Literal)> {
    prop_oneof![
        (-3_i32..3).prop_map(|number| (1, Literal::Int(number))),
        prop::sample::select(vec![-1.5, -0.0, 0.0, 1.5]).prop_map(|number| (2, Literal::Double(number))),
        "[aé😀\u{ffff}]{0,2}".prop_map(|text| (3, Literal::String(text))),
    ]
}

/// Predicates over an int column 1, a double column 2 and a string column 3.
pub(crate) fn predicates() -> impl Strategy<Value = Predicate> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Predicate::Constant),
        (1..=3).prop_map(|field| Predicate::IsNull { field }),
        (1..=3).prop_map(|field| Predicate::NotNull { field }),
        (comparisons(), literals()).prop_map(|(comparison, (field, literal))| Predicate::Compare {
            comparison,
            field,
            literal
        }),
        prop::collection::vec(-3_i32..3, 1..4).prop_map(|numbers| Predicate::In {
            field: 1,
            values: numbers.into_iter().map(Literal::Int).collect(),
        }),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|child| Predicate::Not(Box::new(child))),
            prop::collection::vec(inner.clone(), 2..5)
                .prop_map(|children| Predicate::And(splice(children, true))),
            prop::collection::vec(inner, 2..5).prop_map(|children| Predicate::Or(splice(children, false))),
        ]
    })
}

/// As the canonical form has it: no `and` directly below an `and`, no `or` below an `or`.
fn splice(children: Vec<Predicate>, and: bool) -> Vec<Predicate> {
    children
        .into_iter()
        .flat_map(|child| match child {
            Predicate::And(inner) if and => inner,
            Predicate::Or(inner) if !and => inner,
            other => vec![other],
        })
        .collect()
}

proptest! {
    #[test]
    fn reading_undoes_writing(filter in predicates(), masked in any::<bool>()) {
        let masks = masked.then_some(RequiredColumnProjection { field_id: 3, action: MaskAction::ShowLast4 });
        let restrictions = ReadRestrictions::combine(Some(filter), masks).unwrap_or_default();
        let text = restrictions.wire_json();
        let read = ReadRestrictions::parse_text(&text, &fields());
        prop_assert_eq!(read.as_ref().map(ReadRestrictions::wire_json), Ok(text));
        prop_assert_eq!(read, Ok(restrictions));
    }

    #[test]
    fn the_order_of_members_is_free(filter in predicates()) {
        fn reversed(json: &Value) -> Value {
            match json {
                Value::Object(members) => members.iter().rev().map(|(name, json)| (name.clone(), reversed(json))).collect(),
                Value::Array(elements) => elements.iter().map(reversed).collect(),
                other => other.clone(),
            }
        }
        let restrictions = ReadRestrictions::combine(Some(filter), []).unwrap_or_default();
        let read = ReadRestrictions::parse(&reversed(&restrictions.to_json()), &fields());
        prop_assert_eq!(read, Ok(restrictions));
    }

    #[test]
    fn never_panics(text in "\\PC{0,60}") {
        let _ = ReadRestrictions::parse_text(&text, &fields());
    }
}

fn check_refused(json: Value, expected: &str) {
    let refusal = ReadRestrictions::parse(&json, &fields()).map_err(|error| error.to_string());
    assert_eq!(refusal, Err(expected.to_owned()), "{json}");
}

fn filter(predicate: Value) -> Value {
    json!({"required-row-filter": predicate})
}

#[test]
fn nothing_to_do() {
    for json in [
        json!(null),
        json!({}),
        filter(json!(null)),
        filter(json!(true)),
        json!({"required-column-projections": []}),
    ] {
        assert_eq!(
            ReadRestrictions::parse(&json, &fields()),
            Ok(ReadRestrictions::none())
        );
    }
}

#[test]
fn unknown_members_are_refused_everywhere() {
    let reference = json!({"type": "reference", "id": 1});
    let literal = json!({"type": "literal", "value": 1, "data-type": "int"});
    let with = |mut json: Value, member: &str| {
        if let Some(object) = json.as_object_mut() {
            object.insert(member.to_owned(), json!(null));
        }
        json
    };
    let equal = |left: Value, right: Value| json!({"type": "eq", "left": left, "right": right});
    check_refused(
        with(json!({}), "required-limit"),
        "read restrictions at ``: unknown member `required-limit`",
    );
    check_refused(
        filter(with(equal(reference.clone(), literal.clone()), "child")),
        "read restrictions at `/required-row-filter`: unknown member `child`",
    );
    check_refused(
        filter(equal(with(reference.clone(), "name"), literal.clone())),
        "read restrictions at `/required-row-filter/left`: unknown member `name`",
    );
    check_refused(
        filter(equal(reference.clone(), with(literal, "unit"))),
        "read restrictions at `/required-row-filter/right`: unknown member `unit`",
    );
    check_refused(
        filter(json!({"type": "not", "child": {"type": "is-null", "child": reference, "deep": true}})),
        "read restrictions at `/required-row-filter/child`: unknown member `deep`",
    );
    check_refused(
        json!({"required-column-projections": [{"field-id": 1, "action": "replace-with-null", "salt": "00"}]}),
        "read restrictions at `/required-column-projections/0`: unknown member `salt`",
    );
}

#[test]
fn deprecated_untyped_and_renamed_forms_are_refused() {
    check_refused(
        filter(json!({"type": "true"})),
        "read restrictions at `/required-row-filter`: unknown predicate `true`",
    );
    check_refused(
        filter(json!({"type": "eq", "left": {"type": "reference", "id": 1}, "right": 1})),
        "read restrictions at `/required-row-filter/right`: an object was expected",
    );
    check_refused(
        filter(json!({"type": "eq", "term": "c1", "value": 1})),
        "read restrictions at `/required-row-filter`: unknown member `term`",
    );
    check_refused(
        filter(json!({"type": "in", "child": {"type": "reference", "id": 1}, "values": [1, 2]})),
        "read restrictions at `/required-row-filter/values`: an object was expected",
    );
    check_refused(
        filter(json!(1)),
        "read restrictions at `/required-row-filter`: an object was expected",
    );
    check_refused(json!([]), "read restrictions at ``: an object was expected");
    check_refused(
        json!({"required-column-projections": null}),
        "read restrictions at `/required-column-projections`: an array was expected",
    );
}

#[test]
fn field_ids_are_integers_of_exactly_one_field() {
    let with_id = |id: Value| filter(json!({"type": "not-null", "child": {"type": "reference", "id": id}}));
    for id in [
        json!(true),
        json!(1.0),
        json!("1"),
        json!(null),
        json!(4_294_967_297_i64),
    ] {
        check_refused(
            with_id(id),
            "read restrictions at `/required-row-filter/child`: a field id must be an integer",
        );
    }
    for id in [77, 5, 0, -1] {
        check_refused(
            with_id(json!(id)),
            &format!(
                "read restrictions at `/required-row-filter/child`: field id {id} is not exactly one top-level field of the table schema"
            ),
        );
    }
}

#[test]
fn masks_are_known_applicable_and_single() {
    let masks = |masks: Value| json!({"required-column-projections": masks});
    check_refused(
        masks(json!([{"field-id": 3, "action": "scramble"}])),
        "read restrictions at `/required-column-projections/0`: unknown mask action `scramble`",
    );
    check_refused(
        masks(json!([{"field-id": 4, "action": "replace-with-null"}])),
        "the mask action `replace-with-null` does not apply to a required field of type string",
    );
    check_refused(
        masks(json!([{"field-id": 3, "action": "show-last-4"}, {"field-id": 3, "action": "show-last-4"}])),
        "read restrictions have more than one projection for field id 3",
    );
}

#[test]
fn repeated_members_are_seen_in_text() {
    let repeated = r#"{"required-row-filter":false,"required-row-filter":true}"#;
    let refusal = ReadRestrictions::parse_text(repeated, &fields());
    assert!(matches!(refusal, Err(ReaderError::NotJson { .. })));
    let deep = r#"{"required-row-filter":{"type":"is-null","child":{"type":"reference","id":77,"id":1}}}"#;
    assert!(ReadRestrictions::parse_text(deep, &fields()).is_err());
    let escaped = r#"{"required-row-filter":false,"required\u002drow-filter":true}"#;
    assert!(ReadRestrictions::parse_text(escaped, &fields()).is_err());
}

#[test]
fn deep_nesting_is_refused_and_does_no_harm() {
    let depth = 10_000;
    let brackets = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parse_strict(&brackets).is_err());
    let nots = format!(
        "{{\"required-row-filter\":{}true{}}}",
        "{\"type\":\"not\",\"child\":".repeat(depth),
        "}".repeat(depth)
    );
    assert!(ReadRestrictions::parse_text(&nots, &fields()).is_err());
    let mut value = json!(true);
    for _ in 0..128 {
        value = json!({"type": "not", "child": value});
    }
    assert!(matches!(
        ReadRestrictions::parse(&filter(value), &fields()),
        Err(ReaderError::TooDeep { .. })
    ));
}

#[test]
fn numbers_keep_their_kind() {
    for (text, expected) in [
        ("1", "1"),
        ("-1", "-1"),
        ("1.0", "1.0"),
        ("-0.0", "-0.0"),
        ("18446744073709551615", "18446744073709551615"),
    ] {
        assert_eq!(
            parse_strict(text).map(|json| json.to_string()),
            Ok(expected.to_owned())
        );
    }
    for text in ["1e999", "18446744073709551616", "01", "+1", "NaN", "1.", "tru"] {
        assert!(parse_strict(text).is_err(), "{text}");
    }
}
