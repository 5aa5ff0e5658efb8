// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Decoding the row groups of one file, and filtering them early.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray};
use arrow::compute::filter_record_batch;
use arrow::datatypes::{Field, Schema as ArrowSchema};
use arrow::error::ArrowError;
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use futures::stream::BoxStream;
use futures::{StreamExt, stream};
use iceberg::scan::FileScanTask;
use parquet::arrow::arrow_reader::{
    ArrowPredicate, ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    RowFilter as ParquetRowFilter, RowSelection,
};
use parquet::arrow::{ParquetRecordBatchStreamBuilder, ProjectionMask};
use parquet::basic::Encoding;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use super::columns::FileColumns;
use super::projection::Projection;
use super::{FileScan, Originals};
use crate::deletes::Deleted;
use crate::error::ReaderError;
use crate::row_filter::{FilterError, RowFilter};

/// What is the same for all row groups of one task.
pub(super) struct OpenFile {
    pub(super) scan: Arc<FileScan>,
    pub(super) task: FileScanTask,
    pub(super) footer: Arc<ParquetMetaData>,
    pub(super) columns: FileColumns,
    pub(super) deleted: Deleted,
    /// Ids of the fields that are read: those of the task, then those that deletes need.
    pub(super) field_ids: Vec<i32>,
    pub(super) projection: Projection,
    pub(super) filter: FilterOfFile,
    pub(super) batch_size: usize,
}

/// What the required row filter needs of one file.
pub(super) enum FilterOfFile {
    /// There is none, or it passes every row.
    Passed,
    /// It reads these columns, and there are others to be decoded beside them.
    Apart(Arc<Projection>),
    /// All that is decoded is needed by it.
    Together,
}

/// One row group of a task and its rows that are decoded, or all.
pub(super) struct Part {
    pub(super) group: usize,
    pub(super) rows: Option<RowSelection>,
}

/// Why rows of a file could not be filtered.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("{0}")]
    File(String),
    #[error(transparent)]
    Filter(#[from] FilterError),
}

/// Which rows of a decoded batch the filter keeps. `ids` are the fields of the projection.
pub(super) fn keep(
    filter: &RowFilter,
    projection: &Projection,
    ids: &[i32],
    decoded: &RecordBatch,
) -> Result<BooleanArray, Failure> {
    let columns = projection.fields(decoded).map_err(Failure::File)?;
    let column = |field_id: i32| columns.get(ids.iter().position(|id| *id == field_id)?);
    let kept = filter.keep(decoded.num_rows(), &column)?;
    Ok(BooleanArray::new(kept, None))
}

/// The required row filter as the Parquet library runs it between decoding its columns and decoding the others.
struct EarlyFilter {
    scan: Arc<FileScan>,
    projection: Arc<Projection>,
    ids: Vec<i32>,
    mask: ProjectionMask,
}

impl ArrowPredicate for EarlyFilter {
    fn projection(&self) -> &ProjectionMask {
        &self.mask
    }

    fn evaluate(&mut self, batch: RecordBatch) -> Result<BooleanArray, ArrowError> {
        let filter = self.scan.filter.as_ref().ok_or_else(|| {
            ArrowError::ComputeError("a row filter was asked for where there is none".to_owned())
        })?;
        let kept = keep(filter, &self.projection, &self.ids, &batch)
            .map_err(|failure| ArrowError::ExternalError(Box::new(failure)))?;
        self.scan.seen.filtered(kept.len(), kept.true_count());
        Ok(kept)
    }
}

impl FileScan {
    fn filter_reads_nested(&self, filter: &RowFilter) -> bool {
        let read = filter.fields();
        let mut fields = self.fields.iter();
        fields.any(|wanted| wanted.data_type.is_nested() && read.contains(&wanted.field.id))
    }
}

