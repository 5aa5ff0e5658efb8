// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Maintenance of tables: which snapshots may go, which files nothing names any more, and taking those away.
//!
//! A provider only says and deletes. The host decides who may, makes the commit, and looks before every deletion whether
//! the table is still what was looked at:
//!
//! ```text
//! let planned = maintenance.plan_expiry(&table, &expiry)?;            // pure: nothing is read or written
//! maintenance.note_living(&after, &mut named).await?;                 // all that the table will still read
//! let files = maintenance.files_of_expired(&table, &planned.snapshots, &named, most).await?;
//! // … the commit; then, again and again: newer versions are noted, and what they name is left out
//! maintenance.delete_file(&table, &file.location).await?;
//! ```

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use async_trait::async_trait;

use crate::error::CatalogError;
use crate::loaded_table::LoadedTable;
use crate::table_catalog::IcebergCommit;

/// What to expire, where neither a branch or tag nor a property of the table says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expiry {
    /// The time of the run, epoch milliseconds.
    pub now: i64,
    /// Snapshots that are older may go, epoch milliseconds; `None` for what `history.expire.max-snapshot-age-ms` says.
    pub older_than: Option<i64>,
    /// How many snapshots of each branch stay whatever their age; `None` for what `history.expire.min-snapshots-to-keep`
    /// says.
    pub retain_last: Option<u64>,
    /// Whether snapshots of no branch or tag may go that are younger than 24 hours, which may be staged and about to be
    /// published.
    pub allow_recent: bool,
}

/// What an expiry takes away, and the commit that does.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlannedExpiry {
    /// The ids of the snapshots that go, in the order of the metadata.
    pub snapshots: Vec<i64>,
    /// Branches and tags that are older than they say that they may become.
    pub references: Vec<String>,
    /// The commit, which requires that no branch or tag has moved.
    pub commit: IcebergCommit,
}

/// A file that may be taken away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFile {
    /// Where it is, canonical.
    pub location: String,
    /// How many bytes it has, where that is known.
    pub bytes: Option<u64>,
}

/// Files that may be taken away.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FoundFiles {
    /// At most as many as were asked for.
    pub files: Vec<FoundFile>,
    /// Whether there are more.
    pub is_cut: bool,
    /// How many there are besides that lie outside the table's location, which nobody here takes away.
    pub outside: u64,
}

/// Which files of a table's location are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sought {
    /// All of them.
    Everything,
    /// Files of metadata (`….metadata.json`) in the folder of metadata.
    MetadataFiles,
}

/// The most files that are remembered, some 16 bytes each.
const MOST_NAMED: usize = 20_000_000;

/// Files that versions of a table name. It holds a number for each and not its name: two files that share one are taken
/// for the same, so that, once in a very long while, a file stays that could go. Of the files that were read, which are
/// few beside the others, it holds the names, since nothing may be taken for read that was not.
#[derive(Debug, Default)]
pub struct NamedFiles {
    numbers: RandomState,
    files: HashSet<u64>,
    read: HashSet<String>,
}

impl NamedFiles {
    /// Notes a file by its canonical name.
    ///
    /// # Errors
    /// [`CatalogError::Unsupported`] when there are more than can be remembered.
    pub fn note(&mut self, name: &str) -> Result<(), CatalogError> {
        if self.files.len() >= MOST_NAMED {
            return Err(CatalogError::Unsupported(format!(
                "the table names more than {MOST_NAMED} files, which is more than are compared here"
            )));
        }
        self.files.insert(self.numbers.hash_one(name));
        Ok(())
    }

    /// Whether a file was noted, or may have been.
    pub fn has(&self, name: &str) -> bool {
        self.files.contains(&self.numbers.hash_one(name))
    }

    /// How many files were noted.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Notes that what a file of metadata names is noted.
    pub fn note_read(&mut self, name: &str) {
        self.read.insert(name.to_owned());
    }

    /// Whether what a file of metadata names was noted before. Files of metadata never change.
    pub fn was_read(&self, name: &str) -> bool {
        self.read.contains(name)
    }
}

/// Maintenance of the tables of one catalog.
#[async_trait]
pub trait TableMaintenance: Send + Sync {
    /// Which snapshots, branches and tags of a version may go, by the rules of Iceberg: what a branch or tag keeps stays,
    /// those of the table's properties hold where it says nothing, and `main` and what it points to always stay.
    ///
    /// # Errors
    /// [`CatalogError::Unsupported`] for a table whose files are not its own (`gc.enabled`);
    /// [`CatalogError::MetadataInvalid`].
    fn plan_expiry(&self, table: &LoadedTable, expiry: &Expiry) -> Result<PlannedExpiry, CatalogError>;

    /// Notes every file that is read for some snapshot of a version, and what the metadata itself names.
    ///
    /// # Errors
    /// [`CatalogError::Unsupported`] when anything of it cannot be read or followed: then nothing may be deleted;
    /// [`CatalogError::Unavailable`].
    async fn note_living(&self, table: &LoadedTable, named: &mut NamedFiles) -> Result<(), CatalogError>;

    /// Notes every file that anything of a version names: also files that are named as deleted, and those that only older
    /// metadata names which the version still keeps.
    ///
    /// # Errors
    /// As [`Self::note_living`].
    async fn note_everything(&self, table: &LoadedTable, named: &mut NamedFiles) -> Result<(), CatalogError>;

    /// Notes the files of metadata that a version keeps, and reads none of them.
    ///
    /// # Errors
    /// [`CatalogError::Unsupported`], [`CatalogError::MetadataInvalid`].
    async fn note_metadata(&self, table: &LoadedTable, named: &mut NamedFiles) -> Result<(), CatalogError>;

    /// The files of expired snapshots of a version, at most `most`, that are not `named` by what stays.
    ///
    /// # Errors
    /// As [`Self::note_living`].
    async fn files_of_expired(
        &self,
        table: &LoadedTable,
        expired: &[i64],
        named: &NamedFiles,
        most: usize,
    ) -> Result<FoundFiles, CatalogError>;

    /// The files, at most `most`, that lie in the location of a table, were last changed before `older_than` (epoch
    /// milliseconds), and are not `named`. Hidden ones (`.` and `_`), links, and what no location can name are left alone.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`] for a folder with too much in it, [`CatalogError::LocationRefused`],
    /// [`CatalogError::Unavailable`].
    async fn find_unnamed(
        &self,
        table: &LoadedTable,
        sought: Sought,
        older_than: i64,
        named: &NamedFiles,
        most: usize,
    ) -> Result<FoundFiles, CatalogError>;

    /// Whether a found file is named by what was noted since.
    fn is_named(&self, file: &FoundFile, named: &NamedFiles) -> bool;

    /// Deletes a file in the location of a table; one that is gone is no error.
    ///
    /// # Errors
    /// [`CatalogError::LocationRefused`] for a file outside, [`CatalogError::Unavailable`].
    async fn delete_file(&self, table: &LoadedTable, file: &FoundFile) -> Result<(), CatalogError>;
}
