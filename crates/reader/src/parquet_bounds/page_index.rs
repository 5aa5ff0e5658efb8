// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The indexes of pages: their bounds and places, which lie anywhere in the file.

use std::ops::Range;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use parquet::arrow::async_reader::MetadataFetch;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};

use super::footer::part;
use super::shapes::{COLUMN_INDEX, OFFSET_INDEX, PAGE_LOCATION};
use super::thrift::{Shape, Walk, Watch};
use super::{MOST_DECODED_BYTES, MOST_INDEX_BYTES, Problem};

/// The ranges of the indexes with their shapes.
fn indexes(footer: &ParquetMetaData, size: u64) -> Result<Vec<(Range<u64>, &'static Shape)>, Problem> {
    let mut found = Vec::new();
    for chunk in footer.row_groups().iter().flat_map(|group| group.columns()) {
        for (offset, length, shape) in [
            (
                chunk.offset_index_offset(),
                chunk.offset_index_length(),
                &OFFSET_INDEX,
            ),
            (
                chunk.column_index_offset(),
                chunk.column_index_length(),
                &COLUMN_INDEX,
            ),
        ] {
            let (offset, length) = match (offset, length) {
                (None, None) => continue,
                (Some(offset), Some(length)) => (offset, length),
                _ => return Err("it has a page index without a place or a length".to_owned()),
            };
            let range = part(offset, length.into(), size)
                .ok_or_else(|| "it has a page index that lies outside the file".to_owned())?;
            found.push((range, shape));
        }
    }
    Ok(found)
}

/// The range in which all indexes of a file of `size` bytes lie; `None` without any.
///
/// # Errors
/// Indexes outside the file, or too far from each other.
pub(crate) fn index_range(footer: &ParquetMetaData, size: u64) -> Result<Option<Range<u64>>, Problem> {
    let found = indexes(footer, size)?;
    let ranges = found.iter().map(|(range, _)| range);
    let begin = ranges.clone().map(|range| range.start).min();
    let end = ranges.map(|range| range.end).max();
    let Some((begin, end)) = begin.zip(end) else {
        return Ok(None);
    };
    if end - begin > MOST_INDEX_BYTES {
        return Err(format!(
            "its page indexes have {} bytes, and {MOST_INDEX_BYTES} are the most",
            end - begin
        ));
    }
    Ok(Some(begin..end))
}

/// Decodes the indexes out of `bytes`, which begin at `begin`, with the footer that they go with; and an upper bound of
/// the memory that they take, in bytes.
///
/// # Errors
/// What they have that cannot be, or that is too large.
pub(crate) async fn read_page_index(
    footer: &ParquetMetaData,
    size: u64,
    begin: u64,
    bytes: Bytes,
) -> Result<(ParquetMetaData, u64), Problem> {
    let held = Held { begin, bytes };
    // A footer may name one index many times: its pages are decoded as often.
    let mut decoded = 0_u64;
    for (range, shape) in indexes(footer, size)? {
        let index = held.cut(&range).map_err(|cause| cause.to_string())?;
        let mut walk = Walk::new(&index, MOST_DECODED_BYTES.saturating_sub(decoded));
        walk.structure(shape, &mut Places)?;
        // Bounds are held a second time, in another form.
        decoded = decoded.saturating_add(walk.decoded().saturating_mul(2));
        if decoded > MOST_DECODED_BYTES {
            return Err("its page indexes take too much memory".to_owned());
        }
    }
    let mut reader = ParquetMetaDataReader::new_with_metadata(footer.clone())
        .with_page_index_policy(PageIndexPolicy::Optional);
    let indexed = reader.load_page_index(held).await.and_then(|()| reader.finish());
    Ok((indexed.map_err(|cause| cause.to_string())?, decoded))
}

/// Places of pages are in no file below 0.
struct Places;

impl Watch for Places {
    fn number(&mut self, shape: &'static str, _: i16, value: i64) -> Result<(), Problem> {
        if shape == PAGE_LOCATION.name && value < 0 {
            return Err("it has a page with a place or a size below 0".to_owned());
        }
        Ok(())
    }

    fn bytes(&mut self, _: &'static str, _: i16, _: u64) -> Result<(), Problem> {
        Ok(())
    }

    fn end(&mut self, _: &'static str) -> Result<(), Problem> {
        Ok(())
    }
}

/// The part of a file that was looked at.
struct Held {
    begin: u64,
    bytes: Bytes,
}

impl Held {
    fn cut(&self, range: &Range<u64>) -> ParquetResult<Bytes> {
        let place = |at: u64| {
            let at = usize::try_from(at.checked_sub(self.begin)?).ok()?;
            (at <= self.bytes.len()).then_some(at)
        };
        match (place(range.start), place(range.end)) {
            (Some(begin), Some(end)) if begin <= end => Ok(self.bytes.slice(begin..end)),
            _ => Err(ParquetError::EOF(
                "a page index lies outside the part that was read".to_owned(),
            )),
        }
    }
}

impl MetadataFetch for Held {
    fn fetch(&mut self, range: Range<u64>) -> BoxFuture<'_, ParquetResult<Bytes>> {
        let bytes = self.cut(&range);
        async move { bytes }.boxed()
    }
}
