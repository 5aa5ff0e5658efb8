// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Reading manifest lists and manifests that a caller wrote, which may be of any size and may be anything.

use std::sync::Arc;

use futures::{StreamExt, TryStreamExt, stream};
use iceberg::spec::{
    DataContentType, DataFile, FormatVersion, Manifest, ManifestContentType, ManifestFile, ManifestList,
    ManifestStatus, StructType,
};
use lakeward_catalog::error::CatalogError;
use serde_json::Value;

use container::Container;
pub(crate) use container::Room;

use crate::provider::IcebergProvider;
use lakeward_storage::Location;

mod container;
mod writer_schema;

/// How many manifests are read at the same time.
const CONCURRENCY: usize = 4;
/// The longest manifest list or manifest that is read, and how many bytes of manifests one commit may change or one answer to a scan may
/// read. A writer that merges does so up to some 8 MB at a time.
pub(crate) const MAX_MANIFEST_BYTES: u64 = 128 * 1024 * 1024;

/// Why something cannot be followed: a reason for the caller, or a failure that says nothing of it.
#[derive(Debug)]
pub(crate) enum Doubt {
    /// The files are not what they should be, or do more than was said.
    Reason(String),
    /// A file is not there; said as a reason.
    Missing(String),
    /// The storage does not answer.
    Failure(CatalogError),
}

impl Doubt {
    pub(crate) fn of(reason: impl Into<String>) -> Self {
        Self::Reason(reason.into())
    }
}

/// An entry of a manifest with what it inherits.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) status: ManifestStatus,
    pub(crate) snapshot: i64,
    pub(crate) sequence: Option<i64>,
    pub(crate) file_sequence: Option<i64>,
    pub(crate) spec: i32,
    pub(crate) partition_type: Arc<StructType>,
    pub(crate) first_row: Option<u64>,
    pub(crate) file: DataFile,
}

impl Entry {
    /// Whether the file is one of the table.
    pub(crate) fn is_alive(&self) -> bool {
        self.status != ManifestStatus::Deleted
    }
}

/// A manifest that was read.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) listed: ManifestFile,
    pub(crate) format_version: FormatVersion,
    /// The fields of its partition spec, as JSON.
    pub(crate) spec: Value,
    pub(crate) partition_type: Arc<StructType>,
    pub(crate) entries: Vec<Entry>,
}

/// The manifests that a snapshot lists.
pub(crate) async fn manifests(
    provider: &IcebergProvider,
    snapshot: &Value,
    version: i64,
    room: &Arc<Room>,
) -> Result<Vec<ManifestFile>, Doubt> {
    let list = snapshot
        .get("manifest-list")
        .and_then(Value::as_str)
        .filter(|_| snapshot.get("key-id").is_none_or(Value::is_null))
        .ok_or_else(|| Doubt::of("its snapshot, or the one before, has no manifest list that can be read"))?;
    let content = read(provider, list, MAX_MANIFEST_BYTES).await?;
    let name = list.to_owned();
    let room = Arc::clone(room);
    apart(list, move || {
        Container::open(&content)
            .and_then(|file| file.check_list().and_then(|()| file.take(&room)))
            .map_err(|flaw| Doubt::of(format!("`{name}` is no manifest list: {flaw}")))?;
        // A list stays in the format version that the table had when it was written.
        let parsed = [FormatVersion::V3, FormatVersion::V2, FormatVersion::V1]
            .into_iter()
            .filter(|candidate| *candidate as i64 <= version)
            .find_map(|candidate| ManifestList::parse_with_version(&content, candidate).ok());
        let parsed = parsed.ok_or_else(|| Doubt::of(format!("`{name}` is no manifest list")))?;
        Ok(parsed.consume_entries().into_iter().collect())
    })
    .await
}

/// What is in manifests.
pub(crate) async fn entries(
    provider: &IcebergProvider,
    manifests: &[ManifestFile],
    room: &Arc<Room>,
) -> Result<Vec<Read>, Doubt> {
    stream::iter(manifests.to_vec())
        .map(|manifest| entries_of(provider, manifest, Arc::clone(room)))
        .buffer_unordered(CONCURRENCY)
        .try_collect()
        .await
}

