// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The required row filter, evaluated exactly on Arrow columns.
//!
//! Two-valued: every predicate is true or false for every row, null included. Null sorts below every value, so
//! `null < v`, `null <= v` and `null != v` are true (language reference, section 10). SQL answers otherwise; that
//! is why the filter is never handed to an engine.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "types, operators and statements are open sets of other crates; what has no meaning here is refused"
)]

mod comparison;
pub(crate) mod pruning;

#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeSet;
use std::ops::{BitAnd, BitOr, Not};

use arrow::array::ArrayRef;
use arrow::buffer::BooleanBuffer;
use arrow::error::ArrowError;
use lakeward_read_restrictions::predicate::Predicate;

/// Why a filter could not be evaluated. The query fails; no row is returned.
#[derive(Debug, thiserror::Error)]
pub enum FilterError {
    /// A column of the filter is not among the columns read.
    #[error("the required row filter needs field {0}, which was not read")]
    MissingColumn(i32),
    /// The column holds another type than the filter was checked against.
    #[error(
        "the required row filter expects `{expected}` in field {field}, the file gives Arrow type `{found}`"
    )]
    WrongType {
        /// Field id.
        field: i32,
        /// Iceberg type of the literal.
        expected: String,
        /// Arrow type of the column.
        found: String,
    },
    /// Arrow could not compare.
    #[error("the required row filter could not be evaluated: {0}")]
    Arrow(#[from] ArrowError),
}

/// A required row filter.
#[derive(Debug, Clone)]
pub struct RowFilter {
    predicate: Predicate,
}

impl RowFilter {
    /// A filter that keeps the rows for which `predicate` is true.
    pub fn new(predicate: Predicate) -> Self {
        Self { predicate }
    }

    /// The predicate.
    pub fn predicate(&self) -> &Predicate {
        &self.predicate
    }

    /// Ids of the fields that must be read, projected or not.
    pub fn fields(&self) -> BTreeSet<i32> {
        let mut fields = BTreeSet::new();
        collect_fields(&self.predicate, &mut fields);
        fields
    }

    /// Which of `rows` rows stay. `column` gives the original values of a field.
    ///
    /// # Errors
    /// [`FilterError`]; no row may then be returned.
    pub fn keep<'a>(
        &self,
        rows: usize,
        column: &dyn Fn(i32) -> Option<&'a ArrayRef>,
    ) -> Result<BooleanBuffer, FilterError> {
        evaluate(&self.predicate, rows, column)
    }
}

pub(crate) fn collect_fields(predicate: &Predicate, fields: &mut BTreeSet<i32>) {
    match predicate {
        Predicate::Constant(_) => {}
        Predicate::IsNull { field }
        | Predicate::NotNull { field }
        | Predicate::Compare { field, .. }
        | Predicate::In { field, .. } => {
            fields.insert(*field);
        }
        Predicate::Not(child) => collect_fields(child, fields),
        Predicate::And(children) | Predicate::Or(children) => {
            for child in children {
                collect_fields(child, fields);
            }
        }
    }
}

fn evaluate<'a>(
    predicate: &Predicate,
    rows: usize,
    column: &dyn Fn(i32) -> Option<&'a ArrayRef>,
) -> Result<BooleanBuffer, FilterError> {
    let read = |field: i32| column(field).ok_or(FilterError::MissingColumn(field));
    match predicate {
        Predicate::Constant(value) => Ok(constant(*value, rows)),
        Predicate::IsNull { field } => Ok(comparison::is_null(read(*field)?)),
        Predicate::NotNull { field } => Ok(comparison::is_null(read(*field)?).not()),
        Predicate::Compare {
            comparison,
            field,
            literal,
        } => comparison::compare(read(*field)?, *field, *comparison, literal),
        Predicate::In { field, values } => comparison::is_in(read(*field)?, *field, values),
        Predicate::Not(child) => Ok(evaluate(child, rows, column)?.not()),
        Predicate::And(children) => {
            let mut kept = constant(true, rows);
            for child in children {
                kept = kept.bitand(&evaluate(child, rows, column)?);
                if kept.count_set_bits() == 0 {
                    break;
                }
            }
            Ok(kept)
        }
        Predicate::Or(children) => {
            let mut kept = constant(false, rows);
            for child in children {
                kept = kept.bitor(&evaluate(child, rows, column)?);
                if kept.count_set_bits() == rows {
                    break;
                }
            }
            Ok(kept)
        }
    }
}

fn constant(value: bool, rows: usize) -> BooleanBuffer {
    if value {
        BooleanBuffer::new_set(rows)
    } else {
        BooleanBuffer::new_unset(rows)
    }
}
