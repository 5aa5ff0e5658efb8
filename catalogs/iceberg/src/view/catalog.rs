// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The provider's face for views.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::Utc;
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::metadata_file::MetadataFile;
use lakeward_catalog::table_catalog::{IcebergCommit, TablePlace};
use lakeward_catalog::view_catalog::{
    DescribedView, IcebergViewCreation, LoadedView, PlannedView, ViewCatalog, ViewPlace,
};
use lakeward_metadata::view::ViewChange;
use serde_json::{Value, json};

use super::{commit, native, reading};
use crate::document::{Document, invalid_metadata};
use crate::provider::IcebergProvider;
use lakeward_storage::{Location, spelled};

impl IcebergProvider {
    /// The document of a loaded version.
    fn view_document(view: &LoadedView) -> Result<Document, CatalogError> {
        reading::document(view.metadata.json.get()).map_err(invalid_metadata(&view.metadata_location))
    }

    /// A new version with the name of the file it will be written to.
    fn plan_view(&self, document: &Document, base: Option<&LoadedView>) -> Result<PlannedView, CatalogError> {
        let text = document.to_text().map_err(CatalogError::Invalid)?;
        let metadata = reading::read(&text).map_err(CatalogError::Invalid)?;
        let location = Location::parse(&metadata.facts.location)?;
        let base_file = base.map(|base| base.metadata_location.as_str());
        Ok(PlannedView {
            location_is_new: base.is_none_or(|base| base.metadata.facts.location != metadata.facts.location),
            view: LoadedView {
                metadata_location: self.view_file(document, &location, base_file)?,
                metadata: Arc::new(metadata),
            },
            base: base_file.map(str::to_owned),
            file_exists: false,
        })
    }

    /// The file of a new version, in the folder as its owner spelled it.
    fn view_file(
        &self,
        document: &Document,
        location: &Location,
        base: Option<&str>,
    ) -> Result<String, CatalogError> {
        let file = self.metadata_file(document, location, base)?;
        match (document.property("write.metadata.path"), file.rsplit_once('/')) {
            (Some(path), Some((folder, name))) => {
                Ok(format!("{}/{name}", spelled(path, &Location::parse(folder)?)))
            }
            _ => Ok(file),
        }
    }

    /// Reads a version from storage, whatever the cache has. One file may be spelled in several ways; the answer says what
    /// the pointer says.
    async fn read_view(
        &self,
        location: &Location,
        file: MetadataFile<'_>,
    ) -> Result<LoadedView, CatalogError> {
        let text = self.read_text(location, file).await?;
        let metadata = Arc::new(reading::read(&text).map_err(invalid_metadata(file.location))?);
        self.views.insert(location.to_string(), Arc::clone(&metadata));
        Ok(LoadedView {
            metadata_location: file.location.to_owned(),
            metadata,
        })
    }

    fn plan_view_change(
        &self,
        base: &LoadedView,
        document: &Document,
        commit: &IcebergCommit,
    ) -> Result<Option<PlannedView>, CatalogError> {
        let changed = commit::apply(
            Some(document),
            commit,
            &self.policy,
            Utc::now().timestamp_millis(),
        )?;
        if changed == *document {
            return Ok(None);
        }
        self.plan_view(&changed, Some(base)).map(Some)
    }
}

#[async_trait]
impl ViewCatalog for IcebergProvider {
    async fn load_view(&self, file: MetadataFile<'_>) -> Result<LoadedView, CatalogError> {
        let location = self.policy.check_pointer(file.location)?;
        let cached = self.views.get(&location.to_string());
        match cached.filter(|metadata| file.is(&metadata.digest)) {
            Some(metadata) => Ok(LoadedView {
                metadata_location: file.location.to_owned(),
                metadata,
            }),
            None => self.read_view(&location, file).await,
        }
    }

