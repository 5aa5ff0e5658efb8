// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How many requests are heard, where the operator limits them.

use std::time::Duration;

use serde_json::json;

use crate::support::{ADMIN, SIMPLE, Server, answer};

async fn limited(key: &str) -> Server {
    let server = Server::with(&[SIMPLE, &[(key, "1")]].concat()).await;
    server.running.app.operations.clock().advance(Duration::ZERO);
    server
}

async fn ask(server: &Server, user: &str, path: &str) -> u16 {
    answer(server.request("GET", path).basic_auth(user, Some("-")))
        .await
        .status
}

#[tokio::test]
async fn a_user_is_limited_and_others_are_not() {
    let server = limited("lakeward.server.requestsPerSecondAndUser").await;
    for _ in 0..10 {
        assert_eq!(ask(&server, "ann", "/api/authn/me").await, 200);
    }
    let refused = answer(
        server
            .request("GET", "/api/authn/me")
            .basic_auth("ann", Some("-")),
    )
    .await;
    assert_eq!(refused.native(), (429, 1002, "TooManyRequestsException"));
    assert_eq!(refused.headers["retry-after"], "1");
    assert_eq!(
        refused.body["message"],
        json!("too many requests come from you; try again in 1 s")
    );
    let iceberg = answer(
        server
            .request("GET", "/iceberg/v1/config")
            .basic_auth("ann", Some("-")),
    )
    .await;
    assert_eq!(iceberg.iceberg(), (429, "TooManyRequestsException"));
    assert_eq!(ask(&server, ADMIN, "/api/authn/me").await, 200);
    assert_eq!(ask(&server, "ann", "/health").await, 200);
    server
        .running
        .app
        .operations
        .clock()
        .advance(Duration::from_secs(1));
    assert_eq!(ask(&server, "ann", "/api/authn/me").await, 200);
    assert_eq!(ask(&server, "ann", "/api/authn/me").await, 429);
}

#[tokio::test]
async fn an_address_is_limited_whoever_asks_and_whatever_for() {
    let server = limited("lakeward.server.requestsPerSecondAndAddress").await;
    for number in 0..5 {
        assert_eq!(
            ask(&server, &format!("user-{number}"), "/api/authn/me").await,
            200
        );
        assert_eq!(ask(&server, "ann", "/api/nope").await, 404);
    }
    assert_eq!(ask(&server, "bob", "/api/authn/me").await, 429);
    assert_eq!(ask(&server, "bob", "/api/nope").await, 429);
    // Probes must not be told that the server is not there.
    assert_eq!(ask(&server, "bob", "/health").await, 200);
    server
        .running
        .app
        .operations
        .clock()
        .advance(Duration::from_secs(60));
    assert_eq!(ask(&server, "bob", "/api/authn/me").await, 200);
}
