// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! One delete file: what manifests say of it, and its columns when it is Parquet.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use arrow::array::{ArrayRef, new_empty_array};
use arrow::datatypes::DataType;
use datafusion::execution::memory_pool::MemoryReservation;
use futures::TryStreamExt;
use iceberg::io::FileIO;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::arrow::{ParquetRecordBatchStreamBuilder, ProjectionMask};
use tokio::sync::OnceCell;

use super::equality::{self, EqualityDeletes};
use super::index::Place;
use super::positions::{self, PositionsByFile};
use crate::data_file::{StoredBytes, Told, Wanted, readable_as, told, widened};
use crate::error::ReaderError;

/// A delete file with what was read of it.
#[derive(Debug)]
pub(super) struct DeleteFile {
    pub(super) path: String,
    pub(super) size: u64,
    /// Deleted positions, for a deletion vector.
    pub(super) record_count: u64,
    /// The only data file that it speaks of, if it says so.
    pub(super) referenced: Option<String>,
    /// Where a deletion vector lies in its file: offset and length.
    pub(super) blob: Option<(u64, u64)>,
    /// The columns of equality deletes.
    pub(super) columns: Vec<Wanted>,
    /// Data sequence number.
    pub(super) sequence: i64,
    pub(super) place: Place,
    pub(super) by_position: OnceCell<PositionsByFile>,
    pub(super) by_value: OnceCell<Arc<EqualityDeletes>>,
}

impl DeleteFile {
    /// A position delete file without anything from manifests.
    #[cfg(test)]
    pub(super) fn of_positions(path: &std::path::Path) -> Self {
        Self {
            path: path.display().to_string(),
            size: std::fs::metadata(path).unwrap().len(),
            record_count: 0,
            referenced: None,
            blob: None,
            columns: Vec::new(),
            sequence: 0,
            place: (0, iceberg::spec::Struct::empty()),
            by_position: OnceCell::new(),
            by_value: OnceCell::new(),
        }
    }

    /// The positions of a position delete file.
    pub(super) async fn positions(
        &self,
        table: &str,
        file_io: &FileIO,
        memory: &MemoryReservation,
    ) -> Result<&PositionsByFile, ReaderError> {
        self.by_position
            .get_or_try_init(|| positions::read(table, file_io, self, memory))
            .await
    }

    /// The rows of an equality delete file.
    pub(super) async fn rows(
        &self,
        table: &str,
        file_io: &FileIO,
        memory: &MemoryReservation,
    ) -> Result<Arc<EqualityDeletes>, ReaderError> {
        self.by_value
            .get_or_try_init(|| async { equality::read(table, file_io, self, memory).await.map(Arc::new) })
            .await
            .map(Arc::clone)
    }

    /// The error of a file that is not what it should be.
    pub(super) fn unusable(&self, table: &str, problem: &str) -> ReaderError {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        ReaderError::Unsupported {
            table: table.to_owned(),
            problem: format!("delete file `{name}`: {problem}"),
        }
    }

    /// Gives all rows of a Parquet file, batch by batch, in the columns with these field ids and types.
    pub(super) async fn parquet(
        &self,
        table: &str,
        file_io: &FileIO,
        memory: &MemoryReservation,
        wanted: &[(i32, DataType)],
        mut each: impl FnMut(&[ArrayRef]) -> Result<(), ReaderError> + Send,
    ) -> Result<(), ReaderError> {
        let storage = |cause: iceberg::Error| ReaderError::Storage {
            table: table.to_owned(),
            cause: Box::new(cause),
        };
        // Where the file lies is nobody's business; who is told of a failure of storage knows that.
        let unreadable = |cause: parquet::errors::ParquetError| match told(cause) {
            Told::Storage(cause) => storage(cause),
            Told::Own(own) => own,
            // Arrow's message would hold the value.
            Told::Arrow(_) => self.unusable(table, "a value cannot be read"),
            Told::File(problem) => self.unusable(table, &problem),
        };
        let input = file_io.new_input(&self.path).map_err(storage)?;
        let reader = input.reader().await.map_err(storage)?;
        let reader = StoredBytes::new(reader, self.size, Arc::new(AtomicU64::new(0)), memory.new_empty());
        let footer = Arc::new(reader.footer().await.map_err(unreadable)?);
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = ArrowReaderMetadata::try_new(Arc::clone(&footer), options).map_err(unreadable)?;
        let stored = metadata.parquet_schema().root_schema().get_fields();
        let mut roots = Vec::new();
        for (id, data_type) in wanted {
            let mut found = stored.iter().enumerate().filter(|(_, column)| {
                let info = column.get_basic_info();
                info.has_id() && info.id() == *id
            });
            let (Some((root, column)), None) = (found.next(), found.next()) else {
                return Err(self.unusable(table, &format!("it has not one column with field id {id}")));
            };
            let arrow = metadata
                .schema()
                .fields()
                .get(root)
                .map(|field| field.data_type());
            let physical = column.is_primitive().then(|| column.get_physical_type());
            if !arrow.is_some_and(|arrow| readable_as(arrow, data_type, physical)) {
                return Err(self.unusable(
                    table,
                    &format!("it stores field {id} in a type that cannot become `{data_type}`"),
                ));
            }
            roots.push(root);
        }
        let mask = ProjectionMask::roots(metadata.parquet_schema(), roots.iter().copied());
        let leaves: BTreeSet<usize> = (0..metadata.parquet_schema().num_columns())
            .filter(|leaf| mask.leaf_included(*leaf))
            .collect();
        let groups: Vec<usize> = (0..footer.num_row_groups()).collect();
        let reader = reader.of_columns(&footer, &groups, &leaves).map_err(unreadable)?;
        let mut batches = ParquetRecordBatchStreamBuilder::new_with_metadata(reader, metadata)
            .with_projection(mask)
            .build()
            .map_err(unreadable)?;
        let mut decoded = roots.clone();
        decoded.sort_unstable();
        while let Some(batch) = batches.try_next().await.map_err(unreadable)? {
            let columns = roots.iter().zip(wanted).map(|(root, (_, data_type))| {
                let column = decoded
                    .iter()
                    .position(|other| other == root)
                    .and_then(|position| batch.columns().get(position))
                    .map_or_else(|| new_empty_array(data_type), Arc::clone);
                // Arrow's message would hold the value.
                widened(&column, data_type)
                    .map_err(|_| self.unusable(table, "a value does not fit its column"))
            });
            each(&columns.collect::<Result<Vec<_>, _>>()?)?;
        }
        Ok(())
    }
}
