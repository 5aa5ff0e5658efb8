// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! An explanation of the server as text for people.

use serde_json::Value;

/// What stands for a name that the asker may not see.
pub(crate) const HIDDEN: &str = "(not visible to you)";

/// How much is told.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Detail {
    /// Also what is sent to readers, as JSON.
    pub(crate) wire: bool,
}

/// The explanation, one thing a line. Members that this version does not know are left out.
pub(crate) fn report(explanation: &Value, detail: Detail) -> String {
    let mut report = Report {
        lines: Vec::new(),
        detail,
    };
    report.line("table", text(member(explanation, "table")));
    report.line("subject", &subject(member(explanation, "subject")));
    report.line("access", &access(member(explanation, "access")));
    report.outcome(explanation);
    for filter in entries(member(explanation, "row-filter")) {
        report.contribution("rows", "", text(member(filter, "predicate")), filter);
    }
    for column in entries(member(explanation, "columns")) {
        let name = match member(column, "column").as_str() {
            Some(name) => name.to_owned(),
            None => format!("field {}", member(column, "field-id")),
        };
        for mask in entries(member(column, "masks")) {
            report.contribution("column", &format!("{name}: "), text(member(mask, "action")), mask);
        }
    }
    for conflict in entries(member(explanation, "conflicts")) {
        report.conflict(conflict);
    }
    for omitted in entries(member(explanation, "omitted")) {
        report.line(
            "omitted",
            &format!(
                "policy {}: {}",
                text(member(omitted, "policy")),
                text(member(omitted, "reason"))
            ),
        );
    }
    for other in entries(member(explanation, "not-selected")) {
        report.line(
            "not applied",
            &format!(
                "policy {} on tag {} ({}): {}",
                text(member(other, "policy")),
                text(member(other, "tag")),
                object(member(other, "assigned-on")),
                text(member(other, "reason")).replace('-', " ")
            ),
        );
    }
    for unused in entries(member(explanation, "unused-previews")) {
        report.line(
            "no effect",
            &format!("policy {} is on no tag of this table", text(unused)),
        );
    }
    if says(explanation, "restricted") {
        report.line("signature", text(member(explanation, "signature")));
        if detail.wire {
            report.line("sent", &member(explanation, "read-restrictions").to_string());
        }
    }
    report.admission(member(explanation, "admission"));
    report.lines.join("\n")
}

struct Report {
    lines: Vec<String>,
    detail: Detail,
}

impl Report {
    fn line(&mut self, label: &str, value: &str) {
        self.lines.push(format!("{label:<12}{value}"));
    }

    fn below(&mut self, value: &str) {
        self.lines.push(format!("{:<14}{value}", ""));
    }

    fn outcome(&mut self, explanation: &Value) {
        if explanation.get("enforced") == Some(&Value::Bool(false)) {
            self.line(
                "switch",
                "read restrictions are off on this server; a table that they would restrict is not served",
            );
        }
        let error = member(explanation, "error");
        if let Some(code) = member(error, "code").as_str() {
            self.line(
                "outcome",
                &format!("cannot be resolved ({code}); every load is refused"),
            );
            self.below(
                member(error, "detail")
                    .as_str()
                    .unwrap_or(text(member(error, "message"))),
            );
        } else if says(explanation, "restricted") {
            self.line("outcome", "restricted");
        } else {
            self.line("outcome", "not restricted");
        }
    }

    fn contribution(&mut self, label: &str, of: &str, value: &str, contribution: &Value) {
        let error = member(contribution, "error");
        if error.is_object() {
            let why = member(error, "detail")
                .as_str()
                .unwrap_or(text(member(error, "code")));
            self.line(label, &format!("{of}no result: {why}"));
        } else {
            self.line(label, &format!("{of}{value}"));
        }
        let revision = if says(contribution, "draft") {
            "a draft".to_owned()
        } else {
            format!("revision {}", member(contribution, "revision"))
        };
        self.below(&format!(
            "policy {}, {revision}{}",
            text(member(contribution, "policy")),
            branch(contribution)
        ));
        for tag in entries(member(contribution, "selected-by")) {
            if member(tag, "tag").is_null() {
                self.below(&format!("tag {HIDDEN}"));
                continue;
            }
            let values: Vec<&str> = entries(member(tag, "values")).map(text).collect();
            let values = if values.is_empty() {
                String::new()
            } else {
                format!(" = {}", values.join(", "))
            };
            self.below(&format!(
                "tag {}{values} on {}, selector {}",
                text(member(tag, "tag")),
                object(member(tag, "assigned-on")),
                selector(member(tag, "selector"))
            ));
        }
        if let Some(signature) = member(contribution, "signature").as_str() {
            self.below(&format!("signature {signature}"));
        }
        let wire = member(contribution, "wire");
        if self.detail.wire && !wire.is_null() {
            self.below(&format!("wire {wire}"));
        }
    }

