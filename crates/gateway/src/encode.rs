// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Rows as messages of Arrow Flight, as they come: nothing is gathered, and the next batch is asked for when the client
//! took the one before.
//!
//! Clients differ in the encodings that they know, so each column is sent in the plain one of its type: a dictionary as
//! its values, a view as the text or bytes themselves, at any depth. No value changes.

use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::ipc::writer::{CompressionContext, DictionaryTracker, IpcDataGenerator, IpcWriteOptions};
use arrow_flight::{FlightData, SchemaAsIpc};
use futures::{FutureExt as _, Stream, StreamExt as _, stream};
use tokio::sync::watch;
use tonic::Status;

use crate::running::going_down;

/// Messages of one answer.
pub(crate) type FlightStream = Pin<Box<dyn Stream<Item = Result<FlightData, Status>> + Send + 'static>>;

/// What a message should not exceed, in bytes; clients that set no limit of their own take 4 MiB. A single row that is
/// longer is sent whole.
const MESSAGE: usize = 2 * 1024 * 1024;

/// The schema as clients get it.
pub(crate) fn on_the_wire(schema: &Schema) -> Schema {
    let fields: Vec<FieldRef> = schema.fields().iter().map(plain_field).collect();
    Schema::new(fields)
}

/// What files say of a column beside its type, their field ids for instance, stays here: it is not the same on each way
/// to the same answer, and clients compare.
fn plain_field(field: &FieldRef) -> FieldRef {
    Arc::new(Field::new(
        field.name(),
        plain_type(field.data_type()),
        field.is_nullable(),
    ))
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other types have one encoding, which every client knows"
)]
fn plain_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Dictionary(_, values) => plain_type(values),
        DataType::Utf8View => DataType::Utf8,
        DataType::BinaryView => DataType::Binary,
        DataType::List(field) | DataType::ListView(field) => DataType::List(plain_field(field)),
        DataType::LargeList(field) | DataType::LargeListView(field) => {
            DataType::LargeList(plain_field(field))
        }
        DataType::FixedSizeList(field, length) => DataType::FixedSizeList(plain_field(field), *length),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(plain_field).collect()),
        DataType::Map(field, sorted) => DataType::Map(plain_field(field), *sorted),
        other => other.clone(),
    }
}

/// The messages of an answer: its schema, then its rows. Becomes an error when `cancelled` does.
pub(crate) fn stream(
    schema: SchemaRef,
    batches: impl Stream<Item = Result<RecordBatch, Status>> + Send + 'static,
    mut cancelled: watch::Receiver<bool>,
) -> FlightStream {
    let mut encoder = Encoder::new(&schema);
    let first = encoder.schema_message();
    let mut batches = Box::pin(batches);
    let mut cancelled = Box::pin(async move {
        // The guard must not live on, and a gateway that is gone cancels too.
        let _ = cancelled.wait_for(|cancelled| *cancelled).await.is_ok();
    });
    let mut over = false;
    // A query that stops must end in an error: an answer that merely ends looks whole.
    let batches = stream::poll_fn(move |context| {
        if over {
            return Poll::Ready(None);
        }
        let next = if cancelled.poll_unpin(context).is_ready() {
            Some(Err(going_down()))
        } else {
            match batches.poll_next_unpin(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(next) => next,
            }
        };
        over = !matches!(next, Some(Ok(_)));
        Poll::Ready(next)
    });
    let messages = batches.flat_map(move |batch| {
        let messages = match batch.and_then(|batch| encoder.messages(&batch).map_err(|error| failed(&error)))
        {
            Ok(messages) => messages.into_iter().map(Ok).collect(),
            Err(status) => vec![Err(status)],
        };
        stream::iter(messages)
    });
    Box::pin(stream::iter([Ok(first)]).chain(messages))
}

/// What a client is told of an answer that cannot be encoded.
pub(crate) fn failed(error: &ArrowError) -> Status {
    tracing::warn!(%error, "an answer could not be encoded");
    Status::internal(
        "the answer could not be encoded; the operator of the gateway finds the reason in its log",
    )
}

struct Encoder {
    schema: SchemaRef,
    generator: IpcDataGenerator,
    dictionaries: DictionaryTracker,
    options: IpcWriteOptions,
    compression: CompressionContext,
}

impl Encoder {
    fn new(schema: &Schema) -> Self {
        Self {
            schema: Arc::new(on_the_wire(schema)),
            generator: IpcDataGenerator::default(),
            dictionaries: DictionaryTracker::new(false),
            options: IpcWriteOptions::default(),
            compression: CompressionContext::default(),
        }
    }

    fn schema_message(&self) -> FlightData {
        SchemaAsIpc::new(&self.schema, &self.options).into()
    }

    /// A batch as one message or several.
    fn messages(&mut self, batch: &RecordBatch) -> Result<Vec<FlightData>, ArrowError> {
        let columns = self
            .schema
            .fields()
            .iter()
            .zip(batch.columns())
            .map(|(field, column)| {
                if column.data_type() == field.data_type() {
                    Ok(Arc::clone(column))
                } else {
                    cast(column, field.data_type())
                }
            });
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &rows)?;
        let mut messages = Vec::new();
        self.split(&batch, &mut messages)?;
        Ok(messages)
    }

    /// Only the encoded form tells how long it is: slices share their buffers, and rows differ in length.
    fn split(&mut self, batch: &RecordBatch, messages: &mut Vec<FlightData>) -> Result<(), ArrowError> {
        let (dictionaries, encoded) = self.generator.encode(
            batch,
            &mut self.dictionaries,
            &self.options,
            &mut self.compression,
        )?;
        let rows = batch.num_rows();
        let parts = encoded.arrow_data.len().div_ceil(MESSAGE).min(rows);
        if parts <= 1 {
            messages.extend(dictionaries.into_iter().map(Into::into));
            messages.push(encoded.into());
            return Ok(());
        }
        drop(encoded);
        let step = rows.div_ceil(parts).min(rows.div_ceil(2));
        for begin in (0..rows).step_by(step) {
            self.split(&batch.slice(begin, step.min(rows - begin)), messages)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
