// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which delete files of a snapshot apply to which data file.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use datafusion::execution::memory_pool::MemoryPool;
use iceberg::io::FileIO;
use iceberg::spec::{
    DataContentType, DataFileFormat, Literal, ManifestContentType, ManifestEntry, ManifestFile, ManifestList,
    PrimitiveLiteral, Struct, TableMetadata,
};
use tokio::sync::OnceCell;

use super::delete_file::DeleteFile;
use super::{Deletes, equality};
use crate::error::ReaderError;
use crate::own_files::OwnFiles;

/// The deletes of one data file.
#[derive(Debug, Default)]
pub(super) struct Applicable {
    /// It stands for all position deletes.
    pub(super) vector: Option<Arc<DeleteFile>>,
    pub(super) positions: Vec<Arc<DeleteFile>>,
    pub(super) equality: Vec<Arc<DeleteFile>>,
}

/// A partition: its spec and its values.
pub(super) type Place = (i32, Struct);

/// The partition of a file. A manifest has the type that the column had then; a column of integers or floating point
/// that became a wider one since has the same partitions as before.
fn place(spec: i32, partition: &Struct) -> Place {
    let widest = |value: &Literal| match value {
        Literal::Primitive(PrimitiveLiteral::Int(value)) => Literal::long(i64::from(*value)),
        Literal::Primitive(PrimitiveLiteral::Float(value)) => Literal::double(f64::from(value.into_inner())),
        other @ (Literal::Primitive(_) | Literal::Struct(_) | Literal::List(_) | Literal::Map(_)) => {
            other.clone()
        }
    };
    let values = partition.fields().iter();
    (spec, values.map(|value| value.as_ref().map(widest)).collect())
}

/// What manifests say of one data file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DataEntry {
    /// Data sequence number.
    pub(crate) sequence: i64,
    /// The spec of its partition.
    pub(crate) spec: i32,
    /// Its partition.
    pub(crate) partition: Struct,
}

/// The living data files of a snapshot.
pub(crate) type DataEntries = HashMap<String, DataEntry>;

/// The delete files of a snapshot.
#[derive(Debug, Default)]
pub(crate) struct DeleteFiles {
    vectors: HashMap<String, Arc<DeleteFile>>,
    positions: HashMap<Place, Vec<Arc<DeleteFile>>>,
    equality: HashMap<Place, Vec<Arc<DeleteFile>>>,
    /// Of unpartitioned specs: they apply to every partition.
    everywhere: Vec<Arc<DeleteFile>>,
}

impl DeleteFiles {
    /// Reads the delete manifests of a snapshot.
    ///
    /// # Errors
    /// [`ReaderError::Unsupported`] for deletes that cannot be applied exactly, [`ReaderError::Storage`] otherwise.
    pub(crate) async fn load(
        metadata: &TableMetadata,
        manifests: &ManifestList,
        file_io: &FileIO,
        table: &str,
    ) -> Result<Self, ReaderError> {
        let own = OwnFiles::new(table, metadata.location());
        let mut files = Self::default();
        for (spec, entry) in entries(manifests, ManifestContentType::Deletes, file_io, table).await? {
            own.check(entry.file_path())?;
            files
                .add(&entry, spec, metadata)
                .map_err(|problem| ReaderError::Unsupported {
                    table: table.to_owned(),
                    problem,
                })?;
        }
        Ok(files)
    }

    /// Whether the snapshot has none.
    pub(crate) fn is_empty(&self) -> bool {
        self.vectors.is_empty()
            && self.positions.is_empty()
            && self.equality.is_empty()
            && self.everywhere.is_empty()
    }

    fn add(&mut self, entry: &ManifestEntry, spec: i32, metadata: &TableMetadata) -> Result<(), String> {
        let file = entry.data_file();
        if file.key_metadata().is_some() {
            return Err("it has encrypted delete files, which are not read".to_owned());
        }
        let sequence = entry
            .sequence_number()
            .ok_or("a delete file has no sequence number")?;
        let place = place(spec, file.partition());
        let mut found = DeleteFile {
            path: file.file_path().to_owned(),
            size: file.file_size_in_bytes(),
            record_count: file.record_count(),
            referenced: file.referenced_data_file(),
            blob: None,
            columns: Vec::new(),
            sequence,
            place: place.clone(),
            by_position: OnceCell::new(),
            by_value: OnceCell::new(),
        };
        match (file.content_type(), file.file_format()) {
            (DataContentType::PositionDeletes, DataFileFormat::Parquet) => {
                self.positions.entry(place).or_default().push(Arc::new(found));
            }
            (DataContentType::PositionDeletes, DataFileFormat::Puffin) => {
                let (Some(data_file), Some(offset), Some(length)) = (
                    file.referenced_data_file(),
                    file.content_offset(),
                    file.content_size_in_bytes(),
                ) else {
                    return Err("a deletion vector does not say its data file or where it lies".to_owned());
                };
                let (Ok(offset), Ok(length)) = (u64::try_from(offset), u64::try_from(length)) else {
                    return Err("a deletion vector lies at a negative place".to_owned());
                };
                found.blob = Some((offset, length));
                match self.vectors.entry(data_file) {
                    Entry::Vacant(place) => {
                        place.insert(Arc::new(found));
                    }
                    Entry::Occupied(_) => {
                        return Err("a data file has two deletion vectors; it must have one".to_owned());
                    }
                }
            }
            (DataContentType::EqualityDeletes, DataFileFormat::Parquet) => {
                found.columns = equality::columns(&file.equality_ids().unwrap_or_default(), metadata)?;
                let found = Arc::new(found);
                let everywhere = metadata
                    .partition_spec_by_id(spec)
                    .ok_or("a delete file has a partition spec that the table does not have")?
                    .is_unpartitioned();
                if everywhere {
                    self.everywhere.push(found);
                } else {
                    self.equality.entry(place).or_default().push(found);
                }
            }
            (DataContentType::PositionDeletes | DataContentType::EqualityDeletes, format) => {
                return Err(format!(
                    "it has delete files in the format {format}; only Parquet and, for deletion vectors, Puffin are read. Compact the table (rewrite data files) and read again"
                ));
            }
            (DataContentType::Data, _) => {
                return Err("a manifest of delete files has a data file".to_owned());
            }
        }
        Ok(())
    }

