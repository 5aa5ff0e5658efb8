// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `sha-256-global`: the digest of the value alone, equal in every query.

use arrow::array::ArrayRef;

use super::MaskError;
use super::digest::hash;

pub(super) fn apply(array: &ArrayRef) -> Result<ArrayRef, MaskError> {
    hash(array, &[])
}
