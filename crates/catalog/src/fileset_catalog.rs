// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The face of a provider for filesets whose list and locations the host keeps.
//!
//! The provider says where a fileset lies and reaches its files. The host decides before any effect whether the place is
//! free, keeps the locations, and tells the provider when to make and to remove folders.

use std::collections::BTreeMap;

use async_trait::async_trait;
use lakeward_metadata::Properties;
use lakeward_metadata::fileset::{FileInfo, FilesetType};

use crate::error::CatalogError;

/// One place where a fileset's files lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilesetLocation {
    /// The name of the location in the fileset.
    pub name: String,
    /// The location as answers show it.
    pub shown: String,
    /// The canonical location: one text per place, `/` between segments, none at the end.
    pub canonical: String,
}

/// Where a fileset goes, and what it inherits there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilesetPlace {
    /// The full name of the schema.
    pub schema: String,
    /// The name in it.
    pub name: String,
    /// The properties of the schema.
    pub schema_properties: Properties,
}

/// What a caller says of a new fileset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilesetCreation {
    /// Whose its files are.
    pub fileset_type: FilesetType,
    /// Locations by name, as the caller spelled them.
    pub storage_locations: BTreeMap<String, String>,
    /// Settings; they have passed the declarations of the provider.
    pub properties: Properties,
}

/// A new fileset that is computed and not yet made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFileset {
    /// Where its files will lie, in the order of names; never empty.
    pub locations: Vec<FilesetLocation>,
    /// Its settings, with the default location's name.
    pub properties: Properties,
}

/// Folders that were made for a fileset, so that they can be taken away again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MadeFolders(pub Vec<String>);

/// Filesets of one catalog. Every `location` is a canonical one that this provider planned.
#[async_trait]
pub trait FilesetCatalog: Send + Sync {
    /// Checks the name and the properties of a schema that is new or changed.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`] and [`CatalogError::LocationRefused`] for what no fileset could lie in.
    fn check_schema(&self, schema: &str, properties: &Properties) -> Result<(), CatalogError>;

    /// Checks a new name of a fileset.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`].
    fn check_name(&self, name: &str) -> Result<(), CatalogError>;

    /// Where a new fileset would lie: the caller's locations, and those that schema and catalog hand down, with all
    /// placeholders replaced.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`] for locations that are missing or contradict each other, and for placeholders without a
    /// value; [`CatalogError::LocationRefused`].
    fn plan_create_fileset(
        &self,
        place: &FilesetPlace,
        creation: &FilesetCreation,
    ) -> Result<PlannedFileset, CatalogError>;

    /// Makes the folders of a planned fileset where they are missing. After an error none is left behind.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`] where a file is in the way, [`CatalogError::LocationRefused`] where a link is,
    /// [`CatalogError::Unavailable`].
    async fn make_folders(&self, planned: &PlannedFileset) -> Result<MadeFolders, CatalogError>;

    /// Takes away what [`FilesetCatalog::make_folders`] made, as far as it is empty. Best effort: an empty folder that stays is
    /// garbage, not damage.
    async fn unmake_folders(&self, made: &MadeFolders);

    /// The files and folders directly at a path inside a location. The path is relative however it begins; nothing
    /// outside the location is ever looked at, also not through links.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`] where there is no such folder or too much in it, [`CatalogError::LocationRefused`] for a
    /// path that leads out, [`CatalogError::Unsupported`] where the catalog is not to touch files,
    /// [`CatalogError::Unavailable`].
    async fn list_files(&self, location: &str, sub_path: &str) -> Result<Vec<FileInfo>, CatalogError>;

    /// The location of a path inside a location, as clients open it.
    ///
    /// # Errors
    /// [`CatalogError::LocationRefused`] for a path that leads out, [`CatalogError::Unavailable`].
    async fn file_location(&self, location: &FilesetLocation, sub_path: &str)
    -> Result<String, CatalogError>;

    /// Removes the folder of a managed fileset with everything in it. A missing one is no error.
    ///
    /// # Errors
    /// [`CatalogError::LocationRefused`] where a link has come in the way, [`CatalogError::Unavailable`].
    async fn remove_files(&self, location: &str) -> Result<(), CatalogError>;

    /// The folders in which filesets of a schema lie by default, as canonical locations; those with placeholders, which are no
    /// folders of the schema alone, are not among them.
    fn schema_folders(&self, schema: &str, properties: &Properties) -> Vec<String>;

    /// Removes a folder if it is empty. Best effort.
    async fn remove_empty_folder(&self, location: &str);

    /// Whether one of two locations lies inside the other, or they are equal.
    ///
    /// # Errors
    /// [`CatalogError::LocationRefused`] for a text that is no location.
    fn overlaps(&self, one: &str, other: &str) -> Result<bool, CatalogError>;
}
