// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Schemas, nested ones included: list, create, load, alter, drop. The Iceberg protocol's namespaces are the same rows.

use std::sync::Arc;

use lakeward_authorization::{Authorized, Requirement, Visibility, authorize};
use lakeward_catalog::provider::Provider;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_metadata::schema::{Schema, SchemaChange};
use lakeward_store::{Area, ObjectChange, ObjectRow};

use crate::Operations;
use crate::caller::Call;
use crate::ending::{Contents, ENDING};
use crate::error::OperationError;
use crate::facts::Found;
use crate::named::{Named, Names};
use crate::namespace::ListPage;
use crate::paths::SchemaPath;
use crate::providers::change_property;

mod create;

/// The property of a schema that says where its tables are put.
pub(crate) const LOCATION: &str = "location";

/// Where schemas are listed or created: a catalog, or in it a schema that others nest in.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SchemaParentPath {
    /// The metalake.
    pub metalake: String,
    /// The catalog.
    pub catalog: String,
    /// The full name of the parent schema; `None` for the catalog itself.
    pub parent: Option<String>,
}

impl Names for SchemaParentPath {
    fn named(&self) -> Named {
        let object = match &self.parent {
            None => MetadataObject {
                kind: ObjectKind::Catalog,
                path: vec![self.catalog.clone()],
            },
            Some(parent) => MetadataObject {
                kind: ObjectKind::Schema,
                path: vec![self.catalog.clone(), parent.clone()],
            },
        };
        Named::object(&self.metalake, object)
    }
}

