// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Conditional requests.

/// The `If-None-Match` header of a request (RFC 9110, section 13.1.2).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IfNoneMatch {
    tags: Vec<String>,
}

impl IfNoneMatch {
    /// Reads all lines of the header. What is malformed matches nothing, so that the worst is a complete answer. `*` matches
    /// nothing either: it names no representation that the client is known to hold, and an answer is reused only
    /// when its whole identity is equal.
    pub fn parse(lines: &[&[u8]]) -> Self {
        let tags = lines.iter().flat_map(|line| parse_line(line)).collect();
        Self { tags }
    }

    /// Whether one of the tags is this one, quotes included. Weak comparison: a client or proxy may have put `W/`
    /// before a tag of ours.
    pub fn matches(&self, etag: &str) -> bool {
        self.tags.iter().any(|tag| tag == etag)
    }
}

/// The tags of one line with their quotes, without `W/`. A comma may stand inside a tag.
fn parse_line(line: &[u8]) -> Vec<String> {
    let mut tags = Vec::new();
    let mut rest = line.trim_ascii();
    while !rest.is_empty() {
        let tag = rest.strip_prefix(b"W/").unwrap_or(rest);
        let Some(opened) = tag.strip_prefix(b"\"") else {
            return tags;
        };
        let Some(end) = opened.iter().position(|byte| *byte == b'"') else {
            return tags;
        };
        if let Some(text) = opened.get(..end).and_then(|text| std::str::from_utf8(text).ok()) {
            tags.push(format!("\"{text}\""));
        }
        rest = opened.get(end + 1..).unwrap_or_default().trim_ascii();
        match rest.strip_prefix(b",") {
            Some(after) => rest = after.trim_ascii(),
            None => return tags,
        }
    }
    tags
}

#[cfg(test)]
mod tests {
    use super::IfNoneMatch;

    fn check(lines: &[&[u8]], expected: bool) {
        assert_eq!(
            IfNoneMatch::parse(lines).matches("\"abc\""),
            expected,
            "{lines:?}"
        );
    }

    #[test]
    fn matches_whole_tags() {
        check(&[b"\"abc\""], true);
        check(&[b" W/\"abc\" "], true);
        check(&[b"\"x\", \"abc\""], true);
        check(&[b"\"x,\"", b"W/\"y\",\"abc\""], true);
        check(&[], false);
        check(&[b"abc"], false);
        check(&[b"\"abcd\""], false);
        check(&[b"\"ab\"c\""], false);
        check(&[b"*"], false);
    }

    #[test]
    fn malformed_matches_nothing() {
        check(&[b"\"abc"], false);
        check(&[b"\xff\"abc\""], false);
        check(&[b",\"abc\""], false);
        check(&[b"w/\"abc\""], false);
        check(&[b"\"\xff\",\"abc\""], true);
    }
}
