// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The queue of run events, and the task that hands them to their sinks.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::header;
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinHandle;

use crate::config::lineage::{LineageSettings, LineageSink};

/// How long another server may take for one event.
const POST_TIMEOUT: Duration = Duration::from_secs(10);
/// The most bytes of one event, as the text that is handed on.
pub const MAX_EVENT_BYTES: usize = 1 << 20;
/// The most bytes of all events that wait.
pub const MAX_QUEUED_BYTES: usize = 64 << 20;

/// Takes run events as long as there is room for them.
#[derive(Debug)]
pub struct Lineage {
    queue: Mutex<Option<mpsc::Sender<Queued>>>,
    room: Arc<Semaphore>,
}

/// Why an event is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotTaken {
    /// It has more than [`MAX_EVENT_BYTES`].
    TooLarge,
    /// There is no room for it now, by number or by bytes.
    QueueFull,
}

/// An event as the text that is handed on, which is all that waits in memory, and the room that it takes until then.
#[derive(Debug)]
struct Queued {
    event: String,
    _room: OwnedSemaphorePermit,
}

/// What waits for its sinks.
#[derive(Debug)]
pub struct Waiting {
    events: mpsc::Receiver<Queued>,
    sinks: Vec<LineageSink>,
}

impl Lineage {
    /// An empty queue, and its other end.
    pub fn new(settings: &LineageSettings) -> (Self, Waiting) {
        let (queue, events) = mpsc::channel(settings.queue_capacity);
        let lineage = Self {
            queue: Mutex::new(Some(queue)),
            room: Arc::new(Semaphore::new(MAX_QUEUED_BYTES)),
        };
        let waiting = Waiting {
            events,
            sinks: settings.sinks.clone(),
        };
        (lineage, waiting)
    }

    /// Queues an event.
    ///
    /// # Errors
    /// [`NotTaken`]; [`NotTaken::QueueFull`] also when the server is about to end.
    pub fn accept(&self, event: &Value) -> Result<(), NotTaken> {
        let event = event.to_string();
        if event.len() > MAX_EVENT_BYTES {
            return Err(NotTaken::TooLarge);
        }
        let bytes = u32::try_from(event.len()).map_err(|_| NotTaken::TooLarge)?;
        let room = Arc::clone(&self.room).try_acquire_many_owned(bytes);
        let queued = Queued {
            event,
            _room: room.map_err(|_| NotTaken::QueueFull)?,
        };
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = queue.as_ref().ok_or(NotTaken::QueueFull)?;
        queue.try_send(queued).map_err(|_| NotTaken::QueueFull)
    }

    /// Takes no more events; those that wait still reach their sinks.
    pub fn close(&self) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl Waiting {
    /// Hands every event to every sink, until the queue is closed and empty.
    pub fn deliver(mut self) -> JoinHandle<()> {
        tokio::spawn(async move {
            let client = reqwest::Client::new();
            let sinks: Arc<[LineageSink]> = self.sinks.into();
            while let Some(queued) = self.events.recv().await {
                for sink in sinks.iter() {
                    if let Err(error) = send(sink, &queued.event, &client).await {
                        tracing::warn!(%error, "a run event did not reach its sink");
                    }
                }
            }
        })
    }
}

async fn send(sink: &LineageSink, event: &str, client: &reqwest::Client) -> Result<(), reqwest::Error> {
    match sink {
        LineageSink::Log => {
            tracing::info!(target: "lineage", "{event}");
            Ok(())
        }
        LineageSink::Http { url, api_key } => {
            let mut request = client
                .post(url.clone())
                .header(header::CONTENT_TYPE, "application/json")
                .body(event.to_owned())
                .timeout(POST_TIMEOUT);
            if let Some(key) = api_key {
                request = request.bearer_auth(key);
            }
            request.send().await?.error_for_status().map(drop)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn events_are_bounded_alone_and_together() {
        let settings = LineageSettings {
            queue_capacity: 1000,
            sinks: Vec::new(),
        };
        let (lineage, mut waiting) = Lineage::new(&settings);
        // With its quotes.
        let of = |bytes: usize| json!("x".repeat(bytes - 2));
        assert_eq!(lineage.accept(&of(MAX_EVENT_BYTES + 1)), Err(NotTaken::TooLarge));
        for _ in 0..MAX_QUEUED_BYTES / MAX_EVENT_BYTES {
            assert_eq!(lineage.accept(&of(MAX_EVENT_BYTES)), Ok(()));
        }
        assert_eq!(lineage.accept(&json!(1)), Err(NotTaken::QueueFull));
        // What was handed on gives its room back.
        drop(waiting.events.try_recv().unwrap());
        assert_eq!(lineage.accept(&json!(1)), Ok(()));
    }
}
