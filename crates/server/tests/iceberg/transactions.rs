// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Commits to several tables: all of them or none.

use serde_json::{Value, json};

use crate::harness::{NONE, Server, creation};

const TABLES: &str = "/ice/namespaces/n1/tables";
const COMMIT: &str = "/ice/transactions/commit";

async fn server() -> Server {
    let server = Server::start().await;
    server.namespace("n1").await;
    for name in ["t1", "t2"] {
        server.table("n1", name).await;
    }
    server
}

/// A change of one table of a transaction.
fn change(name: &str, requirements: Value, updates: Value) -> Value {
    json!({"identifier": {"namespace": ["n1"], "name": name}, "requirements": requirements, "updates": updates})
}

fn sets(name: &str, value: &str) -> Value {
    change(
        name,
        json!([]),
        json!([{"action": "set-properties", "updates": {"a": value}}]),
    )
}

fn transaction(changes: &[Value]) -> Value {
    json!({"table-changes": changes})
}

async fn load(server: &Server, name: &str) -> Value {
    server.ask("GET", &format!("{TABLES}/{name}"), NONE).await.body
}

/// The change that makes a table that was staged.
async fn creates(server: &Server, name: &str) -> Value {
    let mut staged = creation(name);
    staged["stage-create"] = json!(true);
    let staged = server.ask("POST", TABLES, staged).await.is(200).body["metadata"].clone();
    change(
        name,
        json!([{"type": "assert-create"}]),
        json!([
            {"action": "assign-uuid", "uuid": staged["table-uuid"]},
            {"action": "upgrade-format-version", "format-version": 2},
            {"action": "add-schema", "schema": staged["schemas"][0]},
            {"action": "set-current-schema", "schema-id": -1},
            {"action": "set-location", "location": staged["location"]}]),
    )
}

#[tokio::test]
async fn all_tables_change_or_none() {
    let server = server().await;
    let both = transaction(&[sets("t2", "1"), sets("t1", "1")]);
    server.ask("POST", COMMIT, both).await.is(204);
    for name in ["t1", "t2"] {
        assert_eq!(load(&server, name).await["metadata"]["properties"]["a"], "1");
    }
    let (files, before) = (
        server.files(),
        [load(&server, "t1").await, load(&server, "t2").await],
    );
    let wrong = json!([{"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": 7}]);
    let stale = change(
        "t2",
        wrong,
        json!([{"action": "set-properties", "updates": {"a": "2"}}]),
    );
    let unknown = change("t2", json!([]), json!([{"action": "no-such-update"}]));
    let bad = change(
        "t2",
        json!([]),
        json!([{"action": "set-current-schema", "schema-id": 9}]),
    );
    let moved = load(&server, "t1").await["metadata"]["location"].clone();
    let over = change(
        "t2",
        json!([]),
        json!([{"action": "set-location", "location": moved}]),
    );
    for (last, status, kind) in [
        (stale, 409, "CommitFailedException"),
        (unknown, 406, "UnsupportedOperationException"),
        (bad, 400, "BadRequestException"),
        (over, 400, "BadRequestException"),
        (sets("zz", "2"), 404, "NoSuchTableException"),
        (sets("t1", "3"), 400, "BadRequestException"),
    ] {
        let refused = transaction(&[sets("t1", "2"), last]);
        server.ask("POST", COMMIT, refused).await.fails(status, kind);
    }
    assert_eq!(server.files(), files, "every file is as it was, and none is new");
    assert_eq!([load(&server, "t1").await, load(&server, "t2").await], before);
}

#[tokio::test]
async fn when_a_file_cannot_be_written_none_is_left() {
    let server = server().await;
    let names: Vec<String> = (1..=20).map(|number| format!("t{number}")).collect();
    for name in &names[2..] {
        server.table("n1", name).await;
    }
    let all = |value: &str| {
        let changes: Vec<Value> = names.iter().map(|name| sets(name, value)).collect();
        transaction(&changes)
    };
    server.ask("POST", COMMIT, all("1")).await.is(204);
    let mut folders = Vec::new();
    for name in ["t15", "t7"] {
        let file = load(&server, name).await["metadata-location"].clone();
        let file = file.as_str().expect("a location").trim_start_matches("file://");
        let folder = std::path::Path::new(file).parent().expect("a folder").to_owned();
        std::fs::rename(&folder, folder.with_extension("away")).expect("a folder");
        std::fs::write(&folder, "no folder").expect("a file");
        // What was read is remembered; only a new file finds no folder.
        assert_eq!(load(&server, name).await["metadata"]["properties"]["a"], "1");
        folders.push(folder);
    }
    let files = server.files();
    for _ in 0..5 {
        server
            .ask("POST", COMMIT, all("2"))
            .await
            .fails(503, "ServiceUnavailableException");
    }
    assert_eq!(server.files(), files, "every file is as it was, and none is new");
    for folder in folders {
        std::fs::remove_file(&folder).expect("a file");
        std::fs::rename(folder.with_extension("away"), &folder).expect("a folder");
    }
    for name in &names {
        assert_eq!(
            load(&server, name).await["metadata"]["properties"]["a"],
            "1",
            "{name}"
        );
    }
    server.ask("POST", COMMIT, all("2")).await.is(204);
}

#[tokio::test]
async fn of_several_refusals_the_first_is_told() {
    let server = server().await;
    let stale = |name: &str| {
        let wrong = json!([{"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": 7}]);
        change(name, wrong, json!([]))
    };
    let bad = |name: &str| {
        let updates = json!([{"action": "set-current-schema", "schema-id": 9}]);
        change(name, json!([]), updates)
    };
    for _ in 0..5 {
        let changes = transaction(&[stale("t1"), bad("t2")]);
        server
            .ask("POST", COMMIT, changes)
            .await
            .fails(409, "CommitFailedException");
        let changes = transaction(&[bad("t1"), stale("t2")]);
        server
            .ask("POST", COMMIT, changes)
            .await
            .fails(400, "BadRequestException");
    }
}

