// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The impact as text for people. Members that this version does not know are left out.

use serde_json::Value;

use crate::policy::report::{HIDDEN, entries, member, says, text as name};

/// Tables that could not be loaded.
pub(crate) fn would_fail(impact: &Value) -> u64 {
    number(member(impact, "would-fail"))
}

/// What is wrong, one line each; nothing when all is well.
pub(crate) fn failures(impact: &Value) -> Vec<String> {
    let mut lines: Vec<String> = entries(member(impact, "tables"))
        .filter_map(|table| {
            let why = failure(table)?;
            Some(format!("{} {why}", name(member(table, "table"))))
        })
        .collect();
    if says(impact, "truncated") {
        lines.push("it reaches more tables than were examined".to_owned());
    }
    if number(member(impact, "readers-enrolled")) == 0 {
        lines.push("no reader is enrolled: nobody could read what it restricts".to_owned());
    }
    lines
}

/// What becomes of loads of a table, when not all succeed.
fn failure(table: &Value) -> Option<String> {
    let failure = member(table, "failure");
    let code = member(failure, "code").as_str()?;
    let what = match (code, member(failure, "certain")) {
        ("unchecked", _) => "was not examined",
        (_, Value::Bool(false)) => "could not be loaded by some",
        _ => "could not be loaded",
    };
    let detail = member(failure, "detail")
        .as_str()
        .or(member(failure, "message").as_str());
    let why = detail.map(|detail| format!(": {detail}")).unwrap_or_default();
    let more = match number(member(table, "more-failures")) {
        0 => String::new(),
        count => format!(", and {count} more reasons"),
    };
    Some(format!("{what}{why} ({code}){more}"))
}

