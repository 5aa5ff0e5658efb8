// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a request costs the store. On an embedded store, whose only writer is this process, a request that was made
//! before costs nothing; on a shared one it costs the one statement that reads the counters, and one for a table reads
//! them again after the table's pointer, so that its restrictions are no older than its rows. The only test of its
//! binary, since it counts what the whole process does.

#![expect(clippy::expect_used, reason = "a test may fail loudly")]

use lakeward_store::statements_run;
use serde_json::{Value, json};
use started::Started;

mod started;

const M: &str = "/api/metalakes/m";

async fn prepare(server: &Started) {
    server.make_lake().await;
    let grant = json!({"roleNames": ["r"]});
    let path = format!("{M}/permissions/users/ann/grant");
    server.change("root", "PUT", &path, grant).await;
}

async fn check(server: &Started, path: &str, expected: u64) {
    let mut counts = Vec::new();
    for _ in 0..3 {
        let before = statements_run();
        let (status, body) = server.ask("ann", "GET", path, Value::Null).await;
        assert_eq!(status, 200, "{path}: {body}");
        counts.push(statements_run() - before);
    }
    assert!(
        counts.last().is_some_and(|count| *count <= expected),
        "{path}: {counts:?}, at most {expected} expected"
    );
}

/// What a page of the access of a user costs does not depend on how many objects are on it.
async fn check_access_list(server: &Started) {
    let own = json!([{"name": "SELECT_TABLE", "condition": "ALLOW"}]);
    let mut counts = Vec::new();
    for tables in [3, 40] {
        let mut said = Vec::new();
        for number in 0..tables {
            let name = format!("x{tables}_{number}");
            let column = json!({"name": "id", "type": "integer", "nullable": true});
            let table = json!({"name": name, "columns": [column], "properties": {}});
            let path = format!("{M}/catalogs/c/schemas/s/tables");
            server.change("root", "POST", &path, table).await;
            said.push(json!({"type": "table", "fullName": format!("c.s.{name}"), "privileges": own}));
        }
        let role = format!("many{tables}");
        let body = json!({"name": role, "securableObjects": said});
        server.change("root", "POST", &format!("{M}/roles"), body).await;
        let user = json!({"name": format!("user{tables}")});
        server.change("root", "POST", &format!("{M}/users"), user).await;
        for (user, role) in [("user", role.as_str()), ("user", "r")] {
            let path = format!("{M}/permissions/users/{user}{tables}/grant");
            server
                .change("root", "PUT", &path, json!({"roleNames": [role]}))
                .await;
        }
        let path = format!("{M}/users/user{tables}/access?pageSize=100");
        let mut fewest = u64::MAX;
        for _ in 0..3 {
            let before = statements_run();
            let (status, body) = server.ask("root", "GET", &path, Value::Null).await;
            // What the server does beside requests counts too, now and then.
            fewest = fewest.min(statements_run() - before);
            assert_eq!(status, 200, "{body}");
            let items = body.get("access").and_then(Value::as_array).expect("a list");
            assert!(items.len() > tables, "{body}");
        }
        counts.push(fewest);
    }
    assert_eq!(counts.first(), counts.last(), "{counts:?}");
}

/// What a change of a pushed group costs does not depend on how many members come or go with it.
async fn check_members(store_url: Option<&str>) {
    let keys = [("lakeward.scim.enabled", "true")];
    let server = Started::with(store_url, &keys).await;
    let scim = async |method: &str, path: &str, body: Value| {
        let path = format!("/scim/v2{path}");
        let (status, answer) = server.ask("root", method, &path, body).await;
        assert!((200..300).contains(&status), "{answer}");
        answer
    };
    let mut members = Vec::new();
    for number in 0..50 {
        let made = scim("POST", "/Users", json!({"userName": format!("u{number}")})).await;
        members.push(json!({"value": made.get("id").expect("an id")}));
    }
    let group = scim("POST", "/Groups", json!({"displayName": "g"})).await;
    let path = format!(
        "/Groups/{}",
        group.get("id").and_then(Value::as_str).expect("an id")
    );
    for operation in ["add", "remove"] {
        let mut counts = Vec::new();
        for some in [1, 49] {
            let some: Vec<Value> = members.iter().rev().take(some).cloned().collect();
            let other = if operation == "add" { "remove" } else { "add" };
            let patch = |operation: &str| {
                let change = json!({"op": operation, "path": "members", "value": some});
                json!({"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": [change]})
            };
            // Each change below changes something.
            scim("PATCH", &path, patch(operation)).await;
            let mut fewest = u64::MAX;
            for _ in 0..3 {
                scim("PATCH", &path, patch(other)).await;
                let before = statements_run();
                scim("PATCH", &path, patch(operation)).await;
                // What the server does beside requests counts too, now and then.
                fewest = fewest.min(statements_run() - before);
            }
            counts.push(fewest);
        }
        assert_eq!(counts.first(), counts.last(), "{operation}: {counts:?}");
    }
    server.running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_was_made_before_costs_no_query() {
    let mut stores = vec![(None, 0, 0)];
    let shared = started::shared_store();
    if let Some(url) = &shared {
        stores.push((Some(url.as_str()), 1, 1));
    }
    for (url, counters, pointer) in stores {
        let server = Started::new(url).await;
        prepare(&server).await;
        for path in [
            "/catalogs",
            "/catalogs/c",
            "/catalogs/c/schemas",
            "/catalogs/c/schemas/s",
            "/catalogs/c/schemas/s/tables",
        ] {
            check(&server, &format!("{M}{path}"), counters).await;
        }
        let table = format!("{M}/catalogs/c/schemas/s/tables/t");
        check(&server, &table, counters * 2 + pointer).await;
        let list = "/iceberg/v1/c/namespaces/s/tables";
        check(&server, list, counters * 2).await;
        let governed = "/iceberg/v1/c/namespaces/s/tables/t";
        // The prefix names no metalake: that there is only one is asked too.
        check(&server, governed, counters * 3 + pointer).await;
        check_access_list(&server).await;
        server.running.stop().await;
        check_members(url).await;
    }
}
