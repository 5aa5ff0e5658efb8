// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every type as clients receive it, and every batch within what they take.

use std::collections::HashMap;

use arrow::array::{
    Array as _, ArrayRef, DictionaryArray, Int32Array, Int64Array, ListArray, MapBuilder, StringArray,
    StringBuilder, StringViewArray, StructArray,
};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{Fields, Int32Type};
use arrow_flight::decode::FlightRecordBatchStream;
use arrow_flight::error::FlightError;
use futures::TryStreamExt as _;
use tonic::Code;

use super::*;

async fn sent(
    batches: Vec<Result<RecordBatch, Status>>,
    schema: SchemaRef,
) -> Result<Vec<RecordBatch>, FlightError> {
    let (_keep, cancelled) = watch::channel(false);
    let messages = stream(schema, stream::iter(batches), cancelled);
    FlightRecordBatchStream::new_from_flight_data(messages.map_err(FlightError::from))
        .try_collect()
        .await
}

fn nested() -> RecordBatch {
    let words: DictionaryArray<Int32Type> = ["a", "b", "a"].into_iter().collect();
    let words: ArrayRef = Arc::new(words);
    let views: ArrayRef = Arc::new(StringViewArray::from(vec![
        Some("x"),
        None,
        Some("a text that is longer than a view"),
    ]));
    let inner = Fields::from(vec![
        Field::new("word", words.data_type().clone(), false)
            .with_metadata(HashMap::from([("PARQUET:field_id".to_owned(), "7".to_owned())])),
        Field::new("view", DataType::Utf8View, true),
    ]);
    let structs: ArrayRef = Arc::new(StructArray::new(inner, vec![words, Arc::clone(&views)], None));
    let list: ArrayRef = Arc::new(ListArray::new(
        Arc::new(Field::new("element", structs.data_type().clone(), false)),
        OffsetBuffer::from_lengths([2, 0, 1]),
        Arc::clone(&structs),
        None,
    ));
    let mut map = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
    for row in 0..3 {
        map.keys().append_value(format!("k{row}"));
        map.values().append_option((row != 1).then_some("v"));
        map.append(true).unwrap();
    }
    let map: ArrayRef = Arc::new(map.finish());
    RecordBatch::try_from_iter([
        ("views", views),
        ("structs", structs),
        ("list", list),
        ("map", map),
    ])
    .unwrap()
}

#[tokio::test]
async fn values_pass_unharmed_in_types_that_every_client_knows() {
    let batch = nested();
    let received = sent(vec![Ok(batch.clone())], batch.schema()).await.unwrap();
    let schema = on_the_wire(&batch.schema());
    let text = format!("{schema:?}");
    for unknown in ["View", "Dictionary", "PARQUET"] {
        assert!(!text.contains(unknown), "{text}");
    }
    assert_eq!(received[0].schema().as_ref(), &schema);
    let show = |batch: &RecordBatch| {
        arrow::util::pretty::pretty_format_batches(std::slice::from_ref(batch))
            .unwrap()
            .to_string()
    };
    assert_eq!(show(&received[0]), show(&batch));
}

#[tokio::test]
async fn an_answer_without_rows_has_a_schema() {
    let batch = nested();
    let (_keep, cancelled) = watch::channel(false);
    let mut messages = stream(batch.schema(), stream::iter(Vec::new()), cancelled);
    let first = messages.next().await.unwrap().unwrap();
    assert_eq!(Schema::try_from(&first).unwrap(), on_the_wire(&batch.schema()));
    assert!(messages.next().await.is_none());
}

#[test]
fn messages_are_short_whatever_the_rows_look_like() {
    let long = "x".repeat(700_000);
    // Long rows at the end, a slice of something longer, and a list whose elements are what is long.
    let texts: Vec<&str> = (0..300)
        .map(|row| if row > 280 { long.as_str() } else { "short" })
        .collect();
    let texts: ArrayRef = Arc::new(StringArray::from(texts));
    let list: ArrayRef = Arc::new(ListArray::new(
        Arc::new(Field::new("element", DataType::Utf8, true)),
        OffsetBuffer::from_lengths(std::iter::repeat_n(1, 300)),
        Arc::clone(&texts),
        None,
    ));
    let whole = RecordBatch::try_from_iter([("texts", texts), ("list", list)]).unwrap();
    for (batch, most) in [
        (whole.clone(), 40),
        (whole.slice(0, 100), 1),
        (whole.slice(279, 4), 3),
    ] {
        let messages = Encoder::new(&batch.schema()).messages(&batch).unwrap();
        assert!(messages.len() <= most, "{}", messages.len());
        for message in &messages {
            assert!(
                message.data_body.len() < MESSAGE + 4096,
                "{}",
                message.data_body.len()
            );
        }
    }
    let one = whole.slice(290, 1);
    assert_eq!(Encoder::new(&one.schema()).messages(&one).unwrap().len(), 1);
}

#[tokio::test]
async fn a_failure_after_rows_is_told_and_ends_the_answer() {
    let batch = RecordBatch::try_from_iter([("n", Arc::new(Int64Array::from(vec![1])) as ArrayRef)]).unwrap();
    let failing = vec![
        Ok(batch.clone()),
        Err(Status::invalid_argument("no")),
        Ok(batch.clone()),
    ];
    let (_keep, cancelled) = watch::channel(false);
    let messages: Vec<_> = stream(batch.schema(), stream::iter(failing), cancelled)
        .collect()
        .await;
    assert_eq!(messages.len(), 3);
    assert_eq!(messages[2].as_ref().unwrap_err().code(), Code::InvalidArgument);
}

#[tokio::test]
async fn an_answer_that_is_cancelled_ends_in_an_error() {
    let batch = RecordBatch::try_from_iter([("n", Arc::new(Int32Array::from(vec![1])) as ArrayRef)]).unwrap();
    let (cancel, cancelled) = watch::channel(false);
    let endless = stream::iter([Ok(batch.clone())]).chain(stream::pending());
    let mut messages = stream(batch.schema(), endless, cancelled);
    for _ in 0..2 {
        assert!(messages.next().await.unwrap().is_ok());
    }
    cancel.send_replace(true);
    assert_eq!(
        messages.next().await.unwrap().unwrap_err().code(),
        Code::Unavailable
    );
    assert!(messages.next().await.is_none());
}
