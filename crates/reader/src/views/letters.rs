// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Upper and lower case in names of columns.
//!
//! In most dialects `Name` and `name` are one column; in this engine they are two. Where the columns that a view's
//! tables have allow only one reading, its names are written as the columns are; where they allow two, it is refused.

use std::collections::{BTreeMap, BTreeSet};

use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Word};

/// How the columns of a view's tables are written, by their lower case.
#[derive(Debug, Default)]
pub(crate) struct Spellings(BTreeMap<String, BTreeSet<String>>);

impl Spellings {
    /// Takes note of a column.
    pub(crate) fn insert(&mut self, column: &str) {
        let lower = column.to_lowercase();
        self.0.entry(lower).or_default().insert(column.to_owned());
    }

    /// Writes every word that is a column's name as the column is written.
    ///
    /// # Errors
    /// The name, when two columns differ in nothing but case.
    pub(crate) fn apply(&self, tokens: &mut [TokenWithSpan]) -> Result<(), String> {
        for token in tokens {
            let Token::Word(word) = &mut token.token else {
                continue;
            };
            let lower = word.value.to_lowercase();
            let Some(spellings) = self.0.get(&lower) else {
                continue;
            };
            let mut all = spellings.iter();
            let (Some(exact), None) = (all.next(), all.next()) else {
                return Err(format!(
                    "two columns are called `{lower}` but for upper and lower case"
                ));
            };
            if *exact != lower || word.quote_style.is_some() {
                *word = Word {
                    value: exact.clone(),
                    quote_style: Some(word.quote_style.unwrap_or('"')),
                    keyword: datafusion::sql::sqlparser::keywords::Keyword::NoKeyword,
                };
            }
        }
        Ok(())
    }
}
