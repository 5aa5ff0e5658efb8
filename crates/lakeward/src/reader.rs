// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward reader`.

use std::process::ExitCode;

use anyhow::bail;
use clap::Subcommand;

/// Manage the readers that a server trusts.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do with readers.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Enroll a reader: the server issues a client certificate from its own authority
    Enroll {
        /// Name of the reader's entry
        name: String,
    },
}

/// Runs one of the reader commands.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    bail!("not wired yet: {arguments:?}")
}
