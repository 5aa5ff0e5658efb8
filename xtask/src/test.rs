// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Runs the tests of the project with everything they need.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, ensure};

use crate::debian;
use crate::postgres::Postgres;

/// What runs beside the quick suites.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lanes {
    /// Format, lints, benches, and the end-to-end suites that take long.
    pub all: bool,
    /// The end-to-end tests with Trino.
    pub trino: bool,
}

/// Runs the quick suites and the lanes. Stops what it started.
///
/// # Errors
/// When a suite fails, or what it needs cannot be had.
pub fn run(root: &Path, lanes: Lanes) -> anyhow::Result<()> {
    // A database that is given is used, for machines without Debian's package.
    let (server, url) = match std::env::var("DATABASE_URL") {
        Ok(url) => (None, url),
        Err(_) => {
            let server = Postgres::start()?;
            let url = server.url().to_owned();
            (Some(server), url)
        }
    };
    let suites = suites(root, lanes)?;
    let binary = binary(root)?;
    let mut failed = Vec::new();
    for suite in &suites {
        let begin = Instant::now();
        println!("==> {}", suite.name);
        let mut command = Command::new(&suite.program);
        forget_this_package(&mut command);
        let status = command
            .args(&suite.arguments)
            .current_dir(root)
            .env("DATABASE_URL", &url)
            .env("LAKEWARD_BIN", &binary)
            .envs(suite.environment.iter().copied())
            .status()
            .with_context(|| format!("cannot run `{}`", suite.program))?;
        let outcome = if status.success() { "passed" } else { "FAILED" };
        println!("==> {} {outcome} in {} s", suite.name, begin.elapsed().as_secs());
        if !status.success() {
            failed.push(suite.name);
        }
    }
    drop(server);
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    println!("==> all {} suites passed", suites.len());
    Ok(())
}

/// Cargo tells a running program which package it is, and build scripts ask for that: with it in sight they would run
/// anew, and everything above them be compiled anew, whenever somebody changes between this command and cargo itself.
fn forget_this_package(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let is_of_package = name
            .to_str()
            .is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"));
        if is_of_package {
            command.env_remove(name);
        }
    }
}

/// The command that `cargo test --workspace` leaves behind. Building it alone would build the query engine once more,
/// with other features.
fn binary(root: &Path) -> anyhow::Result<PathBuf> {
    let name = format!("lakeward{}", std::env::consts::EXE_SUFFIX);
    Ok(metadata(root)?
        .target_directory
        .join("debug")
        .join(name)
        .into_std_path_buf())
}

fn metadata(root: &Path) -> anyhow::Result<cargo_metadata::Metadata> {
    Ok(cargo_metadata::MetadataCommand::new()
        .manifest_path(root.join("Cargo.toml"))
        .no_deps()
        .exec()?)
}

struct Suite {
    name: &'static str,
    program: String,
    arguments: Vec<String>,
    environment: Vec<(&'static str, &'static str)>,
}

/// Queries of the leak suite before a release.
const LEAK_QUERIES: &str = "20000";

fn suites(root: &Path, lanes: Lanes) -> anyhow::Result<Vec<Suite>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let suite = |name, arguments: &[&'static str]| Suite {
        name,
        program: cargo.clone(),
        arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
        environment: Vec::new(),
    };
    let mut suites = vec![suite(
        "unit, store, server and reader tests",
        &["test", "--workspace", "--no-fail-fast"],
    )];
    let script = root.join("e2e/run");
    if script.exists() {
        require_python()?;
        require_java()?;
        let mut arguments = vec!["--kit".to_owned()];
        if lanes.all {
            require_kerberos()?;
            arguments.extend(["--all", "--kerberos"].map(str::to_owned));
        }
        if lanes.trino {
            arguments.push("--trino".to_owned());
        }
        suites.push(Suite {
            name: "end to end with the original clients and engines",
            program: script.display().to_string(),
            arguments,
            environment: Vec::new(),
        });
    }
    if lanes.all {
        suites.push(suite("format", &["fmt", "--all", "--check"]));
        suites.push(suite(
            "lints",
            &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
        ));
        suites.push(Suite {
            name: "benches",
            program: cargo.clone(),
            arguments: benches(root)?,
            environment: Vec::new(),
        });
        suites.push(Suite {
            name: "leak suite",
            program: cargo,
            arguments: leak(root)?,
            environment: vec![("LAKEWARD_LEAK_QUERIES", LEAK_QUERIES)],
        });
    }
    Ok(suites)
}

