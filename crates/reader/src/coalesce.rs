// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Joining the small batches that a selective filter leaves, so that operators above work on full ones.

use arrow::compute::BatchCoalescer;
use arrow::datatypes::SchemaRef as ArrowSchemaRef;
use futures::{StreamExt, stream};

use crate::barrier::Rows;
use crate::error::ReaderError;

/// The same rows in the same order, in batches of about `batch_size`.
pub(crate) fn coalesced(rows: Rows, schema: ArrowSchemaRef, batch_size: usize) -> Rows {
    // Batches of at least half the size pass without being copied.
    let coalescer =
        BatchCoalescer::new(schema, batch_size).with_biggest_coalesce_batch_size(Some(batch_size / 2));
    stream::try_unfold(
        (rows, coalescer, false),
        |(mut rows, mut coalescer, mut ended)| async move {
            loop {
                if let Some(batch) = coalescer.next_completed_batch() {
                    return Ok(Some((batch, (rows, coalescer, ended))));
                }
                if ended {
                    return Ok(None);
                }
                match rows.next().await {
                    Some(batch) => coalescer.push_batch(batch?).map_err(joining)?,
                    None => {
                        ended = true;
                        coalescer.finish_buffered_batch().map_err(joining)?;
                    }
                }
            }
        },
    )
    .boxed()
}

fn joining(cause: arrow::error::ArrowError) -> ReaderError {
    ReaderError::Query(format!("batches could not be joined: {cause}"))
}
