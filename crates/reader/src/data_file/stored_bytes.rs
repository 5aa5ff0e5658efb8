// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The bytes of one file, as the Parquet library asks for them.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::error::ArrowError;
use bytes::Bytes;
use datafusion::execution::memory_pool::MemoryReservation;
use futures::future::BoxFuture;
use futures::stream;
use futures::{FutureExt, StreamExt, TryFutureExt, TryStreamExt};
use iceberg::io::FileRead;
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use parquet::arrow::async_reader::AsyncFileReader;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ParquetMetaData;

use crate::deletes::reserve;
use crate::error::ReaderError;
use crate::parquet_bounds::{
    Chunk, IN_HAND_BYTES, MOST_BLOOM_BYTES, MOST_FETCHED_BYTES, TAIL_BYTES, check_pages, chunks,
    footer_bytes, index_range, read_footer, read_page_index,
};

/// Ranges with no more than this between them are read with one request: far less than what a request to object
/// storage costs, and too little to bring a whole column that nobody asked for.
const LARGEST_GAP_BYTES: u64 = 4 * 1024;

/// Requests of one row group at a time.
const REQUESTS: usize = 8;

/// Read from the end of a file at once, in the hope that the footer is in it.
const FOOTER_BYTES: u64 = 64 * 1024;

/// One open file, whose metadata and pages are held against bounds before the library sees them.
pub(crate) struct StoredBytes {
    file: Box<dyn FileRead>,
    size: u64,
    /// Bytes read so far by the scan.
    read: Arc<AtomicU64>,
    memory: MemoryReservation,
    /// The columns that are read; none before they are known.
    chunks: Vec<Chunk>,
}

/// What is wrong with a file, as the library's error that our own become again.
fn refused(problem: String) -> ParquetError {
    ParquetError::External(problem.into())
}

impl StoredBytes {
    /// A file of `size` bytes; what is large has to fit into what `memory` is of.
    pub(crate) fn new(
        file: Box<dyn FileRead>,
        size: u64,
        read: Arc<AtomicU64>,
        memory: MemoryReservation,
    ) -> Self {
        Self {
            file,
            size,
            read,
            memory,
            chunks: Vec::new(),
        }
    }

    /// For reading these columns of these row groups.
    ///
    /// # Errors
    /// Columns that lie in each other.
    pub(crate) fn of_columns(
        mut self,
        footer: &ParquetMetaData,
        groups: &[usize],
        leaves: &BTreeSet<usize>,
    ) -> Result<Self> {
        self.chunks = chunks(footer, groups, leaves).map_err(refused)?;
        Ok(self)
    }

    /// The footer, without the indexes of pages.
    ///
    /// # Errors
    /// Those of storage, and a footer that cannot be or is too large.
    pub(crate) async fn footer(&self) -> Result<ParquetMetaData> {
        let begin = self.size.saturating_sub(FOOTER_BYTES);
        let end = self.fetch(begin..self.size).await?;
        let tail = end.len().saturating_sub(usize::try_from(TAIL_BYTES).unwrap_or(0));
        let place = footer_bytes(end.get(tail..).unwrap_or_default(), self.size).map_err(refused)?;
        let footer = match place.start.checked_sub(begin).map(usize::try_from) {
            Some(Ok(at)) if at <= tail => end.slice(at..tail),
            _ => self.fetch(place).await?,
        };
        let (footer, decoded) = read_footer(&footer, self.size).map_err(refused)?;
        self.fits(decoded)?;
        Ok(footer)
    }

    /// The footer with the indexes of pages.
    ///
    /// # Errors
    /// Those of storage, and indexes that cannot be or are too large.
    pub(super) async fn indexed(&self, footer: &ParquetMetaData) -> Result<ParquetMetaData> {
        let Some(range) = index_range(footer, self.size).map_err(refused)? else {
            return Ok(footer.clone());
        };
        let begin = range.start;
        let bytes = self.fetch(range).await?;
        let (indexed, decoded) = read_page_index(footer, self.size, begin, bytes)
            .await
            .map_err(refused)?;
        self.fits(decoded)?;
        Ok(indexed)
    }

    /// Refuses what does not fit into the memory of the query at this moment. What is small is not counted.
    fn fits(&self, bytes: u64) -> Result<()> {
        if bytes <= IN_HAND_BYTES {
            return Ok(());
        }
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        reserve(&self.memory.new_empty(), bytes).map_err(|cause| ParquetError::External(Box::new(cause)))
    }

    /// Checks the pages of what was read of columns.
    fn check(&self, range: &Range<u64>, bytes: &Bytes) -> Result<()> {
        let largest = check_pages(bytes, range.start, &self.chunks).map_err(refused)?;
        self.fits(largest)
    }

    async fn fetch(&self, range: Range<u64>) -> Result<Bytes> {
        // The length of a file comes from a manifest; a footer may point anywhere.
        let length = range.end.checked_sub(range.start);
        let Some(length) = length.filter(|_| range.end <= self.size) else {
            return Err(ParquetError::EOF("a part lies outside the file".to_owned()));
        };
        let bytes = self
            .file
            .read(range)
            .await
            .map_err(|cause| ParquetError::External(Box::new(cause)))?;
        self.read.fetch_add(length, Ordering::Relaxed);
        Ok(bytes)
    }
}

