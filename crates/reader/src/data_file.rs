// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Reading one data file, or a range of its row groups.
//!
//! iceberg-rust decodes; before that the footer is looked at here, for two reasons. iceberg-rust shows null where a
//! file stores a column with a type that cannot become the table's type; a filter would then decide on nulls, so such
//! a file is refused. And row groups that cannot match are left out by narrowing the byte range of the task, since
//! iceberg-rust can skip row groups only together with a row filter of its own, which loses null rows.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::UInt64Array;
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::{DataType, SchemaRef as ArrowSchemaRef};
use futures::{StreamExt, stream};
use iceberg::Runtime;
use iceberg::arrow::{ArrowFileReader, ArrowReaderBuilder};
use iceberg::io::{FileIO, FileMetadata};
use iceberg::scan::{ArrowRecordBatchStream, FileScanTask};
use iceberg::spec::{NameMapping, Transform};
use lakeward_read_restrictions::predicate::Predicate;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::arrow::async_reader::AsyncFileReader;
use parquet::arrow::parquet_to_arrow_schema;
use parquet::basic::Type as PhysicalType;
use parquet::file::metadata::ParquetMetaData;

use crate::error::ReaderError;
use crate::row_filter::pruning::{ColumnStatistics, row_groups_that_may_match};

/// What is the same for all files of one scan.
#[derive(Debug)]
pub(crate) struct FileScan {
    /// The table, for messages.
    pub(crate) table: String,
    /// Storage.
    pub(crate) file_io: FileIO,
    /// Where iceberg-rust runs its tasks.
    pub(crate) runtime: Runtime,
    /// Arrow types of the table's top-level fields.
    pub(crate) columns: Vec<(i32, DataType)>,
    /// Row groups that cannot fulfil it may be skipped.
    pub(crate) pruning: Option<Predicate>,
    /// Fields whose statistics in files must not be trusted.
    pub(crate) untrusted: BTreeSet<i32>,
    /// Whether positions may stand for field ids in files that have none.
    pub(crate) restricted: bool,
}

impl FileScan {
    /// Opens the part of a file that `task` names.
    pub(crate) async fn open(
        &self,
        task: FileScanTask,
        batch_size: usize,
    ) -> Result<ArrowRecordBatchStream, ReaderError> {
        let footer = self.footer(&task).await?;
        let columns = FileColumns::new(&footer, task.name_mapping.as_deref())
            .map_err(|problem| self.unreadable(&task, &problem))?;
        self.check(&task, &columns)?;
        let tasks = self.narrowed(task, &footer, &columns);
        // One file at a time: with several, iceberg-rust may wait for ever on a delete file that another task
        // failed to load.
        let scan = ArrowReaderBuilder::new(self.file_io.clone(), self.runtime.clone())
            .with_data_file_concurrency_limit(1)
            .with_batch_size(batch_size)
            .with_row_group_filtering_enabled(false)
            .with_row_selection_enabled(false)
            .build()
            .read(stream::iter(tasks.into_iter().map(Ok)).boxed())
            .map_err(|cause| self.storage(cause))?;
        Ok(scan.stream())
    }

    async fn footer(&self, task: &FileScanTask) -> Result<Arc<ParquetMetaData>, ReaderError> {
        let reader = self
            .file_io
            .new_input(&task.data_file_path)
            .map_err(|cause| self.storage(cause))?
            .reader()
            .await
            .map_err(|cause| self.storage(cause))?;
        let size = FileMetadata {
            size: task.file_size_in_bytes,
        };
        ArrowFileReader::new(size, reader)
            .get_metadata(None)
            .await
            .map_err(|cause| self.unreadable(task, &cause.to_string()))
    }

