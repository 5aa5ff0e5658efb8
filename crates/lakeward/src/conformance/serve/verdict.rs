// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a reader under test returned, compared with what it must return.

use std::collections::{BTreeMap, BTreeSet};

use lakeward_read_restrictions::action::MaskAction;
use lakeward_read_restrictions::field::{Field, FieldType};
use lakeward_read_restrictions::value::Value;
use serde::Serialize;
use serde_json::Value as Json;

use super::cases::{Cell, Expected, KitCase, ROW, Shown};

/// What a case came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Verdict {
    pub(super) case: String,
    pub(super) passed: bool,
    /// Whether the answer holds a row or value that the restrictions hide.
    pub(super) leaked: bool,
    pub(super) problems: Vec<String>,
}

/// What was posted.
#[derive(Debug)]
pub(super) enum Answer {
    /// The reader returned rows.
    Rows(Vec<Json>),
    /// The reader failed instead of returning anything.
    Refused,
}

impl Answer {
    /// Reads `{"rows": […]}` or `{"refused": true}`, which may give a `reason`.
    ///
    /// # Errors
    /// What is wrong with the form, in a sentence.
    pub(super) fn parse(json: &Json) -> Result<Self, String> {
        let Json::Object(members) = json else {
            return Err("an answer is an object".to_owned());
        };
        let known = ["rows", "refused", "reason"];
        if let Some(unknown) = members.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(format!("an answer has no member `{unknown}`"));
        }
        match (members.get("rows"), members.get("refused")) {
            (Some(Json::Array(rows)), None) => Ok(Self::Rows(rows.clone())),
            (None, Some(Json::Bool(true))) => Ok(Self::Refused),
            _ => Err("an answer is either {\"rows\": [{…}, …]} or {\"refused\": true}".to_owned()),
        }
    }
}

/// Compares.
pub(super) fn judge(case: &KitCase, answer: &Answer) -> Verdict {
    let mut findings = Findings::default();
    match (&case.expected, answer) {
        (Expected::Refusal, Answer::Refused) => {}
        (Expected::Refusal, Answer::Rows(_)) => {
            findings.leak(format!(
                "rows were returned, although the reader must refuse: {}",
                case.reason
            ));
        }
        (Expected::Rows(_), Answer::Refused) => {
            findings.problem("the reader refused, although it can apply these restrictions".to_owned())
        }
        (Expected::Rows(expected), Answer::Rows(rows)) => compare(case, expected, rows, &mut findings),
    }
    Verdict {
        case: case.name(),
        passed: findings.problems.is_empty(),
        leaked: findings.leaked,
        problems: findings.problems,
    }
}

#[derive(Default)]
struct Findings {
    problems: Vec<String>,
    leaked: bool,
}

impl Findings {
    fn problem(&mut self, text: String) {
        self.problems.push(text);
    }

    fn leak(&mut self, text: String) {
        self.leaked = true;
        self.problems.push(text);
    }
}

fn compare(case: &KitCase, expected: &BTreeMap<i64, Vec<Cell>>, rows: &[Json], findings: &mut Findings) {
    let mut returned = BTreeSet::new();
    let mut hashes = LocalHashes::default();
    for row in rows {
        let Some(number) = row.get(ROW).and_then(Json::as_i64) else {
            findings.problem(format!("a row without a whole number `{ROW}`: {row}"));
            continue;
        };
        if !returned.insert(number) {
            findings.problem(format!("row {number} was returned more than once"));
        }
        let Some(cells) = expected.get(&number) else {
            findings.leak(format!("row {number} must not be returned: {row}"));
            continue;
        };
        unknown_columns(case, number, row, findings);
        for (field, cell) in case.columns.iter().zip(cells) {
            let json = row.get(&field.name).unwrap_or(&Json::Null);
            let place = format!("row {number}, column `{}`", field.name);
            match Value::from_json(json, &field.field_type) {
                Err(error) => findings.problem(format!("{place}: {error}")),
                Ok(value) => check_value(&place, field, cell, &value, &mut hashes, findings),
            }
        }
    }
    for number in expected.keys().filter(|number| !returned.contains(number)) {
        findings.problem(format!("row {number} is missing"));
    }
}

/// A column that was not asked for might be one that is masked.
fn unknown_columns(case: &KitCase, number: i64, row: &Json, findings: &mut Findings) {
    for name in row.as_object().into_iter().flat_map(|row| row.keys()) {
        if name != ROW && !case.columns.iter().any(|field| field.name == *name) {
            findings.problem(format!("row {number}: the column `{name}` was not asked for"));
        }
    }
}

fn check_value(
    place: &str,
    field: &Field,
    cell: &Cell,
    value: &Value,
    hashes: &mut LocalHashes,
    findings: &mut Findings,
) {
    let text = text_of(value);
    let original = text_of(&cell.original);
    let problem = match &cell.shown {
        Shown::Exactly(shown) => {
            let shown = text_of(shown);
            if text == shown {
                return;
            }
            format!("{place}: expected {shown}, got {text}")
        }
        Shown::LocalHash => match hashes.check(field, &cell.original, value) {
            None => return,
            Some(problem) => format!("{place}: {problem}, got {text}"),
        },
    };
    if text == original {
        findings.leak(problem);
    } else {
        findings.problem(problem);
    }
}

/// Hashes of one query. The salt is the reader's secret, so what is known of them is their form, that equal values have equal
/// hashes, and that they are not the hashes without a salt.
#[derive(Default)]
struct LocalHashes {
    by_original: BTreeMap<String, String>,
}

impl LocalHashes {
    fn check(&mut self, field: &Field, original: &Value, value: &Value) -> Option<&'static str> {
        let text = text_of(value);
        let global = MaskAction::Sha256Global.apply(&field.field_type, original, None);
        if value.is_null() {
            return Some("a hash was expected");
        }
        if text == text_of(original) {
            return Some("a hash was expected, not the value");
        }
        if global.is_ok_and(|global| text_of(&global) == text) {
            return Some("a hash with a salt was expected, not one without");
        }
        if !has_form(&field.field_type, value) {
            return Some("a SHA-256 digest was expected");
        }
        let known = self
            .by_original
            .entry(text_of(original))
            .or_insert_with(|| text.clone());
        (*known != text).then_some("equal values must have equal hashes in one query")
    }
}

/// A value as text, so that -0.0 differs from 0.0 and NaN equals NaN.
fn text_of(value: &Value) -> String {
    value.to_json().to_string()
}

/// Whether the value is as long as a digest of the type is; numbers are cut to their own width.
fn has_form(field_type: &FieldType, value: &Value) -> bool {
    if let Value::String(text) = value {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        return text.len() == 64 && text.bytes().all(is_digit);
    }
    if let Value::Binary(bytes) = value {
        return bytes.len() == 32;
    }
    matches!(field_type, FieldType::Int | FieldType::Long)
}
