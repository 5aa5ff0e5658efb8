// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Metadata files that somebody replaced behind the catalog's back: whoever may write a table's files can do that. Nothing
//! that such a file says is believed, answered or deleted.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sqlx::Connection;

use crate::harness::{ADMIN, Answer, NONE, Server, set_property};

const TABLES: &str = "/ice/namespaces/n1/tables";
const VIEWS: &str = "/ice/namespaces/n1/views";

/// The file of an answer, and what is in it.
fn file_of(answer: &Answer) -> (PathBuf, Value) {
    let location = answer.body["metadata-location"].as_str().expect("a location");
    let path = PathBuf::from(location.trim_start_matches("file://"));
    let text = std::fs::read(&path).expect("a file");
    (path, serde_json::from_slice(&text).expect("metadata"))
}

/// Replaces a file, as a writer of the table can.
fn replace(path: &Path, metadata: &Value) {
    std::fs::write(path, metadata.to_string()).expect("a file");
}

/// Asserts that nothing of the file is told but that it was changed.
#[track_caller]
fn refuses(answer: &Answer) {
    refuses_with(answer, 503);
}

#[track_caller]
fn refuses_with(answer: &Answer, status: u16) {
    assert_eq!(answer.status, status, "{}", answer.body);
    let text = answer.body.to_string();
    assert!(text.contains("changed outside the catalog"), "{text}");
    assert!(!text.contains("forged"), "{text}");
}

/// A read of a file of the table `other`, which a forged location would make one's own.
fn request_to_sign() -> Value {
    json!({"region": "r", "method": "GET", "headers": {}, "uri": "http://127.0.0.1:1/b/n1/other/data/f.parquet"})
}

/// A transaction over both tables.
fn change_of_both(name: &str, value: &str) -> Value {
    let of = |table: &str| {
        let mut change = set_property(name, value);
        change["identifier"] = json!({"namespace": ["n1"], "name": table});
        change
    };
    json!({"table-changes": [of("other"), of("t")]})
}

/// Makes the store one of before digests were kept.
#[expect(clippy::disallowed_methods, reason = "no operation takes a digest away")]
async fn forget_digests(server: &Server) {
    let url = format!("sqlite://{}/lakeward.db", server.data_folder());
    let mut store = sqlx::SqliteConnection::connect(&url).await.expect("the store");
    let forgotten = sqlx::query("UPDATE iceberg_table SET metadata_digest = NULL")
        .execute(&mut store)
        .await
        .expect("an update");
    assert!(forgotten.rows_affected() > 0, "there are tables");
    store.close().await.expect("an end");
}

/// A server that has read nothing, over a table `t` and a table `other` beside it.
async fn scene() -> (Server, PathBuf, Value) {
    let server = Server::start().await;
    server.namespace("n1").await;
    server.table("n1", "other").await;
    let (path, metadata) = file_of(&server.table("n1", "t").await);
    (server.restart().await, path, metadata)
}

#[tokio::test]
async fn nothing_of_a_table_is_served_changed_or_purged() {
    let (server, path, metadata) = scene().await;
    let other = server.ask("GET", &format!("{TABLES}/other"), NONE).await.is(200);
    // Every claim by itself: where the table is, what it is, what it holds, and a byte that means nothing.
    let mut forged = Vec::new();
    for (member, value) in [
        ("location", other.body["metadata"]["location"].clone()),
        ("table-uuid", json!("00000000-0000-4000-8000-000000000000")),
        ("properties", json!({"forged": "x"})),
    ] {
        let mut one = metadata.clone();
        one[member] = value;
        forged.push(one.to_string());
    }
    forged.push(format!("{metadata} "));
    let kept = std::fs::read(&path).expect("a file");
    let table = format!("{TABLES}/t");
    for text in &forged {
        std::fs::write(&path, text).expect("a file");
        let before = server.files();
        for (method, path, body) in [
            ("GET", table.clone(), NONE),
            ("GET", format!("{table}?snapshots=refs"), NONE),
            ("GET", format!("{table}/credentials"), NONE),
            ("POST", format!("{table}/sign"), request_to_sign()),
            ("POST", format!("{table}/plan"), json!({})),
            ("POST", table.clone(), set_property("a", "b")),
            (
                "POST",
                "/ice/transactions/commit".to_owned(),
                change_of_both("a", "b"),
            ),
            ("DELETE", format!("{table}?purgeRequested=true"), NONE),
        ] {
            refuses(&server.ask(method, &path, body).await);
        }
        server.ask("HEAD", &table, NONE).await.is(503);
        let native = "/metalakes/m/catalogs/ice/schemas/n1/tables/t";
        let change = json!({"updates": [{"@type": "setProperty", "property": "a", "value": "b"}]});
        for (method, path, body) in [
            ("GET", native.to_owned(), NONE),
            ("PUT", native.to_owned(), change),
            ("DELETE", format!("{native}?purge=true"), NONE),
        ] {
            refuses_with(&server.native(ADMIN, method, &path, body).await, 502);
        }
        assert_eq!(server.files(), before, "no file is touched");
    }
    // What the catalog wrote is believed again.
    std::fs::write(&path, kept).expect("a file");
    let loaded = server.ask("GET", &table, NONE).await.is(200);
    assert_eq!(loaded.body["metadata"], metadata);
    let committed = server.ask("POST", &table, set_property("a", "b")).await.is(200);
    // The same for what a commit wrote.
    let (path, mut metadata) = file_of(&committed);
    metadata["properties"] = json!({"forged": "x"});
    let server = server.restart().await;
    replace(&path, &metadata);
    refuses(&server.ask("GET", &table, NONE).await);
    // Without its files a table can always be dropped.
    server.ask("DELETE", &table, NONE).await.is(204);
    server.ask("GET", &format!("{TABLES}/other"), NONE).await.is(200);
}

