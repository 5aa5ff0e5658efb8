// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Pushing groups.

use lakeward_authorization::Authorized;
use lakeward_metadata::directory::{DirectoryGroup, name_key};
use lakeward_metadata::principal::PrincipalKind::Group;
use lakeward_store::{DirectoryKey, Write};

use super::list::{DirectoryEntry, entry};
use super::{claim_name, leave_name, refused_by_store, taken};
use crate::Operations;
use crate::caller::Call;
use crate::error::{Noun, OperationError};
use crate::named::TheServer;

impl Operations {
    /// Adds a group.
    ///
    /// # Errors
    /// `uniqueness` when the name or the external id is taken, or the name was another's and may not be inherited; `invalidValue` for a member that does not exist; what the
    /// store reports.
    pub async fn create_directory_group(
        &self,
        call: &Call,
        _server: Authorized<TheServer>,
        group: &DirectoryGroup,
    ) -> Result<DirectoryEntry<DirectoryGroup>, OperationError> {
        let id = uuid::Uuid::now_v7().to_string();
        let mut write = self.write_server(call).await?;
        check_free(&mut write, &id, group).await?;
        claim_name(&mut write, Group, &group.name, &id, group.external_id.as_deref()).await?;
        write
            .add_directory_group(&id, group)
            .await
            .map_err(refused_by_store)?;
        let made = entry(&mut write, &id).await?;
        write.commit().await?;
        Ok(made)
    }

    /// Makes a group what `change` makes of it; what stays as it is keeps its version.
    ///
    /// # Errors
    /// [`OperationError::NotFound`]; those of `change`; as [`Self::create_directory_group`].
    pub async fn change_directory_group(
        &self,
        call: &Call,
        _server: Authorized<TheServer>,
        id: &str,
        change: impl FnOnce(&DirectoryEntry<DirectoryGroup>) -> Result<DirectoryGroup, OperationError> + Send,
    ) -> Result<DirectoryEntry<DirectoryGroup>, OperationError> {
        let mut write = self.write_server(call).await?;
        let before = entry(&mut write, id).await?;
        let group = change(&before)?;
        let old = &before.row.content;
        if group == *old {
            return Ok(before);
        }
        check_free(&mut write, id, &group).await?;
        if name_key(&group.name) != name_key(&old.name) {
            claim_name(&mut write, Group, &group.name, id, group.external_id.as_deref()).await?;
            leave_name(&mut write, Group, &old.name, id, old.external_id.as_deref()).await?;
        }
        write
            .alter_directory_group(id, &group)
            .await
            .map_err(refused_by_store)?;
        let changed = entry(&mut write, id).await?;
        write.commit().await?;
        Ok(changed)
    }

    /// Removes a group, if `check` agrees. Its members lose what it gave them with their next request.
    ///
    /// # Errors
    /// [`OperationError::NotFound`]; those of `check`; what the store reports.
    pub async fn remove_directory_group(
        &self,
        call: &Call,
        _server: Authorized<TheServer>,
        id: &str,
        check: impl FnOnce(i64) -> Result<(), OperationError> + Send,
    ) -> Result<(), OperationError> {
        let mut write = self.write_server(call).await?;
        let known = write.directory_group(DirectoryKey::Id(id)).await?;
        let known = known.ok_or_else(|| OperationError::not_found(Noun::Thing("directory group"), id))?;
        check(known.version)?;
        write.remove_directory_group(id).await?;
        Ok(write.commit().await?)
    }
}

/// Refuses a name or an external id that another group has.
async fn check_free(write: &mut Write, id: &str, group: &DirectoryGroup) -> Result<(), OperationError> {
    let named = write.directory_group(DirectoryKey::Name(&group.name)).await?;
    if named.is_some_and(|other| other.id != id) {
        return Err(taken("displayName", &group.name));
    }
    let Some(external_id) = &group.external_id else {
        return Ok(());
    };
    let of_id = write
        .directory_group(DirectoryKey::ExternalId(external_id))
        .await?;
    if of_id.is_some_and(|other| other.id != id) {
        return Err(taken("externalId", external_id));
    }
    Ok(())
}
