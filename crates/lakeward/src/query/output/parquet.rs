// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Parquet, with the types of the answer.

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use super::{Output, RowWriter};

/// One file, compressed with Zstandard.
pub(super) struct ParquetWriter<'a>(ArrowWriter<Output<'a>>);

impl<'a> ParquetWriter<'a> {
    /// Begins the file.
    pub(super) fn new(schema: &SchemaRef, output: Output<'a>) -> anyhow::Result<Self> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .build();
        Ok(Self(ArrowWriter::try_new(
            output,
            schema.clone(),
            Some(properties),
        )?))
    }
}

impl RowWriter for ParquetWriter<'_> {
    fn write(&mut self, batch: &RecordBatch) -> anyhow::Result<()> {
        Ok(self.0.write(batch)?)
    }

    fn finish(self: Box<Self>) -> anyhow::Result<()> {
        // Closes the file and flushes what is buffered.
        self.0.close()?;
        Ok(())
    }
}
