// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A statement on which the query engine panics fails alone.
//!
//! The engine is large, and some expressions that it accepts break it: a regular expression over texts of two Arrow
//! types, for instance. Neither the process nor the connection of whoever sent such a statement may end with it, and no
//! row may be shown after it.

use std::future::Future;
use std::panic::AssertUnwindSafe;

use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::{FutureExt, StreamExt};

use crate::error::ReaderError;

/// What the user is told; what the engine said may hold values.
fn broken() -> ReaderError {
    ReaderError::Query(
        "the query engine broke on this statement and gives no rows; it is a fault of the engine, so write what is unusual in it another way"
            .to_owned(),
    )
}

/// The work, or an error if it panics.
///
/// # Errors
/// Those of the work, and [`ReaderError::Query`].
pub(super) async fn contained<T>(
    work: impl Future<Output = Result<T, ReaderError>>,
) -> Result<T, ReaderError> {
    // What the work had in hand is dropped with it; nothing outlives a statement.
    AssertUnwindSafe(work)
        .catch_unwind()
        .await
        .unwrap_or_else(|_| Err(broken()))
}

/// The rows, and an error as the last of them if the engine panics.
pub(super) fn contained_rows(rows: SendableRecordBatchStream) -> SendableRecordBatchStream {
    let schema = rows.schema();
    let rows = AssertUnwindSafe(rows)
        .catch_unwind()
        .map(|batch| batch.unwrap_or_else(|_| Err(DataFusionError::External(Box::new(broken())))));
    Box::pin(RecordBatchStreamAdapter::new(schema, rows))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::datatypes::Schema;
    use arrow::record_batch::RecordBatch;
    use futures::stream;

    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_error_without_its_text() {
        let planned: Result<(), _> = contained(async { panic!("secret") }).await;
        let said = planned.unwrap_err().to_string();
        assert!(said.contains("broke") && !said.contains("secret"), "{said}");

        let schema = Arc::new(Schema::empty());
        let batch = RecordBatch::new_empty(Arc::clone(&schema));
        let rows = stream::iter([0, 1, 2]).map(move |at| match at {
            0 => Ok(batch.clone()),
            _ => panic!("secret"),
        });
        let rows = contained_rows(Box::pin(RecordBatchStreamAdapter::new(schema, rows)));
        let rows: Vec<_> = rows.collect().await;
        let [Ok(_), Err(cause)] = rows.as_slice() else {
            panic!("{rows:?}");
        };
        assert!(!cause.to_string().contains("secret"), "{cause}");
    }
}
