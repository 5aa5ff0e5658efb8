// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What must be done so that a server has what a directory says, in an order in which nothing opens in between.
//!
//! Everything new is made closed and put in its place before it is enabled, and what is enabled takes effect before
//! anything is taken away. Conflicts may refuse loads in between; a load that shows too much cannot happen.

mod change;
mod simulation;
mod widening;

use std::collections::{BTreeMap, BTreeSet};

use lakeward_metadata::object::MetadataObject;
use serde_json::{Value, json};

use super::state::{Policy, State, Tag};

pub(crate) use change::{Change, Step};
use widening::Widening;
pub(crate) use widening::ancestors;

/// The steps in the order in which they are carried out.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    /// What the server has and the directory does not, and what therefore stays.
    pub(crate) kept: Vec<String>,
    /// What no call can do.
    pub(crate) impossible: Vec<String>,
}

/// What the server has beyond the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surplus {
    /// It stays.
    Keep,
    /// It goes.
    Prune,
}

impl Plan {
    /// Compares two states.
    pub(crate) fn new(now: &State, wanted: &State, surplus: Surplus) -> Self {
        let mut planner = Planner {
            now,
            widening: Widening(now),
            surplus,
            plan: Self::default(),
        };
        for (name, tag) in &wanted.tags {
            planner.tag(name, tag);
        }
        for (name, policy) in &wanted.policies {
            planner.policy(name, policy);
        }
        for name in now
            .policies
            .keys()
            .filter(|name| !wanted.policies.contains_key(*name))
        {
            planner.surplus(Change::DropPolicy { policy: name.clone() });
        }
        // A tag without a file stays where a policy of the directory is on it.
        let is_used = |name: &String| {
            wanted
                .policies
                .values()
                .any(|policy| policy.on.contains_key(name))
        };
        for name in now
            .tags
            .keys()
            .filter(|name| !wanted.tags.contains_key(*name) && !is_used(name))
        {
            planner.surplus(Change::DropTag { tag: name.clone() });
        }
        for (policy, wanted_policy) in &wanted.policies {
            for tag in wanted_policy.on.keys() {
                if !wanted.tags.contains_key(tag) && !now.tags.contains_key(tag) {
                    planner.plan.impossible.push(format!(
                        "policy `{policy}` is to be on the tag `{tag}`, which neither the server nor the directory has"
                    ));
                }
            }
        }
        let mut plan = planner.plan;
        order(now, &mut plan.steps);
        if bridge(&mut plan.steps) {
            order(now, &mut plan.steps);
        }
        plan
    }

    /// Steps that take an enabled restriction from something.
    pub(crate) fn widening(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| step.widens.is_some())
    }

    /// Whether a policy is enabled that is not by now.
    pub(crate) fn enables(&self, name: &str) -> bool {
        self.steps
            .iter()
            .any(|step| matches!(&step.change, Change::Enable { policy } if policy == name))
    }

    /// The plan for programs.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "steps": self.steps.iter().map(Step::to_json).collect::<Vec<_>>(),
            "kept": self.kept,
            "impossible": self.impossible,
        })
    }
}

/// Puts steps in their order and judges each by its place there. Of those that change selectors, the ones that take
/// nothing away come first.
fn order(now: &State, steps: &mut [Step]) {
    steps.sort_by_key(Step::rank);
    judge_again(now, steps);
    // Nothing else moves, and selectors of different policies do not depend on each other.
    steps.sort_by_key(|step| {
        let is_late = matches!(step.change, Change::Put { .. }) && step.widens.is_some();
        (step.rank(), is_late)
    });
    judge_again(now, steps);
}

/// Where several selectors change and each takes its policy from something, one would go before another has come: two
/// policies that change places would leave both without. So each of these selects every value until all have come.
/// Gives whether there are such.
fn bridge(steps: &mut Vec<Step>) -> bool {
    let moves = |step: &Step| matches!(step.change, Change::Put { .. }) && step.widens.is_some();
    if steps.iter().filter(|step| moves(step)).count() < 2 {
        return false;
    }
    let mut bridges = Vec::new();
    for step in steps.iter_mut() {
        if !moves(step) {
            continue;
        }
        if let Change::Put {
            policy,
            tag,
            before: Some(before),
            ..
        } = &mut step.change
            && let Some(value) = before.take()
        {
            bridges.push(Step {
                change: Change::Put {
                    policy: policy.clone(),
                    tag: tag.clone(),
                    value: None,
                    before: Some(Some(value)),
                },
                widens: None,
                is_late: false,
                is_enabled: false,
            });
        }
    }
    steps.extend(bridges);
    true
}

