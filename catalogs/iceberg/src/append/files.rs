// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a snapshot does to the files of its parent, read from manifest lists and manifests.
//!
//! Manifests that both snapshots list are taken as unchanged and not read. The others are compared entry by entry, so
//! that a writer may merge small manifests, as Iceberg's own does. Partition summaries of merged manifests are not
//! computed again, and whether an added file was part of the table before is not looked up: both would take reading all
//! manifests of the table for every append.

use std::collections::{HashMap, HashSet};

use futures::{StreamExt, TryStreamExt, stream};
use iceberg::spec::{
    DataContentType, DataFile, FormatVersion, Manifest, ManifestContentType, ManifestFile, ManifestList,
    ManifestStatus,
};
use lakeward_catalog::error::CatalogError;
use serde_json::{Value, json};

use super::{Doubt, Step};
use crate::document::Document;
use crate::location::Location;
use crate::provider::IcebergProvider;

/// How many manifests are read at the same time.
const CONCURRENCY: usize = 8;

/// What identifies a file: its path, and the offset of what lies in it besides others (deletion vectors).
type FileKey = (String, Option<i64>);

/// An entry of a manifest with what it inherits.
#[derive(Debug)]
struct Entry {
    status: ManifestStatus,
    snapshot: i64,
    sequence: Option<i64>,
    file_sequence: Option<i64>,
    file: DataFile,
}

/// Every file of the parent is still there, unchanged, and every other file is a new data file of the table's own.
pub(super) async fn only_added(
    provider: &IcebergProvider,
    table: &Location,
    document: &Document,
    step: &Step<'_>,
) -> Result<(), Doubt> {
    let snapshot = step.snapshot;
    if snapshot.pointer("/summary/operation") != Some(&json!("append")) {
        return Err(Doubt::of("its snapshot is no append"));
    }
    let id = whole(snapshot, "snapshot-id")?;
    let sequence = snapshot
        .get("sequence-number")
        .and_then(Value::as_i64)
        .unwrap_or(0);
    let version = document.format_version().map_err(Doubt::Reason)?;
    let before = match step.parent {
        None => Vec::new(),
        Some(parent) => manifests(provider, parent, version).await?,
    };
    let after = manifests(provider, snapshot, version).await?;
    let (gone, fresh) = differing(before, after)?;
    for manifest in &fresh {
        own(table, &manifest.manifest_path)?;
        if version >= 2 && (manifest.added_snapshot_id, manifest.sequence_number) != (id, sequence) {
            return Err(Doubt::of("it lists a manifest as one of another snapshot"));
        }
    }
    let mut live: HashMap<FileKey, Entry> = HashMap::new();
    for entry in entries(provider, &gone).await? {
        if entry.status != ManifestStatus::Deleted {
            live.insert(key(&entry.file), entry);
        }
    }
    let known: HashSet<FileKey> = live.keys().cloned().collect();
    let mut added = HashSet::new();
    for entry in entries(provider, &fresh).await? {
        match entry.status {
            ManifestStatus::Deleted => return Err(Doubt::of("it removes files of the table")),
            ManifestStatus::Existing => match live.remove(&key(&entry.file)) {
                Some(before) if is_kept(&before, &entry) => {}
                Some(_) | None => return Err(Doubt::of("it changes what is said of files of the table")),
            },
            ManifestStatus::Added => {
                let path = entry.file.file_path();
                if entry.file.content_type() != DataContentType::Data {
                    return Err(Doubt::of("it adds a file of deletes"));
                }
                own(table, path)?;
                let is_new = version < 2 || entry.sequence.is_none_or(|number| number == sequence);
                if entry.snapshot != id || !is_new {
                    return Err(Doubt::of(format!("it adds `{path}` as if it were older")));
                }
                if known.contains(&key(&entry.file)) || !added.insert(key(&entry.file)) {
                    return Err(Doubt::of(format!("it adds `{path}` a second time")));
                }
            }
        }
    }
    if live.is_empty() {
        return Ok(());
    }
    Err(Doubt::of("it leaves out files of the table"))
}

/// The manifests that only one of the two lists has; what both have must be listed alike.
fn differing(
    before: Vec<ManifestFile>,
    after: Vec<ManifestFile>,
) -> Result<(Vec<ManifestFile>, Vec<ManifestFile>), Doubt> {
    let mut gone: HashMap<String, ManifestFile> = before
        .into_iter()
        .map(|manifest| (manifest.manifest_path.clone(), manifest))
        .collect();
    let mut fresh = Vec::new();
    let mut listed = HashSet::new();
    for manifest in after {
        if !listed.insert(manifest.manifest_path.clone()) {
            return Err(Doubt::of("it lists a manifest twice"));
        }
        match gone.remove(&manifest.manifest_path) {
            None => fresh.push(manifest),
            Some(known) if is_listed_alike(&known, &manifest) => {}
            Some(_) => return Err(Doubt::of("it changes what is said of a manifest of the table")),
        }
    }
    Ok((gone.into_values().collect(), fresh))
}

/// Rows get their ids when the table first has some, which is no change of them.
fn is_listed_alike(known: &ManifestFile, now: &ManifestFile) -> bool {
    let mut known = known.clone();
    if known.first_row_id.is_none() {
        known.first_row_id = now.first_row_id;
    }
    known == *now
}

