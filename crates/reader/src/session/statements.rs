// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Several statements in one text.

use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer};

use crate::error::ReaderError;

/// The statements of a text, which semicolons separate, each as it was written and without what is around it. Semicolons
/// in texts, quoted names and comments separate nothing; what holds nothing but comments is no statement.
///
/// # Errors
/// [`ReaderError::Statement`] where a text or a quoted name does not end, with its place.
pub fn statements(text: &str) -> Result<Vec<String>, ReaderError> {
    let tokens = Tokenizer::new(&GenericDialect {}, text)
        .tokenize_with_location()
        .map_err(|cause| ReaderError::Statement(format!("the statements cannot be told apart: {cause}")))?;
    let places = Places::of(text);
    let mut statements = Vec::new();
    let mut begin = 0;
    let mut is_empty = true;
    for TokenWithSpan { token, span } in tokens {
        if token == Token::SemiColon {
            let end = places.offset(span.start);
            if !is_empty {
                statements.extend(text.get(begin..end).map(|statement| statement.trim().to_owned()));
            }
            begin = end.saturating_add(1);
            is_empty = true;
        } else if !matches!(token, Token::Whitespace(_) | Token::EOF) {
            is_empty = false;
        }
    }
    if !is_empty {
        statements.extend(text.get(begin..).map(|statement| statement.trim().to_owned()));
    }
    Ok(statements)
}

/// Byte offsets of the places that the tokenizer tells: lines that `\n` ends, and characters in them, both from 1.
struct Places<'a> {
    text: &'a str,
    lines: Vec<usize>,
}

impl<'a> Places<'a> {
    fn of(text: &'a str) -> Self {
        let after = text.match_indices('\n').map(|(offset, _)| offset + 1);
        Self {
            text,
            lines: std::iter::once(0).chain(after).collect(),
        }
    }

    fn offset(&self, place: Location) -> usize {
        let index = |number: u64| usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
        let begin = self
            .lines
            .get(index(place.line))
            .copied()
            .unwrap_or(self.text.len());
        let rest = self.text.get(begin..).unwrap_or_default();
        rest.char_indices()
            .nth(index(place.column))
            .map_or(self.text.len(), |(offset, _)| begin + offset)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::statements;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(statements(text).unwrap(), expected, "{text}");
    }

    #[test]
    fn semicolons_separate_and_nothing_is_changed() {
        check("", &[]);
        check(" ;; \n;", &[]);
        check("select 1", &["select 1"]);
        check("select 1;", &["select 1"]);
        check("select 1;\n\n  select\t2 ;", &["select 1", "select\t2"]);
        check("select 'ü';select '😀' ; x", &["select 'ü'", "select '😀'", "x"]);
        check("a;\r\nb;\r\n", &["a", "b"]);
    }

    #[test]
    fn semicolons_within_something_separate_nothing() {
        check(
            "select ';', \";\" -- ;\n, /* ; */ 1; b",
            &["select ';', \";\" -- ;\n, /* ; */ 1", "b"],
        );
        check("-- only ; a comment\n; /* ; */", &[]);
        check("select 'it''s;'", &["select 'it''s;'"]);
    }

    #[test]
    fn what_does_not_end_is_refused() {
        for text in ["select 'a", "select \"a", "/* a"] {
            assert!(statements(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn statements_come_back(parts in proptest::collection::vec("[a-z ü'\\n]{0,6}", 1..5)) {
            // A letter right before a quote could begin a string of another kind, `q'…'` for instance.
            let parts: Vec<String> = parts.iter().map(|part| part.replace('\'', " ';'")).collect();
            let text = parts.join(";");
            if let Ok(found) = statements(&text) {
                let quotes_close = parts.iter().all(|part| part.matches('\'').count() % 2 == 0);
                let expected: Vec<&str> = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect();
                prop_assert!(!quotes_close || found == expected);
            }
        }
    }
}
