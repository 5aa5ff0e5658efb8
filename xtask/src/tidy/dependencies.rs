// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Rules between crates: the table of ARCHITECTURE.md against the truth, and what must not be in a graph.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::process::Command;

use anyhow::Context as _;
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Node, PackageId};

/// Crates that do no I/O.
const PURE: [&str; 8] = [
    "metadata",
    "authorization",
    "read-restrictions",
    "policy-language",
    "governance",
    "gravitino-api",
    "iceberg-api",
    "scim-api",
];
/// What pure crates must not reach, at any distance.
const IMPURE: [&str; 5] = ["tokio", "sqlx", "axum", "reqwest", "hyper"];
/// What pure crates must not say.
const IMPURE_PATHS: [&str; 4] = ["std::fs", "std::net", "std::process", "std::env"];
/// Crate, and what must not be in its graph, with the reason.
const ABSENT: [(&str, &str, &str); 3] = [
    (
        "server",
        "datafusion",
        "daily work on the server does not wait for the query engine",
    ),
    ("reader", "axum", "the reader works against any server"),
    ("reader", "sqlx", "the reader knows no store"),
];

/// Checks the workspace at `root`.
pub(super) fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let metadata = metadata(root)?;
    let table =
        std::fs::read_to_string(root.join("ARCHITECTURE.md")).context("cannot read `ARCHITECTURE.md`")?;
    let allowed = parse_table(&table);
    let actual = ours(&metadata, root);
    let mut findings = compare(&allowed, &actual);
    let graph = Graph::new(&metadata)?;
    let forbidden = PURE
        .iter()
        .flat_map(|krate| IMPURE.map(|absent| (*krate, absent, "pure crates do no I/O")))
        .chain(ABSENT);
    for (krate, absent, reason) in forbidden {
        if let Some(path) = graph.path(&format!("lakeward-{krate}"), absent) {
            findings.push(format!(
                "{krate}: reaches {absent} by {}; {reason}",
                path.join(" > ")
            ));
        }
    }
    for krate in PURE {
        findings.extend(impure_paths(root, krate)?);
    }
    Ok(findings)
}

fn metadata(root: &Path) -> anyhow::Result<Metadata> {
    // For this platform only: others bring packages that no build here has fetched.
    let version = Command::new("rustc")
        .arg("-vV")
        .output()
        .context("cannot run `rustc`")?;
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .context("`rustc -vV` names no host")?;
    MetadataCommand::new()
        .manifest_path(root.join("Cargo.toml"))
        .other_options(vec!["--filter-platform".to_owned(), host.to_owned()])
        .exec()
        .context("`cargo metadata` failed")
}

/// Rows of the table whose first column is `crate`: names, and the names they may use.
fn parse_table(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut rows = BTreeMap::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("| crate |") {
            inside = true;
        } else if !line.starts_with('|') {
            inside = false;
        } else if inside && !line.starts_with("|--") {
            let mut cells = line.trim_matches('|').split('|').map(str::trim);
            let (names, uses) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
            let uses: BTreeSet<String> = list(uses).collect();
            rows.extend(list(names).map(|name| (name, uses.clone())));
        }
    }
    rows
}

fn list(cell: &str) -> impl Iterator<Item = String> {
    cell.split(',')
        .map(str::trim)
        .filter(|name| *name != "–")
        .map(str::to_owned)
}

/// Our crates by folder, with the folders of the crates that they use outside tests.
fn ours(metadata: &Metadata, root: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let folder = |path: &Path| -> Option<String> {
        let folder = path.strip_prefix(root).ok()?.display().to_string();
        Some(folder.strip_prefix("crates/").unwrap_or(&folder).to_owned())
    };
    metadata
        .workspace_packages()
        .into_iter()
        .filter_map(|package| {
            let name = folder(package.manifest_path.parent()?.as_std_path())?;
            let uses = package
                .dependencies
                .iter()
                .filter(|dependency| dependency.kind != DependencyKind::Development)
                .filter_map(|dependency| folder(dependency.path.as_ref()?.as_std_path()))
                .collect();
            Some((name, uses))
        })
        .collect()
}

