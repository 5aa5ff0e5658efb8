// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward policy`.

mod check;
mod explain;
mod report;

use std::process::ExitCode;

use clap::Subcommand;

/// Check policy expressions and explain what they mean for a user and a table.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do with policies; each is documented with its arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(check::Arguments),
    Explain(Box<explain::Arguments>),
}

/// Runs one of the policy commands.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments).await,
    }
}
