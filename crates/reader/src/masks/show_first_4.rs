// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `show-first-4`: the first four code points stay, the rest is redacted as by `mask-alphanum`.

use arrow::array::ArrayRef;

use super::MaskError;
use super::text::{Kept, redact};

pub(super) fn apply(array: &ArrayRef) -> Result<ArrayRef, MaskError> {
    redact(array, Kept::First(4))
}
