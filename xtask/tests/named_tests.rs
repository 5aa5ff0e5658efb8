// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The tests and cases that `docs/read-restrictions-tests.md` names exist, and every row names some.

use std::fs;

/// What the page puts between backticks, row by row.
fn rows(page: &str) -> Vec<(&str, Vec<&str>)> {
    page.lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| ---") && !line.starts_with("| What |"))
        .map(|line| (line, line.split('`').skip(1).step_by(2).collect()))
        .collect()
}

#[test]
fn every_named_test_and_case_exists() {
    let root = xtask::root().unwrap();
    let read =
        |path: &str| fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let page = read("docs/read-restrictions-tests.md");
    let exists = |name: &str| {
        if let Some((path, test)) = name.split_once("::") {
            let text = read(path);
            return text.contains(&format!("fn {test}(")) || text.contains(&format!("\ndef {test}("));
        }
        let Some((file, case)) = name.split_once('#') else {
            return true;
        };
        let text = read(&format!("fixtures/conformance/{file}"));
        match case.strip_suffix('*') {
            Some(prefix) => text.contains(&format!("\"id\": \"{prefix}")),
            None => text.contains(&format!("\"id\": \"{case}\"")),
        }
    };
    let rows = rows(&page);
    // The design's list has 18 points.
    assert!(rows.len() >= 18, "{} rows", rows.len());
    for (row, names) in rows {
        let named: Vec<&&str> = names
            .iter()
            .filter(|name| name.contains("::") || name.contains(".json#"))
            .collect();
        assert!(!named.is_empty(), "nothing shows: {row}");
        for name in named {
            assert!(exists(name), "`{name}` does not exist");
        }
    }
}