#[tokio::test]
async fn nothing_of_a_view_is_served_or_changed() {
    let server = Server::start().await;
    server.namespace("n1").await;
    let creation = json!({
        "name": "v",
        "schema": {"type": "struct", "schema-id": 0, "fields": [
            {"id": 1, "name": "a", "required": false, "type": "int"}]},
        "view-version": {"version-id": 1, "timestamp-ms": 1, "schema-id": 0, "summary": {},
            "default-namespace": ["n1"],
            "representations": [{"type": "sql", "sql": "select 1 a", "dialect": "spark"}]},
        "properties": {}
    });
    let (path, metadata) = file_of(&server.ask("POST", VIEWS, creation).await.is(200));
    let server = server.restart().await;
    let mut forged = metadata.clone();
    forged["versions"][0]["representations"][0]["sql"] = json!("select forged");
    replace(&path, &forged);
    let view = format!("{VIEWS}/v");
    refuses(&server.ask("GET", &view, NONE).await);
    refuses(&server.ask("POST", &view, set_property("a", "b")).await);
    replace(&path, &metadata);
    server.ask("GET", &view, NONE).await.is(200);
}

#[tokio::test]
async fn a_file_is_registered_as_it_is_at_that_moment() {
    let (server, path, mut metadata) = scene().await;
    let table = format!("{TABLES}/t");
    // In the server's memory, then changed while it belongs to nobody.
    server.ask("GET", &table, NONE).await.is(200);
    server.ask("DELETE", &table, NONE).await.is(204);
    metadata["properties"] = json!({"of": "another catalog"});
    replace(&path, &metadata);
    let registration = json!({"name": "t", "metadata-location": format!("file://{}", path.display())});
    let registered = server
        .ask("POST", "/ice/namespaces/n1/register", registration)
        .await
        .is(200);
    assert_eq!(registered.body["metadata"], metadata);
    let server = server.restart().await;
    let loaded = server.ask("GET", &table, NONE).await.is(200);
    assert_eq!(loaded.body["metadata"], metadata);
    metadata["properties"] = json!({"forged": "x"});
    replace(&path, &metadata);
    // This server read it before; the next one did not.
    server.ask("GET", &table, NONE).await.is(200);
    let server = server.restart().await;
    refuses(&server.ask("GET", &table, NONE).await);
}

#[tokio::test]
async fn tables_of_a_store_without_digests_are_believed_once() {
    let (server, path, metadata) = scene().await;
    let other = server.ask("GET", &format!("{TABLES}/other"), NONE).await.is(200);
    forget_digests(&server).await;
    let server = server.restart().await;
    let table = format!("{TABLES}/t");
    // What the store knew before digests is what the file must say: which table it is and where.
    for (member, value) in [
        ("location", other.body["metadata"]["location"].clone()),
        ("table-uuid", other.body["metadata"]["table-uuid"].clone()),
    ] {
        let mut forged = metadata.clone();
        forged[member] = value;
        replace(&path, &forged);
        let before = server.files();
        refuses(&server.ask("GET", &table, NONE).await);
        refuses(&server.ask("POST", &table, set_property("a", "b")).await);
        let purge = format!("{table}?purgeRequested=true");
        refuses(&server.ask("DELETE", &purge, NONE).await);
        assert_eq!(server.files(), before, "no file is touched");
    }
    replace(&path, &metadata);
    let loaded = server.ask("GET", &table, NONE).await.is(200);
    assert_eq!(loaded.body["metadata"], metadata);
    // From then on every byte counts.
    let server = server.restart().await;
    let mut forged = metadata.clone();
    forged["properties"] = json!({"forged": "x"});
    replace(&path, &forged);
    refuses(&server.ask("GET", &table, NONE).await);
    replace(&path, &metadata);
    server.ask("POST", &table, set_property("a", "b")).await.is(200);
}
