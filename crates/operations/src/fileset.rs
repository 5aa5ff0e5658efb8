// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Filesets: list, create, load, alter, drop. What lies in them is [`crate::fileset_files`].

use std::collections::BTreeMap;

use lakeward_authorization::{Authorized, Visibility};
use lakeward_catalog::fileset_catalog::{FilesetCatalog, FilesetCreation, FilesetPlace, PlannedFileset};
use lakeward_metadata::fileset::{Fileset, FilesetChange, FilesetType, NewFileset};
use lakeward_metadata::kind::ObjectKind;
use lakeward_store::{Area, FilesetLocationRow, NewObject, ObjectChange, ObjectRow, Write};
use serde_json::{Value, json};

use crate::Operations;
use crate::caller::Call;
use crate::ending::{Contents, ENDING};
use crate::error::OperationError;
use crate::facts::Found;
use crate::fileset_placement::{Beside, claim_places, is_ending};
use crate::metalake::renamed;
use crate::paths::{FilesetPath, SchemaPath};
use crate::providers::{change_property, filesets_of};
use crate::secret::replaced;
use crate::table_placement::{Place, unknown};

/// The member of a fileset row's detail that says whose its files are.
pub(crate) const FILESET_TYPE: &str = "type";

impl Operations {
    /// The names of the filesets of a schema that the caller may see.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`], [`OperationError::Unsupported`] for a catalog without
    /// filesets.
    pub async fn list_filesets(
        &self,
        call: &Call,
        _: Authorized<SchemaPath>,
        shown: &Visibility,
    ) -> Result<Vec<String>, OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        call.facts.require_in_use()?;
        let schema = found.row()?;
        filesets_of(self.provider_in(&found.metalake, found)?.as_ref())?;
        self.visible_children(call, schema.object.id, ObjectKind::Fileset, shown)
            .await
    }

    /// Creates a fileset, with the folders that it lacks. Its creator owns it.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`], [`OperationError::NotFound`], [`OperationError::Disabled`],
    /// [`OperationError::Unsupported`] for a catalog without filesets; [`OperationError::Invalid`] for locations that cannot
    /// be, and for those that overlap a table, a view, the server's own files or a fileset that the caller does not own.
    /// Nothing is left behind then. [`OperationError::UnknownOutcome`] when the store broke off during the commit.
    pub async fn create_fileset(
        &self,
        call: &Call,
        path: Authorized<SchemaPath>,
        new: NewFileset,
    ) -> Result<Fileset, OperationError> {
        let found = call.facts.found()?;
        let catalog = &found.of_kind(ObjectKind::Catalog)?.object;
        call.facts.require_in_use()?;
        let schema = &found.row()?.object;
        let provider = self.provider_in(&found.metalake, found)?;
        let filesets = filesets_of(provider.as_ref())?;
        filesets.check_name(new.name.as_str())?;
        let declared = self.factory_of(catalog)?.fileset_properties();
        declared.check_new(&new.properties)?;
        let secrets = self.secrets().plan("fileset", &declared, &new.secrets)?;
        let place = Place {
            schema,
            name: new.name.as_str(),
        };
        self.require_free_fileset_name(place).await?;
        let mut planned = plan(filesets, &path, schema, &new)?;
        planned.properties.extend(secrets.urns.clone());
        let beside = self.require_free_places(call, filesets, &planned).await?;
        // A name taken in between is a clash of names, whatever it did to the places.
        self.require_free_fileset_name(place).await?;
        let beside = beside?;
        let kept = self.secrets().keep(&secrets)?;
        let made = filesets.make_folders(&planned).await?;
        match self.insert_fileset(call, place, &new, &planned, &beside).await {
            Ok((write, row)) => {
                kept.commit(write).await.map_err(unknown)?;
                self.fileset(found, row, places(&planned))
            }
            Err(error) => {
                self.unmake_unused_folders(filesets, made).await;
                Err(error)
            }
        }
    }

    async fn require_free_fileset_name(&self, place: Place<'_>) -> Result<(), OperationError> {
        let mut snapshot = self.store().snapshot().await?;
        let taken = snapshot
            .child(place.schema.id, ObjectKind::Fileset, place.name)
            .await?;
        match taken {
            Some(_) => Err(OperationError::already_exists(ObjectKind::Fileset, place.name)),
            None => Ok(()),
        }
    }

    /// Row, places and owner of a new fileset.
    async fn insert_fileset(
        &self,
        call: &Call,
        place: Place<'_>,
        new: &NewFileset,
        planned: &PlannedFileset,
        beside: &Beside,
    ) -> Result<(Write, ObjectRow), OperationError> {
        let mut write = self.write(call, &[Area::Objects]).await?;
        let object = NewObject {
            comment: new.comment.clone(),
            properties: planned.properties.clone(),
            detail: json!({FILESET_TYPE: new.fileset_type.as_str()}),
            ..NewObject::named(place.schema.id, ObjectKind::Fileset, place.name)
        };
        let row = match write.create_object(&object).await {
            Err(error) if error.is_unique() => {
                return Err(OperationError::already_exists(ObjectKind::Fileset, place.name));
            }
            Err(error) if error.is_missing() => {
                return Err(OperationError::not_found(ObjectKind::Schema, &place.schema.name));
            }
            other => other?,
        };
        claim_places(&mut write, row.id, &places(planned), beside).await?;
        self.make_creator_own(&mut write, row.id, call).await?;
        Ok((write, row))
    }

    /// Loads a fileset.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`].
    pub async fn load_fileset(
        &self,
        call: &Call,
        _: Authorized<FilesetPath>,
    ) -> Result<Fileset, OperationError> {
        let found = call.facts.found()?;
        let row = self.fileset_row(call, found)?;
        let places = self.store().snapshot().await?.fileset_locations(row.id).await?;
        self.fileset(found, row.clone(), places)
    }

    /// Alters a fileset, all changes or none. Its files stay where they are, whatever it is called.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`], [`OperationError::Invalid`] for a property that cannot be
    /// changed, [`OperationError::AlreadyExists`] for a new name that is taken, [`OperationError::Conflict`] for a new name
    /// of one whose files are being removed.
    pub async fn alter_fileset(
        &self,
        call: &Call,
        path: Authorized<FilesetPath>,
        changes: Vec<FilesetChange>,
    ) -> Result<Fileset, OperationError> {
        let found = call.facts.found()?;
        let id = self.fileset_row(call, found)?.id;
        if changes.is_empty() {
            return self.load_fileset(call, path).await;
        }
        let provider = self.provider_in(&found.metalake, found)?;
        let filesets = filesets_of(provider.as_ref())?;
        let catalog = &found.of_kind(ObjectKind::Catalog)?.object;
        let declared = self.factory_of(catalog)?.fileset_properties();
        let mut write = self.write(call, &[Area::Objects]).await?;
        let row = write.object(id).await?;
        let row = row.ok_or_else(|| missing_fileset(found))?.object;
        let before = row.properties;
        let mut properties = before.clone();
        let mut comment = None;
        let mut name = None;
        for change in changes {
            match change {
                FilesetChange::Rename(new_name) => {
                    filesets.check_name(new_name.as_str())?;
                    name = Some(new_name);
                }
                FilesetChange::UpdateComment(new_comment) => comment = Some(new_comment),
                FilesetChange::SetProperty { property, value } => {
                    change_property(&mut properties, &declared, &property, Some(&value))?;
                }
                FilesetChange::RemoveProperty(property) => {
                    change_property(&mut properties, &declared, &property, None)?;
                }
            }
        }
        let replaced = replaced(&before, &properties);
        let change = ObjectChange {
            comment,
            properties: Some(properties),
            detail: None,
        };
        let mut row = write.alter_object(row.id, &change).await?;
        if let Some(name) = name.filter(|name| name.as_str() != row.name) {
            if is_ending(&row.detail) {
                return Err(OperationError::Conflict(
                    "the files of the fileset are being removed; drop it".to_owned(),
                ));
            }
            row = renamed(&mut write, &row, name.as_str()).await?;
        }
        let places = write.fileset_locations(row.id).await?;
        write.commit().await?;
        self.secrets().forget(replaced);
        self.fileset(found, row, places)
    }

    /// Drops a fileset, a managed one with its files. `false` where there is none.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] and [`OperationError::Disabled`] for metalake and catalog;
    /// [`OperationError::Unreachable`] when its files could not be removed: then it is still there.
    pub async fn drop_fileset(
        &self,
        call: &Call,
        _: Authorized<FilesetPath>,
    ) -> Result<bool, OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        found.require_in_use()?;
        self.end_with_contents(call, ENDING, Contents::EndToo).await
    }

    /// The fileset that the request names, in a metalake and catalog that are on.
    pub(crate) fn fileset_row<'a>(
        &self,
        call: &Call,
        found: &'a Found,
    ) -> Result<&'a ObjectRow, OperationError> {
        found.of_kind(ObjectKind::Catalog)?;
        call.facts.require_in_use()?;
        let row = found.chain.object().ok_or_else(|| missing_fileset(found))?;
        Ok(&row.object)
    }

    fn fileset(
        &self,
        found: &Found,
        row: ObjectRow,
        places: Vec<FilesetLocationRow>,
    ) -> Result<Fileset, OperationError> {
        let catalog = &found.of_kind(ObjectKind::Catalog)?.object;
        let declared = self.factory_of(catalog)?.fileset_properties();
        Ok(Fileset {
            fileset_type: fileset_type(&row.detail)?,
            properties: declared.shown(&row.properties),
            storage_locations: shown(places),
            name: row.name,
            comment: row.comment,
            audit: row.audit,
        })
    }
}

