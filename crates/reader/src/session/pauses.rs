// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Pauses in the work of a plan, so that a query ends soon after it is told to and others get their turn meanwhile.
//!
//! The engine pauses where rows are read. A join makes many rows of few, for a long time without reading any, so each join
//! pauses where it gives rows as well. One with a condition beside its keys gives none where that is never true; it takes
//! its inputs in portions that keep it busy for a moment only, with pauses between them.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::{Transformed, TreeNode as _};
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::{ExecutionPlan, RecordBatchStream};
use futures::{Stream, StreamExt as _};

use super::between::Between;

/// How long a portion should keep the join busy.
const MOMENT: Duration = Duration::from_millis(10);

/// The same plan with pauses.
pub(super) fn with_pauses(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>, DataFusionError> {
    let paused = plan.transform_up(|node| {
        let node = if may_give_nothing(&node) {
            in_portions(node)?
        } else {
            node
        };
        Ok(if is_join(&node) {
            Transformed::yes(Arc::new(CooperativeExec::new(node)) as _)
        } else {
            Transformed::no(node)
        })
    });
    paused.map(|transformed| transformed.data)
}

fn is_join(node: &Arc<dyn ExecutionPlan>) -> bool {
    let node = node.as_any();
    node.is::<NestedLoopJoinExec>()
        || node.is::<CrossJoinExec>()
        || node.is::<HashJoinExec>()
        || node.is::<SortMergeJoinExec>()
}

/// Whether it compares rows for long without giving any.
fn may_give_nothing(node: &Arc<dyn ExecutionPlan>) -> bool {
    let node = node.as_any();
    node.is::<NestedLoopJoinExec>()
        || node
            .downcast_ref::<HashJoinExec>()
            .is_some_and(|join| join.filter().is_some())
        || node
            .downcast_ref::<SortMergeJoinExec>()
            .is_some_and(|join| join.filter().is_some())
}

/// The join with its inputs in portions: one is compared with all rows of the other side that may match.
fn in_portions(join: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>, DataFusionError> {
    let mut children: Vec<Arc<dyn ExecutionPlan>> = join.children().into_iter().cloned().collect();
    // The second is the one that is not gathered, but for joins of sorted rows, where it depends on their kind.
    let gathered = usize::from(!join.as_any().is::<SortMergeJoinExec>());
    for child in children.iter_mut().skip(gathered) {
        *child = Between::over("Portions", Arc::clone(child), portions);
    }
    join.with_new_children(children)
}

/// The rows of an input in shorter batches.
fn portions(input: SendableRecordBatchStream, _: usize, _: &TaskContext) -> SendableRecordBatchStream {
    Box::pin(PortionStream {
        input,
        rest: None,
        rows: 1,
        given: None,
    })
}

struct PortionStream {
    input: SendableRecordBatchStream,
    /// What is left of the last batch.
    rest: Option<RecordBatch>,
    /// Rows of the next portion.
    rows: usize,
    /// When the last portion was given.
    given: Option<Instant>,
}

impl PortionStream {
    /// The next portion of what is left.
    fn portion(&mut self) -> Option<RecordBatch> {
        let rest = self.rest.take()?;
        let count = rest.num_rows();
        if count <= self.rows {
            return Some(rest);
        }
        self.rest = Some(rest.slice(self.rows, count - self.rows));
        Some(rest.slice(0, self.rows))
    }
}

impl Stream for PortionStream {
    type Item = Result<RecordBatch, DataFusionError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(given) = self.given.take() {
            // The time that rows take on their way further is counted too; portions are only shorter for it.
            let busy = given.elapsed();
            self.rows = if busy > MOMENT {
                (self.rows / 2).max(1)
            } else {
                self.rows.saturating_mul(2)
            };
            if busy > MOMENT / 4 {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
        if self.rest.is_none() {
            match self.input.poll_next_unpin(context) {
                Poll::Ready(Some(Ok(batch))) => self.rest = Some(batch),
                end @ (Poll::Ready(Some(Err(_)) | None) | Poll::Pending) => return end,
            }
        }
        let portion = self.portion();
        self.given = Some(Instant::now());
        Poll::Ready(portion.map(Ok))
    }
}

impl RecordBatchStream for PortionStream {
    fn schema(&self) -> SchemaRef {
        self.input.schema()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use datafusion::prelude::SessionContext;

    use super::*;

    async fn plan(sql: &str) -> (SessionContext, Arc<dyn ExecutionPlan>) {
        let context = SessionContext::new();
        let plan = context
            .sql(sql)
            .await
            .unwrap()
            .create_physical_plan()
            .await
            .unwrap();
        (context, plan)
    }

    fn pairs(batches: &[RecordBatch]) -> HashMap<String, usize> {
        let mut pairs = HashMap::new();
        for line in datafusion::arrow::util::pretty::pretty_format_batches(batches)
            .unwrap()
            .to_string()
            .lines()
        {
            *pairs.entry(line.to_owned()).or_default() += 1;
        }
        pairs
    }

    #[tokio::test]
    async fn pauses_change_no_answer() {
        let inputs = "(SELECT unnest(range(0, 300)) AS a) l";
        let others = "(SELECT unnest(range(0, 3000)) AS b) r";
        for join in [
            "JOIN",
            "LEFT JOIN",
            "RIGHT JOIN",
            "FULL JOIN",
            "LEFT SEMI JOIN",
            "RIGHT ANTI JOIN",
        ] {
            let sql = format!("SELECT * FROM {inputs} {join} {others} ON a * 10 > b AND (a + b) % 97 = 0");
            let (context, unpaused) = plan(&sql).await;
            // A plan runs once only.
            let paused = with_pauses(plan(&sql).await.1).unwrap();
            let shown = datafusion::physical_plan::displayable(paused.as_ref())
                .indent(false)
                .to_string();
            assert!(
                shown.contains("Portions") && shown.contains("CooperativeExec"),
                "{shown}"
            );
            let expected = datafusion::physical_plan::collect(unpaused, context.task_ctx())
                .await
                .unwrap();
            let rows = datafusion::physical_plan::collect(paused, context.task_ctx())
                .await
                .unwrap();
            assert_eq!(pairs(&rows), pairs(&expected), "{join}");
        }
    }

    /// Neither ever gives a row, nor reads one while it works: only pauses let the other branch run.
    #[tokio::test]
    async fn work_without_rows_lets_others_run() {
        let many = |name| {
            format!(
                "(SELECT x * 1000 + y AS {name} FROM (SELECT unnest(range(0, 100)) AS x), (SELECT unnest(range(0, 1000)) AS y))"
            )
        };
        let (a, b) = (many("a"), many("b"));
        for sql in [
            &format!("SELECT max(l.a * r.b) FROM {a} l, {b} r, {b} s"),
            &format!("SELECT * FROM {a} JOIN {b} ON a < b AND (a - b) * 2 = 1"),
            &format!("SELECT count(*) FROM {a} JOIN {b} ON a / 10000000 = b / 10000000 AND (a - b) * 2 = 1"),
            "WITH RECURSIVE n AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM n WHERE a < 1000000000) SELECT max(a) FROM n",
        ] {
            let (context, plan) = plan(sql).await;
            let paused = with_pauses(plan).unwrap();
            let rows = datafusion::physical_plan::execute_stream(paused, context.task_ctx()).unwrap();
            // A part of the join that has nothing to compare gives an empty batch.
            let mut rows = std::pin::pin!(rows.skip_while(|rows| {
                std::future::ready(rows.as_ref().is_ok_and(|rows| rows.num_rows() == 0))
            }));
            // Without pauses the first poll would go on for hours.
            tokio::select! {
                biased;
                end = rows.next() => panic!("{sql} came to an end: {end:?}"),
                () = async {
                    for _ in 0..20 {
                        tokio::task::yield_now().await;
                    }
                } => {}
            }
        }
    }
}