    /// What applies to which of `data_files`, of which `entries` tell.
    ///
    /// # Errors
    /// [`ReaderError::Unsupported`] for a deletion vector that cannot be that of its data file.
    pub(crate) fn assign<'a>(
        &self,
        table: &str,
        file_io: &FileIO,
        memory: &Arc<dyn MemoryPool>,
        data_files: impl Iterator<Item = &'a str>,
        entries: &DataEntries,
    ) -> Result<Deletes, ReaderError> {
        let unsupported = |problem| ReaderError::Unsupported {
            table: table.to_owned(),
            problem,
        };
        let mut by_file = HashMap::new();
        for path in data_files {
            let entry = entries
                .get(path)
                .ok_or_else(|| unsupported("a data file is in no manifest".to_owned()))?;
            let applicable = self.of(path, entry).map_err(unsupported)?;
            let none = applicable.vector.is_none()
                && applicable.positions.is_empty()
                && applicable.equality.is_empty();
            if !none {
                by_file.insert(path.to_owned(), applicable);
            }
        }
        let mut deletes = Deletes::none(table, file_io, memory);
        deletes.by_file = by_file;
        Ok(deletes)
    }

    fn of(&self, path: &str, entry: &DataEntry) -> Result<Applicable, String> {
        let mut applicable = Applicable::default();
        let place = place(entry.spec, &entry.partition);
        let in_place = self.equality.get(&place).into_iter().flatten();
        // Equality deletes do not touch rows that came with them.
        applicable.equality = in_place
            .chain(&self.everywhere)
            .filter(|delete| delete.sequence > entry.sequence)
            .cloned()
            .collect();
        if let Some(vector) = self.vectors.get(path) {
            if vector.sequence < entry.sequence || vector.place != place {
                return Err(
                    "a deletion vector is older than its data file, or of another partition".to_owned(),
                );
            }
            applicable.vector = Some(Arc::clone(vector));
            return Ok(applicable);
        }
        applicable.positions = self
            .positions
            .get(&place)
            .into_iter()
            .flatten()
            .filter(|delete| delete.sequence >= entry.sequence)
            .filter(|delete| delete.referenced.as_deref().is_none_or(|only| only == path))
            .cloned()
            .collect();
        Ok(applicable)
    }
}

/// What a snapshot's manifests say of its living data files.
///
/// # Errors
/// [`ReaderError::Storage`]; [`ReaderError::Unsupported`] for a data file that is there twice in different ways.
pub(crate) async fn data_entries(
    manifests: &ManifestList,
    file_io: &FileIO,
    table: &str,
) -> Result<DataEntries, ReaderError> {
    let unsupported = |problem: &str| ReaderError::Unsupported {
        table: table.to_owned(),
        problem: problem.to_owned(),
    };
    let mut found = DataEntries::new();
    for (spec, entry) in entries(manifests, ManifestContentType::Data, file_io, table).await? {
        let new = DataEntry {
            sequence: entry
                .sequence_number()
                .ok_or_else(|| unsupported("a data file has no sequence number"))?,
            spec,
            partition: entry.data_file().partition().clone(),
        };
        let known = found
            .entry(entry.file_path().to_owned())
            .or_insert_with(|| new.clone());
        if *known != new {
            return Err(unsupported("a data file is listed twice, in different ways"));
        }
    }
    Ok(found)
}

/// The living entries of manifests of one kind, each with its partition spec.
async fn entries(
    manifests: &ManifestList,
    content: ManifestContentType,
    file_io: &FileIO,
    table: &str,
) -> Result<Vec<(i32, Arc<ManifestEntry>)>, ReaderError> {
    let mut found = Vec::new();
    let chosen = manifests
        .entries()
        .iter()
        .filter(|manifest| manifest.content == content && may_have_files(manifest));
    for manifest in chosen {
        let loaded = manifest
            .load_manifest(file_io)
            .await
            .map_err(|cause| ReaderError::Storage {
                table: table.to_owned(),
                cause: Box::new(cause),
            })?;
        found.extend(
            loaded
                .entries()
                .iter()
                .filter(|entry| entry.is_alive())
                .map(|entry| (manifest.partition_spec_id, Arc::clone(entry))),
        );
    }
    Ok(found)
}

fn may_have_files(manifest: &ManifestFile) -> bool {
    manifest.has_added_files() || manifest.has_existing_files()
}
