// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward policy test`: what policies do to given rows, without a server.

mod cells;
mod facts;
mod file;
mod judge;
mod policies;
mod report;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::malformed::Malformed;
use super::tree::{self, Tree};
use crate::EXIT_FAILURE;
pub(crate) use file::TestFile;
use judge::Judged;

/// Run tests of policies, without a server.
///
/// A test file states a table, its rows, the policies, where tags are assigned, and for each user
/// the rows that they see or the error that refuses the load. It is judged by the code that a
/// server resolves restrictions with, and by the reference meaning of filters and masks. Every
/// .yaml file of the directory that begins with `table:` is one; files of policies and tags, as
/// `export` writes them, are checked too.
///
///   table: lake.sales.orders
///   columns: {id: long required, region: string, phone: string}
///   policies:
///     - policies/own_region.yaml
///     - {for: phone, expression: 'mask := action("show-last-4")'}
///   groups: [auditors]
///   tags: {lake.sales: {access: restricted}}
///   rows:
///     - {id: 1, region: EU, phone: 555-0101}
///     - {id: 2, region: US, phone: 555-0102}
///   cases:
///     - name: staff see Europe
///       user: ann
///       rows: [{id: 1, region: EU, phone: nnn-0101}]
///
/// Exits with 1 when a case fails, and with 2 when a file cannot be used. The format is in
/// docs/policy-tests.md.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The directory, or one test file
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Answer in JSON, one case a line
    #[arg(long)]
    json: bool,
    /// Say what restricts also for cases that pass
    #[arg(long, short)]
    verbose: bool,
}

/// Judges every case of every file.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let outcome = outcome(&arguments.directory)?;
    if arguments.json {
        for judged in &outcome.judged {
            println!("{}", report::json(judged));
        }
    } else {
        print!("{}", report::text(&outcome.judged, arguments.verbose));
    }
    for problem in &outcome.malformed {
        eprintln!("{problem}");
    }
    if !outcome.malformed.is_empty() {
        return Ok(ExitCode::from(EXIT_FAILURE));
    }
    if outcome.judged.is_empty() {
        eprintln!(
            "`{}` has no tests; a test file begins with `table:`, see docs/policy-tests.md",
            arguments.directory.display()
        );
        return Ok(ExitCode::from(EXIT_FAILURE));
    }
    let failed = outcome.judged.iter().any(|judged| judged.failure.is_some());
    Ok(if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// Everything that was found in a directory.
struct Outcome {
    judged: Vec<Judged>,
    malformed: Vec<Malformed>,
}

fn outcome(directory: &Path) -> anyhow::Result<Outcome> {
    let tree = if directory.is_file() {
        tree::Tree::of_file(directory)
    } else {
        Tree::read(directory)?
    };
    let mut outcome = Outcome {
        judged: Vec::new(),
        malformed: tree.malformed.clone(),
    };
    // A policy that is wrong is told once, and by its tests as the error that a load would have.
    for (path, policy) in &tree.policies {
        outcome.malformed.extend(policy.checked(path).err());
    }
    for (path, tag) in &tree.tags {
        outcome.malformed.extend(tag.checked(path).err());
    }
    for (path, file) in &tree.tests {
        match judge::file(path, file) {
            Ok(judged) => outcome.judged.extend(judged),
            Err(malformed) => outcome.malformed.push(malformed),
        }
    }
    outcome.malformed.sort();
    outcome.malformed.dedup();
    Ok(outcome)
}

#[cfg(test)]
mod tests;