    fn plan_create_view(
        &self,
        place: &TablePlace,
        creation: &IcebergViewCreation,
    ) -> Result<PlannedView, CatalogError> {
        let location = match &creation.location {
            Some(location) => spelled(location, &self.policy.check_table(location)?),
            None => self.policy.default_table(place)?.to_string(),
        };
        let mut version = creation.view_version.clone();
        if let Some(members) = version.as_object_mut() {
            // That of the schema beside it, whatever the caller wrote.
            members.insert("schema-id".to_owned(), json!(-1));
        }
        let mut updates = vec![
            json!({ "action": "set-location", "location": location }),
            json!({ "action": "add-schema", "schema": creation.schema }),
            json!({ "action": "add-view-version", "view-version": version }),
            json!({ "action": "set-current-view-version", "view-version-id": -1 }),
        ];
        if !creation.properties.is_empty() {
            updates.push(json!({ "action": "set-properties", "updates": creation.properties }));
        }
        let commit = IcebergCommit {
            requirements: Vec::<Value>::new(),
            updates,
        };
        let document = commit::apply(None, &commit, &self.policy, Utc::now().timestamp_millis())?;
        self.plan_view(&document, None)
    }

    fn plan_create_view_native(
        &self,
        place: ViewPlace<'_>,
        described: &DescribedView,
    ) -> Result<PlannedView, CatalogError> {
        let creation = native::creation(place, described, Utc::now().timestamp_millis())?;
        self.plan_create_view(place.place, &creation)
    }

    async fn plan_replace_view(
        &self,
        base: MetadataFile<'_>,
        commit: &IcebergCommit,
    ) -> Result<Option<PlannedView>, CatalogError> {
        let view = self.load_view(base).await?;
        let document = Self::view_document(&view)?;
        self.plan_view_change(&view, &document, commit)
    }

    async fn plan_alter_view_native(
        &self,
        place: ViewPlace<'_>,
        base: MetadataFile<'_>,
        changes: &[ViewChange],
    ) -> Result<Option<PlannedView>, CatalogError> {
        let view = self.load_view(base).await?;
        let document = Self::view_document(&view)?;
        let commit = native::commit(place, &document, changes, Utc::now().timestamp_millis())?;
        self.plan_view_change(&view, &document, &commit)
    }

    fn describe_view(&self, view: &LoadedView, separator: &str) -> Result<DescribedView, CatalogError> {
        native::describe(&Self::view_document(view)?, separator)
            .map_err(invalid_metadata(&view.metadata_location))
    }

    async fn plan_register_view(&self, metadata_location: &str) -> Result<PlannedView, CatalogError> {
        let file = self.policy.check(metadata_location)?;
        let view = match self.read_view(&file, MetadataFile::at(metadata_location)).await {
            Ok(view) => view,
            Err(error @ (CatalogError::MetadataMissing(_) | CatalogError::MetadataInvalid { .. })) => {
                return Err(CatalogError::Invalid(format!(
                    "`{metadata_location}` is not a valid metadata file of a view: {error}"
                )));
            }
            Err(other) => return Err(other),
        };
        let location = self.policy.check_table(&view.metadata.facts.location)?;
        self.policy.check_part(&location, &view.metadata_location)?;
        Ok(PlannedView {
            view,
            base: None,
            location_is_new: true,
            file_exists: true,
        })
    }

    async fn write_view(&self, planned: &PlannedView) -> Result<(), CatalogError> {
        if planned.file_exists {
            return Ok(());
        }
        let view = &planned.view;
        let location = Location::parse(&view.metadata_location)?;
        let text = Bytes::copy_from_slice(view.metadata.json.get().as_bytes());
        self.storage.create(&location, text).await?;
        self.views
            .insert(location.to_string(), Arc::clone(&view.metadata));
        Ok(())
    }

    async fn discard_view(&self, planned: &PlannedView) {
        if !planned.file_exists {
            if let Ok(location) = Location::parse(&planned.view.metadata_location) {
                self.views.invalidate(&location.to_string());
            }
            self.remove_file(&planned.view.metadata_location).await;
        }
    }
}
