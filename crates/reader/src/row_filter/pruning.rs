// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What may be skipped without reading it: files by manifest metrics, row groups and pages by Parquet statistics.
//!
//! A hint only ever says "nothing here can match". Metrics and statistics speak of the non-null values alone, while
//! null satisfies `<`, `<=` and `!=` here; to iceberg-rust, which plans otherwise, everything is said as "is null, or
//! P". Floating-point comparisons give no hint: bounds leave NaN out, and NaN is the greatest value.
//! Negations are pushed to the leaves, which is exact in two-valued logic.

use std::ops::{BitAnd, BitOr};

use arrow::array::{ArrayRef, UInt64Array};
use arrow::buffer::BooleanBuffer;
use iceberg::expr::{Predicate as IcebergPredicate, Reference};
use iceberg::spec::{Datum, PrimitiveType};
use lakeward_read_restrictions::literal::Literal;
use lakeward_read_restrictions::predicate::{Comparison, Predicate};
use parquet::arrow::arrow_reader::RowSelection;

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
        // The planner's arithmetic on bounds of transforms overflows near the ends of the range.
        Literal::Int(value) => (value.unsigned_abs() < 1 << 30).then(|| Datum::int(*value)),
        Literal::Long(value) => (value.unsigned_abs() < 1 << 62).then(|| Datum::long(*value)),
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

/// Statistics of one column over parts of a file, row groups or pages, one element for each; null means unknown.
#[derive(Debug, Clone)]
pub(crate) struct ColumnStatistics {
    /// Smallest non-null values.
    pub(crate) minimums: ArrayRef,
    /// Greatest non-null values.
    pub(crate) maximums: ArrayRef,
    /// Numbers of nulls.
    pub(crate) nulls: UInt64Array,
}

/// A part of the rows of a file.
pub(crate) trait Extent: Clone {
    /// The rows that are in both.
    fn both(&self, other: &Self) -> Self;
    /// The rows that are in one of them.
    fn either(&self, other: &Self) -> Self;
}

/// Row groups or pages of one column.
impl Extent for BooleanBuffer {
    fn both(&self, other: &Self) -> Self {
        self.bitand(other)
    }

    fn either(&self, other: &Self) -> Self {
        self.bitor(other)
    }
}

/// Rows of one row group.
impl Extent for RowSelection {
    fn both(&self, other: &Self) -> Self {
        self.intersection(other)
    }

    fn either(&self, other: &Self) -> Self {
        self.union(other)
    }
}

/// All rows, or none.
impl Extent for bool {
    fn both(&self, other: &Self) -> Self {
        *self && *other
    }

    fn either(&self, other: &Self) -> Self {
        *self || *other
    }
}

/// What a predicate asks of one field.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Test<'a> {
    /// Whether it is null.
    IsNull,
    /// How it compares.
    Compare(Comparison, &'a Literal),
    /// Whether it is one of these.
    In(&'a [Literal]),
}

/// The rows that may fulfil the predicate. `test` gives those that may fulfil one test, or `None` where that cannot be
/// told; `all` and `none` are all rows and no row.
pub(crate) fn may_match<E: Extent>(
    predicate: &Predicate,
    all: &E,
    none: &E,
    test: &dyn Fn(i32, Test<'_>) -> Option<E>,
) -> E {
    may_match_with(predicate, false, all, none, test)
}

fn may_match_with<E: Extent>(
    predicate: &Predicate,
    negated: bool,
    all: &E,
    none: &E,
    test: &dyn Fn(i32, Test<'_>) -> Option<E>,
) -> E {
    let or_all = |outcome: Option<E>| outcome.unwrap_or_else(|| all.clone());
    match predicate {
        Predicate::Constant(value) if *value == negated => none.clone(),
        Predicate::IsNull { field } if !negated => or_all(test(*field, Test::IsNull)),
        Predicate::NotNull { field } if negated => or_all(test(*field, Test::IsNull)),
        Predicate::Constant(_) | Predicate::IsNull { .. } | Predicate::NotNull { .. } => all.clone(),
        Predicate::Compare {
            comparison,
            field,
            literal,
        } => or_all(test(
            *field,
            Test::Compare(effective(*comparison, negated), literal),
        )),
        Predicate::In { .. } if negated => all.clone(),
        Predicate::In { field, values } => or_all(test(*field, Test::In(values))),
        Predicate::Not(child) => may_match_with(child, !negated, all, none, test),
        Predicate::And(children) | Predicate::Or(children) => {
            let conjunction = matches!(predicate, Predicate::And(_)) != negated;
            let outcomes = children
                .iter()
                .map(|child| may_match_with(child, negated, all, none, test));
            if conjunction {
                outcomes.fold(all.clone(), |rows, one| rows.both(&one))
            } else {
                outcomes.fold(none.clone(), |rows, one| rows.either(&one))
            }
        }
    }
}

impl ColumnStatistics {
    /// Which parts may hold a row that fulfils a test of the column `field`; `None` where that cannot be told.
    pub(crate) fn may_fulfil(&self, field: i32, test: Test<'_>) -> Option<BooleanBuffer> {
        match test {
            Test::IsNull => Some(self.may_hold_null()),
            Test::Compare(comparison, literal) => self.may_compare(field, comparison, literal),
            Test::In(values) => {
                values
                    .iter()
                    .try_fold(BooleanBuffer::new_unset(self.nulls.len()), |found, value| {
                        let here = self.may_compare(field, Comparison::Eq, value)?;
                        Some(found.bitor(&here))
                    })
            }
        }
    }

    fn may_hold_null(&self) -> BooleanBuffer {
        self.nulls
            .iter()
            .map(|count| count != Some(0))
            .collect::<BooleanBuffer>()
    }

    fn may_compare(&self, field: i32, comparison: Comparison, literal: &Literal) -> Option<BooleanBuffer> {
        if matches!(literal, Literal::Float(_) | Literal::Double(_)) {
            return None;
        }
        let holds = |bounds: &ArrayRef, comparison| {
            let unknown = comparison::is_null(bounds);
            comparison::compare(bounds, field, comparison, literal)
                .ok()
                .map(|outcome| outcome.bitor(&unknown))
        };
        // Null is below every value: it equals none and is greater than none.
        match comparison {
            Comparison::Eq => {
                let low = holds(&self.minimums, Comparison::LtEq)?;
                Some(low.bitand(&holds(&self.maximums, Comparison::GtEq)?))
            }
            Comparison::Gt | Comparison::GtEq => holds(&self.maximums, comparison),
            Comparison::Lt | Comparison::LtEq => {
                Some(holds(&self.minimums, comparison)?.bitor(&self.may_hold_null()))
            }
            Comparison::NotEq => None,
        }
    }
}
