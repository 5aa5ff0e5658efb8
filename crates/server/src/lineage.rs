// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The queue of run events, and the task that hands them to their sinks.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::config::lineage::{LineageSettings, LineageSink};

/// How long another server may take for one event.
const POST_TIMEOUT: Duration = Duration::from_secs(10);

/// Takes run events as long as there is room for them.
#[derive(Debug)]
pub struct Lineage {
    queue: Mutex<Option<mpsc::Sender<Value>>>,
}

/// There is no room for an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueFull;

/// What waits for its sinks.
#[derive(Debug)]
pub struct Waiting {
    events: mpsc::Receiver<Value>,
    sinks: Vec<LineageSink>,
}

impl Lineage {
    /// An empty queue, and its other end.
    pub fn new(settings: &LineageSettings) -> (Self, Waiting) {
        let (queue, events) = mpsc::channel(settings.queue_capacity);
        let lineage = Self {
            queue: Mutex::new(Some(queue)),
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
    /// [`QueueFull`], also when the server is about to end.
    pub fn accept(&self, event: Value) -> Result<(), QueueFull> {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = queue.as_ref().ok_or(QueueFull)?;
        queue.try_send(event).map_err(|_| QueueFull)
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
            while let Some(event) = self.events.recv().await {
                for sink in sinks.iter() {
                    if let Err(error) = send(sink, &event, &client).await {
                        tracing::warn!(%error, "a run event did not reach its sink");
                    }
                }
            }
        })
    }
}

async fn send(sink: &LineageSink, event: &Value, client: &reqwest::Client) -> Result<(), reqwest::Error> {
    match sink {
        LineageSink::Log => {
            tracing::info!(target: "lineage", "{event}");
            Ok(())
        }
        LineageSink::Http { url, api_key } => {
            let mut request = client.post(url.clone()).json(event).timeout(POST_TIMEOUT);
            if let Some(key) = api_key {
                request = request.bearer_auth(key);
            }
            request.send().await?.error_for_status().map(drop)
        }
    }
}
