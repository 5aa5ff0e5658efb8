// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Groups of a metalake. Who belongs to one comes with each identity and is not kept here.

use lakeward_authorization::{Authorized, Visibility};
use lakeward_metadata::audit::Audit;
use lakeward_metadata::id::{GroupId, ObjectId};
use lakeward_metadata::principal::{Principal, PrincipalKind};
use lakeward_store::{Area, GroupRow, NewGroup, Snapshot};

use crate::Operations;
use crate::caller::Call;
use crate::error::{Noun, OperationError};
use crate::paths::{MetalakePath, PrincipalPath};
use crate::user::{check_names, refuse_owner_of_metalake};

/// A group as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its identity.
    pub id: GroupId,
    /// The exact name.
    pub name: String,
    /// The id that an identity system gave.
    pub external_id: Option<String>,
    /// Who added and changed it.
    pub audit: Audit,
    /// The names of the roles it holds, in their order.
    pub roles: Vec<String>,
}

impl Group {
    pub(crate) fn new(row: GroupRow, roles: Vec<String>) -> Self {
        Self {
            id: row.id,
            name: row.name,
            external_id: row.external_id,
            audit: row.audit,
            roles,
        }
    }
}

impl Operations {
    /// The names of the groups that may be shown, in their order.
    ///
    /// # Errors
    /// What [`Self::list_groups`] reports.
    pub async fn list_group_names(
        &self,
        call: &Call,
        _metalake: Authorized<MetalakePath>,
        shown: &Visibility,
    ) -> Result<Vec<String>, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        let rows = self.read(&call.facts).await?.groups(metalake).await?;
        Ok(shown_groups(rows, shown).map(|row| row.name).collect())
    }

    /// The groups that may be shown, in the order of their names.
    ///
    /// # Errors
    /// [`OperationError::Unsupported`] without authorization, [`OperationError::Disabled`] in a disabled metalake.
    pub async fn list_groups(
        &self,
        call: &Call,
        _metalake: Authorized<MetalakePath>,
        shown: &Visibility,
    ) -> Result<Vec<Group>, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        let mut snapshot = self.read(&call.facts).await?;
        let rows = snapshot.groups(metalake).await?;
        let mut roles = snapshot.roles_of_groups(metalake).await?;
        let with_roles = |row: GroupRow| {
            let roles = roles.remove(&row.id).unwrap_or_default();
            Group::new(row, roles)
        };
        Ok(shown_groups(rows, shown).map(with_roles).collect())
    }

    /// One group.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], and as [`Self::list_groups`].
    pub async fn load_group(
        &self,
        call: &Call,
        group: Authorized<PrincipalPath>,
    ) -> Result<Group, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        let mut snapshot = self.read(&call.facts).await?;
        let row = existing_group(&mut snapshot, metalake, &group.principal.name).await?;
        let roles = snapshot.roles_of_group(row.id).await?;
        Ok(Group::new(row, roles))
    }

    /// Adds a group.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`] when its name or its external id is taken, and as [`Self::list_groups`].
    pub async fn add_group(
        &self,
        call: &Call,
        _metalake: Authorized<MetalakePath>,
        new: NewGroup,
    ) -> Result<Group, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        check_names(&new.name, new.external_id.as_deref())?;
        let mut write = self.write(call, &[Area::Identities]).await?;
        let taken = write.groups(metalake).await?.into_iter().any(|row| {
            row.name == new.name || (new.external_id.is_some() && row.external_id == new.external_id)
        });
        if taken {
            return Err(OperationError::already_exists(Noun::Group, &new.name));
        }
        let row = write.add_group(&new).await?;
        write.commit().await?;
        Ok(Group::new(row, Vec::new()))
    }

    /// Removes a group: its roles are gone, and what it owned has no owner. Gives whether there was one.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] for the owner of the metalake, and as [`Self::list_groups`].
    pub async fn remove_group(
        &self,
        call: &Call,
        group: Authorized<PrincipalPath>,
    ) -> Result<bool, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        let mut write = self.write(call, &Area::OF_METALAKE).await?;
        refuse_owner_of_metalake(&mut write, metalake, &group.principal).await?;
        let removed = write.remove_group(&group.principal.name).await?;
        write.commit().await?;
        Ok(removed)
    }
}

/// A group that must exist.
pub(crate) async fn existing_group(
    snapshot: &mut Snapshot,
    metalake: ObjectId,
    name: &str,
) -> Result<GroupRow, OperationError> {
    let row = snapshot.group(metalake, name).await?;
    row.ok_or_else(|| OperationError::not_found(Noun::Group, name))
}

fn shown_groups(rows: Vec<GroupRow>, shown: &Visibility) -> impl Iterator<Item = GroupRow> {
    rows.into_iter().filter(|row| {
        shown.shows_principal(&Principal {
            kind: PrincipalKind::Group,
            name: row.name.clone(),
        })
    })
}
