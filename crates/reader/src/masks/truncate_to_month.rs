// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `truncate-to-month`: the first of the same month, at midnight.

use arrow::array::ArrayRef;

use super::MaskError;
use super::calendar::{Period, truncate};

pub(super) fn apply(array: &ArrayRef) -> Result<ArrayRef, MaskError> {
    truncate(array, Period::Month)
}
