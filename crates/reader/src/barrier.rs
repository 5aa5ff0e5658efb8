// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The operator that enforces restrictions: scan, exact row filter on original values, masks on the survivors.
//!
//! One leaf, so that no optimizer finds anything below it to reorder. It keeps three defaults of [`ExecutionPlan`]
//! that make it a barrier: filters of parents, dynamic ones too, are barred; statistics are unknown, so that no
//! aggregate is answered from metadata of hidden rows; limits are not pushed in. A test asserts each.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray};
use arrow::compute::{FilterBuilder, cast};
use arrow::datatypes::{FieldRef, SchemaRef as ArrowSchemaRef};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::common::Result as EngineResult;
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::EquivalenceProperties;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties};
use datafusion::prelude::SessionConfig;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt, stream};
use iceberg::scan::FileScanTask;
use lakeward_read_restrictions::action::QuerySalt;

use crate::coalesce::coalesced;
use crate::compact::compact;
use crate::data_file::{FileScan, Originals};
use crate::error::ReaderError;
use crate::masks::{Mask, MaskedValues};
use crate::row_filter::RowFilter;
use crate::work::distribute;

/// One output column.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) field_id: i32,
    pub(crate) arrow: FieldRef,
    pub(crate) mask: Option<Mask>,
}

/// The leaf operator of one restricted table.
#[derive(Debug)]
pub(crate) struct Barrier {
    table: String,
    files: Arc<FileScan>,
    work: Vec<Vec<FileScanTask>>,
    enforcement: Arc<Enforcement>,
    /// No column has to be read: rows are only counted.
    counts_only: bool,
    properties: Arc<PlanProperties>,
}

/// What happens to every batch.
#[derive(Debug)]
pub(crate) struct Enforcement {
    pub(crate) schema: ArrowSchemaRef,
    pub(crate) columns: Vec<Column>,
    pub(crate) filter: Option<RowFilter>,
    pub(crate) salt: QuerySalt,
    /// Field ids of the columns of incoming batches, in their order.
    pub(crate) field_ids: Vec<i32>,
}

impl Barrier {
    #[expect(
        clippy::too_many_arguments,
        reason = "one caller, which has all of them by name"
    )]
    pub(crate) fn new(
        table: String,
        schema: ArrowSchemaRef,
        columns: Vec<Column>,
        filter: Option<RowFilter>,
        salt: QuerySalt,
        files: Arc<FileScan>,
        field_ids: Vec<i32>,
        tasks: Vec<FileScanTask>,
        partitions: usize,
    ) -> Self {
        let counts_only = field_ids.is_empty();
        let work = distribute(tasks, partitions, counts_only);
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(work.len()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Self {
            table,
            files,
            work,
            enforcement: Arc::new(Enforcement {
                schema,
                columns,
                filter,
                salt,
                field_ids,
            }),
            counts_only,
            properties: Arc::new(properties),
        }
    }
}

#[cfg(test)]
impl Barrier {
    /// Bytes of data files that were read so far.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.files.seen.bytes()
    }
}

impl DisplayAs for Barrier {
    /// Names the table and the columns. Nothing is said of the filter, of files or of rows: a plan is shown to users.
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RestrictedScan: table={}, columns=[", self.table)?;
        for (position, column) in self.enforcement.columns.iter().enumerate() {
            if position > 0 {
                f.write_str(", ")?;
            }
            f.write_str(column.arrow.name())?;
            if let Some(mask) = &column.mask {
                write!(f, " ({})", mask.action())?;
            }
        }
        f.write_str("]")
    }
}

