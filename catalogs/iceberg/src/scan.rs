// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Planning of scans: which files of a snapshot may hold rows that a filter asks for.
//!
//! A file is left out only when its partition or its metrics exclude every row of it, for every kind of reader
//! ([`outcome`]); what is not known excludes nothing. Manifests are read one after another and an answer holds so many tasks
//! as fit, so that neither a large table nor a hostile one takes more than a bounded amount of memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use iceberg::spec::{ManifestContentType, ManifestFile, ManifestStatus};
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::scan::{IcebergScan, PinnedScan, ScanPart, ScanTasks, ScanVersion};
use serde_json::Value;

use crate::document::Document;
use crate::manifest::{Doubt, Entry, MAX_MANIFEST_BYTES, Room, apart, entries_of, manifests};
use crate::provider::IcebergProvider;
use crate::schema::Schema;
use lakeward_storage::Location;

mod content_file;
mod deletes;
mod facts;
mod filter;
mod known;
mod literal;
mod outcome;
mod page;
mod value;

use deletes::Deletes;
use filter::{Filter, Names};
use page::Page;

/// How many bytes of manifests are read for one part, if it has more than one manifest.
const PART_BYTES: u64 = 8 * 1024 * 1024;
/// How many parts a scan has at most at once.
const MAX_PARTS: u64 = 64;
/// How many files of deletes one scan may have.
const MAX_DELETE_FILES: usize = 100_000;
/// The most columns that a scan may select, or want the statistics of.
const MAX_NAMES: usize = 10_000;
/// The longest filter, in bytes of its text: every part that is left says it again.
const MAX_FILTER_BYTES: usize = 64 * 1024;
/// How many snapshots an incremental scan may have.
const MAX_SNAPSHOTS: usize = 1_000;

/// Columns that readers make up; a scan may select them.
const METADATA_COLUMNS: [&str; 9] = [
    "_file",
    "_pos",
    "_deleted",
    "_spec_id",
    "_partition",
    "_row_id",
    "_last_updated_sequence_number",
    "_change_type",
    "_commit_snapshot_id",
];

/// Pins a scan of a version of a table.
///
/// # Errors
/// [`CatalogError::Invalid`] with what is wrong with the scan; [`CatalogError::Unsupported`] for a filter too long to be said
/// again with every part.
pub(crate) fn pin(document: &Document, scan: &IcebergScan) -> Result<PinnedScan, CatalogError> {
    let pinned = pinned(document, scan).map_err(CatalogError::Invalid)?;
    let length = pinned
        .filter
        .as_ref()
        .map_or(0, |filter| filter.to_string().len());
    if length > MAX_FILTER_BYTES {
        return Err(on_the_client(&format!(
            "its filter has more than {MAX_FILTER_BYTES} bytes"
        )));
    }
    Ok(pinned)
}

fn pinned(document: &Document, scan: &IcebergScan) -> Result<PinnedScan, String> {
    let known = |id: i64| {
        document
            .snapshot(id)
            .ok_or_else(|| format!("the table has no snapshot {id}"))
    };
    let version = match scan.version {
        ScanVersion::Current => document
            .current_snapshot_id()
            .map_or(ScanVersion::Current, ScanVersion::At),
        other @ (ScanVersion::At(_) | ScanVersion::Between(..)) => other,
    };
    let snapshot = match version {
        ScanVersion::Current => None,
        ScanVersion::At(id) => Some(known(id)?),
        ScanVersion::Between(start, end) => {
            appended(document, start, end)?;
            Some(known(end)?)
        }
    };
    let current = document.id("current-schema-id")?;
    let of_snapshot = snapshot.and_then(|snapshot| snapshot.get("schema-id").and_then(crate::schema::int32));
    let schema_id = of_snapshot
        .filter(|_| scan.use_snapshot_schema)
        .unwrap_or(current);
    let schema = document.schema(schema_id)?;
    for (what, count) in [
        ("select", scan.select.as_ref().map_or(0, Vec::len)),
        ("stats-fields", scan.stats_fields.len()),
    ] {
        if count > MAX_NAMES {
            return Err(format!("`{what}` has at most {MAX_NAMES} names"));
        }
    }
    let names = Names::new(&schema, scan.case_sensitive);
    for name in scan.select.iter().flatten() {
        let top = name.split('.').next().unwrap_or_default();
        if !METADATA_COLUMNS.contains(&top) {
            names.find(name)?;
        }
    }
    let stats: BTreeSet<i32> = scan
        .stats_fields
        .iter()
        .map(|name| names.find(name).map(|field| field.id))
        .collect::<Result<_, _>>()?;
    if let Some(filter) = &scan.filter {
        filter::bind(filter, &names)?;
    }
    Ok(PinnedScan {
        version,
        schema_id,
        filter: scan.filter.clone(),
        case_sensitive: scan.case_sensitive,
        stats_fields: stats.into_iter().collect(),
    })
}

