// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! One live Iceberg catalog: its policy, its storage, and a cache of metadata by location.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::loaded_table::{LoadedTable, TableMetadata};
use lakeward_catalog::metadata_file::MetadataFile;
use lakeward_catalog::provider::Provider;
use lakeward_catalog::storage_delegation::StorageDelegation;
use lakeward_catalog::table_catalog::TableCatalog;
use lakeward_catalog::table_maintenance::TableMaintenance;
use lakeward_catalog::view_catalog::{ViewCatalog, ViewMetadata};
use moka::sync::Cache;
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::document::{Document, invalid_metadata};
use crate::facts;
use crate::location_policy::LocationPolicy;
use lakeward_storage::{Delegation, Location, Storage};

/// How much metadata a catalog keeps in memory, in bytes of text.
const CACHE_BYTES: u64 = 256 * 1024 * 1024;
/// As much of the metadata of views.
const VIEW_CACHE_BYTES: u64 = 32 * 1024 * 1024;

/// How many scans a catalog plans at the same time; others wait.
const SCANS: usize = 4;

/// A catalog of the provider `lakehouse-iceberg`.
#[derive(Debug)]
pub(crate) struct IcebergProvider {
    pub(crate) policy: LocationPolicy,
    pub(crate) storage: Storage,
    pub(crate) delegation: Delegation,
    /// A metadata file never changes, so an entry is right for ever.
    metadata: Cache<String, Arc<TableMetadata>>,
    /// The same for views.
    pub(crate) views: Cache<String, Arc<ViewMetadata>>,
    /// Who may plan a scan now.
    pub(crate) scans: Arc<Semaphore>,
}

impl IcebergProvider {
    pub(crate) fn new(policy: LocationPolicy, storage: Storage, delegation: Delegation) -> Self {
        let metadata = Cache::builder()
            .max_capacity(CACHE_BYTES)
            .weigher(|_, metadata: &Arc<TableMetadata>| {
                u32::try_from(metadata.json().get().len()).unwrap_or(u32::MAX)
            })
            .build();
        let views = Cache::builder()
            .max_capacity(VIEW_CACHE_BYTES)
            .weigher(|_, metadata: &Arc<ViewMetadata>| {
                u32::try_from(metadata.json.get().len()).unwrap_or(u32::MAX)
            })
            .build();
        Self {
            policy,
            storage,
            delegation,
            metadata,
            views,
            scans: Arc::new(Semaphore::new(SCANS)),
        }
    }

    /// Loads a version from the cache or from storage.
    pub(crate) async fn load_version(&self, file: MetadataFile<'_>) -> Result<LoadedTable, CatalogError> {
        let location = self.policy.check_pointer(file.location)?;
        let metadata_location = location.to_string();
        // One with another digest was read before it was replaced; the file may be the right one by now.
        let cached = self.metadata.get(&metadata_location);
        if let Some(metadata) = cached.filter(|metadata| file.is(metadata.digest())) {
            return Ok(LoadedTable {
                metadata_location,
                metadata,
            });
        }
        self.read_version(&location, file).await
    }

    /// Reads a version from storage, whatever the cache has.
    pub(crate) async fn read_version(
        &self,
        location: &Location,
        file: MetadataFile<'_>,
    ) -> Result<LoadedTable, CatalogError> {
        let metadata_location = location.to_string();
        let text = self.read_text(location, file).await?;
        let metadata = Arc::new(facts::read(&text).map_err(invalid_metadata(&metadata_location))?);
        self.metadata
            .insert(metadata_location.clone(), Arc::clone(&metadata));
        Ok(LoadedTable {
            metadata_location,
            metadata,
        })
    }