/// As the original, whose answer does not tell a missing schema from a missing fileset.
fn missing_fileset(found: &Found) -> OperationError {
    let name = found.object.path.last().cloned().unwrap_or_default();
    OperationError::not_found(ObjectKind::Fileset, name)
}

fn plan(
    filesets: &dyn FilesetCatalog,
    path: &SchemaPath,
    schema: &ObjectRow,
    new: &NewFileset,
) -> Result<PlannedFileset, OperationError> {
    let place = FilesetPlace {
        schema: path.schema.clone(),
        name: new.name.as_str().to_owned(),
        schema_properties: schema.properties.clone(),
    };
    let creation = FilesetCreation {
        fileset_type: new.fileset_type,
        storage_locations: new.storage_locations.clone(),
        properties: new.properties.clone(),
    };
    Ok(filesets.plan_create_fileset(&place, &creation)?)
}

/// The places of a planned fileset as rows.
fn places(planned: &PlannedFileset) -> Vec<FilesetLocationRow> {
    planned
        .locations
        .iter()
        .map(|location| FilesetLocationRow {
            name: location.name.clone(),
            location: location.canonical.clone(),
            shown: location.shown.clone(),
        })
        .collect()
}

fn shown(places: Vec<FilesetLocationRow>) -> BTreeMap<String, String> {
    places
        .into_iter()
        .map(|place| (place.name, place.shown))
        .collect()
}

/// Whose the files of a fileset are, from the detail of its row.
pub(crate) fn fileset_type(detail: &Value) -> Result<FilesetType, OperationError> {
    detail
        .get(FILESET_TYPE)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .parse()
        .map_err(OperationError::internal)
}
