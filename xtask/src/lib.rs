// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The tasks behind `cargo xtask`, as a library so that tests can call them.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

mod debian;
pub mod fuzz;
pub mod postgres;
pub mod test;
pub mod tidy;

/// The folder of the repository.
///
/// # Errors
/// When this crate does not lie in a folder of its own below it.
pub fn root() -> anyhow::Result<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_path_buf)
        .context("xtask does not lie in the repository")
}
