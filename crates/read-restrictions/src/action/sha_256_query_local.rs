// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `sha-256-query-local`.

use super::sha_256_global::digest;
use super::{MaskAction, QuerySalt};
use crate::error::ReaderError;
use crate::value::Value;

/// The digest of the query's salt followed by the value; null stays null, but needs the salt all the same, so that a
/// missing one never depends on the data.
pub(super) fn apply(value: &Value, salt: Option<&QuerySalt>) -> Result<Value, ReaderError> {
    let salt = salt.ok_or(ReaderError::SaltMissing)?;
    digest(MaskAction::Sha256QueryLocal, salt.as_bytes(), value)
}
