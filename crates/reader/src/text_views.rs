// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Text and bytes inside the engine and outside of it.
//!
//! Inside, top-level columns of text and bytes are Arrow views, since these are decoded, filtered and grouped without
//! copying what they show. Not every client knows views, so answers have Arrow's plain types.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "types and errors are open sets of other crates; what has no meaning here is refused or passed on as it is"
)]

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::{StreamExt, TryStreamExt, stream};

/// The type of a table's top-level column inside the engine.
pub(crate) fn inside(plain: &DataType) -> DataType {
    match plain {
        DataType::Utf8 => DataType::Utf8View,
        DataType::LargeBinary => DataType::BinaryView,
        other => other.clone(),
    }
}

/// The schema of an answer whose schema inside the engine is `schema`.
pub fn outside(schema: &Schema) -> Schema {
    let fields: Vec<FieldRef> = schema.fields().iter().map(outside_field).collect();
    Schema::new_with_metadata(fields, schema.metadata().clone())
}

fn outside_field(field: &FieldRef) -> FieldRef {
    let plain = plain(field.data_type());
    if &plain == field.data_type() {
        Arc::clone(field)
    } else {
        Arc::new(Field::clone(field).with_data_type(plain))
    }
}

fn plain(inside: &DataType) -> DataType {
    match inside {
        DataType::Utf8View => DataType::Utf8,
        DataType::BinaryView => DataType::LargeBinary,
        DataType::List(element) => DataType::List(outside_field(element)),
        DataType::LargeList(element) => DataType::LargeList(outside_field(element)),
        DataType::FixedSizeList(element, length) => DataType::FixedSizeList(outside_field(element), *length),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(outside_field).collect()),
        DataType::Map(entries, sorted) => DataType::Map(outside_field(entries), *sorted),
        DataType::Dictionary(keys, values) => DataType::Dictionary(keys.clone(), Box::new(plain(values))),
        other => other.clone(),
    }
}

/// The same rows in the types of an answer.
pub(crate) fn answered(rows: SendableRecordBatchStream) -> SendableRecordBatchStream {
    let inside = rows.schema();
    let schema = Arc::new(outside(&inside));
    if schema == inside {
        return rows;
    }
    let shown = Arc::clone(&schema);
    let rows = rows
        .map_ok(|batch| stream::iter(parts(batch).into_iter().map(Ok::<_, DataFusionError>)))
        .try_flatten()
        .map(move |batch| Ok(in_types_of(&batch?, &shown)?));
    Box::pin(RecordBatchStreamAdapter::new(schema, rows))
}

/// A batch, cut so that no column of text has more bytes than the plain type can address.
fn parts(batch: RecordBatch) -> Vec<RecordBatch> {
    const LARGEST: usize = 1 << 30;
    let bytes = |column: &ArrayRef| {
        column
            .as_string_view_opt()
            .map_or(0, |text| text.total_bytes_len())
    };
    let rows = batch.num_rows();
    if rows < 2 || batch.columns().iter().all(|column| bytes(column) <= LARGEST) {
        return vec![batch];
    }
    let half = rows / 2;
    let mut both = parts(batch.slice(0, half));
    both.extend(parts(batch.slice(half, rows - half)));
    both
}

fn in_types_of(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let columns = batch
        .columns()
        .iter()
        .zip(schema.fields())
        .map(|(column, field)| {
            if column.data_type() == field.data_type() {
                Ok(Arc::clone(column))
            } else {
                cast(column, field.data_type())
            }
        })
        .collect::<Result<Vec<_>, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, AsArray, BinaryViewArray, Int32Array, ListArray, StringViewArray};
    use arrow::buffer::OffsetBuffer;
    use arrow::datatypes::{DataType, Field};
    use arrow::record_batch::RecordBatch;
    use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
    use futures::{TryStreamExt, stream};

    use super::answered;

    #[tokio::test]
    async fn an_answer_has_no_views() {
        let text: ArrayRef = Arc::new(StringViewArray::from(vec![
            Some("a"),
            None,
            Some("longer than twelve"),
        ]));
        let bytes: ArrayRef = Arc::new(BinaryViewArray::from(vec![Some(&b"x"[..]), None, Some(b"")]));
        let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
        let lists: ArrayRef = Arc::new(ListArray::new(
            Arc::new(Field::new("item", DataType::Utf8View, true)),
            OffsetBuffer::from_lengths([2, 0, 1]),
            Arc::clone(&text),
            None,
        ));
        let batch =
            RecordBatch::try_from_iter([("t", text), ("b", bytes), ("n", numbers), ("l", lists)]).unwrap();
        let inside = RecordBatchStreamAdapter::new(batch.schema(), stream::iter([Ok(batch)]));
        let shown: Vec<RecordBatch> = answered(Box::pin(inside)).try_collect().await.unwrap();
        let shown = shown.first().unwrap();
        let types: Vec<String> = shown
            .columns()
            .iter()
            .map(|column| column.data_type().to_string())
            .collect();
        assert_eq!(types, ["Utf8", "LargeBinary", "Int32", "List(Utf8)"]);
        let text: Vec<_> = shown.column(0).as_string::<i32>().iter().collect();
        assert_eq!(text, [Some("a"), None, Some("longer than twelve")]);
        let bytes: Vec<_> = shown.column(1).as_binary::<i64>().iter().collect();
        assert_eq!(bytes, [Some(&b"x"[..]), None, Some(b"")]);
    }
}
