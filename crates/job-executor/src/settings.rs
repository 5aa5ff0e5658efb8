// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How jobs are run here.

use std::path::PathBuf;
use std::time::Duration;

use crate::as_user::JobUser;

/// See the module.
#[derive(Debug, Clone)]
pub struct ExecutorSettings {
    /// Where each job has its folder (`gravitino.job.stagingDir`).
    pub staging_dir: PathBuf,
    /// How many jobs may wait (`gravitino.jobExecutor.local.waitingQueueSize`).
    pub waiting_queue_size: usize,
    /// How many jobs may run at once (`gravitino.jobExecutor.local.maxRunningJobs`).
    pub max_running_jobs: usize,
    /// How many bytes are kept of each of the two outputs of a job (`lakeward.jobs.maxOutputBytes`).
    pub max_output_bytes: u64,
    /// How many bytes the folders of all jobs may have together (`lakeward.jobs.maxTotalBytes`): those of jobs that are over,
    /// and what the outputs of those that run may still become.
    pub max_total_bytes: u64,
    /// How long a job may run (`lakeward.jobs.maxRunTimeMs`).
    pub max_run_time: Duration,
    /// Between the request to end and the end by force.
    pub grace: Duration,
    /// The user of the operating system that jobs run as (`lakeward.jobs.user`); the server's own when `None`.
    pub user: Option<JobUser>,
    /// Where Spark is (`gravitino.jobExecutor.local.sparkHome`); without it Spark templates are refused.
    pub spark_home: Option<PathBuf>,
}

impl ExecutorSettings {
    /// How many bytes the outputs of the jobs that run at once may have together.
    pub fn max_running_bytes(&self) -> u64 {
        let running = u64::try_from(self.max_running_jobs).unwrap_or(u64::MAX);
        self.max_output_bytes.saturating_mul(2).saturating_mul(running)
    }
}

impl Default for ExecutorSettings {
    /// The original's defaults, and ours beside them.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Self {
            staging_dir: PathBuf::from("/tmp/gravitino/jobs/staging"),
            waiting_queue_size: 100,
            max_running_jobs: (cores / 2).clamp(1, 10),
            max_output_bytes: 64 << 20,
            max_total_bytes: 10 << 30,
            max_run_time: Duration::from_secs(24 * 60 * 60),
            grace: Duration::from_secs(2),
            user: None,
            spark_home: None,
        }
    }
}
