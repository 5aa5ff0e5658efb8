// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Running a plan within its resources.
//!
//! Joins are hash joins, which are fast and hold one side in memory. Where that side does not fit and there is a disk, the
//! query begins again, before any row has left it, with joins that sort both sides, which can spill.

use std::sync::Arc;

use datafusion::arrow::error::ArrowError;
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, SessionState};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};

use super::memory::{QueryPool, disk_refusal};
use super::resources::Runtime;
use crate::error::ReaderError;

/// The rows of a plan as they come. What the query holds is freed when the stream is dropped.
pub(super) async fn rows(
    state: &SessionState,
    plan: LogicalPlan,
) -> Result<SendableRecordBatchStream, DataFusionError> {
    let Some(runtime) = state.config().get_extension::<Runtime>() else {
        return Err(DataFusionError::Internal(
            "an engine without resources".to_owned(),
        ));
    };
    let physical = state.create_physical_plan(&plan).await?;
    let first = run(&physical, state, &runtime)?;
    let schema = first.schema();
    let rows: BoxStream<'static, _> = if runtime.spills() && has_hash_join(&physical) {
        let again = sorting_joins(state, runtime.memory_bytes);
        stream::once(first_or_again(first, again, plan, Arc::clone(&runtime)))
            .try_flatten()
            .boxed()
    } else {
        first.boxed()
    };
    let told = rows.map_err(move |error| told(error, &runtime.pool));
    Ok(Box::pin(RecordBatchStreamAdapter::new(schema, told)))
}

/// Counts what a plan spilled when it ends, however it does.
struct Spilled {
    plan: Arc<dyn ExecutionPlan>,
    runtime: Arc<Runtime>,
}

impl Drop for Spilled {
    fn drop(&mut self) {
        self.runtime.count_spilled(spilled_bytes(&self.plan));
    }
}

fn spilled_bytes(plan: &Arc<dyn ExecutionPlan>) -> usize {
    let own = plan.metrics().and_then(|metrics| metrics.spilled_bytes());
    let below: usize = plan.children().into_iter().map(spilled_bytes).sum();
    own.unwrap_or_default().saturating_add(below)
}

fn run(
    plan: &Arc<dyn ExecutionPlan>,
    state: &SessionState,
    runtime: &Arc<Runtime>,
) -> Result<SendableRecordBatchStream, DataFusionError> {
    let rows = execute_stream(Arc::clone(plan), state.task_ctx())?;
    let spilled = Spilled {
        plan: Arc::clone(plan),
        runtime: Arc::clone(runtime),
    };
    let counted = rows.schema();
    let rows = rows.inspect(move |_| {
        let _ = &spilled;
    });
    Ok(Box::pin(RecordBatchStreamAdapter::new(counted, rows)))
}

type Rows = BoxStream<'static, Result<datafusion::arrow::array::RecordBatch, DataFusionError>>;

/// The rows, of a second attempt if the first ran out of memory before it gave any.
async fn first_or_again(
    mut first: SendableRecordBatchStream,
    again: SessionState,
    plan: LogicalPlan,
    runtime: Arc<Runtime>,
) -> Result<Rows, DataFusionError> {
    match first.next().await {
        None => Ok(stream::empty().boxed()),
        Some(Ok(batch)) => Ok(stream::iter([Ok(batch)]).chain(first).boxed()),
        Some(Err(error)) if lacks_memory(&error) => {
            drop(first);
            // The tasks of the first attempt end on their own.
            runtime.pool.is_released().await;
            let physical = again.create_physical_plan(&plan).await?;
            Ok(run(&physical, &again, &runtime)?.boxed())
        }
        Some(Err(error)) => Err(error),
    }
}

fn sorting_joins(state: &SessionState, memory_bytes: usize) -> SessionState {
    let mut again = state.clone();
    let options = again.config_mut().options_mut();
    options.optimizer.prefer_hash_join = false;
    // Joins of one partition are always hash joins.
    options.execution.target_partitions = options.execution.target_partitions.max(2);
    options.execution.sort_spill_reservation_bytes =
        super::sandbox::sort_reservation(memory_bytes, options.execution.target_partitions);
    again
}

fn has_hash_join(plan: &Arc<dyn ExecutionPlan>) -> bool {
    plan.as_any().is::<HashJoinExec>() || plan.children().into_iter().any(has_hash_join)
}

fn lacks_memory(error: &DataFusionError) -> bool {
    matches!(error.find_root(), DataFusionError::ResourcesExhausted(_))
}

/// Says which limit a query met, and how to change it.
fn told(error: DataFusionError, pool: &QueryPool) -> DataFusionError {
    let text = match error.find_root() {
        DataFusionError::ResourcesExhausted(text) => match pool.disk_limit() {
            // The engine's check of one query's files; its text names a setting that nobody here can change.
            Some(limit) if text.contains("max_temp_directory_size") => disk_refusal("one query", limit),
            _ => pool.last_refusal().unwrap_or_else(|| text.clone()),
        },
        DataFusionError::IoError(cause) => disk_error(cause),
        DataFusionError::ArrowError(cause, _) => match cause.as_ref() {
            ArrowError::IoError(_, cause) => disk_error(cause),
            _ => return error,
        },
        _ => return error,
    };
    DataFusionError::External(Box::new(ReaderError::Exhausted(text)))
}

/// Only spilled files are read and written by the engine itself; their paths are nobody's business.
fn disk_error(cause: &std::io::Error) -> String {
    match cause.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
            "the disk for what does not fit into memory is full; tell the operator".to_owned()
        }
        kind => format!("what does not fit into memory could not be put on the disk or read back: {kind}"),
    }
}
