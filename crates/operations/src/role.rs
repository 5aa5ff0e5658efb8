// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Roles: what they say of objects, and who may see them.

use lakeward_authorization::decide::decide;
use lakeward_authorization::role::{Role, check_distinct};
use lakeward_authorization::securable_object::SecurableObject;
use lakeward_authorization::{Authorized, Requirement, Target, Visibility};
use lakeward_metadata::Properties;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::name::Name;
use lakeward_metadata::object::MetadataObject;
use lakeward_store::{Area, ChainRow, NewObject, ObjectRow, RoleObject, Snapshot};

use crate::Operations;
use crate::caller::Call;
use crate::ending::ENDING;
use crate::error::{Mistake, OperationError};
use crate::owner::{check_metalake, securable};
use crate::paths::{MetalakePath, ObjectPath};
use crate::role_contents::check_catalog_type;

/// A role to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRole {
    /// Its name.
    pub name: Name,
    /// Free properties.
    pub properties: Properties,
    /// What it says; each object once.
    pub securable_objects: Vec<SecurableObject>,
}

impl Operations {
    /// The names of the roles that may be shown, in their order.
    ///
    /// # Errors
    /// What [`Self::list_roles`] reports.
    pub async fn list_role_names(
        &self,
        call: &Call,
        _metalake: Authorized<MetalakePath>,
        shown: &Visibility,
    ) -> Result<Vec<String>, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        self.visible_names_below(call, metalake, ObjectKind::Role, shown)
            .await
    }

    /// The roles that may be shown, in the order of their names.
    ///
    /// # Errors
    /// [`OperationError::Unsupported`] without authorization, [`OperationError::Disabled`] in a disabled metalake.
    pub async fn list_roles(
        &self,
        call: &Call,
        _metalake: Authorized<MetalakePath>,
        shown: &Visibility,
    ) -> Result<Vec<Role>, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        let rows = self
            .visible_in_full(call, metalake, ObjectKind::Role, shown)
            .await?;
        let mut roles = Vec::new();
        let mut snapshot = self.read(&call.facts).await?;
        for ChainRow { object, .. } in rows {
            roles.push(with_contents(&mut snapshot, object).await?);
        }
        Ok(roles)
    }

    /// One role.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], and as [`Self::list_roles`].
    pub async fn load_role(&self, call: &Call, role: Authorized<ObjectPath>) -> Result<Role, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        let mut snapshot = self.read(&call.facts).await?;
        let row = existing_role(&mut snapshot, metalake, &role.object.full_name()).await?;
        with_contents(&mut snapshot, row).await
    }

    /// Creates a role, owned by the caller. An object that does not exist is kept and shown, and grants nothing, for
    /// ever: a grant binds to an object's identity, never to a name.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`]; [`OperationError::Invalid`] for what no role may say, and as
    /// [`Self::list_roles`].
    pub async fn create_role(
        &self,
        call: &Call,
        path: Authorized<MetalakePath>,
        new: NewRole,
    ) -> Result<Role, OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        check_contents(&path.metalake, &new.securable_objects)?;
        let named = new.securable_objects.iter().map(SecurableObject::object);
        self.meet_named(call, &path.metalake, named).await?;
        let mut write = self.write(call, &[Area::Grants]).await?;
        let name = new.name.as_str();
        // What no role may say is told first, whether there is such a role or not.
        let mut bound = Vec::with_capacity(new.securable_objects.len());
        for securable in &new.securable_objects {
            bound.push(bind(&mut write, call, &path.metalake, securable).await?);
        }
        if write.child(metalake, ObjectKind::Role, name).await?.is_some() {
            return Err(OperationError::already_exists(ObjectKind::Role, name));
        }
        let object = NewObject {
            properties: new.properties,
            ..NewObject::named(metalake, ObjectKind::Role, name)
        };
        let row = write.create_object(&object).await?;
        self.make_creator_own(&mut write, row.id, call).await?;
        for (securable, bound) in new.securable_objects.iter().zip(bound) {
            write.put_role_object(row.id, bound, securable).await?;
        }
        let role = with_contents(&mut write, row).await?;
        write.commit().await?;
        Ok(role)
    }

    /// Deletes a role; whoever held it holds it no longer. Gives whether there was one.
    ///
    /// # Errors
    /// As [`Self::list_roles`].
    pub async fn delete_role(&self, call: &Call, _: Authorized<ObjectPath>) -> Result<bool, OperationError> {
        self.metalake_with_identities(call)?;
        let Ok(row) = call.facts.row() else {
            return Ok(false);
        };
        let Some(mut write) = self.write_to_end(call, ENDING).await? else {
            return Ok(false);
        };
        write.drop_object(row.object.id).await?;
        write.commit().await?;
        Ok(true)
    }

    /// The names of the roles that say something of an object and that may be shown, in their order.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the object, and as [`Self::list_roles`].
    pub async fn list_roles_of_object(
        &self,
        call: &Call,
        object: Authorized<ObjectPath>,
        shown: &Visibility,
    ) -> Result<Vec<String>, OperationError> {
        self.metalake_with_identities(call)?;
        let (id, _) = securable(call, &object)?;
        if object.object.kind == ObjectKind::Column {
            // A column is found as its table; roles never speak of columns.
            return Ok(Vec::new());
        }
        let mut snapshot = self.read(&call.facts).await?;
        let roles = snapshot.roles_of_object(id).await?;
        let shown = roles
            .into_iter()
            .filter(|role| shown.shows(role.object.id, role.owner.as_ref()));
        Ok(shown.map(|role| role.object.name).collect())
    }
}

