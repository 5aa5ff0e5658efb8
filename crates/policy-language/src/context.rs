// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who asks: the values of the context functions.

use std::collections::BTreeSet;
use std::sync::Arc;

/// The request's trusted context. `None` means that a lookup failed or that nobody is known; it never means "none".
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SubjectContext {
    /// The authenticated effective user; missing or empty fails every rule.
    pub user: Option<String>,
    /// The groups that exist in the metalake; shared, since there may be thousands.
    pub groups: Option<Arc<BTreeSet<String>>>,
    /// The groups that contain the user, in the same snapshot.
    pub member_of: Option<BTreeSet<String>>,
}

impl SubjectContext {
    /// A user of whose groups nothing is known.
    pub fn new(user: impl Into<String>) -> Self {
        Self {
            user: Some(user.into()),
            groups: None,
            member_of: None,
        }
    }
}

/// Which context functions a rule reads, in any branch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reads {
    /// Whether `session_user()` occurs.
    pub session_user: bool,
    /// The groups that `is_group_member` names.
    pub groups: BTreeSet<String>,
}

/// The values of exactly the context functions that one rule reads: two subjects with equal keys get equal results
/// from that rule, for one schema.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ContextKey {
    user: Option<String>,
    memberships: Vec<bool>,
}

impl Reads {
    /// The key under which a result may be kept, or `None` when binding would fail: failures are not kept.
    pub fn key(&self, subject: &SubjectContext) -> Option<ContextKey> {
        let user = subject.user.as_ref().filter(|user| !user.is_empty())?;
        let mut memberships = Vec::with_capacity(self.groups.len());
        if !self.groups.is_empty() {
            let known = subject.groups.as_ref()?;
            let member_of = subject.member_of.as_ref()?;
            if !member_of.is_subset(known) {
                return None;
            }
            for group in &self.groups {
                if !known.contains(group) {
                    return None;
                }
                memberships.push(member_of.contains(group));
            }
        }
        Some(ContextKey {
            user: self.session_user.then(|| user.clone()),
            memberships,
        })
    }
}
