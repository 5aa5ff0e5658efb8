// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Original values that must not be seen.
//!
//! Texts carry a token like `qz01234zq`; numbers, dates and times are long and occur once. What is hidden of the tables
//! of a query, and neither shown in another row nor written by the user, may be in no text that the user sees.

use std::collections::BTreeSet;

use lakeward_read_restrictions::literal::Literal;
use lakeward_read_restrictions::predicate::Predicate;
use lakeward_read_restrictions::value::Value;

use crate::tables::Row;

/// Shorter ones occur by chance.
const LEAST_LENGTH: usize = 7;

/// The telling parts of rows.
pub(crate) fn tokens_of_rows(rows: &[Row]) -> BTreeSet<String> {
    let mut tokens = BTreeSet::new();
    for value in rows.iter().flatten() {
        tokens_of_value(value, &mut tokens);
    }
    tokens
}

fn tokens_of_value(value: &Value, tokens: &mut BTreeSet<String>) {
    match value {
        Value::Null | Value::Boolean(_) => {}
        Value::Struct(members) => members
            .iter()
            .for_each(|(_, value)| tokens_of_value(value, tokens)),
        Value::List(elements) => elements.iter().for_each(|value| tokens_of_value(value, tokens)),
        Value::Map(entries) => entries
            .iter()
            .for_each(|(_, value)| tokens_of_value(value, tokens)),
        other => {
            let json = other.to_json();
            let text = json.as_str().map_or_else(|| json.to_string(), str::to_owned);
            tokens.extend(tokens_of_text(&text));
        }
    }
}

/// What a filter compares with, as far as it can be told from other text.
pub(crate) fn tokens_of_predicate(predicate: &Predicate, tokens: &mut BTreeSet<String>) {
    let mut add = |literal: &Literal| tokens.extend(tokens_of_text(&literal.value_json()));
    match predicate {
        Predicate::Constant(_) | Predicate::IsNull { .. } | Predicate::NotNull { .. } => {}
        Predicate::Compare { literal, .. } => add(literal),
        Predicate::In { values, .. } => values.iter().for_each(add),
        Predicate::Not(child) => tokens_of_predicate(child, tokens),
        Predicate::And(children) | Predicate::Or(children) => {
            children
                .iter()
                .for_each(|child| tokens_of_predicate(child, tokens));
        }
    }
}

/// The tokens in a text: `qz…zq`, `rgn-…`, and numbers, dates and times of some length.
pub(crate) fn tokens_of_text(text: &str) -> BTreeSet<String> {
    let mut tokens = BTreeSet::new();
    for (at, _) in text.match_indices("qz") {
        if let Some(token) = text.get(at..at + 9)
            && token.ends_with("zq")
        {
            tokens.insert(token.to_owned());
        }
    }
    let numeric = |character: char| !(character.is_ascii_digit() || ".:-".contains(character));
    for run in text.split(numeric) {
        let run = run.trim_matches(['.', ':', '-']);
        if run.len() >= LEAST_LENGTH {
            tokens.insert(run.to_owned());
        }
    }
    tokens
}
