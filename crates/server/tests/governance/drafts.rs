// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Drafts of policies in explanations: what they would do is told to their authors, and nothing beyond.

use reqwest::Method;
use serde_json::{Value, json};

use crate::explain::{EXPLAIN, explained, policy, with_orders};
use crate::server::Server;

const ON_TABLE: &str = "objects/table/lake.sales.orders/tags";

fn draft(name: &str, expression: &str, tags: Value) -> Value {
    let policy_type = if expression.starts_with("mask") {
        "system_column_mask"
    } else {
        "system_row_filter"
    };
    json!({"name": name, "policyType": policy_type, "content": {"expression": expression}, "tags": tags})
}

async fn assign(server: &Server, object: &str, tag: &str) {
    let body = json!({"tagsToAdd": [tag]});
    let path = format!("objects/{object}/tags");
    server.admin(Method::POST, &path, Some(body), 200).await;
}

/// A user with the role `reader` and one more of its own.
async fn add_user(server: &Server, name: &str, privileges: &[(&str, &str, &str)]) {
    let objects: Vec<Value> = privileges
        .iter()
        .map(|(kind, object, privilege)| {
            json!({"type": kind, "fullName": object, "privileges": [{"name": privilege, "condition": "ALLOW"}]})
        })
        .collect();
    let role = json!({"name": format!("of_{name}"), "securableObjects": objects});
    for (method, path, body) in [
        (Method::POST, "users".to_owned(), json!({"name": name})),
        (Method::POST, "roles".to_owned(), role),
        (
            Method::PUT,
            format!("permissions/users/{name}/grant"),
            json!({"roleNames": ["reader", format!("of_{name}")]}),
        ),
    ] {
        server.admin(method, &path, Some(body), 200).await;
    }
}

#[tokio::test]
async fn a_draft_shows_what_storing_it_would_do() {
    let server = with_orders().await;
    assign(&server, "table/lake.sales.orders", "rows").await;
    assign(&server, "column/lake.sales.orders.phone", "pii").await;
    let question = json!({"user": "bob", "groups": [], "capabilities": "read-restrictions.v1", "drafts": [
        draft("us", "filter := col(\"region\") == \"US\"", json!([{"tag": "rows"}])),
        draft("last4", "mask := action(\"show-last-4\")", json!([{"tag": "pii", "selector": {"type": "ALL_VALUES"}}])),
        draft("nowhere", "filter := false", json!([])),
    ]});
    let told = explained(&server, "admin", question).await;
    assert_eq!(told["drafts"], json!(["us", "last4", "nowhere"]));
    assert_eq!(told["unused-previews"], json!(["nowhere"]));
    let filter = &told["row-filter"][0];
    assert_eq!(
        (&filter["policy"], &filter["draft"]),
        (&json!("us"), &json!(true))
    );
    assert_eq!(filter["revision"], Value::Null);
    assert_eq!(filter["predicate"], "col(\"region\") == \"US\"");
    assert_eq!(filter["selected-by"][0]["tag"], "rows");
    assert_eq!(told["columns"][0]["masks"][0]["action"], "show-last-4");
    assert_eq!(told["restricted"], true);
    assert_eq!(told["admission"]["status"], 403);

    // What is stored afterwards does the same, and nothing was stored before.
    let nothing = explained(&server, "admin", json!({})).await;
    assert_eq!(nothing["restricted"], false);
    for (name, policy_type, expression, tag) in [
        (
            "us",
            "system_row_filter",
            "filter := col(\"region\") == \"US\"",
            "rows",
        ),
        (
            "last4",
            "system_column_mask",
            "mask := action(\"show-last-4\")",
            "pii",
        ),
    ] {
        let body = policy(name, policy_type, expression, true);
        server
            .admin(Method::POST, "policies?force=true", Some(body), 200)
            .await;
        server
            .admin(Method::PUT, &format!("tags/{tag}/policies/{name}"), None, 200)
            .await;
    }
    let stored = explained(&server, "admin", json!({"user": "bob", "groups": []})).await;
    assert_eq!(stored["read-restrictions"], told["read-restrictions"]);
    assert_eq!(stored["signature"], told["signature"]);
}

#[tokio::test]
async fn a_draft_stands_in_for_a_stored_policy_and_keeps_its_tags() {
    let server = with_orders().await;
    let stored = policy(
        "us",
        "system_row_filter",
        "filter := col(\"region\") == \"US\"",
        false,
    );
    server.admin(Method::POST, "policies", Some(stored), 200).await;
    server
        .admin(Method::PUT, "tags/rows/policies/us", None, 200)
        .await;
    assign(&server, "table/lake.sales.orders", "rows").await;
    let eu = draft("us", "filter := col(\"region\") == \"EU\"", json!([]));
    let told = explained(&server, "admin", json!({"drafts": [eu]})).await;
    assert_eq!(told["row-filter"][0]["predicate"], "col(\"region\") == \"EU\"");
    assert_eq!(told["row-filter"][0]["draft"], true);
    assert_eq!(told["not-selected"], json!([]));
    let mask = draft("us", "mask := action(\"show-last-4\")", json!([]));
    server
        .admin(Method::POST, EXPLAIN, Some(json!({"drafts": [mask]})), 400)
        .await;
}

