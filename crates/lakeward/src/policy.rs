// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward policy`.

mod apply;
mod check;
mod draft;
mod explain;
mod export;
mod impact;
mod malformed;
mod place;
mod plan;
mod preview;
mod question;
mod report;
mod revisions;
mod state;
mod test;
mod tree;

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
    Test(test::Arguments),
    Explain(Box<explain::Arguments>),
    Preview(Box<preview::Arguments>),
    Impact(Box<impact::Arguments>),
    Export(Box<export::Arguments>),
    Apply(Box<apply::Arguments>),
    Revisions(Box<revisions::Arguments>),
}

/// Runs one of the policy commands.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Test(arguments) => test::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments).await,
        Command::Preview(arguments) => preview::run(&arguments).await,
        Command::Impact(arguments) => impact::run(&arguments).await,
        Command::Export(arguments) => export::run(&arguments).await,
        Command::Apply(arguments) => apply::run(&arguments).await,
        Command::Revisions(arguments) => revisions::run(&arguments).await,
    }
}
