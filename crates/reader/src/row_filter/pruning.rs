// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What may be skipped without reading it: files by manifest metrics, row groups by Parquet statistics.
//!
//! A hint only ever says "nothing here can match". It is written as "is null, or P" everywhere, because both
//! iceberg-rust and Parquet statistics speak of the non-null values alone, while null satisfies `<`, `<=` and
//! `!=` here. Floating-point comparisons give no hint: bounds leave NaN out, and NaN is the greatest value.
//! Negations are pushed to the leaves, which is exact in two-valued logic.

use std::ops::{BitAnd, BitOr};

use arrow::array::{ArrayRef, UInt64Array};
use arrow::buffer::BooleanBuffer;
use iceberg::expr::{Predicate as IcebergPredicate, Reference};
use iceberg::spec::{Datum, PrimitiveType};
use lakeward_read_restrictions::literal::Literal;
use lakeward_read_restrictions::predicate::{Comparison, Predicate};

use super::comparison;

/// The predicate in iceberg-rust's words, weakened to what its planner evaluates right; `None` when nothing can be
/// skipped. `name` gives the column of a field in the scanned snapshot's schema, or `None` where its metrics must
/// not be trusted.
pub(crate) fn file_hint(
    predicate: &Predicate,
    name: &dyn Fn(i32) -> Option<String>,
) -> Option<IcebergPredicate> {
    file_hint_with(predicate, false, name)
}

fn file_hint_with(
    predicate: &Predicate,
    negated: bool,
    name: &dyn Fn(i32) -> Option<String>,
) -> Option<IcebergPredicate> {
    match predicate {
        Predicate::Constant(value) if *value == negated => Some(IcebergPredicate::AlwaysFalse),
        Predicate::Constant(_) => None,
        Predicate::IsNull { field } => null_test(*field, !negated, name),
        Predicate::NotNull { field } => null_test(*field, negated, name),
        Predicate::Compare {
            comparison,
            field,
            literal,
        } => {
            let datum = datum(literal)?;
            let column = Reference::new(name(*field)?);
            let matches = match effective(*comparison, negated) {
                Comparison::Eq => column.equal_to(datum),
                Comparison::Lt => column.less_than(datum),
                Comparison::LtEq => column.less_than_or_equal_to(datum),
                Comparison::Gt => column.greater_than(datum),
                Comparison::GtEq => column.greater_than_or_equal_to(datum),
                // Bounds never exclude it.
                Comparison::NotEq => return None,
            };
            Some(Reference::new(name(*field)?).is_null().or(matches))
        }
        Predicate::In { .. } if negated => None,
        Predicate::In { field, values } if values.is_empty() => {
            name(*field).map(|_| IcebergPredicate::AlwaysFalse)
        }
        Predicate::In { field, values } => {
            let data = values.iter().map(datum).collect::<Option<Vec<_>>>()?;
            let column = name(*field)?;
            Some(
                Reference::new(column.clone())
                    .is_null()
                    .or(Reference::new(column).is_in(data)),
            )
        }
        Predicate::Not(child) => file_hint_with(child, !negated, name),
        Predicate::And(children) if !negated => all_of(children, negated, name),
        Predicate::Or(children) if negated => all_of(children, negated, name),
        Predicate::And(children) | Predicate::Or(children) => {
            let hints = children
                .iter()
                .map(|child| file_hint_with(child, negated, name))
                .collect::<Option<Vec<_>>>()?;
            hints.into_iter().reduce(IcebergPredicate::or)
        }
    }
}

fn all_of(
    children: &[Predicate],
    negated: bool,
    name: &dyn Fn(i32) -> Option<String>,
) -> Option<IcebergPredicate> {
    children
        .iter()
        .filter_map(|child| file_hint_with(child, negated, name))
        .reduce(IcebergPredicate::and)
}

fn null_test(field: i32, is_null: bool, name: &dyn Fn(i32) -> Option<String>) -> Option<IcebergPredicate> {
    // "Not null" would skip files that hold nulls only; it is exact, and so is "is null".
    let column = Reference::new(name(field)?);
    Some(if is_null {
        column.is_null()
    } else {
        column.is_not_null()
    })
}

/// The comparison that is true where `comparison` is false, null included.
fn effective(comparison: Comparison, negated: bool) -> Comparison {
    match (comparison, negated) {
        (Comparison::Eq, false) | (Comparison::NotEq, true) => Comparison::Eq,
        (Comparison::NotEq, false) | (Comparison::Eq, true) => Comparison::NotEq,
        (Comparison::Lt, false) | (Comparison::GtEq, true) => Comparison::Lt,
        (Comparison::LtEq, false) | (Comparison::Gt, true) => Comparison::LtEq,
        (Comparison::Gt, false) | (Comparison::LtEq, true) => Comparison::Gt,
        (Comparison::GtEq, false) | (Comparison::Lt, true) => Comparison::GtEq,
    }
}

