// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Memory of window functions over whole partitions. The engine's operator keeps all rows that it is given and asks no
//! pool for them, so what stands before it asks.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::{Transformed, TreeNode as _};
use datafusion::error::DataFusionError;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::spill::get_record_batch_memory_size;
use datafusion::physical_plan::windows::WindowAggExec;
use datafusion::physical_plan::{ExecutionPlan, RecordBatchStream};
use futures::{Stream, StreamExt as _};

use super::between::Between;
use crate::compact::compact;

/// The operator has the rows as they came and, at the end, all in one batch.
const COPIES: usize = 2;

/// The same plan with the memory of windows counted.
pub(super) fn with_windows_counted(
    plan: Arc<dyn ExecutionPlan>,
) -> Result<Arc<dyn ExecutionPlan>, DataFusionError> {
    let counted = plan.transform_up(|node| {
        let Some(input) = node
            .as_any()
            .downcast_ref::<WindowAggExec>()
            .map(|window| Arc::clone(window.input()))
        else {
            return Ok(Transformed::no(node));
        };
        node.with_new_children(vec![Between::over("Kept", input, kept)])
            .map(Transformed::yes)
    });
    counted.map(|transformed| transformed.data)
}

/// The rows of an input, which the next operator keeps.
fn kept(
    input: SendableRecordBatchStream,
    partition: usize,
    context: &TaskContext,
) -> SendableRecordBatchStream {
    let reservation = MemoryConsumer::new(format!("Window[{partition}]")).register(context.memory_pool());
    Box::pin(KeptStream { input, reservation })
}

/// The operator drops it when it drops the rows.
struct KeptStream {
    input: SendableRecordBatchStream,
    reservation: MemoryReservation,
}

impl KeptStream {
    fn kept(&self, batch: &RecordBatch) -> Result<RecordBatch, DataFusionError> {
        let batch = compact(batch)?;
        let bytes = get_record_batch_memory_size(&batch).saturating_mul(COPIES);
        self.reservation.try_grow(bytes)?;
        Ok(batch)
    }
}

impl Stream for KeptStream {
    type Item = Result<RecordBatch, DataFusionError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = self.input.poll_next_unpin(context);
        next.map(|next| next.map(|batch| batch.and_then(|batch| self.kept(&batch))))
    }
}

impl RecordBatchStream for KeptStream {
    fn schema(&self) -> SchemaRef {
        self.input.schema()
    }
}
