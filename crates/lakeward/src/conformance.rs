// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward conformance`: fixture files of the language reference, section 16, run through the crates that serve, and served
//! to readers under test.

mod bind;
mod cache;
mod capabilities;
mod eval;
mod fixture;
mod kit;
mod masks;
mod parse;
mod report;
mod resolve;
#[cfg(feature = "reader")]
mod serve;

use std::fs;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Subcommand;
use lakeward_read_restrictions::json::parse_strict;
use serde_json::Value;

use fixture::Fixtures;
use kit::revision_line;
use report::{CaseReport, FileReport, same};

/// Run conformance fixtures of the read-restriction language, or serve them to a reader under test.
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
        /// Folder with parse.json, bind.json, eval.json, masks.json, resolve.json, capabilities.json or cache.json
        #[arg(value_name = "DIR")]
        directory: PathBuf,
        /// Print one line of JSON per case: file, id, passed, expect, actual
        #[arg(long)]
        json: bool,
    },
    /// Serve the fixtures' tables with their restrictions to a reader under test, and judge what it returns
    #[cfg(feature = "reader")]
    Serve(serve::Arguments),
}

/// Answers one case in the shape of its `expect`; the text of an error says what is wrong with the fixture itself.
type Runner = fn(&Fixtures, &Value) -> Result<Value, String>;

/// The files that exist, and who runs them.
const RUNNERS: [(&str, Runner); 7] = [
    ("parse.json", parse::run),
    ("bind.json", bind::run),
    ("eval.json", eval::run),
    ("masks.json", masks::run),
    ("resolve.json", resolve::run),
    ("capabilities.json", capabilities::run),
    ("cache.json", cache::run),
];

/// Runs one of the conformance commands.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        Command::Run { directory, json } => run_files(directory, *json),
        #[cfg(feature = "reader")]
        Command::Serve(arguments) => serve::run(arguments).await,
    }
}

/// Runs all fixture files of a folder. The revision goes to standard error with `--json`, where every line is a case.
fn run_files(directory: &Path, json: bool) -> anyhow::Result<ExitCode> {
    report_unknown_files(directory)?;
    let mut out = stdout().lock();
    if json {
        eprintln!("{}", revision_line());
    } else {
        writeln!(out, "{}", revision_line())?;
    }
    let mut files = 0;
    let mut failures = 0;
    for (name, runner) in RUNNERS {
        let path = directory.join(name);
        if !path.exists() {
            continue;
        }
        let report = run_file(name, &path, runner)?;
        if json {
            report.write_lines(&mut out)?;
        } else {
            report.write_text(&mut out)?;
        }
        files += 1;
        failures += report.failed().count();
    }
    out.flush()?;
    if files == 0 {
        let names = RUNNERS.map(|(name, _)| name).join(", ");
        bail!(
            "`{}` has no fixture file; expected some of {names}",
            directory.display()
        );
    }
    Ok(if failures == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn run_file(name: &'static str, path: &Path, runner: Runner) -> anyhow::Result<FileReport> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let json = parse_strict(&text).with_context(|| format!("cannot parse `{}`", path.display()))?;
    let fixtures = Fixtures::new(json);
    let Some(cases) = fixtures.cases() else {
        bail!(
            "`{}` has no member `cases` with at least one case",
            path.display()
        );
    };
    let cases = cases
        .iter()
        .enumerate()
        .map(|(index, case)| {
            let expect = case.get("expect").cloned().unwrap_or_default();
            let actual = runner(&fixtures, case)
                .unwrap_or_else(|problem| serde_json::json!({"malformed-fixture": problem}));
            CaseReport {
                id: case
                    .get("id")
                    .and_then(Value::as_str)
                    .map_or_else(|| format!("#{index}"), str::to_owned),
                passed: case.get("expect").is_some() && same(&expect, &actual),
                expect,
                actual,
            }
        })
        .collect();
    Ok(FileReport { file: name, cases })
}

/// A file that is not run must not look like one that passed.
fn report_unknown_files(directory: &Path) -> anyhow::Result<()> {
    let entries =
        fs::read_dir(directory).with_context(|| format!("cannot read `{}`", directory.display()))?;
    for entry in entries {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        if name.ends_with(".json") && !RUNNERS.iter().any(|(known, _)| *known == name) {
            tracing::warn!("`{name}` is no fixture file that this version knows; not run");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
