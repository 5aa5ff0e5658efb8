// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Files that nobody wrote in good faith.

use std::collections::BTreeSet;
use std::ops::Range;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use arrow::array::{ArrayRef, Int64Array, ListArray, StringArray, StructArray};
use arrow::datatypes::Int32Type;
use arrow::record_batch::RecordBatch;
use bytes::Bytes;
use datafusion::execution::memory_pool::{GreedyMemoryPool, MemoryConsumer, MemoryPool};
use futures::{FutureExt, TryStreamExt};
use iceberg::io::FileRead;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::arrow::{ArrowWriter, ParquetRecordBatchStreamBuilder};
use parquet::basic::{Compression, GzipLevel};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::properties::WriterProperties;

use super::{
    MOST_DECODED_BYTES, MOST_FOOTER_BYTES, MOST_NESTED, MOST_SCHEMA_ELEMENTS, check_pages, chunks,
    footer_bytes, index_range, read_footer, read_page_index,
};
use crate::data_file::StoredBytes;

struct InMemory(Bytes);

#[async_trait::async_trait]
impl FileRead for InMemory {
    async fn read(&self, range: Range<u64>) -> iceberg::Result<Bytes> {
        Ok(self.0.slice(place(&range)))
    }
}

fn place(range: &Range<u64>) -> Range<usize> {
    usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap()
}

/// Numbers, texts and lists in structures; two row groups of three pages, dictionaries, indexes and Bloom filters.
fn written(codec: Compression) -> Vec<u8> {
    let texts: Vec<String> = (0..60).map(|row| format!("text {}", row % 7)).collect();
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(
        (0..60).map(|row| (row % 5 != 0).then(|| (0..row % 4).map(Some).collect::<Vec<_>>())),
    );
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("n", Arc::new(Int64Array::from_iter_values(0..60))),
        ("t", Arc::new(StringArray::from(texts))),
        (
            "s",
            Arc::new(StructArray::from(vec![(
                Arc::new(arrow::datatypes::Field::new(
                    "l",
                    arrow::array::Array::data_type(&lists).clone(),
                    true,
                )),
                Arc::new(lists) as ArrayRef,
            )])),
        ),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties = WriterProperties::builder()
        .set_compression(codec)
        .set_max_row_group_row_count(Some(30))
        .set_data_page_row_count_limit(10)
        .set_write_batch_size(10)
        .set_bloom_filter_enabled(true)
        .set_bloom_filter_ndv(8)
        .build();
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    file
}

fn footer_of(file: &[u8]) -> Result<(Range<usize>, ParquetMetaData, u64), String> {
    let size = u64::try_from(file.len()).unwrap();
    let footer = place(&footer_bytes(&file[file.len() - 8..], size)?);
    let (decoded, most) = read_footer(&file[footer.clone()], size)?;
    Ok((footer, decoded, most))
}

/// Reads a file as a scan does; the number of its rows.
async fn read(file: &[u8]) -> Result<usize, String> {
    let size = u64::try_from(file.len()).unwrap();
    let pool: Arc<dyn MemoryPool> = Arc::new(GreedyMemoryPool::new(64 << 20));
    let open = || {
        StoredBytes::new(
            Box::new(InMemory(Bytes::copy_from_slice(file))),
            size,
            Arc::new(AtomicU64::new(0)),
            MemoryConsumer::new("test").register(&pool),
        )
    };
    let told = |cause: parquet::errors::ParquetError| cause.to_string();
    let mut footer = open().footer().await.map_err(told)?;
    if let Some(range) = index_range(&footer, size)? {
        let bytes = Bytes::copy_from_slice(&file[place(&range)]);
        footer = read_page_index(&footer, size, range.start, bytes).await?.0;
    }
    let groups: Vec<usize> = (0..footer.num_row_groups()).collect();
    let leaves: BTreeSet<usize> = (0..footer.file_metadata().schema_descr().num_columns()).collect();
    let bytes = open().of_columns(&footer, &groups, &leaves).map_err(told)?;
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let metadata = ArrowReaderMetadata::try_new(Arc::new(footer), options).map_err(told)?;
    let mut rows = ParquetRecordBatchStreamBuilder::new_with_metadata(bytes, metadata)
        .with_batch_size(16)
        .build()
        .map_err(told)?;
    let mut count = 0;
    while let Some(batch) = rows.try_next().await.map_err(told)? {
        count += batch.num_rows();
        // No more than was written comes out, whatever is said.
        assert!(batch.get_array_memory_size() < 8 << 20);
    }
    Ok(count)
}

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(most).unwrap()).unwrap()
    }
}

