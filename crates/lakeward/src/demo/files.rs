// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A user's own files as tables: CSV with a header, or Parquet. Column types are inferred.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "Arrow's types are an open set; those without a counterpart are refused"
)]

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use arrow::array::RecordBatchReader;
use arrow::compute::cast;
use arrow::csv::ReaderBuilder;
use arrow::csv::reader::Format;
use arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use arrow::record_batch::RecordBatch;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::source::Source;

/// Opens a file by its ending.
pub(super) fn source(path: &Path) -> anyhow::Result<Source> {
    let kind = path
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or_default()
        .to_ascii_lowercase();
    let opened = match kind.as_str() {
        "csv" => csv(path),
        "parquet" => parquet(path),
        _ => bail!("`{}` is neither .csv nor .parquet", path.display()),
    };
    opened.with_context(|| format!("`{}` cannot become a table", path.display()))
}

fn csv(path: &Path) -> anyhow::Result<Source> {
    let format = Format::default().with_header(true);
    let (inferred, rows) = format.infer_schema(File::open(path)?, None)?;
    let reader = ReaderBuilder::new(Arc::new(inferred.clone()))
        .with_header(true)
        .build(File::open(path)?)?;
    converted(path, &inferred, u64::try_from(rows).unwrap_or(0), reader)
}

fn parquet(path: &Path) -> anyhow::Result<Source> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path)?)?;
    let rows = builder.metadata().file_metadata().num_rows();
    let reader = builder.build()?;
    let schema = reader.schema();
    converted(path, &schema, u64::try_from(rows).unwrap_or(0), reader)
}

/// Batches with the types that Iceberg has.
fn converted(
    path: &Path,
    found: &Schema,
    rows: u64,
    reader: impl Iterator<Item = Result<RecordBatch, arrow::error::ArrowError>> + Send + 'static,
) -> anyhow::Result<Source> {
    let fields = found
        .fields()
        .iter()
        .enumerate()
        .map(|(position, field)| {
            let name = match field.name().trim() {
                "" => format!("column_{}", position + 1),
                name => name.to_owned(),
            };
            let data_type = iceberg_type(field.data_type()).with_context(|| {
                format!(
                    "column `{name}` has the type {}, which Iceberg has not",
                    field.data_type()
                )
            })?;
            Ok(Field::new(name, data_type, true))
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    if fields.is_empty() {
        bail!("it has no columns");
    }
    let schema = Arc::new(Schema::new(fields));
    let target = Arc::clone(&schema);
    let batches = reader.map(move |batch| {
        let batch = batch?;
        let columns = batch
            .columns()
            .iter()
            .zip(target.fields())
            .map(|(column, field)| cast(column, field.data_type()))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(RecordBatch::try_new(Arc::clone(&target), columns)?)
    });
    Ok(Source::new(&table_name(path), &schema, rows, batches))
}

/// The type in which Iceberg keeps values of an Arrow type; `None` for those that a demonstration need not know.
fn iceberg_type(found: &DataType) -> Option<DataType> {
    let zone = |zone: &Option<Arc<str>>| zone.as_ref().map(|_| Arc::from("+00:00"));
    Some(match found {
        DataType::Boolean | DataType::Int32 | DataType::Int64 | DataType::Float32 | DataType::Float64 => {
            found.clone()
        }
        DataType::Int8 | DataType::Int16 | DataType::UInt8 | DataType::UInt16 => DataType::Int32,
        DataType::UInt32 | DataType::UInt64 => DataType::Int64,
        DataType::Float16 => DataType::Float32,
        DataType::Date32 | DataType::Date64 => DataType::Date32,
        DataType::Time32(_) | DataType::Time64(_) => DataType::Time64(TimeUnit::Microsecond),
        DataType::Timestamp(_, named) => DataType::Timestamp(TimeUnit::Microsecond, zone(named)),
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
            if *scale >= 0 =>
        {
            DataType::Decimal128(*precision, *scale)
        }
        // A column without any value.
        DataType::Null | DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => DataType::Utf8,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => DataType::LargeBinary,
        DataType::Dictionary(_, values) => return iceberg_type(values),
        _ => return None,
    })
}

/// A plain name from the file's.
fn table_name(path: &Path) -> String {
    let stem = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    let name: String = stem
        .chars()
        .map(|character| {
            if character.is_ascii_alphanumeric() {
                character
            } else {
                '_'
            }
        })
        .take(60)
        .collect();
    if name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name
    } else {
        format!("t_{name}")
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use arrow::datatypes::DataType;

    use super::{source, table_name};

    #[test]
    fn csv_types_are_inferred() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("My Data-1.csv");
        std::fs::write(
            &path,
            "id,name,score,day\n1,Ann,1.5,2024-01-31\n2,,2,2024-02-01\n",
        )
        .unwrap();
        let source = source(&path).unwrap();
        assert_eq!(source.table, "my_data_1");
        let types: Vec<_> = source
            .schema
            .fields()
            .iter()
            .map(|field| field.data_type().clone())
            .collect();
        assert_eq!(
            types,
            [
                DataType::Int64,
                DataType::Utf8,
                DataType::Float64,
                DataType::Date32
            ]
        );
        let rows: usize = source.batches.map(|batch| batch.unwrap().num_rows()).sum();
        assert_eq!(rows, 2);
        assert_eq!(source.rows, 2);
    }

    #[test]
    fn names_are_plain() {
        assert_eq!(table_name(Path::new("/x/2024 Sales.parquet")), "t_2024_sales");
    }
}
