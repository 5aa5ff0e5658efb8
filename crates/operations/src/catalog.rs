// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Catalogs: list, create, load, alter, switch on and off, drop.

use lakeward_authorization::{Authorized, Visibility};
use lakeward_metadata::Properties;
use lakeward_metadata::catalog::{Catalog, CatalogChange, NewCatalog};
use lakeward_metadata::kind::ObjectKind;
use lakeward_store::{Area, NewObject, ObjectChange, ObjectRow, Write};
use serde_json::json;

use crate::Operations;
use crate::caller::Call;
use crate::ending::{Contents, ENDING};
use crate::error::OperationError;
use crate::metalake::{created, is_in_use, renamed, switch};
use crate::paths::{CatalogPath, MetalakePath};
use crate::providers::{CATALOG_TYPE, PROVIDER, change_catalog_property, check_new_catalog, without_in_use};
use crate::secret::{Planned, replaced, revealed};

mod connection_test;
pub(crate) mod own_files;

pub use connection_test::TestedCatalog;

/// The property that says where a catalog keeps its tables.
const WAREHOUSE: &str = "warehouse";

impl Operations {
    /// The names of the catalogs that the caller may see.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] and [`OperationError::Disabled`] for the metalake.
    pub async fn list_catalogs(
        &self,
        call: &Call,
        _: Authorized<MetalakePath>,
        shown: &Visibility,
    ) -> Result<Vec<String>, OperationError> {
        call.facts.require_metalake_in_use()?;
        let metalake = call.facts.metalake_id()?;
        self.visible_children(call, metalake, ObjectKind::Catalog, shown)
            .await
    }

    /// The same in full.
    ///
    /// # Errors
    /// As [`Operations::list_catalogs`].
    pub async fn list_catalogs_in_full(
        &self,
        call: &Call,
        _: Authorized<MetalakePath>,
        shown: &Visibility,
    ) -> Result<Vec<Catalog>, OperationError> {
        call.facts.require_metalake_in_use()?;
        self.visible_in_full(call, call.facts.metalake_id()?, ObjectKind::Catalog, shown)
            .await?
            .iter()
            .map(|row| self.catalog(&row.object))
            .collect()
    }

    /// Creates a catalog. Its creator owns it. A catalog that could have a `warehouse` and names none gets
    /// one below the server's data folder, once and for all: renaming the catalog later does not move its tables.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`]; [`OperationError::Unsupported`] for providers that are not there yet;
    /// [`OperationError::Invalid`] for unknown providers and properties that they refuse;
    /// [`OperationError::NotFound`] and [`OperationError::Disabled`] for the metalake.
    pub async fn create_catalog(
        &self,
        call: &Call,
        metalake: Authorized<MetalakePath>,
        new: NewCatalog,
    ) -> Result<Catalog, OperationError> {
        call.facts.require_metalake_in_use()?;
        let metalake_id = call.facts.metalake_id()?;
        let (mut properties, secrets) = self.checked_properties(&metalake.metalake, &new)?;
        properties.extend(secrets.urns.clone());
        let kept = self.secrets().keep(&secrets)?;
        let mut write = self.write(call, &[Area::Objects]).await?;
        let object = NewObject {
            comment: new.comment,
            properties,
            detail: json!({CATALOG_TYPE: new.catalog_type.as_str(), PROVIDER: new.provider}),
            ..NewObject::named(metalake_id, ObjectKind::Catalog, new.name.as_str())
        };
        let row = created(&mut write, &object).await?;
        self.make_creator_own(&mut write, row.id, call).await?;
        for schema in self.factory_of(&row)?.fixed_schemas() {
            let object = NewObject {
                comment: Some(schema.comment.to_owned()),
                ..NewObject::named(row.id, ObjectKind::Schema, schema.name)
            };
            write.create_object(&object).await?;
        }
        kept.commit(write).await?;
        self.catalog(&row)
    }

    /// The properties that a new catalog will have, and its secrets, accepted by its provider.
    fn checked_properties(
        &self,
        metalake: &str,
        new: &NewCatalog,
    ) -> Result<(Properties, Planned), OperationError> {
        let factory = self.registry().find(&new.provider)?;
        if factory.catalog_type() != new.catalog_type.as_str() {
            return Err(OperationError::invalid(format!(
                "the provider `{}` makes {} catalogs, not {} ones",
                new.provider,
                factory.catalog_type(),
                new.catalog_type
            )));
        }
        let declared = factory.catalog_properties();
        if let Some(property) = new
            .secrets
            .keys()
            .find(|property| declared.find(property).is_none())
        {
            return Err(OperationError::invalid(format!(
                "the secret of property `{property}`: the provider `{}` has no such property",
                new.provider
            )));
        }
        let secrets = self.secrets().plan("catalog", &declared, &new.secrets)?;
        check_new_catalog(&revealed(&new.properties, &secrets.values), &declared)?;
        let context = self.catalog_context(metalake, new.name.as_str());
        let mut properties = new.properties.clone();
        if let Some(root) = &context.default_warehouse_root
            && declared.find(WAREHOUSE).is_some()
            && !properties.contains_key(WAREHOUSE)
        {
            properties.insert(
                WAREHOUSE.to_owned(),
                format!("{root}/{metalake}/{}", new.name.as_str()),
            );
        }
        self.connect_checked(factory.as_ref(), &context, &properties, &secrets.values)?;
        Ok((properties, secrets))
    }

    /// Loads a catalog, switched off or not.
    ///
    /// # Errors
    /// [`OperationError::NotFound`]; [`OperationError::Disabled`] for the metalake.
    pub async fn load_catalog(
        &self,
        call: &Call,
        _: Authorized<CatalogPath>,
    ) -> Result<Catalog, OperationError> {
        call.facts.require_in_use()?;
        self.catalog(&call.facts.row()?.object)
    }

