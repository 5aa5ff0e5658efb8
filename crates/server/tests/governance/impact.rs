// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a policy, a tag or an assignment reaches, and that nobody learns of what is hidden.

use reqwest::Method;
use serde_json::{Value, json};

use crate::explain::{TABLES, policy, with_orders};
use crate::server::Server;

const IMPACT: &str = "read-restrictions/impact";
const US: &str = "filter := col(\"region\") == \"US\"";

async fn impact(server: &Server, user: &str, question: Value) -> Value {
    server
        .expect(user, Method::POST, IMPACT, Some(question), 200)
        .await["impact"]
        .clone()
}

/// A table without the column `region`.
pub(crate) async fn add_other(server: &Server) {
    let column = json!({"name": "price", "type": "long", "nullable": false, "comment": ""});
    let table = json!({"name": "other", "comment": "", "properties": {}, "columns": [column]});
    server.admin(Method::POST, TABLES, Some(table), 200).await;
}

/// A disabled policy on a tag.
pub(crate) async fn add_policy(server: &Server, name: &str, expression: &str, tag: &str) {
    let policy_type = if expression.starts_with("mask") {
        "system_column_mask"
    } else {
        "system_row_filter"
    };
    let body = policy(name, policy_type, expression, false);
    server.admin(Method::POST, "policies", Some(body), 200).await;
    server
        .admin(Method::PUT, &format!("tags/{tag}/policies/{name}"), None, 200)
        .await;
}

pub(crate) async fn assign(server: &Server, object: &str, tag: &str) {
    let body = json!({"tagsToAdd": [tag]});
    let path = format!("objects/{object}/tags?force=true");
    server.admin(Method::POST, &path, Some(body), 200).await;
}

/// A user with privileges, each (type, object, privilege).
pub(crate) async fn add_user(server: &Server, name: &str, privileges: &[(&str, &str, &str)]) {
    let mut objects: Vec<Value> = Vec::new();
    for (kind, object, privilege) in privileges {
        let privilege = json!({"name": privilege, "condition": "ALLOW"});
        match objects
            .iter_mut()
            .find(|known| known["fullName"] == *object && known["type"] == *kind)
        {
            Some(known) => known["privileges"].as_array_mut().unwrap().push(privilege),
            None => objects.push(json!({"type": kind, "fullName": object, "privileges": [privilege]})),
        }
    }
    let role = json!({"name": format!("of_{name}"), "securableObjects": objects});
    for (method, path, body) in [
        (Method::POST, "users".to_owned(), json!({"name": name})),
        (Method::POST, "roles".to_owned(), role),
        (
            Method::PUT,
            format!("permissions/users/{name}/grant"),
            json!({"roleNames": [format!("of_{name}")]}),
        ),
    ] {
        server.admin(method, &path, Some(body), 200).await;
    }
}

#[tokio::test]
async fn a_policy_reaches_tables_and_fails_where_it_does_not_fit() {
    let server = with_orders().await;
    add_other(&server).await;
    add_policy(&server, "us", US, "rows").await;
    add_policy(&server, "last4", "mask := action(\"show-last-4\")", "pii").await;
    let nothing = impact(&server, "admin", json!({"policy": "us"})).await;
    assert_eq!(
        (&nothing["tables"], &nothing["would-fail"]),
        (&json!([]), &json!(0))
    );

    assign(&server, "schema/lake.sales", "rows").await;
    assign(&server, "column/lake.sales.orders.phone", "pii").await;
    let us = impact(&server, "admin", json!({"policy": "us"})).await;
    assert_eq!(us["would-fail"], 1);
    assert_eq!(
        (&us["hidden-tables"], &us["truncated"]),
        (&json!(0), &json!(false))
    );
    let [orders, other] = [&us["tables"][0], &us["tables"][1]];
    assert_eq!(
        *orders,
        json!({"table": "lake.sales.orders", "columns": [], "policies": ["us"], "row-filter": true,
            "failure": null, "more-failures": 0})
    );
    assert_eq!(other["table"], "lake.sales.other");
    let failure = &other["failure"];
    assert_eq!(
        (&failure["code"], &failure["certain"]),
        (&json!("restriction-schema"), &json!(true))
    );
    assert!(
        failure["detail"].as_str().unwrap().contains("no column `region`"),
        "{failure}"
    );

    let last4 = impact(&server, "admin", json!({"policy": "last4"})).await;
    assert_eq!(last4["tables"].as_array().unwrap().len(), 1);
    assert_eq!(last4["tables"][0]["columns"], json!(["phone"]));
    // Of the same policy in another form nothing is stored.
    let draft = |expression: &str| {
        json!({"policy": "last4", "drafts": [
            {"name": "last4", "policyType": "system_column_mask", "content": {"expression": expression}}]})
    };
    let unfit = impact(&server, "admin", draft("mask := action(\"truncate-to-year\")")).await;
    assert_eq!(unfit["tables"][0]["failure"]["code"], "restriction-action");
    let refused = draft("mask := action(\"unheard-of\")");
    server.admin(Method::POST, IMPACT, Some(refused), 400).await;

    let of_tag = impact(&server, "admin", json!({"tag": "pii"})).await;
    assert_eq!(of_tag["tables"][0]["columns"], json!(["phone"]));
    assert_eq!(
        of_tag["tables"][0]["policies"],
        json!([]),
        "the policy is disabled"
    );
    for (question, status) in [
        (json!({"policy": "zz"}), 404),
        (json!({"tag": "zz"}), 404),
        (
            json!({"tag": "pii", "object": {"type": "table", "fullName": "lake.sales.zz"}}),
            404,
        ),
        (
            json!({"tag": "pii", "object": {"type": "metalake", "fullName": "m"}}),
            400,
        ),
        (json!({}), 400),
        (json!({"policy": "us", "values": []}), 400),
    ] {
        server.admin(Method::POST, IMPACT, Some(question), status).await;
    }
}