/// Every bench of the workspace. With the command among the packages the dependencies have the features of a release
/// build, which so serves for both.
fn benches(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut arguments = vec!["bench".to_owned()];
    for (package, benches) in with_benches(root)? {
        arguments.extend(["-p".to_owned(), package]);
        for bench in benches {
            arguments.extend(["--bench".to_owned(), bench]);
        }
    }
    Ok(arguments)
}

/// The long leak suite, optimised: several times as fast. The same packages as of the benches are selected, so that what
/// they depend on has the same features and is not built again.
fn leak(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut arguments = ["test", "--release"].map(str::to_owned).to_vec();
    for (package, _) in with_benches(root)? {
        arguments.extend(["-p".to_owned(), package]);
    }
    arguments.extend(["--test", "leak", "--", "--nocapture"].map(str::to_owned));
    Ok(arguments)
}

/// The binary's package and those with benches, with the names of these.
fn with_benches(root: &Path) -> anyhow::Result<Vec<(String, Vec<String>)>> {
    let mut packages = vec![("lakeward".to_owned(), Vec::new())];
    for package in metadata(root)?.packages {
        let benches = package.targets.iter().filter(|target| target.is_bench());
        let benches: Vec<String> = benches.map(|target| target.name.clone()).collect();
        if !benches.is_empty() {
            packages.push((package.name.to_string(), benches));
        }
    }
    Ok(packages)
}

/// The clients are installed into an environment of their own, which needs two modules that Debian splits off.
fn require_python() -> anyhow::Result<()> {
    let found = Command::new("python3")
        .args(["-c", "import venv, ensurepip"])
        .stderr(Stdio::null())
        .status();
    if found.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    debian::install("python3-venv", "Python with the module `venv`")
}

/// The oldest Java that the compatibility kit and Spark run on.
const OLDEST_JAVA: u32 = 17;

/// The compatibility kit and Spark need a Java runtime, and Maven's client brings what is published for Java only. Without
/// them the end-to-end tests would skip the kit, which must not look like a success.
fn require_java() -> anyhow::Result<()> {
    let told = |program: &str, argument: &str| {
        let output = Command::new(program)
            .arg(argument)
            .stdin(Stdio::null())
            .output()
            .ok()?;
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let java = told("java", "-version").and_then(|text| java_version(&text));
    // With a compiler: parts of the end-to-end tests are small programs.
    if java.is_none_or(|version| version < OLDEST_JAVA) || told("javac", "-version").is_none() {
        // Debian 12 has no other than 17, Debian 13 no 17 any more: this is what each has.
        debian::install("default-jdk-headless", "a JDK 17 or later")?;
    }
    if told("mvn", "--version").is_none() {
        debian::install("maven", "Maven")?;
    }
    Ok(())
}

/// What a realm of the tests is made of, and what the server is built with for it.
fn require_kerberos() -> anyhow::Result<()> {
    for (file, package) in [
        ("/usr/sbin/krb5kdc", "krb5-kdc"),
        ("/usr/sbin/kadmin.local", "krb5-admin-server"),
        ("/usr/bin/kinit", "krb5-user"),
        ("/usr/include/gssapi/gssapi_krb5.h", "libkrb5-dev"),
    ] {
        if !Path::new(file).exists() {
            debian::install(package, "what Kerberos is tested with")?;
        }
    }
    if !has_libclang() {
        debian::install("libclang-dev", "libclang, which reads the headers of Kerberos,")?;
    }
    Ok(())
}

/// Where Debian puts it, in a folder for each version.
fn has_libclang() -> bool {
    let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries(Path::new("/usr/lib"))
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("llvm-"))
        .flat_map(|entry| entries(&entry.path().join("lib")))
        .any(|entry| entry.file_name().to_string_lossy().starts_with("libclang"))
}

/// The feature number in what `java -version` says; 1 for everything before Java 9.
fn java_version(told: &str) -> Option<u32> {
    let (_, rest) = told.split_once("version \"")?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::java_version;

    #[test]
    fn versions_of_java_are_read() {
        for (told, version) in [
            (
                "openjdk version \"17.0.15\" 2025-04-15\nOpenJDK Runtime",
                Some(17),
            ),
            ("openjdk version \"25\" 2025-09-16", Some(25)),
            (
                "Picked up JAVA_TOOL_OPTIONS: -Xmx1g\njava version \"1.8.0_402\"",
                Some(1),
            ),
            ("command not found", None),
        ] {
            assert_eq!(java_version(told), version, "{told}");
        }
    }
}
