// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which files metadata names. What cannot be read or followed is an error, since a file that is not found to be named is
//! taken away; the only exception are the files of snapshots that a table no longer has, which may be gone with them.

use std::collections::BTreeSet;
use std::sync::Arc;

use iceberg::spec::ManifestFile;
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::loaded_table::LoadedTable;
use lakeward_catalog::metadata_file::MetadataFile;
use lakeward_catalog::table_maintenance::{FoundFile, FoundFiles, NamedFiles};
use lakeward_storage::{Location, Scheme, real};
use serde_json::Value;

use super::path::{decoded, plain};
use crate::document::{Document, invalid_metadata};
use crate::manifest::{Doubt, Room, entries_of, manifests};
use crate::provider::IcebergProvider;
use crate::purge::referenced_files;

/// Which entries of a manifest count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entries {
    /// Files of the table.
    Living,
    /// Those that are named as deleted, too.
    All,
}

/// What a snapshot must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    /// Everything.
    Required,
    /// What is gone names nothing.
    MayBeGone,
}

/// Notes what the snapshots of a version name, and the version itself.
pub(super) async fn note(
    provider: &IcebergProvider,
    table: &LoadedTable,
    counted: Entries,
    named: &mut NamedFiles,
) -> Result<(), CatalogError> {
    let document = IcebergProvider::document(table)?;
    note_metadata(table, &document, named).await?;
    let place = Place::of(provider, table, &document)?;
    for snapshot in document.list("snapshots") {
        place
            .note_snapshot(snapshot, Presence::Required, counted, named)
            .await?;
    }
    Ok(())
}

/// Notes, besides, what only the older versions name that a version keeps.
pub(super) async fn note_history(
    provider: &IcebergProvider,
    table: &LoadedTable,
    named: &mut NamedFiles,
) -> Result<(), CatalogError> {
    for file in metadata_log(&IcebergProvider::document(table)?) {
        // Digests of older versions are not kept. What one names is spared, so that a changed one cannot have a file deleted.
        let older = match provider.load_version(MetadataFile::at(&file)).await {
            Ok(older) => older,
            Err(CatalogError::MetadataMissing(_)) => continue,
            Err(error) => return Err(error),
        };
        let document = IcebergProvider::document(&older)?;
        note_metadata(&older, &document, named).await?;
        let place = Place::of(provider, &older, &document)?;
        for snapshot in document.list("snapshots") {
            place
                .note_snapshot(snapshot, Presence::MayBeGone, Entries::All, named)
                .await?;
        }
    }
    Ok(())
}

/// Notes what the metadata itself names.
pub(super) async fn note_metadata(
    table: &LoadedTable,
    document: &Document,
    named: &mut NamedFiles,
) -> Result<(), CatalogError> {
    let root = Location::parse(&table.metadata.facts().location)?;
    let mut files = vec![table.metadata_location.clone()];
    files.extend(metadata_log(document));
    files.extend(referenced_files(document));
    note_files(&root, files, named).await
}

fn metadata_log(document: &Document) -> Vec<String> {
    document
        .list("metadata-log")
        .iter()
        .filter_map(|entry| entry.get("metadata-file")?.as_str().map(str::to_owned))
        .collect()
}

