// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! From a query that runs to its client: a task takes the rows and hands each batch on when the client is ready for it.
//! The query ends at once when the client is gone, when it is cancelled, when its time is over, and when its client takes
//! no rows for too long; an answer that is not whole ends in an error.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use arrow::array::RecordBatch;
use arrow_flight::FlightData;
use futures::{Stream, StreamExt};
use lakeward_reader::error::ReaderError;
use tokio::sync::mpsc;
use tonic::Status;

use crate::encode::FlightStream;
use crate::running::{Begun, Entry, idle};
use crate::status;

/// Batches that are ready before the client asks.
const AHEAD: usize = 1;

/// What the task tells: a batch, or that there are no more.
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
        // Given back when the query has ended, whether or not its last rows were taken.
        let _slot = slot;
        if let Err(status) = hand_on(&task, Box::pin(rows), &send).await {
            task.entry.fail(task.end(status));
        }
    });
    Received {
        received,
        entry,
        over: false,
    }
}

/// # Errors
/// Why the answer is not whole. A client that is gone is no error.
async fn hand_on(
    begun: &Begun,
    mut rows: Pin<Box<impl Stream<Item = Result<RecordBatch, ReaderError>>>>,
    send: &mpsc::Sender<Told>,
) -> Result<(), Status> {
    let stopped = begun.stopped();
    tokio::pin!(stopped);
    loop {
        let next = tokio::select! {
            biased;
            status = &mut stopped => return Err(status),
            () = send.closed() => return Ok(()),
            next = rows.next() => next.transpose().map_err(|error| status::of(&error))?,
        };
        let told = next.map_or(Told::Whole, Told::Batch);
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
                Some(Err(self.entry.failure().unwrap_or_else(|| {
                    Status::internal(
                        "the statement broke off; the operator of the gateway finds the reason in its log",
                    )
                })))
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
