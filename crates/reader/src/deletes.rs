// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which rows of a table's data files are deleted, by the rules of the Iceberg specification ("Scan Planning").
//!
//! [`DeleteFiles`] are the delete files of a snapshot; [`DeleteFiles::assign`] finds those that apply to each data file:
//! by sequence number, partition and referenced data file. The reader of data files asks [`Deletes::load`] once for each
//! file. Rows at deleted positions are never decoded; rows that equality deletes name are dropped before anything else
//! looks at them: [`Deleted::fields`] are read beside the columns of the query, and [`Deleted::kept`] tells which rows
//! stay. What cannot be applied exactly is refused.

mod delete_file;
mod equality;
mod index;
mod positions;
#[cfg(test)]
mod tests;
mod vector;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::buffer::BooleanBuffer;
use datafusion::error::DataFusionError;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryPool, MemoryReservation};
use iceberg::io::FileIO;
use roaring::RoaringTreemap;

use self::equality::EqualityDeletes;
use self::index::Applicable;
pub(crate) use self::index::{DataEntries, DeleteFiles, data_entries};
use crate::data_file::Wanted;
use crate::error::ReaderError;

/// The deletes of one table at one snapshot.
#[derive(Debug)]
pub(crate) struct Deletes {
    table: String,
    file_io: FileIO,
    /// Data file to the deletes that apply to it; absent where there are none.
    by_file: HashMap<String, Applicable>,
    /// What delete files take that have been read.
    memory: MemoryReservation,
}

/// The deleted rows of one data file.
#[derive(Debug, Default)]
pub(crate) struct Deleted {
    /// Positions of deleted rows in the whole file, counted from 0. As a bitmap: a few bytes can name millions of them.
    pub(crate) positions: RoaringTreemap,
    equality: Vec<Arc<EqualityDeletes>>,
    /// What the positions take.
    _memory: Option<MemoryReservation>,
}

impl Deletes {
    /// No deletes at all.
    pub(crate) fn none(table: &str, file_io: &FileIO, memory: &Arc<dyn MemoryPool>) -> Self {
        Self {
            table: table.to_owned(),
            file_io: file_io.clone(),
            by_file: HashMap::new(),
            memory: MemoryConsumer::new("delete files").register(memory),
        }
    }

    /// Those of one position delete file for one data file.
    #[cfg(test)]
    pub(crate) fn of_positions(data_file: &std::path::Path, deletes: &std::path::Path) -> Self {
        let memory: Arc<dyn MemoryPool> =
            Arc::new(datafusion::execution::memory_pool::UnboundedMemoryPool::default());
        let mut none = Self::none("t", &FileIO::new_with_fs(), &memory);
        let positions = vec![Arc::new(delete_file::DeleteFile::of_positions(deletes))];
        let applicable = Applicable {
            positions,
            ..Applicable::default()
        };
        none.by_file.insert(data_file.display().to_string(), applicable);
        none
    }

    /// For what is read beside deleted rows: nothing yet of the memory of the query.
    pub(crate) fn memory(&self) -> MemoryReservation {
        self.memory.new_empty()
    }

    /// Whether any row of a data file may be deleted.
    pub(crate) fn apply_to(&self, data_file: &str) -> bool {
        self.by_file.contains_key(data_file)
    }

    /// Reads the deletes of one data file. Delete files that several data files share are read once.
    ///
    /// # Errors
    /// [`ReaderError::Storage`] for delete files that are gone, [`ReaderError::Unsupported`] for those that are not
    /// what the table's metadata says, [`ReaderError::Exhausted`] when they do not fit into the memory of the query.
    pub(crate) async fn load(&self, data_file: &str) -> Result<Deleted, ReaderError> {
        let Some(applicable) = self.by_file.get(data_file) else {
            return Ok(Deleted::default());
        };
        let memory = self.memory.new_empty();
        let mut positions = match &applicable.vector {
            Some(vector) => vector::read(&self.table, &self.file_io, vector, &memory).await?,
            None => RoaringTreemap::new(),
        };
        for file in &applicable.positions {
            let by_file = file.positions(&self.table, &self.file_io, &self.memory).await?;
            if let Some(more) = by_file.get(data_file) {
                positions |= more;
            }
        }
        let mut equality = Vec::new();
        for file in &applicable.equality {
            equality.push(file.rows(&self.table, &self.file_io, &self.memory).await?);
        }
        reserve(&memory, positions.serialized_size())?;
        Ok(Deleted {
            positions,
            equality,
            _memory: Some(memory),
        })
    }
}

/// Takes memory of the query.
///
/// # Errors
/// [`ReaderError::Exhausted`].
pub(crate) fn reserve(memory: &MemoryReservation, bytes: usize) -> Result<(), ReaderError> {
    memory.try_grow(bytes).map_err(|cause| {
        if let DataFusionError::ResourcesExhausted(text) = cause {
            return ReaderError::Exhausted(text);
        }
        ReaderError::Exhausted(cause.strip_backtrace())
    })
}

impl Deleted {
    /// The columns that equality deletes compare, each once. The table may have dropped some since.
    pub(crate) fn fields(&self) -> Vec<Wanted> {
        let mut fields = BTreeMap::new();
        for wanted in self.equality.iter().flat_map(|deletes| deletes.columns()) {
            fields.entry(wanted.field.id).or_insert_with(|| wanted.clone());
        }
        fields.into_values().collect()
    }

    /// Which rows of a batch stay as far as equality deletes go; `None` when all do. `column` gives original values.
    ///
    /// # Errors
    /// [`ReaderError::Query`] when a column is missing or has another type; no row may then be returned.
    pub(crate) fn kept<'a>(
        &self,
        rows: usize,
        column: &dyn Fn(i32) -> Option<&'a ArrayRef>,
    ) -> Result<Option<BooleanBuffer>, ReaderError> {
        let mut kept: Option<BooleanBuffer> = None;
        for deletes in &self.equality {
            let others = !&deletes.named(rows, column)?;
            kept = Some(match kept {
                None => others,
                Some(kept) => &kept & &others,
            });
        }
        Ok(kept.filter(|kept| kept.count_set_bits() < rows))
    }
}
