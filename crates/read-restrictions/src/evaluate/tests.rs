// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Two-valued meaning; the fixtures say the operators one by one.

mod naive;

use std::collections::HashMap;

use proptest::prelude::*;

use super::evaluate;
use crate::error::ReaderError;
use crate::field::FieldType;
use crate::json::tests::predicates;
use crate::literal::Literal;
use crate::predicate::{Comparison, Predicate};
use crate::value::Value;

fn compare(comparison: Comparison, literal: Literal) -> Predicate {
    Predicate::Compare {
        comparison,
        field: 1,
        literal,
    }
}

#[test]
fn another_type_fails_in_every_branch() {
    let value = Value::Int(1);
    let wrong = compare(Comparison::Eq, Literal::Long(1));
    let expected = Err(ReaderError::ValueType {
        field_id: 1,
        expected: FieldType::Long,
    });
    for predicate in [
        wrong.clone(),
        Predicate::And(vec![Predicate::Constant(false), wrong.clone()]),
        Predicate::Or(vec![Predicate::Constant(true), wrong.clone()]),
        Predicate::Not(Box::new(wrong)),
        Predicate::In {
            field: 1,
            values: vec![Literal::Int(1), Literal::Long(1)],
        },
    ] {
        assert_eq!(evaluate(&predicate, &|_| &value), expected);
    }
}

#[test]
fn decimals_of_another_scale_are_another_type() {
    let value = Value::Decimal {
        unscaled: 150,
        precision: 9,
        scale: 2,
    };
    let literal = Literal::Decimal {
        unscaled: 15,
        precision: 9,
        scale: 1,
    };
    assert!(evaluate(&compare(Comparison::Eq, literal), &|_| &value).is_err());
}

#[test]
fn empty_lists_are_neutral() {
    let value = Value::Null;
    let read = |predicate: Predicate| evaluate(&predicate, &|_| &value);
    assert_eq!(read(Predicate::And(Vec::new())), Ok(true));
    assert_eq!(read(Predicate::Or(Vec::new())), Ok(false));
    let nothing = Predicate::In {
        field: 1,
        values: Vec::new(),
    };
    assert_eq!(read(nothing), Ok(false));
}

proptest! {
    #[test]
    fn equals_the_naive_meaning(
        predicate in predicates(),
        number in prop::option::of(-3_i32..3),
        double in prop::option::of(prop::sample::select(vec![-1.5, -0.0, 0.0, 1.5, f64::NAN, f64::INFINITY])),
        text in prop::option::of("[aé😀\u{ffff}]{0,2}"),
    ) {
        let row = HashMap::from([
            (1, number.map_or(Value::Null, Value::Int)),
            (2, double.map_or(Value::Null, Value::Double)),
            (3, text.map_or(Value::Null, Value::String)),
        ]);
        let kept = evaluate(&predicate, &|id| row.get(&id).unwrap_or(&Value::Null));
        prop_assert_eq!(kept, Ok(naive::keeps(&predicate, &row)));
    }
}
