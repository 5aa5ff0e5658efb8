// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The nine mask actions as Arrow kernels.
//!
//! One file per action; what several share lies beside them (`text`, `calendar`, `digest`). Each kernel equals the
//! one-value reference of `lakeward-read-restrictions` under property tests.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "types, operators and statements are open sets of other crates; what has no meaning here is refused"
)]

mod calendar;
mod digest;
mod mask_alphanum;
mod mask_to_fixed_value;
mod replace_with_null;
mod sha_256_global;
mod sha_256_query_local;
mod show_first_4;
mod show_last_4;
mod text;
mod truncate_to_month;
mod truncate_to_year;

#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::{cast, take};
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use lakeward_read_restrictions::action::{MaskAction, QuerySalt};

/// Why a column could not be masked. The query fails; no row is returned.
#[derive(Debug, thiserror::Error)]
pub enum MaskError {
    /// The action has no meaning for arrays of this type. The restrictions were checked against the schema before,
    /// so the file does not hold what the schema says.
    #[error("a column of Arrow type `{0}` cannot be masked this way")]
    Unsuited(String),
    /// The masked value does not fit the column, as when a nanosecond timestamp of September 1677 is cut to its
    /// year.
    #[error("a masked value is out of the range of its column")]
    OutOfRange,
    /// Arrow could not build the result.
    #[error("a masked column could not be built: {0}")]
    Arrow(#[from] ArrowError),
}

impl MaskError {
    fn unsuited(data_type: &DataType) -> Self {
        Self::Unsuited(data_type.to_string())
    }
}

/// Rows of a batch, as the engine cuts them unless it is told otherwise.
const USUAL_ROWS: usize = 8192;

/// A dictionary with more values than this for each row that refers to it is not masked as a whole.
const VALUES_PER_ROW: usize = 8;

/// The dictionary of a column that was masked last. Of use to one mask on one column only.
#[derive(Debug, Default)]
pub struct MaskedValues {
    last: Option<(ArrayRef, ArrayRef)>,
}

impl MaskedValues {
    fn of(&self, values: &ArrayRef) -> Option<ArrayRef> {
        let (original, masked) = self.last.as_ref()?;
        // The original is kept, so that no other values can come to lie where they lay.
        Arc::ptr_eq(original, values).then(|| Arc::clone(masked))
    }

    fn remember(&mut self, values: &ArrayRef, masked: ArrayRef) -> ArrayRef {
        self.last = Some((Arc::clone(values), Arc::clone(&masked)));
        masked
    }
}

/// One mask, ready to run on batches of one column.
#[derive(Debug, Clone)]
pub struct Mask {
    action: MaskAction,
    data_type: DataType,
    /// Rows of an action that does not read the original, made once and shown in part.
    constant: OnceLock<ArrayRef>,
}

impl Mask {
    /// A mask whose result has `data_type`, the column's Arrow type in the table's schema.
    pub fn new(action: MaskAction, data_type: DataType) -> Self {
        Self {
            action,
            data_type,
            constant: OnceLock::new(),
        }
    }

    /// The action.
    pub fn action(&self) -> MaskAction {
        self.action
    }

    /// Whether the result depends on the original. Where it does not, the column is never read from storage.
    pub fn reads_column(&self) -> bool {
        match self.action {
            MaskAction::MaskToFixedValue | MaskAction::ReplaceWithNull => false,
            MaskAction::MaskAlphanum
            | MaskAction::ShowFirst4
            | MaskAction::ShowLast4
            | MaskAction::TruncateToYear
            | MaskAction::TruncateToMonth
            | MaskAction::Sha256Global
            | MaskAction::Sha256QueryLocal => true,
        }
    }

    /// The masked column for `rows` rows of an action that does not read the original; `None` for the others.
    ///
    /// # Errors
    /// [`MaskError`] when the type has no fixed value.
    pub fn constant(&self, rows: usize) -> Result<Option<ArrayRef>, MaskError> {
        if self.reads_column() {
            return Ok(None);
        }
        let known = match self.constant.get() {
            Some(known) => Arc::clone(known),
            None => {
                let made = self.same_in_every_row(rows.max(USUAL_ROWS))?;
                Arc::clone(self.constant.get_or_init(|| made))
            }
        };
        if rows <= known.len() {
            return Ok(Some(known.slice(0, rows)));
        }
        self.same_in_every_row(rows).map(Some)
    }

    fn same_in_every_row(&self, rows: usize) -> Result<ArrayRef, MaskError> {
        match self.action {
            MaskAction::MaskToFixedValue => mask_to_fixed_value::apply(&self.data_type, rows),
            MaskAction::ReplaceWithNull => Ok(replace_with_null::apply(&self.data_type, rows)),
            MaskAction::MaskAlphanum
            | MaskAction::ShowFirst4
            | MaskAction::ShowLast4
            | MaskAction::TruncateToYear
            | MaskAction::TruncateToMonth
            | MaskAction::Sha256Global
            | MaskAction::Sha256QueryLocal => Err(MaskError::unsuited(&self.data_type)),
        }
    }

    /// Masks a column of original values.
    ///
    /// Values of a dictionary are masked once each, however many rows refer to them, and not again when the next batch
    /// has the same dictionary, which `masked` remembers.
    ///
    /// # Errors
    /// [`MaskError`]; nothing of the column may then be returned.
    pub fn apply(
        &self,
        original: &ArrayRef,
        salt: &QuerySalt,
        masked: &mut MaskedValues,
    ) -> Result<ArrayRef, MaskError> {
        let result = match original.as_any_dictionary_opt() {
            Some(dictionary) if self.reads_column() => {
                let values = dictionary.values();
                if masked.of(values).is_none() && values.len() / VALUES_PER_ROW > original.len() {
                    let plain = take(values, dictionary.keys(), None)?;
                    self.apply_plain(&plain, salt)?
                } else {
                    let values = match masked.of(values) {
                        Some(known) => known,
                        None => masked.remember(values, self.apply_plain(values, salt)?),
                    };
                    dictionary.with_values(values)
                }
            }
            _ => match original.data_type() {
                DataType::RunEndEncoded(_, values) => {
                    self.apply_plain(&cast(original, values.data_type())?, salt)?
                }
                _ => self.apply_plain(original, salt)?,
            },
        };
        if result.data_type() == &self.data_type {
            return Ok(result);
        }
        Ok(cast(&result, &self.data_type)?)
    }

    fn apply_plain(&self, original: &ArrayRef, salt: &QuerySalt) -> Result<ArrayRef, MaskError> {
        match self.action {
            MaskAction::MaskAlphanum => mask_alphanum::apply(original),
            MaskAction::ShowFirst4 => show_first_4::apply(original),
            MaskAction::ShowLast4 => show_last_4::apply(original),
            MaskAction::TruncateToYear => truncate_to_year::apply(original),
            MaskAction::TruncateToMonth => truncate_to_month::apply(original),
            MaskAction::Sha256Global => sha_256_global::apply(original),
            MaskAction::Sha256QueryLocal => sha_256_query_local::apply(original, salt),
            MaskAction::MaskToFixedValue | MaskAction::ReplaceWithNull => {
                self.same_in_every_row(original.len())
            }
        }
    }
}
