// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Reading one data file, or a range of its row groups.
//!
//! iceberg-rust plans and this module decodes, with the Parquet library alone, for three reasons. A row filter must
//! see null rows, which iceberg-rust loses. A file that stores a column with a type that cannot become the table's type
//! is refused, where iceberg-rust shows null. And a restricted scan has to cost what a plain one costs: text is decoded
//! as views, masked text as dictionaries, pages that cannot match are skipped, and where few rows pass the filter the
//! other columns are decoded for those rows only.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "types and errors are open sets of other crates; what has no meaning here is refused or passed on as it is"
)]

mod columns;
mod constant;
mod decoding;
mod projection;
mod skipping;
mod stored_bytes;
mod widening;

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arrow::datatypes::Schema as ArrowSchema;
use arrow::error::ArrowError;
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::common::runtime::SpawnedTask;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt, stream};
use iceberg::io::FileIO;
use iceberg::scan::FileScanTask;
use iceberg::spec::Transform;
use lakeward_read_restrictions::predicate::Predicate;
use parquet::arrow::ParquetRecordBatchStreamBuilder;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use tokio::sync::OnceCell;

use self::columns::FileColumns;
pub(crate) use self::columns::readable_as;
use self::constant::Constant;
use self::decoding::{Failure, FilterOfFile, OpenFile, Part, keep};
use self::projection::Projection;
pub(crate) use self::projection::Wanted;
pub(crate) use self::skipping::not_deleted;
use self::skipping::{Skipping, row_groups_in};
pub(crate) use self::stored_bytes::{StoredBytes, Told, told};
pub(crate) use self::widening::widened;
use crate::deletes::{Deleted, Deletes};
use crate::error::ReaderError;
use crate::row_filter::RowFilter;

/// What is the same for all files of one scan.
#[derive(Debug)]
pub(crate) struct FileScan {
    /// The table, for messages.
    pub(crate) table: String,
    /// Storage.
    pub(crate) file_io: FileIO,
    /// The table's top-level fields with the types in which they are shown.
    pub(crate) fields: Vec<Wanted>,
    /// The required row filter.
    pub(crate) filter: Option<RowFilter>,
    /// Rows that cannot fulfil it may be skipped.
    pub(crate) pruning: Option<Predicate>,
    /// Fields whose statistics in files must not be trusted.
    pub(crate) untrusted: BTreeSet<i32>,
    /// Fields of text that are better had as dictionaries, since work is done once for each of their values.
    pub(crate) dictionaries: BTreeSet<i32>,
    /// Rows that are deleted.
    pub(crate) deletes: Deletes,
    /// What was seen while reading.
    pub(crate) seen: Seen,
}

/// Counters of one scan, and what its parts share.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    rows: AtomicU64,
    kept: AtomicU64,
    bytes: Arc<AtomicU64>,
    /// Footers of files that are read in several parts.
    footers: Mutex<HashMap<String, Arc<OnceCell<Arc<ParquetMetaData>>>>>,
}

impl Seen {
    /// Counts what the row filter did.
    pub(crate) fn filtered(&self, rows: usize, kept: usize) {
        self.rows
            .fetch_add(u64::try_from(rows).unwrap_or(0), Ordering::Relaxed);
        self.kept
            .fetch_add(u64::try_from(kept).unwrap_or(0), Ordering::Relaxed);
    }

    /// Whether the filter, so far, drops so much that decoding other columns for the kept rows only is cheaper.
    fn few_pass(&self) -> bool {
        let (rows, kept) = (
            self.rows.load(Ordering::Relaxed),
            self.kept.load(Ordering::Relaxed),
        );
        kept.saturating_mul(4) <= rows
    }

    /// Bytes read from storage, without those of delete files.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    fn footer_of(&self, path: &str) -> Arc<OnceCell<Arc<ParquetMetaData>>> {
        let mut footers = self.footers.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(footers.entry(path.to_owned()).or_default())
    }
}

