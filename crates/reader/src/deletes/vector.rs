// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Deletion vectors: the blob `deletion-vector-v1` of a Puffin file.
//!
//! Length (big-endian), magic, 64-bit Roaring bitmap in the portable format, CRC-32 of magic and bitmap (big-endian).
//! Manifests say where the blob lies, so the Puffin footer is not read.

use datafusion::execution::memory_pool::MemoryReservation;
use iceberg::io::FileIO;
use roaring::RoaringTreemap;

use super::delete_file::DeleteFile;
use super::reserve;
use crate::error::ReaderError;

const MAGIC: [u8; 4] = [0xD1, 0xD3, 0x39, 0x64];

/// Larger than any vector that a writer makes; the length comes from a file.
const MAXIMUM_BYTES: u64 = 1 << 30;

/// Reads one vector.
pub(super) async fn read(
    table: &str,
    file_io: &FileIO,
    file: &DeleteFile,
    memory: &MemoryReservation,
) -> Result<RoaringTreemap, ReaderError> {
    let storage = |cause: iceberg::Error| ReaderError::Storage {
        table: table.to_owned(),
        cause: Box::new(cause),
    };
    let unusable = |problem: &str| file.unusable(table, problem);
    let (offset, length) = file.blob.unwrap_or_default();
    if length > MAXIMUM_BYTES {
        return Err(unusable("a deletion vector is too large"));
    }
    let end = offset
        .checked_add(length)
        .filter(|end| *end <= file.size)
        .ok_or_else(|| unusable("a deletion vector does not lie inside of its file"))?;
    // The blob, and the bitmap that is made of it.
    let bytes = usize::try_from(length).map_err(|_| unusable("a deletion vector is too large"))?;
    reserve(memory, bytes.saturating_mul(2))?;
    let reader = file_io
        .new_input(&file.path)
        .map_err(storage)?
        .reader()
        .await
        .map_err(storage)?;
    let blob = reader.read(offset..end).await.map_err(storage)?;
    let positions = parse(&blob).map_err(unusable)?;
    if positions.len() != file.record_count {
        return Err(unusable(
            "a deletion vector has not as many rows as the table's metadata says",
        ));
    }
    Ok(positions)
}

/// The positions in a blob.
pub(super) fn parse(blob: &[u8]) -> Result<RoaringTreemap, &'static str> {
    let (length, rest) = blob
        .split_first_chunk::<4>()
        .ok_or("a deletion vector is cut off")?;
    let (content, checksum) = rest
        .split_last_chunk::<4>()
        .ok_or("a deletion vector is cut off")?;
    if usize::try_from(u32::from_be_bytes(*length)) != Ok(content.len()) {
        return Err("a deletion vector has another length than it says");
    }
    if crc32fast::hash(content) != u32::from_be_bytes(*checksum) {
        return Err("a deletion vector is damaged: its checksum is wrong");
    }
    let mut bitmap = content
        .strip_prefix(&MAGIC)
        .ok_or("a deletion vector does not begin as one")?;
    let positions = RoaringTreemap::deserialize_from(&mut bitmap)
        .map_err(|_| "a deletion vector is no Roaring bitmap")?;
    if !bitmap.is_empty() {
        return Err("a deletion vector is followed by something");
    }
    Ok(positions)
}