/// The files that some of the snapshots of a version name and that are not named by what stays.
pub(super) async fn of_snapshots(
    provider: &IcebergProvider,
    table: &LoadedTable,
    expired: &[i64],
    named: &NamedFiles,
    most: usize,
) -> Result<FoundFiles, CatalogError> {
    let document = IcebergProvider::document(table)?;
    let place = Place::of(provider, table, &document)?;
    let mut found = Found {
        root: Location::parse(&table.metadata.facts().location)?,
        named,
        most,
        seen: BTreeSet::new(),
        files: FoundFiles::default(),
    };
    let expired: BTreeSet<i64> = expired.iter().copied().collect();
    let mut read = BTreeSet::new();
    let is_expired = |element: &&Value| {
        let id = element.get("snapshot-id").and_then(Value::as_i64);
        id.is_some_and(|id| expired.contains(&id))
    };
    for snapshot in document.list("snapshots").iter().filter(is_expired) {
        for manifest in place.manifests(snapshot).await.map_err(unfollowed)? {
            let path = manifest.manifest_path.clone();
            // All that a manifest names which stays is named by what stays.
            if named.was_read(&path) || !read.insert(path.clone()) {
                continue;
            }
            let bytes = u64::try_from(manifest.manifest_length).ok();
            for (file, bytes) in place.files(manifest, Entries::All).await.map_err(unfollowed)? {
                found.add(&file, Some(bytes))?;
            }
            found.add(&path, bytes)?;
        }
        if let Some(list) = snapshot.get("manifest-list").and_then(Value::as_str) {
            found.add(list, None)?;
        }
    }
    for list in ["statistics", "partition-statistics"] {
        for file in document.list(list).iter().filter(is_expired) {
            let bytes = file.get("file-size-in-bytes").and_then(Value::as_u64);
            if let Some(path) = file.get("statistics-path").and_then(Value::as_str) {
                found.add(path, bytes)?;
            }
        }
    }
    Ok(found.files)
}

/// What is collected.
struct Found<'a> {
    root: Location,
    named: &'a NamedFiles,
    most: usize,
    seen: BTreeSet<String>,
    files: FoundFiles,
}

impl Found<'_> {
    fn add(&mut self, file: &str, bytes: Option<u64>) -> Result<(), CatalogError> {
        let name = plain(file)?;
        if self.named.has(&name) || self.named.has(&decoded(&name)) {
            return Ok(());
        }
        // What is no location cannot be deleted here, and what lies outside may be another table's.
        let Some(location) = Location::parse(file)
            .ok()
            .filter(|location| location.is_within(&self.root))
        else {
            self.files.outside += 1;
            return Ok(());
        };
        let location = location.to_string();
        if self.seen.contains(&location) {
            return Ok(());
        }
        if self.files.files.len() == self.most {
            self.files.is_cut = true;
            return Ok(());
        }
        self.seen.insert(location.clone());
        self.files.files.push(FoundFile { location, bytes });
        Ok(())
    }
}

/// Where the files of a version are read.
struct Place<'a> {
    provider: &'a IcebergProvider,
    root: Location,
    version: i64,
}

impl<'a> Place<'a> {
    fn of(
        provider: &'a IcebergProvider,
        table: &LoadedTable,
        document: &Document,
    ) -> Result<Self, CatalogError> {
        let flaw = invalid_metadata(&table.metadata_location);
        Ok(Self {
            provider,
            root: Location::parse(&table.metadata.facts().location)?,
            version: document.format_version().map_err(flaw)?,
        })
    }

    async fn note_snapshot(
        &self,
        snapshot: &Value,
        presence: Presence,
        counted: Entries,
        named: &mut NamedFiles,
    ) -> Result<(), CatalogError> {
        let list = snapshot
            .get("manifest-list")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if named.was_read(list) {
            return Ok(());
        }
        let may_be_gone = presence == Presence::MayBeGone;
        let listed = match self.manifests(snapshot).await {
            Ok(listed) => listed,
            Err(Doubt::Missing(_)) if may_be_gone => return Ok(()),
            Err(doubt) => return Err(unfollowed(doubt)),
        };
        for manifest in listed {
            let path = manifest.manifest_path.clone();
            if named.was_read(&path) {
                continue;
            }
            note_files(&self.root, vec![path.clone()], named).await?;
            match self.files(manifest, counted).await {
                Ok(files) => {
                    let files = files.into_iter().map(|(file, _)| file).collect();
                    note_files(&self.root, files, named).await?;
                }
                Err(Doubt::Missing(_)) if may_be_gone => continue,
                Err(doubt) => return Err(unfollowed(doubt)),
            }
            named.note_read(&path);
        }
        named.note_read(list);
        Ok(())
    }

