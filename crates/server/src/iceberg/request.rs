// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests of the protocol that are refused as malformed.

use lakeward_iceberg_api::request::RequestError;
use lakeward_operations::OperationError;
use lakeward_operations::error::Mistake;

/// The error of a malformed request.
pub(super) fn refuse(error: RequestError) -> OperationError {
    let mistake = match &error {
        RequestError::Namespace { .. } => Mistake::Namespace,
        RequestError::Body(_) | RequestError::Parameter { .. } => Mistake::Argument,
    };
    OperationError::mistake(mistake, error.to_string())
}
