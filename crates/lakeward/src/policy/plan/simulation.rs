// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a server has after a change, so that each step of a plan is judged by the state that it will meet.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Change;
use crate::policy::state::{Policy, State, Tag};

/// Makes a change; one that meets no object changes nothing.
pub(super) fn make(state: &mut State, change: &Change) {
    match change {
        Change::CreateTag { tag, definition } => {
            let made = Tag {
                assigned: BTreeMap::new(),
                ..definition.clone()
            };
            state.tags.insert(tag.clone(), made);
        }
        Change::AlterTag { tag, updates } => {
            if let Some(tag) = state.tags.get_mut(tag) {
                updates.iter().for_each(|update| alter_tag(tag, update));
            }
        }
        Change::CreatePolicy { policy, definition } => {
            let made = Policy {
                enabled: false,
                on: BTreeMap::new(),
                ..definition.clone()
            };
            state.policies.insert(policy.clone(), made);
        }
        Change::AlterPolicy { policy, wanted, .. } => {
            if let Some(policy) = state.policies.get_mut(policy) {
                policy.comment.clone_from(&wanted.comment);
                policy.content.clone_from(&wanted.content);
            }
        }
        Change::Put {
            policy, tag, value, ..
        } => {
            if let Some(policy) = state.policies.get_mut(policy) {
                policy.on.insert(tag.clone(), value.clone());
            }
        }
        Change::Assign {
            object, tag, values, ..
        } => {
            if let Some(tag) = state.tags.get_mut(tag) {
                tag.assigned.insert(object.clone(), values.clone());
            }
        }
        Change::Enable { policy } => enable(state, policy, true),
        Change::Disable { policy } => enable(state, policy, false),
        Change::TakeOff { policy, tag } => {
            if let Some(policy) = state.policies.get_mut(policy) {
                policy.on.remove(tag);
            }
        }
        Change::Unassign { object, tag, .. } => {
            if let Some(tag) = state.tags.get_mut(tag) {
                tag.assigned.remove(object);
            }
        }
        Change::DropPolicy { policy } => drop(state.policies.remove(policy)),
        Change::DropTag { tag } => {
            state.tags.remove(tag);
            for policy in state.policies.values_mut() {
                policy.on.remove(tag);
            }
        }
    }
}

fn enable(state: &mut State, policy: &str, enabled: bool) {
    if let Some(policy) = state.policies.get_mut(policy) {
        policy.enabled = enabled;
    }
}

fn alter_tag(tag: &mut Tag, update: &Value) {
    let text = |name: &str| update.get(name).and_then(Value::as_str).map(str::to_owned);
    match text("@type").as_deref() {
        Some("updateComment") => tag.comment = text("newComment"),
        Some("setProperty") => {
            if let (Some(property), Some(value)) = (text("property"), text("value")) {
                tag.properties.insert(property, value);
            }
        }
        Some("removeProperty") => {
            if let Some(property) = text("property") {
                tag.properties.remove(&property);
            }
        }
        Some(_) | None => {}
    }
}
