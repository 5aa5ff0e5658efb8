// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Kernels against the fixtures and against the one-value reference.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, DictionaryArray, Int32Array};
use arrow::compute::{cast, concat};
use lakeward_read_restrictions::action::{MaskAction, QuerySalt};
use lakeward_read_restrictions::field::{Field, FieldType};
use lakeward_read_restrictions::schema::fields_from_schema;
use lakeward_read_restrictions::value::Value;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::{Mask, MaskError, MaskedValues};
use crate::reference_arrays::{arrow_type, to_array, to_value};
use crate::reference_values::{every_type, value};
use crate::text_views::inside;

fn salt() -> QuerySalt {
    QuerySalt::new((0..32).collect()).unwrap()
}

fn mask(action: MaskAction, field_type: &FieldType) -> Mask {
    Mask::new(action, arrow_type(field_type).unwrap())
}

fn field_type(json: &Json) -> FieldType {
    let schema =
        json!({"type": "struct", "fields": [{"id": 1, "name": "c", "type": json, "required": false}]});
    fields_from_schema(&schema).unwrap().remove(0).field_type
}

#[test]
fn fixtures_pass() {
    let text = include_str!("../../../../fixtures/conformance/masks.json");
    let fixtures: Json = serde_json::from_str(text).unwrap();
    let mut run = 0;
    for case in fixtures.get("cases").unwrap().as_array().unwrap() {
        let Some(input) = case.get("input") else {
            continue;
        };
        let field_type = field_type(case.get("type").unwrap());
        // iceberg-rust reads no table with such columns.
        if arrow_type(&field_type).is_none() {
            continue;
        }
        let id = case.get("id").unwrap();
        let action = MaskAction::from_name(case.get("action").unwrap().as_str().unwrap()).unwrap();
        let salt = match case.get("salt").and_then(Json::as_str) {
            Some(text) => QuerySalt::new(hex::decode(text).unwrap()),
            None => Ok(salt()),
        };
        let value = Value::from_json(input, &field_type).unwrap();
        let masked = salt.map_err(|cause| cause.to_string()).and_then(|salt| {
            mask(action, &field_type)
                .apply(
                    &to_array(&field_type, &[value]),
                    &salt,
                    &mut MaskedValues::default(),
                )
                .map_err(|cause| cause.to_string())
        });
        match case.pointer("/expect/output") {
            Some(expected) => {
                let expected = Value::from_json(expected, &field_type).unwrap();
                assert_eq!(to_value(&field_type, &masked.unwrap(), 0), expected, "{id}");
            }
            None => assert!(masked.is_err(), "{id}"),
        }
        run += 1;
    }
    assert!(run > 100, "only {run} cases ran");
}

/// Every action with every type that it applies to.
fn applicable() -> impl Strategy<Value = (MaskAction, FieldType)> {
    let pairs: Vec<(MaskAction, FieldType)> = MaskAction::ALL
        .into_iter()
        .flat_map(|action| {
            every_type()
                .into_iter()
                .map(move |field_type| (action, field_type))
        })
        .filter(|(action, field_type)| {
            let field = Field {
                id: 1,
                name: "c".to_owned(),
                field_type: field_type.clone(),
                required: false,
            };
            action.applies_to(&field).is_ok()
        })
        .collect();
    // Nothing that is added is left out: 3 of text, 2 of 5 of time, 2 of 4 that are hashed, 2 of all.
    assert_eq!(pairs.len(), 3 + 2 * 5 + 2 * 4 + 2 * every_type().len());
    proptest::sample::select(pairs)
}

/// The reference on every value; an error of one value is an error of the column.
fn reference(action: MaskAction, field_type: &FieldType, values: &[Value]) -> Option<Vec<Value>> {
    values
        .iter()
        .map(|value| action.apply(field_type, value, Some(&salt())).ok())
        .collect()
}

fn equal(action: MaskAction, field_type: &FieldType, masked: Result<ArrayRef, MaskError>, values: &[Value]) {
    let expected = reference(action, field_type, values);
    match (masked, expected) {
        (Ok(masked), Some(expected)) => {
            assert_eq!(Some(masked.data_type()), arrow_type(field_type).as_ref());
            let shown: Vec<Value> = (0..masked.len())
                .map(|row| to_value(field_type, &masked, row))
                .collect();
            assert_eq!(shown, expected, "{action} {field_type}");
        }
        (Err(_), None) => {}
        (masked, expected) => panic!("{action} {field_type}: {masked:?} for {expected:?}"),
    }
}

