// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward serve`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;

/// Run the server until it receives SIGTERM or SIGINT.
///
/// Without options it keeps its state and a warehouse in ./lakeward-data and serves the native API on port 8090 and
/// Iceberg REST on port 9001. When it accepts requests it prints one line:
///
///   ready native=URL iceberg=URL [reader=URL]
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Configuration file: Gravitino's own properties file; our settings in it start with `lakeward.`
    #[arg(long, value_name = "FILE")]
    pub(crate) conf: Option<PathBuf>,
    /// Folder of the embedded store and of the default warehouse
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Port of the native API; 0 takes any free port
    #[arg(long, value_name = "N")]
    pub(crate) port: Option<u16>,
    /// Port of Iceberg REST; 0 takes any free port
    #[arg(long, value_name = "N")]
    pub(crate) iceberg_port: Option<u16>,
    /// Port of the listener for trusted readers; 0 takes any free port
    #[arg(long, value_name = "N")]
    pub(crate) reader_port: Option<u16>,
}

/// Serves until told to end.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    bail!("not wired yet: {arguments:?}")
}
