// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The stable codes by which refusals because of read restrictions are told apart: by people who search the
//! documentation for one, and by readers that must know whether trying again helps.

use std::fmt;

/// Why something was refused because of read restrictions. Closed: every code has a page, `docs/errors/<code>.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RestrictionCode {
    /// The content of a policy is not exactly one expression.
    Content,
    /// An expression is not a program.
    Syntax,
    /// An expression exceeds a limit.
    Limit,
    /// An expression is not well-typed.
    Static,
    /// A mask action is unknown, or does not apply to the column.
    Action,
    /// Nobody asks, a group does not exist, or groups could not be looked up.
    Context,
    /// A column is missing, ambiguous or of a type without comparisons.
    Schema,
    /// A literal is no exact value of its column's type.
    Literal,
    /// Tags, policies or selectors could not be loaded or understood.
    Lookup,
    /// Policies give different restrictions for one place.
    Conflict,
    /// The reader cannot apply a restriction completely.
    Reader,
    /// Restrictions apply while the server has them switched off.
    Disabled,
    /// The client does not declare that it understands restrictions (406).
    NotAcceptable,
    /// The client is not bound to a reader that the operator trusts (403).
    UntrustedReader,
    /// Who sees a table only in part may append to it, and nothing more.
    Write,
    /// Facts of rows were asked for (statistics, partitions, credentials) by one who does not see all of them.
    Facts,
    /// A change would open what an enabled policy closes; it takes `force=true`.
    WouldWiden,
    /// A change would make loads fail, or hide tables from every client; it takes `force=true`.
    WouldFail,
}

impl RestrictionCode {
    /// All of them.
    pub const ALL: [Self; 18] = [
        Self::Content,
        Self::Syntax,
        Self::Limit,
        Self::Static,
        Self::Action,
        Self::Context,
        Self::Schema,
        Self::Literal,
        Self::Lookup,
        Self::Conflict,
        Self::Reader,
        Self::Disabled,
        Self::NotAcceptable,
        Self::UntrustedReader,
        Self::Write,
        Self::Facts,
        Self::WouldWiden,
        Self::WouldFail,
    ];

    /// The code as it is written in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Content => "restriction-content",
            Self::Syntax => "restriction-syntax",
            Self::Limit => "restriction-limit",
            Self::Static => "restriction-static",
            Self::Action => "restriction-action",
            Self::Context => "restriction-context",
            Self::Schema => "restriction-schema",
            Self::Literal => "restriction-literal",
            Self::Lookup => "restriction-lookup",
            Self::Conflict => "restriction-conflict",
            Self::Reader => "restriction-reader",
            Self::Disabled => "restriction-disabled",
            Self::NotAcceptable => "restriction-not-acceptable",
            Self::UntrustedReader => "restriction-untrusted-reader",
            Self::Write => "restriction-write",
            Self::Facts => "restriction-facts",
            Self::WouldWiden => "restriction-would-widen",
            Self::WouldFail => "restriction-would-fail",
        }
    }

    /// The code in a text, for instance in the message of an answer.
    pub fn find_in(text: &str) -> Option<Self> {
        let mut words = text.split(|character: char| !(character.is_ascii_lowercase() || character == '-'));
        words.find_map(|word| Self::ALL.into_iter().find(|code| code.as_str() == word))
    }
}

impl fmt::Display for RestrictionCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::RestrictionCode;

    #[test]
    fn codes_are_distinct_and_found_again() {
        let mut seen = BTreeSet::new();
        for code in RestrictionCode::ALL {
            assert!(code.as_str().starts_with("restriction-"), "{code}");
            assert!(seen.insert(code), "{code} is listed twice");
            assert_eq!(RestrictionCode::find_in(&format!("[{code}] no")), Some(code));
            assert_eq!(
                RestrictionCode::find_in(&format!("cannot be resolved ({code}); ask")),
                Some(code)
            );
        }
        assert_eq!(RestrictionCode::find_in("declare `read-restrictions.v1`"), None);
        assert_eq!(RestrictionCode::find_in("restriction-unheard-of"), None);
    }
}
