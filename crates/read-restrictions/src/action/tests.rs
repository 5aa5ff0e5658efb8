// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What fixtures do not say: names, salts, values of the wrong type, properties of all actions.

use proptest::prelude::*;

use super::{MaskAction, QuerySalt, fixed_value};
use crate::error::ReaderError;
use crate::field::{Field, FieldType};
use crate::value::Value;

fn text(action: MaskAction, input: &str) -> String {
    match action.apply(&FieldType::String, &Value::String(input.to_owned()), None) {
        Ok(Value::String(output)) => output,
        other => format!("{other:?}"),
    }
}

#[test]
fn names_go_both_ways_and_nothing_else_is_a_name() {
    for action in MaskAction::ALL {
        assert_eq!(MaskAction::from_name(action.as_str()), Some(action));
        assert_eq!(action.to_string(), action.as_str());
    }
    for name in ["", "Mask-Alphanum", "mask-alphanum ", "sha-256", "mask_alphanum"] {
        assert_eq!(MaskAction::from_name(name), None, "{name}");
    }
}

#[test]
fn a_salt_is_long_enough_and_never_shown() {
    assert!(matches!(
        QuerySalt::new(vec![1; 15]),
        Err(ReaderError::SaltTooShort { length: 15 })
    ));
    let salt = QuerySalt::new(vec![171; 16]);
    assert!(salt.is_ok_and(|salt| format!("{salt:?}") == "QuerySalt(..)" && salt.as_bytes().len() == 16));
}

#[test]
fn a_missing_salt_fails_for_null_too() {
    let masked = MaskAction::Sha256QueryLocal.apply(&FieldType::String, &Value::Null, None);
    assert_eq!(masked, Err(ReaderError::SaltMissing));
}

#[test]
fn a_value_of_the_wrong_type_is_refused() {
    let number = Value::Double(1.0);
    for action in MaskAction::ALL {
        let masked = action.apply(&FieldType::Double, &number, None);
        match action {
            MaskAction::MaskToFixedValue | MaskAction::ReplaceWithNull => assert!(masked.is_ok()),
            MaskAction::Sha256QueryLocal => assert_eq!(masked, Err(ReaderError::SaltMissing)),
            MaskAction::MaskAlphanum
            | MaskAction::ShowFirst4
            | MaskAction::ShowLast4
            | MaskAction::TruncateToYear
            | MaskAction::TruncateToMonth
            | MaskAction::Sha256Global => {
                assert_eq!(masked, Err(ReaderError::MaskedValueType { action }));
            }
        }
    }
}

#[test]
fn a_decimal_that_does_not_exist_has_no_fixed_value() {
    for (precision, scale, exists) in [(38, 38, true), (39, 2, false), (5, 6, false)] {
        let field = Field {
            id: 1,
            name: "c".to_owned(),
            field_type: FieldType::Decimal { precision, scale },
            required: false,
        };
        assert_eq!(MaskAction::MaskToFixedValue.applies_to(&field).is_ok(), exists);
        assert_eq!(fixed_value(&field.field_type).is_some(), exists);
    }
}

#[test]
fn a_refusal_says_why() {
    let field = Field {
        id: 1,
        name: "c".to_owned(),
        field_type: FieldType::Int,
        required: true,
    };
    let message = |action: MaskAction| action.applies_to(&field).err().map(|error| error.to_string());
    assert_eq!(
        message(MaskAction::ReplaceWithNull).as_deref(),
        Some("the mask action `replace-with-null` does not apply to a required field of type int")
    );
    assert_eq!(
        message(MaskAction::ShowLast4).as_deref(),
        Some("the mask action `show-last-4` does not apply to a required field of type int")
    );
}

proptest! {
    #[test]
    fn text_masks_keep_the_number_of_code_points(input in ".{0,12}") {
        let length = input.chars().count();
        for action in [MaskAction::MaskAlphanum, MaskAction::ShowFirst4, MaskAction::ShowLast4] {
            prop_assert_eq!(text(action, &input).chars().count(), length);
        }
    }

    #[test]
    fn what_is_shown_is_at_most_four_code_points(input in ".{0,12}") {
        let masked = text(MaskAction::MaskAlphanum, &input);
        let first: String = input.chars().take(4).chain(masked.chars().skip(4)).collect();
        prop_assert_eq!(text(MaskAction::ShowFirst4, &input), first);
        let hidden = input.chars().count().saturating_sub(4);
        let last: String = masked.chars().take(hidden).chain(input.chars().skip(hidden)).collect();
        prop_assert_eq!(text(MaskAction::ShowLast4, &input), last);
    }

    #[test]
    fn truncation_is_idempotent_and_never_later(micros in any::<i64>(), days in any::<i32>()) {
        for action in [MaskAction::TruncateToYear, MaskAction::TruncateToMonth] {
            for value in [Value::Timestamp(micros), Value::TimestamptzNs(micros), Value::Date(days)] {
                let Ok(once) = action.apply(&FieldType::Timestamp, &value, None) else {
                    continue;
                };
                prop_assert_eq!(action.apply(&FieldType::Timestamp, &once, None), Ok(once.clone()));
                match (&once, &value) {
                    (Value::Timestamp(once), Value::Timestamp(value))
                    | (Value::TimestamptzNs(once), Value::TimestamptzNs(value)) => prop_assert!(once <= value),
                    (Value::Date(once), Value::Date(value)) => prop_assert!(once <= value),
                    _ => prop_assert!(false, "the type changed"),
                }
            }
        }
    }
}