impl OpenFile {
    /// Fetches a row group, and filters it first if few rows will pass; what comes back only has to be decoded.
    pub(super) async fn fetch(
        self: Arc<Self>,
        part: Part,
    ) -> Result<BoxStream<'static, Result<Originals, ReaderError>>, ReaderError> {
        let scan = &self.scan;
        let failed = |cause| scan.parquet(&self.task, cause);
        let dictionaries = self.dictionaries(part.group);
        let options =
            ArrowReaderOptions::new().with_schema(self.projection.schema(&self.columns, &dictionaries));
        let metadata = ArrowReaderMetadata::try_new(Arc::clone(&self.footer), options).map_err(failed)?;
        let descriptor = self.footer.file_metadata().schema_descr();
        let mask = ProjectionMask::leaves(descriptor, self.projection.leaves.iter().copied());
        let bytes = scan
            .bytes_of(&self.task)
            .await?
            .of_columns(&self.footer, &[part.group], &self.leaves())
            .map_err(failed)?;
        let mut builder = ParquetRecordBatchStreamBuilder::new_with_metadata(bytes, metadata)
            .with_projection(mask)
            .with_batch_size(self.batch_size)
            .with_row_groups(vec![part.group]);
        if let Some(rows) = part.rows {
            builder = builder.with_row_selection(rows);
        }
        // Where no filter is known here, whoever knows one still has to run it.
        let mut filtered = scan.filter.is_some() && matches!(self.filter, FilterOfFile::Passed);
        if let (FilterOfFile::Apart(projection), Some(filter)) = (&self.filter, &scan.filter)
            && scan.seen.few_pass()
        {
            filtered = true;
            if scan.filter_reads_nested(filter) {
                // The library's memory of what a filter has decoded loses which structs are null.
                builder = builder.with_max_predicate_cache_size(0);
            }
            builder = builder.with_row_filter(ParquetRowFilter::new(vec![Box::new(EarlyFilter {
                scan: Arc::clone(scan),
                projection: Arc::clone(projection),
                ids: filter.fields().into_iter().collect(),
                mask: ProjectionMask::leaves(descriptor, projection.leaves.iter().copied()),
            })]));
        }
        let reader: Option<ParquetRecordBatchReader> = builder
            .build()
            .map_err(failed)?
            .next_row_group()
            .await
            .map_err(failed)?;
        let file = Arc::clone(&self);
        let batches = stream::iter(reader.into_iter().flatten()).map(move |batch| {
            let batch = batch.map_err(|cause| file.scan.arrow(&file.task, cause))?;
            Ok(Originals {
                rows: file.originals(&batch)?,
                filtered,
            })
        });
        Ok(batches.boxed())
    }

    /// The leaves of all columns that are read.
    fn leaves(&self) -> BTreeSet<usize> {
        let mut leaves: BTreeSet<usize> = self.projection.leaves.iter().copied().collect();
        if let FilterOfFile::Apart(projection) = &self.filter {
            leaves.extend(&projection.leaves);
        }
        leaves
    }

    /// Leaves of a row group to be decoded as dictionaries: each is one wholly.
    fn dictionaries(&self, group: usize) -> BTreeSet<usize> {
        let chunks = self.footer.row_groups().get(group).map(|group| group.columns());
        self.scan
            .dictionaries
            .iter()
            .filter_map(|field_id| self.projection.text.get(field_id).copied())
            .filter(|leaf| {
                let chunk = chunks.and_then(|chunks| chunks.get(*leaf));
                chunk.is_some_and(is_one_dictionary)
            })
            .collect()
    }

    /// The fields of the task in a decoded batch, without deleted rows.
    fn originals(&self, decoded: &RecordBatch) -> Result<RecordBatch, ReaderError> {
        let mut columns = self
            .projection
            .fields(decoded)
            .map_err(|problem| self.scan.unreadable(&self.task, &problem))?;
        let column = |field_id: i32| columns.get(self.field_ids.iter().position(|id| *id == field_id)?);
        let kept = self.deleted.kept(decoded.num_rows(), &column)?;
        columns.truncate(self.task.project_field_ids.len());
        let rows = batch_of(columns, decoded.num_rows())
            .map_err(|cause| self.scan.unreadable(&self.task, &cause.to_string()))?;
        match kept {
            None => Ok(rows),
            Some(kept) => filter_record_batch(&rows, &BooleanArray::new(kept, None))
                .map_err(|cause| self.scan.unreadable(&self.task, &cause.to_string())),
        }
    }
}

fn is_one_dictionary(chunk: &ColumnChunkMetaData) -> bool {
    chunk.dictionary_page_offset().is_some()
        && chunk.page_encoding_stats_mask().is_some_and(|encodings| {
            encodings.is_only(Encoding::RLE_DICTIONARY) || encodings.is_only(Encoding::PLAIN_DICTIONARY)
        })
}

/// A batch whose columns are known by their order.
fn batch_of(columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch, ArrowError> {
    let fields: Vec<Field> = columns
        .iter()
        .map(|column| Field::new("", column.data_type().clone(), true))
        .collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::new(ArrowSchema::new(fields)), columns, &options)
}
