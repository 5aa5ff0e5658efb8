// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The rules of the repository, checked by a test on every run.

use std::path::Path;

mod dependencies;
mod files;

/// Everything that breaks a rule, one line each; empty when the repository is tidy.
///
/// # Errors
/// When the repository cannot be read.
pub fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut findings = files::check(root)?;
    findings.extend(dependencies::check(root)?);
    findings.sort();
    Ok(findings)
}
