// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tags on objects: what a request to change them means.
//!
//! An assignment of a tag on one object is either valueless or a set of values. The names API replaces nothing and
//! refuses what is there already; the values API is incremental and repeatable, and a value takes the place of an
//! assignment without (recordings 08 and 08b).

use std::collections::BTreeSet;

use crate::tag::{AllowedValues, TagError, check_value};

/// One tag with one value, or without.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TagValue {
    /// The tag's name.
    pub tag: String,
    /// The value; `None` for a valueless assignment.
    pub value: Option<String>,
}

/// A tag as it is now on one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentTag {
    /// What its assignments may have.
    pub allowed_values: AllowedValues,
    /// `None`: not assigned directly. An empty set: assigned without a value.
    pub values: Option<BTreeSet<String>>,
}

/// What a request asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AssignmentRequest {
    /// The names API: whole tags.
    Names {
        /// Tags to add without a value.
        add: Vec<String>,
        /// Tags to remove with all their values.
        remove: Vec<String>,
    },
    /// The values API: single pairs.
    Values {
        /// Pairs to add.
        add: Vec<TagValue>,
        /// Pairs to remove.
        remove: Vec<TagValue>,
    },
}

/// The rows to write; both lists may be empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AssignmentPlan {
    /// Rows to insert.
    pub add: Vec<TagValue>,
    /// Rows to delete.
    pub remove: Vec<TagValue>,
}

/// Why tags cannot be changed so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AssignmentError {
    /// A value that the tag does not allow, or no value at all.
    #[error(transparent)]
    Value(#[from] TagError),
    /// The names API adds what is there already.
    #[error("already assigned to the object: {}", .0.join(", "))]
    AlreadyAssociated(Vec<String>),
    /// One pair is in both lists.
    #[error("`tagsToAdd` and `tagsToRemove` must not overlap")]
    Overlap,
    /// A tag would have a value and none at the same time.
    #[error("tag `{0}` cannot be assigned both with and without a value")]
    Mixed(String),
    /// A name is empty.
    #[error("`{0}` must not contain null or empty names")]
    EmptyName(&'static str),
}

impl AssignmentRequest {
    /// The names of all tags in the request; each must be authorized.
    pub fn tags(&self) -> BTreeSet<&str> {
        match self {
            Self::Names { add, remove } => add.iter().chain(remove).map(String::as_str).collect(),
            Self::Values { add, remove } => add.iter().chain(remove).map(|pair| pair.tag.as_str()).collect(),
        }
    }

    /// What to write, given the direct assignments of the object. `current` answers `None` for a tag that does not
    /// exist; those are passed over.
    ///
    /// # Errors
    /// [`AssignmentError`]; nothing is to be written then.
    pub fn plan(
        &self,
        current: impl Fn(&str) -> Option<CurrentTag>,
    ) -> Result<AssignmentPlan, AssignmentError> {
        match self {
            Self::Names { add, remove } => plan_names(add, remove, current),
            Self::Values { add, remove } => plan_values(add, remove, current),
        }
    }
}

fn plan_names(
    add: &[String],
    remove: &[String],
    current: impl Fn(&str) -> Option<CurrentTag>,
) -> Result<AssignmentPlan, AssignmentError> {
    let named = |names: &[String], member| {
        if names.iter().any(|name| name.trim().is_empty()) {
            return Err(AssignmentError::EmptyName(member));
        }
        Ok(names.iter().cloned().collect::<BTreeSet<String>>())
    };
    let add = named(add, "tagsToAdd")?;
    let remove = named(remove, "tagsToRemove")?;
    let mut plan = AssignmentPlan::default();
    let mut already = Vec::new();
    // A name in both lists cancels.
    for tag in add.difference(&remove) {
        let Some(known) = current(tag) else { continue };
        known.allowed_values.check(tag, None)?;
        match known.values {
            None => plan.add.push(TagValue {
                tag: tag.clone(),
                value: None,
            }),
            Some(values) if values.is_empty() => already.push(tag.clone()),
            Some(_) => return Err(AssignmentError::Mixed(tag.clone())),
        }
    }
    if !already.is_empty() {
        return Err(AssignmentError::AlreadyAssociated(already));
    }
    for tag in remove.difference(&add) {
        if let Some(values) = current(tag).and_then(|known| known.values) {
            plan.remove.extend(rows(tag, &values));
        }
    }
    Ok(plan)
}

fn plan_values(
    add: &[TagValue],
    remove: &[TagValue],
    current: impl Fn(&str) -> Option<CurrentTag>,
) -> Result<AssignmentPlan, AssignmentError> {
    for (pairs, member) in [(add, "tagsToAdd"), (remove, "tagsToRemove")] {
        for pair in pairs {
            if pair.tag.trim().is_empty() {
                return Err(AssignmentError::EmptyName(member));
            }
            if let Some(value) = &pair.value {
                check_value(value, member)?;
            }
        }
    }
    let add: BTreeSet<&TagValue> = add.iter().collect();
    let remove: BTreeSet<&TagValue> = remove.iter().collect();
    if !add.is_disjoint(&remove) {
        return Err(AssignmentError::Overlap);
    }
    let mut plan = AssignmentPlan::default();
    for tag in add
        .iter()
        .chain(&remove)
        .map(|pair| &pair.tag)
        .collect::<BTreeSet<_>>()
    {
        let Some(known) = current(tag) else { continue };
        let now: BTreeSet<TagValue> = known.values.iter().flat_map(|values| rows(tag, values)).collect();
        let mut after = now.clone();
        for pair in remove.iter().filter(|pair| pair.tag == *tag) {
            after.remove(*pair);
        }
        let added = || add.iter().filter(|pair| pair.tag == *tag);
        if added().all(|pair| pair.value.is_some()) && added().next().is_some() {
            after.retain(|pair| pair.value.is_some());
        }
        for pair in added() {
            known.allowed_values.check(tag, pair.value.as_deref())?;
            after.insert((*pair).clone());
        }
        if after.len() > 1 && after.iter().any(|pair| pair.value.is_none()) {
            return Err(AssignmentError::Mixed(tag.clone()));
        }
        plan.add.extend(after.difference(&now).cloned());
        plan.remove.extend(now.difference(&after).cloned());
    }
    Ok(plan)
}

/// An assignment as rows: one per value, or one without.
fn rows(tag: &str, values: &BTreeSet<String>) -> Vec<TagValue> {
    let row = |value| TagValue {
        tag: tag.to_owned(),
        value,
    };
    if values.is_empty() {
        return vec![row(None)];
    }
    values.iter().map(|value| row(Some(value.clone()))).collect()
}

#[cfg(test)]
mod tests;
