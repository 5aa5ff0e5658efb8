// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The question before a restriction takes effect by which loads would fail, or that no reader could enforce.

use reqwest::Method;
use serde_json::{Value, json};

use crate::explain::{policy, with_orders};
use crate::impact::{add_other, add_policy, add_user, assign};
use crate::server::Server;

const US: &str = "filter := col(\"region\") == \"US\"";

/// The message of a change that is refused until it is forced; the change is made then, and the audit log repeats what
/// spoke against it.
async fn asked(server: &Server, method: Method, path: &str, body: Value) -> String {
    let refused = server.admin(method.clone(), path, Some(body.clone()), 409).await;
    let message = refused["message"].as_str().unwrap().to_owned();
    assert!(
        message.starts_with("[restriction-would-fail] ")
            && message.ends_with("repeat with `force=true` if that is meant"),
        "{message}"
    );
    let forced = format!("{path}?force=true");
    server.admin(method, &forced, Some(body), 200).await;
    let record = server.audit_records().await.pop().unwrap();
    let disregarded: Vec<&str> = record["disregarded"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    assert!(message.contains(&disregarded.join("; ")), "{record}");
    assert!(record["forced"] == true && !disregarded.is_empty(), "{record}");
    message
}

#[tokio::test]
async fn enabling_what_would_fail_asks() {
    let server = with_orders().await;
    add_other(&server).await;
    add_policy(&server, "us", US, "rows").await;
    assign(&server, "table/lake.sales.orders", "rows").await;
    let enable = json!({"enable": true});
    // Where it fits, nothing is asked.
    server
        .admin(Method::PATCH, "policies/us", Some(enable.clone()), 200)
        .await;
    let off = json!({"enable": false});
    server
        .admin(Method::PATCH, "policies/us?force=true", Some(off), 200)
        .await;
    assign(&server, "schema/lake.sales", "rows").await;
    let message = asked(&server, Method::PATCH, "policies/us", enable.clone()).await;
    assert!(
        message.contains("`lake.sales.other`") && message.contains("no column `region`"),
        "{message}"
    );
    assert!(!message.contains("lake.sales.orders"), "{message}");
    // It is enabled now; once more changes nothing and asks nothing.
    server
        .admin(Method::PATCH, "policies/us", Some(enable), 200)
        .await;
    let on = server.admin(Method::GET, "policies/us", None, 200).await;
    assert_eq!(on["policy"]["enabled"], true);
}

#[tokio::test]
async fn every_way_by_which_a_restriction_takes_effect_asks() {
    let server = with_orders().await;
    add_other(&server).await;
    let body = policy("us", "system_row_filter", US, true);
    server.admin(Method::POST, "policies", Some(body), 200).await;
    // An assignment of a tag.
    server
        .admin(Method::PUT, "tags/rows/policies/us", None, 200)
        .await;
    let add = json!({"tagsToAdd": ["rows"]});
    let on_orders = "objects/table/lake.sales.orders/tags";
    server
        .admin(Method::POST, on_orders, Some(add.clone()), 200)
        .await;
    let message = asked(&server, Method::POST, "objects/table/lake.sales.other/tags", add).await;
    assert!(message.contains("`lake.sales.other`"), "{message}");
    // A content of an enabled policy.
    let content = |expression: &str| {
        json!({"updates": [{"@type": "updateContent", "policyType": "system_row_filter",
            "newContent": {"expression": expression}}]})
    };
    let message = asked(
        &server,
        Method::PUT,
        "policies/us",
        content("filter := col(\"amount\") == \"many\""),
    )
    .await;
    assert!(
        message.contains("lake.sales.orders") && message.contains("restriction-literal"),
        "{message}"
    );
    let mended = content("filter := col(\"region\") != \"EU\"");
    server
        .admin(Method::PUT, "policies/us?force=true", Some(mended), 200)
        .await;
    // A policy on a tag.
    let body = policy("none", "system_row_filter", "filter := false", true);
    server.admin(Method::POST, "policies", Some(body), 200).await;
    let message = asked(&server, Method::PUT, "tags/rows/policies/none", json!({})).await;
    assert!(
        message.contains("restriction-conflict") && message.contains("`none`"),
        "{message}"
    );
    // A value by which a selector matches.
    let access = json!({"name": "access", "allowedValues": ["restricted", "public"]});
    server.admin(Method::POST, "tags", Some(access), 200).await;
    let masked = policy(
        "year",
        "system_column_mask",
        "mask := action(\"truncate-to-year\")",
        true,
    );
    server.admin(Method::POST, "policies", Some(masked), 200).await;
    let selector = json!({"selector": {"type": "TAG_VALUE", "value": "restricted"}});
    server
        .admin(Method::PUT, "tags/access/policies/year", Some(selector), 200)
        .await;
    let on_column = "objects/column/lake.sales.orders.phone/tags";
    let value = |value: &str| json!({"tagsToAdd": [{"name": "access", "value": value}]});
    server.values(on_column, value("public"), 200).await;
    server.values(on_column, value("restricted"), 409).await;
    server
        .values(&format!("{on_column}?force=true"), value("restricted"), 200)
        .await;
}

#[tokio::test]
async fn without_a_reader_nobody_could_enforce_it() {
    let server = with_orders().await;
    let removed = server
        .send("admin", Method::DELETE, "/api/readers/gateway", None, &[])
        .await;
    assert_eq!(removed.body["removed"], true);
    add_policy(&server, "us", US, "rows").await;
    let message = asked(&server, Method::PATCH, "policies/us", json!({"enable": true})).await;
    assert!(message.contains("no reader is enrolled"), "{message}");
    let created = policy("new", "system_row_filter", US, true);
    let message = asked(&server, Method::POST, "policies", created).await;
    assert!(message.contains("no reader is enrolled"), "{message}");
    // Only restrictions need one.
    let custom = json!({"name": "ret", "policyType": "custom", "enabled": true,
        "content": {"customRules": {}, "supportedObjectTypes": ["CATALOG"], "properties": {}}});
    server.admin(Method::POST, "policies", Some(custom), 200).await;
    let told = server
        .admin(
            Method::POST,
            "read-restrictions/impact",
            Some(json!({"policy": "us"})),
            200,
        )
        .await;
    assert_eq!(
        (&told["impact"]["readers"], &told["impact"]["readers-enrolled"]),
        (&json!([]), &json!(0))
    );
}

#[tokio::test]
async fn the_question_counts_what_its_reader_may_not_see() {
    let server = with_orders().await;
    add_other(&server).await;
    assign(&server, "schema/lake.sales", "rows").await;
    add_user(
        &server,
        "maker",
        &[("METALAKE", "m", "CREATE_POLICY"), ("TAG", "rows", "APPLY_TAG")],
    )
    .await;
    let body = policy("theirs", "system_row_filter", "filter := col(\"zz\") == 1", false);
    server
        .expect("maker", Method::POST, "policies", Some(body), 200)
        .await;
    server
        .expect("maker", Method::PUT, "tags/rows/policies/theirs", None, 200)
        .await;
    let refused = server
        .expect(
            "maker",
            Method::PATCH,
            "policies/theirs",
            Some(json!({"enable": true})),
            409,
        )
        .await;
    let message = refused["message"].as_str().unwrap();
    assert!(
        message.contains("loads would fail of 2 that you may not see"),
        "{message}"
    );
    assert!(!message.contains("lake.sales"), "{message}");
}

#[tokio::test]
async fn a_conflict_with_a_hidden_policy_tells_nothing_of_it() {
    let server = with_orders().await;
    assign(&server, "table/lake.sales.orders", "rows").await;
    add_user(
        &server,
        "maker",
        &[
            ("CATALOG", "lake", "USE_CATALOG"),
            ("SCHEMA", "lake.sales", "USE_SCHEMA"),
            ("TABLE", "lake.sales.orders", "SELECT_TABLE"),
            ("METALAKE", "m", "CREATE_POLICY"),
            ("TAG", "rows", "APPLY_TAG"),
        ],
    )
    .await;
    let body = policy("theirs", "system_row_filter", US, false);
    server
        .expect("maker", Method::POST, "policies", Some(body), 200)
        .await;
    server
        .expect("maker", Method::PUT, "tags/rows/policies/theirs", None, 200)
        .await;
    // One differs for everybody, the other for some.
    let some = "filter := false if session_user() == \"ann\" else := col(\"region\") == \"US\"";
    let mut messages = Vec::new();
    for (name, expression) in [("secret", "filter := false"), ("hush", some)] {
        add_policy(&server, name, expression, "rows").await;
        let switch = |on: bool| Some(json!({ "enable": on }));
        let path = format!("policies/{name}");
        server.admin(Method::PATCH, &path, switch(true), 200).await;
        let refused = server
            .expect("maker", Method::PATCH, "policies/theirs", switch(true), 409)
            .await;
        messages.push(refused["message"].as_str().unwrap().to_owned());
        let off = format!("{path}?force=true");
        server.admin(Method::PATCH, &off, switch(false), 200).await;
    }
    assert_eq!(messages[0], messages[1]);
    assert!(messages[0].contains("(possible-conflict)"), "{messages:?}");
}
