// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Views over the native protocol, as recorded from the original but for the checks that the original lacks.

use serde_json::{Value, json};

use crate::scene::{FORBIDDEN, ILLEGAL, Place, Server, iceberg, on_both_stores};

on_both_stores!(
    views_come_and_go,
    changes_at_the_same_time_all_hold,
    creators_at_the_same_time_have_one_winner
);

const SCHEMAS: &str = "/api/metalakes/m/catalogs/ice/schemas";
const VIEWS: &str = "/api/metalakes/m/catalogs/ice/schemas/db/views";
const VIEW: &str = "/api/metalakes/m/catalogs/ice/schemas/db/views/v1";

async fn scene(place: &Place) -> Server {
    let server = Server::start(place).await;
    server.done("POST", "/api/metalakes", json!({"name": "m"})).await;
    server
        .done("POST", "/api/metalakes/m/catalogs", iceberg("ice"))
        .await;
    server.done("POST", SCHEMAS, json!({"name": "db"})).await;
    server
}

fn representations() -> Value {
    json!([{"type": "sql", "dialect": "spark", "sql": "SELECT id FROM db1.t1"},
           {"type": "sql", "dialect": "trino", "sql": "SELECT id FROM db1.t1"}])
}

fn view() -> Value {
    json!({"name": "v1", "comment": "view", "columns": [{"name": "id", "type": "long", "nullable": true}],
           "representations": representations(), "defaultCatalog": "ice", "defaultSchema": "db1",
           "properties": {"k": "v"}})
}

/// The view of an answer without its times.
fn shown(answer: &Value) -> Value {
    let mut view = answer["view"].clone();
    let audit = view["audit"].as_object_mut().unwrap();
    audit.retain(|name, _| name == "creator" || name == "lastModifier");
    view
}

