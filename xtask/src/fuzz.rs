// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Runs the fuzz targets of the folder `fuzz/`, a workspace of its own, with libFuzzer on the toolchain at hand.
//!
//! cargo-fuzz knows the same layout; this needs neither it nor a nightly compiler.

#[path = "../../fuzz/src/seeds.rs"]
#[expect(unreachable_pub, reason = "the file is shared with a test")]
mod seeds;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

/// Every target that there is.
const TARGETS: [&str; 4] = ["language", "bind", "wire", "capabilities"];
/// Coverage for libFuzzer, as rustc hands it on to LLVM.
const COVERAGE: [&str; 6] = [
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// Builds the targets and runs the named ones, or all, `runs` times each with inputs of at most `length` bytes.
///
/// # Errors
/// When they cannot be built, a name is unknown, or an input breaks one; libFuzzer then leaves it in `fuzz/artifacts`.
pub fn run(root: &Path, names: &[String], runs: u64, length: u32) -> anyhow::Result<()> {
    for name in names {
        ensure!(
            TARGETS.contains(&name.as_str()),
            "no fuzz target `{name}`; there are {}",
            TARGETS.join(", ")
        );
    }
    let fuzz = root.join("fuzz");
    let host = host()?;
    let binaries = build(&fuzz, &host)?;
    let chosen = TARGETS
        .into_iter()
        .filter(|target| names.is_empty() || names.iter().any(|name| name == target));
    for target in chosen {
        fuzz_target(&fuzz, &binaries, target, runs, length)?;
    }
    Ok(())
}

fn fuzz_target(fuzz: &Path, binaries: &Path, target: &str, runs: u64, length: u32) -> anyhow::Result<()> {
    let seeds = fuzz.join("corpus").join(format!("{target}-seeds"));
    let corpus = fuzz.join("corpus").join(target);
    let artifacts = fuzz.join("artifacts").join(target);
    for folder in [&seeds, &corpus, &artifacts] {
        std::fs::create_dir_all(folder)?;
    }
    for (number, seed) in seeds::of(target).iter().enumerate() {
        std::fs::write(seeds.join(format!("fixture-{number:04}")), seed)?;
    }
    let dictionary = fuzz.join("dictionaries").join(format!("{target}.dict"));
    println!("==> {target}: {runs} runs");
    succeed(
        Command::new(binaries.join(target))
            .arg(format!("-runs={runs}"))
            .arg(format!("-max_len={length}"))
            .arg(format!("-dict={}", dictionary.display()))
            .arg(format!("-artifact_prefix={}/", artifacts.display()))
            .arg("-print_final_stats=1")
            .args([&corpus, &seeds]),
    )
}

/// Builds for a named target, so that build scripts and macros are not instrumented. Answers the folder of the binaries.
fn build(fuzz: &Path, host: &str) -> anyhow::Result<PathBuf> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    succeed(
        Command::new(cargo)
            .args(["build", "--release", "--bins", "--target", host, "--target-dir"])
            .arg(fuzz.join("target"))
            .current_dir(fuzz)
            .env("CARGO_ENCODED_RUSTFLAGS", COVERAGE.join("\u{1f}")),
    )?;
    Ok(fuzz.join("target").join(host).join("release"))
}

fn host() -> anyhow::Result<String> {
    let version = Command::new("rustc")
        .arg("-vV")
        .output()
        .context("cannot run `rustc`")?;
    String::from_utf8_lossy(&version.stdout)
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::to_owned)
        .context("`rustc -vV` names no host")
}

fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot run {command:?}"))?;
    ensure!(status.success(), "{command:?} ended with {status}");
    Ok(())
}
