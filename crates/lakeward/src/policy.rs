// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward policy`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::Subcommand;

/// Check policy expressions and explain what they mean for a user and a table.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do with policies.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check an expression without a server
    Check {
        /// File with one expression; `-` reads standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Explain why a user has the restrictions that they have on a table
    Explain {
        /// Full name of the table, `catalog.schema.table`
        table: String,
    },
}

/// Runs one of the policy commands.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    bail!("not wired yet: {arguments:?}")
}