/// What is in one manifest.
pub(crate) async fn entries_of(
    provider: &IcebergProvider,
    listed: ManifestFile,
    room: Arc<Room>,
) -> Result<Read, Doubt> {
    let path = listed.manifest_path.clone();
    if listed.key_metadata.as_ref().is_some_and(|key| !key.is_empty()) {
        return Err(Doubt::of(format!("`{path}` is encrypted and cannot be read")));
    }
    let length = u64::try_from(listed.manifest_length).unwrap_or_default();
    if length > MAX_MANIFEST_BYTES {
        return Err(Doubt::of(format!(
            "`{path}` has more than {MAX_MANIFEST_BYTES} bytes"
        )));
    }
    let content = read(provider, &path, length).await?;
    apart(&path, move || parse(listed, &content, &room)).await
}

fn parse(listed: ManifestFile, content: &[u8], room: &Room) -> Result<Read, Doubt> {
    let path = &listed.manifest_path;
    let is_none = |flaw: String| Doubt::of(format!("`{path}` is no manifest: {flaw}"));
    let file = Container::open(content).map_err(is_none)?;
    file.take(room).map_err(is_none)?;
    let (entries, metadata) = Manifest::parse_avro(content)
        .map_err(|error| is_none(error.to_string()))?
        .into_parts();
    if metadata.content != listed.content
        || metadata.partition_spec.spec_id() != listed.partition_spec_id
        || i64::try_from(content.len()).ok() != Some(listed.manifest_length)
    {
        return Err(Doubt::of(format!("`{path}` is not what its list says of it")));
    }
    let spec = serde_json::to_value(metadata.partition_spec.fields())
        .map_err(|error| Doubt::of(format!("`{path}` has no partition spec: {error}")))?;
    file.check_manifest(&spec).map_err(is_none)?;
    let partition_type = metadata.partition_spec.partition_type(&metadata.schema);
    let partition_type = Arc::new(partition_type.map_err(|error| is_none(error.to_string()))?);
    let mut next_row = listed.first_row_id;
    let entries = entries
        .into_iter()
        .map(|entry| {
            let holds = match listed.content {
                ManifestContentType::Data => entry.content_type() == DataContentType::Data,
                ManifestContentType::Deletes => entry.content_type() != DataContentType::Data,
            };
            if !holds {
                return Err(Doubt::of(format!("`{path}` mixes data and deletes")));
            }
            let mut first_row = entry
                .data_file
                .first_row_id()
                .and_then(|id| u64::try_from(id).ok());
            if first_row.is_none() && entry.status != ManifestStatus::Deleted {
                first_row = next_row;
                next_row = next_row.map(|next| next.saturating_add(entry.data_file.record_count()));
            }
            let inherits = entry.status == ManifestStatus::Added || listed.sequence_number == 0;
            let inherited = inherits.then_some(listed.sequence_number);
            Ok(Entry {
                status: entry.status,
                snapshot: entry.snapshot_id.unwrap_or(listed.added_snapshot_id),
                sequence: entry.sequence_number.or(inherited),
                file_sequence: entry.file_sequence_number.or(inherited),
                spec: listed.partition_spec_id,
                partition_type: Arc::clone(&partition_type),
                first_row,
                file: entry.data_file.clone(),
            })
        })
        .collect::<Result<_, Doubt>>()?;
    Ok(Read {
        format_version: metadata.format_version,
        spec,
        partition_type,
        entries,
        listed,
    })
}

/// Parses beside the requests of others, which must not wait for it. The library calculates with what it reads, and does
/// not check all of it before.
pub(crate) async fn apart<T: Send + 'static>(
    path: &str,
    work: impl FnOnce() -> Result<T, Doubt> + Send + 'static,
) -> Result<T, Doubt> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(Doubt::of(format!("`{path}` cannot be read"))))
}

async fn read(provider: &IcebergProvider, text: &str, most: u64) -> Result<bytes::Bytes, Doubt> {
    let location = Location::parse(text).map_err(|error| Doubt::of(error.to_string()))?;
    provider
        .storage
        .read_at_most(&location, most)
        .await
        .map_err(|error| match error {
            CatalogError::MetadataMissing(_) => Doubt::Missing(format!("`{location}` is not there")),
            CatalogError::MetadataInvalid { reason, .. } => Doubt::of(format!("`{location}`: {reason}")),
            other @ (CatalogError::Unavailable(_)
            | CatalogError::Invalid(_)
            | CatalogError::Unsupported(_)
            | CatalogError::LocationRefused(_)
            | CatalogError::RequirementFailed(_)
            | CatalogError::MetadataChanged(_)
            | CatalogError::FileExists(_)) => Doubt::Failure(other),
        })
}
