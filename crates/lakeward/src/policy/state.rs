// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The policies and tags of a metalake as plain values: of a server, or as a directory wants them.

pub(crate) mod server;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use lakeward_governance::policy::PolicyType;
use lakeward_metadata::object::MetadataObject;
use serde_json::Value;

use super::malformed::Malformed;
use super::tree::Tree;

/// Everything that is exported and applied, by name.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct State {
    pub(crate) policies: BTreeMap<String, Policy>,
    pub(crate) tags: BTreeMap<String, Tag>,
}

/// A policy and the tags that it is on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Policy {
    pub(crate) policy_type: String,
    pub(crate) comment: Option<String>,
    pub(crate) enabled: bool,
    pub(crate) content: Value,
    /// Tags by name, each with the value that selects; `None` where every assignment does.
    pub(crate) on: BTreeMap<String, Option<String>>,
}

/// A tag and the objects that it is on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Tag {
    pub(crate) comment: Option<String>,
    pub(crate) properties: BTreeMap<String, String>,
    /// `None`: any value. Never changes once the tag is there.
    pub(crate) allowed_values: Option<Vec<String>>,
    /// Objects with the values of the assignment; no value for one without.
    pub(crate) assigned: BTreeMap<MetadataObject, BTreeSet<String>>,
}

impl Policy {
    /// What a restriction policy says; `None` for other types.
    pub(crate) fn expression(&self) -> Option<&str> {
        if !self.restricts() {
            return None;
        }
        self.content.get("expression").and_then(Value::as_str)
    }

    /// Whether the policy restricts what readers see. A type that this version does not know may.
    pub(crate) fn restricts(&self) -> bool {
        self.policy_type
            .parse()
            .map_or(true, |policy_type: PolicyType| policy_type.is_restriction())
    }
}

impl State {
    /// What a directory says. Tests in it are not looked at.
    ///
    /// # Errors
    /// Everything that is wrong with its files.
    pub(crate) fn of_tree(tree: &Tree) -> Result<Self, Vec<Malformed>> {
        let mut state = Self::default();
        let mut malformed = tree.malformed.clone();
        let mut places: BTreeMap<(&str, &str), PathBuf> = BTreeMap::new();
        for (path, file) in &tree.policies {
            malformed.extend(twice(&mut places, "policy", &file.policy.value, path));
            match file.checked(path) {
                Ok(policy) => drop(state.policies.insert(file.policy.value.clone(), policy)),
                Err(problem) => malformed.push(problem),
            }
        }
        for (path, file) in &tree.tags {
            malformed.extend(twice(&mut places, "tag", &file.tag.value, path));
            match file.checked(path) {
                Ok(tag) => drop(state.tags.insert(file.tag.value.clone(), tag)),
                Err(problem) => malformed.push(problem),
            }
        }
        if malformed.is_empty() {
            Ok(state)
        } else {
            malformed.sort();
            Err(malformed)
        }
    }
}

/// Notes a name, and says where it was before.
fn twice<'tree>(
    places: &mut BTreeMap<(&'tree str, &'tree str), PathBuf>,
    kind: &'tree str,
    name: &'tree str,
    path: &Path,
) -> Option<Malformed> {
    let earlier = places.insert((kind, name), path.to_owned())?;
    Some(Malformed::file(
        path,
        format!("the {kind} `{name}` is in `{}` too", earlier.display()),
    ))
}
