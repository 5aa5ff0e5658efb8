// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Answers of the server about access as text for people. Members that this version does not know are left out.

use serde_json::Value;

/// What stands for a name that the asker may not see.
const HIDDEN: &str = "(not visible to you)";

/// An explanation, one thing a line; with `all` everything that was looked at.
pub(crate) fn explanation(told: &Value, all: bool) -> String {
    let mut lines = vec![
        line("object", &object_found(&told["object"])),
        line(
            "operation",
            &format!(
                "{}, which takes: {}",
                text(&told["operation"]),
                text(&told["requires"])
            ),
        ),
        line("subject", &subject(&told["subject"])),
        line(
            "verdict",
            &format!("{}: {}", verdict(told), text(&told["reason"])),
        ),
    ];
    if let Some(rule) = told["rule"].as_str() {
        lines.push(line("decided by", rule));
    }
    for owned in entries(&told["owned"]) {
        lines.push(line("owned", &ownership(owned)));
    }
    for (label, member) in [("granted", "granted"), ("denied", "denied")] {
        for saying in entries(&told[member]) {
            lines.push(line(label, &self::saying(saying)));
        }
    }
    let names = |member: &str| -> Vec<&str> { entries(&told[member]).iter().map(text).collect() };
    for (label, member, between) in [("missing", "missing", ", "), ("would do", "needs", " or ")] {
        let names = names(member);
        if !names.is_empty() {
            lines.push(line(label, &names.join(between)));
        }
    }
    if all {
        weighing(&told["weighing"], 0, &mut lines);
    }
    lines.push(String::new());
    lines.join("\n")
}

/// A subject with its groups.
pub(crate) fn subject(told: &Value) -> String {
    let user = told["user"].as_str().unwrap_or("nobody");
    let membership = match told["membership"].as_str() {
        Some("outsider") => ", who is no user of the metalake",
        Some("suspended") => ", whose access is suspended",
        _ => "",
    };
    let groups = match told["groups"].as_array() {
        None => "; in which groups is not known".to_owned(),
        Some(groups) if groups.is_empty() => "; in no group".to_owned(),
        Some(groups) => {
            let names: Vec<&str> = groups
                .iter()
                .map(|group| group.as_str().unwrap_or(HIDDEN))
                .collect();
            format!("; in {}", names.join(", "))
        }
    };
    let from = match told["groups-from"].as_str() {
        Some("stated") => " (as you say)".to_owned(),
        Some("last-seen") => format!(" (as of {})", text(&told["groups-seen-at"])),
        _ => String::new(),
    };
    format!("{user}{membership}{groups}{from}")
}

/// What a role says, and through whom it is held.
pub(crate) fn saying(told: &Value) -> String {
    format!(
        "{} on {} by role {}, held {}",
        text(&told["privilege"]),
        object(&told["object"]),
        text(&told["role"]),
        match told.pointer("/through/type").and_then(Value::as_str) {
            Some("group") => format!(
                "through group {}",
                told.pointer("/through/name")
                    .and_then(Value::as_str)
                    .unwrap_or(HIDDEN)
            ),
            _ => "directly".to_owned(),
        }
    )
}

/// A type and a full name.
pub(crate) fn object(told: &Value) -> String {
    format!("{} {}", text(&told["type"]), text(&told["fullName"]))
}

/// The items of a list; none where there is no list.
pub(crate) fn entries(told: &Value) -> &[Value] {
    told.as_array().map_or(&[], Vec::as_slice)
}

/// A text; empty where there is none.
pub(crate) fn text(told: &Value) -> &str {
    told.as_str().unwrap_or_default()
}

fn verdict(told: &Value) -> &'static str {
    match told["allowed"].as_bool() {
        Some(true) => "allowed",
        Some(false) => "refused",
        None => "not known",
    }
}

fn object_found(told: &Value) -> String {
    let missing = if told["found"] == Value::Bool(false) {
        " (does not exist, or is hidden from you)"
    } else {
        ""
    };
    format!("{}{missing}", object(told))
}

fn ownership(told: &Value) -> String {
    let through = match told.pointer("/owner/type").and_then(Value::as_str) {
        Some("group") => format!(
            ", through group {}",
            told.pointer("/owner/name")
                .and_then(Value::as_str)
                .unwrap_or(HIDDEN)
        ),
        _ => String::new(),
    };
    format!("{}{through}", object(&told["object"]))
}

fn weighing(told: &Value, depth: usize, lines: &mut Vec<String>) {
    let indent = "  ".repeat(depth);
    let mark = if told["allowed"] == Value::Bool(true) {
        "yes"
    } else {
        "no"
    };
    lines.push(line(
        "weighed",
        &format!("{indent}{mark}: {}", text(&told["rule"])),
    ));
    for owned in entries(&told["owned"]) {
        lines.push(line("", &format!("{indent}  owns {}", ownership(owned))));
    }
    for one in entries(&told["privileges"]) {
        let held = if one["held"] == Value::Bool(true) {
            "has"
        } else {
            "lacks"
        };
        lines.push(line("", &format!("{indent}  {held} {}", text(&one["privilege"]))));
        for allowed in entries(&one["allowed"]) {
            lines.push(line("", &format!("{indent}    allowed: {}", saying(allowed))));
        }
        for denied in entries(&one["denied"]) {
            lines.push(line("", &format!("{indent}    denied: {}", saying(denied))));
        }
    }
    for part in entries(&told["parts"]) {
        weighing(part, depth + 1, lines);
    }
}

fn line(label: &str, value: &str) -> String {
    format!("{label:<11} {value}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::explanation;

    #[test]
    fn a_refusal_is_told_line_by_line() {
        let denial = json!({"privilege": "SELECT_TABLE", "condition": "DENY", "role": "no_sales",
            "object": {"type": "schema", "fullName": "lake.sales"}, "through": {"type": "group", "name": "team"}});
        let told = json!({
            "object": {"type": "table", "fullName": "lake.sales.orders", "found": true},
            "operation": "LoadTable",
            "requires": "on TABLE: owner or SELECT_TABLE",
            "subject": {"user": "ann", "groups": ["team", null], "groups-from": "stored", "membership": "member"},
            "allowed": false,
            "reason": "`SELECT_TABLE` is denied on the schema",
            "rule": "on TABLE: owner or SELECT_TABLE",
            "missing": [], "needs": ["SELECT_TABLE", "MODIFY_TABLE"], "denied": [denial],
        });
        assert_eq!(
            explanation(&told, false),
            "object      table lake.sales.orders\n\
             operation   LoadTable, which takes: on TABLE: owner or SELECT_TABLE\n\
             subject     ann; in team, (not visible to you)\n\
             verdict     refused: `SELECT_TABLE` is denied on the schema\n\
             decided by  on TABLE: owner or SELECT_TABLE\n\
             denied      SELECT_TABLE on schema lake.sales by role no_sales, held through group team\n\
             would do    SELECT_TABLE or MODIFY_TABLE\n"
        );
    }

    #[test]
    fn unknown_groups_are_no_verdict() {
        let told = json!({
            "object": {"type": "catalog", "fullName": "lake", "found": false},
            "operation": "load", "requires": "r",
            "subject": {"user": "ann", "groups": null, "membership": "member"},
            "allowed": null, "reason": "it is not known in which groups the user is",
        });
        let text = explanation(&told, true);
        assert!(text.contains("verdict     not known: it is not known"), "{text}");
        assert!(
            text.contains("catalog lake (does not exist, or is hidden from you)"),
            "{text}"
        );
        assert!(text.contains("ann; in which groups is not known"), "{text}");
    }
}
