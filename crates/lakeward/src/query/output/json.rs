// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! JSON, as one array or one object per line. Nulls are written, so that every object has every member.

use std::io::Write;

use arrow::json::writer::{JsonArray, JsonFormat, LineDelimited};
use arrow::json::{Writer, WriterBuilder};
use arrow::record_batch::RecordBatch;

use super::{Output, RowWriter};

/// One array of objects, and a line break.
pub(super) struct ArrayWriter<'a>(Writer<Output<'a>, JsonArray>);

/// One object per line.
pub(super) struct LinesWriter<'a>(Writer<Output<'a>, LineDelimited>);

fn writer<F: JsonFormat>(output: Output<'_>) -> Writer<Output<'_>, F> {
    WriterBuilder::new().with_explicit_nulls(true).build(output)
}

impl<'a> ArrayWriter<'a> {
    pub(super) fn new(output: Output<'a>) -> Self {
        Self(writer(output))
    }
}

impl<'a> LinesWriter<'a> {
    pub(super) fn new(output: Output<'a>) -> Self {
        Self(writer(output))
    }
}

impl RowWriter for ArrayWriter<'_> {
    fn write(&mut self, batch: &RecordBatch) -> anyhow::Result<()> {
        Ok(self.0.write(batch)?)
    }

    fn finish(mut self: Box<Self>) -> anyhow::Result<()> {
        self.0.finish()?;
        let mut output = self.0.into_inner();
        writeln!(output)?;
        Ok(output.flush()?)
    }
}

impl RowWriter for LinesWriter<'_> {
    fn write(&mut self, batch: &RecordBatch) -> anyhow::Result<()> {
        Ok(self.0.write(batch)?)
    }

    fn finish(mut self: Box<Self>) -> anyhow::Result<()> {
        self.0.finish()?;
        Ok(self.0.into_inner().flush()?)
    }
}