#[tokio::test]
async fn a_draft_that_is_no_policy_says_where_and_why() {
    let server = with_orders().await;
    let refused = async |draft: Value, expected: &[&str]| {
        let answer = server
            .admin(Method::POST, EXPLAIN, Some(json!({"drafts": [draft]})), 400)
            .await;
        let message = answer["message"].as_str().unwrap();
        for part in expected {
            assert!(message.contains(part), "{message}");
        }
    };
    refused(
        draft("x", "filter :=\n  region", json!([])),
        &[
            "draft `x`",
            "line 2, column 3",
            "`region` is not a word",
            "unknown-word",
        ],
    )
    .await;
    refused(
        draft("x", "filter := col(\"region\")", json!([])),
        &["line 1, column 11", "not-boolean"],
    )
    .await;
    let mut function = draft("x", "filter := true", json!([]));
    function["content"] = json!({"function": "f"});
    refused(function, &["`function`", "reserved"]).await;
    let mut custom = draft("x", "filter := true", json!([]));
    custom["policyType"] = json!("custom");
    refused(custom, &["restricts no reader"]).await;
    let unselectable = json!([{"tag": "rows", "selector": {"type": "EXPRESSION"}}]);
    refused(draft("x", "filter := true", unselectable), &["EXPRESSION"]).await;
    let access = json!({"name": "access", "allowedValues": ["public"]});
    server.admin(Method::POST, "tags", Some(access), 200).await;
    let never = json!([{"tag": "access", "selector": {"type": "TAG_VALUE", "value": "restricted"}}]);
    refused(draft("x", "filter := true", never), &["restricted", "access"]).await;
    let missing = draft("x", "filter := true", json!([{"tag": "zz"}]));
    server
        .admin(Method::POST, EXPLAIN, Some(json!({"drafts": [missing]})), 404)
        .await;
}

#[tokio::test]
async fn drafts_take_what_storing_them_would_take() {
    let server = with_orders().await;
    let stored = policy(
        "us",
        "system_row_filter",
        "filter := col(\"region\") == \"US\"",
        false,
    );
    server.admin(Method::POST, "policies", Some(stored), 200).await;
    add_user(&server, "maker", &[("METALAKE", "m", "CREATE_POLICY")]).await;
    add_user(&server, "applier", &[("POLICY", "us", "APPLY_POLICY")]).await;
    let new = || json!({"drafts": [draft("new", "filter := true", json!([]))]});
    let stand_in = || json!({"drafts": [draft("us", "filter := true", json!([]))]});
    let on_tag = || json!({"drafts": [draft("new", "filter := true", json!([{"tag": "rows"}]))]});
    for (user, question, expected) in [
        ("maker", new(), 200),
        ("maker", stand_in(), 403),
        ("maker", on_tag(), 403),
        ("applier", stand_in(), 200),
        ("applier", new(), 403),
        ("bob", new(), 403),
        ("bob", stand_in(), 403),
    ] {
        server
            .expect(user, Method::POST, EXPLAIN, Some(question), expected)
            .await;
    }
    // Who may not, does not learn whether the policy exists.
    let message = async |question| {
        let refused = server
            .expect("bob", Method::POST, EXPLAIN, Some(question), 403)
            .await;
        let message = refused["message"].as_str().unwrap().to_owned();
        message.replace("`new`", "`?`").replace("`us`", "`?`")
    };
    assert_eq!(message(new()).await, message(stand_in()).await);
}

#[tokio::test]
async fn drafts_are_no_way_to_what_is_hidden() {
    let server = with_orders().await;
    for (name, expression) in [
        ("secret", "filter := col(\"region\") == \"US\""),
        ("off", "filter := false"),
    ] {
        let body = policy(name, "system_row_filter", expression, name == "secret");
        server
            .admin(Method::POST, "policies?force=true", Some(body), 200)
            .await;
        server
            .admin(Method::PUT, &format!("tags/rows/policies/{name}"), None, 200)
            .await;
    }
    server
        .admin(Method::POST, ON_TABLE, Some(json!({"tagsToAdd": ["rows"]})), 200)
        .await;
    add_user(
        &server,
        "maker",
        &[("METALAKE", "m", "CREATE_POLICY"), ("TAG", "pii", "APPLY_TAG")],
    )
    .await;
    assign(&server, "table/lake.sales.orders", "pii").await;
    let theirs = |user: &str, expression: &str| {
        let draft = draft("mine", expression, json!([{"tag": "pii"}]));
        json!({"user": user, "groups": [], "drafts": [draft]})
    };
    // Of itself it sees that something else applies, without names; of others nothing, whatever it drafts.
    let stated = Some(theirs("maker", "filter := true"));
    server.expect("maker", Method::POST, EXPLAIN, stated, 403).await;
    let question =
        json!({"drafts": [draft("mine", "filter := col(\"region\") == \"EU\"", json!([{"tag": "pii"}]))]});
    let own = explained(&server, "maker", question).await;
    assert_eq!(own["error"]["code"], "restriction-conflict");
    assert_eq!(own["error"]["detail"], Value::Null);
    assert_eq!(own["error"]["policies"], json!(["mine", null]));
    let told = own.to_string();
    assert!(
        !told.contains("secret") && !told.contains("rows") && !told.contains("\"off\""),
        "{told}"
    );
    for expression in [
        "filter := col(\"region\") == \"US\"",
        "filter := col(\"region\") == \"EU\"",
    ] {
        let question = Some(theirs("bob", expression));
        server.expect("maker", Method::POST, EXPLAIN, question, 403).await;
    }
}