impl AsyncFileReader for StoredBytes {
    /// Only Bloom filters are asked for so.
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, Result<Bytes>> {
        async move {
            if range.end.saturating_sub(range.start) > MOST_BLOOM_BYTES {
                return Err(refused(format!(
                    "it has a Bloom filter of more than {MOST_BLOOM_BYTES} bytes"
                )));
            }
            self.fetch(range).await
        }
        .boxed()
    }

    fn get_byte_ranges(&mut self, ranges: Vec<Range<u64>>) -> BoxFuture<'_, Result<Vec<Bytes>>> {
        async move {
            let requests = joined(&ranges);
            let wanted = requests
                .iter()
                .map(|request| request.end.saturating_sub(request.start));
            if wanted.fold(0, u64::saturating_add) > MOST_FETCHED_BYTES {
                return Err(refused(format!(
                    "a row group has more than {MOST_FETCHED_BYTES} bytes in the columns that are read"
                )));
            }
            let answers: Vec<(Range<u64>, Bytes)> = stream::iter(requests)
                .map(|request| self.fetch(request.clone()).map_ok(|bytes| (request, bytes)))
                .buffered(REQUESTS)
                .try_collect()
                .await?;
            ranges
                .into_iter()
                .map(|range| {
                    let bytes = part(&answers, &range)?;
                    self.check(&range, &bytes)?;
                    Ok(bytes)
                })
                .collect::<Result<Vec<_>>>()
        }
        .boxed()
    }

    fn get_metadata<'a>(
        &'a mut self,
        _: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, Result<Arc<ParquetMetaData>>> {
        async move { self.footer().await.map(Arc::new) }.boxed()
    }
}

/// What a library's error says of a file: our own error, or what is wrong with the file.
pub(crate) enum Told {
    /// The storage failed.
    Storage(iceberg::Error),
    /// An error of ours, as it is.
    Own(ReaderError),
    /// Arrow's, in which another may be.
    Arrow(ArrowError),
    /// The file is wrong.
    File(String),
}

/// What the Parquet library says, in which an error of storage or of ours may be wrapped.
pub(crate) fn told(cause: ParquetError) -> Told {
    let ParquetError::External(inner) = cause else {
        return Told::File(cause.to_string());
    };
    let inner = match inner.downcast::<iceberg::Error>() {
        Ok(storage) => return Told::Storage(*storage),
        Err(inner) => inner,
    };
    let inner = match inner.downcast::<ReaderError>() {
        Ok(own) => return Told::Own(*own),
        Err(inner) => inner,
    };
    match inner.downcast::<ArrowError>() {
        Ok(arrow) => Told::Arrow(*arrow),
        Err(other) => Told::File(other.to_string()),
    }
}

/// The ranges in order, neighbours as one.
fn joined(ranges: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut sorted = ranges.to_vec();
    sorted.sort_unstable_by_key(|range| range.start);
    let mut joined: Vec<Range<u64>> = Vec::with_capacity(sorted.len());
    for range in sorted {
        match joined.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(LARGEST_GAP_BYTES) => {
                last.end = last.end.max(range.end);
            }
            _ => joined.push(range),
        }
    }
    joined
}

fn part(answers: &[(Range<u64>, Bytes)], range: &Range<u64>) -> Result<Bytes> {
    let at = answers.partition_point(|(request, _)| request.start <= range.start);
    let found = at.checked_sub(1).and_then(|at| answers.get(at));
    let cut = found.and_then(|(request, bytes)| {
        let start = usize::try_from(range.start - request.start).ok()?;
        let end = usize::try_from(range.end.checked_sub(request.start)?).ok()?;
        (start <= end && end <= bytes.len()).then(|| bytes.slice(start..end))
    });
    cut.ok_or_else(|| ParquetError::EOF("storage gave fewer bytes than were asked for".to_owned()))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;

    use super::{LARGEST_GAP_BYTES, joined, part};

    proptest! {
        #[test]
        fn every_range_gets_its_own_bytes(
            ranges in proptest::collection::vec((0_u64..60_000, 0_u64..9_000), 1..20),
        ) {
            let file: Vec<u8> = (0..80_000_u32).map(|at| u8::try_from(at % 251).unwrap()).collect();
            let file = Bytes::from(file);
            let cut = |from: u64, to: u64| file.slice(usize::try_from(from).unwrap()..usize::try_from(to).unwrap());
            let ranges: Vec<_> = ranges.iter().map(|(start, length)| *start..*start + *length).collect();
            let requests = joined(&ranges);
            for pair in requests.windows(2) {
                prop_assert!(pair[0].end + LARGEST_GAP_BYTES < pair[1].start);
            }
            let answers: Vec<_> = requests
                .iter()
                .map(|request| (request.clone(), cut(request.start, request.end)))
                .collect();
            for range in &ranges {
                prop_assert_eq!(part(&answers, range).unwrap(), cut(range.start, range.end));
            }
        }
    }
}
