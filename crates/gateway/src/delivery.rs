// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! From a query that runs to its client: a task computes the rows, another hands each batch on when the client is ready for
//! it. The client has its answer at once when the query is cancelled, when its time is over, and when no rows are taken for
//! too long; the query ends then, and when the client is gone, with the step that it is in. An answer that is not whole
//! ends in an error.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use arrow::array::RecordBatch;
use arrow_flight::FlightData;
use futures::{Stream, StreamExt};
use lakeward_reader::error::ReaderError;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tonic::Status;

use crate::admission::Slot;
use crate::encode::FlightStream;
use crate::running::{Begun, Entry, idle};
use crate::status;

/// Batches that are ready before the client asks.
const AHEAD: usize = 1;

/// What the tasks tell: a batch, or that there are no more.
enum Told {
    Batch(RecordBatch),
    Whole,
}

/// The rows of a statement as its client takes them, from a task of its own.
pub(crate) fn batches(
    begun: &mut Arc<Begun>,
    rows: impl Stream<Item = Result<RecordBatch, ReaderError>> + Send + 'static,
) -> impl Stream<Item = Result<RecordBatch, Status>> + Send + 'static {
    let slot = Arc::get_mut(begun).and_then(Begun::take_slot);
    let (send, received) = mpsc::channel(AHEAD);
    let entry = Arc::clone(&begun.entry);
    let task = Arc::clone(begun);
    tokio::spawn(async move {
        let (computed, mut ready) = mpsc::channel(AHEAD);
        // Ends with this task, as soon as it pauses.
        let mut query = JoinSet::new();
        query.spawn(compute(rows, computed, slot));
        if let Err(status) = hand_on(&task, &mut ready, &send).await {
            task.entry.fail(task.end(status));
        }
    });
    Received {
        received,
        entry,
        over: false,
    }
}

/// Computes the rows. The right to run is given back when the query has ended, whether or not its last rows were taken.
async fn compute(
    rows: impl Stream<Item = Result<RecordBatch, ReaderError>>,
    computed: mpsc::Sender<Result<Told, ReaderError>>,
    _slot: Option<Slot>,
) {
    tokio::pin!(rows);
    while let Some(batch) = rows.next().await {
        if computed.send(batch.map(Told::Batch)).await.is_err() {
            return;
        }
    }
    // Nobody waits for it if this fails.
    let _ = computed.send(Ok(Told::Whole)).await;
}

/// # Errors
/// Why the answer is not whole. A client that is gone is no error.
async fn hand_on(
    begun: &Begun,
    ready: &mut mpsc::Receiver<Result<Told, ReaderError>>,
    send: &mpsc::Sender<Told>,
) -> Result<(), Status> {
    let stopped = begun.stopped();
    tokio::pin!(stopped);
    loop {
        let next = tokio::select! {
            biased;
            status = &mut stopped => return Err(status),
            () = send.closed() => return Ok(()),
            next = ready.recv() => next,
        };
        // Without a word that this is all, it broke off.
        let told = next.ok_or_else(broken_off)?.map_err(|error| status::of(&error))?;
        let is_last = matches!(told, Told::Whole);
        if let Told::Batch(batch) = &told {
            let count = u64::try_from(batch.num_rows()).unwrap_or(u64::MAX);
            begun.entry.rows.fetch_add(count, Ordering::Relaxed);
        }
        tokio::select! {
            biased;
            status = &mut stopped => return Err(status),
            sent = send.send(told) => if sent.is_err() || is_last { return Ok(()) },
            () = tokio::time::sleep(begun.idle()) => return Err(idle(begun.idle())),
        }
    }
}

fn broken_off() -> Status {
    Status::internal("the statement broke off; the operator of the gateway finds the reason in its log")
}

struct Received {
    received: mpsc::Receiver<Told>,
    entry: Arc<Entry>,
    over: bool,
}

impl Stream for Received {
    type Item = Result<RecordBatch, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.over {
            return Poll::Ready(None);
        }
        let Poll::Ready(told) = self.received.poll_recv(context) else {
            return Poll::Pending;
        };
        Poll::Ready(match told {
            Some(Told::Batch(batch)) => Some(Ok(batch)),
            Some(Told::Whole) => {
                self.over = true;
                None
            }
            // The task ended without saying that this is all.
            None => {
                self.over = true;
                Some(Err(self.entry.failure().unwrap_or_else(broken_off)))
            }
        })
    }
}

/// Counts what goes to the client, and ends the statement with its last message, however that comes.
pub(crate) fn counted(begun: Arc<Begun>, messages: FlightStream) -> FlightStream {
    Box::pin(Counted { begun, messages })
}

struct Counted {
    begun: Arc<Begun>,
    messages: FlightStream,
}

impl Stream for Counted {
    type Item = Result<FlightData, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Poll::Ready(message) = self.messages.poll_next_unpin(context) else {
            return Poll::Pending;
        };
        Poll::Ready(match message {
            Some(Ok(message)) => {
                let bytes = message.data_header.len() + message.data_body.len();
                let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
                self.begun.entry.bytes.fetch_add(bytes, Ordering::Relaxed);
                Some(Ok(message))
            }
            Some(Err(status)) => Some(Err(self.begun.end(status))),
            None => {
                self.begun.done();
                None
            }
        })
    }
}
