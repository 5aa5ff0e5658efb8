// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Names, validated once where they enter.

use std::fmt;

use crate::kind::ObjectKind;

/// The longest name, in characters.
pub const MAX_NAME_CHARS: usize = 64;

/// The longest name of a role, a tag, a policy, a job template or a job, in characters.
pub const MAX_SINGLE_LEVEL_NAME_CHARS: usize = 128;

/// A non-empty name. One made by [`Name::parse`] fulfils the rule of its kind; one made by [`Name::external`]
/// comes from another system, whose rules it follows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

/// Why a text is not a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Nothing, or only blanks.
    #[error("the name of a {0} must not be empty")]
    Empty(String),
    /// More characters than the kind allows.
    #[error("the name of a {kind} must not have more than {most} characters")]
    TooLong {
        /// The kind in lower case.
        kind: String,
        /// How many it may have.
        most: usize,
    },
    /// A character that the kind does not allow.
    #[error("`{name}` is not a name of a {kind}: {rule}")]
    Illegal {
        /// The kind in lower case.
        kind: String,
        /// The refused text.
        name: String,
        /// The rule in words.
        rule: &'static str,
    },
    /// A reserved word.
    #[error("`{name}` is reserved and cannot name a {kind}")]
    Reserved {
        /// The kind in lower case.
        kind: String,
        /// The refused text.
        name: String,
    },
}

impl Name {
    /// Checks a new name of `kind` (Gravitino's rules: metalakes `\w{1,64}`; catalogs also `-` after the first
    /// character; what lies in a catalog also `/` and `=`; `*` and `system` reserved where the original reserves them).
    /// The name of a role, a tag, a policy, a job template or a job is never part of a dotted path, and is any text
    /// without control characters.
    ///
    /// # Errors
    /// [`NameError`] with the kind and the rule that the text breaks.
    pub fn parse(kind: ObjectKind, text: &str) -> Result<Self, NameError> {
        let what = || kind.lower_case().replace('_', " ");
        if text.trim().is_empty() {
            return Err(NameError::Empty(what()));
        }
        let system = text.eq_ignore_ascii_case("system");
        let (reserved, extra, rule): (bool, &[char], _) = match kind {
            ObjectKind::Role
            | ObjectKind::Tag
            | ObjectKind::Policy
            | ObjectKind::JobTemplate
            | ObjectKind::Job => {
                return Self::parse_single_level(what(), text);
            }
            ObjectKind::Metalake => (system, &[], "only letters, digits and `_` are allowed"),
            ObjectKind::Catalog => (
                text == "*" || system,
                &['-'],
                "only letters, digits, `_` and, after the first, `-` are allowed",
            ),
            ObjectKind::Schema
            | ObjectKind::Table
            | ObjectKind::View
            | ObjectKind::Topic
            | ObjectKind::Fileset
            | ObjectKind::Model
            | ObjectKind::Function
            | ObjectKind::Column => (
                text == "*",
                &['/', '=', '-'],
                "only letters, digits, `_` and, after the first, `/`, `=` and `-` are allowed",
            ),
        };
        if reserved {
            return Err(NameError::Reserved {
                kind: what(),
                name: text.to_owned(),
            });
        }
        if text.chars().count() > MAX_NAME_CHARS {
            return Err(NameError::TooLong {
                kind: what(),
                most: MAX_NAME_CHARS,
            });
        }
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let legal = text
            .chars()
            .enumerate()
            .all(|(position, c)| word(c) || (position > 0 && extra.contains(&c)));
        if !legal {
            return Err(NameError::Illegal {
                kind: what(),
                name: text.to_owned(),
                rule,
            });
        }
        Ok(Self(text.to_owned()))
    }

    fn parse_single_level(kind: String, text: &str) -> Result<Self, NameError> {
        if text.chars().count() > MAX_SINGLE_LEVEL_NAME_CHARS {
            return Err(NameError::TooLong {
                kind,
                most: MAX_SINGLE_LEVEL_NAME_CHARS,
            });
        }
        if text.chars().any(char::is_control) {
            return Err(NameError::Illegal {
                kind,
                name: text.replace(char::is_control, "\u{fffd}"),
                rule: "control characters are not allowed",
            });
        }
        Ok(Self(text.to_owned()))
    }

    /// Takes a name that another system made, for instance an Iceberg namespace level. Only the empty text is
    /// refused.
    ///
    /// # Errors
    /// [`NameError::Empty`].
    pub fn external(kind: ObjectKind, text: &str) -> Result<Self, NameError> {
        if text.is_empty() {
            return Err(NameError::Empty(kind.lower_case()));
        }
        Ok(Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
