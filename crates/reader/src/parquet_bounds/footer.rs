// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The footer of a file.

use std::ops::Range;
use std::panic::catch_unwind;

use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader};

use super::shapes::{FILE_METADATA, SCHEMA_ELEMENT};
use super::thrift::{Walk, Watch};
use super::{
    MOST_BLOOM_BYTES, MOST_DECODED_BYTES, MOST_FIXED_BYTES, MOST_FOOTER_BYTES, MOST_NESTED, MOST_PATH_BYTES,
    MOST_SCHEMA_ELEMENTS, Problem,
};

/// The last bytes of a file: length of the footer and `PAR1`.
pub(crate) const TAIL_BYTES: u64 = 8;

/// Where the footer of a file of `size` bytes lies, by its last eight bytes.
///
/// # Errors
/// A file that does not end as Parquet, or a footer that does not fit.
pub(crate) fn footer_bytes(tail: &[u8], size: u64) -> Result<Range<u64>, Problem> {
    let (length, magic) = tail
        .split_last_chunk::<4>()
        .and_then(|(length, magic)| Some((length.last_chunk::<4>()?, magic)))
        .ok_or_else(|| "it is too short to be Parquet".to_owned())?;
    match magic {
        b"PAR1" => {}
        b"PARE" => return Err("it is encrypted, which this reader cannot read".to_owned()),
        _ => return Err("it does not end as Parquet does".to_owned()),
    }
    let length = u64::from(u32::from_le_bytes(*length));
    if length > MOST_FOOTER_BYTES {
        return Err(format!(
            "its footer has {length} bytes, and {MOST_FOOTER_BYTES} are the most"
        ));
    }
    let end = size.saturating_sub(TAIL_BYTES);
    let begin = end
        .checked_sub(length)
        .ok_or_else(|| "its footer is longer than the file".to_owned())?;
    Ok(begin..end)
}

/// Decodes a footer of a file of `size` bytes; with an upper bound of the memory that it takes, in bytes.
///
/// # Errors
/// What it has that cannot be, or that is too large.
pub(crate) fn read_footer(bytes: &[u8], size: u64) -> Result<(ParquetMetaData, u64), Problem> {
    let mut schema = Schema::default();
    let mut walk = Walk::new(bytes, MOST_DECODED_BYTES);
    walk.structure(&FILE_METADATA, &mut schema)?;
    schema.finished()?;
    let decoded = walk.decoded().saturating_add(schema.path_bytes);
    // The library is careful, but not everywhere.
    let footer = catch_unwind(|| ParquetMetaDataReader::decode_metadata(bytes))
        .map_err(|_| "its footer breaks the Parquet library".to_owned())?
        .map_err(|cause| cause.to_string())?;
    for (number, group) in footer.row_groups().iter().enumerate() {
        if group.num_rows() < 0 {
            return Err(format!("row group {number} has fewer rows than none"));
        }
        for (column, chunk) in group.columns().iter().enumerate() {
            check_chunk(chunk, size)
                .map_err(|problem| format!("column {column} of row group {number}: {problem}"))?;
        }
    }
    Ok((footer, decoded))
}

/// A part of the file, when it lies in it.
pub(super) fn part(offset: i64, length: i64, size: u64) -> Option<Range<u64>> {
    let begin = u64::try_from(offset).ok()?;
    let end = begin.checked_add(u64::try_from(length).ok()?)?;
    (end <= size).then_some(begin..end)
}

fn check_chunk(chunk: &ColumnChunkMetaData, size: u64) -> Result<(), Problem> {
    let outside = || "it lies outside the file".to_owned();
    if chunk.data_page_offset() < 0 || chunk.num_values() < 0 || chunk.uncompressed_size() < 0 {
        return Err("it has a place or a size below 0".to_owned());
    }
    let begin = chunk
        .dictionary_page_offset()
        .unwrap_or_else(|| chunk.data_page_offset());
    part(begin, chunk.compressed_size(), size).ok_or_else(outside)?;
    let Some(offset) = chunk.bloom_filter_offset() else {
        return Ok(());
    };
    let length = chunk.bloom_filter_length().map_or(0, i64::from);
    let filter =
        part(offset, length, size).ok_or_else(|| "its Bloom filter lies outside the file".to_owned())?;
    if filter.end - filter.start > MOST_BLOOM_BYTES {
        return Err(format!("its Bloom filter has more than {MOST_BLOOM_BYTES} bytes"));
    }
    Ok(())
}

/// The tree of columns while its elements go by, each group before its children.
#[derive(Debug, Default)]
struct Schema {
    elements: u64,
    /// Children that still come, and bytes of the path, of each group around the place.
    open: Vec<(i64, u64)>,
    name: u64,
    children: i64,
    path_bytes: u64,
}

impl Schema {
    fn finished(&self) -> Result<(), Problem> {
        if self.open.is_empty() {
            return Ok(());
        }
        Err("its schema has fewer columns than it says".to_owned())
    }
}

impl Watch for Schema {
    fn number(&mut self, shape: &'static str, field: i16, value: i64) -> Result<(), Problem> {
        if shape != SCHEMA_ELEMENT.name {
            return Ok(());
        }
        match field {
            2 if value > MOST_FIXED_BYTES => Err(format!(
                "it has a column of {value} bytes a value, and {MOST_FIXED_BYTES} are the most"
            )),
            5 if value < 0 => Err("its schema has a group of fewer columns than none".to_owned()),
            5 => {
                self.children = value;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn bytes(&mut self, shape: &'static str, field: i16, length: u64) -> Result<(), Problem> {
        if shape == SCHEMA_ELEMENT.name && field == 4 {
            self.name = length;
        }
        Ok(())
    }

    fn end(&mut self, shape: &'static str) -> Result<(), Problem> {
        if shape != SCHEMA_ELEMENT.name {
            return Ok(());
        }
        self.elements += 1;
        if self.elements > MOST_SCHEMA_ELEMENTS {
            return Err(format!("its schema has more than {MOST_SCHEMA_ELEMENTS} columns"));
        }
        let children = std::mem::take(&mut self.children);
        let name = std::mem::take(&mut self.name);
        let path = match self.open.last_mut() {
            Some((left, path)) => {
                *left -= 1;
                // A text of its own for each step.
                path.saturating_add(name).saturating_add(32)
            }
            None if self.elements == 1 => 0,
            None => return Err("its schema has more columns than it says".to_owned()),
        };
        if children > 0 {
            self.open.push((children, path));
            if self.open.len() > MOST_NESTED {
                return Err(format!(
                    "its schema has more than {MOST_NESTED} groups within each other"
                ));
            }
            return Ok(());
        }
        self.path_bytes = self.path_bytes.saturating_add(path);
        if self.path_bytes > MOST_PATH_BYTES {
            return Err(
                "the names of its columns are too long, together with those of their groups".to_owned(),
            );
        }
        while self.open.last().is_some_and(|(left, _)| *left == 0) {
            self.open.pop();
        }
        Ok(())
    }
}
