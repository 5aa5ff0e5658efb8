// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Whom an explanation is about, and where its groups come from. Nothing is guessed: groups that no source knows are
//! unknown, and a rule that asks for one says so.

use std::collections::BTreeSet;
use std::sync::Arc;

use lakeward_governance::SubjectContext;
use lakeward_metadata::instant::instant;
use lakeward_metadata::principal::{GroupClaim, Principal, PrincipalKind, Subject};
use serde_json::{Value, json};

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::explain::ShownPrincipals;

/// Where the groups of a subject come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GroupsFrom {
    /// The question.
    Stated,
    /// The identity with which the caller authenticated.
    Token,
    /// The server's own accounts.
    Stored,
    /// The directory that an identity provider pushes.
    Directory,
    /// The identity with which the subject authenticated last.
    LastSeen,
    /// The metalake has no groups, so that every subject is in none.
    NoneExist,
    /// No source knows them.
    Unknown,
}

impl GroupsFrom {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::Token => "token",
            Self::Stored => "stored",
            Self::Directory => "directory",
            Self::LastSeen => "last-seen",
            Self::NoneExist => "none-exist",
            Self::Unknown => "unknown",
        }
    }
}

/// Whom a question is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct About<'a> {
    /// The user; `None` for the caller.
    pub(crate) user: Option<&'a str>,
    /// The groups that the question states; `None` for those that a source knows.
    pub(crate) groups: Option<&'a [String]>,
}

/// A subject with everything that rules see of it.
#[derive(Debug)]
pub(crate) struct Explained {
    pub(crate) subject: Subject,
    pub(crate) context: SubjectContext,
    groups_from: GroupsFrom,
    /// When groups were last seen, in epoch milliseconds.
    seen_at: Option<i64>,
}

impl Explained {
    /// The subject as part of the answer. Groups of somebody else are null where the caller may not see them, and so is
    /// when the user was last seen. Stated groups are told as they were sent: which of them exist is not said.
    pub(crate) fn to_json(&self, call: &Call, principals: &ShownPrincipals) -> Value {
        let shown = |group: &String| self.shows_group(call, principals, group).then(|| group.clone());
        let member_of = match &self.subject.groups {
            GroupClaim::Known(stated) if self.groups_from == GroupsFrom::Stated => Some(stated),
            GroupClaim::Known(_) | GroupClaim::Unknown | GroupClaim::Unreadable => {
                self.context.member_of.as_ref()
            }
        };
        let seen_at = self.seen_at.filter(|_| self.shows_user(call, principals));
        json!({
            "user": self.context.user,
            "groups": member_of.map(|groups| groups.iter().map(shown).collect::<Vec<_>>()),
            "groups-known": self.context.member_of.is_some(),
            "groups-from": self.groups_from.as_str(),
            "groups-seen-at": seen_at.and_then(instant),
        })
    }

    /// Whether the caller may be told the name of one of the subject's groups.
    pub(crate) fn shows_group(&self, call: &Call, shown: &ShownPrincipals, group: &str) -> bool {
        let is_own = self.subject.user == call.caller.subject.user;
        let principal = || Principal {
            kind: PrincipalKind::Group,
            name: group.to_owned(),
        };
        is_own || self.groups_from == GroupsFrom::Stated || shown.groups.shows_principal(&principal())
    }

    /// Whether the caller may be told what the user is to the metalake, and when it was here.
    pub(crate) fn shows_user(&self, call: &Call, shown: &ShownPrincipals) -> bool {
        let principal = Principal {
            kind: PrincipalKind::User,
            name: self.subject.user.clone(),
        };
        self.subject.user == call.caller.subject.user || shown.users.shows_principal(&principal)
    }

    /// The same subject, where nothing need be known of groups because there are none.
    pub(crate) fn or_in_none(mut self, known: &BTreeSet<String>) -> Self {
        if self.context.member_of.is_none() && known.is_empty() {
            self.context.member_of = Some(BTreeSet::new());
            self.groups_from = GroupsFrom::NoneExist;
        }
        self
    }

    /// The subject as access is decided for it: by the groups that the explanation uses.
    pub(crate) fn with_groups(&self) -> Subject {
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
    pub(crate) async fn explained(
        &self,
        call: &Call,
        about: About<'_>,
        known: &Arc<BTreeSet<String>>,
    ) -> Result<Explained, OperationError> {
        let own = &call.caller.subject;
        let user = about.user.unwrap_or(&own.user);
        let is_own = user == own.user;
        let (groups, stated_from) = match (about.groups, &own.groups) {
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
            user: user.to_owned(),
            groups,
        };
        let context = self.context(call, &subject, known).await?;
        let mut explained = Explained {
            groups_from: match (&context.member_of, about.groups) {
                (None, _) => GroupsFrom::Unknown,
                (Some(_), None) if self.directory_says(user).await?.knows() => GroupsFrom::Directory,
                (Some(_), _) => stated_from,
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