    /// Refuses files whose columns iceberg-rust would show as null or take from the wrong place.
    fn check(&self, task: &FileScanTask, columns: &FileColumns) -> Result<(), ReaderError> {
        if columns.identification == Identification::Position && self.restricted {
            return Err(self.unreadable(
                task,
                "its columns have no field ids and the table has no name mapping, so restrictions cannot be applied to the right columns",
            ));
        }
        for (field_id, wanted) in &self.columns {
            if !task.project_field_ids.contains(field_id) {
                continue;
            }
            let Some((_, stored, physical)) = columns.find(*field_id) else {
                continue;
            };
            if !readable_as(stored, wanted, physical) {
                return Err(self.unreadable(
                    task,
                    &format!("it stores field {field_id} as `{stored}`, which cannot become `{wanted}`"),
                ));
            }
        }
        Ok(())
    }

    /// The task cut to the row groups that may match: one task per run of neighbouring row groups.
    fn narrowed(
        &self,
        task: FileScanTask,
        footer: &ParquetMetaData,
        columns: &FileColumns,
    ) -> Vec<FileScanTask> {
        let Some(pruning) = &self.pruning else {
            return vec![task];
        };
        if columns.identification == Identification::Position {
            return vec![task];
        }
        let kept = self.matching_row_groups(pruning, &task, footer, columns);
        if kept.count_set_bits() == kept.len() {
            return vec![task];
        }
        let (start, end) = (task.start, task.start + task.length);
        let mut runs: Vec<(u64, u64)> = Vec::new();
        // As iceberg-rust sees row groups: stored one after the other behind the magic number, each belonging to the
        // range that holds its midpoint.
        let mut offset = 4_u64;
        for (kept, group) in kept.iter().zip(footer.row_groups()) {
            let size = u64::try_from(group.compressed_size()).unwrap_or(0);
            let midpoint = offset + size / 2;
            if kept && (start..end).contains(&midpoint) {
                match runs.last_mut() {
                    Some((_, run_end)) if *run_end == offset => *run_end = offset + size,
                    _ => runs.push((offset, offset + size)),
                }
            }
            offset += size;
        }
        runs.into_iter()
            .map(|(run_start, run_end)| {
                let mut part = task.clone();
                part.start = run_start;
                // A row group of one byte or none has its midpoint at its start.
                part.length = (run_end - run_start).max(1);
                part.record_count = None;
                part
            })
            .collect()
    }

    fn matching_row_groups(
        &self,
        pruning: &Predicate,
        task: &FileScanTask,
        footer: &ParquetMetaData,
        columns: &FileColumns,
    ) -> BooleanBuffer {
        let constants: BTreeSet<i32> = task
            .partition_spec
            .iter()
            .flat_map(|spec| spec.fields())
            .filter(|field| field.transform == Transform::Identity)
            .map(|field| field.source_id)
            .collect();
        let statistics = |field_id: i32| {
            if self.untrusted.contains(&field_id) || constants.contains(&field_id) {
                return None;
            }
            let (_, wanted) = self.columns.iter().find(|(id, _)| *id == field_id)?;
            let (name, stored, _) = columns.find(field_id)?;
            if stored != wanted {
                return None;
            }
            column_statistics(footer, &columns.schema, name)
        };
        row_groups_that_may_match(pruning, footer.num_row_groups(), &statistics)
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
}

/// How columns of a file are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Identification {
    /// By the field ids in the file.
    FieldId,
    /// By the table's name mapping.
    NameMapping,
    /// By position, as a last resort.
    Position,
}

/// The top-level columns of one file.
struct FileColumns {
    identification: Identification,
    schema: ArrowSchemaRef,
    /// Field id, name, Arrow type, physical type of primitive columns.
    columns: Vec<(i32, String, DataType, Option<PhysicalType>)>,
}

