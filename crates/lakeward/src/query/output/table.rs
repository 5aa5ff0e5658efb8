// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A box for people. Its columns are as wide as their widest value, so all rows are needed first.

use std::io::Write;
use std::sync::Arc;

use anyhow::Context;
use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use arrow::util::pretty::pretty_format_batches_with_schema;

use super::{Output, RowWriter};

/// Keeps all rows and shows them at the end.
pub(super) struct TableWriter<'a> {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    output: Output<'a>,
}

impl<'a> TableWriter<'a> {
    pub(super) fn new(schema: &SchemaRef, output: Output<'a>) -> Self {
        Self {
            schema: Arc::clone(schema),
            batches: Vec::new(),
            output,
        }
    }
}

impl RowWriter for TableWriter<'_> {
    fn write(&mut self, batch: &RecordBatch) -> anyhow::Result<()> {
        self.batches.push(batch.clone());
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> anyhow::Result<()> {
        let text = pretty_format_batches_with_schema(self.schema, &self.batches)
            .context("the rows cannot be shown")?;
        writeln!(self.output, "{text}")?;
        Ok(self.output.flush()?)
    }
}
