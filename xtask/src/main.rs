// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `cargo xtask`: the only task runner of the project.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Tasks of the Lakeward repository.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Runs the tests of the project with everything they need: a throw-away PostgreSQL, the Python clients.
    Test {
        /// Also format, lints, benches in short form, and the end-to-end suites that take long, Spark's among them.
        #[arg(long)]
        all: bool,
        /// Also the end-to-end tests with Trino, a download of 821 MB; needs Java 24.
        #[arg(long)]
        trino: bool,
    },
    /// Runs the fuzz targets: language, bind, wire, capabilities. Needs a C++ compiler.
    Fuzz {
        /// The targets; all when none is named.
        targets: Vec<String>,
        /// Inputs per target.
        #[arg(long, default_value_t = 1_000_000)]
        runs: u64,
        /// The longest input in bytes.
        #[arg(long, default_value_t = 1024)]
        length: u32,
    },
    /// Checks the rules of the repository: dependencies between crates, headers, sizes, names.
    Tidy,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Test { all, trino } => {
            xtask::root().and_then(|root| xtask::test::run(&root, xtask::test::Lanes { all, trino }))
        }
        Task::Fuzz {
            targets,
            runs,
            length,
        } => xtask::root().and_then(|root| xtask::fuzz::run(&root, &targets, runs, length)),
        Task::Tidy => xtask::root().and_then(|root| {
            let findings = xtask::tidy::check(&root)?;
            for finding in &findings {
                println!("{finding}");
            }
            anyhow::ensure!(findings.is_empty(), "{} findings", findings.len());
            println!("tidy: nothing to find");
            Ok(())
        }),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
