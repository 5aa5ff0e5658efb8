// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which changes take an enabled restriction from an object, as far as the caller sees. The server decides.

use std::collections::{BTreeMap, BTreeSet};

use lakeward_governance::selector::Selector;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;

use super::Change;
use super::change::place;
use crate::policy::state::State;

/// Separates the levels of a nested schema within its name.
const SCHEMA_SEPARATOR: char = ':';

type Assigned = BTreeMap<MetadataObject, BTreeSet<String>>;

/// The state before the change.
pub(super) struct Widening<'a>(pub(super) &'a State);

impl Widening<'_> {
    /// What loses which policies, in words; `None` when nothing does.
    pub(super) fn of(&self, change: &Change) -> Option<String> {
        let lost: BTreeSet<(String, String)> = match change {
            Change::CreateTag { .. }
            | Change::AlterTag { .. }
            | Change::CreatePolicy { .. }
            | Change::AlterPolicy { .. }
            | Change::Enable { .. } => return None,
            Change::Put {
                policy,
                tag,
                value,
                before,
            } => {
                before.as_ref()?;
                self.selector_losses(policy, tag, Some(&selector(value.as_deref())))
            }
            Change::TakeOff { policy, tag } => self.selector_losses(policy, tag, None),
            Change::Disable { policy } | Change::DropPolicy { policy } => {
                let on = self.0.policies.get(policy)?.on.keys();
                on.flat_map(|tag| self.selector_losses(policy, tag, None))
                    .collect()
            }
            Change::DropTag { tag } => self
                .closing(tag)
                .flat_map(|(policy, _)| self.selector_losses(policy, tag, None))
                .collect(),
            Change::Assign {
                object, tag, values, ..
            } => self.assignment_losses(object, tag, Some(values)),
            Change::Unassign { object, tag, .. } => self.assignment_losses(object, tag, None),
        };
        if lost.is_empty() {
            return None;
        }
        let policies: BTreeSet<&str> = lost.iter().map(|(policy, _)| policy.as_str()).collect();
        let mut objects: Vec<&str> = lost.iter().map(|(_, object)| object.as_str()).collect();
        objects.sort_unstable();
        objects.dedup();
        let policies: Vec<&str> = policies.into_iter().collect();
        let more = objects.len().saturating_sub(3);
        objects.truncate(3);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        Some(format!(
            "takes {} from {}{more}",
            policies.join(", "),
            objects.join(", ")
        ))
    }

    /// Enabled restriction policies on a tag.
    fn closing<'s>(&'s self, tag: &'s str) -> impl Iterator<Item = (&'s str, Selector)> {
        self.0
            .policies
            .iter()
            .filter(|(_, policy)| policy.enabled && policy.restricts())
            .filter_map(move |(name, policy)| {
                let value = policy.on.get(tag)?;
                Some((name.as_str(), selector(value.as_deref())))
            })
    }

    fn assigned(&self, tag: &str) -> Option<&Assigned> {
        self.0.tags.get(tag).map(|tag| &tag.assigned)
    }

    /// What a policy on a tag stops selecting when its selector becomes `next`, or it is taken away.
    fn selector_losses(
        &self,
        policy: &str,
        tag: &str,
        next: Option<&Selector>,
    ) -> BTreeSet<(String, String)> {
        let Some((_, before)) = self.closing(tag).find(|(name, _)| *name == policy) else {
            return BTreeSet::new();
        };
        self.assigned(tag)
            .into_iter()
            .flatten()
            .filter(|(_, values)| {
                let values = texts(values);
                before.matches(&values) && !next.is_some_and(|next| next.matches(&values))
            })
            .map(|(object, _)| (policy.to_owned(), place(object)))
            .collect()
    }

    /// What an object stops having when its assignment of a tag gets other values, or goes.
    fn assignment_losses(
        &self,
        object: &MetadataObject,
        tag: &str,
        next: Option<&BTreeSet<String>>,
    ) -> BTreeSet<(String, String)> {
        let nothing = Assigned::new();
        let assigned = self.assigned(tag).unwrap_or(&nothing);
        let above = || {
            ancestors(object)
                .into_iter()
                .find_map(|object| assigned.get(&object))
        };
        let before = assigned.get(object).or_else(above);
        let after = next.or_else(above);
        self.closing(tag)
            .filter(|(_, selector)| {
                let matches = |values: Option<&BTreeSet<String>>| {
                    values.is_some_and(|values| selector.matches(&texts(values)))
                };
                matches(before) && !matches(after)
            })
            .map(|(policy, _)| (policy.to_owned(), place(object)))
            .collect()
    }
}

fn selector(value: Option<&str>) -> Selector {
    value.map_or(Selector::AllValues, |value| Selector::TagValue(value.to_owned()))
}

fn texts(values: &BTreeSet<String>) -> BTreeSet<&str> {
    values.iter().map(String::as_str).collect()
}

/// The objects above an object, the nearest first.
pub(crate) fn ancestors(object: &MetadataObject) -> Vec<MetadataObject> {
    let mut above = Vec::new();
    let mut path = object.path.clone();
    loop {
        let nested = match path.as_slice() {
            [_, schema] => schema
                .rsplit_once(SCHEMA_SEPARATOR)
                .map(|(outer, _)| outer.to_owned()),
            _ => None,
        };
        match (nested, path.last_mut()) {
            (Some(outer), Some(schema)) => *schema = outer,
            _ => drop(path.pop()),
        }
        let kind = match path.len() {
            0 => return above,
            1 => ObjectKind::Catalog,
            2 => ObjectKind::Schema,
            _ => ObjectKind::Table,
        };
        above.push(MetadataObject {
            kind,
            path: path.clone(),
        });
    }
}
