// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The header by which a client says what it understands (language reference, section 13).

use std::collections::BTreeSet;

/// Name of the header.
pub const CAPABILITIES_HEADER: &str = "X-Gravitino-Client-Capabilities";

/// Name of the header that Iceberg may standardize, which the seed lets a server accept beside the first one. A server
/// consults it only where its operator says so.
pub const ICEBERG_CAPABILITIES_HEADER: &str = "X-Iceberg-Client-Capabilities";

/// The one capability that exists: the client understands `read-restrictions` in load-table answers.
pub const READ_RESTRICTIONS_V1: &str = "read-restrictions.v1";

/// What a client declared. A declaration is no evidence of enforcement; see [`crate::admission::Trust`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Capabilities {
    declared: BTreeSet<String>,
}

impl Capabilities {
    /// Reads all lines of the header. One malformed or empty token anywhere voids the whole header, as does an empty
    /// value; no lines declare nothing. Never fails: what is not understood declares nothing.
    pub fn parse(lines: &[&[u8]]) -> Self {
        let mut declared = BTreeSet::new();
        for token in lines.iter().flat_map(|line| line.split(|byte| *byte == b',')) {
            match parse_token(token) {
                Some(token) => {
                    declared.insert(token);
                }
                None => return Self::default(),
            }
        }
        Self { declared }
    }

    /// What two headers declare together. Each is read by itself: a malformed one declares nothing and voids nothing of the
    /// other.
    #[must_use]
    pub fn union(mut self, other: Self) -> Self {
        self.declared.extend(other.declared);
        self
    }

    /// All declared tokens, sorted; unknown ones too.
    pub fn declared(&self) -> impl Iterator<Item = &str> {
        self.declared.iter().map(String::as_str)
    }

    /// Whether `read-restrictions.v1` is declared.
    pub fn understands_read_restrictions(&self) -> bool {
        self.declared.contains(READ_RESTRICTIONS_V1)
    }
}

/// A token without the blanks and tabs around it, or `None` when it is malformed.
fn parse_token(token: &[u8]) -> Option<String> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let start = token.iter().position(|byte| !is_blank(byte))?;
    let end = token.iter().rposition(|byte| !is_blank(byte))?;
    let token = token.get(start..=end)?;
    let is_letter_or_digit = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let well_formed = token.first().is_some_and(is_letter_or_digit)
        && token
            .iter()
            .all(|byte| is_letter_or_digit(byte) || matches!(byte, b'-' | b'.'));
    well_formed.then(|| String::from_utf8_lossy(token).into_owned())
}

#[cfg(test)]
mod tests;
