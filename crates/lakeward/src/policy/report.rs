// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! An explanation of the server as text for people.

use serde_json::Value;

/// What stands for a name that the asker may not see.
const HIDDEN: &str = "(not visible to you)";

/// The explanation, one thing a line. Members that this version does not know are left out.
pub(crate) fn report(explanation: &Value) -> String {
    let mut report = Report { lines: Vec::new() };
    report.line("table", text(member(explanation, "table")));
    report.line("subject", &subject(member(explanation, "subject")));
    report.line("access", &access(member(explanation, "access")));
    report.outcome(explanation);
    for filter in entries(member(explanation, "row-filter")) {
        report.contribution("rows", text(member(filter, "predicate")), filter);
    }
    for column in entries(member(explanation, "columns")) {
        let name = match member(column, "column").as_str() {
            Some(name) => name.to_owned(),
            None => format!("field {}", member(column, "field-id")),
        };
        for mask in entries(member(column, "masks")) {
            report.contribution(
                "column",
                &format!("{name}: {}", text(member(mask, "action"))),
                mask,
            );
        }
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
    report.admission(member(explanation, "admission"));
    report.lines.join("\n")
}

struct Report {
    lines: Vec<String>,
}

impl Report {
    fn line(&mut self, label: &str, value: &str) {
        self.lines.push(format!("{label:<12}{value}"));
    }

    fn detail(&mut self, value: &str) {
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
            self.detail(
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

    fn contribution(&mut self, label: &str, value: &str, contribution: &Value) {
        let error = member(contribution, "error");
        if error.is_object() {
            let why = member(error, "detail")
                .as_str()
                .unwrap_or(text(member(error, "code")));
            self.line(label, &format!("no result: {why}"));
            return;
        }
        self.line(label, value);
        let policy = text(member(contribution, "policy"));
        self.detail(&format!(
            "policy {policy}, revision {}{}",
            member(contribution, "revision"),
            branch(contribution)
        ));
        for tag in entries(member(contribution, "selected-by")) {
            if member(tag, "tag").is_null() {
                self.detail(&format!("tag {HIDDEN}"));
                continue;
            }
            let values: Vec<&str> = entries(member(tag, "values")).map(text).collect();
            let values = if values.is_empty() {
                String::new()
            } else {
                format!(" = {}", values.join(", "))
            };
            self.detail(&format!(
                "tag {}{values} on {}, selector {}",
                text(member(tag, "tag")),
                object(member(tag, "assigned-on")),
                selector(member(tag, "selector"))
            ));
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
        self.line(
            "reader",
            &format!("status {}{reason}", member(admission, "status")),
        );
    }
}

fn subject(subject: &Value) -> String {
    let groups = if says(subject, "groups-known") {
        let names: Vec<&str> = entries(member(subject, "groups")).map(text).collect();
        if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        }
    } else {
        "unknown".to_owned()
    };
    format!(
        "{}, groups: {groups}",
        member(subject, "user").as_str().unwrap_or("nobody")
    )
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

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or(HIDDEN)
}

fn entries(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A member of an object; null when there is none.
fn member<'a>(value: &'a Value, name: &str) -> &'a Value {
    value.get(name).unwrap_or(&Value::Null)
}

/// Whether a member is `true`.
fn says(value: &Value, name: &str) -> bool {
    member(value, name) == &Value::Bool(true)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::report;

    #[test]
    fn a_restricted_table() {
        let text = report(&json!({
            "table": "lake.sales.orders",
            "subject": {"user": "bob", "groups": [], "groups-known": true},
            "access": {"allowed": true},
            "enforced": true,
            "restricted": true,
            "row-filter": [{
                "policy": "own", "revision": 2, "branches": ["not-selected", "selected"],
                "predicate": "col(\"owner\") == \"bob\"",
                "selected-by": [
                    {"tag": "rows", "values": ["strict"], "selector": {"type": "TAG_VALUE", "value": "strict"},
                     "assigned-on": {"type": "schema", "fullName": "lake.sales"}},
                    {"tag": null}
                ]
            }],
            "columns": [{"field-id": 2, "column": "phone", "masks": [{
                "policy": null, "revision": 1, "branches": ["selected"], "action": "show-last-4", "selected-by": []
            }]}],
            "not-selected": [{
                "policy": "draft", "tag": "rows", "reason": "disabled",
                "assigned-on": {"type": "schema", "fullName": "lake.sales"}
            }],
            "admission": {"admitted": false, "status": 406, "reason": "no capability"}
        }));
        let expected = [
            "table       lake.sales.orders",
            "subject     bob, groups: none",
            "access      may load the table",
            "outcome     restricted",
            "rows        col(\"owner\") == \"bob\"",
            "              policy own, revision 2, branch 2 of 2",
            "              tag rows = strict on schema lake.sales, selector TAG_VALUE strict",
            "              tag (not visible to you)",
            "column      phone: show-last-4",
            "              policy (not visible to you), revision 1",
            "not applied policy draft on tag rows (schema lake.sales): disabled",
            "reader      status 406: no capability",
        ];
        assert_eq!(text, expected.join("\n"));
    }

    #[test]
    fn what_cannot_be_resolved() {
        let text = report(&json!({
            "table": "lake.sales.orders",
            "subject": {"user": "bob", "groups": null, "groups-known": false},
            "access": {"allowed": false, "reason": "not a member"},
            "error": {"code": "restriction-context", "message": "public", "detail": null}
        }));
        assert!(text.contains("groups: unknown"), "{text}");
        assert!(text.contains("may not load the table: not a member"), "{text}");
        assert!(
            text.contains("cannot be resolved (restriction-context)"),
            "{text}"
        );
    }
}
