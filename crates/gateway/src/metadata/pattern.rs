// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Patterns of names: `%` for any text, `_` for one character, `\` before either for itself.

/// A part of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Any,
    One,
    Literal(char),
}

/// Which names are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamePattern {
    parts: Vec<Part>,
    /// The text as it was given, which may itself be the name that is meant.
    text: Option<String>,
}

impl NamePattern {
    /// Every name.
    pub(super) fn any() -> Self {
        Self {
            parts: vec![Part::Any],
            text: None,
        }
    }

    /// One name, whatever characters it has.
    pub(super) fn exactly(name: &str) -> Self {
        Self {
            parts: name.chars().map(Part::Literal).collect(),
            text: Some(name.to_owned()),
        }
    }

    /// The names that are like a pattern; every name without one.
    pub(super) fn like(pattern: Option<&str>) -> Self {
        let Some(pattern) = pattern else {
            return Self::any();
        };
        let mut parts = Vec::new();
        let mut characters = pattern.chars().peekable();
        while let Some(character) = characters.next() {
            parts.push(match character {
                '%' => Part::Any,
                '_' => Part::One,
                '\\' => {
                    let escaped = characters.next_if(|next| matches!(next, '%' | '_' | '\\'));
                    Part::Literal(escaped.unwrap_or('\\'))
                }
                other => Part::Literal(other),
            });
        }
        Self {
            parts,
            text: Some(pattern.to_owned()),
        }
    }

    /// Whether a name is wanted.
    pub(super) fn matches(&self, name: &str) -> bool {
        let name: Vec<char> = name.chars().collect();
        let (mut part, mut at) = (0, 0);
        // Where to go on when what follows the last `%` does not fit: one character later.
        let mut retry: Option<(usize, usize)> = None;
        loop {
            match (self.parts.get(part), name.get(at)) {
                (Some(Part::Any), _) => {
                    part += 1;
                    retry = Some((part, at));
                    continue;
                }
                (None, None) => return true,
                (Some(Part::One), Some(_)) => {
                    (part, at) = (part + 1, at + 1);
                    continue;
                }
                (Some(Part::Literal(wanted)), Some(character)) if wanted == character => {
                    (part, at) = (part + 1, at + 1);
                    continue;
                }
                (Some(_), None) => return false,
                (Some(Part::Literal(_)) | None, Some(_)) => {}
            }
            let Some((after, from)) = retry else {
                return false;
            };
            (part, at) = (after, from + 1);
            retry = Some((part, at));
        }
    }

    /// Whether a wanted name can begin with `above` and a dot: whether what is nested below it need be looked at.
    pub(super) fn may_match_below(&self, above: &str) -> bool {
        let begin: Vec<char> = above.chars().chain(['.']).collect();
        for (position, part) in self.parts.iter().enumerate() {
            match (part, begin.get(position)) {
                (_, None) | (Part::Any, _) => return true,
                (Part::One, Some(_)) => {}
                (Part::Literal(wanted), Some(character)) if wanted == character => {}
                (Part::Literal(_), Some(_)) => return false,
            }
        }
        // The pattern is not longer than the beginning.
        false
    }

    /// Whether this name is the one that was meant, rather than one of many: then its failure is the answer.
    pub(super) fn means(&self, name: &str) -> bool {
        let literal: Option<String> = self
            .parts
            .iter()
            .map(|part| match part {
                Part::Literal(character) => Some(*character),
                Part::Any | Part::One => None,
            })
            .collect();
        self.text.as_deref() == Some(name) || literal.as_deref() == Some(name)
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::StringArray;
    use arrow::compute::kernels::comparison::like;
    use proptest::prelude::{ProptestConfig, prop_assert_eq, proptest};

    use super::NamePattern;

    #[test]
    fn wildcards_and_escapes() {
        for (pattern, name, expected) in [
            ("%", "", true),
            ("", "", true),
            ("", "a", false),
            ("_", "ü", true),
            ("_", "", false),
            ("a%", "a", true),
            ("%a", "ba", true),
            ("%ab%", "xaab", true),
            ("a_c", "abc", true),
            ("a_c", "ac", false),
            ("a\\_c", "abc", false),
            ("a\\_c", "a_c", true),
            ("100\\%", "100%", true),
            ("100\\%", "1000", false),
            ("a\\\\b", "a\\b", true),
            ("a\\b", "a\\b", true),
            ("a\\", "a\\", true),
            ("%a%b%c", "xxaxbxbxc", true),
            ("%a%b%c", "xxaxbxbx", false),
            ("A", "a", false),
        ] {
            let wanted = NamePattern::like(Some(pattern));
            assert_eq!(wanted.matches(name), expected, "{name} like {pattern}");
        }
        assert!(NamePattern::like(None).matches("anything"));
        assert!(NamePattern::exactly("a_%").matches("a_%") && !NamePattern::exactly("a_").matches("ab"));
    }

    #[test]
    fn only_what_can_match_is_followed() {
        for (pattern, above, expected) in [
            ("a", "a", false),
            ("a.b", "a", true),
            ("a.b", "b", false),
            ("a.", "a", false),
            ("%", "a", true),
            ("a%", "a", true),
            ("a%", "ab", true),
            ("_", "a", false),
            ("a_b", "a", true),
            ("b%", "a", false),
        ] {
            let wanted = NamePattern::like(Some(pattern));
            assert_eq!(
                wanted.may_match_below(above),
                expected,
                "below {above} like {pattern}"
            );
        }
    }

    #[test]
    fn the_name_that_is_meant() {
        assert!(NamePattern::like(Some("a_b")).means("a_b"));
        assert!(NamePattern::like(Some("a\\_b")).means("a_b"));
        assert!(!NamePattern::like(Some("a%")).means("ab"));
        assert!(!NamePattern::any().means("%"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn agrees_with_the_engine(pattern in "([ab%_]|\\\\[%_\\\\]){0,6}", name in "[ab%_\\\\.]{0,6}") {
            let names = StringArray::from(vec![name.as_str()]);
            let patterns = StringArray::from(vec![pattern.as_str()]);
            let expected = like(&names, &patterns).unwrap().value(0);
            prop_assert_eq!(NamePattern::like(Some(&pattern)).matches(&name), expected);
        }

        #[test]
        fn nothing_that_matches_is_passed_over(
            pattern in "[ab%_.]{0,6}",
            above in "[ab]{1,2}",
            below in "[ab.]{1,4}",
        ) {
            let wanted = NamePattern::like(Some(&pattern));
            if wanted.matches(&format!("{above}.{below}")) {
                assert!(wanted.may_match_below(&above));
            }
        }
    }
}