impl FileColumns {
    fn new(footer: &ParquetMetaData, mapping: Option<&NameMapping>) -> Result<Self, String> {
        let file = footer.file_metadata();
        let schema = parquet_to_arrow_schema(file.schema_descr(), file.key_value_metadata())
            .map_err(|cause| cause.to_string())?;
        let stored = file.schema_descr().root_schema().get_fields();
        // The first column decides, as it does for iceberg-rust.
        let has_ids = stored.first().is_none_or(|first| first.get_basic_info().has_id());
        let identification = match (has_ids, mapping) {
            (true, _) => Identification::FieldId,
            (false, Some(_)) => Identification::NameMapping,
            (false, None) => Identification::Position,
        };
        let id_of = |position: usize, name: &str| match identification {
            Identification::FieldId => stored
                .get(position)
                .map(|column| column.get_basic_info())
                .filter(|info| info.has_id())
                .map(|info| info.id()),
            Identification::NameMapping => mapping?
                .fields()
                .iter()
                .find(|field| field.names().iter().any(|known| known == name))
                .and_then(|field| field.field_id()),
            Identification::Position => i32::try_from(position).ok().map(|position| position + 1),
        };
        let columns = schema
            .fields()
            .iter()
            .enumerate()
            .filter_map(|(position, field)| {
                let physical = stored
                    .get(position)
                    .filter(|column| column.is_primitive())
                    .map(|column| column.get_physical_type());
                let id = id_of(position, field.name())?;
                Some((id, field.name().clone(), field.data_type().clone(), physical))
            })
            .collect();
        Ok(Self {
            identification,
            schema: Arc::new(schema),
            columns,
        })
    }

    fn find(&self, field_id: i32) -> Option<(&str, &DataType, Option<PhysicalType>)> {
        self.columns
            .iter()
            .find(|(id, ..)| *id == field_id)
            .map(|(_, name, stored, physical)| (name.as_str(), stored, *physical))
    }
}

/// Whether iceberg-rust turns a stored column into the wanted type without loss (Iceberg's promotions, and encodings
/// of the same values).
fn readable_as(stored: &DataType, wanted: &DataType, physical: Option<PhysicalType>) -> bool {
    match (stored, wanted) {
        (DataType::Dictionary(_, values), _) => readable_as(values, wanted, physical),
        (DataType::Int8 | DataType::Int16 | DataType::Int32, DataType::Int32 | DataType::Int64)
        | (DataType::Float32, DataType::Float64)
        | (DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View, DataType::Utf8)
        | (DataType::Binary | DataType::LargeBinary | DataType::BinaryView, DataType::LargeBinary)
        // Nested columns carry no filter; their members are matched by iceberg-rust.
        | (DataType::Struct(_), DataType::Struct(_))
        | (DataType::Map(..), DataType::Map(..))
        | (DataType::List(_) | DataType::LargeList(_), DataType::List(_)) => true,
        (
            DataType::Decimal128(stored_precision, stored_scale),
            DataType::Decimal128(precision, scale),
        ) => stored_scale == scale && stored_precision <= precision,
        (DataType::Timestamp(stored_unit, stored_zone), DataType::Timestamp(unit, zone)) => {
            stored_zone.is_some() == zone.is_some() && stored_unit == unit
                || physical == Some(PhysicalType::INT96)
        }
        (stored, wanted) => stored == wanted,
    }
}

fn column_statistics(
    footer: &ParquetMetaData,
    schema: &ArrowSchemaRef,
    name: &str,
) -> Option<ColumnStatistics> {
    let converter = StatisticsConverter::try_new(name, schema, footer.file_metadata().schema_descr())
        .ok()?
        .with_missing_null_counts_as_zero(false);
    let leaf = converter.parquet_column_index()?;
    // Statistics of old writers order text by signed bytes.
    let deprecated = footer.row_groups().iter().any(|group| {
        group
            .columns()
            .get(leaf)
            .and_then(|column| column.statistics())
            .is_some_and(|statistics| statistics.is_min_max_deprecated())
    });
    if deprecated {
        return None;
    }
    let nulls: UInt64Array = converter.row_group_null_counts(footer.row_groups()).ok()?;
    Some(ColumnStatistics {
        minimums: converter.row_group_mins(footer.row_groups()).ok()?,
        maximums: converter.row_group_maxes(footer.row_groups()).ok()?,
        nulls,
    })
}
