// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which rows of one data file are deleted.
//!
//! The reader of data files asks [`Deleted::load`] once for each file. Rows at deleted positions are never decoded;
//! rows that equality deletes name are dropped before anything else looks at them: [`Deleted::fields`] are read beside
//! the columns of the query, and [`Deleted::kept`] tells which rows stay.

mod positions;

use std::collections::BTreeSet;

use arrow::array::ArrayRef;
use arrow::buffer::BooleanBuffer;
use iceberg::io::FileIO;
use iceberg::scan::FileScanTask;
use iceberg::spec::DataContentType;

use crate::error::ReaderError;

/// The deletes that apply to one data file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Deleted {
    /// Positions of deleted rows in the whole file, counted from 0, ascending and each once.
    pub(crate) positions: Vec<u64>,
}

impl Deleted {
    /// Reads the delete files of a task. `table` is what messages call the table.
    ///
    /// # Errors
    /// [`ReaderError::Storage`] for delete files that cannot be read, [`ReaderError::Unsupported`] for those that this
    /// reader does not apply.
    pub(crate) async fn load(
        table: &str,
        file_io: &FileIO,
        task: &FileScanTask,
    ) -> Result<Self, ReaderError> {
        let mut positions = Vec::new();
        for file in &task.deletes {
            if file.file_type != DataContentType::PositionDeletes {
                return Err(ReaderError::Unsupported {
                    table: table.to_owned(),
                    problem: "it has equality deletes; compact the table (rewrite data files) and read again"
                        .to_owned(),
                });
            }
            positions.extend(positions::read(table, file_io, file, &task.data_file_path).await?);
        }
        positions.sort_unstable();
        positions.dedup();
        Ok(Self { positions })
    }

    /// Ids of the fields that equality deletes compare.
    pub(crate) fn fields(&self) -> BTreeSet<i32> {
        BTreeSet::new()
    }

    /// Which rows of a batch stay as far as equality deletes go; `None` when all do. `column` gives original values.
    ///
    /// # Errors
    /// [`ReaderError`]; no row may then be returned.
    pub(crate) fn kept<'a>(
        &self,
        _rows: usize,
        _column: &dyn Fn(i32) -> Option<&'a ArrayRef>,
    ) -> Result<Option<BooleanBuffer>, ReaderError> {
        Ok(None)
    }
}
