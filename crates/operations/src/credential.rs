// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Credentials of objects, in the native protocol: those of a table reach its files, those of a fileset reach its
//! locations, and a catalog has none of its own, since they would reach everything in it.

use lakeward_authorization::Authorized;
use lakeward_catalog::storage_delegation::TemporaryCredential;
use lakeward_metadata::kind::ObjectKind;

use crate::Operations;
use crate::caller::Call;
use crate::delegation::{DelegatedPlace, DelegationWish, table_access};
use crate::error::{Noun, OperationError};
use crate::facts::Found;
use crate::paths::ObjectPath;

impl Operations {
    /// The credentials of an object for the caller; none where its catalog gives none out.
    ///
    /// # Errors
    /// [`OperationError::Unsupported`] for kinds without credentials; [`OperationError::NotFound`];
    /// [`OperationError::Disabled`]; [`OperationError::Restriction`] for a table that the caller sees only in part;
    /// [`OperationError::Unavailable`] when the token service does not give one.
    pub async fn credentials(
        &self,
        call: &Call,
        object: Authorized<ObjectPath>,
    ) -> Result<Vec<TemporaryCredential>, OperationError> {
        let found = call.facts.found()?;
        let kind = object.object.kind;
        if !matches!(
            kind,
            ObjectKind::Catalog | ObjectKind::Fileset | ObjectKind::Table
        ) {
            return Err(OperationError::Unsupported(format!(
                "a {} has no credentials; catalogs, filesets and tables have",
                kind.lower_case().replace('_', " ")
            )));
        }
        let row = found
            .chain
            .object()
            .ok_or_else(|| OperationError::not_found(Noun::MetadataObject, object.object.full_name()))?;
        call.facts.require_metalake_in_use()?;
        let credential = if kind == ObjectKind::Table {
            self.table_credential(call, found).await?
        } else if kind == ObjectKind::Fileset {
            found.require_in_use()?;
            let provider = self.provider_in(&object.metalake, found)?;
            let mut snapshot = self.store().snapshot().await?;
            let places = snapshot.fileset_locations(row.object.id).await?;
            drop(snapshot);
            let locations = places.into_iter().map(|place| place.location).collect();
            match provider.delegation() {
                Some(storage) => {
                    let fileset = (row.object.id, storage);
                    self.fileset_credential(call, fileset, locations).await?
                }
                None => None,
            }
        } else {
            None
        };
        Ok(credential.into_iter().collect())
    }

    async fn table_credential(
        &self,
        call: &Call,
        table: &Found,
    ) -> Result<Option<TemporaryCredential>, OperationError> {
        let (current, restrictions) = self.refuse_hidden_facts(call, table, "credentials").await?;
        let location = current.location();
        let place = DelegatedPlace {
            name: &current.row.name,
            location: &location,
            table: Some(current.row.id),
            access: table_access(call),
        };
        let wish = DelegationWish {
            vended_credentials: true,
            remote_signing: false,
        };
        let delegated = self
            .delegate(call, current.provider.as_ref(), place, &restrictions, wish)
            .await?;
        Ok(delegated.credential)
    }
}
