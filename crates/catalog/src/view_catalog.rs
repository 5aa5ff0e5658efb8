// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The face of a provider for views whose list and current metadata location the host keeps, as it does for tables
//! (see [`crate::table_catalog`]): plan, write, and the host swaps.
//!
//! A view is text: its metadata shows nothing of the tables that its queries name.

use std::sync::Arc;

use async_trait::async_trait;
use lakeward_metadata::Properties;
use lakeward_metadata::view::{ViewBody, ViewChange};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::error::CatalogError;
use crate::metadata_file::MetadataFile;
use crate::table_catalog::{IcebergCommit, TablePlace};

/// What the host needs to know of one version of a view's metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewFacts {
    /// The view's UUID, in lower case with hyphens.
    pub uuid: String,
    /// The view's base location, canonical.
    pub location: String,
}

/// One immutable version of a view's metadata.
#[derive(Debug)]
pub struct ViewMetadata {
    /// The stored JSON text, unchanged.
    pub json: Box<RawValue>,
    /// The SHA-256 of the file's bytes, as [`MetadataFile::digest`] has it.
    pub digest: String,
    /// The facts read from it.
    pub facts: ViewFacts,
}

/// A version of a view, with the file it is stored in. Cheap to clone.
#[derive(Debug, Clone)]
pub struct LoadedView {
    /// The location of the metadata file. For a planned version the file does not exist yet.
    pub metadata_location: String,
    /// The metadata.
    pub metadata: Arc<ViewMetadata>,
}

/// A new view in the words of the Iceberg REST protocol (`CreateViewRequest` without the name).
#[derive(Debug, Clone, PartialEq)]
pub struct IcebergViewCreation {
    /// `schema`
    pub schema: Value,
    /// `location`; `None` for the default.
    pub location: Option<String>,
    /// `view-version`; its `schema-id` is replaced by that of `schema`.
    pub view_version: Value,
    /// `properties`
    pub properties: Properties,
}

/// A view in native words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedView {
    /// What it is.
    pub body: ViewBody,
    /// Settings.
    pub properties: Properties,
}

/// A change of a view that is computed and not yet made.
#[derive(Debug, Clone)]
pub struct PlannedView {
    /// The new version. Its `metadata_location` is where [`ViewCatalog::write_view`] will put the file.
    pub view: LoadedView,
    /// The metadata location that the change was computed from; `None` for a new view.
    pub base: Option<String>,
    /// Whether the base location is another than before (always `true` for a new view): then the host must look for
    /// overlaps.
    pub location_is_new: bool,
    /// Whether the metadata file exists already (a registration): then nothing is written or discarded.
    pub file_exists: bool,
}

/// Where a view stands, and how the host joins the levels of a nested schema in names.
#[derive(Debug, Clone, Copy)]
pub struct ViewPlace<'a> {
    /// Where it stands.
    pub place: &'a TablePlace,
    /// The separator; empty where schemas do not nest.
    pub separator: &'a str,
}

/// Views of one catalog.
#[async_trait]
pub trait ViewCatalog: Send + Sync {
    /// Loads one version of a view. Versions are immutable, so answers are cached by location; a file with another digest
    /// than the host remembers is none.
    ///
    /// # Errors
    /// [`CatalogError::MetadataMissing`], [`CatalogError::MetadataInvalid`], [`CatalogError::MetadataChanged`],
    /// [`CatalogError::Unavailable`], [`CatalogError::LocationRefused`].
    async fn load_view(&self, file: MetadataFile<'_>) -> Result<LoadedView, CatalogError>;

    /// Plans a new view.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`], [`CatalogError::LocationRefused`].
    fn plan_create_view(
        &self,
        place: &TablePlace,
        creation: &IcebergViewCreation,
    ) -> Result<PlannedView, CatalogError>;

    /// Plans a new view from its native form.
    ///
    /// # Errors
    /// Those of [`ViewCatalog::plan_create_view`]; [`CatalogError::Invalid`] for types that the format does not have.
    fn plan_create_view_native(
        &self,
        place: ViewPlace<'_>,
        described: &DescribedView,
    ) -> Result<PlannedView, CatalogError>;

    /// Plans a change of the view whose current version is at `base`; `None` when it changes nothing.
    ///
    /// # Errors
    /// [`CatalogError::RequirementFailed`], [`CatalogError::Invalid`], [`CatalogError::Unsupported`], and those of
    /// [`ViewCatalog::load_view`].
    async fn plan_replace_view(
        &self,
        base: MetadataFile<'_>,
        commit: &IcebergCommit,
    ) -> Result<Option<PlannedView>, CatalogError>;

    /// Plans native changes of the view whose current version is at `base`; `None` when they change nothing. A rename is
    /// the host's and is not among them.
    ///
    /// # Errors
    /// Those of [`ViewCatalog::plan_replace_view`].
    async fn plan_alter_view_native(
        &self,
        place: ViewPlace<'_>,
        base: MetadataFile<'_>,
        changes: &[ViewChange],
    ) -> Result<Option<PlannedView>, CatalogError>;

    /// What a version looks like in native words.
    ///
    /// # Errors
    /// [`CatalogError::MetadataInvalid`].
    fn describe_view(&self, view: &LoadedView, separator: &str) -> Result<DescribedView, CatalogError>;

    /// Plans the registration of an existing metadata file as a view.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`] when there is no valid metadata file of a view at the location,
    /// [`CatalogError::LocationRefused`] when file or view lie where the catalog may not reach.
    async fn plan_register_view(&self, metadata_location: &str) -> Result<PlannedView, CatalogError>;

    /// Writes the metadata file of a plan, durably, and never over another file.
    ///
    /// # Errors
    /// [`CatalogError::FileExists`], [`CatalogError::Unavailable`].
    async fn write_view(&self, planned: &PlannedView) -> Result<(), CatalogError>;

    /// Removes the metadata file of a plan that lost its race. Best effort: a file that stays is garbage, not damage.
    async fn discard_view(&self, planned: &PlannedView);
}
