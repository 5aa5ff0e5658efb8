// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Pushing users.

use lakeward_authorization::Authorized;
use lakeward_metadata::directory::{DirectoryUser, name_key};
use lakeward_metadata::principal::PrincipalKind::User;
use lakeward_store::{DirectoryKey, Write};

use super::list::{DirectoryEntry, entry};
use super::{claim_name, leave_name, refused_by_store, taken};
use crate::Operations;
use crate::caller::Call;
use crate::error::{Noun, OperationError};
use crate::named::TheServer;

impl Operations {
    /// Adds a user.
    ///
    /// # Errors
    /// `uniqueness` when the name or the external id is taken, or the name was another's and may not be inherited; what the
    /// store reports.
    pub async fn create_directory_user(
        &self,
        call: &Call,
        _server: Authorized<TheServer>,
        user: &DirectoryUser,
    ) -> Result<DirectoryEntry<DirectoryUser>, OperationError> {
        let id = uuid::Uuid::now_v7().to_string();
        let mut write = self.write_server(call).await?;
        check_free(&mut write, &id, user).await?;
        claim_name(&mut write, User, &user.name, &id, user.external_id.as_deref()).await?;
        write
            .add_directory_user(&id, user)
            .await
            .map_err(refused_by_store)?;
        let made = entry(&mut write, &id).await?;
        write.commit().await?;
        Ok(made)
    }

    /// Makes a user what `change` makes of it; what stays as it is keeps its version.
    ///
    /// # Errors
    /// [`OperationError::NotFound`]; those of `change`; as [`Self::create_directory_user`].
    pub async fn change_directory_user(
        &self,
        call: &Call,
        _server: Authorized<TheServer>,
        id: &str,
        change: impl FnOnce(&DirectoryEntry<DirectoryUser>) -> Result<DirectoryUser, OperationError> + Send,
    ) -> Result<DirectoryEntry<DirectoryUser>, OperationError> {
        let mut write = self.write_server(call).await?;
        let before = entry(&mut write, id).await?;
        let user = change(&before)?;
        let old = &before.row.content;
        if user == *old {
            return Ok(before);
        }
        check_free(&mut write, id, &user).await?;
        if name_key(&user.name) != name_key(&old.name) {
            claim_name(&mut write, User, &user.name, id, user.external_id.as_deref()).await?;
            leave_name(&mut write, User, &old.name, id, old.external_id.as_deref()).await?;
        }
        write
            .alter_directory_user(id, &user)
            .await
            .map_err(refused_by_store)?;
        let changed = entry(&mut write, id).await?;
        write.commit().await?;
        Ok(changed)
    }

    /// Removes a user, if `check` agrees. Whoever comes with its name is refused from then on.
    ///
    /// # Errors
    /// [`OperationError::NotFound`]; those of `check`; what the store reports.
    pub async fn remove_directory_user(
        &self,
        call: &Call,
        _server: Authorized<TheServer>,
        id: &str,
        check: impl FnOnce(i64) -> Result<(), OperationError> + Send,
    ) -> Result<(), OperationError> {
        let mut write = self.write_server(call).await?;
        let known = write.directory_user(DirectoryKey::Id(id)).await?;
        let known = known.ok_or_else(|| OperationError::not_found(Noun::Thing("directory user"), id))?;
        check(known.version)?;
        write.remove_directory_user(id).await?;
        Ok(write.commit().await?)
    }
}

/// Refuses a name or an external id that another user has.
async fn check_free(write: &mut Write, id: &str, user: &DirectoryUser) -> Result<(), OperationError> {
    let named = write.directory_user(DirectoryKey::Name(&user.name)).await?;
    if named.is_some_and(|other| other.id != id) {
        return Err(taken("userName", &user.name));
    }
    let Some(external_id) = &user.external_id else {
        return Ok(());
    };
    let of_id = write
        .directory_user(DirectoryKey::ExternalId(external_id))
        .await?;
    if of_id.is_some_and(|other| other.id != id) {
        return Err(taken("externalId", external_id));
    }
    Ok(())
}
