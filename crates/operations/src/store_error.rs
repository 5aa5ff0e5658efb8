// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Failures of the store that an operation did not expect. What it does expect (a taken name, a missing row) it must
//! tell apart before, by [`StoreError::is_unique`] and [`StoreError::is_missing`].

use lakeward_store::{Class, StoreError};

use crate::error::OperationError;

impl From<StoreError> for OperationError {
    fn from(error: StoreError) -> Self {
        if is_broken_commit(&error) {
            return Self::UnknownOutcome {
                message: "the store broke off while the change was committed; look whether it was made"
                    .to_owned(),
                detail: error.to_string(),
            };
        }
        if error.is_transient() {
            return Self::Unavailable {
                message: "the store is busy or cannot be reached; nothing was changed, try again".to_owned(),
                detail: error.to_string(),
            };
        }
        Self::internal(error)
    }
}

/// Whether the connection was lost while a change was committed: then nobody may say that nothing was changed.
pub(crate) fn is_broken_commit(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Database {
            statement: "commit",
            class: Class::Unavailable,
            ..
        }
    )
}
