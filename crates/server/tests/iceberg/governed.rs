// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Restricted tables: who gets them, what may be changed, and that no cached answer is used for somebody else.

use serde_json::{Value, json};

use crate::harness::{ADMIN, CAPABLE, NONE, Server, creation, set_property};

const TABLES: &str = "/ice/namespaces/n1/tables";

/// `t` is restricted for everybody but `boss`.
async fn server() -> Server {
    let server = Server::start().await;
    server.namespace("n1").await;
    server.table("n1", "t").await;
    server.add_user("boss").await;
    let objects: &[(&str, &str, &[&str])] = &[(
        "CATALOG",
        "ice",
        &["USE_CATALOG", "USE_SCHEMA", "MODIFY_TABLE", "CREATE_TABLE"],
    )];
    server.grant("boss", "all", objects).await;
    server
        .add_filter(
            "only_some",
            "pii",
            "filter := true if session_user() == \"boss\"\nelse := col(\"name\") == \"a\"",
        )
        .await;
    server
}

#[tokio::test]
async fn a_restriction_stands_between_the_table_and_every_ordinary_client() {
    let server = server().await;
    let path = format!("{TABLES}/t");
    let before = server.ask("GET", &path, NONE).await.is(200);
    server.tag("table", "ice.n1.t", "pii").await;
    for path in [
        path.clone(),
        format!("{path}/credentials"),
        format!("{path}?snapshots=refs"),
    ] {
        server
            .ask("GET", &path, NONE)
            .await
            .fails(406, "ReadRestrictionException");
        server
            .ask_with(ADMIN, "GET", &path, NONE, &[CAPABLE])
            .await
            .fails(403, "ReadRestrictionException");
        let malformed = [("X-Gravitino-Client-Capabilities", "Read-Restrictions.v1")];
        server
            .ask_with(ADMIN, "GET", &path, NONE, &malformed)
            .await
            .fails(406, "ReadRestrictionException");
    }
    // What was held before is no way around: resolution comes before any 304.
    let held = [("If-None-Match", before.header("etag"))];
    server
        .ask_with(ADMIN, "GET", &path, NONE, &held)
        .await
        .fails(406, "ReadRestrictionException");
    // HEAD reveals nothing that GET would not.
    server.ask("HEAD", &path, NONE).await.is(406);
    server
        .ask_with(ADMIN, "HEAD", &path, NONE, &[CAPABLE])
        .await
        .is(403);
    // For whom the filter is constantly true, nothing is restricted; and the answer is not the one from before.
    let free = server.ask_as("boss", "GET", &path, NONE).await.is(200);
    assert!(free.body.get("read-restrictions").is_none());
    assert_ne!(free.header("etag"), before.header("etag"));
    let other = [("If-None-Match", before.header("etag"))];
    server.ask_with("boss", "GET", &path, NONE, &other).await.is(200);
    let own = [("If-None-Match", free.header("etag"))];
    server.ask_with("boss", "GET", &path, NONE, &own).await.is(304);
}

#[tokio::test]
async fn the_gate_decides_before_any_effect() {
    let server = server().await;
    server.tag("table", "ice.n1.t", "pii").await;
    server.tag("schema", "ice.n1", "pii").await;
    let path = format!("{TABLES}/t");
    let now = server.ask_as("boss", "GET", &path, NONE).await.is(200);
    server
        .ask("POST", &path, set_property("a", "b"))
        .await
        .fails(406, "ReadRestrictionException");
    server
        .ask("POST", TABLES, creation("new"))
        .await
        .fails(406, "ReadRestrictionException");
    let mut staged = creation("staged");
    staged["stage-create"] = json!(true);
    server
        .ask("POST", TABLES, staged)
        .await
        .fails(406, "ReadRestrictionException");
    server
        .ask("DELETE", &path, NONE)
        .await
        .fails(403, "ReadRestrictionException");
    let native = "/metalakes/m/catalogs/ice/schemas/n1/tables/t";
    assert_eq!(server.native(ADMIN, "DELETE", native, NONE).await.status, 403);
    let after = server.ask_as("boss", "GET", &path, NONE).await.is(200);
    assert_eq!(after.body, now.body, "nothing was changed");
    let list = server.ask_as("boss", "GET", TABLES, NONE).await.is(200);
    assert_eq!(list.body["identifiers"].as_array().expect("a list").len(), 1);
    let folder = now.body["metadata"]["location"]
        .as_str()
        .expect("a location")
        .trim_start_matches("file://")
        .to_owned();
    let files = std::fs::read_dir(format!("{folder}/metadata"))
        .expect("a folder")
        .count();
    assert_eq!(files, 1, "no file was left behind");
    // Who is not restricted commits.
    server
        .ask_as("boss", "POST", &path, set_property("a", "b"))
        .await
        .is(200);
}

