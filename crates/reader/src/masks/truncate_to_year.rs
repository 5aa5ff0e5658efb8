// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `truncate-to-year`: 1 January of the same year, at midnight.

use arrow::array::ArrayRef;

use super::MaskError;
use super::calendar::{Period, truncate};

pub(super) fn apply(array: &ArrayRef) -> Result<ArrayRef, MaskError> {
    truncate(array, Period::Year)
}