/// The append snapshots after `start` up to `end`, oldest first.
fn appended(document: &Document, start: i64, end: i64) -> Result<Vec<&Value>, String> {
    let snapshots: BTreeMap<i64, &Value> = document
        .list("snapshots")
        .iter()
        .filter_map(|snapshot| Some((snapshot.get("snapshot-id")?.as_i64()?, snapshot)))
        .collect();
    let mut found = Vec::new();
    let mut at = end;
    // A chain is no longer than the list, unless it is a circle.
    for _ in 0..=snapshots.len() {
        if at == start {
            found.reverse();
            return Ok(found);
        }
        let snapshot = snapshots
            .get(&at)
            .ok_or_else(|| format!("the table has no snapshot {at}"))?;
        if snapshot.pointer("/summary/operation").and_then(Value::as_str) == Some("append") {
            found.push(*snapshot);
        }
        match snapshot.get("parent-snapshot-id").and_then(Value::as_i64) {
            Some(parent) => at = parent,
            None => break,
        }
    }
    Err(format!(
        "the snapshot {start} is no ancestor of the snapshot {end}"
    ))
}

/// A pinned scan with what it needs for every part.
#[derive(Debug)]
struct Scan<'a> {
    provider: &'a IcebergProvider,
    document: &'a Document,
    table: Location,
    room: Arc<Room>,
}

/// What is asked of each manifest.
#[derive(Debug)]
struct Question {
    filter: Filter,
    /// The filter as it was sent, for rows of which the files tell too little.
    residual: String,
    stats: Vec<i32>,
    /// The snapshots whose added files are wanted; `None` for every living file.
    added_by: Option<BTreeSet<i64>>,
}

impl Question {
    fn wants(&self, entry: &Entry) -> bool {
        match &self.added_by {
            None => entry.is_alive(),
            Some(snapshots) => entry.status == ManifestStatus::Added && snapshots.contains(&entry.snapshot),
        }
    }
}

/// The tasks of a part of a pinned scan.
///
/// # Errors
/// [`CatalogError::Invalid`] for a scan of snapshots that are gone, or a part that is none; [`CatalogError::Unsupported`]
/// where manifests cannot be followed; [`CatalogError::Unavailable`].
pub(crate) async fn tasks(
    provider: &IcebergProvider,
    document: &Document,
    pinned: &PinnedScan,
    part: ScanPart,
) -> Result<ScanTasks, CatalogError> {
    let location = document.text("location").map_err(CatalogError::Invalid)?;
    // Each may hold some hundred megabytes.
    let turn = Arc::clone(&provider.scans).acquire_owned().await;
    let turn = turn.map_err(|error| CatalogError::Unavailable(error.to_string()))?;
    let scan = Scan {
        provider,
        document,
        table: Location::parse(location)?,
        room: Arc::new(Room::for_scan(turn)),
    };
    let schema = document.schema(pinned.schema_id).map_err(CatalogError::Invalid)?;
    let question = question(document, &schema, pinned).map_err(CatalogError::Invalid)?;
    let listed = match pinned.version {
        ScanVersion::Current => return Ok(ScanTasks::default()),
        ScanVersion::At(id) => {
            let snapshot = document.snapshot(id);
            let snapshot = snapshot
                .ok_or_else(|| CatalogError::Invalid(format!("the table no longer has the snapshot {id}")))?;
            scan.list(snapshot).await
        }
        ScanVersion::Between(start, end) => {
            let snapshots = appended(document, start, end).map_err(CatalogError::Invalid)?;
            scan.list_added(&snapshots).await
        }
    };
    let found = match listed {
        Ok(listed) => scan.part(listed, question, part).await,
        Err(doubt) => Err(doubt),
    };
    found.map_err(|doubt| match doubt {
        Doubt::Reason(reason) | Doubt::Missing(reason) => on_the_client(&reason),
        Doubt::Failure(error) => error,
    })
}