#[tokio::test]
async fn what_writers_write_is_read() {
    for codec in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::BROTLI(parquet::basic::BrotliLevel::default()),
        Compression::LZ4_RAW,
        Compression::LZ4,
        Compression::ZSTD(parquet::basic::ZstdLevel::default()),
    ] {
        let file = written(codec);
        assert_eq!(read(&file).await, Ok(60), "{codec:?}");
        let (_, footer, most) = footer_of(&file).unwrap();
        assert!(u64::try_from(footer.memory_size()).unwrap() <= most, "{most}");
    }
}

/// Changes bytes of this part in many ways; how many changed files could still be read, and how many could not.
async fn mutated(file: &[u8], part: Range<usize>, several: usize) -> (usize, usize) {
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    let mut changes: Vec<Vec<(usize, u8)>> = Vec::new();
    for at in part.clone() {
        let byte = file[at];
        changes.push(vec![(at, byte ^ 0xFF)]);
        changes.push(vec![(at, byte.wrapping_add(1))]);
    }
    for _ in 0..several {
        let count = 1 + numbers.below(4);
        let change = (0..count).map(|_| {
            let at = part.start + numbers.below(part.len());
            (at, u8::try_from(numbers.below(256)).unwrap())
        });
        changes.push(change.collect());
    }
    // A number that never ends, and the largest ones.
    for at in part.clone().step_by(3) {
        changes.push((at..part.end.min(at + 5)).map(|at| (at, 0xFF)).collect());
    }
    let (mut read_rows, mut refused) = (0, 0);
    for change in changes {
        let mut file = file.to_vec();
        for (at, byte) in &change {
            file[*at] = *byte;
        }
        if let Ok((_, footer, most)) = footer_of(&file) {
            assert!(most <= MOST_DECODED_BYTES + (64 << 20));
            let size = u64::try_from(footer.memory_size()).unwrap();
            assert!(size <= most + 4096, "{size} {most} {change:?}");
        }
        // The library may still break on what is within bounds; a statement survives that.
        match AssertUnwindSafe(read(&file)).catch_unwind().await {
            Ok(Ok(_)) => read_rows += 1,
            Ok(Err(_)) | Err(_) => refused += 1,
        }
    }
    (read_rows, refused)
}

#[tokio::test]
async fn changed_footers_do_no_harm() {
    let file = written(Compression::SNAPPY);
    let (footer, ..) = footer_of(&file).unwrap();
    // With the length and the magic behind it.
    let (read_rows, refused) = mutated(&file, footer.start..file.len(), 1000).await;
    assert!(read_rows > 100 && refused > 1000, "{read_rows} {refused}");
}

#[tokio::test]
async fn changed_indexes_and_pages_do_no_harm() {
    let file = written(Compression::GZIP(GzipLevel::default()));
    let (footer, ..) = footer_of(&file).unwrap();
    let (read_rows, refused) = mutated(&file, 4..footer.start, 500).await;
    assert!(read_rows > 100 && refused > 500, "{read_rows} {refused}");
}

fn number(number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = number;
    while rest > 0x7F {
        bytes.push(u8::try_from(rest & 0x7F).unwrap() | 0x80);
        rest >>= 7;
    }
    bytes.push(u8::try_from(rest).unwrap());
    bytes
}

/// A group with so many children that follow it.
fn group(name: usize, children: u64) -> Vec<u8> {
    [
        vec![0x35, 0, 0x18],
        number(u64::try_from(name).unwrap()),
        vec![b'g'; name],
        vec![0x15],
        number(children * 2),
        vec![0],
    ]
    .concat()
}

/// A column of fixed length.
fn column(name: usize, length: u64) -> Vec<u8> {
    [
        vec![0x15, 14, 0x15],
        number(length * 2),
        vec![0x15, 2, 0x18],
        number(u64::try_from(name).unwrap()),
        vec![b'c'; name],
        vec![0],
    ]
    .concat()
}

fn footer(schema: &[Vec<u8>]) -> Vec<u8> {
    let count = number(u64::try_from(schema.len()).unwrap());
    [
        vec![0x15, 2, 0x19, 0xFC],
        count,
        schema.concat(),
        vec![0x16, 0, 0x19, 0x0C, 0],
    ]
    .concat()
}

