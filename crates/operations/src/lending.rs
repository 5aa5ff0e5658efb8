// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Credentials outlive what they were given out for: nobody can take them back. So the store knows, before a credential leaves,
//! until when somebody may reach a place by one, and a place whose table or fileset was dropped goes to nothing else until then.

use lakeward_catalog::storage_delegation::TemporaryCredential;
use lakeward_metadata::id::ObjectId;

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;

/// How much the clocks of token service, database and nodes may differ, in milliseconds.
const SKEW: i64 = 5 * 60 * 1_000;

impl Operations {
    /// Notes that a credential for canonical locations of `holder` is about to be given out; `None` for a table that does not
    /// exist yet. A credential that is given again costs nothing.
    ///
    /// # Errors
    /// [`OperationError::Moved`] where the holder is gone by now: its end has noted nothing of this credential. What the store
    /// reports; then the credential must not leave.
    pub(crate) async fn lend(
        &self,
        call: &Call,
        holder: Option<ObjectId>,
        locations: &[String],
        credential: &TemporaryCredential,
    ) -> Result<(), OperationError> {
        let ends_at = credential.expires_at.saturating_add(SKEW);
        let noted = &self.caches().lent;
        let is_noted = |location| noted.get(location).is_some_and(|noted| noted >= ends_at);
        if locations.iter().all(is_noted) {
            return Ok(());
        }
        // While it is open nothing of the metalake is dropped.
        let mut write = self.write_on(call, &[]).await?;
        if let Some(holder) = holder
            && write.object(holder).await?.is_none()
        {
            return Err(OperationError::Moved);
        }
        for location in locations {
            write.lend_location(location, ends_at).await?;
        }
        write.commit().await?;
        for location in locations {
            noted.insert(location.clone(), ends_at);
        }
        Ok(())
    }
}
