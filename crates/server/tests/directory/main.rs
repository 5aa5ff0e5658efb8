// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! SCIM: requests as identity providers send them, with their answers; and that what they push decides the next request, on
//! one node and on two.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use serde_json::{Value, json};
use started::Started;

mod decisions;
mod lists;
mod resources;
#[path = "../started/mod.rs"]
mod started;

const PATCH: &str = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const NONE: Value = Value::Null;

async fn server(store_url: Option<&str>) -> Started {
    let keys = [
        ("lakeward.scim.enabled", "true"),
        ("lakeward.scim.provisioners", "idp"),
        ("lakeward.scim.baseUrl", "https://lake.example/"),
    ];
    Started::with(store_url, &keys).await
}

/// Asks as the provisioner.
async fn scim(node: &Started, method: &str, path: &str, body: Value) -> (u16, Value) {
    node.ask("idp", method, &format!("/scim/v2{path}"), body).await
}

/// Asks what must succeed with this status.
async fn done(node: &Started, status: u16, method: &str, path: &str, body: Value) -> Value {
    let (found, answer) = scim(node, method, path, body).await;
    assert_eq!(found, status, "{method} {path}: {answer}");
    answer
}

/// Asks what must be refused with this status and `scimType`.
async fn refused(node: &Started, expected: (u16, &str), method: &str, path: &str, body: Value) -> String {
    let (status, answer) = scim(node, method, path, body).await;
    let kind = answer["scimType"].as_str().unwrap_or_default();
    assert_eq!((status, kind), expected, "{method} {path}: {answer}");
    assert_eq!(
        answer["schemas"],
        json!(["urn:ietf:params:scim:api:messages:2.0:Error"])
    );
    assert_eq!(answer["status"], status.to_string());
    answer["detail"].as_str().expect("a detail").to_owned()
}

async fn user(node: &Started, name: &str) -> String {
    let made = done(node, 201, "POST", "/Users", json!({"userName": name})).await;
    made["id"].as_str().expect("an id").to_owned()
}

fn patch(operations: Value) -> Value {
    json!({"schemas": [PATCH], "Operations": operations})
}
