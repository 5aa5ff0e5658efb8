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
pub(crate) mod place;
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

/// Write, test, preview, explain and bring out policies that restrict what readers see.
///
/// The life of a policy:
///
///   lakeward policy check rule.txt                     is it a rule?
///   lakeward policy test governance                    does it do what it should, on rows of your choice?
///   lakeward policy impact --draft rule.txt …          which tables would it reach, and which would fail?
///   lakeward policy preview --draft rule.txt …         what would ann see?
///   lakeward policy apply governance --dry-run         what would change on the server?
///   lakeward policy apply governance                   make it so
///   lakeward policy explain --table … --user ann       why does ann see what she sees?
///   lakeward policy export --to governance             bring the server's policies into git
///   lakeward policy revisions own_region               who said what, and when?
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
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
