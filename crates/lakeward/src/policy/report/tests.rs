// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Explanations as people read them.

use serde_json::json;

use super::{Detail, report};

#[test]
fn a_restricted_table() {
    let text = report(
        &json!({
            "table": "lake.sales.orders",
            "subject": {"user": "bob", "groups": [], "groups-known": true, "groups-from": "stored", "groups-seen-at": null},
            "access": {"allowed": true},
            "enforced": true,
            "restricted": true,
            "signature": "a11",
            "read-restrictions": {"required-row-filter": {"type": "eq"}},
            "row-filter": [{
                "policy": "own", "revision": 2, "branches": ["not-selected", "selected"],
                "predicate": "col(\"owner\") == \"bob\"", "signature": "5e1f", "wire": {"type": "eq"},
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
        }),
        Detail { wire: true },
    );
    let expected = [
        "table       lake.sales.orders",
        "subject     bob, groups: none (as stored)",
        "access      may load the table",
        "outcome     restricted",
        "rows        col(\"owner\") == \"bob\"",
        "              policy own, revision 2, branch 2 of 2",
        "              tag rows = strict on schema lake.sales, selector TAG_VALUE strict",
        "              tag (not visible to you)",
        "              signature 5e1f",
        "              wire {\"type\":\"eq\"}",
        "column      phone: show-last-4",
        "              policy (not visible to you), revision 1",
        "not applied policy draft on tag rows (schema lake.sales): disabled",
        "signature   a11",
        "sent        {\"required-row-filter\":{\"type\":\"eq\"}}",
        "reader      status 406: no capability",
    ];
    assert_eq!(text, expected.join("\n"));
}

#[test]
fn what_cannot_be_resolved() {
    let text = report(
        &json!({
            "table": "lake.sales.orders",
            "subject": {"user": "bob", "groups": null, "groups-known": false},
            "access": {"allowed": false, "reason": "not a member"},
            "error": {"code": "restriction-context", "message": "public", "detail": null}
        }),
        Detail::default(),
    );
    assert!(text.contains("groups: unknown"), "{text}");
    assert!(text.contains("may not load the table: not a member"), "{text}");
    assert!(
        text.contains("cannot be resolved (restriction-context)"),
        "{text}"
    );
}

#[test]
fn a_conflict_names_its_policies_and_what_each_says() {
    let text = report(
        &json!({
            "table": "lake.sales.orders",
            "subject": {"user": "ann", "groups": ["a", "b"], "groups-from": "last-seen", "groups-seen-at": "2026-11-30T10:00:00Z"},
            "access": {"allowed": true},
            "error": {"code": "restriction-conflict", "message": "public", "detail": "column phone: `p` and `q` differ"},
            "row-filter": [
                {"policy": "own", "revision": 1, "branches": ["selected"], "predicate": "true", "signature": "s1", "selected-by": []},
                {"policy": "all", "revision": 1, "branches": ["selected"], "predicate": "true", "signature": "s1", "selected-by": []}
            ],
            "columns": [{"field-id": 2, "column": "phone", "masks": [
                {"policy": "p", "revision": 1, "branches": ["selected"], "action": "show-last-4", "signature": "s2", "selected-by": []},
                {"policy": "q", "revision": 1, "branches": ["selected"], "action": "show-first-4", "signature": "s3", "selected-by": []}
            ]}]
        }),
        Detail::default(),
    );
    let conflicts: Vec<&str> = text.lines().filter(|line| line.starts_with("conflict")).collect();
    assert_eq!(conflicts, ["conflict    phone: 2 different results, of p, q"]);
    assert!(
        text.contains("groups: a, b (last seen 2026-11-30T10:00:00Z)"),
        "{text}"
    );
    assert!(!text.contains("wire"));
}
