// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The provider's face for tables.

use async_trait::async_trait;
use chrono::Utc;
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::loaded_table::LoadedTable;
use lakeward_catalog::metadata_file::MetadataFile;
use lakeward_catalog::scan::{IcebergScan, PinnedScan, ScanPart, ScanTasks};
use lakeward_catalog::table_catalog::{
    AppendProof, CommitEffect, IcebergCommit, IcebergTableCreation, PlannedTable, TableCatalog, TablePlace,
};
use lakeward_metadata::table::{TableChange, TableDefinition};
use lakeward_read_restrictions::admission::Ungoverned;

use crate::append;
use crate::commit::{Base, apply};
use crate::creation::first_version;
use crate::document::{Document, invalid_metadata};
use crate::native;
use crate::provider::IcebergProvider;
use crate::purge::{purge, referenced_files};
use lakeward_storage::real;
use lakeward_storage::{Location, spelled};

impl IcebergProvider {
    fn plan(
        &self,
        document: &Document,
        base: Option<&LoadedTable>,
        effect: CommitEffect,
        location_is_new: bool,
        expired_metadata: Vec<String>,
    ) -> Result<PlannedTable, CatalogError> {
        Ok(PlannedTable {
            table: Ungoverned::new(
                self.new_version(document, base.map(|base| base.metadata_location.as_str()))?,
            ),
            base: base.map(|base| base.metadata_location.clone()),
            base_digest: base.map(|base| base.metadata.digest().to_owned()),
            effect,
            location_is_new,
            file_exists: false,
            expired_metadata,
        })
    }

    fn plan_change(
        &self,
        base: Option<(&LoadedTable, &Document)>,
        commit: &IcebergCommit,
    ) -> Result<PlannedTable, CatalogError> {
        let changed = base.map(|(table, document)| Base {
            metadata_location: &table.metadata_location,
            document,
        });
        let outcome = apply(changed, commit, &self.policy, Utc::now().timestamp_millis())?;
        self.plan(
            &outcome.document,
            base.map(|(table, _)| table),
            outcome.effect,
            outcome.location_is_new,
            outcome.expired_metadata,
        )
    }
}

#[async_trait]
impl TableCatalog for IcebergProvider {
    async fn load(&self, file: MetadataFile<'_>) -> Result<Ungoverned<LoadedTable>, CatalogError> {
        Ok(Ungoverned::new(self.load_version(file).await?))
    }

    fn plan_create(
        &self,
        place: &TablePlace,
        creation: &IcebergTableCreation,
    ) -> Result<PlannedTable, CatalogError> {
        let location = match &creation.location {
            Some(location) => self.policy.check_table(location)?,
            None => self.policy.default_table(place)?,
        };
        for name in crate::location_policy::PATH_PROPERTIES {
            if let Some(path) = creation.properties.get(*name) {
                self.policy.check_part(&location, path)?;
            }
        }
        let spelling = match &creation.location {
            Some(text) => spelled(text, &location),
            None => location.to_string(),
        };
        let document = first_version(creation, &spelling, Utc::now().timestamp_millis())?;
        crate::oracle::check(&document).map_err(CatalogError::Invalid)?;
        self.plan(&document, None, CommitEffect::Changes, true, Vec::new())
    }

    fn plan_create_native(
        &self,
        place: &TablePlace,
        definition: &TableDefinition,
    ) -> Result<PlannedTable, CatalogError> {
        self.plan_create(place, &native::create::creation(definition)?)
    }

    async fn plan_alter_native(
        &self,
        _place: &TablePlace,
        base: MetadataFile<'_>,
        changes: &[TableChange],
    ) -> Result<PlannedTable, CatalogError> {
        let table = self.load_version(base).await?;
        let document = Self::document(&table)?;
        let commit = native::change::commit(&document, changes)?;
        self.plan_change(Some((&table, &document)), &commit)
    }

    fn describe(&self, table: &LoadedTable) -> Result<TableDefinition, CatalogError> {
        Document::parse_outline(table.metadata.json().get())
            .and_then(|document| native::describe::describe(&document))
            .map_err(invalid_metadata(&table.metadata_location))
    }

    async fn plan_commit(
        &self,
        _place: &TablePlace,
        base: Option<MetadataFile<'_>>,
        commit: &IcebergCommit,
    ) -> Result<PlannedTable, CatalogError> {
        let Some(base) = base else {
            return self.plan_change(None, commit);
        };
        let table = self.load_version(base).await?;
        let document = Self::document(&table)?;
        self.plan_change(Some((&table, &document)), commit)
    }

