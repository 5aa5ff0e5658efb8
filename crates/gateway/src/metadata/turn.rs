// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A question about metadata may load every table there is, so it has limits as a statement has: so many at once, of one
//! user and of all, and a time. They are counted apart from statements, since tools ask them while a statement runs.

use std::future::Future;
use std::time::Duration;

use arrow::record_batch::RecordBatch;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use lakeward_reader::error::ReaderError;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};
use tonic::Status;

use crate::admission::Slot;
use crate::caller::Caller;
use crate::gateway::Gateway;
use crate::status;

/// The right to one answer, for a time.
pub(super) struct Turn {
    slot: Slot,
    time: Duration,
    deadline: Instant,
}

impl Turn {
    /// Waits for it.
    ///
    /// # Errors
    /// As those of statements.
    pub(super) async fn take(gateway: &Gateway, caller: &Caller) -> Result<Self, Status> {
        let most = gateway.settings.limits.time;
        let time = caller.timeout.map_or(most, |time| time.min(most));
        let begun = Instant::now();
        let slot = gateway.statements.questions.enter(&caller.name).await?;
        Ok(Self {
            slot,
            time,
            deadline: begun.checked_add(time).unwrap_or(begun),
        })
    }

    /// A step of the answer.
    ///
    /// # Errors
    /// Those of the step, and `DEADLINE_EXCEEDED`.
    pub(super) async fn within<T>(&self, step: impl Future<Output = Result<T, Status>>) -> Result<T, Status> {
        match timeout_at(self.deadline, step).await {
            Ok(result) => result,
            Err(_) => Err(status::of(&ReaderError::TimedOut(self.time))),
        }
    }

    /// The rows of the answer. The turn ends with them, and with its time even if nobody takes them.
    pub(super) fn rows(
        self,
        rows: BoxStream<'static, Result<RecordBatch, ReaderError>>,
    ) -> BoxStream<'static, Result<RecordBatch, ReaderError>> {
        let Self { slot, time, deadline } = self;
        let (end, ended) = oneshot::channel::<()>();
        tokio::spawn(async move {
            let _slot = slot;
            let _ = timeout_at(deadline, ended).await;
        });
        stream::unfold(Some((rows, end)), move |state| async move {
            let (mut rows, end) = state?;
            match timeout_at(deadline, rows.next()).await {
                Ok(Some(Ok(batch))) => Some((Ok(batch), Some((rows, end)))),
                Ok(Some(Err(error))) => Some((Err(error), None)),
                Ok(None) => None,
                Err(_) => Some((Err(ReaderError::TimedOut(time)), None)),
            }
        })
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::datatypes::Schema;
    use futures::TryStreamExt as _;

    use super::*;
    use crate::admission::Admission;

    async fn turn(admission: &Admission, time: Duration) -> Turn {
        Turn {
            slot: admission.enter("ann").await.unwrap(),
            time,
            deadline: Instant::now() + time,
        }
    }

    #[tokio::test]
    async fn a_turn_ends_with_its_rows_with_its_client_and_with_its_time() {
        let admission = Admission::new("questions", 1, 1, Duration::from_secs(600));
        let (long, short) = (Duration::from_secs(600), Duration::from_millis(1));
        let batch = RecordBatch::new_empty(Arc::new(Schema::empty()));
        let one = stream::iter([Ok(batch)]).boxed();
        let rows = turn(&admission, long).await.rows(one);
        assert_eq!(rows.try_collect::<Vec<_>>().await.unwrap().len(), 1);
        drop(turn(&admission, long).await.rows(stream::pending().boxed()));
        let mut late = turn(&admission, short).await.rows(stream::pending().boxed());
        assert!(matches!(
            late.try_next().await,
            Err(ReaderError::TimedOut(told)) if told == short
        ));
        // Nobody takes these.
        let _left = turn(&admission, short).await.rows(stream::pending().boxed());
        let last = turn(&admission, short).await;
        let late = last.within(std::future::pending::<Result<(), Status>>()).await;
        assert_eq!(late.unwrap_err().code(), tonic::Code::DeadlineExceeded);
    }
}