/// Judges each step by the state that the steps before it leave.
fn judge_again(now: &State, steps: &mut [Step]) {
    let mut state = now.clone();
    for step in steps {
        step.widens = Widening(&state).of(&step.change);
        simulation::make(&mut state, &step.change);
    }
}

struct Planner<'a> {
    now: &'a State,
    widening: Widening<'a>,
    surplus: Surplus,
    plan: Plan,
}

impl Planner<'_> {
    fn step(&mut self, change: Change) {
        let widens = self.widening.of(&change);
        let is_enabled = self.is_enabled_now(&change);
        self.plan.steps.push(Step {
            change,
            is_late: widens.is_some(),
            widens,
            is_enabled,
        });
    }

    /// Something that the directory does not have.
    fn surplus(&mut self, change: Change) {
        match self.surplus {
            Surplus::Prune => self.step(change),
            Surplus::Keep => self.plan.kept.push(change.kept()),
        }
    }

    /// Whether the change is of a policy that takes effect now.
    fn is_enabled_now(&self, change: &Change) -> bool {
        match change {
            Change::AlterPolicy { policy, .. } => {
                self.now.policies.get(policy).is_some_and(|policy| policy.enabled)
            }
            Change::CreateTag { .. }
            | Change::AlterTag { .. }
            | Change::CreatePolicy { .. }
            | Change::Put { .. }
            | Change::Assign { .. }
            | Change::Enable { .. }
            | Change::Disable { .. }
            | Change::TakeOff { .. }
            | Change::Unassign { .. }
            | Change::DropPolicy { .. }
            | Change::DropTag { .. } => false,
        }
    }

    fn tag(&mut self, name: &str, wanted: &Tag) {
        let nothing = Tag::default();
        let before = self.now.tags.get(name);
        match before {
            None => self.step(Change::CreateTag {
                tag: name.to_owned(),
                definition: wanted.clone(),
            }),
            Some(before) => {
                if before.allowed_values != wanted.allowed_values {
                    self.plan.impossible.push(format!(
                        "the allowed values of tag `{name}` differ, and those of a tag never change; make another tag"
                    ));
                }
                let updates = tag_updates(before, wanted);
                if !updates.is_empty() {
                    self.step(Change::AlterTag {
                        tag: name.to_owned(),
                        updates,
                    });
                }
            }
        }
        let before = before.unwrap_or(&nothing);
        for (object, values) in &wanted.assigned {
            if before.assigned.get(object) != Some(values) {
                self.assign(object, name, before.assigned.get(object), values);
            }
        }
        for (object, values) in &before.assigned {
            if !wanted.assigned.contains_key(object) {
                self.unassign(object, name, values, wanted);
            }
        }
    }

    fn policy(&mut self, name: &str, wanted: &Policy) {
        let Some(before) = self.now.policies.get(name) else {
            self.step(Change::CreatePolicy {
                policy: name.to_owned(),
                definition: wanted.clone(),
            });
            for (tag, value) in &wanted.on {
                self.put(name, tag, value.clone(), None);
            }
            if wanted.enabled {
                self.step(Change::Enable {
                    policy: name.to_owned(),
                });
            }
            return;
        };
        if before.policy_type != wanted.policy_type {
            self.plan.impossible.push(format!(
                "policy `{name}` is of type {}, and the type of a policy never changes; make another policy",
                before.policy_type
            ));
            return;
        }
        let updates = policy_updates(before, wanted);
        if !updates.is_empty() {
            self.step(Change::AlterPolicy {
                policy: name.to_owned(),
                before: Box::new(before.clone()),
                wanted: Box::new(wanted.clone()),
                updates,
            });
        }
        for (tag, value) in &wanted.on {
            let earlier = before.on.get(tag);
            if earlier != Some(value) {
                self.put(name, tag, value.clone(), earlier.cloned());
            }
        }
        let on: BTreeSet<&String> = before.on.keys().collect();
        for tag in on {
            if !wanted.on.contains_key(tag) {
                self.surplus(Change::TakeOff {
                    policy: name.to_owned(),
                    tag: tag.clone(),
                });
            }
        }
        match (before.enabled, wanted.enabled) {
            (false, true) => self.step(Change::Enable {
                policy: name.to_owned(),
            }),
            (true, false) => self.step(Change::Disable {
                policy: name.to_owned(),
            }),
            (true, true) | (false, false) => {}
        }
    }

    /// Where values come and others go, the new ones come first: a policy that changes to a new value finds it there
    /// before the old one goes.
    fn assign(
        &mut self,
        object: &MetadataObject,
        tag: &str,
        before: Option<&BTreeSet<String>>,
        values: &BTreeSet<String>,
    ) {
        let change = |before: Option<&BTreeSet<String>>, values: &BTreeSet<String>| Change::Assign {
            object: object.clone(),
            tag: tag.to_owned(),
            before: before.cloned(),
            values: values.clone(),
        };
        let whole = change(before, values);
        // What the object has until now, of itself or from above.
        let effective = before.or_else(|| nearest_above(object, &self.now.tags.get(tag)?.assigned));
        if let Some(effective) = effective
            && self.widening.of(&whole).is_some()
        {
            let all: BTreeSet<String> = effective.union(values).cloned().collect();
            // An assignment without value cannot have one beside it.
            if !effective.is_empty() && before != Some(&all) && all != *values {
                self.step(change(before, &all));
                self.late_step(change(Some(&all), values));
                return;
            }
        }
        self.step(whole);
    }

    /// Where values come from above when those of the object go, they come first.
    fn unassign(&mut self, object: &MetadataObject, tag: &str, values: &BTreeSet<String>, wanted: &Tag) {
        let gone = |values: &BTreeSet<String>| Change::Unassign {
            object: object.clone(),
            tag: tag.to_owned(),
            values: values.clone(),
        };
        if self.surplus == Surplus::Prune
            && self.widening.of(&gone(values)).is_some()
            && let Some(above) = nearest_above(object, &wanted.assigned)
            && !above.is_subset(values)
        {
            let all: BTreeSet<String> = values.union(above).cloned().collect();
            self.step(Change::Assign {
                object: object.clone(),
                tag: tag.to_owned(),
                before: Some(values.clone()),
                values: all.clone(),
            });
            self.late_step(gone(&all));
            return;
        }
        self.surplus(gone(values));
    }

    /// A step that comes after policies have been enabled and have changed, whatever it is.
    fn late_step(&mut self, change: Change) {
        self.plan.steps.push(Step {
            change,
            widens: None,
            is_late: true,
            is_enabled: false,
        });
    }

    fn put(&mut self, policy: &str, tag: &str, value: Option<String>, before: Option<Option<String>>) {
        // What selects no longer what it did waits for the assignments, also where it takes nothing away by itself.
        let narrows = before.is_some() && value.is_some();
        let is_enabled = self.now.policies.get(policy).is_some_and(|policy| policy.enabled);
        let change = Change::Put {
            policy: policy.to_owned(),
            tag: tag.to_owned(),
            value,
            before,
        };
        if narrows && is_enabled {
            self.late_step(change);
        } else {
            self.step(change);
        }
    }
}

