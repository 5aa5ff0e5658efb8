// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who may do what, and what a refusal tells.

use serde_json::{Value, json};

use crate::harness::{NONE, Server, creation, set_property};

const TABLES: &str = "/ice/namespaces/n1/tables";

async fn server() -> Server {
    let server = Server::start().await;
    server.namespace("n1").await;
    server.namespace("n2").await;
    server.table("n1", "t").await;
    for user in ["ann", "bob", "eve"] {
        server.add_user(user).await;
    }
    server
}

#[tokio::test]
async fn a_reader_reads_and_nothing_more() {
    let server = server().await;
    let objects: &[(&str, &str, &[&str])] = &[
        ("CATALOG", "ice", &["USE_CATALOG"]),
        ("SCHEMA", "ice.n1", &["USE_SCHEMA"]),
        ("TABLE", "ice.n1.t", &["SELECT_TABLE"]),
    ];
    server.grant("bob", "r", objects).await;
    let table = format!("{TABLES}/t");
    server.ask_as("bob", "GET", &table, NONE).await.is(200);
    server.ask_as("bob", "HEAD", &table, NONE).await.is(204);
    let list = server.ask_as("bob", "GET", "/ice/namespaces", NONE).await.is(200);
    assert_eq!(list.body["namespaces"], json!([["n1"]]), "n2 is not shown");
    let rename = json!({"source": {"namespace": ["n1"], "name": "t"}, "destination": {"namespace": ["n1"], "name": "q"}});
    for (method, path, body) in [
        ("POST", TABLES, creation("b")),
        ("POST", table.as_str(), set_property("x", "y")),
        ("DELETE", table.as_str(), NONE),
        ("POST", "/ice/tables/rename", rename),
        ("POST", "/ice/namespaces", json!({"namespace": ["n3"]})),
        ("DELETE", "/ice/namespaces/n1", NONE),
        (
            "POST",
            "/ice/namespaces/n1/properties",
            json!({"updates": {"a": "b"}}),
        ),
        ("GET", "/ice/namespaces/n2", NONE),
    ] {
        server
            .ask_as("bob", method, path, body)
            .await
            .fails(403, "ForbiddenException");
    }
    // With no active role nothing is left.
    let none = [("X-Gravitino-Active-Roles", "NONE")];
    server
        .ask_with("bob", "GET", &table, NONE, &none)
        .await
        .fails(403, "ForbiddenException");
}

#[tokio::test]
async fn to_a_stranger_hidden_and_absent_look_alike() {
    let server = server().await;
    let text = |body: &Value, name: &str| body.to_string().replace(name, "#");
    for (method, body) in [
        ("GET", NONE),
        ("HEAD", NONE),
        ("DELETE", NONE),
        ("POST", set_property("a", "b")),
    ] {
        let hidden = server
            .ask_as("eve", method, &format!("{TABLES}/t"), body.clone())
            .await;
        let absent = server.ask_as("eve", method, &format!("{TABLES}/u"), body).await;
        assert_eq!((hidden.status, absent.status), (403, 403), "{method}");
        assert_eq!(text(&hidden.body, "`t`"), text(&absent.body, "`u`"), "{method}");
    }
    let uses: &[(&str, &str, &[&str])] = &[("CATALOG", "ice", &["USE_CATALOG"])];
    server.grant("bob", "uses", uses).await;
    let hidden = server
        .ask_as("bob", "GET", "/ice/namespaces?parent=n1", NONE)
        .await;
    let absent = server
        .ask_as("bob", "GET", "/ice/namespaces?parent=n9", NONE)
        .await;
    assert_eq!((hidden.status, absent.status), (404, 404));
    assert_eq!(text(&hidden.body, "n1"), text(&absent.body, "n9"));
    for name in ["t", "u"] {
        server
            .ask_as("eve", "POST", TABLES, creation(name))
            .await
            .fails(403, "ForbiddenException");
    }
    server
        .ask_as("nobody", "GET", &format!("{TABLES}/t"), NONE)
        .await
        .fails(401, "NotAuthorizedException");
    server
        .ask_as("", "GET", &format!("{TABLES}/t"), NONE)
        .await
        .fails(401, "NotAuthorizedException");
}

#[tokio::test]
async fn who_may_create_is_told_that_a_name_is_free() {
    let server = server().await;
    let objects: &[(&str, &str, &[&str])] = &[
        ("CATALOG", "ice", &["USE_CATALOG"]),
        ("SCHEMA", "ice.n1", &["USE_SCHEMA", "CREATE_TABLE"]),
    ];
    server.grant("ann", "r", objects).await;
    server
        .ask_as("ann", "GET", &format!("{TABLES}/new"), NONE)
        .await
        .fails(404, "NoSuchTableException");
    server
        .ask_as("ann", "GET", &format!("{TABLES}/t"), NONE)
        .await
        .fails(403, "ForbiddenException");
    server
        .ask_as("ann", "POST", TABLES, creation("new"))
        .await
        .is(200);
    // The creator owns what it made.
    server
        .ask_as("ann", "POST", &format!("{TABLES}/new"), set_property("a", "b"))
        .await
        .is(200);
    let away = json!({"source": {"namespace": ["n1"], "name": "new"}, "destination": {"namespace": ["n2"], "name": "new"}});
    server
        .ask_as("ann", "POST", "/ice/tables/rename", away)
        .await
        .fails(403, "ForbiddenException");
    server
        .ask_as("ann", "DELETE", &format!("{TABLES}/new"), NONE)
        .await
        .is(204);
}

#[tokio::test]
async fn what_a_moved_table_inherits_is_that_of_its_new_parent() {
    let server = server().await;
    let objects: &[(&str, &str, &[&str])] = &[
        ("CATALOG", "ice", &["USE_CATALOG"]),
        ("SCHEMA", "ice.n1", &["USE_SCHEMA", "SELECT_TABLE"]),
    ];
    server.grant("ann", "r1", objects).await;
    let objects: &[(&str, &str, &[&str])] = &[
        ("CATALOG", "ice", &["USE_CATALOG"]),
        ("SCHEMA", "ice.n2", &["USE_SCHEMA", "SELECT_TABLE"]),
    ];
    server.grant("bob", "r2", objects).await;
    server
        .ask_as("ann", "GET", &format!("{TABLES}/t"), NONE)
        .await
        .is(200);
    let moved = json!({"source": {"namespace": ["n1"], "name": "t"}, "destination": {"namespace": ["n2"], "name": "t"}});
    server.ask("POST", "/ice/tables/rename", moved).await.is(204);
    let path = "/ice/namespaces/n2/tables/t";
    server
        .ask_as("ann", "GET", path, NONE)
        .await
        .fails(403, "ForbiddenException");
    server.ask_as("bob", "GET", path, NONE).await.is(200);
}
