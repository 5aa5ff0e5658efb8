// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the distribution provides: packages that tests need, and who we are.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};

/// Installs a package where we may.
///
/// # Errors
/// When we may not, or it fails; says what is missing and which package brings it.
pub(crate) fn install(package: &str, what: &str) -> anyhow::Result<()> {
    let hint = format!("{what} is missing; install Debian's package `{package}` or its like");
    ensure!(is_root()? && Path::new("/usr/bin/apt-get").exists(), "{hint}");
    println!("==> installing {package}");
    for arguments in [
        &["update", "-qq"][..],
        &["install", "-y", "-qq", "--no-install-recommends", package],
    ] {
        let status = Command::new("apt-get")
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdout(Stdio::null())
            .status()
            .with_context(|| hint.clone())?;
        ensure!(
            status.success(),
            "`apt-get {}` failed; {hint}",
            arguments.join(" ")
        );
    }
    Ok(())
}

/// Whether we are the superuser.
///
/// # Errors
/// When the system does not say who we are.
pub(crate) fn is_root() -> anyhow::Result<bool> {
    Ok(id(&["-u"])? == 0)
}

/// A number that `id` tells.
///
/// # Errors
/// When `id` cannot be run or knows no such user.
pub(crate) fn id(arguments: &[&str]) -> anyhow::Result<u32> {
    let output = Command::new("id")
        .args(arguments)
        .output()
        .context("cannot run `id`")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().parse()?)
}