#[tokio::test]
async fn staged_tables_are_made_in_it() {
    let server = server().await;
    let made = creates(&server, "made").await;
    let lost = change(
        "t2",
        json!([{"type": "assert-current-schema-id", "current-schema-id": 4}]),
        json!([]),
    );
    let files = server.files();
    server
        .ask(
            "POST",
            COMMIT,
            transaction(&[made.clone(), sets("t1", "1"), lost]),
        )
        .await
        .fails(409, "CommitFailedException");
    assert_eq!(server.files(), files);
    assert_eq!(
        load(&server, "made").await["error"]["type"],
        "NoSuchTableException"
    );
    server
        .ask("POST", COMMIT, transaction(&[made.clone(), sets("t1", "1")]))
        .await
        .is(204);
    let found = load(&server, "made").await;
    assert_eq!(found["metadata"]["table-uuid"], made["updates"][0]["uuid"]);
    assert_eq!(load(&server, "t1").await["metadata"]["properties"]["a"], "1");
    // Once more: what is asserted not to exist exists.
    server
        .ask("POST", COMMIT, transaction(&[sets("t1", "2"), made]))
        .await
        .fails(409, "CommitFailedException");
    // Two that would lie in one place: the second sees the first, and neither is made.
    let (one, mut two) = (creates(&server, "one").await, creates(&server, "two").await);
    two["updates"][4] = one["updates"][4].clone();
    let files = server.files();
    server
        .ask("POST", COMMIT, transaction(&[one, two]))
        .await
        .fails(400, "BadRequestException");
    assert_eq!(server.files(), files);
    for name in ["one", "two"] {
        assert_eq!(load(&server, name).await["error"]["type"], "NoSuchTableException");
    }
    assert_eq!(load(&server, "t1").await["metadata"]["properties"]["a"], "1");
}

#[tokio::test]
async fn each_table_is_authorized_and_gated_before_any_is_touched() {
    let server = server().await;
    server.add_user("ann").await;
    let privileges: &[&str] = &["USE_CATALOG", "USE_SCHEMA"];
    let objects: &[(&str, &str, &[&str])] = &[
        ("CATALOG", "ice", privileges),
        ("TABLE", "ice.n1.t1", &["MODIFY_TABLE"]),
    ];
    server.grant("ann", "one", objects).await;
    let files = server.files();
    for other in [
        sets("t2", "1"),
        sets("absent", "1"),
        creates(&server, "made").await,
    ] {
        server
            .ask_as("ann", "POST", COMMIT, transaction(&[sets("t1", "1"), other]))
            .await
            .fails(403, "ForbiddenException");
    }
    server
        .ask_as("ann", "POST", COMMIT, transaction(&[sets("t1", "1")]))
        .await
        .is(204);
    let files = {
        assert!(server.files().len() > files.len());
        server.files()
    };
    server
        .add_filter("none", "pii", "filter := col(\"name\") == \"a\"")
        .await;
    server.tag("table", "ice.n1.t2", "pii").await;
    server
        .ask("POST", COMMIT, transaction(&[sets("t1", "2"), sets("t2", "2")]))
        .await
        .fails(406, "ReadRestrictionException");
    assert_eq!(server.files(), files, "the gate stands before the first write");
}

#[tokio::test]
async fn bodies_that_are_none() {
    let server = server().await;
    let nameless = json!({"table-changes": [{"requirements": [], "updates": []}]});
    for body in [
        json!({"table-changes": []}),
        json!({}),
        json!({"table-changes": [], "extra": 1}),
        nameless,
        transaction(&vec![sets("t1", "1"); 1001]),
    ] {
        server
            .ask("POST", COMMIT, body)
            .await
            .fails(400, "BadRequestException");
    }
    server.add_user("eve").await;
    server
        .ask_as("eve", "POST", COMMIT, json!({}))
        .await
        .fails(403, "ForbiddenException");
}

#[tokio::test]
async fn races_have_one_winner_and_leave_no_file() {
    let server = server().await;
    let before = server.files().len();
    let uuids = [load(&server, "t1").await, load(&server, "t2").await];
    let asserted = |name: &str, value: &str, at: usize| {
        let uuid = uuids[at]["metadata"]["table-uuid"].clone();
        let mut change = sets(name, value);
        change["requirements"] = json!([{"type": "assert-table-uuid", "uuid": uuid}]);
        change
    };
    let tries = (0..12).map(|number| {
        let value = number.to_string();
        let mut changes = vec![asserted("t1", &value, 0), asserted("t2", &value, 1)];
        if number % 2 == 0 {
            changes.reverse();
        }
        let server = &server;
        async move { server.ask("POST", COMMIT, transaction(&changes)).await.status }
    });
    let statuses = futures::future::join_all(tries).await;
    let won = statuses.iter().filter(|status| **status == 204).count();
    assert!(won >= 1, "{statuses:?}");
    assert!(
        statuses.iter().all(|status| [204, 409].contains(status)),
        "{statuses:?}"
    );
    let value = load(&server, "t1").await["metadata"]["properties"]["a"].clone();
    assert_eq!(load(&server, "t2").await["metadata"]["properties"]["a"], value);
    assert_eq!(
        server.files().len(),
        before + 2 * won,
        "losers removed their files"
    );
}
