// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the statements of a gateway may use, together and each.

use std::path::PathBuf;
use std::time::Duration;

use lakeward_reader::session::resources::{Limit, ResourceSettings, Resources, SpillSettings};
use lakeward_reader::session::spill_folder::{SpillFolder, SpillFolderError};

const MIB: usize = 1024 * 1024;

/// What the statements of a gateway may use. The name behind each field is the setting that errors tell.
#[derive(Debug, Clone)]
pub struct Budget {
    /// Bytes of memory of all statements (`--memory`).
    pub memory: usize,
    /// Bytes of memory of all statements of one user (`--memory-per-user`).
    pub memory_per_user: usize,
    /// Bytes of memory of one statement (`--memory-per-statement`).
    pub memory_per_statement: usize,
    /// The folder for what does not fit into memory (`--spill`); without it, nothing reaches a disk.
    pub spill: Option<PathBuf>,
    /// Bytes of all statements in that folder (`--spill-limit`).
    pub spill_bytes: usize,
    /// Bytes of one statement in that folder (`--spill-limit-per-statement`).
    pub spill_bytes_per_statement: usize,
    /// The command that ends in `lakeward_reader::session::spill_folder::sweep_when_closed`: program and first arguments.
    /// Without it the folder of a killed gateway stays until the next one starts.
    pub watchdog: Option<Vec<String>>,
    /// Statements at once (`--statements`).
    pub statements: usize,
    /// Statements of one user at once (`--statements-per-user`).
    pub statements_per_user: usize,
    /// How long a statement waits for others to end (`--queue-timeout`).
    pub wait: Duration,
    /// How long a client may leave rows untaken before its statement is ended (`--idle-timeout`).
    pub idle: Duration,
}

impl Default for Budget {
    /// 4 GiB, half of it for one user, a quarter for one statement; no disk; 16 statements, 4 of one user; ten seconds in
    /// the queue; five minutes idle.
    fn default() -> Self {
        Self {
            memory: 4096 * MIB,
            memory_per_user: 2048 * MIB,
            memory_per_statement: 1024 * MIB,
            spill: None,
            spill_bytes: 64 * 1024 * MIB,
            spill_bytes_per_statement: 16 * 1024 * MIB,
            watchdog: None,
            statements: 16,
            statements_per_user: 4,
            wait: Duration::from_secs(10),
            idle: Duration::from_secs(300),
        }
    }
}

impl Budget {
    /// Makes the resources, with the folder and its watchdog.
    ///
    /// # Errors
    /// [`SpillFolderError`] when the folder cannot be used.
    pub(crate) fn resources(&self) -> Result<Resources, SpillFolderError> {
        let limit = |bytes, setting| Limit { bytes, setting };
        let spill = match &self.spill {
            None => None,
            Some(parent) => {
                let mut folder = SpillFolder::create(parent)?;
                if let Some((program, arguments)) =
                    self.watchdog.as_ref().and_then(|words| words.split_first())
                {
                    let mut command = std::process::Command::new(program);
                    command.args(arguments);
                    folder.watch(command)?;
                }
                Some(SpillSettings {
                    folder,
                    total: limit(self.spill_bytes, "--spill-limit"),
                    per_query: limit(self.spill_bytes_per_statement, "--spill-limit-per-statement"),
                })
            }
        };
        Ok(Resources::new(ResourceSettings {
            memory: limit(self.memory, "--memory"),
            memory_per_user: limit(self.memory_per_user, "--memory-per-user"),
            memory_per_query: limit(self.memory_per_statement, "--memory-per-statement"),
            queries: self.statements,
            spill,
        }))
    }
}