    /// Alters a catalog, all changes or none. What its provider refuses, the catalog does not become.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`], [`OperationError::Invalid`],
    /// [`OperationError::AlreadyExists`] for a new name that is taken.
    pub async fn alter_catalog(
        &self,
        call: &Call,
        path: Authorized<CatalogPath>,
        changes: Vec<CatalogChange>,
    ) -> Result<Catalog, OperationError> {
        call.facts.require_in_use()?;
        let (mut write, mut row) = self.open_catalog(call, &[Area::Objects]).await?;
        require_switched_on(&row)?;
        let planned = self.changed(&row, changes)?;
        let context = self.catalog_context(&path.metalake, &path.catalog);
        let factory = self.factory_of(&row)?;
        let secrets = self
            .secrets()
            .needed(&factory.catalog_properties(), &planned.properties)?;
        self.connect_checked(factory.as_ref(), &context, &planned.properties, &secrets)?;
        let replaced = replaced(&row.properties, &planned.properties);
        let change = ObjectChange {
            comment: planned.comment,
            properties: Some(planned.properties),
            detail: None,
        };
        row = write.alter_object(row.id, &change).await?;
        if let Some(name) = planned.name {
            row = renamed(&mut write, &row, &name).await?;
        }
        write.commit().await?;
        self.secrets().forget(replaced);
        self.catalog(&row)
    }

    /// Switches a catalog on or off. Switching to the state it is in changes nothing and is no error.
    ///
    /// # Errors
    /// [`OperationError::NotFound`]; [`OperationError::Disabled`] for the metalake.
    pub async fn switch_catalog(
        &self,
        call: &Call,
        _: Authorized<CatalogPath>,
        in_use: bool,
    ) -> Result<(), OperationError> {
        call.facts.require_in_use()?;
        let (mut write, row) = self.open_catalog(call, &[Area::Objects]).await?;
        switch(&mut write, &row, in_use).await?;
        Ok(write.commit().await?)
    }

    /// Drops a catalog: with `force` as it is, else only switched off and without schemas. `false` where there is
    /// none. Files of its tables stay, those of its managed filesets do not.
    ///
    /// # Errors
    /// [`OperationError::InUse`], [`OperationError::NotEmpty`]; [`OperationError::NotFound`] and
    /// [`OperationError::Disabled`] for the metalake; [`OperationError::Forbidden`] when a table in it has read
    /// restrictions.
    pub async fn drop_catalog(
        &self,
        call: &Call,
        _: Authorized<CatalogPath>,
        force: bool,
    ) -> Result<bool, OperationError> {
        call.facts.require_metalake_in_use()?;
        let contents = if force {
            Contents::EndToo
        } else {
            Contents::MustBeGone
        };
        let ended = self.end_with_contents(call, ENDING, contents).await?;
        if let Ok(row) = call.facts.row() {
            self.caches().providers.invalidate(&row.object.id);
        }
        Ok(ended)
    }

    async fn open_catalog(&self, call: &Call, areas: &[Area]) -> Result<(Write, ObjectRow), OperationError> {
        let found = call.facts.found()?;
        let mut write = self.write(call, areas).await?;
        let row = write.object(found.row()?.object.id).await?;
        let row = row.ok_or_else(|| found.missing())?;
        Ok((write, row.object))
    }

    /// What a catalog would be after these changes.
    fn changed(
        &self,
        row: &ObjectRow,
        changes: Vec<CatalogChange>,
    ) -> Result<ChangedCatalog, OperationError> {
        let factory = self.factory_of(row)?;
        let declared = factory.catalog_properties();
        let mut planned = ChangedCatalog {
            name: None,
            comment: None,
            properties: row.properties.clone(),
        };
        for change in changes {
            match change {
                CatalogChange::Rename(name) => planned.name = Some(name.as_str().to_owned()),
                CatalogChange::UpdateComment(comment) => planned.comment = Some(comment),
                CatalogChange::SetProperty { property, value } => {
                    change_catalog_property(&mut planned.properties, &declared, &property, Some(&value))?;
                }
                CatalogChange::RemoveProperty(property) => {
                    change_catalog_property(&mut planned.properties, &declared, &property, None)?;
                }
            }
        }
        factory.check_change(&row.properties, &planned.properties)?;
        Ok(planned)
    }

    /// A catalog as answers show it: without hidden properties.
    fn catalog(&self, row: &ObjectRow) -> Result<Catalog, OperationError> {
        let factory = self.factory_of(row)?;
        let catalog_type = row
            .detail
            .get(CATALOG_TYPE)
            .and_then(serde_json::Value::as_str)
            .unwrap_or_else(|| factory.catalog_type())
            .parse()
            .map_err(OperationError::internal)?;
        Ok(Catalog {
            name: row.name.clone(),
            catalog_type,
            provider: factory.name().to_owned(),
            comment: row.comment.clone(),
            properties: factory
                .catalog_properties()
                .shown(&without_in_use(&row.properties)),
            in_use: is_in_use(&row.properties),
            audit: row.audit.clone(),
        })
    }
}

struct ChangedCatalog {
    name: Option<String>,
    comment: Option<Option<String>>,
    properties: Properties,
}

/// Refuses what a switched-off catalog itself does not do.
fn require_switched_on(row: &ObjectRow) -> Result<(), OperationError> {
    if is_in_use(&row.properties) {
        return Ok(());
    }
    Err(OperationError::Disabled {
        noun: ObjectKind::Catalog.into(),
        name: row.name.clone(),
    })
}
