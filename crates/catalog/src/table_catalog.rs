// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The face of a provider for tables whose list and current metadata location the host keeps.
//!
//! A change has three steps, so that the host can decide between them and so that its store stays the only judge
//! of races:
//! 1. the provider *plans*: it reads what it needs and computes the new metadata, without any effect;
//! 2. the host admits the plan (authorization, read restrictions, overlap with other tables), then lets the
//!    provider *write* the one new metadata file, which nothing refers to yet;
//! 3. the host compares and swaps the pointer in its own transaction. The loser of a race *discards* its file.
//!
//! So no provider needs a way back into the host's store, and a refusal leaves nothing changed.

use async_trait::async_trait;
use lakeward_metadata::Properties;
use lakeward_metadata::table::{TableChange, TableDefinition};
use lakeward_read_restrictions::admission::Ungoverned;
use serde_json::Value;

use crate::error::CatalogError;
use crate::loaded_table::LoadedTable;
use crate::metadata_file::MetadataFile;
use crate::scan::{IcebergScan, PinnedScan, ScanPart, ScanTasks};

/// Where a table stands, for deriving a default location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TablePlace {
    /// The levels of the namespace, outermost first.
    pub namespace: Vec<String>,
    /// The table's name.
    pub name: String,
    /// The `location` property of the namespace, where it has one.
    pub namespace_location: Option<String>,
    /// Ask for a location that nobody used before: set when the plain default overlaps another table's.
    pub unused_location: bool,
}

/// A new table in the words of the Iceberg REST protocol (`CreateTableRequest` without name and stage flag).
#[derive(Debug, Clone, PartialEq)]
pub struct IcebergTableCreation {
    /// `schema`: a struct with caller-chosen field ids, which are replaced.
    pub schema: Value,
    /// `location`; `None` for the default.
    pub location: Option<String>,
    /// `partition-spec`
    pub partition_spec: Option<Value>,
    /// `write-order`
    pub write_order: Option<Value>,
    /// `properties`, with `format-version` among them where wanted.
    pub properties: Properties,
}

/// A commit in the words of the Iceberg REST protocol. The elements stay JSON: what a provider does not know it
/// must be able to refuse by name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IcebergCommit {
    /// `requirements`
    pub requirements: Vec<Value>,
    /// `updates`
    pub updates: Vec<Value>,
}

/// What a planned change does to rows and columns that exist, for the rule that a restricted principal may only
/// append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitEffect {
    /// Only new rows, by what the updates say: each adds an append snapshot on the head of a branch, or moves the
    /// branch onto it. [`TableCatalog::prove_append`] looks whether that is so.
    AppendsOnly,
    /// Anything else: replaces, deletes, rolls back, changes schema, properties or location.
    Changes,
}

/// What the files of a commit say of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AppendProof {
    /// Every file of the table stays as it is, and only data files of its own were added.
    Holds,
    /// It does more, or it cannot be followed: for this reason, which speaks of the commit ("it removes files").
    Fails(String),
}

/// A change that is computed and not yet made.
#[derive(Debug)]
pub struct PlannedTable {
    /// The new version. Its `metadata_location` is where [`TableCatalog::write`] will put the file; a staged table
    /// is simply never written.
    pub table: Ungoverned<LoadedTable>,
    /// The metadata location that the change was computed from; `None` for a new table.
    pub base: Option<String>,
    /// The digest of the metadata there.
    pub base_digest: Option<String>,
    /// What it does to what exists.
    pub effect: CommitEffect,
    /// Whether the updates moved the table's base location (always `true` for a new table): then the host must
    /// look for overlaps.
    pub location_is_new: bool,
    /// Whether the metadata file exists already (a registration): then nothing is written or discarded.
    pub file_exists: bool,
    /// Metadata files that the change pushes out of the metadata log and that the table's properties ask to
    /// delete once the change holds.
    pub expired_metadata: Vec<String>,
}

