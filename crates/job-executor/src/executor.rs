// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The queue of jobs and the tasks that run them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lakeward_metadata::job_template::ResolvedTemplate;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::task::JoinSet;

use crate::as_user::can_read;
use crate::error::ExecutorError;
use crate::output::keep;
use crate::process::ProcessGroup;
use crate::program::Program;
use crate::settings::ExecutorSettings;
use crate::staging::{self, Names, Staged, Task};
use crate::work::Work;

/// How long is waited for the rest of an output after its process ended: one that left its group may hold it open.
const REST: Duration = Duration::from_secs(1);
/// How many bytes of output work may be ahead of the file.
const LOG_BUFFER: usize = 64 * 1024;

/// What became of a job, by the key that it was submitted with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Its process began.
    Started(i64),
    /// It is over.
    Ended(i64, Outcome),
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// With status 0.
    Succeeded,
    /// With another one, by a signal, by the time limit, or before it began.
    Failed,
    /// Because it was cancelled.
    Cancelled,
    /// Because the server stopped.
    Stopped,
}

/// A place among the jobs that run and wait.
#[derive(Debug)]
pub struct Slot {
    _permit: OwnedSemaphorePermit,
}

/// Runs jobs. Cloning is cheap and gives the same.
#[derive(Debug, Clone)]
pub struct LocalExecutor {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    settings: ExecutorSettings,
    /// Places for jobs that run and wait.
    slots: Arc<Semaphore>,
    /// Places for jobs that run.
    turns: Arc<Semaphore>,
    jobs: Mutex<HashMap<i64, watch::Sender<Order>>>,
    names: Names,
    tasks: Mutex<JoinSet<()>>,
    events: mpsc::UnboundedSender<Event>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Run,
    Cancel,
    Stop,
}

impl LocalExecutor {
    /// An executor without jobs, and where it tells what becomes of them, in order.
    pub fn new(settings: ExecutorSettings) -> (Self, mpsc::UnboundedReceiver<Event>) {
        let (events, told) = mpsc::unbounded_channel();
        let places = settings
            .waiting_queue_size
            .saturating_add(settings.max_running_jobs)
            .min(Semaphore::MAX_PERMITS);
        let executor = Self {
            inner: Arc::new(Inner {
                slots: Arc::new(Semaphore::new(places)),
                turns: Arc::new(Semaphore::new(
                    settings.max_running_jobs.min(Semaphore::MAX_PERMITS),
                )),
                settings,
                jobs: Mutex::default(),
                names: Names::default(),
                tasks: Mutex::default(),
                events,
            }),
        };
        (executor, told)
    }

    /// Reads a template.
    ///
    /// # Errors
    /// [`ExecutorError::Refused`] for what can never be run here.
    pub fn program(&self, template: &ResolvedTemplate) -> Result<Program, ExecutorError> {
        Program::of(template, self.inner.settings.spark_home.as_deref())
    }

    /// Takes a place among the jobs that run and wait.
    ///
    /// # Errors
    /// [`ExecutorError::Full`].
    pub fn reserve(&self) -> Result<Slot, ExecutorError> {
        Arc::clone(&self.inner.slots)
            .try_acquire_owned()
            .map(|permit| Slot { _permit: permit })
            .map_err(|_| ExecutorError::Full)
    }

    /// Makes the folder of a job, `job-` and digits, and fetches its files with the rights that the job will have.
    ///
    /// # Errors
    /// [`ExecutorError::Refused`] for a file that cannot be fetched; [`ExecutorError::Failed`].
    pub async fn stage(&self, job: &str, program: Program) -> Result<Staged, ExecutorError> {
        staging::stage(
            &self.inner.settings,
            &self.inner.names,
            job,
            Task::Program(program),
        )
        .await
    }

    /// Makes the folder of a job that the server does itself.
    ///
    /// # Errors
    /// [`ExecutorError::Failed`].
    pub async fn stage_work(&self, job: &str, work: Work) -> Result<Staged, ExecutorError> {
        staging::stage(&self.inner.settings, &self.inner.names, job, Task::Work(work)).await
    }

