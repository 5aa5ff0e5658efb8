// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Running a plan within its resources.

use std::sync::Arc;

use datafusion::arrow::error::ArrowError;
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, SessionState};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use futures::{StreamExt, TryStreamExt};

use super::memory::{QueryPool, disk_refusal};
use super::pauses::with_pauses;
use super::resources::Runtime;
use super::windows::with_windows_counted;
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
    let rows = run(physical, state, &runtime)?;
    let schema = rows.schema();
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
    plan: Arc<dyn ExecutionPlan>,
    state: &SessionState,
    runtime: &Arc<Runtime>,
) -> Result<SendableRecordBatchStream, DataFusionError> {
    let plan = with_windows_counted(with_pauses(plan)?)?;
    let rows = execute_stream(Arc::clone(&plan), state.task_ctx())?;
    let spilled = Spilled {
        plan,
        runtime: Arc::clone(runtime),
    };
    let counted = rows.schema();
    let rows = rows.inspect(move |_| {
        let _ = &spilled;
    });
    Ok(Box::pin(RecordBatchStreamAdapter::new(counted, rows)))
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

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};

    use super::*;
    use crate::session::resources::Resources;

    /// Full disks as the engine tells of them: from its own files, and from its writer of rows.
    #[test]
    fn a_full_disk_is_told_and_no_path() {
        let runtime = Resources::of_one_query(1).of_user("").begin().unwrap();
        let full = |kind| Error::new(kind, "/spilled/process-1/x");
        for error in [
            DataFusionError::IoError(full(ErrorKind::StorageFull)),
            DataFusionError::IoError(full(ErrorKind::QuotaExceeded)),
            DataFusionError::from(ArrowError::IoError(
                "/spilled".to_owned(),
                full(ErrorKind::StorageFull),
            )),
            DataFusionError::IoError(full(ErrorKind::StorageFull)).context("/spilled"),
        ] {
            let told = crate::session::query_error(told(error, &runtime.pool));
            assert!(matches!(told, ReaderError::Exhausted(_)), "{told:?}");
            let text = told.to_string();
            assert!(text.contains("is full") && !text.contains("/spilled"), "{text}");
        }
    }
}
