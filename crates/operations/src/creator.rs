// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Whoever creates an object owns it.

use lakeward_authorization::grants::Mode;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::principal::{Principal, PrincipalKind};
use lakeward_store::Write;

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;

impl Operations {
    /// Makes the caller the owner of an object that this write created. While authorization is off there are no
    /// owners, as in the original.
    ///
    /// # Errors
    /// What the store reports; a caller who is no longer a user of the metalake loses the race and creates nothing.
    pub(crate) async fn make_creator_own(
        &self,
        write: &mut Write,
        object: ObjectId,
        call: &Call,
    ) -> Result<(), OperationError> {
        if self.settings().mode == Mode::Off {
            return Ok(());
        }
        let creator = Principal {
            kind: PrincipalKind::User,
            name: call.user().to_owned(),
        };
        match write.set_owner(object, &creator).await {
            Err(error) if error.is_missing() => Err(OperationError::Forbidden(format!(
                "user `{}` is not a user of the metalake any more; nothing was created",
                call.user()
            ))),
            other => Ok(other?),
        }
    }
}
