// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The command `lakeward`: one module per subcommand, each with its `Arguments` and its `run`.

mod access;
mod asker;
mod client;
mod conformance;
mod credentials;
#[cfg(feature = "reader")]
mod demo;
#[cfg(feature = "reader")]
mod gateway;
mod home;
mod login;
mod logout;
mod policy;
mod private_file;
#[cfg(feature = "reader")]
mod query;
mod reader;
mod serve;
#[cfg(feature = "reader")]
mod sweep;
mod token;
mod whoami;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tracing_subscriber::EnvFilter;

/// Exit status when the command could not do what it was asked (1 is kept for "did it, and the answer is no").
pub(crate) const EXIT_FAILURE: u8 = 2;

/// Decides, for a whole lakehouse, who may reach which object and which rows and values they see
///
/// Lakeward speaks Gravitino's REST API and the Iceberg REST protocol, and ships the reader
/// that enforces what it says.
///
/// Start here:
///
///   lakeward demo             see a governed query as three users, nothing to set up
///   lakeward serve            run a server with its state in ./lakeward-data
///   lakeward home --help      keep a server in a folder, and start and stop it by a script
///   lakeward login --help     log in to a server at its identity provider
///   lakeward query --help     read governed tables with SQL
///   lakeward gateway --help   let ordinary tools read them, over Arrow Flight SQL
///   lakeward policy --help    test, preview, explain and apply policies
///   lakeward access --help    find out who may do what, and why
///
/// The environment variable LAKEWARD_LOG chooses what is logged to standard error,
/// for instance `info` or `lakeward_server=debug`.
#[derive(Debug, Parser)]
#[command(
    name = "lakeward",
    bin_name = "lakeward",
    version,
    propagate_version = true,
    verbatim_doc_comment
)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the server
    Serve(serve::Arguments),
    Home(home::Arguments),
    /// Show the whole of Lakeward in one minute, on this machine alone
    #[cfg(feature = "reader")]
    Demo(demo::Arguments),
    /// Read governed tables with SQL through the trusted reader
    #[cfg(feature = "reader")]
    Query(Box<query::Arguments>),
    #[cfg(feature = "reader")]
    Gateway(Box<gateway::Arguments>),
    #[cfg(feature = "reader")]
    #[command(name = sweep::NAME, hide = true)]
    Sweep(sweep::Arguments),
    Login(login::Arguments),
    Logout(logout::Arguments),
    Whoami(whoami::Arguments),
    /// Manage the readers that a server trusts
    Reader(reader::Arguments),
    Token(token::Arguments),
    Policy(policy::Arguments),
    Access(access::Arguments),
    /// Run conformance fixtures of the read-restriction language, or serve them to a reader under test
    Conformance(conformance::Arguments),
}

impl Command {
    /// What is logged unless LAKEWARD_LOG says otherwise: a server tells what it does, a tool only what is wrong.
    fn default_log(&self) -> &'static str {
        match self {
            Self::Serve(_) | Self::Home(_) => "info",
            #[cfg(feature = "reader")]
            Self::Gateway(_) => "info",
            #[cfg(feature = "reader")]
            Self::Demo(_) | Self::Query(_) | Self::Sweep(_) => "warn",
            Self::Login(_) | Self::Logout(_) | Self::Whoami(_) | Self::Token(_) => "warn",
            Self::Reader(_) | Self::Policy(_) | Self::Access(_) | Self::Conformance(_) => "warn",
        }
    }

    async fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Serve(arguments) => serve::run(arguments).await,
            Self::Home(arguments) => home::run(arguments).await,
            #[cfg(feature = "reader")]
            Self::Demo(arguments) => demo::run(arguments).await,
            #[cfg(feature = "reader")]
            Self::Query(arguments) => query::run(*arguments).await,
            #[cfg(feature = "reader")]
            Self::Gateway(arguments) => gateway::run(*arguments).await,
            #[cfg(feature = "reader")]
            Self::Sweep(arguments) => sweep::run(&arguments),
            Self::Login(arguments) => login::run(arguments).await,
            Self::Logout(arguments) => logout::run(arguments).await,
            Self::Whoami(arguments) => whoami::run(&arguments).await,
            Self::Reader(arguments) => reader::run(arguments).await,
            Self::Token(arguments) => token::run(arguments).await,
            Self::Policy(arguments) => policy::run(arguments).await,
            Self::Access(arguments) => access::run(arguments).await,
            Self::Conformance(arguments) => conformance::run(&arguments).await,
        }
    }
}

/// The stack of every thread: statements are read and planned by recursion.
#[cfg(feature = "reader")]
const STACK_BYTES: usize = lakeward_reader::session::size::STACK_BYTES;
#[cfg(not(feature = "reader"))]
const STACK_BYTES: usize = 2 * 1024 * 1024;

fn main() -> ExitCode {
    // The first thread's stack is the shell's to decide, so the work begins in another.
    let work = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(|| {
        tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .thread_stack_size(STACK_BYTES)
            .build()
            .map(|runtime| runtime.block_on(run()))
    });
    match work.map(std::thread::JoinHandle::join) {
        Ok(Ok(Ok(code))) => code,
        Ok(Ok(Err(cause))) | Err(cause) => {
            eprintln!("lakeward: no threads to work with: {cause}");
            ExitCode::from(EXIT_FAILURE)
        }
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
    }
}

async fn run() -> ExitCode {
    let command = CommandLine::parse().command;
    let filter =
        EnvFilter::try_from_env("LAKEWARD_LOG").unwrap_or_else(|_| EnvFilter::new(command.default_log()));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
    match command.run().await {
        Ok(code) => code,
        // Whoever read our output has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lakeward: {error:#}");
            ExitCode::from(EXIT_FAILURE)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::CommandLine;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }
}
