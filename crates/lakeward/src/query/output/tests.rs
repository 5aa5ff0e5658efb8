// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every format, byte by byte where it is text.

use std::sync::Arc;

use arrow::array::{Int64Array, StringArray};
use arrow::record_batch::RecordBatch;
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::Format;

fn rows() -> RecordBatch {
    RecordBatch::try_from_iter([
        ("n", Arc::new(Int64Array::from(vec![Some(1), None, Some(3)])) as _),
        (
            "t,\"x\"",
            Arc::new(StringArray::from(vec![Some("a\"b"), Some(""), None])) as _,
        ),
    ])
    .unwrap()
}

/// The rows in two batches, or no batch.
fn written(format: Format, batches: &[RecordBatch]) -> Vec<u8> {
    let mut output = Vec::new();
    let mut writer = format.writer(&rows().schema(), Box::new(&mut output)).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.finish().unwrap();
    output
}

fn check(format: Format, expected: &str, of_none: &str) {
    let batches = [rows().slice(0, 2), rows().slice(2, 1)];
    let text = |batches: &[RecordBatch]| String::from_utf8(written(format, batches)).unwrap();
    assert_eq!(text(&batches), expected);
    assert_eq!(text(&[]), of_none);
}

#[test]
fn csv_tells_null_from_empty_text() {
    check(
        Format::Csv,
        "n,\"t,\"\"x\"\"\"\r\n1,\"a\"\"b\"\r\n,\"\"\r\n3,\r\n",
        "n,\"t,\"\"x\"\"\"\r\n",
    );
}

#[test]
fn json_shows_null() {
    check(
        Format::Json,
        "[{\"n\":1,\"t,\\\"x\\\"\":\"a\\\"b\"},{\"n\":null,\"t,\\\"x\\\"\":\"\"},{\"n\":3,\"t,\\\"x\\\"\":null}]\n",
        "[]\n",
    );
    check(
        Format::JsonLines,
        "{\"n\":1,\"t,\\\"x\\\"\":\"a\\\"b\"}\n{\"n\":null,\"t,\\\"x\\\"\":\"\"}\n{\"n\":3,\"t,\\\"x\\\"\":null}\n",
        "",
    );
}

#[test]
fn a_table_has_its_header_without_rows() {
    check(
        Format::Table,
        "+---+-------+\n| n | t,\"x\" |\n+---+-------+\n| 1 | a\"b   |\n|   |       |\n| 3 |       |\n+---+-------+\n",
        "+---+-------+\n| n | t,\"x\" |\n+---+-------+\n+---+-------+\n",
    );
}

#[test]
fn parquet_comes_back_as_it_was() {
    let bytes = Bytes::from(written(Format::Parquet, &[rows()]));
    let back: Vec<_> = ParquetRecordBatchReaderBuilder::try_new(bytes)
        .unwrap()
        .build()
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(back, [rows()]);
    let none = Bytes::from(written(Format::Parquet, &[]));
    let builder = ParquetRecordBatchReaderBuilder::try_new(none).unwrap();
    assert_eq!(builder.schema().fields(), rows().schema().fields());
}
