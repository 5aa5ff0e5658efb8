// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Whom an explanation is about, and where its groups come from. Nothing is guessed: groups that no source knows are
//! unknown, and a rule that asks for one says so.

use std::collections::BTreeSet;
use std::sync::Arc;

use lakeward_authorization::Visibility;
use lakeward_governance::SubjectContext;
use lakeward_metadata::instant::instant;
use lakeward_metadata::principal::{GroupClaim, Principal, PrincipalKind, Subject};
use serde_json::{Value, json};

use super::ExplainQuestion;
use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;

/// Where the groups of a subject come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GroupsFrom {
    /// The question.
    Stated,
    /// The identity with which the caller authenticated.
    Token,
    /// The server's own accounts.
    Stored,
    /// The identity with which the subject authenticated last.
    LastSeen,
    /// No source knows them.
    Unknown,
}

impl GroupsFrom {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::Token => "token",
            Self::Stored => "stored",
            Self::LastSeen => "last-seen",
            Self::Unknown => "unknown",
        }
    }
}

/// A subject with everything that rules see of it.
pub(super) struct Explained {
    pub(super) subject: Subject,
    pub(super) context: SubjectContext,
    groups_from: GroupsFrom,
    /// When groups were last seen, in epoch milliseconds.
    seen_at: Option<i64>,
}

impl Explained {
    /// The subject as part of the answer. Groups of somebody else are null where the caller may not see them.
    pub(super) fn to_json(&self, call: &Call, groups: &Visibility) -> Value {
        let is_own = self.subject.user == call.caller.subject.user;
        let is_open = is_own || self.groups_from == GroupsFrom::Stated;
        let shown = |group: &String| {
            let principal = Principal {
                kind: PrincipalKind::Group,
                name: group.clone(),
            };
            (is_open || groups.shows_principal(&principal)).then_some(principal.name)
        };
        let member_of = self.context.member_of.as_ref();
        json!({
            "user": self.context.user,
            "groups": member_of.map(|groups| groups.iter().map(shown).collect::<Vec<_>>()),
            "groups-known": self.context.member_of.is_some(),
            "groups-from": self.groups_from.as_str(),
            "groups-seen-at": self.seen_at.and_then(instant),
        })
    }

    /// The subject as access is decided for it: by the groups that the explanation uses.
    pub(super) fn with_groups(&self) -> Subject {
        Subject {
            user: self.subject.user.clone(),
            groups: self
                .context
                .member_of
                .clone()
                .map_or(GroupClaim::Unknown, GroupClaim::Known),
        }
    }
}

impl Operations {
    /// The caller as it is authenticated, or whoever the question names.
    pub(super) async fn explained(
        &self,
        call: &Call,
        question: &ExplainQuestion,
        known: &Arc<BTreeSet<String>>,
    ) -> Result<Explained, OperationError> {
        let own = &call.caller.subject;
        let user = question.user.as_ref().unwrap_or(&own.user);
        let is_own = *user == own.user;
        let (groups, stated_from) = match (&question.groups, &own.groups) {
            (Some(groups), _) => (
                GroupClaim::Known(groups.iter().cloned().collect()),
                GroupsFrom::Stated,
            ),
            (None, GroupClaim::Known(groups)) if is_own => {
                (GroupClaim::Known(groups.clone()), GroupsFrom::Token)
            }
            (None, GroupClaim::Unreadable) if is_own => (GroupClaim::Unreadable, GroupsFrom::Token),
            // A token of the caller says nothing of others.
            (None, GroupClaim::Known(_) | GroupClaim::Unknown | GroupClaim::Unreadable) => {
                (GroupClaim::Unknown, GroupsFrom::Stored)
            }
        };
        let subject = Subject {
            user: user.clone(),
            groups,
        };
        let context = self.context(call, &subject, known).await?;
        let mut explained = Explained {
            groups_from: if context.member_of.is_some() {
                stated_from
            } else {
                GroupsFrom::Unknown
            },
            subject,
            context,
            seen_at: None,
        };
        // A load of the caller would not count what was seen before, so neither does its explanation.
        if explained.groups_from == GroupsFrom::Unknown && !is_own {
            let mut snapshot = self.store().snapshot().await?;
            if let Some(seen) = snapshot.seen_groups(user).await? {
                explained.context.member_of = Some(seen.groups.intersection(known).cloned().collect());
                explained.groups_from = GroupsFrom::LastSeen;
                explained.seen_at = Some(seen.at);
            }
        }
        Ok(explained)
    }
}
