// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Where the queries of this process put what does not fit into their memory.

use std::path::{Path, PathBuf};
use std::process::Command;

use lakeward_reader::session::resources::{Limit, ResourceSettings, Resources, Share, SpillSettings};
use lakeward_reader::session::spill_folder::SpillFolder;

use crate::sweep;

const MIB: usize = 1024 * 1024;

/// Options about the disk.
#[derive(Debug, clap::Args)]
pub(super) struct Spill {
    /// Folder for what does not fit into memory: filtered and masked rows, until the query ends. It must be this user's
    /// alone. Without it nothing reaches a disk, and what does not fit is refused
    #[arg(long = "spill", value_name = "DIR", conflicts_with = "gateway")]
    folder: Option<PathBuf>,
    /// The most that is put there, in MiB
    #[arg(
        long = "spill-limit",
        value_name = "MIB",
        default_value_t = 65_536,
        requires = "folder"
    )]
    limit: usize,
}

impl Spill {
    /// What each query has: `memory` MiB, and the folder if one is given. The folder goes with the last use of it, and by a
    /// watchdog if this process is killed.
    pub(super) fn share(&self, memory: usize) -> anyhow::Result<Share> {
        let memory = Limit {
            bytes: memory.saturating_mul(MIB),
            setting: "--memory",
        };
        let disk = Limit {
            bytes: self.limit.saturating_mul(MIB),
            setting: "--spill-limit",
        };
        let spill = match &self.folder {
            Some(parent) => Some(SpillSettings {
                folder: watched(parent)?,
                total: disk,
                per_query: disk,
            }),
            None => None,
        };
        let resources = Resources::new(ResourceSettings {
            memory,
            memory_per_user: memory,
            memory_per_query: memory,
            queries: 1,
            spill,
        });
        Ok(resources.of_user(""))
    }
}

fn watched(parent: &Path) -> anyhow::Result<SpillFolder> {
    let mut folder = SpillFolder::create(parent)?;
    let (program, words) = sweep::command()?;
    let mut watchdog = Command::new(program);
    watchdog.args(words);
    folder.watch(watchdog)?;
    Ok(folder)
}
