// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! From a name in a token to a name here, by a pattern.

use regex::Regex;

/// The first group of a pattern.
#[derive(Debug, Clone)]
pub struct NameMapper(Regex);

impl NameMapper {
    /// `None` for a pattern that cannot be read, or has no group.
    pub fn new(pattern: &str) -> Option<Self> {
        let regex = Regex::new(pattern).ok()?;
        (regex.captures_len() > 1).then_some(Self(regex))
    }

    /// What the first group found; `None` when the pattern does not match, or the group is empty.
    pub fn map<'a>(&self, name: &'a str) -> Option<&'a str> {
        let group = self.0.captures(name)?.get(1)?.as_str();
        (!group.is_empty()).then_some(group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_group_is_the_name() {
        let mapped = |pattern: &str, name: &'static str| NameMapper::new(pattern).unwrap().map(name);
        assert_eq!(mapped("^(.*)$", "ann"), Some("ann"));
        assert_eq!(mapped("^([^@]+)@corp$", "ann@corp"), Some("ann"));
        assert_eq!(mapped("^([^@]+)@corp$", "ann@other"), None);
        assert_eq!(mapped("^/(.*)$", "/a/b"), Some("a/b"));
        assert_eq!(mapped("^x(.*)$", "x"), None);
        assert!(NameMapper::new("(").is_none());
        assert!(NameMapper::new("abc").is_none());
    }
}
