// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Links from one page of the repository to another lead somewhere.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::fs;
use std::path::{Path, PathBuf};

fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

#[test]
fn every_link_between_pages_leads_somewhere() {
    let root = xtask::root().unwrap();
    let mut found = Vec::new();
    for folder in ["docs", "protocols", "fixtures"] {
        pages(&root.join(folder), &mut found);
    }
    for name in [
        "README",
        "ARCHITECTURE",
        "CONTRIBUTING",
        "CHANGELOG",
        "THREAT_MODEL",
    ] {
        found.push(root.join(format!("{name}.md")));
    }
    let mut links = 0;
    for page in found {
        let text = fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1) {
            let target = link.split([')', '#', ' ']).next().unwrap_or_default();
            if target.is_empty() || target.contains("://") || !link.contains(')') {
                continue;
            }
            links += 1;
            let there = page.parent().unwrap().join(target);
            assert!(there.exists(), "{} links to {target}", page.display());
        }
    }
    assert!(links > 30, "only {links} links were found");
}
