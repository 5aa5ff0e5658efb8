// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The reference meaning of predicates: two-valued, null included (language reference, section 10).

use std::cmp::Ordering;

use crate::error::ReaderError;
use crate::float::{compare_f32, compare_f64};
use crate::literal::Literal;
use crate::predicate::{Comparison, Predicate};
use crate::value::Value;

/// Whether a row is kept. `value_of` gives the original value of a field id; a column that the row lacks is null.
///
/// # Errors
/// [`ReaderError::ValueType`] when a value has another type than the literal it is compared with. Every branch is
/// looked at, so the error does not depend on what the other branches say.
pub fn evaluate<'row>(
    predicate: &Predicate,
    value_of: &dyn Fn(i32) -> &'row Value,
) -> Result<bool, ReaderError> {
    match predicate {
        Predicate::Constant(value) => Ok(*value),
        Predicate::IsNull { field } => Ok(value_of(*field).is_null()),
        Predicate::NotNull { field } => Ok(!value_of(*field).is_null()),
        Predicate::Compare {
            comparison,
            field,
            literal,
        } => {
            let order = compare(*field, value_of(*field), literal)?;
            Ok(comparison.holds(order))
        }
        Predicate::In { field, values } => {
            let value = value_of(*field);
            let mut found = false;
            for literal in values {
                found |= compare(*field, value, literal)? == Some(Ordering::Equal);
            }
            Ok(found)
        }
        Predicate::Not(child) => Ok(!evaluate(child, value_of)?),
        Predicate::And(children) => children
            .iter()
            .try_fold(true, |kept, child| Ok(evaluate(child, value_of)? && kept)),
        Predicate::Or(children) => children
            .iter()
            .try_fold(false, |kept, child| Ok(evaluate(child, value_of)? || kept)),
    }
}

impl Comparison {
    /// Whether the comparison holds when the field's value orders so against the literal; `None` stands for a null field, which
    /// is below every literal.
    pub fn holds(self, order: Option<Ordering>) -> bool {
        let order = order.unwrap_or(Ordering::Less);
        match self {
            Self::Eq => order.is_eq(),
            Self::NotEq => order.is_ne(),
            Self::Lt => order.is_lt(),
            Self::LtEq => order.is_le(),
            Self::Gt => order.is_gt(),
            Self::GtEq => order.is_ge(),
        }
    }
}

/// How a value orders against a literal of the same type in Iceberg's order; `None` for null.
fn compare(field_id: i32, value: &Value, literal: &Literal) -> Result<Option<Ordering>, ReaderError> {
    let order = match (value, literal) {
        (Value::Null, _) => return Ok(None),
        (Value::Boolean(value), Literal::Boolean(literal)) => value.cmp(literal),
        (Value::Int(value), Literal::Int(literal)) => value.cmp(literal),
        (Value::Long(value), Literal::Long(literal)) => value.cmp(literal),
        (Value::Float(value), Literal::Float(literal)) => compare_f32(*value, *literal),
        (Value::Double(value), Literal::Double(literal)) => compare_f64(*value, *literal),
        (
            Value::Decimal {
                unscaled,
                precision,
                scale,
            },
            Literal::Decimal {
                unscaled: literal,
                precision: literal_precision,
                scale: literal_scale,
            },
        ) if (precision, scale) == (literal_precision, literal_scale) => unscaled.cmp(literal),
        (Value::Date(value), Literal::Date(literal)) => value.cmp(literal),
        (Value::Time(value), Literal::Time(literal))
        | (Value::Timestamp(value), Literal::Timestamp(literal)) => value.cmp(literal),
        // Rust compares strings by their UTF-8 bytes, which is the order of code points.
        (Value::String(value), Literal::String(literal)) => value.cmp(literal),
        (_, _) => {
            return Err(ReaderError::ValueType {
                field_id,
                expected: literal.field_type(),
            });
        }
    };
    Ok(Some(order))
}

#[cfg(test)]
mod tests;