/// The assignment that an object inherits.
fn nearest_above<'a>(
    object: &MetadataObject,
    assigned: &'a BTreeMap<MetadataObject, BTreeSet<String>>,
) -> Option<&'a BTreeSet<String>> {
    ancestors(object)
        .into_iter()
        .find_map(|object| assigned.get(&object))
}

fn comment_update(before: Option<&String>, wanted: Option<&String>) -> Option<Value> {
    (before != wanted).then(|| json!({"@type": "updateComment", "newComment": wanted}))
}

fn tag_updates(before: &Tag, wanted: &Tag) -> Vec<Value> {
    let mut updates: Vec<Value> = comment_update(before.comment.as_ref(), wanted.comment.as_ref())
        .into_iter()
        .collect();
    for (property, value) in &wanted.properties {
        if before.properties.get(property) != Some(value) {
            updates.push(json!({"@type": "setProperty", "property": property, "value": value}));
        }
    }
    for property in before.properties.keys() {
        if !wanted.properties.contains_key(property) {
            updates.push(json!({"@type": "removeProperty", "property": property}));
        }
    }
    updates
}

fn policy_updates(before: &Policy, wanted: &Policy) -> Vec<Value> {
    let mut updates: Vec<Value> = comment_update(before.comment.as_ref(), wanted.comment.as_ref())
        .into_iter()
        .collect();
    if before.content != wanted.content {
        updates.push(json!({
            "@type": "updateContent", "policyType": wanted.policy_type, "newContent": wanted.content
        }));
    }
    updates
}

#[cfg(test)]
mod tests;
