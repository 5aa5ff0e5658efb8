// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Whether a privilege in a role permits or forbids.

use std::fmt;
use std::str::FromStr;

/// The condition of a privilege. A `DENY` beats every `ALLOW`, in any role and at any level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    /// Permits.
    Allow,
    /// Forbids, whatever else is granted.
    Deny,
}

impl Condition {
    /// The upper-case name used in requests and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "ALLOW",
            Self::Deny => "DENY",
        }
    }

    /// The lower-case name used in answers.
    pub const fn lower_case(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names no condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a condition; use `ALLOW` or `DENY`")]
pub struct UnknownCondition(pub String);

impl FromStr for Condition {
    type Err = UnknownCondition;

    /// Case does not matter.
    fn from_str(text: &str) -> Result<Self, UnknownCondition> {
        [Self::Allow, Self::Deny]
            .into_iter()
            .find(|condition| condition.as_str().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownCondition(text.to_owned()))
    }
}
