// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward sweep-spilled`: the watchdog that `lakeward gateway` starts beside itself. It waits until the gateway is gone,
//! however it went, and removes what its queries had on the disk.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use lakeward_reader::session::spill_folder::sweep_when_closed;

/// The name of the command, which a gateway calls itself with.
pub(crate) const NAME: &str = "sweep-spilled";

/// Remove the folder of a gateway when standard input ends
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