fn datum(literal: &Literal) -> Option<Datum> {
    match literal {
        Literal::Boolean(value) => Some(Datum::bool(*value)),
        Literal::Int(value) => Some(Datum::int(*value)),
        Literal::Long(value) => Some(Datum::long(*value)),
        Literal::Float(_) | Literal::Double(_) => None,
        Literal::Decimal {
            unscaled,
            precision,
            scale,
        } => Datum::try_from_bytes(
            &unscaled.to_be_bytes(),
            PrimitiveType::Decimal {
                precision: u32::from(*precision),
                scale: u32::from(*scale),
            },
        )
        .ok(),
        Literal::Date(value) => Some(Datum::date(*value)),
        Literal::Time(value) => Datum::time_micros(*value).ok(),
        Literal::Timestamp(value) => Some(Datum::timestamp_micros(*value)),
        Literal::String(value) => Some(Datum::string(value)),
    }
}

/// Statistics of one column over the row groups of a file, one element per row group; null means unknown.
#[derive(Debug, Clone)]
pub(crate) struct ColumnStatistics {
    /// Smallest non-null values.
    pub(crate) minimums: ArrayRef,
    /// Greatest non-null values.
    pub(crate) maximums: ArrayRef,
    /// Numbers of nulls.
    pub(crate) nulls: UInt64Array,
}

/// Which of `groups` row groups may hold a row for which the predicate is true. `statistics` gives those of a field,
/// or `None` where they are missing or must not be trusted.
pub(crate) fn row_groups_that_may_match(
    predicate: &Predicate,
    groups: usize,
    statistics: &dyn Fn(i32) -> Option<ColumnStatistics>,
) -> BooleanBuffer {
    groups_with(predicate, false, groups, statistics)
}

fn groups_with(
    predicate: &Predicate,
    negated: bool,
    groups: usize,
    statistics: &dyn Fn(i32) -> Option<ColumnStatistics>,
) -> BooleanBuffer {
    let any = || BooleanBuffer::new_set(groups);
    match predicate {
        Predicate::Constant(value) if *value == negated => BooleanBuffer::new_unset(groups),
        Predicate::Constant(_) => any(),
        Predicate::IsNull { field } if !negated => {
            statistics(*field).map_or_else(any, |known| may_hold_null(&known))
        }
        Predicate::NotNull { field } if negated => {
            statistics(*field).map_or_else(any, |known| may_hold_null(&known))
        }
        Predicate::IsNull { .. } | Predicate::NotNull { .. } => any(),
        Predicate::Compare {
            comparison,
            field,
            literal,
        } => statistics(*field)
            .and_then(|known| may_compare(&known, *field, effective(*comparison, negated), literal))
            .unwrap_or_else(any),
        Predicate::In { .. } if negated => any(),
        Predicate::In { field, values } => statistics(*field)
            .and_then(|known| {
                values
                    .iter()
                    .try_fold(BooleanBuffer::new_unset(groups), |found, value| {
                        let here = may_compare(&known, *field, Comparison::Eq, value)?;
                        Some(found.bitor(&here))
                    })
            })
            .unwrap_or_else(any),
        Predicate::Not(child) => groups_with(child, !negated, groups, statistics),
        Predicate::And(children) | Predicate::Or(children) => {
            let conjunction = matches!(predicate, Predicate::And(_)) != negated;
            let outcomes = children
                .iter()
                .map(|child| groups_with(child, negated, groups, statistics));
            if conjunction {
                outcomes.fold(any(), |all, one| all.bitand(&one))
            } else {
                outcomes.fold(BooleanBuffer::new_unset(groups), |some, one| some.bitor(&one))
            }
        }
    }
}

fn may_hold_null(known: &ColumnStatistics) -> BooleanBuffer {
    known
        .nulls
        .iter()
        .map(|count| count != Some(0))
        .collect::<BooleanBuffer>()
}

fn may_compare(
    known: &ColumnStatistics,
    field: i32,
    comparison: Comparison,
    literal: &Literal,
) -> Option<BooleanBuffer> {
    if matches!(literal, Literal::Float(_) | Literal::Double(_)) {
        return None;
    }
    let holds = |bounds: &ArrayRef, comparison| {
        let unknown = comparison::is_null(bounds);
        comparison::compare(bounds, field, comparison, literal)
            .ok()
            .map(|outcome| outcome.bitor(&unknown))
    };
    let possible = match comparison {
        Comparison::Eq => {
            holds(&known.minimums, Comparison::LtEq)?.bitand(&holds(&known.maximums, Comparison::GtEq)?)
        }
        Comparison::Lt | Comparison::LtEq => holds(&known.minimums, comparison)?,
        Comparison::Gt | Comparison::GtEq => holds(&known.maximums, comparison)?,
        Comparison::NotEq => return None,
    };
    Some(possible.bitor(&may_hold_null(known)))
}