/// Tables of one catalog.
#[async_trait]
pub trait TableCatalog: Send + Sync {
    /// Loads one version of a table. Versions are immutable, so answers are cached by location; a file with another digest
    /// than the host remembers is none.
    ///
    /// # Errors
    /// [`CatalogError::MetadataMissing`], [`CatalogError::MetadataInvalid`], [`CatalogError::MetadataChanged`],
    /// [`CatalogError::Unavailable`], [`CatalogError::LocationRefused`].
    async fn load(&self, file: MetadataFile<'_>) -> Result<Ungoverned<LoadedTable>, CatalogError>;

    /// Plans a new table.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`], [`CatalogError::Unsupported`], [`CatalogError::LocationRefused`].
    fn plan_create(
        &self,
        place: &TablePlace,
        creation: &IcebergTableCreation,
    ) -> Result<PlannedTable, CatalogError>;

    /// Plans a new table from the native definition.
    ///
    /// # Errors
    /// Those of [`TableCatalog::plan_create`]; [`CatalogError::Unsupported`] for types, transforms and indexes that
    /// the format does not have.
    fn plan_create_native(
        &self,
        place: &TablePlace,
        definition: &TableDefinition,
    ) -> Result<PlannedTable, CatalogError>;

    /// Plans native changes of the table whose current version is at `base`. A rename is the host's: it moves a
    /// row, not metadata.
    ///
    /// # Errors
    /// Those of [`TableCatalog::plan_commit`]; [`CatalogError::Unsupported`] for changes that the format does not
    /// have.
    async fn plan_alter_native(
        &self,
        place: &TablePlace,
        base: MetadataFile<'_>,
        changes: &[TableChange],
    ) -> Result<PlannedTable, CatalogError>;

    /// What a version looks like in native words.
    ///
    /// # Errors
    /// [`CatalogError::MetadataInvalid`] for metadata that names fields which are not there.
    fn describe(&self, table: &LoadedTable) -> Result<TableDefinition, CatalogError>;

    /// Plans a change of the table whose current version is at `base`, or (`None`) the creation of a table by a
    /// commit, which must then assert that it creates.
    ///
    /// # Errors
    /// [`CatalogError::RequirementFailed`], [`CatalogError::Invalid`], [`CatalogError::Unsupported`], and those of
    /// [`TableCatalog::load`].
    async fn plan_commit(
        &self,
        place: &TablePlace,
        base: Option<MetadataFile<'_>>,
        commit: &IcebergCommit,
    ) -> Result<PlannedTable, CatalogError>;

    /// Whether a planned commit with [`CommitEffect::AppendsOnly`] does append and nothing else, from the files that its
    /// snapshots name. For callers who see the table only in part; it reads the manifests that the commit replaces or
    /// adds.
    ///
    /// # Errors
    /// [`CatalogError::Unavailable`] when the files cannot be read at the moment, and those of [`TableCatalog::load`].
    async fn prove_append(&self, planned: &PlannedTable) -> Result<AppendProof, CatalogError>;

    /// Pins a scan of a version of a table to its snapshots and a schema, and checks what it names against them.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`] for a snapshot that the table does not have, a column that the schema does not have, and a
    /// filter that is none; [`CatalogError::Unsupported`] for a filter that is too long to be planned with;
    /// [`CatalogError::MetadataInvalid`].
    fn pin_scan(&self, table: &LoadedTable, scan: &IcebergScan) -> Result<PinnedScan, CatalogError>;

    /// The files that may hold rows which a pinned scan asks for, with every delete that applies to them. A file is left
    /// out only when nothing in it can match.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`] when the table no longer has the snapshot or schema, and for a part that the scan does not
    /// have; [`CatalogError::Unsupported`] for manifests that are too large or not to be followed;
    /// [`CatalogError::Unavailable`], [`CatalogError::MetadataInvalid`].
    async fn scan_tasks(
        &self,
        table: &LoadedTable,
        scan: &PinnedScan,
        part: ScanPart,
    ) -> Result<ScanTasks, CatalogError>;

    /// Plans the registration of an existing metadata file as a table, as it is at this moment: its digest is kept.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`] when there is no valid metadata file at the location,
    /// [`CatalogError::LocationRefused`] when file or table lie where the catalog may not reach.
    async fn plan_register(&self, metadata_location: &str) -> Result<PlannedTable, CatalogError>;

    /// Writes the metadata file of a plan, durably, and never over another file. A registered file is not written
    /// again.
    ///
    /// # Errors
    /// [`CatalogError::FileExists`], [`CatalogError::Unavailable`].
    async fn write(&self, planned: &PlannedTable) -> Result<(), CatalogError>;

    /// Removes the metadata file of a plan that lost its race. Best effort: a file that stays is garbage, not
    /// damage.
    async fn discard(&self, planned: &PlannedTable);

    /// Removes the metadata files that a change pushed out of the log. Best effort, only after the change holds.
    async fn remove_expired(&self, planned: &PlannedTable);

    /// Deletes every file of a dropped table that its metadata names and that lies inside the table's location:
    /// data and delete files, manifests, manifest lists, statistics, metadata files.
    ///
    /// # Errors
    /// [`CatalogError::Unavailable`] and those of [`TableCatalog::load`]; what was deleted until then stays
    /// deleted.
    async fn purge(&self, file: MetadataFile<'_>) -> Result<(), CatalogError>;

    /// The location of a namespace without a `location` property, for showing it.
    fn default_namespace_location(&self, namespace: &[String]) -> String;

    /// Checks the `location` property of a namespace and returns its canonical form.
    ///
    /// # Errors
    /// [`CatalogError::LocationRefused`].
    fn check_namespace_location(&self, location: &str) -> Result<String, CatalogError>;

    /// Whether two locations overlap: equal, or one inside the other. The one answer for check and for use.
    ///
    /// # Errors
    /// [`CatalogError::LocationRefused`] for a text that is no canonical location.
    fn overlaps(&self, one: &str, other: &str) -> Result<bool, CatalogError>;
}
