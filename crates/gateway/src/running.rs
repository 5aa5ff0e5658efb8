// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The statements that run on this gateway: each with its user, its end by cancellation, deadline or an idle client, and
//! its records in the audit and the metrics. One statement begins and ends here, whatever happens to it.

use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use lakeward_reader::session::TableUse;
use tokio::sync::watch;
use tokio::time::Instant;
use tonic::{Code, Status};
use uuid::Uuid;

use crate::admission::{Admission, Slot};
use crate::audit::{Audit, Event, Outcome};
use crate::budget::Budget;
use crate::metrics::Metrics;

/// What is asked of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Its schema.
    Plan,
    /// Its rows.
    Run,
}

/// The statements of this gateway.
#[derive(Debug)]
pub(crate) struct Statements {
    pub(crate) admission: Admission,
    /// Questions about metadata, which are no statements.
    pub(crate) questions: Admission,
    pub(crate) audit: Audit,
    pub(crate) metrics: Metrics,
    running: Mutex<HashMap<u64, Arc<Entry>>>,
    next: AtomicU64,
    time: Duration,
    pub(crate) idle: Duration,
}

/// A statement that is asked for.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    /// What is asked of it.
    pub(crate) operation: Operation,
    /// By whom.
    pub(crate) user: &'a str,
    /// The text.
    pub(crate) sql: &'a str,
    /// The name of the execution, by which it can be cancelled.
    pub(crate) execution: Option<Uuid>,
    /// How long the client waits, if it said so.
    pub(crate) timeout: Option<Duration>,
}

/// What is known of a statement.
#[derive(Debug)]
pub(crate) struct Entry {
    number: u64,
    pub(crate) id: Uuid,
    pub(crate) operation: Operation,
    pub(crate) user: String,
    pub(crate) sql: String,
    began: Instant,
    deadline: Instant,
    stop: watch::Sender<bool>,
    pub(crate) tables: OnceLock<Vec<TableUse>>,
    pub(crate) rows: AtomicU64,
    pub(crate) bytes: AtomicU64,
    ended: AtomicBool,
    /// Why its stream ended before its last row.
    failure: OnceLock<Status>,
}

impl Entry {
    /// How long it has run.
    pub(crate) fn took(&self) -> Duration {
        self.began.elapsed()
    }

    /// Says why the rest of the rows does not come.
    pub(crate) fn fail(&self, status: Status) {
        let _ = self.failure.set(status);
    }

    /// Why the rest of the rows does not come.
    pub(crate) fn failure(&self) -> Option<Status> {
        self.failure.get().cloned()
    }
}

/// A statement that begins; ends it when dropped.
#[derive(Debug)]
pub(crate) struct Begun {
    statements: Arc<Statements>,
    pub(crate) entry: Arc<Entry>,
    slot: Option<Slot>,
}

impl Statements {
    pub(crate) fn new(budget: &Budget, time: Duration, audit: Audit) -> Self {
        let admission =
            |what| Admission::new(what, budget.statements, budget.statements_per_user, budget.wait);
        Self {
            admission: admission("statements"),
            questions: admission("questions about metadata"),
            audit,
            metrics: Metrics::default(),
            running: Mutex::default(),
            next: AtomicU64::new(0),
            time,
            idle: budget.idle,
        }
    }

