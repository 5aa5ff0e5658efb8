// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `mask-alphanum`: digits become `n`, `( ) , . - @` stay, everything else becomes `x`.

use arrow::array::ArrayRef;

use super::MaskError;
use super::text::{Kept, redact};

pub(super) fn apply(array: &ArrayRef) -> Result<ArrayRef, MaskError> {
    redact(array, Kept::Nothing)
}
