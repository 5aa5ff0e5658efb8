// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward access`.

mod explain;
mod list;
mod text;
mod tree;

use std::process::ExitCode;

use clap::Subcommand;

/// Find out who may do what, and why.
///
///   lakeward access explain table lake.sales.orders --user ann --as admin   may ann load it, and why?
///   lakeward access list ann --as admin                                     what may ann do, where?
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to find out; each is documented with its arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Explain(Box<explain::Arguments>),
    List(Box<list::Arguments>),
}

/// Runs one of the access commands.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.command {
        Command::Explain(arguments) => explain::run(&arguments).await,
        Command::List(arguments) => list::run(&arguments).await,
    }
}
