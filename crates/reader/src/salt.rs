// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The salt of one query.

use lakeward_read_restrictions::action::QuerySalt;
use rand::TryRngCore as _;
use rand::rngs::OsRng;

use crate::error::ReaderError;

/// Twice the least length that the language asks for.
const SALT_BYTES: usize = 32;

/// Fresh random bytes from the operating system for one query, so that hashes of `sha-256-query-local` can be joined
/// within it and compared with nothing outside. A salt is never sent, stored or shown.
///
/// # Errors
/// [`ReaderError::NoRandomness`] when the system gives none.
pub fn random_salt() -> Result<QuerySalt, ReaderError> {
    let mut bytes = vec![0_u8; SALT_BYTES];
    OsRng
        .try_fill_bytes(&mut bytes)
        .map_err(|cause| ReaderError::NoRandomness(cause.to_string()))?;
    QuerySalt::new(bytes).map_err(|cause| ReaderError::NoRandomness(cause.to_string()))
}