    /// Distinct results for one place, which refuse every load.
    fn conflict(&mut self, conflict: &Value) {
        let place = match member(conflict, "column").as_str() {
            Some(column) => format!("column {column}"),
            None => text(member(conflict, "place")).replace('-', " "),
        };
        self.line(
            "conflict",
            &format!("{place}: distinct results, one of which must go"),
        );
        for restriction in entries(member(conflict, "restrictions")) {
            let policies: Vec<&str> = entries(member(restriction, "policies")).map(text).collect();
            let signature = text(member(restriction, "signature"));
            self.below(&format!("{} (signature {signature})", policies.join(", ")));
        }
    }

    fn admission(&mut self, admission: &Value) {
        if admission.is_null() {
            return;
        }
        let reason = member(admission, "reason")
            .as_str()
            .map(|reason| format!(": {reason}"))
            .unwrap_or_default();
        let status = member(admission, "status");
        if !status.is_null() {
            self.line("reader", &format!("status {status}{reason}"));
            return;
        }
        self.line("reader", &format!("not told{reason}"));
        self.below(&format!(
            "status {} through a trusted reader, else {}",
            member(admission, "trusted-status"),
            member(admission, "untrusted-status")
        ));
    }
}

fn subject(subject: &Value) -> String {
    let groups = match member(subject, "groups").as_array() {
        None => "unknown; a rule that asks for one refuses the load".to_owned(),
        Some(names) if names.is_empty() => format!("none{}", groups_from(subject)),
        Some(names) => {
            let names: Vec<&str> = names.iter().map(text).collect();
            format!("{}{}", names.join(", "), groups_from(subject))
        }
    };
    format!(
        "{}, groups: {groups}",
        member(subject, "user").as_str().unwrap_or("nobody")
    )
}

/// Where the groups come from, as far as the server says.
fn groups_from(subject: &Value) -> String {
    match member(subject, "groups-from").as_str() {
        None | Some("unknown") => String::new(),
        Some("stated") => " (as stated)".to_owned(),
        Some("token") => " (of the token)".to_owned(),
        Some("stored") => " (as stored)".to_owned(),
        Some("last-seen") => match member(subject, "groups-seen-at").as_str() {
            Some(at) => format!(" (last seen {at})"),
            None => " (last seen)".to_owned(),
        },
        Some(other) => format!(" ({})", other.replace('-', " ")),
    }
}

fn access(access: &Value) -> String {
    if says(access, "allowed") {
        return "may load the table".to_owned();
    }
    format!("may not load the table: {}", text(member(access, "reason")))
}

/// Which branch of the rule gave the result.
fn branch(contribution: &Value) -> String {
    let outcomes: Vec<&str> = entries(member(contribution, "branches")).map(text).collect();
    if outcomes.len() < 2 {
        return String::new();
    }
    if outcomes.contains(&"by-row") {
        return format!(", {} branches decided row by row", outcomes.len());
    }
    let selected = outcomes.iter().position(|outcome| *outcome == "selected");
    selected.map_or_else(String::new, |at| {
        format!(", branch {} of {}", at + 1, outcomes.len())
    })
}

fn selector(selector: &Value) -> String {
    match member(selector, "value").as_str() {
        Some(value) => format!("{} {value}", text(member(selector, "type"))),
        None => text(member(selector, "type")).to_owned(),
    }
}

fn object(object: &Value) -> String {
    format!(
        "{} {}",
        text(member(object, "type")),
        text(member(object, "fullName"))
    )
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or(HIDDEN)
}

pub(crate) fn entries(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A member of an object; null when there is none.
pub(crate) fn member<'a>(value: &'a Value, name: &str) -> &'a Value {
    value.get(name).unwrap_or(&Value::Null)
}

/// Whether a member is `true`.
pub(crate) fn says(value: &Value, name: &str) -> bool {
    member(value, name) == &Value::Bool(true)
}

#[cfg(test)]
mod tests;