fn is_kept(known: &Entry, now: &Entry) -> bool {
    let one = &known.file;
    let other = &now.file;
    known.snapshot == now.snapshot
        && known.sequence == now.sequence
        && known.file_sequence == now.file_sequence
        && one.content_type() == other.content_type()
        && one.file_format() == other.file_format()
        && one.partition() == other.partition()
        && one.record_count() == other.record_count()
        && one.file_size_in_bytes() == other.file_size_in_bytes()
        && one.column_sizes() == other.column_sizes()
        && one.value_counts() == other.value_counts()
        && one.null_value_counts() == other.null_value_counts()
        && one.nan_value_counts() == other.nan_value_counts()
        && one.lower_bounds() == other.lower_bounds()
        && one.upper_bounds() == other.upper_bounds()
        && one.key_metadata() == other.key_metadata()
        && one.split_offsets() == other.split_offsets()
        && one.equality_ids() == other.equality_ids()
        && one.sort_order_id() == other.sort_order_id()
        && one.referenced_data_file() == other.referenced_data_file()
        && one.content_size_in_bytes() == other.content_size_in_bytes()
        && (one.first_row_id().is_none() || one.first_row_id() == other.first_row_id())
}

fn key(file: &DataFile) -> FileKey {
    (file.file_path().to_owned(), file.content_offset())
}

fn whole(value: &Value, member: &str) -> Result<i64, Doubt> {
    value
        .get(member)
        .and_then(Value::as_i64)
        .ok_or_else(|| Doubt::of(format!("its snapshot has no `{member}`")))
}

/// A file that lies in the table's own location: not only where the catalog would let files lie.
fn own(table: &Location, path: &str) -> Result<(), Doubt> {
    match Location::parse(path) {
        Ok(location) if location.is_within(table) => Ok(()),
        Ok(_) | Err(_) => Err(Doubt::of(format!("`{path}` lies outside the table's location"))),
    }
}

async fn manifests(
    provider: &IcebergProvider,
    snapshot: &Value,
    version: i64,
) -> Result<Vec<ManifestFile>, Doubt> {
    let list = snapshot
        .get("manifest-list")
        .and_then(Value::as_str)
        .filter(|_| snapshot.get("key-id").is_none_or(Value::is_null))
        .ok_or_else(|| Doubt::of("its snapshot, or the one before, has no manifest list that can be read"))?;
    let content = read(provider, list).await?;
    // A list stays in the format version that the table had when it was written.
    let parsed = [FormatVersion::V3, FormatVersion::V2, FormatVersion::V1]
        .into_iter()
        .filter(|candidate| *candidate as i64 <= version)
        .find_map(|candidate| ManifestList::parse_with_version(&content, candidate).ok());
    let parsed = parsed.ok_or_else(|| Doubt::of(format!("`{list}` is no manifest list")))?;
    Ok(parsed.consume_entries().into_iter().collect())
}

async fn entries(provider: &IcebergProvider, manifests: &[ManifestFile]) -> Result<Vec<Entry>, Doubt> {
    let read: Vec<Vec<Entry>> = stream::iter(manifests.to_vec())
        .map(|manifest| async move { entries_of(provider, &manifest).await })
        .buffer_unordered(CONCURRENCY)
        .try_collect()
        .await?;
    Ok(read.into_iter().flatten().collect())
}

async fn entries_of(provider: &IcebergProvider, listed: &ManifestFile) -> Result<Vec<Entry>, Doubt> {
    let path = &listed.manifest_path;
    if listed.key_metadata.as_ref().is_some_and(|key| !key.is_empty()) {
        return Err(Doubt::of(format!("`{path}` is encrypted and cannot be read")));
    }
    let content = read(provider, path).await?;
    let (entries, metadata) = Manifest::parse_avro(&content)
        .map_err(|error| Doubt::of(format!("`{path}` is no manifest: {error}")))?
        .into_parts();
    if metadata.content != listed.content
        || metadata.partition_spec.spec_id() != listed.partition_spec_id
        || i64::try_from(content.len()).ok() != Some(listed.manifest_length)
    {
        return Err(Doubt::of(format!("`{path}` is not what its list says of it")));
    }
    entries
        .into_iter()
        .map(|entry| {
            let holds = match listed.content {
                ManifestContentType::Data => entry.content_type() == DataContentType::Data,
                ManifestContentType::Deletes => entry.content_type() != DataContentType::Data,
            };
            if !holds {
                return Err(Doubt::of(format!("`{path}` mixes data and deletes")));
            }
            let inherits = entry.status == ManifestStatus::Added || listed.sequence_number == 0;
            let inherited = inherits.then_some(listed.sequence_number);
            Ok(Entry {
                status: entry.status,
                snapshot: entry.snapshot_id.unwrap_or(listed.added_snapshot_id),
                sequence: entry.sequence_number.or(inherited),
                file_sequence: entry.file_sequence_number.or(inherited),
                file: entry.data_file.clone(),
            })
        })
        .collect()
}

async fn read(provider: &IcebergProvider, text: &str) -> Result<bytes::Bytes, Doubt> {
    let location = Location::parse(text).map_err(|error| Doubt::of(error.to_string()))?;
    provider
        .storage
        .read(&location)
        .await
        .map_err(|error| match error {
            CatalogError::MetadataMissing(_) => Doubt::of(format!("`{location}` is not there")),
            CatalogError::MetadataInvalid { reason, .. } => Doubt::of(format!("`{location}`: {reason}")),
            other @ (CatalogError::Unavailable(_)
            | CatalogError::Invalid(_)
            | CatalogError::Unsupported(_)
            | CatalogError::LocationRefused(_)
            | CatalogError::RequirementFailed(_)
            | CatalogError::FileExists(_)) => Doubt::Failure(other),
        })
}
