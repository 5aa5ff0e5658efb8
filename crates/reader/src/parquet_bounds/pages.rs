// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The pages of columns, before they are uncompressed.

use std::collections::BTreeSet;
use std::ops::Range;

use parquet::basic::Compression;
use parquet::file::metadata::ParquetMetaData;

use super::shapes::{DATA_PAGE_HEADER, DATA_PAGE_HEADER_V2, DICTIONARY_PAGE_HEADER, PAGE_HEADER};
use super::thrift::{Walk, Watch};
use super::{MOST_PAGE_BYTES, MOST_PAGE_VALUES, Problem, inflation};

/// One column of a row group, as it is stored.
#[derive(Debug, Clone)]
pub(crate) struct Chunk {
    /// Where in the file.
    pub(crate) range: Range<u64>,
    codec: Compression,
}

/// The chunks of these columns in these row groups, by their place in the file.
///
/// # Errors
/// Chunks that overlap.
pub(crate) fn chunks(
    footer: &ParquetMetaData,
    groups: &[usize],
    leaves: &BTreeSet<usize>,
) -> Result<Vec<Chunk>, Problem> {
    let groups = groups.iter().filter_map(|group| footer.row_groups().get(*group));
    let mut chunks: Vec<Chunk> = groups
        .flat_map(|group| leaves.iter().filter_map(|leaf| group.columns().get(*leaf)))
        .map(|chunk| {
            // Places were checked with the footer.
            let (begin, length) = chunk.byte_range();
            Chunk {
                range: begin..begin.saturating_add(length),
                codec: chunk.compression(),
            }
        })
        .filter(|chunk| !chunk.range.is_empty())
        .collect();
    chunks.sort_unstable_by_key(|chunk| chunk.range.start);
    let overlap = chunks
        .iter()
        .zip(chunks.iter().skip(1))
        .any(|(one, next)| next.range.start < one.range.end);
    if overlap {
        return Err("it has columns that lie in each other".to_owned());
    }
    Ok(chunks)
}

/// Checks the pages in `bytes`, a whole chunk or one page of it that begin at `begin` in the file; with the size of the
/// largest page in memory, in bytes.
///
/// # Errors
/// Pages that cannot be, or that are too large.
pub(crate) fn check_pages(bytes: &[u8], begin: u64, chunks: &[Chunk]) -> Result<u64, Problem> {
    if bytes.is_empty() {
        return Ok(0);
    }
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let at = chunks.partition_point(|chunk| chunk.range.start <= begin);
    let chunk = at
        .checked_sub(1)
        .and_then(|at| chunks.get(at))
        .filter(|chunk| begin.saturating_add(length) <= chunk.range.end)
        .ok_or_else(|| "it has a page that lies outside its column".to_owned())?;
    let mut rest = bytes;
    let mut largest = 0;
    while !rest.is_empty() {
        let mut header = Header::default();
        let mut walk = Walk::new(rest, MOST_PAGE_BYTES);
        walk.structure(&PAGE_HEADER, &mut header)?;
        let page = usize::try_from(header.stored)
            .ok()
            .and_then(|length| walk.rest().split_at_checked(length));
        let Some((page, after)) = page else {
            return Err("it has a page that is longer than its column".to_owned());
        };
        largest = largest.max(header.check(page, chunk.codec)?);
        rest = after;
    }
    Ok(largest)
}

/// What a page says of itself.
#[derive(Debug, Default)]
struct Header {
    uncompressed: i64,
    stored: i64,
    values: i64,
    dictionary: i64,
    levels: i64,
    /// Whether a page of the second version says that its values are not compressed.
    plain: bool,
}

impl Header {
    fn check(&self, page: &[u8], codec: Compression) -> Result<u64, Problem> {
        let Ok(uncompressed) = u64::try_from(self.uncompressed) else {
            return Err("it has a page with a size below 0".to_owned());
        };
        if uncompressed > MOST_PAGE_BYTES {
            return Err(format!(
                "it has a page of {uncompressed} bytes, and {MOST_PAGE_BYTES} are the most"
            ));
        }
        if self.values > MOST_PAGE_VALUES {
            return Err(format!(
                "it has a page of {} values, and {MOST_PAGE_VALUES} are the most",
                self.values
            ));
        }
        // Each value of a dictionary has a byte at least.
        if self.dictionary > self.uncompressed {
            return Err("it has a dictionary of more values than bytes".to_owned());
        }
        let compressed = usize::try_from(self.levels)
            .ok()
            .and_then(|levels| page.get(levels..))
            .ok_or_else(|| "it has a page whose levels are longer than the page".to_owned())?;
        // A page without values has nothing behind its levels.
        if !self.plain && self.levels < self.uncompressed {
            inflation::check(codec, compressed, uncompressed)?;
        }
        Ok(uncompressed)
    }
}

impl Watch for Header {
    fn number(&mut self, shape: &'static str, field: i16, value: i64) -> Result<(), Problem> {
        let dictionary = shape == DICTIONARY_PAGE_HEADER.name;
        let second = shape == DATA_PAGE_HEADER_V2.name;
        let counts = dictionary || second || shape == DATA_PAGE_HEADER.name;
        let sizes = shape == PAGE_HEADER.name && matches!(field, 2 | 3);
        if (sizes || counts) && value < 0 {
            return Err("it has a page with a size below 0".to_owned());
        }
        match field {
            2 if sizes => self.uncompressed = value,
            3 if sizes => self.stored = value,
            1 if dictionary => self.dictionary = value,
            1 if counts => self.values = value,
            5 | 6 if second => self.levels = self.levels.saturating_add(value),
            7 if second => self.plain = value == 0,
            _ => {}
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
