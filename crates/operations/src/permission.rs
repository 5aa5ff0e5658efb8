// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who holds a role, and what a role grants.

use lakeward_authorization::Authorized;
use lakeward_authorization::role::Role;
use lakeward_authorization::securable_object::{ConditionedPrivilege, IllegalPrivilege, SecurableObject};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_store::{Area, ObjectChange, ObjectRow, Write};

use crate::Operations;
use crate::caller::Call;
use crate::error::{Mistake, OperationError};
use crate::group::{Group, existing_group};
use crate::named::{Named, Names};
use crate::paths::{ObjectPath, PrincipalPath};
use crate::role::{bind, check_contents, check_object, existing_role, with_contents};
use crate::user::{User, existing_user};

/// An object and the role whose privileges on it change. The requirement speaks of the object: the role needs no
/// right of its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PrivilegesPath {
    /// The metalake.
    pub metalake: String,
    /// The name of the role.
    pub role: String,
    /// The object.
    pub object: MetadataObject,
}

impl Names for PrivilegesPath {
    fn named(&self) -> Named {
        Named::object(&self.metalake, self.object.clone())
    }
}

/// Whether something is given or taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// Given; what is held already is no error.
    Give,
    /// Taken; what is not held is no error.
    Take,
}

impl Operations {
    /// Gives roles to a user, or takes them.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the user; [`OperationError::Invalid`] for a role that does not exist, with
    /// nothing changed; [`OperationError::Unsupported`] without authorization; [`OperationError::Disabled`] in a
    /// disabled metalake.
    pub async fn change_roles_of_user(
        &self,
        call: &Call,
        user: Authorized<PrincipalPath>,
        grant: Grant,
        names: &[String],
    ) -> Result<User, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        let areas = [Area::Identities, Area::Grants];
        let mut write = self.write(call, &areas).await?;
        let row = existing_user(&mut write, metalake, &user.principal.name).await?;
        change_roles(&mut write, &user, grant, names).await?;
        // The change of roles shows as a change of the user.
        let row = write
            .alter_user(&row.name, row.external_id.as_deref(), row.is_enabled)
            .await?;
        let roles = write.roles_of_user(row.id).await?;
        write.commit().await?;
        Ok(User::new(row, roles))
    }

    /// Gives roles to a group, or takes them.
    ///
    /// # Errors
    /// As [`Self::change_roles_of_user`].
    pub async fn change_roles_of_group(
        &self,
        call: &Call,
        group: Authorized<PrincipalPath>,
        grant: Grant,
        names: &[String],
    ) -> Result<Group, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        let areas = [Area::Identities, Area::Grants];
        let mut write = self.write(call, &areas).await?;
        existing_group(&mut write, metalake, &group.principal.name).await?;
        change_roles(&mut write, &group, grant, names).await?;
        let row = write.touch_group(&group.principal.name).await?;
        let roles = write.roles_of_group(row.id).await?;
        write.commit().await?;
        Ok(Group::new(row, roles))
    }

    /// Adds privileges on one object to a role.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the role; [`OperationError::Invalid`] for privileges that do not bind there or
    /// stand there with the opposite condition; and as [`Self::change_roles_of_user`].
    pub async fn grant_privileges(
        &self,
        call: &Call,
        path: Authorized<PrivilegesPath>,
        privileges: Vec<ConditionedPrivilege>,
    ) -> Result<Role, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        check_object(&path.metalake, &path.object)?;
        self.meet_named(call, &path.metalake, std::iter::once(&path.object))
            .await?;
        let mut write = self.write(call, &[Area::Grants]).await?;
        let role = existing_role(&mut write, metalake, &path.role).await?;
        let given = SecurableObject::new(path.object.clone(), privileges.clone()).map_err(illegal)?;
        let bound = bind(&mut write, call, &path.metalake, &given).await?;
        let held = write.role_objects(role.id).await?;
        let held = held.into_iter().find(|held| {
            held.object_id == bound && (bound.is_some() || *held.securable.object() == path.object)
        });
        let merged = match held {
            Some(held) => held.securable.with(&privileges).map_err(illegal)?,
            None => given,
        };
        write.put_role_object(role.id, bound, &merged).await?;
        finish(write, role).await
    }

    /// Takes privileges on one object from a role: exact pairs of privilege and condition.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the role; [`OperationError::Invalid`] for privileges that do not bind there,
    /// unless the role has them from before there was such an object; and as [`Self::change_roles_of_user`].
    pub async fn revoke_privileges(
        &self,
        call: &Call,
        path: Authorized<PrivilegesPath>,
        privileges: &[ConditionedPrivilege],
    ) -> Result<Role, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        check_object(&path.metalake, &path.object)?;
        let mut write = self.write(call, &[Area::Grants]).await?;
        let role = existing_role(&mut write, metalake, &path.role).await?;
        SecurableObject::new(path.object.clone(), privileges.to_vec()).map_err(illegal)?;
        // One bound to the object, and one that was granted under this name before there was such an object.
        let mut named = write.role_objects(role.id).await?;
        named.retain(|held| *held.securable.object() == path.object);
        let is_held = |pair: &ConditionedPrivilege| named.iter().any(|held| held.securable.has(*pair));
        let not_held: Vec<_> = privileges.iter().copied().filter(|pair| !is_held(pair)).collect();
        if !not_held.is_empty() {
            let asked = SecurableObject::new(path.object.clone(), not_held).map_err(illegal)?;
            bind(&mut write, call, &path.metalake, &asked).await?;
        }
        for held in named {
            match held.securable.without(privileges) {
                Some(left) => write.put_role_object(role.id, held.object_id, &left).await?,
                None => {
                    write
                        .remove_role_object(role.id, held.object_id, &path.object)
                        .await?;
                }
            }
        }
        finish(write, role).await
    }

    /// Makes a role say exactly this.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the role; [`OperationError::Invalid`] for what no role may say, and as
    /// [`Self::change_roles_of_user`].
    pub async fn override_privileges(
        &self,
        call: &Call,
        path: Authorized<ObjectPath>,
        objects: &[SecurableObject],
    ) -> Result<Role, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        check_contents(&path.metalake, objects)?;
        self.meet_named(call, &path.metalake, objects.iter().map(SecurableObject::object))
            .await?;
        let mut write = self.write(call, &[Area::Grants]).await?;
        let role = existing_role(&mut write, metalake, &path.object.full_name()).await?;
        write.clear_role(role.id).await?;
        for securable in objects {
            let bound = bind(&mut write, call, &path.metalake, securable).await?;
            write.put_role_object(role.id, bound, securable).await?;
        }
        finish(write, role).await
    }
}

