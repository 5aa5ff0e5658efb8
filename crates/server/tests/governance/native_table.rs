// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the native protocol tells and lets do with a table that its caller sees only in part.

use reqwest::Method;
use serde_json::{Value, json};

use crate::explain::{TABLES, policy, with_orders};
use crate::server::{Server, kind};

async fn properties(server: &Server, table: &str) -> Value {
    server
        .admin(Method::GET, &format!("{TABLES}/{table}"), None, 200)
        .await["table"]["properties"]
        .clone()
}

/// Puts a policy of a type, enabled, on a tag.
async fn put_on_tag(server: &Server, tag: &str, name: &str, policy_type: &str, expression: &str) {
    let body = policy(name, policy_type, expression, true);
    server.admin(Method::POST, "policies", Some(body), 200).await;
    server
        .admin(
            Method::PUT,
            &format!("tags/{tag}/policies/{name}?force=true"),
            None,
            200,
        )
        .await;
}

async fn tag(server: &Server, object: &str, tag: &str) {
    let path = format!("objects/{object}/tags");
    let body = json!({"tagsToAdd": [tag]});
    server.admin(Method::POST, &path, Some(body), 200).await;
}

#[tokio::test]
async fn who_sees_a_part_learns_the_schema_alone() {
    let server = with_orders().await;
    let before = properties(&server, "orders").await;
    assert!(before["location"].is_string() && before["current-snapshot-id"].is_string());
    tag(&server, "column/lake.sales.orders.phone", "pii").await;
    put_on_tag(
        &server,
        "pii",
        "last4",
        "system_column_mask",
        "mask := action(\"show-last-4\")",
    )
    .await;
    // Owning the table exempts nobody.
    let after = properties(&server, "orders").await;
    assert!(
        after["location"].is_null() && after["current-snapshot-id"].is_null(),
        "{after}"
    );
    let table = server
        .admin(Method::GET, &format!("{TABLES}/orders"), None, 200)
        .await;
    assert_eq!(table["table"]["columns"][1]["name"], "phone");
    let update = |update: Value| Some(json!({"updates": [update]}));
    let refused = server
        .admin(
            Method::PUT,
            &format!("{TABLES}/orders"),
            update(json!({"@type": "deleteColumn", "fieldName": ["phone"]})),
            403,
        )
        .await;
    assert_eq!(kind(&refused), "ReadRestrictionException");
    let renamed = update(json!({"@type": "rename", "newName": "sold"}));
    server
        .admin(Method::PUT, &format!("{TABLES}/orders"), renamed, 200)
        .await;
    assert!(properties(&server, "sold").await["location"].is_null());
}

#[tokio::test]
async fn restrictions_that_cannot_be_resolved_hide_as_well() {
    let server = with_orders().await;
    tag(&server, "table/lake.sales.orders", "rows").await;
    put_on_tag(
        &server,
        "rows",
        "lost",
        "system_row_filter",
        "filter := col(\"nowhere\") == \"x\"",
    )
    .await;
    assert!(properties(&server, "orders").await["location"].is_null());
    let comment = json!({"updates": [{"@type": "updateComment", "newComment": "x"}]});
    server
        .admin(Method::PUT, &format!("{TABLES}/orders"), Some(comment), 403)
        .await;
}

#[tokio::test]
async fn a_move_that_leaves_restrictions_behind_asks_first() {
    let server = with_orders().await;
    let other = json!({"name": "elsewhere"});
    server
        .admin(Method::POST, "catalogs/lake/schemas", Some(other), 200)
        .await;
    tag(&server, "schema/lake.sales", "rows").await;
    put_on_tag(
        &server,
        "rows",
        "east",
        "system_row_filter",
        "filter := col(\"region\") == \"east\"",
    )
    .await;
    let moved =
        || Some(json!({"updates": [{"@type": "rename", "newName": "orders", "newSchemaName": "elsewhere"}]}));
    server
        .admin(Method::PUT, &format!("{TABLES}/orders"), moved(), 409)
        .await;
    server
        .admin(Method::PUT, &format!("{TABLES}/orders?force=true"), moved(), 200)
        .await;
    let there = server
        .admin(
            Method::GET,
            "catalogs/lake/schemas/elsewhere/tables/orders",
            None,
            200,
        )
        .await;
    assert!(there["table"]["properties"]["location"].is_string());
}
