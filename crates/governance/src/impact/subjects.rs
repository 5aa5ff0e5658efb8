// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every subject at once: a few that stand for all.
//!
//! A rule looks at nothing of a subject but its name and whether it is in the groups that the rule names. So users whom
//! no rule mentions are alike, and a subject is told by one of the mentioned names (or none of them) and by its
//! memberships. Every combination counts: who is in which group may change any day.

use std::collections::BTreeSet;
use std::sync::Arc;

use lakeward_policy_language::{Rule, SubjectContext};

/// The most subjects that are compared. Rules that tell more apart are not compared at all.
const MOST: usize = 1_024;

/// Subjects that stand for all that these rules tell apart.
#[derive(Debug)]
pub(super) struct Subjects {
    pub(super) contexts: Vec<SubjectContext>,
    groups: Vec<String>,
    /// Stands for everybody whom no rule mentions.
    other: String,
}

impl Subjects {
    /// `None` when there are too many.
    pub(super) fn of<'a>(
        rules: impl IntoIterator<Item = &'a Rule>,
        known: &Arc<BTreeSet<String>>,
    ) -> Option<Self> {
        let mut users: BTreeSet<&str> = BTreeSet::new();
        let mut groups: BTreeSet<&String> = BTreeSet::new();
        let mut names_matter = false;
        for rule in rules {
            users.extend(rule.mentioned_users());
            names_matter |= rule.reads().session_user;
            groups.extend(rule.reads().groups.iter().filter(|group| known.contains(*group)));
        }
        users.remove("");
        if !names_matter {
            users.clear();
        }
        let groups: Vec<String> = groups.into_iter().cloned().collect();
        let memberships = u32::try_from(groups.len())
            .ok()
            .and_then(|groups| 1_usize.checked_shl(groups))?;
        let count = memberships.checked_mul(users.len() + 1)?;
        if groups.len() >= usize::BITS as usize || count > MOST {
            return None;
        }
        let mut other = "somebody".to_owned();
        while users.contains(other.as_str()) {
            other.push('_');
        }
        let mut contexts = Vec::with_capacity(count);
        for user in users.into_iter().chain([other.as_str()]) {
            for membership in 0..memberships {
                let member_of = groups
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| membership >> at & 1 == 1)
                    .map(|(_, group)| group.clone())
                    .collect();
                contexts.push(SubjectContext {
                    user: Some(user.to_owned()),
                    groups: Some(Arc::clone(known)),
                    member_of: Some(member_of),
                });
            }
        }
        Some(Self {
            contexts,
            groups,
            other,
        })
    }

    /// One of them in words.
    pub(super) fn describe(&self, context: &SubjectContext) -> String {
        let user = match context.user.as_deref() {
            Some(user) if user != self.other => format!("user `{user}`"),
            Some(_) | None => "a user whom the rules do not name".to_owned(),
        };
        let (inside, outside): (Vec<&String>, Vec<&String>) = self.groups.iter().partition(|group| {
            context
                .member_of
                .as_ref()
                .is_some_and(|member_of| member_of.contains(*group))
        });
        let quoted = |groups: &[&String]| {
            let names: Vec<String> = groups.iter().map(|group| format!("`{group}`")).collect();
            names.join(", ")
        };
        match (inside.is_empty(), outside.is_empty()) {
            (true, true) => user,
            (false, true) => format!("{user} in {}", quoted(&inside)),
            (true, false) => format!("{user} not in {}", quoted(&outside)),
            (false, false) => format!("{user} in {} and not in {}", quoted(&inside), quoted(&outside)),
        }
    }
}
