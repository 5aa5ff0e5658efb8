// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What `lakeward.protected` keeps from being dropped, over both protocols.

use serde_json::{Value, json};

use crate::harness::{ADMIN, NONE, Server};
use crate::views::made;

const SCHEMAS: &str = "/metalakes/m/catalogs/ice/schemas";
const TABLE: &str = "/ice/namespaces/n1/tables/t1";

/// A schema `n1` with a table `t1` and a view `v1`, and a schema `n2`.
async fn start() -> Server {
    let server = Server::start().await;
    server.namespace("n1").await;
    server.namespace("n2").await;
    server.table("n1", "t1").await;
    made(&server, "v1").await;
    server
}

async fn protect_schema(server: &Server, value: Value) {
    let body = if value.is_null() {
        json!({"removals": ["lakeward.protected"]})
    } else {
        json!({"updates": {"lakeward.protected": value}})
    };
    server
        .ask("POST", "/ice/namespaces/n1/properties", body)
        .await
        .is(200);
}

async fn refused(server: &Server, method: &str, path: &str, body: Value) {
    let answer = if path.starts_with("/ice") {
        server.ask(method, path, body).await
    } else {
        server.native(ADMIN, method, path, body).await
    };
    assert_eq!(answer.status, 409, "{method} {path}: {}", answer.body);
    assert!(
        answer.body.to_string().contains("lakeward.protected"),
        "{path}: {}",
        answer.body
    );
}

fn moved(kind: &str, name: &str) -> (String, Value) {
    let body = json!({"source": {"namespace": ["n1"], "name": name}, "destination": {"namespace": ["n2"], "name": name}});
    (format!("/ice/{kind}/rename"), body)
}

#[tokio::test]
async fn a_protected_schema_and_what_is_in_it_are_not_dropped() {
    let server = start().await;
    protect_schema(&server, json!("true")).await;
    let server = server.restart().await;
    let files = server.files();
    for path in [
        TABLE,
        "/ice/namespaces/n1/tables/t1?purgeRequested=true",
        "/ice/namespaces/n1/views/v1",
        &format!("{SCHEMAS}/n1/tables/t1"),
        &format!("{SCHEMAS}/n1/tables/t1?purge=true"),
        &format!("{SCHEMAS}/n1?cascade=true"),
        // A catalog with something protected in it, and the metalake above that.
        "/metalakes/m/catalogs/ice?force=true",
        "/metalakes/m?force=true",
    ] {
        refused(&server, "DELETE", path, NONE).await;
    }
    for (kind, name) in [("tables", "t1"), ("views", "v1")] {
        let (path, body) = moved(kind, name);
        refused(&server, "POST", &path, body).await;
    }
    let body = json!({"updates": [{"@type": "rename", "newName": "t1", "newSchemaName": "n2"}]});
    refused(&server, "PUT", &format!("{SCHEMAS}/n1/tables/t1"), body).await;
    assert_eq!(server.files(), files, "no file was touched");
    server.ask("HEAD", TABLE, NONE).await.is(204);
    // What is not there is answered as ever; what lies beside it is dropped.
    server
        .ask("DELETE", "/ice/namespaces/n1/tables/none", NONE)
        .await
        .fails(404, "NoSuchTableException");
    server.ask("DELETE", "/ice/namespaces/n2", NONE).await.is(204);

    protect_schema(&server, Value::Null).await;
    server.ask("DELETE", TABLE, NONE).await.is(204);
    server
        .ask("DELETE", "/ice/namespaces/n1/views/v1", NONE)
        .await
        .is(204);
    server.ask("DELETE", "/ice/namespaces/n1", NONE).await.is(204);
}

#[tokio::test]
async fn an_empty_protected_schema_stays_too() {
    let server = start().await;
    server.ask("DELETE", TABLE, NONE).await.is(204);
    server
        .ask("DELETE", "/ice/namespaces/n1/views/v1", NONE)
        .await
        .is(204);
    protect_schema(&server, json!("yes")).await;
    refused(&server, "DELETE", "/ice/namespaces/n1", NONE).await;
    refused(&server, "DELETE", &format!("{SCHEMAS}/n1"), NONE).await;
    protect_schema(&server, json!("false")).await;
    server.ask("DELETE", "/ice/namespaces/n1", NONE).await.is(204);
}

#[tokio::test]
async fn a_protected_catalog_keeps_all_its_schemas() {
    let server = start().await;
    let set = |value: &str| json!({"updates": [{"@type": "setProperty", "property": "lakeward.protected", "value": value}]});
    let catalog = "/metalakes/m/catalogs/ice";
    server.native(ADMIN, "PUT", catalog, set("true")).await.is(200);
    for path in [TABLE, "/ice/namespaces/n2", &format!("{catalog}?force=true")] {
        refused(&server, "DELETE", path, NONE).await;
    }
    server.native(ADMIN, "PUT", catalog, set("false")).await.is(200);
    server.ask("DELETE", TABLE, NONE).await.is(204);
    server
        .native(ADMIN, "DELETE", &format!("{catalog}?force=true"), NONE)
        .await
        .is(200);
}

#[tokio::test]
async fn who_may_not_drop_learns_nothing_of_a_protection() {
    let server = start().await;
    server.add_user("eve").await;
    let stranger = || server.ask_as("eve", "DELETE", TABLE, NONE);
    let before = stranger().await;
    protect_schema(&server, json!("true")).await;
    let after = stranger().await;
    assert_eq!((before.status, before.body), (after.status, after.body));
}