impl Operations {
    /// The full names of the schemas directly below a catalog or schema that the caller may see.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for a parent that does not exist, and likewise for one that the caller may not see
    /// and below which it sees nothing; [`OperationError::Disabled`].
    pub async fn list_schemas(
        &self,
        call: &Call,
        parent: Authorized<SchemaParentPath>,
        shown: &Visibility,
    ) -> Result<Vec<String>, OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        require_in_use_with_catalog(found)?;
        let row = found.row()?;
        let names = if self.is_federated(found) {
            let all = ListPage::default();
            self.list_upstream(call, found, ObjectKind::Schema, shown, &all)
                .await?
                .names
        } else {
            self.visible_children(call, row.object.id, ObjectKind::Schema, shown)
                .await?
        };
        let names: Vec<String> = names
            .into_iter()
            .map(|name| match &parent.parent {
                None => name,
                Some(parent) => format!("{parent}{}{name}", self.store().schema_separator()),
            })
            .collect();
        if names.is_empty() && parent.parent.is_some() && !may_load(call) {
            return Err(OperationError::not_found(
                ObjectKind::Schema,
                parent.parent.as_deref().unwrap_or_default(),
            ));
        }
        Ok(names)
    }

    /// Loads a schema.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`].
    pub async fn load_schema(
        &self,
        call: &Call,
        path: Authorized<SchemaPath>,
    ) -> Result<Schema, OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        call.facts.require_in_use()?;
        let row = found.row()?;
        let mut schema = self.schema(found, &path, &row.object)?;
        if let Some(properties) = &call.met.namespace {
            let catalog = &found.of_kind(ObjectKind::Catalog)?.object;
            schema.properties = self.factory_of(catalog)?.schema_properties().shown(properties);
        }
        self.add_default_location(
            &path.metalake,
            found,
            &self.levels(&path.schema),
            &mut schema.properties,
        )?;
        Ok(schema)
    }

    /// Shows where the tables of a schema go that names no location itself.
    ///
    /// # Errors
    /// Those of [`Operations::provider_of`].
    pub(crate) fn add_default_location(
        &self,
        metalake: &str,
        found: &Found,
        levels: &[String],
        properties: &mut lakeward_metadata::Properties,
    ) -> Result<(), OperationError> {
        if properties.contains_key(LOCATION) {
            return Ok(());
        }
        let provider = self.provider_in(metalake, found)?;
        if let Some(tables) = provider.tables() {
            properties.insert(LOCATION.to_owned(), tables.default_namespace_location(levels));
        }
        Ok(())
    }

    /// Alters a schema, all changes or none.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`], [`OperationError::Invalid`] for a property that
    /// cannot be changed.
    pub async fn alter_schema(
        &self,
        call: &Call,
        path: Authorized<SchemaPath>,
        changes: Vec<SchemaChange>,
    ) -> Result<Schema, OperationError> {
        let found = call.facts.found()?;
        let catalog = &found.of_kind(ObjectKind::Catalog)?.object;
        call.facts.require_in_use()?;
        self.require_kept_here(found)?;
        let declared = self.factory_of(catalog)?.schema_properties();
        let mut write = self.write(call, &[Area::Objects]).await?;
        let row = write.object(found.row()?.object.id).await?;
        let row = row.ok_or_else(|| found.missing())?.object;
        let mut properties = row.properties;
        for change in changes {
            match change {
                SchemaChange::SetProperty { property, value } => {
                    change_property(&mut properties, &declared, &property, Some(&value))?;
                }
                SchemaChange::RemoveProperty(property) => {
                    change_property(&mut properties, &declared, &property, None)?;
                }
            }
        }
        self.check_schema_location((&path.metalake, &path.schema), found, &mut properties)?;
        let change = ObjectChange {
            properties: Some(properties),
            ..ObjectChange::default()
        };
        let row = write.alter_object(row.id, &change).await?;
        write.commit().await?;
        self.schema(found, &path, &row)
    }

    /// Drops a schema: with `cascade` as it is, else only when nothing is in it. `false` where there is none. Files of
    /// its tables stay, those of its managed filesets do not.
    ///
    /// # Errors
    /// [`OperationError::NotEmpty`]; [`OperationError::NotFound`] and [`OperationError::Disabled`] for metalake and
    /// catalog; [`OperationError::Forbidden`] when a table in it has read restrictions.
    pub async fn drop_schema(
        &self,
        call: &Call,
        path: Authorized<SchemaPath>,
        cascade: bool,
    ) -> Result<bool, OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        call.facts.require_in_use()?;
        self.require_kept_here(found)?;
        let Ok(row) = found.row() else {
            return Ok(false);
        };
        let factory = self.factory_of(&found.of_kind(ObjectKind::Catalog)?.object)?;
        if factory
            .fixed_schemas()
            .iter()
            .any(|schema| schema.name == path.schema)
        {
            return Err(OperationError::invalid(format!(
                "every catalog of the provider `{}` has the schema `{}`; it cannot be dropped",
                factory.name(),
                path.schema
            )));
        }
        let contents = if cascade {
            Contents::EndToo
        } else {
            Contents::MustBeGone
        };
        if !self.end_with_contents(call, ENDING, contents).await? {
            return Ok(false);
        }
        let provider = self.provider_in(&path.metalake, found);
        if let Some(filesets) = provider.as_ref().ok().and_then(|provider| provider.filesets()) {
            let folders = filesets.schema_folders(&path.schema, &row.object.properties);
            self.remove_schema_folders(filesets, folders).await;
        }
        Ok(true)
    }

    /// The live catalog that an object lies in.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the catalog, and those of [`Operations::provider_of`].
    pub(crate) fn provider_in(
        &self,
        metalake: &str,
        found: &Found,
    ) -> Result<Arc<dyn Provider>, OperationError> {
        self.provider_of(metalake, &found.of_kind(ObjectKind::Catalog)?.object)
    }

    /// The levels of a schema's full name.
    pub(crate) fn levels(&self, full_name: &str) -> Vec<String> {
        let separator = self.store().schema_separator();
        if separator.is_empty() {
            return vec![full_name.to_owned()];
        }
        full_name.split(separator).map(str::to_owned).collect()
    }

    /// Puts the `location` property into its canonical form, or refuses it; likewise the locations that a schema hands down to
    /// its filesets.
    pub(crate) fn check_schema_location(
        &self,
        (metalake, schema): (&str, &str),
        found: &Found,
        properties: &mut lakeward_metadata::Properties,
    ) -> Result<(), OperationError> {
        if let Some(filesets) = self.provider_in(metalake, found)?.filesets() {
            return Ok(filesets.check_schema(schema, properties)?);
        }
        let Some(location) = properties.get(LOCATION).cloned() else {
            return Ok(());
        };
        let provider = self.provider_in(metalake, found)?;
        if let Some(tables) = provider.tables() {
            properties.insert(LOCATION.to_owned(), tables.check_namespace_location(&location)?);
        }
        Ok(())
    }

    fn schema(&self, found: &Found, path: &SchemaPath, row: &ObjectRow) -> Result<Schema, OperationError> {
        let catalog = &found.of_kind(ObjectKind::Catalog)?.object;
        Ok(Schema {
            name: path.schema.clone(),
            comment: row.comment.clone(),
            properties: self
                .factory_of(catalog)?
                .schema_properties()
                .shown(&row.properties),
            audit: row.audit.clone(),
        })
    }
}

/// As [`Found::require_in_use`], also when the catalog itself is what the request names: it must be on to show what
/// is in it.
///
/// # Errors
/// [`OperationError::Disabled`].
pub(crate) fn require_in_use_with_catalog(found: &Found) -> Result<(), OperationError> {
    found.require_in_use()?;
    let catalog = found.of_kind(ObjectKind::Catalog)?;
    if crate::facts::is_off(catalog) {
        return Err(OperationError::Disabled {
            noun: ObjectKind::Catalog.into(),
            name: catalog.object.name.clone(),
        });
    }
    Ok(())
}

/// Whether the caller may load the schema that the request names.
pub(crate) fn may_load(call: &Call) -> bool {
    authorize(
        Requirement::load(ObjectKind::Schema),
        (),
        call.facts.target(),
        call.facts.grants(),
    )
    .is_ok()
}
