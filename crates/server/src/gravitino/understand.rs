// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! From a request body to the value that an operation takes.

use lakeward_gravitino_api::request::RequestError;
use lakeward_operations::OperationError;
use lakeward_operations::error::Mistake;

/// Turns a body into what it means.
///
/// # Errors
/// [`OperationError::Invalid`] naming the member that is wrong and why.
pub fn understand<R, T>(body: R) -> Result<T, OperationError>
where
    T: TryFrom<R, Error = RequestError>,
{
    T::try_from(body).map_err(misunderstood)
}

/// The error of a body that was not understood.
pub fn misunderstood(error: RequestError) -> OperationError {
    let mistake = match &error {
        RequestError::Privilege(_) => Mistake::Privilege,
        RequestError::Empty
        | RequestError::Malformed(_)
        | RequestError::Missing(_)
        | RequestError::Invalid { .. }
        | RequestError::Name(_) => Mistake::Argument,
    };
    OperationError::mistake(mistake, error.to_string())
}