impl ExecutionPlan for Barrier {
    fn name(&self) -> &'static str {
        "RestrictedScan"
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> EngineResult<Arc<dyn ExecutionPlan>> {
        if children.is_empty() {
            Ok(self)
        } else {
            Err(DataFusionError::Internal(
                "a restricted scan has no children".to_owned(),
            ))
        }
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> EngineResult<SendableRecordBatchStream> {
        let tasks = self.work.get(partition).cloned().unwrap_or_default();
        let batch_size = context.session_config().batch_size();
        let enforcement = Arc::clone(&self.enforcement);
        let rows = if self.counts_only {
            counted_rows(tasks, Arc::clone(&self.files), enforcement, batch_size)
        } else {
            let files = Arc::clone(&self.files);
            let mut masked = enforcement.nothing_masked();
            original_rows(tasks, Arc::clone(&files), batch_size)
                .map(move |originals| {
                    let originals = originals?;
                    let kept = enforcement.enforce(&originals, &mut masked)?;
                    if enforcement.filter.is_some() && !originals.filtered {
                        let rows = kept.as_ref().map_or(0, RecordBatch::num_rows);
                        files.seen.filtered(originals.rows.num_rows(), rows);
                    }
                    Ok(kept)
                })
                .try_filter_map(|kept| std::future::ready(Ok(kept)))
                .boxed()
        };
        let schema = Arc::clone(&self.enforcement.schema);
        let rows = if self.enforcement.filter.is_some() && !schema.fields().is_empty() {
            coalesced(rows, Arc::clone(&schema), batch_size)
        } else {
            rows
        };
        let rows = rows.map_err(failure);
        let rows = if batch_size < SessionConfig::new().batch_size() {
            // Memory is short.
            rows.and_then(|batch| std::future::ready(compact(&batch).map_err(DataFusionError::from)))
                .boxed()
        } else {
            rows.boxed()
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}

/// A failure as the engine's, which must know when memory is lacking: it may try again with less.
fn failure(cause: ReaderError) -> DataFusionError {
    if let ReaderError::Exhausted(text) = cause {
        return DataFusionError::ResourcesExhausted(text);
    }
    DataFusionError::External(Box::new(cause))
}

pub(crate) type Rows = BoxStream<'static, Result<RecordBatch, ReaderError>>;

/// The files' rows, still unmasked. The next file is opened while one is read.
fn original_rows(
    tasks: Vec<FileScanTask>,
    files: Arc<FileScan>,
    batch_size: usize,
) -> BoxStream<'static, Result<Originals, ReaderError>> {
    stream::iter(tasks)
        .map(move |task| {
            let opened = SpawnedTask::spawn(Arc::clone(&files).open(task, batch_size));
            async move {
                opened
                    .await
                    .map_err(|_| ReaderError::Query("opening a file was broken off".to_owned()))?
            }
        })
        .buffered(2)
        .try_flatten()
        .boxed()
}

/// Rows of which nothing is read: files without deletes are counted by their metadata, others by what is deleted.
fn counted_rows(
    tasks: Vec<FileScanTask>,
    files: Arc<FileScan>,
    enforcement: Arc<Enforcement>,
    batch_size: usize,
) -> Rows {
    match enforcement.passes_rows_of_nothing() {
        Ok(true) => {}
        Ok(false) => return stream::empty().boxed(),
        Err(cause) => return stream::iter([Err(cause)]).boxed(),
    }
    let (known, read): (Vec<_>, Vec<_>) = tasks
        .into_iter()
        .partition(|task| task.deletes.is_empty() && task.record_count.is_some());
    let total = known
        .iter()
        .filter_map(|task| task.record_count)
        .fold(0_u64, u64::saturating_add);
    // One size after the other: the number of rows is what manifests claim, and may be any.
    let mut left = total;
    let of_known = stream::iter(std::iter::from_fn(move || {
        // A batch without columns may be large; one with constants should not.
        let size = left.min(u64::try_from(batch_size.max(1)).unwrap_or(u64::MAX));
        left -= size;
        (size > 0).then(|| Ok(usize::try_from(size).unwrap_or(batch_size)))
    }));
    let of_read = original_rows(read, files, batch_size).map_ok(|originals| originals.rows.num_rows());
    of_known
        .chain(of_read)
        .map(move |rows| enforcement.constants(rows?))
        .boxed()
}

impl Enforcement {
    /// What is kept from batch to batch: nothing yet.
    pub(crate) fn nothing_masked(&self) -> Vec<MaskedValues> {
        self.columns.iter().map(|_| MaskedValues::default()).collect()
    }

    /// The rows of a batch that the restrictions let through, masked; `None` if there are none. `masked` holds for each
    /// column the dictionary that was masked last.
    pub(crate) fn enforce(
        &self,
        originals: &Originals,
        masked: &mut [MaskedValues],
    ) -> Result<Option<RecordBatch>, ReaderError> {
        let batch = &originals.rows;
        if batch.num_columns() != self.field_ids.len() {
            return Err(ReaderError::Query(format!(
                "storage gave {} columns where {} were asked for",
                batch.num_columns(),
                self.field_ids.len()
            )));
        }
        let original = |field_id: i32| {
            let position = self.field_ids.iter().position(|id| *id == field_id)?;
            batch.columns().get(position)
        };
        let mut rows = batch.num_rows();
        let mut survivors = None;
        if let Some(filter) = self.filter.as_ref().filter(|_| !originals.filtered) {
            let kept = filter.keep(rows, &original)?;
            let count = kept.count_set_bits();
            if count == 0 {
                return Ok(None);
            }
            if count < rows {
                let kept = BooleanArray::new(kept, None);
                survivors = Some(FilterBuilder::new(&kept).optimize().build());
                rows = count;
            }
        } else if rows == 0 {
            return Ok(None);
        }
        let columns = self
            .columns
            .iter()
            .zip(masked)
            .map(|(column, masked)| {
                if let Some(mask) = &column.mask
                    && let Some(constant) = mask.constant(rows)?
                {
                    return Ok(constant);
                }
                let values = original(column.field_id).ok_or_else(|| {
                    ReaderError::Query(format!("column `{}` was not read", column.arrow.name()))
                })?;
                let values = match &survivors {
                    Some(survivors) => survivors.filter(values).map_err(build_error)?,
                    None => Arc::clone(values),
                };
                match &column.mask {
                    Some(mask) => Ok(mask.apply(&values, &self.salt, masked)?),
                    None => as_declared(values, &column.arrow),
                }
            })
            .collect::<Result<Vec<ArrayRef>, ReaderError>>()?;
        self.batch(columns, rows).map(Some)
    }

    /// Whether rows pass of which no column is read: a filter that reads none decides for all alike.
    fn passes_rows_of_nothing(&self) -> Result<bool, ReaderError> {
        match &self.filter {
            None => Ok(true),
            Some(filter) => Ok(filter.keep(1, &|_| None)?.value(0)),
        }
    }

    /// A batch of columns that depend on no original value.
    fn constants(&self, rows: usize) -> Result<RecordBatch, ReaderError> {
        let columns = self
            .columns
            .iter()
            .map(|column| {
                let constant = match &column.mask {
                    Some(mask) => mask.constant(rows)?,
                    None => None,
                };
                constant.ok_or_else(|| {
                    ReaderError::Query(format!("column `{}` was not read", column.arrow.name()))
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        self.batch(columns, rows)
    }

    fn batch(&self, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch, ReaderError> {
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options).map_err(build_error)
    }
}

/// The column in its declared type: text that the filter reads may come as a dictionary.
fn as_declared(values: ArrayRef, field: &FieldRef) -> Result<ArrayRef, ReaderError> {
    if values.data_type() == field.data_type() {
        return Ok(values);
    }
    cast(&values, field.data_type()).map_err(build_error)
}

fn build_error(cause: arrow::error::ArrowError) -> ReaderError {
    ReaderError::Query(format!("a column could not be built: {cause}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use arrow::datatypes::Schema;
    use datafusion::execution::memory_pool::{MemoryPool, UnboundedMemoryPool};
    use iceberg::io::FileIO;
    use iceberg::spec::DataFileFormat;
    use lakeward_read_restrictions::predicate::Predicate;

    use super::*;
    use crate::data_file::Seen;
    use crate::deletes::Deletes;
    use crate::salt::random_salt;

    /// Rows of files of which nothing is read, with what their manifests claim.
    fn counted(filter: Option<Predicate>, claimed: &[u64]) -> Rows {
        let file_io = FileIO::new_with_fs();
        let memory: Arc<dyn MemoryPool> = Arc::new(UnboundedMemoryPool::default());
        let files = FileScan {
            table: "t".to_owned(),
            file_io: file_io.clone(),
            fields: Vec::new(),
            filter: None,
            pruning: None,
            untrusted: BTreeSet::new(),
            dictionaries: BTreeSet::new(),
            deletes: Deletes::none("t", &file_io, &memory),
            seen: Seen::default(),
        };
        let enforcement = Enforcement {
            schema: Arc::new(Schema::empty()),
            columns: Vec::new(),
            filter: filter.map(RowFilter::new),
            salt: random_salt().unwrap(),
            field_ids: Vec::new(),
        };
        let task = |rows: &u64| {
            FileScanTask::builder()
                .with_file_size_in_bytes(1)
                .with_start(0)
                .with_length(1)
                .with_record_count(Some(*rows))
                .with_data_file_path("a".to_owned())
                .with_data_file_format(DataFileFormat::Parquet)
                .with_schema(Arc::new(iceberg::spec::Schema::builder().build().unwrap()))
                .with_project_field_ids(Vec::new())
                .with_case_sensitive(true)
                .build()
        };
        let tasks = claimed.iter().map(task).collect();
        counted_rows(tasks, Arc::new(files), Arc::new(enforcement), 100)
    }

    #[tokio::test]
    async fn a_filter_that_reads_no_column_decides_for_rows_that_are_only_counted() {
        let constant = |value| Predicate::Constant(value);
        for (filter, expected) in [
            (None, 250),
            (Some(constant(true)), 250),
            (Some(Predicate::And(Vec::new())), 250),
            (Some(constant(false)), 0),
            (Some(Predicate::Or(Vec::new())), 0),
            (Some(Predicate::Not(Box::new(constant(true)))), 0),
        ] {
            let batches: Vec<RecordBatch> = counted(filter.clone(), &[200, 50]).try_collect().await.unwrap();
            let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
            assert_eq!(rows, expected, "{filter:?}");
        }
    }

    #[tokio::test]
    async fn claimed_numbers_of_rows_take_no_memory() {
        let mut rows = counted(None, &[u64::MAX, u64::MAX]);
        for _ in 0..3 {
            assert_eq!(rows.next().await.unwrap().unwrap().num_rows(), 100);
        }
    }
}
