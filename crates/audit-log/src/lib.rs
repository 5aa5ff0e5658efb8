// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! An audit log: one line of JSON per record, appended to a file that is put aside when it is full.
//!
//! Requests hand their records over and go on; a thread of its own writes them in batches. Where the log is required, an
//! answer waits until its record is on the disk, and is not given when that fails. What a record says is its maker's.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

mod writer;

use serde::Serialize;
use writer::{Job, Writer};

/// Records that wait for the writer. More than these are lost, or waited for where the log is required.
const WAITING: usize = 8192;

/// Where and how records are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditSettings {
    /// Whether they are.
    pub enabled: bool,
    /// The file that records are appended to.
    pub file: PathBuf,
    /// The size at which it is put aside and a new one begins.
    pub max_file_bytes: u64,
    /// Whether an answer waits for its record, and is refused without.
    pub required: bool,
}

/// Why the log cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("the audit log `{file}` cannot be opened: {source}")]
pub struct AuditError {
    /// The file.
    pub file: String,
    /// What the operating system says.
    pub source: std::io::Error,
}

/// A record that is not on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the audit record could not be written")]
pub struct NotKept;

/// How many records there were.
#[derive(Debug, Default)]
struct Counts {
    written: AtomicU64,
    lost: AtomicU64,
}

/// The log of one process. Dropping it writes what waits.
#[derive(Debug)]
pub struct Audit {
    jobs: Option<mpsc::Sender<Job>>,
    is_required: bool,
    counts: Arc<Counts>,
}

impl Audit {
    /// Opens the log.
    ///
    /// # Errors
    /// [`AuditError`] when the file cannot be appended to.
    pub fn open(settings: &AuditSettings) -> Result<Self, AuditError> {
        let counts = Arc::<Counts>::default();
        let mut jobs = None;
        if settings.enabled {
            let failed = |source| AuditError {
                file: settings.file.display().to_string(),
                source,
            };
            let writer = Writer::open(&settings.file, settings.max_file_bytes).map_err(failed)?;
            let (sender, waiting) = mpsc::channel(WAITING);
            let counted = Arc::clone(&counts);
            std::thread::Builder::new()
                .name("audit".to_owned())
                .spawn(move || writer::run(writer, waiting, &counted))
                .map_err(failed)?;
            jobs = Some(sender);
        }
        Ok(Self {
            jobs,
            is_required: settings.required,
            counts,
        })
    }

    /// Whether records are kept at all.
    pub fn is_kept(&self) -> bool {
        self.jobs.is_some()
    }

    /// Whether answers wait for their records.
    pub fn is_required(&self) -> bool {
        self.is_required
    }

    /// Hands a record over. When the writer does not keep up, it is lost and counted.
    pub fn note(&self, record: &impl Serialize) {
        let Some(jobs) = &self.jobs else { return };
        match jobs.try_send(Job::line(record, None)) {
            Ok(()) => {}
            Err(TrySendError::Full(_) | TrySendError::Closed(_)) => self.counts.lose(1),
        }
    }

    /// Waits until a record is on the disk.
    ///
    /// # Errors
    /// [`NotKept`].
    pub async fn keep(&self, record: &impl Serialize) -> Result<(), NotKept> {
        let Some(jobs) = &self.jobs else {
            return Err(NotKept);
        };
        let (kept, is_kept) = oneshot::channel();
        let job = Job::line(record, Some(kept));
        jobs.send(job).await.map_err(|_| NotKept)?;
        is_kept.await.map_err(|_| NotKept)?
    }

    /// Waits until everything that was handed over is on the disk, as far as it can be.
    pub async fn flush(&self) {
        let Some(jobs) = &self.jobs else { return };
        let (done, is_done) = oneshot::channel();
        if jobs.send(Job::flush(done)).await.is_ok() {
            let _ = is_done.await;
        }
    }

    /// Records written, and records lost, since the start.
    pub fn counted(&self) -> (u64, u64) {
        (
            self.counts.written.load(Ordering::Relaxed),
            self.counts.lost.load(Ordering::Relaxed),
        )
    }
}

impl Counts {
    /// Says so in the log when it begins, and at every doubling.
    fn lose(&self, count: u64) {
        let before = self.lost.fetch_add(count, Ordering::Relaxed);
        let lost = before + count;
        if lost.ilog2() != before.checked_ilog2().unwrap_or(u32::MAX) {
            tracing::error!(lost, "audit records were lost");
        }
    }
}

#[cfg(test)]
mod tests;
