// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! From a request body to the value that an operation takes.

use lakeward_gravitino_api::request::RequestError;
use lakeward_operations::OperationError;

use super::body_error::body_error;

/// Turns a body into what it means.
///
/// # Errors
/// [`OperationError::Invalid`] naming the member that is wrong and why.
pub fn understand<R, T>(body: R) -> Result<T, OperationError>
where
    T: TryFrom<R, Error = RequestError>,
{
    T::try_from(body).map_err(body_error)
}
