// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The changes: those that take a restriction away, those that do not, those that are never made.

use reqwest::Method;
use serde_json::{Value, json};

/// Names in a change: `{s}`, `{t}` and `{p}` are the schema, tag and policy of its scene.
pub(crate) struct Change {
    pub(crate) name: &'static str,
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) body: Value,
    /// By the API of values of tags.
    pub(crate) values: bool,
    /// How it answers when it is made.
    pub(crate) done: u16,
}

const BY_NAMES: bool = false;
const BY_VALUES: bool = true;

/// In the scene of each change, `lake.{s}.orders` lies in a schema with `{t}=restricted`, which selects the enabled row
/// filter `{p}`; the column `phone` of `lake.{s}o.people` has `{t}m`, which selects the enabled mask `{p}m`; the table
/// `lake.{s}o.direct` has `{t}d` without a value, which selects `{p}d`. The filters spare the administrator, who may
/// therefore do more than append.
pub(crate) fn widening() -> Vec<Change> {
    let change = |name, method, path, body, values, done| Change {
        name,
        method,
        path,
        body,
        values,
        done,
    };
    let update = |update: Value| json!({"updates": [update]});
    let to_elsewhere = json!({"@type": "rename", "newName": "orders", "newSchemaName": "elsewhere"});
    let restricts_nobody = json!({"@type": "updateContent", "policyType": "system_row_filter",
        "newContent": {"expression": "filter := true if is_group_member(\"auditors\") else := not false"}});
    let moved = json!({
        "source": {"namespace": ["{s}"], "name": "orders"},
        "destination": {"namespace": ["elsewhere"], "name": "{s}-orders"}
    });
    let value = |value: &str| json!({"name": "{t}", "value": value});
    vec![
        change(
            "a tag taken from a schema by name",
            Method::POST,
            "objects/schema/lake.{s}/tags",
            json!({"tagsToRemove": ["{t}"]}),
            BY_NAMES,
            200,
        ),
        change(
            "a tag taken from a schema by the old path",
            Method::POST,
            "tags/schema/lake.{s}",
            json!({"tagsToRemove": ["{t}"]}),
            BY_NAMES,
            200,
        ),
        change(
            "a tag taken from a schema by value",
            Method::POST,
            "objects/schema/lake.{s}/tags",
            json!({"tagsToRemove": [value("restricted")]}),
            BY_VALUES,
            200,
        ),
        change(
            "a tag taken from a table",
            Method::POST,
            "objects/table/lake.{s}o.direct/tags",
            json!({"tagsToRemove": ["{t}d"]}),
            BY_NAMES,
            200,
        ),
        change(
            "a tag taken from a column",
            Method::POST,
            "objects/column/lake.{s}o.people.phone/tags",
            json!({"tagsToRemove": ["{t}m"]}),
            BY_NAMES,
            200,
        ),
        change(
            "a value exchanged for another",
            Method::POST,
            "objects/schema/lake.{s}/tags",
            json!({"tagsToAdd": [value("public")], "tagsToRemove": [value("restricted")]}),
            BY_VALUES,
            200,
        ),
        change(
            "a nearer assignment with another value",
            Method::POST,
            "objects/table/lake.{s}.orders/tags",
            json!({"tagsToAdd": [value("public")]}),
            BY_VALUES,
            200,
        ),
        change(
            "a nearer assignment without value",
            Method::POST,
            "objects/table/lake.{s}.orders/tags",
            json!({"tagsToAdd": ["{t}"]}),
            BY_NAMES,
            200,
        ),
        change(
            "another selector",
            Method::PUT,
            "tags/{t}/policies/{p}",
            json!({"selector": {"type": "TAG_VALUE", "value": "public"}}),
            BY_NAMES,
            200,
        ),
        change(
            "a policy taken from a tag",
            Method::DELETE,
            "tags/{t}/policies/{p}",
            Value::Null,
            BY_NAMES,
            204,
        ),
        change(
            "a tag dropped",
            Method::DELETE,
            "tags/{t}",
            Value::Null,
            BY_NAMES,
            200,
        ),
        change(
            "a policy dropped",
            Method::DELETE,
            "policies/{p}",
            Value::Null,
            BY_NAMES,
            200,
        ),
        change(
            "a policy disabled",
            Method::PATCH,
            "policies/{p}",
            json!({"enable": false}),
            BY_NAMES,
            200,
        ),
        change(
            "a content that restricts nobody",
            Method::PUT,
            "policies/{p}",
            update(restricts_nobody),
            BY_NAMES,
            200,
        ),
        change(
            "a table moved",
            Method::PUT,
            "catalogs/lake/schemas/{s}/tables/orders",
            update(to_elsewhere),
            BY_NAMES,
            200,
        ),
        change(
            "a table moved by an Iceberg client",
            Method::POST,
            "/iceberg/v1/lake/tables/rename",
            moved,
            BY_NAMES,
            204,
        ),
        change(
            "a table dropped, its files kept",
            Method::DELETE,
            "catalogs/lake/schemas/{s}/tables/orders",
            Value::Null,
            BY_NAMES,
            200,
        ),
        change(
            "a table dropped by an Iceberg client, its files kept",
            Method::DELETE,
            "/iceberg/v1/lake/namespaces/{s}/tables/orders",
            Value::Null,
            BY_NAMES,
            204,
        ),
    ]
}

