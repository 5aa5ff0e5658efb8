// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a snapshot does to the files of its parent, read from manifest lists and manifests.
//!
//! Manifests that both snapshots list are taken as unchanged and not read. The others are compared entry by entry, so
//! that a writer may merge small manifests, as Iceberg's own does. Whether an added file was part of the table before is
//! looked up only in those: everything else would take reading all manifests of the table for every append.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use iceberg::spec::{DataContentType, FormatVersion, ManifestContentType, ManifestFile, ManifestStatus};
use serde_json::{Value, json};

use super::summary::covers;
use super::{Budget, Step};
use crate::document::Document;
use crate::manifest::{Doubt, Entry, Read, entries, manifests};
use crate::provider::IcebergProvider;
use lakeward_storage::Location;

/// What identifies a file: its path, and the offset of what lies in it besides others (deletion vectors).
type FileKey = (String, Option<i64>);

/// Every file of the parent is still there, unchanged, and every other file is a new data file of the table's own.
pub(super) async fn only_added(
    provider: &IcebergProvider,
    table: &Location,
    document: &Document,
    step: &Step<'_>,
    budget: &mut Budget,
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
        Some(parent) => manifests(provider, parent, version, &budget.room).await?,
    };
    let after = manifests(provider, snapshot, version, &budget.room).await?;
    let Difference {
        gone,
        fresh,
        numbered,
    } = differing(before, after)?;
    for manifest in &fresh {
        own(table, &manifest.manifest_path)?;
        if version >= 2 && (manifest.added_snapshot_id, manifest.sequence_number) != (id, sequence) {
            return Err(Doubt::of("it lists a manifest as one of another snapshot"));
        }
    }
    budget.take(gone.iter().chain(&fresh))?;
    let mut live: HashMap<FileKey, Entry> = HashMap::new();
    for read in entries(provider, &gone, &budget.room).await? {
        for entry in read.entries {
            if entry.status != ManifestStatus::Deleted {
                live.insert(key(&entry), entry);
            }
        }
    }
    let new_rows = new_rows(snapshot, version, fresh.iter().chain(&numbered))?;
    let known: HashSet<FileKey> = live.keys().cloned().collect();
    let mut added = HashSet::new();
    for read in entries(provider, &fresh, &budget.room).await? {
        is_told_of_rightly(&read, document, version)?;
        for entry in read.entries {
            match entry.status {
                ManifestStatus::Deleted => return Err(Doubt::of("it removes files of the table")),
                ManifestStatus::Existing => match live.remove(&key(&entry)) {
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
                    if entry.first_row.is_some_and(|first| !new_rows.contains(&first)) {
                        return Err(Doubt::of(format!("it gives rows of `{path}` ids of others")));
                    }
                    if known.contains(&key(&entry)) || !added.insert(key(&entry)) {
                        return Err(Doubt::of(format!("it adds `{path}` a second time")));
                    }
                }
            }
        }
    }
    if live.is_empty() {
        return Ok(());
    }
    Err(Doubt::of("it leaves out files of the table"))
}

/// Readers skip a manifest that is said to hold nothing, and committers drop deletes that are said to be older than
/// everything: what a list says of a new manifest must be what is in it.
fn is_told_of_rightly(read: &Read, document: &Document, version: i64) -> Result<(), Doubt> {
    let listed = &read.listed;
    let wrong = |what: &str| {
        let path = &listed.manifest_path;
        Err(Doubt::of(format!(
            "`{path}` is not what its list says of it: {what}"
        )))
    };
    let mut files = [0_u32; 3];
    let mut rows = [0_u64; 3];
    for entry in &read.entries {
        let kind = match entry.status {
            ManifestStatus::Added => 0,
            ManifestStatus::Existing => 1,
            ManifestStatus::Deleted => 2,
        };
        if let (Some(files), Some(rows)) = (files.get_mut(kind), rows.get_mut(kind)) {
            *files = files.saturating_add(1);
            *rows = rows.saturating_add(entry.file.record_count());
        }
    }
    let listed_files = [
        listed.added_files_count,
        listed.existing_files_count,
        listed.deleted_files_count,
    ];
    let listed_rows = [
        listed.added_rows_count,
        listed.existing_rows_count,
        listed.deleted_rows_count,
    ];
    // Format version 1 may leave them out.
    let is_true = |said: Option<u64>, counted: u64| said.map_or(version < 2, |said| said == counted);
    for ((said, counted), (said_rows, counted_rows)) in listed_files
        .into_iter()
        .zip(files)
        .zip(listed_rows.into_iter().zip(rows))
    {
        if !is_true(said.map(u64::from), u64::from(counted)) || !is_true(said_rows, counted_rows) {
            return wrong("it holds another number of files or rows");
        }
    }
    if version >= 2 {
        if read.format_version == FormatVersion::V1 {
            return wrong("it is of format version 1");
        }
        let live = read
            .entries
            .iter()
            .filter(|entry| entry.status != ManifestStatus::Deleted);
        let oldest = live.filter_map(|entry| entry.sequence).min();
        if oldest.is_some_and(|oldest| listed.min_sequence_number > oldest) {
            return wrong("it holds older files");
        }
    }
    let summaries = listed.partitions.as_deref();
    let mut kept = read
        .entries
        .iter()
        .filter(|entry| entry.status == ManifestStatus::Existing);
    let is_covered =
        |entry: &Entry| summaries.is_none_or(|all| covers(all, entry.file.partition(), &read.partition_type));
    if !kept.all(is_covered) {
        return wrong("its files lie in other partitions");
    }
    let known = document.element("partition-specs", "spec-id", i64::from(listed.partition_spec_id));
    if known.and_then(|spec| spec.get("fields")).map(spec_fields) != Some(spec_fields(&read.spec)) {
        return wrong("its partition spec is none of the table");
    }
    Ok(())
}

