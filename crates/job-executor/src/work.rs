// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the server does itself as a job: no process, but a turn, a folder, outputs, a limit of time and an end by order
//! like every other job.

use std::fmt;
use std::pin::Pin;

use tokio::io::{AsyncWriteExt, DuplexStream};

/// The work while it is done: an error is what the job says at its end.
type Doing = Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

/// Something that the server does. It is dropped where it is when its job is cancelled, runs too long, or the server
/// stops, so it must never leave half of a change.
pub struct Work(Box<dyn FnOnce(WorkLog) -> Doing + Send>);

impl Work {
    /// Work that is done by a future, which is given where to write what it does.
    pub fn new<F, D>(begin: F) -> Self
    where
        F: FnOnce(WorkLog) -> D + Send + 'static,
        D: Future<Output = Result<(), String>> + Send + 'static,
    {
        Self(Box::new(move |log| Box::pin(begin(log))))
    }

    pub(crate) fn begin(self, log: DuplexStream) -> Doing {
        (self.0)(WorkLog(log))
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Work")
    }
}

/// The output of work.
#[derive(Debug)]
pub struct WorkLog(DuplexStream);

impl WorkLog {
    /// Writes a line. What cannot be kept is not: the work goes on.
    pub async fn line(&mut self, text: &str) {
        for part in [text, "\n"] {
            if let Err(error) = self.0.write_all(part.as_bytes()).await {
                tracing::warn!(%error, "the output of a job cannot be kept");
            }
        }
    }
}

#[cfg(test)]
mod tests;