/// What takes no restriction from anything, and so asks nothing.
pub(crate) fn harmless() -> Vec<Change> {
    let change = |name, method, path, body, done| Change {
        name,
        method,
        path,
        body,
        values: BY_NAMES,
        done,
    };
    let update = |update: Value| json!({"updates": [update]});
    let stricter = json!({"@type": "updateContent", "policyType": "system_row_filter",
        "newContent": {"expression": "filter := false"}});
    vec![
        change(
            "every value selected",
            Method::PUT,
            "tags/{t}/policies/{p}",
            Value::Null,
            200,
        ),
        change(
            "a tag renamed",
            Method::PUT,
            "tags/{t}",
            update(json!({"@type": "rename", "newName": "{t}2"})),
            200,
        ),
        change(
            "a policy renamed",
            Method::PUT,
            "policies/{p}",
            update(json!({"@type": "rename", "newName": "{p}2"})),
            200,
        ),
        change(
            "a policy enabled again",
            Method::PATCH,
            "policies/{p}",
            json!({"enable": true}),
            200,
        ),
        change(
            "another content",
            Method::PUT,
            "policies/{p}",
            update(stricter),
            200,
        ),
        change(
            "a table renamed where it is",
            Method::PUT,
            "catalogs/lake/schemas/{s}/tables/orders",
            update(json!({"@type": "rename", "newName": "sold"})),
            200,
        ),
        change(
            "the same value nearer",
            Method::POST,
            "objects/table/lake.{s}o.direct/tags",
            json!({"tagsToAdd": ["{t}m"]}),
            200,
        ),
        change(
            "a table dropped with its files",
            Method::DELETE,
            "catalogs/lake/schemas/{s}/tables/orders?purge=true",
            Value::Null,
            200,
        ),
    ]
}

/// What is refused whether it is meant or not.
pub(crate) fn never() -> Vec<Change> {
    let change = |name, method, path, body, done| Change {
        name,
        method,
        path,
        body,
        values: BY_NAMES,
        done,
    };
    let drop_phone =
        json!({"updates": [{"@type": "deleteColumn", "fieldName": ["phone"], "ifExists": false}]});
    vec![
        change(
            "a schema dropped with restricted tables",
            Method::DELETE,
            "catalogs/lake/schemas/{s}o?cascade=true",
            Value::Null,
            403,
        ),
        change(
            "a metalake dropped with restricted tables",
            Method::DELETE,
            "/api/metalakes/m?force=true",
            Value::Null,
            403,
        ),
        change(
            "a masked column dropped",
            Method::PUT,
            "catalogs/lake/schemas/{s}o/tables/people",
            drop_phone,
            403,
        ),
        change(
            "a masked table dropped",
            Method::DELETE,
            "catalogs/lake/schemas/{s}o/tables/people",
            Value::Null,
            403,
        ),
    ]
}
