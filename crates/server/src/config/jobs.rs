// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How jobs are run, from the original's keys and ours.

use std::path::PathBuf;
use std::time::Duration;

use lakeward_job_executor::ExecutorSettings;

use super::ConfigurationError;
use super::properties::Properties;

/// What the folders of all jobs may have together.
const TOTAL: &str = "lakeward.jobs.maxTotalBytes";

/// How jobs are run.
#[derive(Debug, Clone)]
pub struct JobsSettings {
    /// The staging folder and the limits; the user is found when the server starts.
    pub executor: ExecutorSettings,
    /// The user of the operating system that jobs run as, by name or numbers; the server's own when `None`.
    pub user: Option<String>,
    /// How often the store is asked for what other servers want of the jobs of this one.
    pub pull_interval: Duration,
    /// How long jobs that are over are kept.
    pub keep: Duration,
}

impl JobsSettings {
    pub(super) fn from_properties(properties: &Properties) -> Result<Self, ConfigurationError> {
        let executor_key = "gravitino.job.executor";
        if let Some(other) = properties.get(executor_key).filter(|name| *name != "local") {
            return Err(ConfigurationError::NotSupported {
                key: executor_key.to_owned(),
                value: other.to_owned(),
            });
        }
        let millis = |name: &str| properties.parsed(name, "milliseconds").map(Duration::from_millis);
        let defaults = ExecutorSettings::default();
        let running_key = "gravitino.jobExecutor.local.maxRunningJobs";
        let max_running_jobs =
            match properties.given(running_key) {
                None => defaults.max_running_jobs,
                Some(value) => value.parse().ok().filter(|&number| number > 0).ok_or_else(|| {
                    ConfigurationError::Value {
                        key: running_key.to_owned(),
                        value: value.to_owned(),
                        expected: "a positive number",
                    }
                })?,
            };
        let spark_home = properties
            .given("gravitino.jobExecutor.local.sparkHome")
            .map(PathBuf::from)
            .or_else(spark_home_of_environment);
        let executor = ExecutorSettings {
            staging_dir: PathBuf::from(properties.get("gravitino.job.stagingDir").unwrap_or_default()),
            waiting_queue_size: properties
                .parsed("gravitino.jobExecutor.local.waitingQueueSize", "a number")?,
            max_running_jobs,
            max_output_bytes: properties.parsed("lakeward.jobs.maxOutputBytes", "a number of bytes")?,
            max_run_time: millis("lakeward.jobs.maxRunTimeMs")?,
            spark_home,
            max_total_bytes: properties.parsed(TOTAL, "a number of bytes")?,
            ..defaults
        };
        if executor.max_total_bytes < executor.max_running_bytes() {
            return Err(ConfigurationError::Combination(format!(
                "`{TOTAL} = {}` is too little: {} jobs may run at once, each with two outputs of \
                 `lakeward.jobs.maxOutputBytes`, which are {} bytes",
                executor.max_total_bytes,
                executor.max_running_jobs,
                executor.max_running_bytes()
            )));
        }
        Ok(Self {
            executor,
            user: properties.given("lakeward.jobs.user").map(str::to_owned),
            pull_interval: millis("gravitino.job.statusPullIntervalInMs")?,
            keep: millis("gravitino.job.stagingDirKeepTimeInMs")?,
        })
    }
}

/// Where Spark says that it is, as the original asks.
fn spark_home_of_environment() -> Option<PathBuf> {
    std::env::var_os("SPARK_HOME")
        .filter(|home| !home.is_empty())
        .map(PathBuf::from)
}
