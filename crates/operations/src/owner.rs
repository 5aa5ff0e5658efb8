// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who owns an object.

use lakeward_authorization::Authorized;
use lakeward_authorization::owner::is_ownable;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_metadata::principal::{Principal, PrincipalKind};
use lakeward_store::{Area, Snapshot};

use crate::Operations;
use crate::caller::Call;
use crate::error::{Mistake, Noun, OperationError};
use crate::paths::ObjectPath;

impl Operations {
    /// The owner of an object; `None` when nobody owns it.
    ///
    /// # Errors
    /// [`OperationError::NotFound`]; [`OperationError::Invalid`] for a column, which has no owner;
    /// [`OperationError::Unsupported`] without authorization; [`OperationError::Disabled`] in a disabled metalake.
    pub async fn load_owner(
        &self,
        call: &Call,
        object: Authorized<ObjectPath>,
    ) -> Result<Option<Principal>, OperationError> {
        self.metalake_with_identities(call)?;
        require_ownable(&object)?;
        Ok(securable(call, &object)?.1)
    }

    /// Gives an object another owner, a user or group of the metalake.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the object or the new owner, and as [`Self::load_owner`].
    pub async fn set_owner(
        &self,
        call: &Call,
        object: Authorized<ObjectPath>,
        owner: Principal,
    ) -> Result<(), OperationError> {
        let metalake = self.metalake_with_identities(call)?;
        require_ownable(&object)?;
        let (id, _) = securable(call, &object)?;
        let mut write = self.write(call, areas(object.object.kind)).await?;
        require_principal(&mut write, metalake, &owner).await?;
        write.set_owner(id, &owner).await?;
        write.commit().await?;
        Ok(())
    }
}

/// The id and the owner of the object that a request names, whatever its kind; one answer for all that is missing.
pub(crate) fn securable(
    call: &Call,
    object: &ObjectPath,
) -> Result<(ObjectId, Option<Principal>), OperationError> {
    check_metalake(&object.metalake, &object.object)?;
    let row = call
        .facts
        .found()?
        .chain
        .object()
        .ok_or_else(|| OperationError::not_found(Noun::MetadataObject, object.object.full_name()))?;
    Ok((row.object.id, row.owner.clone()))
}

/// A metalake can only be named by its own name.
pub(crate) fn check_metalake(metalake: &str, object: &MetadataObject) -> Result<(), OperationError> {
    if object.kind == ObjectKind::Metalake && object.full_name() != metalake {
        return Err(OperationError::mistake(
            Mistake::MetadataObject,
            format!(
                "the metalake of this request is `{metalake}`; another one, `{}`, cannot be named in it",
                object.full_name()
            ),
        ));
    }
    Ok(())
}

fn require_ownable(object: &ObjectPath) -> Result<(), OperationError> {
    if is_ownable(object.object.kind) {
        return Ok(());
    }
    Err(OperationError::invalid(format!(
        "{} has no owner; it is controlled through its table",
        object.object
    )))
}

async fn require_principal(
    snapshot: &mut Snapshot,
    metalake: ObjectId,
    principal: &Principal,
) -> Result<(), OperationError> {
    let exists = match principal.kind {
        PrincipalKind::User => snapshot.user(metalake, &principal.name).await?.is_some(),
        PrincipalKind::Group => snapshot.group(metalake, &principal.name).await?.is_some(),
    };
    if exists {
        Ok(())
    } else {
        Err(OperationError::not_found(Noun::Owner, &principal.name))
    }
}

/// What changes when an object of this kind changes hands.
fn areas(kind: ObjectKind) -> &'static [Area] {
    match kind {
        ObjectKind::Metalake => &[Area::Server, Area::Objects],
        ObjectKind::Role => &[Area::Grants],
        ObjectKind::Tag | ObjectKind::Policy => &[Area::Governance],
        ObjectKind::Catalog
        | ObjectKind::Schema
        | ObjectKind::Table
        | ObjectKind::View
        | ObjectKind::Topic
        | ObjectKind::Fileset
        | ObjectKind::Model
        | ObjectKind::Function
        | ObjectKind::Column
        | ObjectKind::JobTemplate
        | ObjectKind::Job => &[Area::Objects],
    }
}