    async fn manifests(&self, snapshot: &Value) -> Result<Vec<ManifestFile>, Doubt> {
        if let Some(list) = snapshot.get("manifest-list").and_then(Value::as_str) {
            self.check(list)?;
        }
        manifests(self.provider, snapshot, self.version, &Arc::new(Room::new())).await
    }

    /// The files of a manifest, with their sizes.
    async fn files(&self, manifest: ManifestFile, counted: Entries) -> Result<Vec<(String, u64)>, Doubt> {
        self.check(&manifest.manifest_path)?;
        let read = entries_of(self.provider, manifest, Arc::new(Room::new())).await?;
        let counts = |is_alive: bool| is_alive || counted == Entries::All;
        Ok(read
            .entries
            .iter()
            .filter(|entry| counts(entry.is_alive()))
            .map(|entry| {
                let file = &entry.file;
                (file.file_path().to_owned(), file.file_size_in_bytes())
            })
            .collect())
    }

    /// Looks at nothing that the table may not be made of.
    fn check(&self, file: &str) -> Result<(), Doubt> {
        let checked = self.provider.policy.check_part(&self.root, file);
        checked.map(drop).map_err(Doubt::Failure)
    }
}

/// Notes files by each name that some client may know them by, and those of this machine also by where links on their way
/// lead, since they are found there.
async fn note_files(root: &Location, files: Vec<String>, named: &mut NamedFiles) -> Result<(), CatalogError> {
    for file in &files {
        let name = plain(file)?;
        named.note(&decoded(&name))?;
        if let Some(key) = key_elsewhere(root, &name) {
            named.note(&decoded(&key))?;
            named.note(&key)?;
        }
        named.note(&name)?;
    }
    let ways = files.into_iter().filter_map(|file| Location::parse(&file).ok());
    let ways: Vec<Location> = ways.filter(|way| way.scheme() == Scheme::File).collect();
    if ways.is_empty() {
        return Ok(());
    }
    let found = tokio::task::spawn_blocking(move || {
        let leads_elsewhere = |way: Location| match real(&way) {
            Ok(found) if found == way => None,
            found => Some(found),
        };
        ways.into_iter().filter_map(leads_elsewhere).collect::<Vec<_>>()
    });
    let found = found
        .await
        .map_err(|error| CatalogError::Unavailable(format!("a storage task did not finish: {error}")))?;
    for place in found {
        match place {
            Ok(place) => named.note(&place.to_string())?,
            // A link that leads nowhere leads to no file.
            Err(CatalogError::LocationRefused(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A file in a bucket of another name than the table's, by its key in that of the table: an access point is such a name of
/// the same bucket.
fn key_elsewhere(root: &Location, name: &str) -> Option<String> {
    let root = root.to_string();
    let (bucket, _) = root.strip_prefix("s3://")?.split_once('/')?;
    let (other, key) = name.strip_prefix("s3://")?.split_once('/')?;
    (other != bucket).then(|| format!("s3://{bucket}/{key}"))
}

/// Why nothing may be deleted.
fn unfollowed(doubt: Doubt) -> CatalogError {
    match doubt {
        Doubt::Reason(reason) | Doubt::Missing(reason) => CatalogError::Unsupported(format!(
            "it is not known which files the table needs, so none is deleted: {reason}"
        )),
        Doubt::Failure(error) => error,
    }
}

#[cfg(test)]
mod tests {
    use lakeward_storage::Location;

    use super::key_elsewhere;

    #[test]
    fn an_access_point_names_files_of_the_bucket() {
        let root = Location::parse("s3://bucket/w/t").unwrap();
        let found = |name| key_elsewhere(&root, name);
        assert_eq!(found("s3://bucket/w/t/data/x"), None);
        assert_eq!(
            found("s3://point-s3alias/w/t/data/x").as_deref(),
            Some("s3://bucket/w/t/data/x")
        );
        assert_eq!(found("file:///w/t/x"), None);
        assert_eq!(
            key_elsewhere(&Location::parse("file:///w/t").unwrap(), "s3://b/x"),
            None
        );
    }
}
