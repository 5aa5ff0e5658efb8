// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A directory of policies, tags and tests as YAML files. What a file is, its first members say, not its name.

mod policy_file;
mod tag_file;

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::malformed::Malformed;
use super::test::TestFile;

pub(crate) use policy_file::{OnTag, PolicyFile, write as write_policy};
pub(crate) use tag_file::{TagFile, write as write_tag};

/// The files of a directory and of those below it, by path.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) policies: Vec<(PathBuf, PolicyFile)>,
    pub(crate) tags: Vec<(PathBuf, TagFile)>,
    pub(crate) tests: Vec<(PathBuf, TestFile)>,
    /// Files that are none of these, or not as they must be.
    pub(crate) malformed: Vec<Malformed>,
}

/// The members of which a file has exactly one.
#[derive(Deserialize)]
struct Head {
    policy: Option<IgnoredAny>,
    tag: Option<IgnoredAny>,
    table: Option<IgnoredAny>,
}

impl Tree {
    /// Reads every `.yaml` and `.yml` file; hidden files and folders are passed over.
    ///
    /// # Errors
    /// When a folder cannot be listed. What is wrong with files is in the result.
    pub(crate) fn read(directory: &Path) -> anyhow::Result<Self> {
        let mut tree = Self::default();
        for path in files(directory)? {
            if let Err(malformed) = tree.add(&path) {
                tree.malformed.push(malformed);
            }
        }
        Ok(tree)
    }

    /// One file alone.
    pub(crate) fn of_file(path: &Path) -> Self {
        let mut tree = Self::default();
        if let Err(malformed) = tree.add(path) {
            tree.malformed.push(malformed);
        }
        tree
    }

    fn add(&mut self, path: &Path) -> Result<(), Malformed> {
        let text = read(path)?;
        let head: Head = parse(path, &text)?;
        match (head.policy, head.tag, head.table) {
            (Some(_), None, None) => self.policies.push((path.to_owned(), parse(path, &text)?)),
            (None, Some(_), None) => self.tags.push((path.to_owned(), parse(path, &text)?)),
            (None, None, Some(_)) => self.tests.push((path.to_owned(), parse(path, &text)?)),
            _ => {
                return Err(Malformed::file(
                    path,
                    "a file has one of the members `policy` (a policy), `tag` (a tag) and `table` (tests of a table)",
                ));
            }
        }
        Ok(())
    }
}

/// Whether a file is YAML by its name.
pub(crate) fn is_yaml(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "yaml" || extension == "yml")
}

/// One policy file.
pub(crate) fn read_policy(path: &Path) -> Result<PolicyFile, Malformed> {
    parse(path, &read(path)?)
}

/// One tag file.
pub(crate) fn read_tag(path: &Path) -> Result<TagFile, Malformed> {
    parse(path, &read(path)?)
}

fn read(path: &Path) -> Result<String, Malformed> {
    std::fs::read_to_string(path)
        .map_err(|error| Malformed::file(path, format!("the file cannot be read: {error}")))
}

/// Reads one YAML document. Members that are repeated or unknown are refused; `yes`, `no`, `on` and `off` are text.
pub(crate) fn parse<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, Malformed> {
    let options = serde_saphyr::options! {
        strict_booleans: true,
        non_finite_float_policy: serde_saphyr::NonFiniteFloatPolicy::AsString,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| Malformed::yaml(path, &error))
}

/// YAML files below a folder in the order of their paths.
pub(crate) fn files(directory: &Path) -> anyhow::Result<Vec<PathBuf>> {
    use anyhow::Context;

    let mut found = Vec::new();
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder)
            .with_context(|| format!("the folder `{}` cannot be read", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            let path = entry.path();
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if is_yaml(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