proptest! {
    #[test]
    fn kernels_equal_the_reference(
        (action, field_type, values, skipped) in applicable().prop_flat_map(|(action, field_type)| {
            let values = proptest::collection::vec(value(&field_type), 0..40);
            (Just(action), Just(field_type), values, 0_usize..4)
        })
    ) {
        let mask = mask(action, &field_type);
        let array = to_array(&field_type, &values);
        equal(action, &field_type, mask.apply(&array, &salt(), &mut MaskedValues::default()), &values);
        // A slice: offsets do not begin at zero.
        let skipped = skipped.min(values.len());
        let slice = array.slice(skipped, values.len() - skipped);
        equal(action, &field_type, mask.apply(&slice, &salt(), &mut MaskedValues::default()), values.get(skipped..).unwrap());
        // As the engine holds text and bytes.
        let inside = inside(array.data_type());
        let mask = Mask::new(action, inside.clone());
        for (array, values) in [(&array, values.as_slice()), (&slice, values.get(skipped..).unwrap())] {
            let views = cast(array, &inside).unwrap();
            let masked = mask.apply(&views, &salt(), &mut MaskedValues::default()).map(|masked| {
                assert_eq!(masked.data_type(), &inside);
                cast(&masked, array.data_type()).unwrap()
            });
            equal(action, &field_type, masked, values);
        }
    }

    #[test]
    fn dictionaries_are_masked_like_plain_columns(
        (action, values, keys) in (
            proptest::sample::select(&MaskAction::ALL[..]).prop_filter("takes text", |action| {
                !matches!(action, MaskAction::TruncateToYear | MaskAction::TruncateToMonth)
            }),
            proptest::collection::vec(value(&FieldType::String), 1..10),
        ).prop_flat_map(|(action, values)| {
            let keys = proptest::collection::vec(proptest::option::of(0..values.len()), 0..40);
            (Just(action), Just(values), keys)
        })
    ) {
        let field_type = FieldType::String;
        let indexes: Int32Array = keys.iter().map(|key| key.map(|key| i32::try_from(key).unwrap())).collect();
        let dictionary: ArrayRef = Arc::new(DictionaryArray::new(indexes, to_array(&field_type, &values)));
        let plain: Vec<Value> = keys
            .iter()
            .map(|key| key.map_or(Value::Null, |key| values.get(key).unwrap().clone()))
            .collect();
        let mask = mask(action, &field_type);
        let masked = mask.apply(&dictionary, &salt(), &mut MaskedValues::default());
        equal(action, &field_type, masked, &plain);
        // Slices of one dictionary, one after the other, as batches of a row group come.
        let mut remembered = MaskedValues::default();
        for start in (0..plain.len()).step_by(3) {
            let rows = 3.min(plain.len() - start);
            let masked = mask.apply(&dictionary.slice(start, rows), &salt(), &mut remembered);
            equal(action, &field_type, masked, plain.get(start..start + rows).unwrap());
        }
        // Another dictionary is not taken for the remembered one.
        let other: Vec<Value> = values.iter().rev().cloned().collect();
        let all: Int32Array = (0..i32::try_from(other.len()).unwrap()).map(Some).collect();
        let next: ArrayRef = Arc::new(DictionaryArray::new(all, to_array(&field_type, &other)));
        equal(action, &field_type, mask.apply(&next, &salt(), &mut remembered), &other);
    }
}

#[test]
fn ascii_and_other_values_of_one_column_agree() {
    let mask = mask(MaskAction::ShowLast4, &FieldType::String);
    let column = |values: &[&str]| {
        let values: Vec<Value> = values
            .iter()
            .map(|value| Value::String((*value).to_owned()))
            .collect();
        to_array(&FieldType::String, &values)
    };
    let ascii = mask
        .apply(
            &column(&["4111-1111-1111-1234"]),
            &salt(),
            &mut MaskedValues::default(),
        )
        .unwrap();
    let mixed = mask
        .apply(
            &column(&["4111-1111-1111-1234", "Åse"]),
            &salt(),
            &mut MaskedValues::default(),
        )
        .unwrap();
    let both = concat(&[&ascii, &column(&["Åse"])]).unwrap();
    assert_eq!(&both, &mixed);
}

#[test]
fn fixed_values_of_nested_types_are_nested() {
    let address = field_type(&json!({"type": "struct", "fields": [
        {"id": 2, "name": "city", "type": "string", "required": true},
        {"id": 3, "name": "codes", "type": {"type": "list", "element-id": 4, "element": "int", "element-required": true}, "required": false}
    ]}));
    let masked = mask(MaskAction::MaskToFixedValue, &address)
        .constant(2)
        .unwrap()
        .unwrap();
    let expected = Value::Struct(vec![
        (2, Value::String("XXXXXXXX".to_owned())),
        (3, Value::List(vec![])),
    ]);
    assert_eq!(to_value(&address, &masked, 1), expected);
    let hidden = mask(MaskAction::ReplaceWithNull, &address)
        .constant(2)
        .unwrap()
        .unwrap();
    assert_eq!(to_value(&address, &hidden, 0), Value::Null);
}