fn on_the_client(reason: &str) -> CatalogError {
    CatalogError::Unsupported(format!(
        "this scan cannot be planned here: {reason}; plan it on the client"
    ))
}

fn question(document: &Document, schema: &Schema, pinned: &PinnedScan) -> Result<Question, String> {
    let names = Names::new(schema, pinned.case_sensitive);
    let added_by = match pinned.version {
        ScanVersion::Current | ScanVersion::At(_) => None,
        ScanVersion::Between(start, end) => {
            let snapshots = appended(document, start, end)?;
            let id = |snapshot: &&Value| snapshot.get("snapshot-id").and_then(Value::as_i64);
            Some(snapshots.iter().filter_map(id).collect())
        }
    };
    Ok(Question {
        filter: match &pinned.filter {
            None => Filter::Constant(true),
            Some(filter) => filter::bind(filter, &names)?,
        },
        residual: pinned
            .filter
            .as_ref()
            .map_or_else(|| "true".to_owned(), Value::to_string),
        stats: pinned.stats_fields.clone(),
        added_by,
    })
}

impl Scan<'_> {
    /// The manifests of a snapshot.
    async fn list(&self, snapshot: &Value) -> Result<Vec<ManifestFile>, Doubt> {
        if let Some(list) = snapshot.get("manifest-list").and_then(Value::as_str) {
            self.own(list)?;
        }
        let version = self.document.format_version().map_err(Doubt::Reason)?;
        let listed = manifests(self.provider, snapshot, version, &self.room).await?;
        for manifest in &listed {
            self.own(&manifest.manifest_path)?;
        }
        Ok(listed)
    }

    /// The manifests of data that these snapshots added, each once.
    async fn list_added(&self, snapshots: &[&Value]) -> Result<Vec<ManifestFile>, Doubt> {
        if snapshots.len() > MAX_SNAPSHOTS {
            return Err(Doubt::of(format!(
                "it is about more than {MAX_SNAPSHOTS} snapshots"
            )));
        }
        let mut found = Vec::new();
        for snapshot in snapshots {
            let id = snapshot.get("snapshot-id").and_then(Value::as_i64);
            let listed = self.list(snapshot).await?;
            found.extend(listed.into_iter().filter(|manifest| {
                manifest.content == ManifestContentType::Data && Some(manifest.added_snapshot_id) == id
            }));
        }
        Ok(found)
    }

    /// Somebody who may commit could make a list of another table's manifests, and learn from the answer what is in them.
    fn own(&self, path: &str) -> Result<(), Doubt> {
        match Location::parse(path) {
            Ok(location) if location.is_within(&self.table) => Ok(()),
            Ok(_) | Err(_) => Err(Doubt::of(format!("`{path}` lies outside the table's location"))),
        }
    }

    async fn part(
        &self,
        listed: Vec<ManifestFile>,
        question: Question,
        part: ScanPart,
    ) -> Result<ScanTasks, Doubt> {
        let end = part.end.unwrap_or(listed.len());
        if part.first > end || end > listed.len() {
            return Err(Doubt::of("it has no such part"));
        }
        let ids = listed.iter().map(|manifest| manifest.partition_spec_id);
        let specs = known::specs(self.document, ids.collect());
        let room = Arc::clone(&self.room);
        let (may_match, question) = apart(&self.table.to_string(), move || {
            let _turn = room;
            let kept: Vec<(usize, ManifestFile)> = listed
                .into_iter()
                .enumerate()
                .filter(|(_, manifest)| may_match(manifest, &specs, &question.filter))
                .collect();
            Ok((kept, question))
        })
        .await?;
        let of_deletes =
            |(_, manifest): &&(usize, ManifestFile)| manifest.content == ManifestContentType::Deletes;
        let wanted: Vec<(usize, ManifestFile)> = may_match
            .iter()
            .filter(|kept| !of_deletes(kept) && (part.first..end).contains(&kept.0))
            .cloned()
            .collect();
        let mut rest = Vec::new();
        let first = match part.end {
            Some(_) => wanted,
            None => {
                let mut parts = divided(wanted).into_iter();
                let first = parts.next().unwrap_or_default();
                rest.extend(parts.filter_map(|manifests| {
                    Some(ScanPart {
                        first: manifests.first()?.0,
                        skipped: 0,
                        end: Some(manifests.last()?.0 + 1),
                    })
                }));
                first
            }
        };
        if first.is_empty() {
            return Ok(ScanTasks::default());
        }
        let deletes = if question.added_by.is_some() {
            // What was deleted later was added all the same.
            Deletes::default()
        } else {
            self.deletes(may_match.iter().filter(of_deletes).map(|(_, manifest)| manifest))
                .await?
        };
        self.read(first, question, deletes, part, rest).await
    }

    /// Reads manifests until an answer is full; what is left comes before `rest`.
    async fn read(
        &self,
        manifests: Vec<(usize, ManifestFile)>,
        question: Question,
        deletes: Deletes,
        part: ScanPart,
        mut rest: Vec<ScanPart>,
    ) -> Result<ScanTasks, Doubt> {
        let end = manifests.last().map(|(position, _)| position + 1);
        let mut page = Page::new(question, deletes);
        let mut bytes: u64 = 0;
        for (position, manifest) in manifests {
            let length = length(&manifest);
            if bytes > 0 && bytes.saturating_add(length) > PART_BYTES {
                let left = ScanPart {
                    first: position,
                    skipped: 0,
                    end,
                };
                rest.insert(0, left);
                break;
            }
            bytes = bytes.saturating_add(length.max(1));
            let path = manifest.manifest_path.clone();
            let read = entries_of(self.provider, manifest, Arc::clone(&self.room)).await?;
            let skipped = if position == part.first { part.skipped } else { 0 };
            let room = Arc::clone(&self.room);
            let (filled, full_at) = apart(&path, move || {
                let _turn = room;
                page.add(&read, skipped)
            })
            .await?;
            page = filled;
            if let Some(skipped) = full_at {
                let left = ScanPart {
                    first: position,
                    skipped,
                    end,
                };
                rest.insert(0, left);
                break;
            }
        }
        Ok(page.into_tasks(rest))
    }

    async fn deletes(&self, manifests: impl Iterator<Item = &ManifestFile>) -> Result<Deletes, Doubt> {
        let mut deletes = Deletes::default();
        let mut bytes: u64 = 0;
        for manifest in manifests {
            bytes = bytes.saturating_add(length(manifest));
            if bytes > MAX_MANIFEST_BYTES {
                return Err(Doubt::of(format!(
                    "its deletes are in manifests of more than {MAX_MANIFEST_BYTES} bytes"
                )));
            }
            let read = entries_of(self.provider, manifest.clone(), Arc::clone(&self.room)).await?;
            let room = Arc::clone(&self.room);
            deletes = apart(&manifest.manifest_path, move || {
                let _turn = room;
                deletes.add(&read).map(|()| deletes)
            })
            .await?;
            if deletes.len() > MAX_DELETE_FILES {
                return Err(Doubt::of(format!(
                    "it has more than {MAX_DELETE_FILES} files of deletes"
                )));
            }
        }
        Ok(deletes)
    }
}

