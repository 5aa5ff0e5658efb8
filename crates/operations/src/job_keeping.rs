// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Keeping jobs beside requests: writing down what became of them, finding those that others cancelled or that were lost
//! with their server, and forgetting those that are long over.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

use lakeward_job_executor::{Event, ExecutorSettings, LocalExecutor, Outcome};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::job::JobStatus;
use lakeward_store::{Area, Write};
use tokio::sync::{Mutex, mpsc};

use crate::Operations;
use crate::error::OperationError;
use crate::notices::now;

/// Who changes the status of a job that no person changes: the original's word for it.
pub(crate) const SYSTEM: &str = "anonymous";
/// A server that was not heard of for so long has lost its jobs.
const LOST_AFTER: Duration = Duration::from_secs(60);
/// How often a server says at least that it still runs its jobs.
const AT_LEAST_EVERY: Duration = Duration::from_secs(10);
/// Every so many looks at jobs that run, those that do not are looked after too.
const RARELY: u32 = 6;
/// How many jobs are forgotten at once.
const FORGOTTEN_AT_ONCE: u32 = 200;

/// How jobs are run and kept.
#[derive(Debug, Clone)]
pub struct JobSettings {
    /// How their processes are run.
    pub executor: ExecutorSettings,
    /// How often the store is asked for what others want of the jobs of this server, at least every 10 seconds
    /// (`gravitino.job.statusPullIntervalInMs`).
    pub pull_interval: Duration,
    /// How long a job that is over is kept, with its folder (`gravitino.job.stagingDirKeepTimeInMs`).
    pub keep: Duration,
    /// The file of an embedded store, which no job may read beside read restrictions.
    pub store_file: Option<PathBuf>,
}

impl Default for JobSettings {
    fn default() -> Self {
        Self {
            executor: ExecutorSettings::default(),
            pull_interval: Duration::from_secs(300),
            keep: Duration::from_secs(7 * 24 * 60 * 60),
            store_file: None,
        }
    }
}

/// What runs the jobs of this server, and what it tells of them.
#[derive(Debug)]
pub(crate) struct Jobs {
    /// The name of this process among those that share the store.
    name: String,
    executor: LocalExecutor,
    told: Mutex<Told>,
}

#[derive(Debug)]
struct Told {
    events: mpsc::UnboundedReceiver<Event>,
    /// What could not be written yet.
    unwritten: VecDeque<Event>,
}

impl Jobs {
    pub(crate) fn new(settings: &JobSettings) -> Self {
        let (executor, events) = LocalExecutor::new(settings.executor.clone());
        Self {
            name: uuid::Uuid::new_v4().to_string(),
            executor,
            told: Mutex::new(Told {
                events,
                unwritten: VecDeque::new(),
            }),
        }
    }
}

impl Operations {
    pub(crate) fn executor(&self) -> &LocalExecutor {
        &self.jobs().executor
    }

    pub(crate) fn executor_name(&self) -> &str {
        &self.jobs().name
    }

