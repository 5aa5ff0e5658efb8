// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Rows as bytes: one module per format.

mod csv;
mod json;
mod parquet;
mod table;

#[cfg(test)]
mod tests;

use std::io::{self, Write};

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// A box with a header; shown when all rows are there
    Table,
    /// RFC 4180 with a header line; null is empty, an empty text is ""
    Csv,
    /// One array of objects
    Json,
    /// One object per line
    #[value(alias = "jsonl", alias = "ndjson")]
    JsonLines,
    /// A Parquet file with all types as they are
    Parquet,
}

impl Format {
    /// Whether the answers of several statements can stand in one file.
    pub(crate) fn holds_several(self) -> bool {
        self != Self::Parquet
    }

    /// Whether a terminal can show it.
    pub(crate) fn is_text(self) -> bool {
        self != Self::Parquet
    }

    /// Begins an answer.
    pub(crate) fn writer<'a>(
        self,
        schema: &SchemaRef,
        output: Box<dyn Write + Send + 'a>,
    ) -> anyhow::Result<Box<dyn RowWriter + 'a>> {
        let output = io::BufWriter::with_capacity(64 * 1024, output);
        Ok(match self {
            Self::Table => Box::new(table::TableWriter::new(schema, output)),
            Self::Csv => Box::new(csv::CsvWriter::new(schema, output)?),
            Self::Json => Box::new(json::ArrayWriter::new(output)),
            Self::JsonLines => Box::new(json::LinesWriter::new(output)),
            Self::Parquet => Box::new(parquet::ParquetWriter::new(schema, output)?),
        })
    }
}

/// The place where buffered rows go.
type Output<'a> = io::BufWriter<Box<dyn Write + Send + 'a>>;

/// Writes the rows of one answer as they come.
pub(crate) trait RowWriter {
    /// Writes some rows.
    fn write(&mut self, batch: &RecordBatch) -> anyhow::Result<()>;

    /// Writes what stands behind the last row. Without it the output is not whole.
    fn finish(self: Box<Self>) -> anyhow::Result<()>;
}