#[tokio::test]
async fn what_cannot_be_resolved_is_not_served() {
    let server = server().await;
    // The filter names a column that this table has not.
    let other = json!({"name": "other", "schema": {"type": "struct", "fields": [
        {"id": 1, "name": "x", "required": false, "type": "int"}]}});
    server.ask("POST", TABLES, other).await.is(200);
    server.tag("table", "ice.n1.other", "pii").await;
    let refused = server
        .ask_with(ADMIN, "GET", &format!("{TABLES}/other"), NONE, &[CAPABLE])
        .await;
    let refused = refused.fails(403, "ReadRestrictionException");
    let message = refused.body["error"]["message"].as_str().expect("a message");
    assert!(
        !message.contains("only_some") && !message.contains("pii"),
        "{message}"
    );
}

#[tokio::test]
async fn columns_keep_their_tags_when_they_are_renamed_or_come_back() {
    let server = server().await;
    let path = format!("{TABLES}/t");
    server.tag("column", "ice.n1.t.name", "pii").await;
    let tags = async |column: &str| -> Value {
        let path = format!("/metalakes/m/objects/column/ice.n1.t.{column}/tags");
        server.native(ADMIN, "GET", &path, NONE).await.body["names"].clone()
    };
    assert_eq!(tags("name").await, json!(["pii"]));
    let schema = |fields: Value| {
        json!({"requirements": [], "updates": [
            {"action": "add-schema", "schema": {"type": "struct", "fields": fields}},
            {"action": "set-current-schema", "schema-id": -1}]})
    };
    let id = json!({"id": 1, "name": "id", "required": true, "type": "long"});
    let ts = json!({"id": 3, "name": "ts", "required": false, "type": "timestamptz"});
    let renamed = json!([id, {"id": 2, "name": "label", "required": false, "type": "string"}, ts]);
    server
        .ask_as("boss", "POST", &path, schema(renamed))
        .await
        .is(200);
    assert_eq!(tags("label").await, json!(["pii"]));
    server
        .ask_as("boss", "POST", &path, schema(json!([id, ts])))
        .await
        .is(200);
    let objects = server
        .native(ADMIN, "GET", "/metalakes/m/tags/pii/objects", NONE)
        .await;
    assert_eq!(objects.body["metadataObjects"], json!([]));
    // Another column of that name has another id; the old id brings the old values back.
    let new = json!([id, ts, {"id": 4, "name": "label", "required": false, "type": "string"}]);
    server.ask_as("boss", "POST", &path, schema(new)).await.is(200);
    assert_eq!(tags("label").await, json!([]));
    let back = json!({"requirements": [], "updates": [{"action": "set-current-schema", "schema-id": 0}]});
    server.ask_as("boss", "POST", &path, back).await.is(200);
    assert_eq!(tags("name").await, json!(["pii"]));
}

#[tokio::test]
async fn a_commit_that_creates_tells_nothing_of_the_table_that_is_there() {
    let server = server().await;
    server.add_user("maker").await;
    let privileges: &[&str] = &["USE_CATALOG", "USE_SCHEMA", "CREATE_TABLE"];
    server
        .grant("maker", "make", &[("CATALOG", "ice", privileges)])
        .await;
    let path = format!("{TABLES}/t");
    server.ask_as("maker", "GET", &path, NONE).await.is(403);
    let probe = json!({"updates": [], "requirements": [
        {"type": "assert-table-uuid", "uuid": "00000000-0000-0000-0000-000000000000"},
        {"type": "assert-create"}]});
    let refused = server.ask_as("maker", "POST", &path, probe).await;
    let refused = refused.fails(409, "CommitFailedException");
    assert_eq!(
        refused.body["error"]["message"],
        "Requirement failed: table already exists"
    );
}

#[tokio::test]
async fn containers_are_not_dropped_together_with_restricted_tables() {
    let server = server().await;
    let nested = json!({"namespace": ["n1", "deep"]});
    server.ask("POST", "/ice/namespaces", nested).await.is(200);
    let tables = "/ice/namespaces/n1%1Fdeep/tables";
    server.ask("POST", tables, creation("u")).await.is(200);
    server.tag("table", "ice.n1:deep.u", "pii").await;
    let schema = "/metalakes/m/catalogs/ice/schemas/n1?cascade=true";
    let catalog = "/metalakes/m/catalogs/ice?force=true";
    for path in [schema, catalog] {
        let refused = server.native(ADMIN, "DELETE", path, NONE).await.is(403);
        let message = refused.body["message"].as_str().expect("a message");
        assert!(message.contains("one by one"), "{message}");
    }
    let off = "/metalakes/m/policies/only_some?force=true";
    server
        .native(ADMIN, "PATCH", off, json!({"enable": false}))
        .await
        .is(200);
    server.native(ADMIN, "DELETE", schema, NONE).await.is(200);
}