#[tokio::test]
async fn an_intended_assignment_is_asked_before_it_is_made() {
    let server = with_orders().await;
    add_other(&server).await;
    let access = json!({"name": "access", "allowedValues": ["restricted", "public"]});
    server.admin(Method::POST, "tags", Some(access), 200).await;
    let body = policy("us", "system_row_filter", US, true);
    server.admin(Method::POST, "policies", Some(body), 200).await;
    let selector = json!({"selector": {"type": "TAG_VALUE", "value": "restricted"}});
    server
        .admin(Method::PUT, "tags/access/policies/us", Some(selector), 200)
        .await;
    let on = |kind: &str, name: &str, values: Value| {
        let mut question = json!({"tag": "access", "object": {"type": kind, "fullName": name}});
        if !values.is_null() {
            question["values"] = values;
        }
        question
    };
    let on_schema = impact(
        &server,
        "admin",
        on("schema", "lake.sales", json!(["restricted"])),
    )
    .await;
    assert_eq!(
        (&on_schema["would-fail"], &on_schema["tables"][1]["policies"]),
        (&json!(1), &json!(["us"]))
    );
    let public = impact(&server, "admin", on("schema", "lake.sales", json!(["public"]))).await;
    assert_eq!(public["would-fail"], 0);
    assert_eq!(public["tables"][0]["policies"], json!([]));
    let refused = on("schema", "lake.sales", json!(["unheard-of"]));
    server.admin(Method::POST, IMPACT, Some(refused), 400).await;
    // A nearer assignment takes the table out of what is above.
    assign(&server, "table/lake.sales.other", "rows").await;
    let values = json!({"tagsToAdd": [{"name": "access", "value": "public"}]});
    server
        .values("objects/table/lake.sales.other/tags", values, 200)
        .await;
    let nearer = impact(
        &server,
        "admin",
        on("schema", "lake.sales", json!(["restricted"])),
    )
    .await;
    assert_eq!(nearer["tables"].as_array().unwrap().len(), 1);
    let there = impact(&server, "admin", on("table", "lake.sales.other", Value::Null)).await;
    assert_eq!(there["tables"][0]["table"], "lake.sales.other");
    let column = impact(
        &server,
        "admin",
        on("column", "lake.sales.orders.phone", json!(["public"])),
    )
    .await;
    assert_eq!(column["tables"][0]["columns"], json!(["phone"]));
}

#[tokio::test]
async fn conflicts_are_found_for_every_subject() {
    let server = with_orders().await;
    assign(&server, "table/lake.sales.orders", "rows").await;
    let body = policy("us", "system_row_filter", US, true);
    server.admin(Method::POST, "policies", Some(body), 200).await;
    server
        .admin(Method::PUT, "tags/rows/policies/us", None, 200)
        .await;
    let failure = async |expression: &str| {
        let draft = json!({"name": "new", "policyType": "system_row_filter",
            "content": {"expression": expression}, "tags": [{"tag": "rows"}]});
        let told = impact(&server, "admin", json!({"policy": "new", "drafts": [draft]})).await;
        told["tables"][0]["failure"].clone()
    };
    assert_eq!(failure(US).await, Value::Null);
    assert_eq!(failure("filter := false").await["code"], "restriction-conflict");
    let some = format!("{US} if is_group_member(\"auditors\") else := false");
    let some = failure(&some).await;
    assert_eq!(
        (&some["code"], &some["certain"]),
        (&json!("possible-conflict"), &json!(false))
    );
    let detail = some["detail"].as_str().unwrap();
    assert!(
        detail.contains("not in `auditors`") && detail.contains("`new` gives `false`"),
        "{detail}"
    );
}