    /// Ends the jobs that were lost with the server before this one, and forgets what is long over.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn take_over_jobs(&self) -> Result<(), OperationError> {
        self.end_lost_jobs().await?;
        self.forget_old_jobs().await
    }

    /// Keeps jobs until it is dropped: writes down what becomes of them, and looks after them regularly.
    pub async fn keep_jobs(&self) {
        let pull_interval = self.settings().jobs.pull_interval.max(Duration::from_millis(1));
        let every = pull_interval.min(AT_LEAST_EVERY);
        let rarely = if pull_interval < AT_LEAST_EVERY { 1 } else { RARELY };
        let mut ticks = tokio::time::interval_at(tokio::time::Instant::now() + every, every);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut looks: u32 = 0;
        let mut told = self.jobs().told.lock().await;
        loop {
            let done = tokio::select! {
                event = told.events.recv() => match event {
                    Some(event) => {
                        told.unwritten.push_back(event);
                        self.write_down(&mut told).await
                    }
                    None => return,
                },
                _ = ticks.tick() => async {
                    looks = looks.wrapping_add(1);
                    self.write_down(&mut told).await?;
                    self.look_after_jobs().await?;
                    if looks.is_multiple_of(rarely) {
                        if self.store().is_shared() {
                            self.end_lost_jobs().await?;
                        }
                        self.forget_old_jobs().await?;
                    }
                    Ok(())
                }.await,
            };
            if let Err(error) = done {
                tracing::warn!(%error, detail = error.detail(), "what became of jobs is not written down yet");
            }
        }
    }

    /// Ends all jobs of this server and writes down that they ended.
    ///
    /// # Errors
    /// What the store reports; the jobs are ended all the same.
    pub async fn stop_jobs(&self) -> Result<(), OperationError> {
        self.executor().stop().await;
        let mut told = self.jobs().told.lock().await;
        while let Ok(event) = told.events.try_recv() {
            told.unwritten.push_back(event);
        }
        self.write_down(&mut told).await
    }

    /// Ends all jobs of this server without waiting for it, where a server ends out of order.
    pub fn abandon_jobs(&self) {
        for key in self.executor().running() {
            self.executor().cancel(key);
        }
    }

    async fn write_down(&self, told: &mut Told) -> Result<(), OperationError> {
        if told.unwritten.is_empty() {
            return Ok(());
        }
        let mut write = self.store().write_uncounted().await?;
        for event in &told.unwritten {
            note(&mut write, *event).await?;
        }
        write.commit().await?;
        told.unwritten.clear();
        Ok(())
    }

    /// Says of the jobs that run here that they do, and ends those that others cancelled or that went with their
    /// metalake. Asks nothing where none runs.
    async fn look_after_jobs(&self) -> Result<(), OperationError> {
        // Before the store is asked: whatever runs was written down first, so what is not found there is to end.
        let running = self.executor().running();
        if running.is_empty() {
            return Ok(());
        }
        let mut write = self.store().write_uncounted().await?;
        write.note_executor(self.executor_name()).await?;
        let wanted = write.jobs_of_executor(self.executor_name()).await?;
        write.commit().await?;
        for key in running {
            let status = wanted.iter().find(|(id, _)| id.value() == key);
            if status.is_none_or(|(_, status)| *status == JobStatus::Cancelling) {
                self.executor().cancel(key);
            }
        }
        Ok(())
    }

    /// Ends jobs whose servers are gone.
    async fn end_lost_jobs(&self) -> Result<(), OperationError> {
        let mut write = self.store().write_uncounted().await?;
        // There is no other server beside an embedded store.
        let unheard = self.store().is_shared().then_some(LOST_AFTER);
        let lost = write.lose_jobs(self.executor_name(), unheard, SYSTEM).await?;
        write.commit().await?;
        if lost > 0 {
            tracing::warn!(lost, "jobs were lost with the server that ran them");
        }
        Ok(())
    }

    /// Drops jobs that are over for long, so that they do not become more and more, and the folders of such jobs here.
    async fn forget_old_jobs(&self) -> Result<(), OperationError> {
        let before = now().saturating_sub(millis(self.settings().jobs.keep));
        self.forget_jobs(before).await?;
        let (executor, keep) = (self.executor().clone(), self.settings().jobs.keep);
        tokio::task::spawn_blocking(move || executor.sweep(keep))
            .await
            .map_err(OperationError::internal)
    }

    /// Drops jobs that ended before a time.
    async fn forget_jobs(&self, before: i64) -> Result<(), OperationError> {
        let mut snapshot = self.store().snapshot().await?;
        let old = snapshot.jobs_finished_before(before, FORGOTTEN_AT_ONCE).await?;
        drop(snapshot);
        let areas = [Area::Objects, Area::Grants, Area::Governance];
        for of_metalake in old.chunk_by(|(left, _), (right, _)| left == right) {
            let Some((metalake, _)) = of_metalake.first() else {
                continue;
            };
            let mut write = self.write_unasked(*metalake, &areas, SYSTEM).await?;
            for (_, job) in of_metalake {
                // Another server may have been faster.
                if write.object(*job).await?.is_some() {
                    write.drop_object(*job).await?;
                }
            }
            write.commit().await?;
        }
        Ok(())
    }
}

async fn note(write: &mut Write, event: Event) -> Result<(), OperationError> {
    let at = write.at();
    let (key, status) = match event {
        Event::Started(key) => {
            write.begin_job(ObjectId::new(key), at, SYSTEM).await?;
            return Ok(());
        }
        Event::Ended(key, Outcome::Succeeded) => (key, JobStatus::Succeeded),
        Event::Ended(key, Outcome::Failed) => (key, JobStatus::Failed),
        Event::Ended(key, Outcome::Cancelled) => (key, JobStatus::Cancelled),
        Event::Ended(key, Outcome::Stopped) => {
            let job = write.job(ObjectId::new(key)).await?;
            let is_cancelling = job.is_some_and(|row| row.job.status == JobStatus::Cancelling);
            let status = if is_cancelling {
                JobStatus::Cancelled
            } else {
                JobStatus::Failed
            };
            (key, status)
        }
    };
    write.end_job(ObjectId::new(key), status, at, SYSTEM).await?;
    Ok(())
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
