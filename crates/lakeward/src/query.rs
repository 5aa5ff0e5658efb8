// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward query`.

use std::process::ExitCode;

use anyhow::bail;

/// Read governed tables with SQL through the trusted reader.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The query
    #[arg(value_name = "SQL")]
    pub(crate) sql: String,
}

/// Runs one query.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    bail!("not wired yet: {arguments:?}")
}
