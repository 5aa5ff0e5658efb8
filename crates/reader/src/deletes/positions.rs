// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Position deletes: Parquet files of data file paths and row positions.

use std::collections::HashMap;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, Int64Type};
use datafusion::execution::memory_pool::MemoryReservation;
use iceberg::io::FileIO;
use roaring::RoaringTreemap;

use super::delete_file::DeleteFile;
use super::reserve;
use crate::error::ReaderError;

/// Field ids that the table specification reserves for the columns of position deletes.
const FILE_PATH: i32 = 2_147_483_546;
const POSITION: i32 = 2_147_483_545;

/// What a position takes at most, in bytes.
const PER_POSITION: usize = size_of::<u64>();

/// What a data file takes beside its path and positions, in bytes, rounded up.
const PER_FILE: usize = 256;

/// Deleted positions by data file.
pub(super) type PositionsByFile = HashMap<String, RoaringTreemap>;

/// Reads a whole file; it may speak of several data files.
pub(super) async fn read(
    table: &str,
    file_io: &FileIO,
    file: &DeleteFile,
    memory: &MemoryReservation,
) -> Result<PositionsByFile, ReaderError> {
    let wanted = [(FILE_PATH, DataType::Utf8), (POSITION, DataType::Int64)];
    let mut found = PositionsByFile::new();
    let while_reading = memory.new_empty();
    let add = |columns: &[ArrayRef]| {
        let [paths, positions] = columns else {
            return Err(file.unusable(table, "it has not the columns of position deletes"));
        };
        if paths.null_count() + positions.null_count() > 0 {
            return Err(file.unusable(table, "a deleted position is null"));
        }
        let positions = positions.as_primitive::<Int64Type>().values();
        reserve(&while_reading, positions.len().saturating_mul(PER_POSITION))?;
        for (path, position) in paths.as_string::<i32>().iter().flatten().zip(positions) {
            let position =
                u64::try_from(*position).map_err(|_| file.unusable(table, "it names a position below 0"))?;
            match found.get_mut(path) {
                Some(known) => {
                    known.insert(position);
                }
                None => {
                    reserve(&while_reading, path.len().saturating_add(PER_FILE))?;
                    found.insert(path.to_owned(), [position].into_iter().collect());
                }
            }
        }
        Ok(())
    };
    file.parquet(table, file_io, memory, &wanted, add).await?;
    let kept = found
        .iter()
        .map(|(path, positions)| path.len() + PER_FILE + positions.serialized_size())
        .sum();
    reserve(memory, kept)?;
    Ok(found)
}