fn refusal(footer: &[u8]) -> String {
    read_footer(footer, 1 << 30).unwrap_err()
}

#[test]
fn schemas_have_bounds() {
    assert!(read_footer(&footer(&[group(1, 2), column(1, 16), column(1, 16)]), 1 << 30).is_ok());
    let deep = |count: usize| {
        let mut schema = vec![group(1, 1); count];
        schema.push(column(1, 16));
        footer(&schema)
    };
    assert!(read_footer(&deep(MOST_NESTED), 1 << 30).is_ok());
    assert!(refusal(&deep(MOST_NESTED + 1)).contains("within each other"));
    assert!(refusal(&deep(50_000)).contains("within each other"));
    // A capacity of 16 GiB.
    let promised = footer(&[group(1, u64::from(u32::MAX) / 2), column(1, 16)]);
    assert!(refusal(&promised).contains("fewer columns than it says"));
    assert!(
        refusal(&footer(&[group(1, 1), column(1, 16), column(1, 16)])).contains("more columns than it says")
    );
    let most = usize::try_from(MOST_SCHEMA_ELEMENTS).unwrap();
    let mut wide = vec![group(1, MOST_SCHEMA_ELEMENTS)];
    wide.extend(vec![column(1, 16); most]);
    assert!(refusal(&footer(&wide)).contains("more than 100000 columns"));
    // Each of the columns has the name of its group.
    let mut long = vec![group(1, 1), group(1 << 20, 1000)];
    long.extend(vec![column(1, 16); 1000]);
    assert!(refusal(&footer(&long)).contains("too long"));
    assert!(refusal(&footer(&[group(1, 1), column(1, 1 << 30)])).contains("bytes a value"));
}

#[test]
fn footers_have_bounds() {
    let tail = |length: u64, magic: &[u8]| {
        let length = u32::try_from(length).unwrap().to_le_bytes();
        [length.as_slice(), magic].concat()
    };
    assert_eq!(footer_bytes(&tail(92, b"PAR1"), 100), Ok(0..92));
    for (tail, problem) in [
        (tail(93, b"PAR1"), "longer than the file"),
        (tail(MOST_FOOTER_BYTES + 1, b"PAR1"), "are the most"),
        (tail(1, b"PARE"), "encrypted"),
        (tail(1, b"PAR2"), "does not end as Parquet"),
        (vec![b'P'; 3], "too short"),
        (Vec::new(), "too short"),
    ] {
        let told = footer_bytes(&tail, 100).unwrap_err();
        assert!(told.contains(problem), "{told}");
    }
}

#[test]
fn pages_have_bounds() {
    let file = written(Compression::UNCOMPRESSED);
    let (_, footer, _) = footer_of(&file).unwrap();
    let chunks = chunks(&footer, &[0], &BTreeSet::from([0])).unwrap();
    let begin = chunks[0].range.start;
    let length = usize::try_from(chunks[0].range.end - begin).unwrap();
    // A page of the first version: type, sizes, values, encodings.
    let page = |kind: u8, uncompressed: u64, stored: u64, values: u64| {
        let header = if kind == 4 { 0x4C } else { 0x2C };
        let mut bytes = [
            vec![0x15, kind, 0x15],
            number(uncompressed * 2),
            vec![0x15],
            number(stored * 2),
        ]
        .concat();
        bytes.push(header);
        bytes.extend(
            [
                vec![0x15],
                number(values * 2),
                vec![0x15, 0],
                vec![0, 0, 1, 2, 3, 4],
            ]
            .concat(),
        );
        bytes
    };
    assert!(page(0, 4, 4, 1).len() <= length);
    assert_eq!(check_pages(&page(0, 4, 4, 1), begin, &chunks), Ok(4));
    for (bytes, problem) in [
        (page(0, (256 << 20) + 1, 4, 1), "are the most"),
        (page(0, 4, 5, 1), "longer than its column"),
        (page(0, 4, 4, (1 << 24) + 1), "values"),
        (page(4, 4, 4, 5), "dictionary of more values"),
        (vec![0x15, 0, 0x15, 1, 0], "below 0"),
        (vec![0; length + 1], "outside its column"),
    ] {
        let told = check_pages(&bytes, begin, &chunks).unwrap_err();
        assert!(told.contains(problem), "{told}");
    }
}