/// The whole impact.
pub(crate) fn text(impact: &Value) -> String {
    let mut lines = Vec::new();
    let mut tables = 0_usize;
    for table in entries(member(impact, "tables")) {
        tables += 1;
        lines.push(format!("table       {}", name(member(table, "table"))));
        if says(table, "row-filter") {
            lines.push("              rows are filtered".to_owned());
        }
        let columns: Vec<&str> = entries(member(table, "columns")).map(name).collect();
        let policies: Vec<&str> = entries(member(table, "policies")).map(name).collect();
        if !columns.is_empty() {
            // A tag is on columns also while no policy masks them.
            let what = if policies.is_empty() { "tagged" } else { "masked" };
            lines.push(format!("              {what}: {}", columns.join(", ")));
        }
        if !policies.is_empty() {
            lines.push(format!("              policies: {}", policies.join(", ")));
        }
        if let Some(why) = failure(table) {
            lines.push(format!("              ! {why}"));
        }
    }
    let hidden = number(member(impact, "hidden-tables"));
    if hidden > 0 {
        lines.push(format!("tables      {hidden} more that you may not see"));
    }
    if says(impact, "truncated") {
        lines.push("tables      more than were examined; ask for one tag or object".to_owned());
    }
    if tables == 0 && hidden == 0 {
        lines.push("tables      none".to_owned());
    }
    for holder in entries(member(impact, "lifting")) {
        let principal = member(holder, "principal");
        lines.push(format!(
            "may lift    {} {} ({})",
            member(principal, "type").as_str().unwrap_or("principal"),
            member(principal, "name").as_str().unwrap_or(HIDDEN),
            member(holder, "through")
                .as_str()
                .unwrap_or("for a reason that this version does not know")
        ));
    }
    match number(member(impact, "hidden-lifting")) {
        0 => {}
        count => lines.push(format!("may lift    {count} more that you may not see")),
    }
    let mut readers = 0_usize;
    for reader in entries(member(impact, "readers")) {
        readers += 1;
        lines.push(format!(
            "reader      {} ({}{}), last load {}",
            name(member(reader, "name")),
            member(reader, "kind").as_str().unwrap_or("reader"),
            if says(reader, "enabled") {
                ""
            } else {
                ", not trusted any more"
            },
            member(reader, "last-load").as_str().unwrap_or("never")
        ));
    }
    let enrolled = number(member(impact, "readers-enrolled"));
    match enrolled {
        0 => lines.push("readers     none is enrolled: nobody could read what is restricted".to_owned()),
        count if readers == 0 => lines.push(format!("readers     {count} enrolled")),
        _ => {}
    }
    match number(member(impact, "unchecked")) {
        0 => {}
        1 => lines.push("unchecked   1 table: nobody knows whether it would fail".to_owned()),
        count => lines.push(format!(
            "unchecked   {count} tables: nobody knows whether they would fail"
        )),
    }
    match would_fail(impact) {
        0 => lines.push("would fail  no table".to_owned()),
        1 => lines.push("would fail  1 table".to_owned()),
        count => lines.push(format!("would fail  {count} tables")),
    }
    lines.push(String::new());
    lines.join("\n")
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{failures, text};

    fn impact() -> serde_json::Value {
        json!({
            "tables": [
                {"table": "lake.sales.orders", "columns": ["phone"], "policies": ["own", "mask"], "row-filter": true,
                 "failure": null},
                {"table": "lake.sales.stock", "columns": [], "policies": ["own"], "row-filter": true,
                 "failure": {"code": "restriction-schema", "message": "m", "detail": "no column `region`", "certain": true},
                 "more-failures": 1},
                {"table": "lake.sales.returns", "columns": [], "policies": [null], "row-filter": false,
                 "failure": {"code": "possible-conflict", "message": "two masks may differ", "detail": null,
                    "certain": false}, "more-failures": 0}
            ],
            "hidden-tables": 2,
            "lifting": [{"principal": {"type": "user", "name": "bob"}, "through": "APPLY_TAG on the tag access"}],
            "hidden-lifting": 3, "truncated": false, "unchecked": 0,
            "readers": [{"name": null, "kind": "oauth-client", "enabled": false, "last-load": "2026-11-30T10:00:00Z"},
                {"name": "gateway", "kind": "certificate", "enabled": true, "last-load": null}],
            "would-fail": 2,
            "readers-enrolled": 1
        })
    }

    #[test]
    fn everything_that_is_worth_knowing() {
        let expected = "\
table       lake.sales.orders
              rows are filtered
              masked: phone
              policies: own, mask
table       lake.sales.stock
              rows are filtered
              policies: own
              ! could not be loaded: no column `region` (restriction-schema), and 1 more reasons
table       lake.sales.returns
              policies: (not visible to you)
              ! could not be loaded by some: two masks may differ (possible-conflict)
tables      2 more that you may not see
may lift    user bob (APPLY_TAG on the tag access)
may lift    3 more that you may not see
reader      (not visible to you) (oauth-client, not trusted any more), last load 2026-11-30T10:00:00Z
reader      gateway (certificate), last load never
would fail  2 tables
";
        assert_eq!(text(&impact()), expected);
    }

    #[test]
    fn a_tag_without_policies_masks_nothing_and_what_was_not_examined_is_counted() {
        let impact = json!({
            "tables": [
                {"table": "c.s.t", "columns": ["phone"], "policies": [], "row-filter": false, "failure": null},
                {"table": "c.s.u", "columns": [], "policies": [], "row-filter": false,
                 "failure": {"code": "unchecked", "message": "not read", "detail": null, "certain": false}}
            ],
            "unchecked": 1, "would-fail": 0, "readers": [], "readers-enrolled": 1
        });
        let expected = "\
table       c.s.t
              tagged: phone
table       c.s.u
              ! was not examined: not read (unchecked)
readers     1 enrolled
unchecked   1 table: nobody knows whether it would fail
would fail  no table
";
        assert_eq!(text(&impact), expected);
    }

    #[test]
    fn failures_alone() {
        assert_eq!(
            failures(&impact()),
            [
                "lake.sales.stock could not be loaded: no column `region` (restriction-schema), and 1 more reasons",
                "lake.sales.returns could not be loaded by some: two masks may differ (possible-conflict)"
            ]
        );
        assert_eq!(
            failures(&json!({"tables": [], "would-fail": 0, "readers-enrolled": 0})),
            ["no reader is enrolled: nobody could read what it restricts"]
        );
    }
}
