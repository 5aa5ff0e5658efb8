// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Names, validated once where they enter.

use std::fmt;

use crate::kind::ObjectKind;

/// The longest name, in characters.
pub const MAX_NAME_CHARS: usize = 64;

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
    /// More than [`MAX_NAME_CHARS`] characters.
    #[error("the name of a {0} must not have more than 64 characters")]
    TooLong(String),
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
    /// character; everything else also `/` and `=`; `*` and `system` reserved where the original reserves them).
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
            | ObjectKind::Column
            | ObjectKind::Role
            | ObjectKind::Tag
            | ObjectKind::Policy
            | ObjectKind::JobTemplate
            | ObjectKind::Job => (
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
            return Err(NameError::TooLong(what()));
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
