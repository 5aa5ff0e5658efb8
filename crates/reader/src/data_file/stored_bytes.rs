// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The bytes of one file, as the Parquet library asks for them.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream;
use futures::{FutureExt, StreamExt, TryFutureExt, TryStreamExt};
use iceberg::io::FileRead;
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use parquet::arrow::async_reader::AsyncFileReader;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};

/// Ranges with no more than this between them are read with one request: far less than what a request to object
/// storage costs, and too little to bring a whole column that nobody asked for.
const LARGEST_GAP_BYTES: u64 = 4 * 1024;

/// Requests of one row group at a time.
const REQUESTS: usize = 8;

/// Read from the end of a file at once, in the hope that the footer is in it.
const FOOTER_BYTES: usize = 64 * 1024;

/// One open file.
pub(super) struct StoredBytes {
    file: Box<dyn FileRead>,
    size: u64,
    /// Bytes read so far by the scan.
    read: Arc<AtomicU64>,
}

impl StoredBytes {
    pub(super) fn new(file: Box<dyn FileRead>, size: u64, read: Arc<AtomicU64>) -> Self {
        Self { file, size, read }
    }

    pub(super) async fn footer(&mut self) -> Result<ParquetMetaData> {
        let size = self.size;
        ParquetMetaDataReader::new()
            .with_prefetch_hint(Some(FOOTER_BYTES))
            .load_and_finish(self, size)
            .await
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
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, Result<Bytes>> {
        self.fetch(range).boxed()
    }

    fn get_byte_ranges(&mut self, ranges: Vec<Range<u64>>) -> BoxFuture<'_, Result<Vec<Bytes>>> {
        async move {
            let requests = joined(&ranges);
            let answers: Vec<(Range<u64>, Bytes)> = stream::iter(requests)
                .map(|request| self.fetch(request.clone()).map_ok(|bytes| (request, bytes)))
                .buffered(REQUESTS)
                .try_collect()
                .await?;
            ranges
                .into_iter()
                .map(|range| part(&answers, &range))
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
