// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Rows that are to become a table.

use arrow::datatypes::{Schema, SchemaRef};
use arrow::record_batch::RecordBatch;

/// A table to be written: its name, columns, and rows batch by batch.
pub(super) struct Source {
    pub(super) table: String,
    pub(super) schema: SchemaRef,
    /// For the progress bar.
    pub(super) rows: u64,
    pub(super) batches: Box<dyn Iterator<Item = anyhow::Result<RecordBatch>> + Send>,
}

impl Source {
    pub(super) fn new(
        table: &str,
        schema: &Schema,
        rows: u64,
        batches: impl Iterator<Item = anyhow::Result<RecordBatch>> + Send + 'static,
    ) -> Self {
        Self {
            table: table.to_owned(),
            schema: SchemaRef::new(schema.clone()),
            rows,
            batches: Box::new(batches),
        }
    }
}