/// Whether a manifest may hold files that the filter asks for, by what its list says of it.
fn may_match(manifest: &ManifestFile, specs: &BTreeMap<i32, known::Spec>, filter: &Filter) -> bool {
    let summaries = manifest.partitions.as_deref().unwrap_or_default();
    let spec = specs.get(&manifest.partition_spec_id);
    let Some((spec, known)) = spec.and_then(|spec| Some((spec, spec.of_summaries(summaries)?))) else {
        return true;
    };
    let is_everywhere =
        manifest.content == ManifestContentType::Deletes && known::is_unpartitioned(&spec.fields);
    let of = |term: &filter::Term| known::of_partition(term, &spec.fields, &known);
    is_everywhere || facts::evaluate(filter, &of).may_select()
}

fn length(manifest: &ManifestFile) -> u64 {
    u64::try_from(manifest.manifest_length).unwrap_or(u64::MAX)
}

/// Divides manifests into parts of much the same length.
fn divided(manifests: Vec<(usize, ManifestFile)>) -> Vec<Vec<(usize, ManifestFile)>> {
    let all = manifests
        .iter()
        .fold(0_u64, |sum, (_, manifest)| sum.saturating_add(length(manifest)));
    let most = PART_BYTES.max(all / MAX_PARTS);
    let mut parts: Vec<Vec<(usize, ManifestFile)>> = Vec::new();
    let mut bytes = 0_u64;
    for (position, manifest) in manifests {
        bytes = bytes.saturating_add(length(&manifest));
        match parts.last_mut() {
            Some(part) if bytes <= most => part.push((position, manifest)),
            Some(_) | None => {
                bytes = length(&manifest);
                parts.push(vec![(position, manifest)]);
            }
        }
    }
    parts
}