    /// The text of a metadata file, if it is still what the host remembers: a writer of the table may have put something
    /// else there.
    ///
    /// # Errors
    /// [`CatalogError::MetadataChanged`], [`CatalogError::MetadataMissing`], [`CatalogError::MetadataInvalid`],
    /// [`CatalogError::Unavailable`].
    pub(crate) async fn read_text(
        &self,
        location: &Location,
        file: MetadataFile<'_>,
    ) -> Result<String, CatalogError> {
        let bytes = self.storage.read(location).await?;
        if let Some(known) = file.digest
            && facts::digest(&bytes) != known
        {
            return Err(CatalogError::MetadataChanged(file.location.to_owned()));
        }
        String::from_utf8(bytes.into())
            .map_err(|_| invalid_metadata(file.location)("it is no UTF-8 text".to_owned()))
    }

    /// The document of a loaded version.
    pub(crate) fn document(table: &LoadedTable) -> Result<Document, CatalogError> {
        Document::parse(table.metadata.json().get().as_bytes())
            .map_err(invalid_metadata(&table.metadata_location))
    }

    /// A new version of a table with the name of the file it will be written to.
    pub(crate) fn new_version(
        &self,
        document: &Document,
        base: Option<&str>,
    ) -> Result<LoadedTable, CatalogError> {
        let text = document.to_text().map_err(CatalogError::Invalid)?;
        let metadata = facts::read(&text).map_err(CatalogError::Invalid)?;
        let table = Location::parse(&metadata.facts().location)?;
        Ok(LoadedTable {
            metadata_location: self.metadata_file(document, &table, base)?,
            metadata: Arc::new(metadata),
        })
    }

    /// The name of the file that a new version of the table or view at `location` is written to.
    ///
    /// # Errors
    /// [`CatalogError::LocationRefused`] when its properties name a folder outside.
    pub(crate) fn metadata_file(
        &self,
        document: &Document,
        location: &Location,
        base: Option<&str>,
    ) -> Result<String, CatalogError> {
        let folder = match document.property("write.metadata.path") {
            Some(path) => self.policy.check_part(location, path)?,
            None => location.child("metadata")?,
        };
        let number = base.map_or(0, next_number);
        let file = folder.child(&format!(
            "{number:05}-{}.metadata.json",
            Uuid::new_v4().hyphenated()
        ))?;
        Ok(file.to_string())
    }

    /// Writes the file of a new version and keeps it in the cache.
    pub(crate) async fn store(&self, table: LoadedTable) -> Result<(), CatalogError> {
        let location = Location::parse(&table.metadata_location)?;
        let text = Bytes::copy_from_slice(table.metadata.json().get().as_bytes());
        self.storage.create(&location, text).await?;
        self.metadata.insert(table.metadata_location, table.metadata);
        Ok(())
    }

    /// Forgets and deletes a metadata file, best effort.
    pub(crate) async fn remove_file(&self, metadata_location: &str) {
        self.metadata.invalidate(metadata_location);
        let outcome = match Location::parse(metadata_location) {
            Ok(location) => self.storage.delete(&location).await,
            Err(error) => Err(error),
        };
        if let Err(error) = outcome {
            tracing::warn!(file = metadata_location, %error, "a metadata file that is not needed stays behind");
        }
    }
}

#[async_trait]
impl Provider for IcebergProvider {
    async fn test_connection(&self) -> Result<(), CatalogError> {
        self.storage.test(self.policy.warehouse()).await
    }

    fn tables(&self) -> Option<&dyn TableCatalog> {
        Some(self)
    }

    fn views(&self) -> Option<&dyn ViewCatalog> {
        Some(self)
    }

    fn delegation(&self) -> Option<&dyn StorageDelegation> {
        Some(self)
    }

    fn maintenance(&self) -> Option<&dyn TableMaintenance> {
        Some(self)
    }
}

/// The number after that of a metadata file; 0 for a file whose name has none.
fn next_number(metadata_location: &str) -> u64 {
    metadata_location
        .rsplit('/')
        .next()
        .and_then(|file| file.split_once('-'))
        .and_then(|(number, _)| number.parse::<u64>().ok())
        .map_or(0, |number| number.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::next_number;

    #[test]
    fn versions_count_up() {
        assert_eq!(next_number("s3://b/t/metadata/00041-9c12d441.metadata.json"), 42);
        assert_eq!(next_number("file:///t/metadata/v3.metadata.json"), 0);
    }
}