async fn views_come_and_go(place: Place) {
    let server = scene(&place).await;
    let columns = json!([{"name": "id", "type": "long", "nullable": true, "autoIncrement": false}]);
    let expected = json!({"name": "v1", "comment": "view", "columns": columns, "representations": representations(),
        "defaultCatalog": "ice", "defaultSchema": "db1", "properties": {"k": "v"}, "audit": {"creator": "admin"}});
    let made = server.done("POST", VIEWS, view()).await;
    assert_eq!(shown(&made), expected);
    let taken = (409, 1004, "ViewAlreadyExistsException");
    server.refused(("admin", "POST", VIEWS), view(), taken).await;
    for lacking in [
        json!({"name": "v2", "query": "select 1", "dialect": "spark", "columns": []}),
        json!({"name": "v2", "representations": []}),
        json!({"representations": representations()}),
    ] {
        server.refused(("admin", "POST", VIEWS), lacking, ILLEGAL).await;
    }
    let missing_schema = format!("{SCHEMAS}/nope/views");
    server
        .refused(
            ("admin", "POST", &missing_schema),
            view(),
            (404, 1003, "NoSuchSchemaException"),
        )
        .await;
    let listed = server.done("GET", VIEWS, None).await;
    assert_eq!(
        listed["identifiers"],
        json!([{"namespace": ["m", "ice", "db"], "name": "v1"}])
    );
    assert_eq!(shown(&server.done("GET", VIEW, None).await), expected);
    let missing = (404, 1003, "NoSuchViewException");
    let absent = format!("{VIEWS}/zz");
    server.refused(("admin", "GET", &absent), None, missing).await;
    // Properties, then the body, then the name.
    let change = json!({"updates": [{"@type": "setProperty", "property": "a", "value": "b"},
                                    {"@type": "removeProperty", "property": "k"}]});
    let changed = server.done("PUT", VIEW, change).await;
    assert_eq!(changed["view"]["properties"], json!({"a": "b"}));
    assert_eq!(changed["view"]["audit"]["lastModifier"], "admin");
    let replaced = json!({"updates": [{"@type": "replaceView", "columns": [{"name": "n", "type": "string"}],
        "representations": [{"type": "sql", "dialect": "spark", "sql": "SELECT 1"},
                            {"type": "sql", "dialect": "trino", "sql": "SELECT 1"}]}]});
    let changed = shown(&server.done("PUT", VIEW, replaced).await);
    assert_eq!(changed["comment"], Value::Null);
    assert_eq!(changed["defaultCatalog"], Value::Null);
    assert_eq!(changed["defaultSchema"], "db1");
    assert_eq!(changed["columns"][0]["name"], "n");
    assert_eq!(changed["representations"][1]["sql"], "SELECT 1");
    assert_eq!(changed["properties"], json!({"a": "b"}));
    for wrong in [
        json!({"updates": []}),
        json!({"updates": [{"@type": "rename", "newName": "w", "newSchemaName": "other"}]}),
        json!({"updates": [{"@type": "rename", "newName": "w"}, {"@type": "removeProperty", "property": "a"}]}),
        json!({"updates": [{"@type": "updateComment", "newComment": "c"}]}),
        // Losing a dialect is refused unless the view allows it.
        json!({"updates": [{"@type": "replaceView",
            "representations": [{"type": "sql", "dialect": "spark", "sql": "SELECT 1"}]}]}),
    ] {
        server.refused(("admin", "PUT", VIEW), wrong, ILLEGAL).await;
    }
    // Names are shared with tables.
    let tables = format!("{SCHEMAS}/db/tables");
    let table = json!({"name": "t1", "columns": [{"name": "id", "type": "long"}]});
    server.done("POST", &tables, table).await;
    let mut named_as_table = view();
    named_as_table["name"] = json!("t1");
    server
        .refused(("admin", "POST", VIEWS), named_as_table, taken)
        .await;
    let rename = |name: &str| json!({"updates": [{"@type": "rename", "newName": name}]});
    server.refused(("admin", "PUT", VIEW), rename("t1"), taken).await;
    let moved = server.done("PUT", VIEW, rename("v1b")).await;
    assert_eq!(moved["view"]["name"], "v1b");
    server.refused(("admin", "GET", VIEW), None, missing).await;
    // Whom nobody gave anything.
    server
        .done("POST", "/api/metalakes/m/users", json!({"name": "eve"}))
        .await;
    let renamed = format!("{VIEWS}/v1b");
    for (method, path, body) in [
        ("GET", VIEWS, None),
        ("POST", VIEWS, Some(view())),
        ("GET", renamed.as_str(), None),
        ("PUT", renamed.as_str(), Some(rename("x"))),
        ("DELETE", renamed.as_str(), None),
    ] {
        server.refused(("eve", method, path), body, FORBIDDEN).await;
    }
    assert_eq!(server.done("DELETE", &renamed, None).await["dropped"], true);
    assert_eq!(server.done("DELETE", &renamed, None).await["dropped"], false);
    // A schema goes with its views only when that is meant.
    server.done("POST", VIEWS, view()).await;
    server.done("DELETE", &format!("{tables}/t1"), None).await;
    let schema = format!("{SCHEMAS}/db");
    server
        .refused(
            ("admin", "DELETE", &schema),
            None,
            (409, 1005, "NonEmptySchemaException"),
        )
        .await;
    server
        .done("DELETE", &format!("{schema}?cascade=true"), None)
        .await;
    server.done("POST", SCHEMAS, json!({"name": "db"})).await;
    let listed = server.done("GET", VIEWS, None).await;
    assert_eq!(listed["identifiers"], json!([]));
}

async fn changes_at_the_same_time_all_hold(place: Place) {
    let server = scene(&place).await;
    server.done("POST", VIEWS, view()).await;
    let changes = (0..5).map(|number| {
        let body =
            json!({"updates": [{"@type": "setProperty", "property": format!("p{number}"), "value": "x"}]});
        server.call("admin", "PUT", VIEW, Some(body))
    });
    let answers = futures::future::join_all(changes).await;
    let held = answers.iter().filter(|(status, _)| *status == 200).count();
    assert_eq!(held, 5, "{answers:?}");
    let loaded = server.done("GET", VIEW, None).await;
    assert_eq!(loaded["view"]["properties"].as_object().unwrap().len(), 6);
}

async fn creators_at_the_same_time_have_one_winner(place: Place) {
    let server = scene(&place).await;
    let tables = &format!("{SCHEMAS}/db/tables");
    let server = &server;
    for round in 0..4 {
        let answers = futures::future::join_all((0..6).map(|number| async move {
            let name = format!("x{round}");
            if number % 2 == 0 {
                let mut new = view();
                new["name"] = json!(name);
                server.call("admin", "POST", VIEWS, Some(new)).await.0
            } else {
                let new = json!({"name": name, "columns": [{"name": "id", "type": "long"}]});
                server.call("admin", "POST", tables, Some(new)).await.0
            }
        }))
        .await;
        let mut sorted = answers.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [200, 409, 409, 409, 409, 409]);
    }
}