/// Rows with original values, columns in the order of the task's field ids.
pub(crate) struct Originals {
    pub(crate) rows: RecordBatch,
    /// Whether all rows have passed the required row filter already.
    pub(crate) filtered: bool,
}

/// The rows of the row groups in turn: the next is fetched while one is decoded, and not before that one is fetched, so
/// that what its filter did is known by then.
fn in_turn(file: Arc<OpenFile>, parts: Vec<Part>) -> BoxStream<'static, Result<Originals, ReaderError>> {
    let mut parts = parts.into_iter();
    let mut next = move || {
        let part = parts.next()?;
        let file = Arc::clone(&file);
        Some(SpawnedTask::spawn(file.fetch(part)))
    };
    let first = next();
    stream::try_unfold((first, next), |(fetched, mut next)| async move {
        let Some(fetched) = fetched else {
            return Ok::<_, ReaderError>(None);
        };
        let rows = fetched
            .await
            .map_err(|_| ReaderError::Query("reading a file was broken off".to_owned()))??;
        Ok(Some((rows, (next(), next))))
    })
    .try_flatten()
    .boxed()
}

impl FileScan {
    /// Opens the part of a file that `task` names.
    pub(crate) async fn open(
        self: Arc<Self>,
        task: FileScanTask,
        batch_size: usize,
    ) -> Result<BoxStream<'static, Result<Originals, ReaderError>>, ReaderError> {
        let footer = self.footer(&task).await?;
        let columns = FileColumns::new(&footer, task.name_mapping.clone())
            .map_err(|problem| self.unreadable(&task, &problem))?;
        let deleted = self.deletes.load(&task.data_file_path).await?;
        let mut read = self.wanted(&task.project_field_ids)?;
        for compared in deleted.fields() {
            if read.iter().all(|wanted| wanted.field.id != compared.field.id) {
                read.push(compared);
            }
        }
        let field_ids = read.iter().map(|wanted| wanted.field.id).collect();
        let constants = self.constants(&task, &read, batch_size)?;
        let project = |wanted: &[Wanted]| {
            Projection::new(wanted, &columns, &constants, batch_size)
                .map_err(|problem| self.unreadable(&task, &problem))
        };
        let projection = project(&read)?;
        let filter = match &self.filter {
            None => FilterOfFile::Passed,
            Some(filter) => {
                let ids: Vec<i32> = filter.fields().into_iter().collect();
                let of_filter = project(&self.wanted(&ids)?)?;
                if of_filter.leaves.is_empty() {
                    // The metadata decides for all rows alike.
                    let empty = RecordBatch::try_new_with_options(
                        Arc::new(ArrowSchema::empty()),
                        Vec::new(),
                        &RecordBatchOptions::new().with_row_count(Some(1)),
                    )
                    .map_err(|cause| self.unreadable(&task, &cause.to_string()))?;
                    if keep(filter, &of_filter, &ids, &empty)
                        .map_err(|problem| self.failed(&task, problem))?
                        .true_count()
                        == 0
                    {
                        return Ok(stream::empty().boxed());
                    }
                    FilterOfFile::Passed
                } else if of_filter.leaves.is_superset(&projection.leaves) {
                    FilterOfFile::Together
                } else {
                    FilterOfFile::Apart(Arc::new(of_filter))
                }
            }
        };
        let mut untrusted = self.untrusted.clone();
        untrusted.extend(constants.keys());
        let (parts, footer) = self.parts(&task, footer, &columns, untrusted, &deleted).await?;
        let file = Arc::new(OpenFile {
            scan: self,
            task,
            footer,
            columns,
            deleted,
            field_ids,
            projection,
            filter,
            batch_size,
        });
        Ok(in_turn(file, parts))
    }

    fn wanted(&self, field_ids: &[i32]) -> Result<Vec<Wanted>, ReaderError> {
        let find = |id: &i32| self.fields.iter().find(|wanted| wanted.field.id == *id).cloned();
        field_ids
            .iter()
            .map(|id| {
                find(id).ok_or_else(|| ReaderError::Unsupported {
                    table: self.table.clone(),
                    problem: format!("its schema has no field {id} at the top level, which has to be read"),
                })
            })
            .collect()
    }

    /// Values of identity partitions: what the metadata says stands above what the file stores.
    fn constants(
        &self,
        task: &FileScanTask,
        read: &[Wanted],
        rows: usize,
    ) -> Result<HashMap<i32, Constant>, ReaderError> {
        let mut constants = HashMap::new();
        let (Some(spec), Some(values)) = (&task.partition_spec, &task.partition) else {
            return Ok(constants);
        };
        for (position, partition) in spec.fields().iter().enumerate() {
            let mut known = self.fields.iter().chain(read);
            let wanted = known.find(|wanted| wanted.field.id == partition.source_id);
            let (Transform::Identity, Some(wanted)) = (partition.transform, wanted) else {
                continue;
            };
            let value = values
                .fields()
                .get(position)
                .ok_or_else(|| self.unreadable(task, "its metadata lacks a partition value"))?;
            let constant = Constant::new(value.as_ref(), &wanted.data_type, rows).ok_or_else(|| {
                self.unreadable(
                    task,
                    &format!(
                        "its partition value of field {} is no `{}`",
                        partition.source_id, wanted.data_type
                    ),
                )
            })?;
            constants.insert(partition.source_id, constant);
        }
        Ok(constants)
    }

    async fn bytes_of(&self, task: &FileScanTask) -> Result<StoredBytes, ReaderError> {
        let file = self
            .file_io
            .new_input(&task.data_file_path)
            .map_err(|cause| self.storage(cause))?
            .reader()
            .await
            .map_err(|cause| self.storage(cause))?;
        Ok(StoredBytes::new(
            file,
            task.file_size_in_bytes,
            Arc::clone(&self.seen.bytes),
            self.deletes.memory(),
        ))
    }

    async fn footer(&self, task: &FileScanTask) -> Result<Arc<ParquetMetaData>, ReaderError> {
        let load = || async {
            let bytes = self.bytes_of(task).await?;
            let footer = bytes.footer().await.map_err(|cause| self.parquet(task, cause))?;
            Ok::<_, ReaderError>(Arc::new(footer))
        };
        if task.start == 0 && task.length == task.file_size_in_bytes {
            return load().await;
        }
        let shared = self.seen.footer_of(&task.data_file_path);
        shared.get_or_try_init(load).await.map(Arc::clone)
    }

    /// The row groups of the task that have to be looked at, and the footer with the index of their pages if that is
    /// of use.
    async fn parts(
        &self,
        task: &FileScanTask,
        footer: Arc<ParquetMetaData>,
        columns: &FileColumns,
        untrusted: BTreeSet<i32>,
        deleted: &Deleted,
    ) -> Result<(Vec<Part>, Arc<ParquetMetaData>), ReaderError> {
        let mut groups = row_groups_in(&footer, task.start, task.length, task.file_size_in_bytes);
        let mut footer = footer;
        let skipping = self.pruning.as_ref().map(|predicate| Skipping {
            predicate,
            columns,
            wanted: &self.fields,
            untrusted,
        });
        let mut by_pages = false;
        if let Some(skipping) = &skipping {
            let may_match = skipping.row_groups(&footer);
            groups.retain(|group| *group < may_match.len() && may_match.value(*group));
            groups = self.looked_up(task, &footer, skipping, groups).await?;
            by_pages = groups
                .first()
                .is_some_and(|group| skipping.has_pages(&footer, *group));
        }
        if by_pages {
            let indexed = self.bytes_of(task).await?.indexed(&footer).await;
            footer = Arc::new(indexed.map_err(|cause| self.parquet(task, cause))?);
        }
        let firsts: Vec<u64> = footer
            .row_groups()
            .iter()
            .scan(0_u64, |next, group| {
                let first = *next;
                *next = next.saturating_add(u64::try_from(group.num_rows()).unwrap_or(0));
                Some(first)
            })
            .collect();
        let mut parts = Vec::with_capacity(groups.len());
        for group in groups {
            let (Some(first), Some(stored)) = (firsts.get(group), footer.row_groups().get(group)) else {
                continue;
            };
            let count = usize::try_from(stored.num_rows()).unwrap_or(0);
            let there = not_deleted(&deleted.positions, *first, count);
            let of_use = skipping
                .as_ref()
                .filter(|_| by_pages)
                .and_then(|skipping| skipping.pages(&footer, group));
            let rows = match (there, of_use) {
                (Some(there), Some(of_use)) => Some(there.intersection(&of_use)),
                (there, of_use) => there.or(of_use),
            };
            match rows {
                None => parts.push(Part { group, rows: None }),
                Some(rows) if rows.row_count() == count => parts.push(Part { group, rows: None }),
                Some(rows) if rows.selects_any() => parts.push(Part {
                    group,
                    rows: Some(rows),
                }),
                Some(_) => {}
            }
        }
        Ok((parts, footer))
    }

    /// The row groups that are left when Bloom filters have been asked.
    async fn looked_up(
        &self,
        task: &FileScanTask,
        footer: &Arc<ParquetMetaData>,
        skipping: &Skipping<'_>,
        groups: Vec<usize>,
    ) -> Result<Vec<usize>, ReaderError> {
        let mut left = Vec::with_capacity(groups.len());
        for group in groups {
            let leaves = skipping.looked_up(footer, group);
            if !leaves.is_empty() {
                let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
                let metadata = ArrowReaderMetadata::try_new(Arc::clone(footer), options)
                    .map_err(|cause| self.parquet(task, cause))?;
                let mut file =
                    ParquetRecordBatchStreamBuilder::new_with_metadata(self.bytes_of(task).await?, metadata);
                let mut filters = HashMap::new();
                for (field_id, leaf) in leaves {
                    let filter = file
                        .get_row_group_column_bloom_filter(group, leaf)
                        .await
                        .map_err(|cause| self.parquet(task, cause))?;
                    if let Some(filter) = filter {
                        filters.insert(field_id, filter);
                    }
                }
                if !skipping.may_hold(&filters) {
                    continue;
                }
            }
            left.push(group);
        }
        Ok(left)
    }

    fn unreadable(&self, task: &FileScanTask, problem: &str) -> ReaderError {
        let file = task
            .data_file_path
            .rsplit('/')
            .next()
            .unwrap_or(&task.data_file_path);
        ReaderError::Unsupported {
            table: self.table.clone(),
            problem: format!("data file `{file}`: {problem}"),
        }
    }

    pub(crate) fn storage(&self, cause: iceberg::Error) -> ReaderError {
        ReaderError::Storage {
            table: self.table.clone(),
            cause: Box::new(cause),
        }
    }

    /// What the Parquet library says, in which an error of storage or of ours may be wrapped.
    fn parquet(&self, task: &FileScanTask, cause: ParquetError) -> ReaderError {
        match told(cause) {
            Told::Storage(storage) => self.storage(storage),
            Told::Own(own) => own,
            Told::Arrow(arrow) => self.arrow(task, arrow),
            Told::File(problem) => self.unreadable(task, &problem),
        }
    }

    fn arrow(&self, task: &FileScanTask, cause: ArrowError) -> ReaderError {
        match cause {
            ArrowError::ExternalError(inner) => match inner.downcast::<Failure>() {
                Ok(own) => self.failed(task, *own),
                Err(other) => self.unreadable(task, &other.to_string()),
            },
            other => self.unreadable(task, &other.to_string()),
        }
    }

    fn failed(&self, task: &FileScanTask, failure: Failure) -> ReaderError {
        match failure {
            Failure::File(problem) => self.unreadable(task, &problem),
            Failure::Filter(cause) => ReaderError::Filter(cause),
        }
    }
}
