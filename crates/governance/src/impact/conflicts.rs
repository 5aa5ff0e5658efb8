// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Policies that meet in one place: for whom do they give distinct restrictions?

use std::collections::BTreeSet;
use std::sync::Arc;

use lakeward_policy_language::{Rule, SubjectContext};

use super::subjects::Subjects;
use super::{Failure, POSSIBLE_CONFLICT};
use crate::resolve::{ResolutionError, Selected};

/// The policies that can be bound in one place.
#[derive(Default)]
pub(super) struct Meeting {
    policies: Vec<(String, Arc<Rule>)>,
    pub(super) is_on: bool,
    has_hidden: bool,
}

impl Meeting {
    pub(super) fn add(
        &mut self,
        selected: &Selected,
        rule: Arc<Rule>,
        is_on: bool,
        is_hidden: &dyn Fn(&str) -> bool,
    ) {
        self.is_on |= is_on;
        self.has_hidden |= is_hidden(&selected.policy.name);
        self.policies.push((selected.policy.name.clone(), rule));
    }

    fn names(&self) -> Vec<String> {
        self.policies.iter().map(|(name, _)| name.clone()).collect()
    }

    fn possible(&self, detail: String) -> Failure {
        Failure {
            code: POSSIBLE_CONFLICT,
            detail,
            policies: self.names(),
            is_certain: false,
        }
    }
}

/// The restriction that a rule gives to a subject.
#[derive(PartialEq, Eq)]
pub(super) struct Restriction {
    /// Equal for equal restrictions.
    pub(super) wire: String,
    /// In words.
    pub(super) readable: String,
}

/// Whether the policies of a place conflict. A rule that has no result for a subject gives `None`.
pub(super) fn conflict(
    place: &str,
    meeting: &Meeting,
    groups: &Arc<BTreeSet<String>>,
    result: impl Fn(&Rule, &SubjectContext) -> Option<Restriction>,
) -> Option<Failure> {
    let (first, others) = meeting.policies.split_first()?;
    if others.is_empty() || !meeting.is_on {
        return None;
    }
    if meeting.has_hidden {
        return Some(meeting.possible(format!(
            "{place}: another policy that is not visible to you applies here too"
        )));
    }
    if others.iter().all(|(_, rule)| rule.source() == first.1.source()) {
        return None;
    }
    let rules = meeting.policies.iter().map(|(_, rule)| rule.as_ref());
    let names = meeting.names().join("`, `");
    let Some(subjects) = Subjects::of(rules, groups) else {
        return Some(meeting.possible(format!(
            "{place}: policies `{names}` tell too many subjects apart to be compared"
        )));
    };
    let differs = |subject: &&SubjectContext| {
        let of_first = result(&first.1, subject);
        others.iter().any(|(_, rule)| result(rule, subject) != of_first)
    };
    let mut differing = subjects.contexts.iter().filter(differs);
    let witness = differing.next()?;
    let count = 1 + differing.count();
    if count == subjects.contexts.len() {
        return Some(Failure::of(ResolutionError::conflict(place, meeting.names())));
    }
    let told: Vec<String> = meeting
        .policies
        .iter()
        .map(|(name, rule)| {
            let result = result(rule, witness);
            let result = result.map_or_else(|| "no result".to_owned(), |result| result.readable);
            format!("`{name}` gives `{result}`")
        })
        .collect();
    Some(meeting.possible(format!(
        "{place}: policies `{names}` give distinct restrictions for some subjects, for instance for {}: {}",
        subjects.describe(witness),
        told.join(", ")
    )))
}
