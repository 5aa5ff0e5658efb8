// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Files of dropped tables that were restricted.

use lakeward_authorization::{Requirement, authorize};
use lakeward_metadata::kind::ObjectKind;

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::widening::Force;

impl Operations {
    /// Lets a location be used again where a restricted table was dropped, if the owner of the metalake means it.
    ///
    /// # Errors
    /// [`OperationError::WouldWiden`], [`OperationError::Forbidden`]; what the store reports.
    pub(crate) async fn reclaim_location(
        &self,
        call: &Call,
        location: &str,
        force: Force,
    ) -> Result<(), OperationError> {
        let mut snapshot = self.store().snapshot().await?;
        if !snapshot.is_ended_location(location).await? {
            return Ok(());
        }
        drop(snapshot);
        let owns = authorize(
            &Requirement::Owner(ObjectKind::Metalake),
            (),
            call.facts.target(),
            call.facts.grants(),
        );
        if owns.is_err() {
            return Err(OperationError::Forbidden(
                "the files are those of a dropped table that had read restrictions; only the owner of the metalake may \
                 make a table of them"
                    .to_owned(),
            ));
        }
        if force == Force::Ask {
            return Err(OperationError::WouldWiden(
                "the files are those of a dropped table that had read restrictions, and the tags that restricted it are \
                 gone; to register it without them, repeat the request with `?force=true`, then tag it again"
                    .to_owned(),
            ));
        }
        tracing::info!(
            target: "audit",
            user = call.user(),
            request_id = %call.caller.request_id,
            location,
            "the files of a dropped restricted table become a table again"
        );
        self.forget_location(location).await
    }

    /// Forgets that restricted tables ended at a location.
    ///
    /// # Errors
    /// What the store reports.
    pub(crate) async fn forget_location(&self, location: &str) -> Result<(), OperationError> {
        let mut write = self.store().write_uncounted().await?;
        write.forget_ended_locations(location).await?;
        Ok(write.commit().await?)
    }
}
