// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Whether the system behind a catalog answers: before the catalog exists, with its stored configuration, or with
//! changes that are not saved.

use lakeward_authorization::Authorized;
use lakeward_authorization::requirement::Circumstance;
use lakeward_metadata::catalog::{CatalogChange, NewCatalog};
use lakeward_metadata::kind::ObjectKind;

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::named::{Named, Names};
use crate::paths::{CatalogPath, MetalakePath};
use crate::secret::revealed;

/// A stored catalog whose connection is to be tested, and whether the request proposes changes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TestedCatalog {
    /// The catalog.
    pub path: CatalogPath,
    /// Whether it is tested with changes that are not saved: then the caller chooses what the server connects to.
    pub proposes_changes: bool,
}

impl Names for TestedCatalog {
    fn named(&self) -> Named {
        self.path
            .named()
            .saying(Circumstance::ProposesChanges, self.proposes_changes)
    }
}

impl Operations {
    /// Tests a catalog that does not exist yet.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`] for a name that is taken; [`OperationError::Unreachable`] when the system does
    /// not answer; those of [`Operations::create_catalog`].
    pub async fn test_new_catalog(
        &self,
        call: &Call,
        metalake: Authorized<MetalakePath>,
        new: &NewCatalog,
    ) -> Result<(), OperationError> {
        call.facts.require_metalake_in_use()?;
        let mut snapshot = self.store().snapshot().await?;
        let taken = snapshot
            .child(call.facts.metalake_id()?, ObjectKind::Catalog, new.name.as_str())
            .await?;
        drop(snapshot);
        if taken.is_some() {
            return Err(OperationError::already_exists(
                ObjectKind::Catalog,
                new.name.as_str(),
            ));
        }
        let (properties, secrets) = self.checked_properties(&metalake.metalake, new)?;
        let context = self.catalog_context(&metalake.metalake, new.name.as_str());
        let provider = self
            .registry()
            .find(&new.provider)?
            .connect(&context, &revealed(&properties, &secrets.values))?;
        Ok(provider.test_connection().await?)
    }

    /// Tests a stored catalog, with changes that are not saved where there are any.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`], [`OperationError::Invalid`] for changes that the
    /// provider refuses, [`OperationError::Unreachable`] when the system does not answer.
    pub async fn test_stored_catalog(
        &self,
        call: &Call,
        tested: Authorized<TestedCatalog>,
        changes: Vec<CatalogChange>,
    ) -> Result<(), OperationError> {
        call.facts.require_in_use()?;
        let path = &tested.path;
        let row = &call.facts.row()?.object;
        super::require_switched_on(row)?;
        let provider = if changes.is_empty() {
            self.provider_of(&path.metalake, row)?
        } else {
            let planned = self.changed(row, changes)?;
            let context = self.catalog_context(&path.metalake, &path.catalog);
            let factory = self.factory_of(row)?;
            let secrets = self
                .secrets()
                .needed(&factory.catalog_properties(), &planned.properties)?;
            self.connect_checked(factory.as_ref(), &context, &planned.properties, &secrets)?
        };
        Ok(provider.test_connection().await?)
    }
}
