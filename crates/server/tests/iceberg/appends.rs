// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who sees a table only in part may append to it, through a client that passes the gate, and nothing else.

use serde_json::{Value, json};

use crate::harness::{ADMIN, NONE, Server, creation, set_property};
use crate::writer::{Keeping, write_snapshot};

const TABLES: &str = "/ice/namespaces/n1/tables";
const TABLE: &str = "/ice/namespaces/n1/tables/t";

/// `n1.t` has one snapshot; the tag `pii` on anything restricts it for everybody but `boss`.
async fn server() -> Server {
    let server = Server::start().await;
    server.namespace("n1").await;
    server.table("n1", "t").await;
    let commit = snapshot(&server, 1, "append", Keeping::Everything).await;
    server.ask("POST", TABLE, commit).await.is(200);
    server.add_user("boss").await;
    let objects: &[(&str, &str, &[&str])] = &[(
        "CATALOG",
        "ice",
        &["USE_CATALOG", "USE_SCHEMA", "MODIFY_TABLE", "CREATE_TABLE"],
    )];
    server.grant("boss", "all", objects).await;
    let filter = "filter := true if session_user() == \"boss\"\nelse := col(\"name\") == \"a\"";
    server.add_filter("only_some", "pii", filter).await;
    server
}

async fn metadata(server: &Server) -> Value {
    server.ask_as("boss", "GET", TABLE, NONE).await.is(200).body["metadata"].clone()
}

/// Writes a snapshot as a client does that loaded the table before it was restricted.
async fn snapshot(server: &Server, id: i64, operation: &str, keeping: Keeping) -> Value {
    let user = if id == 1 { ADMIN } else { "boss" };
    let loaded = server.ask_as(user, "GET", TABLE, NONE).await.is(200);
    write_snapshot(&loaded.body["metadata"], id, operation, keeping, None).await
}

fn code(body: &Value) -> String {
    let message = body["error"]["message"].as_str().expect("a message");
    let code = message.trim_start_matches('[').split(']').next();
    code.unwrap_or_default().to_owned()
}

#[tokio::test]
async fn an_append_through_a_trusted_reader_is_taken_and_restricted() {
    let server = server().await;
    server.tag("table", "ice.n1.t", "pii").await;
    let reader = server.enroll("gateway").await;
    let loaded = reader.ask(ADMIN, "GET", TABLE, NONE).await.is(200);
    assert!(loaded.body.get("read-restrictions").is_some());
    let commit = snapshot(&server, 2, "append", Keeping::Everything).await;
    let answer = reader.ask(ADMIN, "POST", TABLE, commit).await.is(200);
    assert_eq!(answer.body["metadata"]["current-snapshot-id"], 2);
    assert_eq!(
        answer.body["read-restrictions"], loaded.body["read-restrictions"],
        "the answer of a commit shows the table and is as restricted as that of a load"
    );
    assert_eq!(
        metadata(&server).await["snapshots"]
            .as_array()
            .expect("a list")
            .len(),
        2
    );
    // A new table that inherits restrictions, staged and made by the commit.
    server.tag("schema", "ice.n1", "pii").await;
    let made = reader.ask(ADMIN, "POST", TABLES, creation("made")).await.is(200);
    assert!(made.body.get("read-restrictions").is_some());
}

#[tokio::test]
async fn an_append_through_another_client_changes_nothing() {
    let server = server().await;
    let commit = snapshot(&server, 2, "append", Keeping::Everything).await;
    let loaded = server.ask("GET", TABLE, NONE).await.is(200);
    // The restriction comes between load and commit.
    server.tag("table", "ice.n1.t", "pii").await;
    let (files, before) = (server.files(), metadata(&server).await);
    assert_eq!(before, loaded.body["metadata"]);
    let refused = server.ask("POST", TABLE, commit.clone()).await;
    refused.fails(406, "ReadRestrictionException");
    let capable = [crate::harness::CAPABLE];
    let refused = server
        .ask_with(ADMIN, "POST", TABLE, commit.clone(), &capable)
        .await;
    refused.fails(403, "ReadRestrictionException");
    let mut change = commit.clone();
    change["identifier"] = json!({"namespace": ["n1"], "name": "t"});
    let transaction = json!({"table-changes": [change]});
    let refused = server.ask("POST", "/ice/transactions/commit", transaction).await;
    refused.fails(406, "ReadRestrictionException");
    assert_eq!(server.files(), files, "every file is as it was");
    assert_eq!(metadata(&server).await, before);
    // What was written is not lost: the same commit goes through a client that enforces.
    let reader = server.enroll("gateway").await;
    reader.ask(ADMIN, "POST", TABLE, commit).await.is(200);
}

