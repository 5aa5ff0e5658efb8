// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The subject as a rule sees it (section 7.1).

use crate::context::SubjectContext;
use crate::error::BindError;

/// A context that has a user. Groups are looked at only when a rule asks.
pub(super) struct BoundSubject<'request> {
    user: &'request str,
    context: &'request SubjectContext,
}

impl<'request> BoundSubject<'request> {
    /// Every rule needs a subject, also one without context functions.
    pub(super) fn new(context: &'request SubjectContext) -> Result<Self, BindError> {
        match context.user.as_deref() {
            None | Some("") => Err(BindError::NoSubject),
            Some(user) => Ok(Self { user, context }),
        }
    }

    /// `session_user()`
    pub(super) fn user(&self) -> &'request str {
        self.user
    }

    /// `is_group_member(group)`: a failed lookup, a doubtful snapshot or an unknown group is never "no".
    pub(super) fn is_member(&self, group: &str) -> Result<bool, BindError> {
        let groups = self.context.groups.as_ref().ok_or(BindError::GroupsUnknown)?;
        let member_of = self
            .context
            .member_of
            .as_ref()
            .ok_or(BindError::MembershipUnknown)?;
        if !member_of.is_subset(groups) {
            return Err(BindError::InconsistentGroups);
        }
        if !groups.contains(group) {
            return Err(BindError::UnknownGroup(group.to_owned()));
        }
        Ok(member_of.contains(group))
    }
}