/// What matters of the fields of a partition spec: source, id, name and transform.
fn spec_fields(fields: &Value) -> Vec<[Option<&Value>; 4]> {
    let members = |field| ["source-id", "field-id", "name", "transform"].map(|name| Value::get(field, name));
    fields.as_array().into_iter().flatten().map(members).collect()
}

/// The ids of the rows that the snapshot numbers (format version 3): as many as there are rows in the manifests that it
/// numbers, each in one of them.
fn new_rows<'a>(
    snapshot: &Value,
    version: i64,
    numbered: impl Iterator<Item = &'a ManifestFile>,
) -> Result<Range<u64>, Doubt> {
    if version < 3 {
        return Ok(0..0);
    }
    let number = |member: &str| {
        whole(snapshot, member).and_then(|number| {
            u64::try_from(number).map_err(|_| Doubt::of(format!("`{member}` is negative")))
        })
    };
    let (first, added) = (number("first-row-id")?, number("added-rows")?);
    let all = first..first.saturating_add(added);
    let mut ranges: Vec<Range<u64>> = numbered
        .filter(|manifest| manifest.content == ManifestContentType::Data)
        .filter_map(|manifest| {
            let rows = [manifest.added_rows_count, manifest.existing_rows_count];
            let rows = rows.into_iter().flatten().fold(0_u64, u64::saturating_add);
            let first = manifest.first_row_id?;
            Some(first..first.saturating_add(rows))
        })
        .collect();
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut next = all.start;
    for range in &ranges {
        if range.start < next || range.end > all.end {
            return Err(Doubt::of("it gives rows ids of others"));
        }
        next = range.end;
    }
    if next != all.end && added > 0 {
        return Err(Doubt::of("it uses up ids for rows that it does not add"));
    }
    Ok(all)
}

/// What one of two lists has alone, and what both have but only the later one has row ids for.
struct Difference {
    gone: Vec<ManifestFile>,
    fresh: Vec<ManifestFile>,
    numbered: Vec<ManifestFile>,
}

/// The manifests that only one of the two lists has; what both have must be listed alike.
fn differing(before: Vec<ManifestFile>, after: Vec<ManifestFile>) -> Result<Difference, Doubt> {
    let mut gone: HashMap<String, ManifestFile> = before
        .into_iter()
        .map(|manifest| (manifest.manifest_path.clone(), manifest))
        .collect();
    let mut fresh = Vec::new();
    let mut numbered = Vec::new();
    let mut listed = HashSet::new();
    for manifest in after {
        if !listed.insert(manifest.manifest_path.clone()) {
            return Err(Doubt::of("it lists a manifest twice"));
        }
        match gone.remove(&manifest.manifest_path) {
            None => fresh.push(manifest),
            Some(known) if is_listed_alike(&known, &manifest) => {
                if known.first_row_id != manifest.first_row_id {
                    numbered.push(manifest);
                }
            }
            Some(_) => return Err(Doubt::of("it changes what is said of a manifest of the table")),
        }
    }
    Ok(Difference {
        gone: gone.into_values().collect(),
        fresh,
        numbered,
    })
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
        && known.spec == now.spec
        && known.partition_type == now.partition_type
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
        && (known.first_row.is_none() || known.first_row == now.first_row)
}

fn key(entry: &Entry) -> FileKey {
    (entry.file.file_path().to_owned(), entry.file.content_offset())
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
