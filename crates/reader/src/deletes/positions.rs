// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Position deletes: Parquet files of data file paths and row positions.

use arrow::array::{Array, AsArray};
use arrow::datatypes::{DataType, Int64Type};
use futures::TryStreamExt;
use iceberg::arrow::ArrowFileReader;
use iceberg::io::{FileIO, FileMetadata};
use iceberg::scan::FileScanTaskDeleteFile;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::arrow::{ParquetRecordBatchStreamBuilder, ProjectionMask};
use parquet::errors::ParquetError;

use crate::error::ReaderError;

/// Field ids that the table specification reserves for the columns of position deletes.
const FILE_PATH: (i32, &str) = (2_147_483_546, "file_path");
const POSITION: (i32, &str) = (2_147_483_545, "pos");

/// The positions that a delete file names for one data file, in no order.
pub(super) async fn read(
    table: &str,
    file_io: &FileIO,
    file: &FileScanTaskDeleteFile,
    data_file: &str,
) -> Result<Vec<u64>, ReaderError> {
    let storage = |cause: iceberg::Error| ReaderError::Storage {
        table: table.to_owned(),
        cause: Box::new(cause),
    };
    let unreadable = |cause: ParquetError| unusable(table, file, &cause.to_string());
    let input = file_io.new_input(&file.file_path).map_err(storage)?;
    let size = FileMetadata {
        size: file.file_size_in_bytes,
    };
    let mut reader = ArrowFileReader::new(size, input.reader().await.map_err(storage)?);
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let metadata = ArrowReaderMetadata::load_async(&mut reader, options)
        .await
        .map_err(unreadable)?;
    let root = metadata.parquet_schema().root_schema();
    let find = |(id, name): (i32, &str)| {
        root.get_fields()
            .iter()
            .position(|column| {
                let info = column.get_basic_info();
                if info.has_id() {
                    info.id() == id
                } else {
                    info.name() == name
                }
            })
            .ok_or_else(|| unusable(table, file, &format!("it has no column `{name}`")))
    };
    let (path, position) = (find(FILE_PATH)?, find(POSITION)?);
    let mask = ProjectionMask::roots(metadata.parquet_schema(), [path, position]);
    let batches = ParquetRecordBatchStreamBuilder::new_with_metadata(reader, metadata)
        .with_projection(mask)
        .build()
        .map_err(unreadable)?;
    let paths_come_first = path < position;
    batches
        .map_err(unreadable)
        .try_fold(Vec::new(), |mut found, batch| {
            let (first, second) = (batch.columns().first(), batch.columns().get(1));
            let columns = if paths_come_first {
                first.zip(second)
            } else {
                second.zip(first)
            };
            let columns = columns.filter(|(paths, positions)| {
                paths.data_type() == &DataType::Utf8
                    && positions.data_type() == &DataType::Int64
                    && paths.null_count() == 0
                    && positions.null_count() == 0
            });
            let outcome = columns
                .ok_or_else(|| unusable(table, file, "its columns do not hold paths and positions"))
                .and_then(|(paths, positions)| {
                    let paths = paths.as_string::<i32>();
                    let positions = positions.as_primitive::<Int64Type>();
                    for (path, position) in paths.iter().zip(positions.values()) {
                        if path == Some(data_file) {
                            let position = u64::try_from(*position)
                                .map_err(|_| unusable(table, file, "it names a position below 0"))?;
                            found.push(position);
                        }
                    }
                    Ok(found)
                });
            std::future::ready(outcome)
        })
        .await
}

fn unusable(table: &str, file: &FileScanTaskDeleteFile, problem: &str) -> ReaderError {
    let name = file.file_path.rsplit('/').next().unwrap_or(&file.file_path);
    ReaderError::Unsupported {
        table: table.to_owned(),
        problem: format!("delete file `{name}`: {problem}"),
    }
}
