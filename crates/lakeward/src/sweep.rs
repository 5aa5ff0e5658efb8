// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward sweep-spilled`: the watchdog that `lakeward gateway` and `lakeward query` start beside themselves. It waits
//! until they are gone, however they went, and removes what their queries had on the disk.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use lakeward_reader::session::spill_folder::sweep_when_closed;

/// The name of the command, which this program calls itself with.
pub(crate) const NAME: &str = "sweep-spilled";

/// Remove the folder of a process when standard input ends
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder
    folder: PathBuf,
}

/// Waits, and removes it.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    sweep_when_closed(&arguments.folder, std::io::stdin().lock())
        .with_context(|| format!("`{}` cannot be removed", arguments.folder.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// The program and the words that call it as the watchdog of the folder whose path is put behind them.
pub(crate) fn command() -> anyhow::Result<(String, [String; 1])> {
    let own = std::env::current_exe().context("the path of this program cannot be told")?;
    let own = own
        .into_os_string()
        .into_string()
        .map_err(|path| anyhow!("the path of this program is no Unicode: {}", path.display()))?;
    Ok((own, [NAME.to_owned()]))
}
