// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Judged cases for people and for programs.

use lakeward_governance::readable::readable;
use lakeward_governance::resolve::{Contribution, Resolution, SelectingTag};
use lakeward_read_restrictions::field::Field;
use serde_json::{Value, json};

use super::judge::{Difference, Failure, Judged};

/// What restricts, one line each.
pub(super) fn restrictions(resolution: &Resolution, fields: &[Field]) -> Vec<String> {
    let mut lines = Vec::new();
    for filter in &resolution.provenance.row_filter {
        lines.push(format!(
            "rows: {}{}",
            readable(&filter.value, fields),
            origin(filter)
        ));
    }
    for (id, masks) in &resolution.provenance.columns {
        let name = fields
            .iter()
            .find(|field| field.id == *id)
            .map_or("?", |field| field.name.as_str());
        for mask in masks {
            lines.push(format!("{name}: {}{}", mask.value, origin(mask)));
        }
    }
    if lines.is_empty() {
        lines.push("nothing restricts this user".to_owned());
    }
    lines
}

fn origin<T>(contribution: &Contribution<T>) -> String {
    let tags: Vec<String> = contribution.tags.iter().map(tag).collect();
    format!(" (policy {}, {})", contribution.policy, tags.join(", "))
}

fn tag(tag: &SelectingTag) -> String {
    let place = format!(
        "{} {}",
        tag.assigned_on.kind.lower_case(),
        tag.assigned_on.full_name()
    );
    if tag.tag.starts_with("for ") {
        return format!("for {place}");
    }
    match tag.values.as_slice() {
        [] => format!("tag {} on {place}", tag.tag),
        values => format!("tag {}={} on {place}", tag.tag, values.join("|")),
    }
}

/// All cases as text.
pub(super) fn text(judged: &[Judged], verbose: bool) -> String {
    let mut text = String::new();
    let mut file = None;
    for case in judged {
        if file != Some(&case.path) {
            text.push_str(&format!("{}\n", case.path.display()));
            file = Some(&case.path);
        }
        match &case.failure {
            None => text.push_str(&format!("  ok    {}\n", case.name)),
            Some(failure) => {
                text.push_str(&format!("  FAIL  {} (line {})\n", case.name, case.line));
                for line in lines(failure) {
                    text.push_str(&format!("          {line}\n"));
                }
            }
        }
        if verbose || case.failure.is_some() {
            for line in &case.restrictions {
                text.push_str(&format!("        · {line}\n"));
            }
        }
    }
    let failed = judged.iter().filter(|case| case.failure.is_some()).count();
    if !judged.is_empty() {
        text.push_str(&format!("{} passed, {failed} failed\n", judged.len() - failed));
    }
    text
}

fn lines(failure: &Failure) -> Vec<String> {
    match failure {
        Failure::Rows(difference) => {
            let mut lines = Vec::new();
            lines.extend(difference.missing.iter().map(|row| format!("- {row}")));
            lines.extend(difference.unexpected.iter().map(|row| format!("+ {row}")));
            lines.extend(difference.values.iter().cloned());
            lines.push("(- expected and not shown, + shown and not expected)".to_owned());
            lines
        }
        Failure::Refused {
            code,
            expected,
            detail,
        } => {
            let expected = match expected {
                None => "rows were expected".to_owned(),
                Some(expected) => format!("`{expected}` was expected"),
            };
            vec![
                format!("the load is refused with `{code}`, and {expected}"),
                detail.clone(),
            ]
        }
        Failure::NotRefused { expected, shown } => {
            let mut lines = vec![format!(
                "the load should be refused with `{expected}`, and it shows {} rows",
                shown.len()
            )];
            lines.extend(shown.iter().map(|row| format!("+ {row}")));
            lines
        }
    }
}

/// One case as JSON.
pub(super) fn json(case: &Judged) -> Value {
    let failure = match &case.failure {
        None => Value::Null,
        Some(Failure::Rows(Difference {
            missing,
            unexpected,
            values,
        })) => json!({"missing": rows(missing), "unexpected": rows(unexpected), "values": values}),
        Some(Failure::Refused {
            code,
            expected,
            detail,
        }) => {
            json!({"error": code, "expected-error": expected, "detail": detail})
        }
        Some(Failure::NotRefused { expected, shown }) => {
            json!({"expected-error": expected, "unexpected": rows(shown)})
        }
    };
    json!({
        "file": case.path,
        "line": case.line,
        "case": case.name,
        "passed": case.failure.is_none(),
        "failure": failure,
        "restrictions": case.restrictions,
    })
}

fn rows(lines: &[String]) -> Vec<Value> {
    lines
        .iter()
        .map(|line| serde_json::from_str(line).unwrap_or(Value::Null))
        .collect()
}