/// The longest full name that a role may speak of, in characters. Existing objects have shorter ones.
const MAX_FULL_NAME_CHARS: usize = 1024;

/// What can be refused without looking anything up: an object twice, a metalake that is not the request's, and names
/// that no object can have.
pub(crate) fn check_contents(metalake: &str, objects: &[SecurableObject]) -> Result<(), OperationError> {
    check_distinct(objects).map_err(|error| OperationError::invalid(error.to_string()))?;
    objects
        .iter()
        .try_for_each(|securable| check_object(metalake, securable.object()))
}

/// The same for one object.
pub(crate) fn check_object(metalake: &str, object: &MetadataObject) -> Result<(), OperationError> {
    let name = object.full_name();
    if name.chars().count() > MAX_FULL_NAME_CHARS || name.chars().any(char::is_control) {
        return Err(OperationError::mistake(
            Mistake::MetadataObject,
            "the full name of an object must have at most 1024 characters and no control characters",
        ));
    }
    check_metalake(metalake, object)
}

/// The identity of the object that a role speaks of; `None` when there is none of that name now. Privileges that mean
/// nothing in a catalog are refused where the caller may load the catalog, and bind to nothing where it may not: the
/// refusal says of which type the catalog is.
pub(crate) async fn bind(
    snapshot: &mut Snapshot,
    call: &Call,
    metalake: &str,
    securable: &SecurableObject,
) -> Result<Option<ObjectId>, OperationError> {
    let chain = snapshot.chain(metalake, securable.object()).await?;
    if let Some(catalog) = chain.of_kind(ObjectKind::Catalog)
        && let Err(message) = check_catalog_type(&catalog.object, securable)
    {
        let load = Requirement::load(ObjectKind::Catalog);
        return if decide(load, &Target::object(chain.to_decide()), call.facts.grants()).is_allowed() {
            Err(OperationError::mistake(Mistake::Privilege, message))
        } else {
            Ok(None)
        };
    }
    Ok(chain.object().map(|row| row.object.id))
}

/// A role that must exist.
pub(crate) async fn existing_role(
    snapshot: &mut Snapshot,
    metalake: ObjectId,
    name: &str,
) -> Result<ObjectRow, OperationError> {
    let row = snapshot.child(metalake, ObjectKind::Role, name).await?;
    row.map(|row| row.object)
        .ok_or_else(|| OperationError::not_found(ObjectKind::Role, name))
}

/// The role of a row with what it says.
pub(crate) async fn with_contents(snapshot: &mut Snapshot, row: ObjectRow) -> Result<Role, OperationError> {
    let objects = snapshot.role_objects(row.id).await?;
    Ok(Role {
        name: row.name,
        properties: row.properties,
        securable_objects: objects
            .into_iter()
            .map(|RoleObject { securable, .. }| securable)
            .collect(),
        audit: row.audit,
    })
}
