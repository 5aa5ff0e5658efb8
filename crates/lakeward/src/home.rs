// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward home`: a server that lives in one folder, laid out as an installation of the original is.

mod layout;
mod presence;
mod process;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;

use layout::Home;

/// Keep a server in one folder, and start and stop it there.
///
///   lakeward home init /opt/lake      write /opt/lake/bin/gravitino.sh and /opt/lake/conf/gravitino.conf
///   /opt/lake/bin/gravitino.sh start  run its server in the background
///
/// The folder is laid out as Gravitino is installed, so that scripts which expect GRAVITINO_HOME work on it. The script
/// hands everything to the commands below, which work without it just as well.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// What to do with the server of a folder.
#[derive(Debug, Subcommand)]
enum Command {
    /// Lay out a folder, or bring the scripts of one up to date; its configuration and data stay as they are
    Init {
        /// The folder; it is made where it is not there
        #[arg(value_name = "DIR")]
        home: PathBuf,
    },
    /// Start the server in the background; returns when it accepts requests
    Start(Place),
    /// Run the server in the foreground until it is told to end
    Run(Place),
    /// Stop the server; returns when it has ended
    Stop(Place),
    /// Stop the server where it runs, then start it
    Restart(Place),
    /// Tell whether the server runs; exits with 1 where it does not
    Status(Place),
}

/// Where a server lives.
#[derive(Debug, clap::Args)]
struct Place {
    /// The folder
    #[arg(value_name = "DIR", env = "GRAVITINO_HOME", default_value = ".")]
    home: PathBuf,
    /// Folder of gravitino.conf; without it `conf` in the home
    #[arg(long, value_name = "DIR", env = "GRAVITINO_CONF_DIR")]
    config: Option<PathBuf>,
    /// Folder of what a server in the background writes; without it `logs` in the home
    #[arg(long, value_name = "DIR", env = "GRAVITINO_LOG_DIR")]
    log_dir: Option<PathBuf>,
}

/// Runs one of the commands.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.command {
        Command::Init { home } => layout::init(&home)?,
        Command::Start(place) => process::start(&Home::enter(place)?).await?,
        Command::Run(place) => return process::run(&Home::enter(place)?).await,
        Command::Stop(place) => process::stop(&Home::enter(place)?).await?,
        Command::Restart(place) => {
            let home = Home::enter(place)?;
            process::stop(&home).await?;
            process::start(&home).await?;
        }
        Command::Status(place) => return process::status(&Home::enter(place)?).await,
    }
    Ok(ExitCode::SUCCESS)
}
