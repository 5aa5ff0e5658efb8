// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What lies in filesets: files are listed, and paths become the locations that clients open.

use lakeward_authorization::Authorized;
use lakeward_catalog::fileset_catalog::FilesetLocation;
use lakeward_metadata::fileset::{DEFAULT_LOCATION_NAME, FileInfo};
use lakeward_store::ObjectRow;

use crate::Operations;
use crate::caller::Call;
use crate::error::{Noun, OperationError};
use crate::paths::FilesetPath;
use crate::providers::filesets_of;

/// What a client is about to do at a location that it asks for, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataOperation {
    /// It renames what lies there.
    Rename,
    /// Anything else.
    Other,
}

impl Operations {
    /// The files and folders directly at a path of a fileset, at the location of a name or the default one.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] also for the name of a location, [`OperationError::Disabled`],
    /// [`OperationError::Invalid`] for a path that does not exist or leads out of the fileset,
    /// [`OperationError::Unsupported`] where the catalog leaves files alone, [`OperationError::Unreachable`].
    pub async fn list_files(
        &self,
        call: &Call,
        _: Authorized<FilesetPath>,
        sub_path: &str,
        location_name: Option<&str>,
    ) -> Result<Vec<FileInfo>, OperationError> {
        let found = call.facts.found()?;
        let row = self.fileset_row(call, found)?;
        let location = self.fileset_location(row, location_name).await?;
        let provider = self.provider_in(&found.metalake, found)?;
        let filesets = filesets_of(provider.as_ref())?;
        Ok(filesets.list_files(&location.canonical, sub_path).await?)
    }

    /// The location of a path of a fileset, at the location of a name or the default one.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] also for the name of a location, [`OperationError::Disabled`],
    /// [`OperationError::Invalid`] for a path that leads out of the fileset, [`OperationError::Unsupported`] for the
    /// fileset itself where it is to be renamed: we would not know where its files are then.
    pub async fn file_location(
        &self,
        call: &Call,
        _: Authorized<FilesetPath>,
        sub_path: &str,
        location_name: Option<&str>,
        next: DataOperation,
    ) -> Result<String, OperationError> {
        let found = call.facts.found()?;
        let row = self.fileset_row(call, found)?;
        let location = self.fileset_location(row, location_name).await?;
        let provider = self.provider_in(&found.metalake, found)?;
        let filesets = filesets_of(provider.as_ref())?;
        let told = filesets.file_location(&location, sub_path).await?;
        if next == DataOperation::Rename && told == location.shown {
            return Err(OperationError::Unsupported(
                "the folder of a fileset cannot be renamed, only what lies in it".to_owned(),
            ));
        }
        Ok(told)
    }

    async fn fileset_location(
        &self,
        fileset: &ObjectRow,
        name: Option<&str>,
    ) -> Result<FilesetLocation, OperationError> {
        let places = self
            .store()
            .snapshot()
            .await?
            .fileset_locations(fileset.id)
            .await?;
        let default = fileset.properties.get(DEFAULT_LOCATION_NAME).map(String::as_str);
        let wanted = name.or(default).unwrap_or_default();
        places
            .into_iter()
            .find(|place| place.name == wanted)
            .map(|place| FilesetLocation {
                name: place.name,
                shown: place.shown,
                canonical: place.location,
            })
            .ok_or_else(|| OperationError::not_found(Noun::LocationName, wanted))
    }
}
