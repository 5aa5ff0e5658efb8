// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward demo`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;

/// Show the whole of Lakeward in one minute, on this machine alone.
///
/// Starts a server with authorization and read restrictions on, writes TPC-H tables (or your own files), tags them,
/// binds a row filter and a mask to the tags, and runs one query as three users through the trusted reader. Then
/// it keeps serving and prints lines to paste.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// A CSV or Parquet file to govern instead of TPC-H; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) data: Vec<PathBuf>,
    /// Where the demo keeps its state; a second start finds it again
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// End after the demonstration instead of serving on
    #[arg(long)]
    pub(crate) exit: bool,
}

/// Runs the demonstration.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    bail!("not wired yet: {arguments:?}")
}