    /// Statements that run.
    pub(crate) fn running(&self) -> usize {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Lets a statement begin as soon as it may.
    ///
    /// # Errors
    /// `RESOURCE_EXHAUSTED` when it may not in time; `UNAVAILABLE` when its record is required and cannot be written.
    pub(crate) async fn begin(self: &Arc<Self>, asked: Asked<'_>) -> Result<Begun, Status> {
        let began = Instant::now();
        let time = asked.timeout.map_or(self.time, |time| time.min(self.time));
        let entry = Arc::new(Entry {
            number: self.next.fetch_add(1, Ordering::Relaxed),
            id: asked.execution.unwrap_or_else(Uuid::new_v4),
            operation: asked.operation,
            user: asked.user.to_owned(),
            sql: asked.sql.to_owned(),
            began,
            deadline: began.checked_add(time).unwrap_or(began + NEVER),
            stop: watch::Sender::new(false),
            tables: OnceLock::new(),
            rows: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            failure: OnceLock::new(),
        });
        // It can be cancelled while it waits.
        self.running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(entry.number, Arc::clone(&entry));
        let mut begun = Begun {
            statements: Arc::clone(self),
            entry,
            slot: None,
        };
        let slot = begun.within(self.admission.enter(asked.user)).await?;
        begun.slot = Some(slot);
        if asked.operation == Operation::Run && self.audit.began(&Event::of(&begun.entry)).await.is_err() {
            return Err(begun.end(Status::unavailable(
                "the audit record of the statement could not be written, so nothing is read; tell the operator of the gateway",
            )));
        }
        Ok(begun)
    }

    /// Cancels the executions with this name if they are the user's. Whether there was one.
    pub(crate) fn cancel(&self, execution: Uuid, user: &str) -> bool {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let mine = running
            .values()
            .filter(|entry| entry.id == execution && entry.user == user);
        let mut was_there = false;
        for entry in mine {
            entry.stop.send_replace(true);
            was_there = true;
        }
        was_there
    }

    /// Ends those that still run when the gateway does, so that each has its last record.
    pub(crate) fn end_all(&self) {
        let left: Vec<Arc<Entry>> = {
            let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            running.values().cloned().collect()
        };
        for entry in left {
            self.finish(&entry, Outcome::Failed, Some(&going_down()));
            entry.stop.send_replace(true);
        }
    }

    /// Counts a refused login.
    pub(crate) fn refused_login(&self, user: &str) {
        self.metrics.refused_login();
        self.audit.refused_login(user);
    }

    fn finish(&self, entry: &Entry, outcome: Outcome, status: Option<&Status>) {
        if entry.ended.swap(true, Ordering::AcqRel) {
            return;
        }
        self.running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&entry.number);
        self.metrics.ended(entry, outcome);
        self.audit.ended(&Event::of(entry), outcome, status);
    }
}

/// Stands for a time that does not come.
const NEVER: Duration = Duration::from_secs(365 * 24 * 60 * 60);

impl Begun {
    /// Waits for a step of the statement, unless it is stopped before.
    ///
    /// # Errors
    /// That of the step, or why it was stopped; the statement has ended then.
    pub(crate) async fn within<T>(&self, step: impl Future<Output = Result<T, Status>>) -> Result<T, Status> {
        let result = tokio::select! {
            biased;
            status = self.stopped() => Err(status),
            result = step => result,
        };
        result.map_err(|status| self.end(status))
    }

    /// Says what it reads.
    pub(crate) fn reads(&self, tables: &[TableUse]) {
        let _ = self.entry.tables.set(tables.to_vec());
        self.statements.metrics.loaded(tables.len());
    }

    /// Waits until it is cancelled or its time is over.
    pub(crate) async fn stopped(&self) -> Status {
        let mut stop = self.entry.stop.subscribe();
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => Status::cancelled("the statement was cancelled"),
            () = tokio::time::sleep_until(self.entry.deadline) => Status::deadline_exceeded(format!(
                "the statement was ended after {} s, the time that the client or this gateway (`--statement-timeout`) gives it",
                self.entry.deadline.duration_since(self.entry.began).as_secs_f64()
            )),
        }
    }

    /// How long its client may leave rows untaken.
    pub(crate) fn idle(&self) -> Duration {
        self.statements.idle
    }

    /// Ends it with an error.
    pub(crate) fn end(&self, status: Status) -> Status {
        if status.code() == Code::Unavailable {
            self.statements.metrics.upstream_failed();
        }
        self.statements
            .finish(&self.entry, Outcome::of(status.code()), Some(&status));
        status
    }

    /// Ends it well.
    pub(crate) fn done(&self) {
        self.statements.finish(&self.entry, Outcome::Done, None);
    }

    /// Takes the right to run out of it, for whoever runs it.
    pub(crate) fn take_slot(&mut self) -> Option<Slot> {
        self.slot.take()
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.statements.finish(&self.entry, Outcome::GivenUp, None);
    }
}

/// The status of a statement that the end of its gateway ends.
pub(crate) fn going_down() -> Status {
    Status::unavailable("the gateway is going down and ended the query; run it again")
}

/// The status of a statement whose rows nobody takes.
pub(crate) fn idle(time: Duration) -> Status {
    Status::new(
        Code::Aborted,
        format!(
            "the statement was ended because no row was taken for {} s (`--idle-timeout`)",
            time.as_secs_f64()
        ),
    )
}
