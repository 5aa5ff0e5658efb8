// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Cutting the buffers of views to what a batch shows of them.
//!
//! Views share the buffers of the pages that they were read from. Where batches are short, each would hold whole pages,
//! and operators that count what they hold would count a page once for each batch of it.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, GenericByteViewArray};
use arrow::datatypes::{ByteViewType, DataType};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};

/// Buffers may be so many times as long as what is shown of them.
const SLACK: usize = 2;

/// The same rows; columns of views whose buffers are much longer than what they show are copied.
pub(crate) fn compact(batch: &RecordBatch) -> Result<RecordBatch, arrow::error::ArrowError> {
    let columns: Vec<ArrayRef> = batch
        .columns()
        .iter()
        .map(|column| {
            if column.data_type() == &DataType::Utf8View {
                compacted(column, column.as_string_view())
            } else if column.data_type() == &DataType::BinaryView {
                compacted(column, column.as_binary_view())
            } else {
                Arc::clone(column)
            }
        })
        .collect();
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(batch.schema(), columns, &options)
}

fn compacted<T: ByteViewType>(column: &ArrayRef, views: &GenericByteViewArray<T>) -> ArrayRef {
    let held: usize = views.data_buffers().iter().map(|buffer| buffer.len()).sum();
    if held > SLACK * views.total_buffer_bytes_used() {
        Arc::new(views.gc())
    } else {
        Arc::clone(column)
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{Int64Array, StringViewArray};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn shows_the_same_and_holds_little_more(
            values in proptest::collection::vec(proptest::option::of("[a-z]{0,30}"), 1..60),
            begin in 0_usize..60,
            length in 0_usize..60,
        ) {
            let numbers = Int64Array::from_iter_values(0..values.len().try_into().unwrap());
            let views: StringViewArray = values.iter().map(Option::as_deref).collect();
            let whole: RecordBatch = RecordBatch::try_from_iter_with_nullable([
                ("n", Arc::new(numbers) as ArrayRef, false),
                ("v", Arc::new(views) as ArrayRef, true),
            ])
            .unwrap();
            let begin = begin.min(values.len());
            let part = whole.slice(begin, length.min(values.len() - begin));
            let compact = compact(&part).unwrap();
            prop_assert_eq!(&compact, &part);
            let views = compact.column(1).as_string_view();
            let held: usize = views.data_buffers().iter().map(|buffer| buffer.len()).sum();
            prop_assert!(held <= SLACK * views.total_buffer_bytes_used());
        }
    }
}
