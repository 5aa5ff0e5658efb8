// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `sha-256-query-local`: the digest of the query's salt followed by the value, equal within one query only.

use arrow::array::ArrayRef;

use super::MaskError;
use super::digest::hash;
use lakeward_read_restrictions::action::QuerySalt;

pub(super) fn apply(array: &ArrayRef, salt: &QuerySalt) -> Result<ArrayRef, MaskError> {
    hash(array, salt.as_bytes())
}
