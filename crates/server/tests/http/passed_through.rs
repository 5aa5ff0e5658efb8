// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The two modes without checks.

use serde_json::json;

use crate::support::{ADMIN, Server, answer};

#[tokio::test]
async fn passed_through_whoever_calls_becomes_a_user() {
    let server = Server::with(&[
        ("gravitino.authorization.enable", "true"),
        ("gravitino.authorization.serviceAdmins", ADMIN),
        (
            "gravitino.authorization.impl",
            "org.apache.gravitino.server.authorization.PassThroughAuthorizer",
        ),
    ])
    .await;
    let as_user =
        |method: &str, path: &str, user: &str| server.request(method, path).basic_auth(user, Some("x"));
    let created = as_user("POST", "/api/metalakes", "bob").json(&json!({"name": "m"}));
    assert_eq!(answer(created).await.status, 200);
    assert_eq!(
        answer(as_user("GET", "/api/metalakes/m", "carol")).await.status,
        200
    );
    let users = answer(as_user("GET", "/api/metalakes/m/users", "bob")).await;
    let mut names: Vec<&str> = users.body["names"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["bob", "carol"]);
}

#[tokio::test]
async fn without_authorization_everything_but_its_own_endpoints_is_open() {
    let server = Server::with(&[]).await;
    let created = server
        .request("POST", "/api/metalakes")
        .json(&json!({"name": "m"}));
    assert_eq!(answer(created).await.status, 200);
    assert_eq!(
        answer(server.request("GET", "/api/metalakes/m")).await.status,
        200
    );
    let missing = answer(server.request("GET", "/api/metalakes/nope")).await;
    assert_eq!(missing.native(), (404, 1003, "NoSuchMetalakeException"));
    let users = answer(server.request("GET", "/api/metalakes/m/users")).await;
    assert_eq!(users.native(), (405, 1006, "UnsupportedOperationException"));
}
