// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Maintenance of tables. Nothing is deleted here but by [`TableMaintenance::delete_file`], and that only inside the
//! table's own location.

mod expiry;
mod named;
mod path;
mod unnamed;

use async_trait::async_trait;
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::loaded_table::LoadedTable;
use lakeward_catalog::table_maintenance::{
    Expiry, FoundFile, FoundFiles, NamedFiles, PlannedExpiry, Sought, TableMaintenance,
};
use lakeward_storage::{Location, real};

use self::named::Entries;
use crate::document::{Document, invalid_metadata};
use crate::provider::IcebergProvider;

#[async_trait]
impl TableMaintenance for IcebergProvider {
    fn plan_expiry(&self, table: &LoadedTable, expiry: &Expiry) -> Result<PlannedExpiry, CatalogError> {
        let document = Self::document(table)?;
        require_own_files(&document)?;
        expiry::plan(&document, expiry).map_err(invalid_metadata(&table.metadata_location))
    }

    async fn note_living(&self, table: &LoadedTable, named: &mut NamedFiles) -> Result<(), CatalogError> {
        require_own_files(&Self::document(table)?)?;
        named::note(self, table, Entries::Living, named).await
    }

    async fn note_everything(&self, table: &LoadedTable, named: &mut NamedFiles) -> Result<(), CatalogError> {
        require_own_files(&Self::document(table)?)?;
        named::note(self, table, Entries::All, named).await?;
        named::note_history(self, table, named).await
    }

    async fn note_metadata(&self, table: &LoadedTable, named: &mut NamedFiles) -> Result<(), CatalogError> {
        let document = Self::document(table)?;
        require_own_files(&document)?;
        named::note_metadata(table, &document, named).await
    }

    async fn files_of_expired(
        &self,
        table: &LoadedTable,
        expired: &[i64],
        named: &NamedFiles,
        most: usize,
    ) -> Result<FoundFiles, CatalogError> {
        named::of_snapshots(self, table, expired, named, most).await
    }

    async fn find_unnamed(
        &self,
        table: &LoadedTable,
        sought: Sought,
        older_than: i64,
        named: &NamedFiles,
        most: usize,
    ) -> Result<FoundFiles, CatalogError> {
        require_own_files(&Self::document(table)?)?;
        unnamed::find(self, table, sought, older_than, named, most).await
    }

    fn is_named(&self, file: &FoundFile, named: &NamedFiles) -> bool {
        unnamed::is_named(&file.location, named)
    }

    async fn delete_file(&self, table: &LoadedTable, file: &FoundFile) -> Result<(), CatalogError> {
        let location = Location::parse(&file.location)?;
        let root = Location::parse(&table.metadata.facts().location)?;
        if location == root || !location.is_within(&root) {
            return Err(CatalogError::LocationRefused(format!(
                "`{location}` is not deleted: it lies outside the table's location `{root}`"
            )));
        }
        if real(&location)? != location {
            return Err(CatalogError::LocationRefused(format!(
                "`{location}` is not deleted: a link is on the way"
            )));
        }
        self.storage.delete(&location).await
    }
}

/// Refuses a table that has the mark of one that shares its files with another.
fn require_own_files(document: &Document) -> Result<(), CatalogError> {
    if document
        .property("gc.enabled")
        .is_none_or(|text| !text.eq_ignore_ascii_case("false"))
    {
        return Ok(());
    }
    Err(CatalogError::Unsupported(
        "the table's property `gc.enabled` is false: its files may belong to another table, and none is deleted".to_owned(),
    ))
}