#[tokio::test]
async fn hidden_tables_policies_and_principals_are_only_counted() {
    let server = with_orders().await;
    add_other(&server).await;
    add_policy(&server, "us", US, "rows").await;
    assign(&server, "schema/lake.sales", "rows").await;
    let secret = policy("secret", "system_row_filter", "filter := false", true);
    server.admin(Method::POST, "policies", Some(secret), 200).await;
    server
        .admin(Method::PUT, "tags/rows/policies/secret?force=true", None, 200)
        .await;
    let way = [("METALAKE", "m", "USE_CATALOG"), ("METALAKE", "m", "USE_SCHEMA")];
    let orders = ("TABLE", "lake.sales.orders", "SELECT_TABLE");
    add_user(
        &server,
        "applier",
        &[way[0], way[1], orders, ("POLICY", "us", "APPLY_POLICY")],
    )
    .await;
    add_user(
        &server,
        "steward",
        &[way[0], way[1], orders, ("TAG", "rows", "APPLY_TAG")],
    )
    .await;
    add_user(&server, "tagger", &[("TAG", "rows", "APPLY_TAG")]).await;

    let all = impact(&server, "admin", json!({"policy": "us"})).await;
    assert_eq!(all["tables"].as_array().unwrap().len(), 2);
    let lifting = all["lifting"].to_string();
    for who in [
        json!({"principal": {"type": "user", "name": "admin"}, "through": "owner of the metalake"}),
        json!({"principal": {"type": "user", "name": "admin"}, "through": "owner of tag `rows`"}),
        json!({"principal": {"type": "user", "name": "steward"}, "through": "APPLY_TAG on tag `rows` by role `of_steward`"}),
        json!({"principal": {"type": "role", "name": "of_steward"}, "through": "APPLY_TAG on tag `rows`"}),
    ] {
        assert!(
            all["lifting"].as_array().unwrap().contains(&who),
            "{who} in {lifting}"
        );
    }
    assert!(
        !lifting.contains("tagger"),
        "without access it lifts nothing: {lifting}"
    );
    assert_eq!(
        (&all["readers-enrolled"], &all["readers"][0]["name"]),
        (&json!(1), &json!("gateway"))
    );
    assert_eq!(all["readers"][0]["kind"], "certificate");

    let part = impact(&server, "applier", json!({"policy": "us"})).await;
    assert_eq!(part["tables"].as_array().unwrap().len(), 1);
    assert_eq!(part["hidden-tables"], 1);
    let orders = &part["tables"][0];
    // What meets something hidden is a possible conflict, whatever that says.
    assert_eq!(orders["failure"]["code"], "possible-conflict");
    assert_eq!(orders["failure"]["detail"], Value::Null);
    assert_eq!(part["lifting"], json!([]));
    assert!(part["hidden-lifting"].as_u64().unwrap() >= 3);
    assert_eq!(
        (&part["readers-enrolled"], &part["readers"][0]["name"]),
        (&json!(1), &Value::Null)
    );
    let text = part.to_string();
    for name in ["secret", "other", "rows", "steward", "gateway", "admin"] {
        assert!(!text.contains(&format!("\"{name}")), "{name} in {text}");
    }
    for (user, question) in [
        ("bob", json!({"policy": "us"})),
        ("applier", json!({"policy": "secret"})),
        ("applier", json!({"tag": "rows"})),
        (
            "applier",
            json!({"policy": "new", "drafts": [
            {"name": "new", "policyType": "system_row_filter", "content": {"expression": US}}]}),
        ),
        (
            "tagger",
            json!({"tag": "rows", "object": {"type": "table", "fullName": "lake.sales.orders"}}),
        ),
        (
            "steward",
            json!({"tag": "rows", "object": {"type": "table", "fullName": "lake.sales.other"}}),
        ),
    ] {
        server
            .expect(user, Method::POST, IMPACT, Some(question), 403)
            .await;
    }
}
