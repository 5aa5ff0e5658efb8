// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Rows as text.

use std::io::{self, Write};

use anyhow::Context;
use arrow::array::Array;
use arrow::datatypes::DataType;
use arrow::json::WriterBuilder;
use arrow::json::writer::JsonArray;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use arrow::util::pretty::pretty_format_batches_with_schema;
use lakeward_reader::session::Answer;

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// A box with a header
    Table,
    /// RFC 4180 with a header line; null is empty, an empty text is ""
    Csv,
    /// One array of objects
    Json,
}

/// Writes all rows of an answer.
pub(crate) fn write(answer: &Answer, format: Format, output: &mut impl Write) -> anyhow::Result<()> {
    let written = match format {
        Format::Table => write_table(answer, output),
        Format::Csv => write_csv(answer, output),
        Format::Json => write_json(answer, output),
    };
    match written {
        // The reader of a pipe may have seen enough.
        Err(cause)
            if cause
                .downcast_ref::<io::Error>()
                .is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe) =>
        {
            Ok(())
        }
        other => other,
    }
}

fn write_table(answer: &Answer, output: &mut impl Write) -> anyhow::Result<()> {
    let text = pretty_format_batches_with_schema(std::sync::Arc::clone(&answer.schema), &answer.batches)
        .context("the rows cannot be shown")?;
    writeln!(output, "{text}")?;
    Ok(())
}

fn write_json(answer: &Answer, output: &mut impl Write) -> anyhow::Result<()> {
    let mut writer = WriterBuilder::new()
        .with_explicit_nulls(true)
        .build::<_, JsonArray>(&mut *output);
    let batches: Vec<_> = answer.batches.iter().collect();
    writer.write_batches(&batches)?;
    writer.finish()?;
    writeln!(output)?;
    Ok(())
}

fn write_csv(answer: &Answer, output: &mut impl Write) -> anyhow::Result<()> {
    let mut output = io::BufWriter::new(output);
    for (position, field) in answer.schema.fields().iter().enumerate() {
        separate(&mut output, position)?;
        write_text(&mut output, field.name())?;
    }
    output.write_all(b"\r\n")?;
    let options = FormatOptions::default().with_null("");
    for batch in &answer.batches {
        let formatters = batch
            .columns()
            .iter()
            .map(|column| ArrayFormatter::try_new(column, &options))
            .collect::<Result<Vec<_>, _>>()?;
        for row in 0..batch.num_rows() {
            for (position, (column, formatter)) in batch.columns().iter().zip(&formatters).enumerate() {
                separate(&mut output, position)?;
                if column.is_null(row) {
                    continue;
                }
                let value = formatter.value(row).try_to_string()?;
                if is_number(column.data_type()) {
                    output.write_all(value.as_bytes())?;
                } else {
                    write_text(&mut output, &value)?;
                }
            }
            output.write_all(b"\r\n")?;
        }
    }
    output.flush()?;
    Ok(())
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Int64Array, StringArray};
    use arrow::record_batch::RecordBatch;

    use super::{Answer, Format, write};

    fn check(format: Format, expected: &str) {
        let batch = RecordBatch::try_from_iter([
            ("n", Arc::new(Int64Array::from(vec![Some(1), None, Some(3)])) as _),
            (
                "t,\"x\"",
                Arc::new(StringArray::from(vec![Some("a\"b"), Some(""), None])) as _,
            ),
        ])
        .unwrap();
        let answer = Answer {
            schema: batch.schema(),
            batches: vec![batch],
            truncated: false,
            tables: Vec::new(),
        };
        let mut output = Vec::new();
        write(&answer, format, &mut output).unwrap();
        assert_eq!(String::from_utf8(output).unwrap(), expected);
    }

    #[test]
    fn csv_tells_null_from_empty_text() {
        check(
            Format::Csv,
            "n,\"t,\"\"x\"\"\"\r\n1,\"a\"\"b\"\r\n,\"\"\r\n3,\r\n",
        );
    }

    #[test]
    fn json_shows_null() {
        check(
            Format::Json,
            "[{\"n\":1,\"t,\\\"x\\\"\":\"a\\\"b\"},{\"n\":null,\"t,\\\"x\\\"\":\"\"},{\"n\":3,\"t,\\\"x\\\"\":null}]\n",
        );
    }
}