fn compare(
    allowed: &BTreeMap<String, BTreeSet<String>>,
    actual: &BTreeMap<String, BTreeSet<String>>,
) -> Vec<String> {
    let mut findings = Vec::new();
    for (name, uses) in actual {
        let group = name.split_once('/').map(|(group, _)| format!("{group}/*"));
        let row = allowed
            .get(name)
            .or_else(|| group.as_ref().and_then(|group| allowed.get(group)));
        let Some(row) = row else {
            findings.push(format!(
                "{name}: ARCHITECTURE.md does not say what it may depend on"
            ));
            continue;
        };
        for other in uses {
            let is_named = row.contains(other)
                || other
                    .split_once('/')
                    .is_some_and(|(group, _)| row.contains(&format!("{group}/*")));
            if !is_named {
                findings.push(format!(
                    "{name}: depends on {other}, which ARCHITECTURE.md does not allow"
                ));
            }
        }
    }
    for name in allowed.keys() {
        if !name.ends_with("/*") && !actual.contains_key(name) {
            findings.push(format!(
                "{name}: ARCHITECTURE.md names it, but there is no such crate"
            ));
        }
    }
    findings
}

/// Which package uses which, outside tests.
struct Graph<'a> {
    names: HashMap<&'a PackageId, &'a str>,
    nodes: HashMap<&'a PackageId, &'a Node>,
}

impl<'a> Graph<'a> {
    fn new(metadata: &'a Metadata) -> anyhow::Result<Self> {
        let resolve = metadata
            .resolve
            .as_ref()
            .context("`cargo metadata` gave no graph")?;
        Ok(Self {
            names: metadata
                .packages
                .iter()
                .map(|package| (&package.id, package.name.as_str()))
                .collect(),
            nodes: resolve.nodes.iter().map(|node| (&node.id, node)).collect(),
        })
    }

    /// A way from one package to another.
    fn path(&self, from: &str, to: &str) -> Option<Vec<&'a str>> {
        let start = self
            .names
            .iter()
            .find(|(_, name)| **name == from)
            .map(|(id, _)| *id)?;
        let mut seen = BTreeSet::from([start]);
        let mut queue = vec![vec![start]];
        while let Some(path) = queue.pop() {
            let node = path.last().and_then(|id| self.nodes.get(id));
            for dependency in node.into_iter().flat_map(|node| &node.deps) {
                let is_used = dependency
                    .dep_kinds
                    .iter()
                    .any(|kind| kind.kind == DependencyKind::Normal);
                if !is_used || !seen.insert(&dependency.pkg) {
                    continue;
                }
                let longer: Vec<&PackageId> = path.iter().copied().chain([&dependency.pkg]).collect();
                if self.names.get(&dependency.pkg) == Some(&to) {
                    return Some(
                        longer
                            .iter()
                            .filter_map(|id| self.names.get(id).copied())
                            .collect(),
                    );
                }
                queue.push(longer);
            }
        }
        None
    }
}

/// Mentions of the file system and its like in the sources of a pure crate, tests aside.
fn impure_paths(root: &Path, krate: &str) -> anyhow::Result<Vec<String>> {
    let mut findings = Vec::new();
    let mut folders = vec![root.join("crates").join(krate).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path
                .file_stem()
                .and_then(|stem| stem.to_str())
                .unwrap_or_default();
            if name == "tests" {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path)?;
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            for word in IMPURE_PATHS.iter().filter(|word| text.contains(**word)) {
                findings.push(format!(
                    "{}: `{word}` in a crate that does no I/O",
                    path.display()
                ));
            }
        }
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::{compare, parse_table};

    const TABLE: &str =
        "| crate | may depend on |\n|---|---|\n| a, b | – |\n| c/* | a, b |\n| d | c/* |\n\n| x | y |\n";

    fn check(actual: &[(&str, &[&str])], expected: usize) {
        let actual = actual
            .iter()
            .map(|(name, uses)| {
                let uses = uses.iter().map(|name| (*name).to_owned()).collect();
                ((*name).to_owned(), uses)
            })
            .collect();
        let findings = compare(&parse_table(TABLE), &actual);
        assert_eq!(findings.len(), expected, "{findings:?}");
    }

    #[test]
    fn the_table_is_compared_with_the_truth() {
        check(&[("a", &[]), ("b", &[]), ("c/x", &["a"]), ("d", &["c/x"])], 0);
        check(&[("a", &["b"]), ("b", &[]), ("d", &["a"])], 2);
        check(&[("a", &[]), ("b", &[]), ("d", &[]), ("e", &[])], 1);
        check(&[("a", &[]), ("d", &[])], 1);
    }
}
