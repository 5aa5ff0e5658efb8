// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `truncate-to-month`.

use super::MaskAction;
use super::truncate_to_year::truncate;
use crate::error::ReaderError;
use crate::temporal::{civil_from_days, days_from_civil};
use crate::value::Value;

/// The first of the month, midnight; null stays null.
pub(super) fn apply(value: &Value) -> Result<Value, ReaderError> {
    truncate(MaskAction::TruncateToMonth, value, |days| {
        let (year, month, _) = civil_from_days(days);
        days_from_civil(year, month, 1)
    })
}
