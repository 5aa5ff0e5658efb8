// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! RFC 4180, with null told from an empty text.

use std::io::{self, Write};

use arrow::array::Array;
use arrow::datatypes::{DataType, SchemaRef};
use arrow::record_batch::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};

use super::{Output, RowWriter};

/// A header line, then one line per row.
pub(super) struct CsvWriter<'a> {
    output: Output<'a>,
}

impl<'a> CsvWriter<'a> {
    /// Writes the header.
    pub(super) fn new(schema: &SchemaRef, mut output: Output<'a>) -> io::Result<Self> {
        for (position, field) in schema.fields().iter().enumerate() {
            separate(&mut output, position)?;
            write_text(&mut output, field.name())?;
        }
        output.write_all(b"\r\n")?;
        Ok(Self { output })
    }
}

impl RowWriter for CsvWriter<'_> {
    fn write(&mut self, batch: &RecordBatch) -> anyhow::Result<()> {
        let options = FormatOptions::default().with_null("");
        let formatters = batch
            .columns()
            .iter()
            .map(|column| ArrayFormatter::try_new(column, &options))
            .collect::<Result<Vec<_>, _>>()?;
        for row in 0..batch.num_rows() {
            for (position, (column, formatter)) in batch.columns().iter().zip(&formatters).enumerate() {
                separate(&mut self.output, position)?;
                if column.is_null(row) {
                    continue;
                }
                let value = formatter.value(row).try_to_string()?;
                if is_number(column.data_type()) {
                    self.output.write_all(value.as_bytes())?;
                } else {
                    write_text(&mut self.output, &value)?;
                }
            }
            self.output.write_all(b"\r\n")?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> anyhow::Result<()> {
        Ok(self.output.flush()?)
    }
}

fn separate(output: &mut impl Write, position: usize) -> io::Result<()> {
    if position > 0 {
        output.write_all(b",")?;
    }
    Ok(())
}

/// Quoted where it must be, and where it is empty, which tells it from null.
fn write_text(output: &mut impl Write, text: &str) -> io::Result<()> {
    if text.is_empty() || text.contains([',', '"', '\r', '\n']) {
        write!(output, "\"{}\"", text.replace('"', "\"\""))
    } else {
        output.write_all(text.as_bytes())
    }
}

fn is_number(data_type: &DataType) -> bool {
    data_type.is_numeric() || matches!(data_type, DataType::Boolean)
}
