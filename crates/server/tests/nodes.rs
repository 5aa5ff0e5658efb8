// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Two nodes on one store: what is changed through one holds on the other with its next request.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use serde_json::{Value, json};
use started::{Started, shared_store};

mod started;

const M: &str = "/api/metalakes/m";
const TABLE: &str = "/api/metalakes/m/catalogs/c/schemas/s/tables/t";

async fn status(node: &Started, user: &str, path: &str) -> u16 {
    node.ask(user, "GET", path, Value::Null).await.0
}

async fn names(node: &Started, path: &str) -> Vec<String> {
    let (status, body) = node.ask("root", "GET", path, Value::Null).await;
    assert_eq!(status, 200, "{path}: {body}");
    body["names"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_reaches_both_nodes_is_done_once() {
    let Some(url) = shared_store() else { return };
    let (one, two) = tokio::join!(Started::new(Some(&url)), Started::new(Some(&url)));
    one.make_lake().await;
    for round in 0..10 {
        let key = uuid::Uuid::now_v7().to_string();
        let headers = [("Idempotency-Key", key.as_str())];
        let path = "/iceberg/v1/c/namespaces";
        let body = json!({"namespace": [format!("n{round}")]});
        let asked = async |node: &Started| {
            let answer = node.ask_with("root", "POST", path, body.clone(), &headers).await;
            assert_eq!(answer.0, 200, "{}", answer.1);
            answer.1
        };
        let (first, second) = tokio::join!(asked(&one), asked(&two));
        assert_eq!(first, second);
        let other = json!({"namespace": ["other"]});
        let (status, refused) = two.ask_with("root", "POST", path, other, &headers).await;
        assert_eq!(status, 422, "{refused}");
    }
    one.running.stop().await;
    two.running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_holds_on_the_other_node_with_the_next_request() {
    let Some(url) = shared_store() else { return };
    // They start at the same time, on an empty database.
    let (one, two) = tokio::join!(Started::new(Some(&url)), Started::new(Some(&url)));
    one.make_lake().await;
    let change = async |method: &str, path: &str, body: Value| one.change("root", method, path, body).await;

    let grant = json!({"roleNames": ["r"]});
    for _ in 0..3 {
        assert_eq!(status(&two, "ann", TABLE).await, 403);
        change("PUT", &format!("{M}/permissions/users/ann/grant"), grant.clone()).await;
        assert_eq!(status(&two, "ann", TABLE).await, 200);
        change("PUT", &format!("{M}/permissions/users/ann/revoke"), grant.clone()).await;
    }
    assert_eq!(status(&two, "ann", TABLE).await, 403);

    let tags = format!("{M}/objects/table/c.s.t/tags");
    assert!(names(&two, &tags).await.is_empty());
    change("POST", &format!("{M}/tags"), json!({"name": "pii"})).await;
    change("POST", &tags, json!({"tagsToAdd": ["pii"]})).await;
    assert_eq!(names(&two, &tags).await, ["pii"]);
    change("POST", &tags, json!({"tagsToRemove": ["pii"]})).await;
    assert!(names(&two, &tags).await.is_empty());

    let policies = format!("{M}/policies");
    let content = json!({"customRules": {}, "properties": {}, "supportedObjectTypes": ["table"]});
    let policy = json!({"name": "p", "policyType": "custom", "enabled": true, "content": content});
    change("POST", &policies, policy).await;
    let (_, shown) = two
        .ask("root", "GET", &format!("{policies}/p"), Value::Null)
        .await;
    assert_eq!(shown["policy"]["enabled"], true, "{shown}");
    change("PATCH", &format!("{policies}/p"), json!({"enable": false})).await;
    let (_, shown) = two
        .ask("root", "GET", &format!("{policies}/p"), Value::Null)
        .await;
    assert_eq!(shown["policy"]["enabled"], false, "{shown}");

    // A user that is suspended through one node is refused by the other.
    change("PUT", &format!("{M}/permissions/users/ann/grant"), grant).await;
    assert_eq!(status(&two, "ann", TABLE).await, 200);
    change("PUT", &format!("{M}/users/ann"), json!({"enabled": false})).await;
    assert_eq!(status(&two, "ann", TABLE).await, 403);
    one.running.stop().await;
    two.running.stop().await;
}
