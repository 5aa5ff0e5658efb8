// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The rules of the repository hold.

#[test]
fn the_repository_is_tidy() {
    let root = xtask::root().expect("the repository is here");
    let findings = xtask::tidy::check(&root).expect("the repository can be read");
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}
