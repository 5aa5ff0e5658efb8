// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The subset of roles that a session uses, from the header `X-Gravitino-Active-Roles`.

use std::collections::BTreeSet;

/// Which held roles contribute their `ALLOW`s. `DENY`s of all held roles, and ownership, always count.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum ActiveRoles {
    /// All that are held.
    #[default]
    All,
    /// None: only ownership counts.
    None,
    /// Exactly these; each must be held.
    Named(BTreeSet<String>),
}

/// Why a header value is refused (400).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IllegalActiveRoles {
    /// An element between commas is empty.
    #[error(
        "the list of active roles `{0}` in `X-Gravitino-Active-Roles` has an empty element; separate role names by single commas"
    )]
    EmptyElement(String),
    /// A reserved word beside names.
    #[error("`{word}` must stand alone in the list of active roles `{value}` in `X-Gravitino-Active-Roles`")]
    MixedReserved {
        /// `ALL` or `NONE`.
        word: &'static str,
        /// The header value.
        value: String,
    },
}

/// A named role that the caller does not hold (403).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the caller cannot assume active role `{0}`: it is not held")]
pub struct RoleNotHeld(pub String);

impl ActiveRoles {
    /// Reads the header value: absent or blank, and `ALL`, mean all; `NONE` none; else names separated by commas,
    /// exact and trimmed. The words are upper case only.
    ///
    /// # Errors
    /// [`IllegalActiveRoles`].
    pub fn parse(value: Option<&str>) -> Result<Self, IllegalActiveRoles> {
        let Some(value) = value.map(str::trim).filter(|value| !value.is_empty()) else {
            return Ok(Self::All);
        };
        match value {
            "ALL" => return Ok(Self::All),
            "NONE" => return Ok(Self::None),
            _ => {}
        }
        let mut names = BTreeSet::new();
        for name in value.split(',').map(str::trim) {
            let reserved = match name {
                "" => return Err(IllegalActiveRoles::EmptyElement(value.to_owned())),
                "ALL" => Some("ALL"),
                "NONE" => Some("NONE"),
                _ => None,
            };
            if let Some(word) = reserved {
                return Err(IllegalActiveRoles::MixedReserved {
                    word,
                    value: value.to_owned(),
                });
            }
            names.insert(name.to_owned());
        }
        Ok(Self::Named(names))
    }

    /// Whether a held role of this name contributes.
    pub fn includes(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::None => false,
            Self::Named(names) => names.contains(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ActiveRoles, IllegalActiveRoles};

    fn check(value: Option<&str>, expected: Result<&[&str], &str>) {
        let read = ActiveRoles::parse(value);
        match expected {
            Ok(names) => {
                let names = names.iter().map(ToString::to_string).collect();
                assert_eq!(read, Ok(ActiveRoles::Named(names)), "{value:?}");
            }
            Err("all") => assert_eq!(read, Ok(ActiveRoles::All), "{value:?}"),
            Err("none") => assert_eq!(read, Ok(ActiveRoles::None), "{value:?}"),
            Err("empty") => assert!(
                matches!(read, Err(IllegalActiveRoles::EmptyElement(_))),
                "{value:?}"
            ),
            Err(_) => assert!(
                matches!(read, Err(IllegalActiveRoles::MixedReserved { .. })),
                "{value:?}"
            ),
        }
    }

    #[test]
    fn the_header_grammar() {
        check(None, Err("all"));
        check(Some(""), Err("all"));
        check(Some("  \t"), Err("all"));
        check(Some("ALL"), Err("all"));
        check(Some(" NONE "), Err("none"));
        check(Some("all"), Ok(&["all"]));
        check(Some("none, None"), Ok(&["none", "None"]));
        check(Some("r1, r2 ,r1"), Ok(&["r1", "r2"]));
        check(Some("reader,"), Err("empty"));
        check(Some(",reader"), Err("empty"));
        check(Some(","), Err("empty"));
        check(Some("r1,,r2"), Err("empty"));
        check(Some("ALL,reader"), Err("mixed"));
        check(Some("reader,NONE"), Err("mixed"));
        check(Some("ALL,ALL"), Err("mixed"));
    }
}
