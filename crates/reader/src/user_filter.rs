// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A user's SQL predicate in the closed language of row filters, as far as it fits.
//!
//! Only used to skip files and row groups. SQL keeps a row when its predicate is true and drops it when it is unknown;
//! the two-valued reading keeps every row that SQL keeps, never fewer.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "types, operators and statements are open sets of other crates; what has no meaning here is refused"
)]

use arrow::datatypes::DataType;
use datafusion::common::{Column, ScalarValue};
use datafusion::logical_expr::expr::{Between, BinaryExpr, InList};
use datafusion::logical_expr::{Expr, Operator};
use lakeward_read_restrictions::field::Field;
use lakeward_read_restrictions::literal::Literal;
use lakeward_read_restrictions::predicate::{Comparison, Predicate};

/// Gives the field and Arrow type of a column by whose original values rows may be skipped.
pub(crate) type Columns<'a> = dyn Fn(&str) -> Option<(Field, DataType)> + 'a;

/// The predicate, or `None` when any part of it does not fit.
pub(crate) fn user_predicate(filter: &Expr, columns: &Columns<'_>) -> Option<Predicate> {
    if let Expr::BinaryExpr(BinaryExpr { left, op, right }) = filter {
        return match op {
            Operator::And => Some(Predicate::And(vec![
                user_predicate(left, columns)?,
                user_predicate(right, columns)?,
            ])),
            Operator::Or => Some(Predicate::Or(vec![
                user_predicate(left, columns)?,
                user_predicate(right, columns)?,
            ])),
            _ => comparison(left, *op, right, columns),
        };
    }
    if let Expr::Not(child) = filter {
        return Some(Predicate::Not(Box::new(user_predicate(child, columns)?)));
    }
    if let Expr::IsNull(child) = filter {
        let (field, _) = column(child, columns)?;
        return Some(Predicate::IsNull { field: field.id });
    }
    if let Expr::IsNotNull(child) = filter {
        let (field, _) = column(child, columns)?;
        return Some(Predicate::NotNull { field: field.id });
    }
    if let Expr::InList(InList {
        expr,
        list,
        negated: false,
    }) = filter
    {
        let (field, data_type) = column(expr, columns)?;
        let values = list
            .iter()
            .map(|value| literal(value, &data_type))
            .collect::<Option<Vec<_>>>()?;
        return Some(Predicate::In {
            field: field.id,
            values,
        });
    }
    if let Expr::Between(Between {
        expr,
        negated: false,
        low,
        high,
    }) = filter
    {
        return Some(Predicate::And(vec![
            comparison(expr, Operator::GtEq, low, columns)?,
            comparison(expr, Operator::LtEq, high, columns)?,
        ]));
    }
    None
}

fn comparison(left: &Expr, operator: Operator, right: &Expr, columns: &Columns<'_>) -> Option<Predicate> {
    let comparison = comparison_of(operator)?;
    let (column_side, literal_side, comparison) = match (left, right) {
        (Expr::Column(_), Expr::Literal(..)) => (left, right, comparison),
        (Expr::Literal(..), Expr::Column(_)) => (right, left, reversed(comparison)),
        _ => return None,
    };
    let (field, data_type) = column(column_side, columns)?;
    Some(Predicate::Compare {
        comparison,
        field: field.id,
        literal: literal(literal_side, &data_type)?,
    })
}

fn comparison_of(operator: Operator) -> Option<Comparison> {
    if operator == Operator::Eq {
        Some(Comparison::Eq)
    } else if operator == Operator::NotEq {
        Some(Comparison::NotEq)
    } else if operator == Operator::Lt {
        Some(Comparison::Lt)
    } else if operator == Operator::LtEq {
        Some(Comparison::LtEq)
    } else if operator == Operator::Gt {
        Some(Comparison::Gt)
    } else if operator == Operator::GtEq {
        Some(Comparison::GtEq)
    } else {
        None
    }
}

fn reversed(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Eq => Comparison::Eq,
        Comparison::NotEq => Comparison::NotEq,
        Comparison::Lt => Comparison::Gt,
        Comparison::LtEq => Comparison::GtEq,
        Comparison::Gt => Comparison::Lt,
        Comparison::GtEq => Comparison::LtEq,
    }
}

fn column(expression: &Expr, columns: &Columns<'_>) -> Option<(Field, DataType)> {
    let Expr::Column(Column { name, .. }) = expression else {
        return None;
    };
    columns(name)
}

/// A literal of exactly the column's type; floating point is left out, since its bounds leave NaN out.
fn literal(expression: &Expr, data_type: &DataType) -> Option<Literal> {
    let Expr::Literal(value, _) = expression else {
        return None;
    };
    let text = value.try_as_str().flatten();
    if let (Some(text), DataType::Utf8 | DataType::Utf8View) = (text, data_type) {
        return Some(Literal::String(text.to_owned()));
    }
    if &value.data_type() != data_type {
        return None;
    }
    if let ScalarValue::Boolean(Some(value)) = value {
        return Some(Literal::Boolean(*value));
    }
    if let ScalarValue::Int32(Some(value)) = value {
        return Some(Literal::Int(*value));
    }
    if let ScalarValue::Int64(Some(value)) = value {
        return Some(Literal::Long(*value));
    }
    if let ScalarValue::Date32(Some(value)) = value {
        return Some(Literal::Date(*value));
    }
    if let ScalarValue::Time64Microsecond(Some(value)) = value {
        return Some(Literal::Time(*value));
    }
    if let ScalarValue::TimestampMicrosecond(Some(value), None) = value {
        return Some(Literal::Timestamp(*value));
    }
    if let ScalarValue::Decimal128(Some(unscaled), precision, scale) = value {
        return Some(Literal::Decimal {
            unscaled: *unscaled,
            precision: *precision,
            scale: u8::try_from(*scale).ok()?,
        });
    }
    None
}