/// Marks the role as changed and commits.
async fn finish(mut write: Write, role: ObjectRow) -> Result<Role, OperationError> {
    let row = write.alter_object(role.id, &ObjectChange::default()).await?;
    let role = with_contents(&mut write, row).await?;
    write.commit().await?;
    Ok(role)
}

async fn change_roles(
    write: &mut Write,
    holder: &PrincipalPath,
    grant: Grant,
    names: &[String],
) -> Result<(), OperationError> {
    let metalake = write.metalake();
    let mut roles: Vec<ObjectId> = Vec::with_capacity(names.len());
    for name in names {
        let role = write.child(metalake, ObjectKind::Role, name).await?;
        let role = role.ok_or_else(|| {
            OperationError::mistake(
                Mistake::Role,
                format!("role `{name}` does not exist in the metalake"),
            )
        })?;
        roles.push(role.object.id);
    }
    for role in roles {
        match grant {
            Grant::Give => write.grant_role(role, &holder.principal).await?,
            Grant::Take => write.revoke_role(role, &holder.principal).await?,
        };
    }
    Ok(())
}

fn illegal(error: IllegalPrivilege) -> OperationError {
    match error {
        IllegalPrivilege::Empty(_) => OperationError::invalid(error.to_string()),
        IllegalPrivilege::NotBindable { .. } | IllegalPrivilege::Contradiction { .. } => {
            OperationError::mistake(Mistake::Privilege, error.to_string())
        }
    }
}