#[tokio::test]
async fn more_than_an_append_is_refused_with_its_reason() {
    let server = server().await;
    server.tag("table", "ice.n1.t", "pii").await;
    let reader = server.enroll("gateway").await;
    let table = metadata(&server).await;
    let outside = format!(
        "{}2/data/x.parquet",
        table["location"].as_str().expect("a location")
    );
    let lie = snapshot(&server, 2, "append", Keeping::Nothing).await;
    let over = snapshot(&server, 3, "overwrite", Keeping::Nothing).await;
    let everything = Keeping::Everything;
    let foreign = write_snapshot(&table, 4, "append", everything, Some(&outside)).await;
    let mut apart = snapshot(&server, 5, "append", everything).await;
    apart["updates"][1]["ref-name"] = json!("mine");
    let mut kept = snapshot(&server, 6, "append", everything).await;
    kept["updates"][1]["max-ref-age-ms"] = json!(1);
    let mut renamed = table["schemas"][0].clone();
    renamed["fields"][1]["name"] = json!("label");
    let update = |update: Value| json!({"requirements": [], "updates": [update]});
    let cases = [
        (lie, "leaves out files of the table"),
        (over, "more than append"),
        (foreign, "outside the table's location"),
        (apart, "more than append"),
        (kept, "makes or changes the branch"),
        (
            set_property("write.target-file-size-bytes", "1"),
            "more than append",
        ),
        (
            json!({"requirements": [], "updates": [
                {"action": "add-schema", "schema": renamed}, {"action": "set-current-schema", "schema-id": -1}]}),
            "more than append",
        ),
        (
            update(
                json!({"action": "set-snapshot-ref", "ref-name": "tagged", "type": "tag", "snapshot-id": 1}),
            ),
            "more than append",
        ),
        (
            update(json!({"action": "remove-snapshot-ref", "ref-name": "main"})),
            "more than append",
        ),
        (
            update(json!({"action": "remove-snapshots", "snapshot-ids": [77]})),
            "more than append",
        ),
    ];
    let (files, before) = (server.files(), metadata(&server).await);
    for (commit, reason) in cases {
        let mut change = commit.clone();
        let refused = reader.ask(ADMIN, "POST", TABLE, commit).await;
        let refused = refused.fails(403, "ReadRestrictionException");
        let message = refused.body["error"]["message"].as_str().expect("a message");
        assert_eq!(code(&refused.body), "restriction-write", "{message}");
        assert!(message.contains(reason), "{message}");
        change["identifier"] = json!({"namespace": ["n1"], "name": "t"});
        let transaction = json!({"table-changes": [change]});
        let refused = reader
            .ask(ADMIN, "POST", "/ice/transactions/commit", transaction)
            .await;
        assert_eq!(
            code(&refused.fails(403, "ReadRestrictionException").body),
            "restriction-write"
        );
    }
    assert_eq!(server.files(), files, "no file was written or removed");
    assert_eq!(metadata(&server).await, before);
    // The listener of readers has no drop and no rename.
    assert_eq!(reader.ask(ADMIN, "DELETE", TABLE, NONE).await.status, 405);
    let refused = server
        .ask("DELETE", &format!("{TABLE}?purgeRequested=true"), NONE)
        .await;
    assert_eq!(
        code(&refused.fails(403, "ReadRestrictionException").body),
        "restriction-write"
    );
    // Whom the filter does not restrict may do all of it.
    let over = snapshot(&server, 8, "overwrite", Keeping::Nothing).await;
    server.ask_as("boss", "POST", TABLE, over).await.is(200);
}
