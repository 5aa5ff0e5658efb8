// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Rules of single files: licence, head, size, names, words.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// The most lines of a source file.
const MAX_LINES: usize = 500;
/// The first two lines of every Rust file.
const LICENCE: [&str; 2] = [
    "// Copyright 2026 The Lakeward Authors",
    "// SPDX-License-Identifier: Apache-2.0",
];
/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 8] = [
    "utils", "util", "common", "core", "helpers", "helper", "types", "misc",
];
/// Folders that hold no source of ours.
const SKIPPED: [&str; 4] = ["target", "node_modules", "__pycache__", "lakeward-data"];
/// Endings of the files that are read.
const READ: [&str; 9] = ["rs", "sql", "toml", "md", "py", "sh", "yaml", "json", "tsv"];

/// Checks every file below `root`.
pub(super) fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut findings = Vec::new();
    let mut files = Vec::new();
    walk(root, &mut files)?;
    for file in files {
        let path = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        let stem = file
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or_default();
        let ending = file
            .extension()
            .and_then(|ending| ending.to_str())
            .unwrap_or_default();
        if EMPTY_NAMES.contains(&stem) {
            findings.push(format!(
                "{path}: the name `{stem}` says nothing about what is inside"
            ));
        }
        if !READ.contains(&ending) {
            continue;
        }
        let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read `{path}`"))?;
        findings.extend(
            words(&text)
                .into_iter()
                .map(|finding| format!("{path}:{finding}")),
        );
        if ending == "rs" {
            findings.extend(
                rust(&text)
                    .into_iter()
                    .map(|finding| format!("{path}: {finding}")),
            );
        }
    }
    Ok(findings)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // Hidden folders are of tools, except the entry point of continuous integration.
        if (name.starts_with('.') && name != ".ci") || SKIPPED.contains(&name.as_str()) {
            continue;
        }
        let kind = entry.file_type()?;
        if kind.is_dir() {
            walk(&entry.path(), files)?;
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// Rules of Rust files.
fn rust(text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let mut lines = text.lines();
    if LICENCE.iter().any(|expected| lines.next() != Some(expected)) {
        findings.push("the file does not begin with the two lines of the licence".to_owned());
    }
    let head = lines.find(|line| !line.trim().is_empty() && !line.starts_with("#!"));
    if !head.is_some_and(|line| line.starts_with("//! ")) {
        findings.push("the file has no `//!` head that says what it is for".to_owned());
    }
    let count = text.lines().count();
    if count > MAX_LINES {
        findings.push(format!(
            "{count} lines; a file has one reason and at most {MAX_LINES}"
        ));
    }
    findings
}

/// Words that no file may hold, with their line.
fn words(text: &str) -> Vec<String> {
    // Put together here, so that this file does not find itself.
    let unfinished = [["TO", "DO"].concat(), ["FIX", "ME"].concat()];
    let machine = [["/wo", "rk/"].concat(), ["/ho", "me/"].concat()];
    let mut findings = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let number = number + 1;
        for word in &unfinished {
            let is_open = line
                .split(word.as_str())
                .skip(1)
                .any(|rest| !rest.starts_with("(#") && !rest.starts_with(|c: char| c.is_alphanumeric()));
            if is_open {
                findings.push(format!("{number}: {word} without its issue, as in {word}(#12)"));
            }
        }
        for word in &machine {
            if line.contains(word.as_str()) {
                findings.push(format!("{number}: a path of somebody's machine (`{word}`)"));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{rust, words};

    #[test]
    fn a_rust_file_has_licence_head_and_size() {
        let licence = "// Copyright 2026 The Lakeward Authors\n// SPDX-License-Identifier: Apache-2.0\n";
        assert!(rust(&format!("{licence}\n//! What for.\n")).is_empty());
        assert_eq!(rust("//! What for.\n").len(), 2);
        assert_eq!(rust(&format!("{licence}\nuse x;\n")).len(), 1);
        assert_eq!(
            rust(&format!("{licence}\n//! What for.\n{}", "\n".repeat(500))).len(),
            1
        );
    }

    #[test]
    fn words_are_found_by_line() {
        let open = ["x\n// TO", "DO: later"].concat();
        assert_eq!(words(&open).len(), 1);
        let kept = ["// TO", "DO(#12): later"].concat();
        assert!(words(&kept).is_empty());
        let path = ["see /wo", "rk/main"].concat();
        assert_eq!(words(&path).len(), 1);
    }
}
