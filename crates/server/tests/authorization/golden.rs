// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Texts compared with committed files, so that a change of policy is a visible difference.

use std::path::PathBuf;

/// Compares `actual` with the file of this name beside the tests; `UPDATE_EXPECT=1` writes the file instead.
pub(crate) fn check(name: &str, actual: &str) {
    check_at(&format!("crates/server/tests/authorization/{name}"), actual);
}

/// Whether golden files are written now, so that none of them says anything yet.
pub(crate) fn is_written() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1")
}

fn place(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// The same for a file anywhere in the repository.
pub(crate) fn check_at(name: &str, actual: &str) {
    let path = place(name);
    if is_written() {
        std::fs::write(&path, actual).expect("the golden file can be written");
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let missing: Vec<&str> = expected
        .lines()
        .filter(|line| !actual.lines().any(|other| other == *line))
        .collect();
    let added: Vec<&str> = actual
        .lines()
        .filter(|line| !expected.lines().any(|other| other == *line))
        .collect();
    assert!(
        actual == expected,
        "`{name}` differs; if the change is meant, run the test with UPDATE_EXPECT=1 and review the file\n\
         no longer there:\n{}\nnew:\n{}",
        missing.join("\n"),
        added.join("\n")
    );
}
