// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Why a job is not run.

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExecutorError {
    /// The template or its parameters ask for what cannot be run; the text is for whoever asks.
    #[error("{0}")]
    Refused(String),
    /// As many jobs run and wait as may.
    #[error(
        "as many jobs run and wait as this server takes (`gravitino.jobExecutor.local.maxRunningJobs` and \
         `gravitino.jobExecutor.local.waitingQueueSize`); try again later"
    )]
    Full,
    /// The machine or its configuration does not let jobs run; the text is for the operator.
    #[error("{0}")]
    Failed(String),
}

impl ExecutorError {
    /// A failure of the machine, with what was tried.
    pub(crate) fn failed(what: impl std::fmt::Display, source: impl std::fmt::Display) -> Self {
        Self::Failed(format!("{what}: {source}"))
    }
}