    /// Whether jobs run as a user of their own.
    pub fn has_own_user(&self) -> bool {
        self.inner.settings.user.is_some()
    }

    /// Whether a job could read a file, or list or enter a folder. Always, where jobs run as the server's user.
    ///
    /// # Errors
    /// [`ExecutorError::Failed`] where that cannot be found out.
    pub fn can_read(&self, path: &Path) -> Result<bool, ExecutorError> {
        self.inner
            .settings
            .user
            .as_ref()
            .map_or(Ok(true), |user| can_read(user, path))
    }

    /// Queues a job under a key that no other has.
    pub fn submit(&self, slot: Slot, key: i64, mut staged: Staged) {
        staged.folder.keep();
        let (order, orders) = watch::channel(Order::Run);
        self.jobs().insert(key, order);
        let inner = Arc::clone(&self.inner);
        let mut tasks = self.inner.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            let outcome = inner.run(key, staged, orders).await;
            inner
                .jobs
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .remove(&key);
            inner.make_room().await;
            // Nobody listens any more only when the server has ended.
            let _ = inner.events.send(Event::Ended(key, outcome));
            drop(slot);
        });
    }

    /// Ends a job that waits or runs. Gives whether there is one of the key.
    pub fn cancel(&self, key: i64) -> bool {
        let jobs = self.jobs();
        let Some(job) = jobs.get(&key) else {
            return false;
        };
        job.send_if_modified(|order| {
            let is_new = *order == Order::Run;
            if is_new {
                *order = Order::Cancel;
            }
            is_new
        });
        true
    }

    /// The keys of the jobs that are not over.
    pub fn running(&self) -> Vec<i64> {
        self.jobs().keys().copied().collect()
    }

    /// Ends all jobs and waits until they are over. Events of that are in the channel then.
    pub async fn stop(&self) {
        self.inner.slots.close();
        for job in self.jobs().values() {
            job.send_if_modified(|order| {
                let is_new = *order == Order::Run;
                if is_new {
                    *order = Order::Stop;
                }
                is_new
            });
        }
        let mut tasks = std::mem::take(&mut *self.inner.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        while tasks.join_next().await.is_some() {}
    }

    /// Removes the folders of jobs that are over for at least `age`, and of the oldest others while all together are larger
    /// than they may be.
    pub fn sweep(&self, age: Duration) {
        staging::sweep(&self.inner.settings, age, &self.inner.names);
        staging::make_room(&self.inner.settings, &self.inner.names);
    }

    fn jobs(&self) -> std::sync::MutexGuard<'_, HashMap<i64, watch::Sender<Order>>> {
        self.inner.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Removes folders of jobs that are over while all are too large together.
    async fn make_room(self: &Arc<Self>) {
        let inner = Arc::clone(self);
        let made = tokio::task::spawn_blocking(move || {
            staging::make_room(&inner.settings, &inner.names);
        });
        if let Err(error) = made.await {
            tracing::warn!(%error, "no room was made for the outputs of jobs");
        }
    }

    /// Waits for the turn of a job and runs it.
    async fn run(&self, key: i64, staged: Staged, mut orders: watch::Receiver<Order>) -> Outcome {
        let turn = tokio::select! {
            biased;
            order = ordered(&mut orders) => return order,
            turn = Arc::clone(&self.turns).acquire_owned() => turn,
        };
        let Ok(_turn) = turn else {
            return Outcome::Stopped;
        };
        let Staged {
            task,
            folder,
            output,
            error,
            name: _name,
        } = staged;
        let outcome = match task {
            Task::Work(work) => self.work_now(key, work, output, &error, &mut orders).await,
            Task::Program(program) => self
                .run_now(key, &program, &folder.work(), output, &error, &mut orders)
                .await
                .unwrap_or_else(|reason| {
                    tracing::warn!(%reason, "a job cannot be run");
                    say(&error, &format!("the job cannot be run: {reason}"));
                    Outcome::Failed
                }),
        };
        folder.touch();
        outcome
    }

    /// Does what the server does itself.
    async fn work_now(
        &self,
        key: i64,
        work: Work,
        output: std::fs::File,
        error: &std::fs::File,
        orders: &mut watch::Receiver<Order>,
    ) -> Outcome {
        let _ = self.events.send(Event::Started(key));
        let (log, written) = tokio::io::duplex(LOG_BUFFER);
        let mut kept = JoinSet::new();
        kept.spawn(keep(written, output.into(), self.settings.max_output_bytes));
        let mut doing = JoinSet::new();
        doing.spawn(work.begin(log));
        let outcome = tokio::select! {
            ended = doing.join_next() => match ended {
                Some(Ok(Ok(()))) => Outcome::Succeeded,
                Some(Ok(Err(reason))) => {
                    say(error, &reason);
                    Outcome::Failed
                }
                Some(Err(_)) | None => {
                    say(error, "the job broke off");
                    Outcome::Failed
                }
            },
            outcome = ordered(orders) => outcome,
            () = tokio::time::sleep(self.settings.max_run_time) => {
                say(error, "the job ran for as long as it may (`lakeward.jobs.maxRunTimeMs`)");
                Outcome::Failed
            }
        };
        doing.shutdown().await;
        let _ = tokio::time::timeout(REST, kept.join_next()).await;
        outcome
    }

    async fn run_now(
        &self,
        key: i64,
        program: &Program,
        work: &Path,
        output: std::fs::File,
        error: &std::fs::File,
        orders: &mut watch::Receiver<Order>,
    ) -> Result<Outcome, ExecutorError> {
        let settings = &self.settings;
        let words = program.words(work)?;
        let error = error
            .try_clone()
            .map_err(|error| ExecutorError::failed("its output cannot be kept", error))?;
        let mut group = ProcessGroup::start()?;
        let child = group.spawn(&words, &program.environment, work, settings.user.as_ref());
        let mut child = match child {
            Ok(child) => child,
            Err(reason) => {
                group.end().await;
                let program = words.first().cloned().unwrap_or_default();
                return Err(ExecutorError::failed(program, reason));
            }
        };
        let _ = self.events.send(Event::Started(key));
        let mut outputs = JoinSet::new();
        if let Some(stdout) = child.stdout.take() {
            outputs.spawn(keep(stdout, output.into(), settings.max_output_bytes));
        }
        if let Some(stderr) = child.stderr.take() {
            outputs.spawn(keep(stderr, error.into(), settings.max_output_bytes));
        }
        let outcome = tokio::select! {
            ended = child.wait() => match ended {
                Ok(status) if status.success() => Outcome::Succeeded,
                Ok(_) | Err(_) => Outcome::Failed,
            },
            outcome = ordered(orders) => outcome,
            () = tokio::time::sleep(settings.max_run_time) => {
                tracing::info!(limit = ?settings.max_run_time, "a job ran for as long as it may (`lakeward.jobs.maxRunTimeMs`)");
                Outcome::Failed
            }
        };
        if child.id().is_some() {
            group.terminate().await;
            let _ = tokio::time::timeout(settings.grace, child.wait()).await;
        }
        // Whatever it started and left behind ends with it.
        group.end().await;
        let _ = tokio::time::timeout(REST, child.wait()).await;
        let _ = tokio::time::timeout(REST, async { while outputs.join_next().await.is_some() {} }).await;
        Ok(outcome)
    }
}

/// Says something at the end of a job in its second output.
fn say(mut error: &std::fs::File, text: &str) {
    use std::io::Write;
    if let Err(unwritten) = writeln!(error, "[lakeward: {text}]") {
        tracing::warn!(error = %unwritten, "the output of a job cannot be kept");
    }
}

/// Waits for an order other than to run.
async fn ordered(orders: &mut watch::Receiver<Order>) -> Outcome {
    let order = orders
        .wait_for(|order| *order != Order::Run)
        .await
        .map(|order| *order);
    match order {
        Ok(Order::Cancel) => Outcome::Cancelled,
        Ok(Order::Stop | Order::Run) | Err(_) => Outcome::Stopped,
    }
}
