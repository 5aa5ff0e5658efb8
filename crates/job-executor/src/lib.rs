// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Runs the processes of jobs on this machine: a folder for each job, its files fetched into it, an empty environment,
//! one process group per job, its output kept up to a limit, and its end whatever happens to the server.
//!
//! ```text
//! let program = executor.program(&resolved)?;                  // refuses what can never run
//! let slot = executor.reserve()?;                              // a place in the queue, or Full
//! let staged = executor.stage("job-1", program).await?;        // the folder, with the files in it
//! // the caller writes down that there is such a job; dropped before, the folder goes away
//! executor.submit(slot, key, staged);                          // runs it when it is its turn
//! executor.cancel(key);                                        // ends it
//! ```
//!
//! What the server does itself as a job ([`Work`]) goes the same way, with [`LocalExecutor::stage_work`].
//!
//! How far jobs are comes through the channel that [`LocalExecutor::new`] gives. Knows neither the store nor who asks.

mod as_user;
mod error;
mod executor;
mod output;
mod process;
mod program;
mod settings;
mod staging;
mod work;

pub use as_user::JobUser;
pub use error::ExecutorError;
pub use executor::{Event, LocalExecutor, Outcome, Slot};
pub use program::Program;
pub use settings::ExecutorSettings;
pub use staging::Staged;
pub use work::{Work, WorkLog};

#[cfg(test)]
mod tests;