    async fn prove_append(&self, planned: &PlannedTable) -> Result<AppendProof, CatalogError> {
        if planned.effect != CommitEffect::AppendsOnly {
            return Ok(AppendProof::Fails("it does more than append".to_owned()));
        }
        let Some(base) = &planned.base else {
            return Ok(AppendProof::Fails("it creates the table".to_owned()));
        };
        let base = MetadataFile {
            location: base,
            digest: planned.base_digest.as_deref(),
        };
        let before = Self::document(&self.load_version(base).await?)?;
        let after = planned.table.map_ref(Self::document)?;
        append::prove(self, &before, &after).await
    }

    fn pin_scan(&self, table: &LoadedTable, scan: &IcebergScan) -> Result<PinnedScan, CatalogError> {
        crate::scan::pin(&Self::document(table)?, scan)
    }

    async fn scan_tasks(
        &self,
        table: &LoadedTable,
        scan: &PinnedScan,
        part: ScanPart,
    ) -> Result<ScanTasks, CatalogError> {
        crate::scan::tasks(self, &Self::document(table)?, scan, part).await
    }

    async fn plan_register(&self, metadata_location: &str) -> Result<PlannedTable, CatalogError> {
        let not_valid = |reason: &dyn std::fmt::Display| {
            CatalogError::Invalid(format!(
                "`{metadata_location}` is not a valid metadata file: {reason}"
            ))
        };
        let file = self.policy.check(metadata_location)?;
        // From storage: what is registered is what others will read there, and it may have been replaced since it was cached.
        let table = match self
            .read_version(&file, MetadataFile::at(metadata_location))
            .await
        {
            Ok(table) => table,
            Err(error @ (CatalogError::MetadataMissing(_) | CatalogError::MetadataInvalid { .. })) => {
                return Err(not_valid(&error));
            }
            Err(other) => return Err(other),
        };
        let document = Self::document(&table).map_err(|error| not_valid(&error))?;
        let location = self.policy.check_table(&table.metadata.facts().location)?;
        // A file that somebody wrote by hand could make a table of another table's files.
        self.policy.check_part(&location, &table.metadata_location)?;
        for file in referenced_files(&document) {
            self.policy.check_part(&location, &file)?;
        }
        crate::oracle::check(&document).map_err(|reason| not_valid(&reason))?;
        Ok(PlannedTable {
            table: Ungoverned::new(table),
            base: None,
            base_digest: None,
            effect: CommitEffect::Changes,
            location_is_new: true,
            file_exists: true,
            expired_metadata: Vec::new(),
        })
    }

    async fn write(&self, planned: &PlannedTable) -> Result<(), CatalogError> {
        if planned.file_exists {
            return Ok(());
        }
        self.store(planned.table.map_ref(Clone::clone)).await
    }

    async fn discard(&self, planned: &PlannedTable) {
        if !planned.file_exists {
            let file = planned.table.map_ref(|table| table.metadata_location.clone());
            self.remove_file(&file).await;
        }
    }

    async fn remove_expired(&self, planned: &PlannedTable) {
        let location = planned
            .table
            .map_ref(|table| table.metadata.facts().location.clone());
        // The log may name anything, since a registered file brought it: also files of other tables, in locations that
        // the catalog's owner allows.
        for file in &planned.expired_metadata {
            let is_own = Location::parse(&location)
                .and_then(|table| Ok(Location::parse(file)?.is_within(&table)))
                .unwrap_or(false);
            if is_own {
                self.remove_file(file).await;
            }
        }
    }

    async fn purge(&self, file: MetadataFile<'_>) -> Result<(), CatalogError> {
        purge(self, file).await
    }

    fn default_namespace_location(&self, namespace: &[String]) -> String {
        self.policy.default_namespace(namespace).to_string()
    }

    fn check_namespace_location(&self, location: &str) -> Result<String, CatalogError> {
        Ok(self.policy.check(location)?.to_string())
    }

    fn overlaps(&self, one: &str, other: &str) -> Result<bool, CatalogError> {
        let real = |text: &str| Location::parse(text).and_then(|location| real(&location));
        Ok(real(one)?.overlaps(&real(other)?))
    }
}
