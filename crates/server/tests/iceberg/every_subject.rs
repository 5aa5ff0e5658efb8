// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A restriction asks nobody's privileges on policies and tags: it holds for who has none, who is denied them, who owns
//! everything.

use serde_json::{Value, json};

use crate::harness::{ADMIN, CAPABLE, NONE, Server};

const TABLE: &str = "/ice/namespaces/n1/tables/t";
const READ: &[&str] = &["USE_CATALOG", "USE_SCHEMA", "SELECT_TABLE"];

/// The table `t`, restricted for everybody by a filter on the user.
async fn server() -> Server {
    let server = Server::start().await;
    server.namespace("n1").await;
    server.table("n1", "t").await;
    let own = "filter := col(\"name\") == session_user()";
    server.add_filter("own_rows", "access", own).await;
    server.tag("table", "ice.n1.t", "access").await;
    server
}

/// A role with one condition for privileges on the metalake.
async fn give(server: &Server, user: &str, role: &str, condition: &str, privileges: &[&str]) {
    let privileges: Vec<Value> = privileges
        .iter()
        .map(|name| json!({"name": name, "condition": condition}))
        .collect();
    let body = json!({"name": role, "securableObjects": [
        {"type": "METALAKE", "fullName": "m", "privileges": privileges}]});
    server
        .native(ADMIN, "POST", "/metalakes/m/roles", body)
        .await
        .is(200);
    let path = format!("/metalakes/m/permissions/users/{user}/grant");
    let body = json!({"roleNames": [role]});
    server.native(ADMIN, "PUT", &path, body).await.is(200);
}

#[tokio::test]
async fn privileges_on_policies_and_tags_change_nothing_of_what_is_seen() {
    let server = server().await;
    for user in ["nothing", "denied", "allowed"] {
        server.add_user(user).await;
        server
            .grant(user, &format!("reads-{user}"), &[("METALAKE", "m", READ)])
            .await;
    }
    let governance = &["APPLY_POLICY", "APPLY_TAG", "CREATE_POLICY", "CREATE_TAG"];
    give(&server, "denied", "no-governance", "DENY", governance).await;
    give(&server, "allowed", "governance", "ALLOW", governance).await;
    // Who may not see the policy and the tag is told neither.
    for (user, status) in [("nothing", 403), ("denied", 403), ("allowed", 200)] {
        for path in ["/metalakes/m/policies/own_rows", "/metalakes/m/tags/access"] {
            server.native(user, "GET", path, NONE).await.is(status);
        }
    }
    let reader = server.enroll("gateway").await;
    for user in ["nothing", "denied", "allowed", ADMIN] {
        server
            .ask_as(user, "GET", TABLE, NONE)
            .await
            .fails(406, "ReadRestrictionException");
        let spoofed = server.ask_with(user, "GET", TABLE, NONE, &[CAPABLE]).await;
        let spoofed = spoofed.fails(403, "ReadRestrictionException");
        assert!(!spoofed.body.to_string().contains("own_rows"), "{}", spoofed.body);
        let loaded = reader.ask(user, "GET", TABLE, NONE).await.is(200);
        assert_eq!(
            loaded.body["read-restrictions"],
            json!({"required-row-filter": {
                "type": "eq",
                "left": {"type": "reference", "id": 2},
                "right": {"type": "literal", "value": user, "data-type": "string"}
            }}),
            "{user}"
        );
    }
}
