// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward conformance`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::Subcommand;

/// Run conformance fixtures of the read-restriction language.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do with fixtures.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run all fixture files of a folder; exit status 1 if any case fails
    Run {
        /// Folder with parse.json, bind.json, eval.json, masks.json, resolve.json, capabilities.json, cache.json
        #[arg(value_name = "DIR")]
        directory: PathBuf,
        /// Print one line of JSON per case: file, id, passed, expect, actual
        #[arg(long)]
        json: bool,
    },
}

/// Runs one of the conformance commands.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    bail!("not wired yet: {arguments:?}")
}
