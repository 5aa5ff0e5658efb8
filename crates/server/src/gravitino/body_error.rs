// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a malformed body is, in the words of operations.

use lakeward_authorization::securable_object::IllegalPrivilege;
use lakeward_gravitino_api::request::RequestError;
use lakeward_operations::OperationError;
use lakeward_operations::error::Mistake;

/// The operation error of a body that was read and then refused.
pub(crate) fn body_error(error: RequestError) -> OperationError {
    let mistake = match &error {
        RequestError::Privilege(
            IllegalPrivilege::NotBindable { .. } | IllegalPrivilege::Contradiction { .. },
        ) => Mistake::Privilege,
        RequestError::StatisticName(_) => Mistake::StatisticName,
        RequestError::Privilege(IllegalPrivilege::Empty(_))
        | RequestError::Empty
        | RequestError::Malformed(_)
        | RequestError::Missing(_)
        | RequestError::Invalid { .. }
        | RequestError::Name(_) => Mistake::Argument,
    };
    OperationError::mistake(mistake, error.to_string())
}
