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
            "subject": {"user": "ann", "groups": ["a", "b"], "groups-from": "last-seen",
                "groups-seen-at": "2026-11-30T10:00:00Z"},
            "access": {"allowed": true},
            "error": {"code": "restriction-conflict", "message": "public", "detail": "mask of field 2: they differ"},
            "row-filter": [
                {"policy": "own", "draft": true, "revision": null, "branches": ["selected"], "predicate": "true",
                 "signature": "s1", "selected-by": []},
                {"policy": "bad", "draft": false, "revision": 4, "selected-by": [],
                 "error": {"code": "restriction-schema", "detail": "no column `x`"}}
            ],
            "columns": [{"field-id": 2, "column": "phone", "masks": [
                {"policy": "p", "revision": 1, "branches": ["selected"], "action": "show-last-4", "signature": "s2",
                 "selected-by": []},
                {"policy": null, "revision": 1, "branches": ["selected"], "action": "show-first-4", "signature": "s3",
                 "selected-by": []}
            ]}],
            "conflicts": [{"place": "column", "field-id": 2, "column": "phone", "restrictions": [
                {"signature": "s2", "policies": ["p"]}, {"signature": "s3", "policies": [null]}]}],
            "admission": {"admitted": null, "status": null, "reason": "told to operators", "trusted-status": 200,
                "untrusted-status": 403}
        }),
        Detail::default(),
    );
    let expected = [
        "table       lake.sales.orders",
        "subject     ann, groups: a, b (last seen 2026-11-30T10:00:00Z)",
        "access      may load the table",
        "outcome     cannot be resolved (restriction-conflict); every load is refused",
        "              mask of field 2: they differ",
        "rows        true",
        "              policy own, a draft",
        "              signature s1",
        "rows        no result: no column `x`",
        "              policy bad, revision 4",
        "column      phone: show-last-4",
        "              policy p, revision 1",
        "              signature s2",
        "column      phone: show-first-4",
        "              policy (not visible to you), revision 1",
        "              signature s3",
        "conflict    column phone: distinct results, one of which must go",
        "              p (signature s2)",
        "              (not visible to you) (signature s3)",
        "reader      not told: told to operators",
        "              status 200 through a trusted reader, else 403",
    ];
    assert_eq!(text, expected.join("\n"));
}
