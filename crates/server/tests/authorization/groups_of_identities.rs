// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Groups that an identity brings along: roles and ownership reach their members, and only while they are members.

use serde_json::json;

use crate::harness::{ADMIN, NONE, Server, StoreEngine, role, speaks_of};
use crate::on_each_store;

async fn server(engine: StoreEngine) -> Server {
    let server = Server::start(engine, "accounts").await;
    for user in ["ann", "ben"] {
        server.account(user).await;
        server
            .call(ADMIN, "POST", "/metalakes/m/users", json!({"name": user}))
            .await
            .is(200);
    }
    server
        .call(ADMIN, "POST", "/idp/groups", json!({"group": "team"}))
        .await
        .is(200);
    server
        .call(ADMIN, "POST", "/idp/groups", json!({"group": "unknown here"}))
        .await
        .is(200);
    for group in ["team", "unknown%20here"] {
        let path = format!("/idp/groups/{group}/users");
        server
            .call(ADMIN, "PUT", &path, json!({"usersToAdd": ["ann"]}))
            .await
            .is(200);
    }
    server
}

on_each_store!(a_role_of_a_group_reaches_its_members_while_they_are_members);

async fn a_role_of_a_group_reaches_its_members_while_they_are_members(engine: StoreEngine) {
    let server = server(engine).await;
    role(
        &server,
        "admins",
        json!([speaks_of("METALAKE", "m", &["MANAGE_USERS"])]),
    )
    .await;
    let may = async |user: &str| {
        server
            .call(user, "GET", "/metalakes/m/users/admin", NONE)
            .await
            .status
            == 200
    };
    let grant = "/metalakes/m/permissions/groups/team/grant";
    server
        .call(ADMIN, "PUT", grant, json!({"roleNames": ["admins"]}))
        .await
        .is(404);
    server
        .call(ADMIN, "POST", "/metalakes/m/groups", json!({"name": "team"}))
        .await
        .is(200);
    assert!(!may("ann").await);
    server
        .call(ADMIN, "PUT", grant, json!({"roleNames": ["admins"]}))
        .await
        .is(200);
    assert!(may("ann").await);
    assert!(!may("ben").await);
    server
        .call("ann", "GET", "/metalakes/m/groups/team", NONE)
        .await
        .is(200);
    server
        .call("ben", "GET", "/metalakes/m/groups/team", NONE)
        .await
        .is(403);
    server
        .call("ann", "GET", "/metalakes/m/groups", NONE)
        .await
        .says(json!({"code": 0, "names": ["team"]}));
    server
        .call("ann", "GET", "/metalakes/m/roles", NONE)
        .await
        .says(json!({"code": 0, "names": ["admins"]}));
    server
        .call_with_roles("ann", "admins", "/metalakes/m/users/admin")
        .await
        .is(200);
    server
        .call_with_roles("ben", "admins", "/metalakes/m/users/admin")
        .await
        .is(403);
    let leave = json!({"usersToRemove": ["ann"]});
    server
        .call(ADMIN, "PUT", "/idp/groups/team/users", leave)
        .await
        .is(200);
    assert!(!may("ann").await);
    server
        .call("ann", "GET", "/metalakes/m/groups/team", NONE)
        .await
        .is(403);
}

on_each_store!(what_a_group_owns_its_members_own);

async fn what_a_group_owns_its_members_own(engine: StoreEngine) {
    let server = server(engine).await;
    server
        .call(ADMIN, "POST", "/metalakes/m/groups", json!({"name": "team"}))
        .await
        .is(200);
    let owner = json!({"name": "team", "type": "GROUP"});
    server
        .call(ADMIN, "PUT", "/metalakes/m/owners/metalake/m", owner)
        .await
        .is(200);
    server
        .call(ADMIN, "POST", "/metalakes/m/users", json!({"name": "x"}))
        .await
        .is(403);
    server
        .call("ben", "POST", "/metalakes/m/users", json!({"name": "x"}))
        .await
        .is(403);
    server
        .call("ann", "POST", "/metalakes/m/users", json!({"name": "x"}))
        .await
        .is(200);
    server
        .call("ann", "DELETE", "/metalakes/m/groups/team", NONE)
        .await
        .is(400);
    let leave = json!({"usersToRemove": ["ann"]});
    server
        .call(ADMIN, "PUT", "/idp/groups/team/users", leave)
        .await
        .is(200);
    server
        .call("ann", "POST", "/metalakes/m/users", json!({"name": "y"}))
        .await
        .is(403);
}

on_each_store!(a_member_of_a_group_of_the_metalake_is_no_user_of_it);

async fn a_member_of_a_group_of_the_metalake_is_no_user_of_it(engine: StoreEngine) {
    let server = server(engine).await;
    server.account("out").await;
    server
        .call(
            ADMIN,
            "PUT",
            "/idp/groups/team/users",
            json!({"usersToAdd": ["out"]}),
        )
        .await
        .is(200);
    server
        .call(ADMIN, "POST", "/metalakes/m/groups", json!({"name": "team"}))
        .await
        .is(200);
    server
        .call("out", "GET", "/metalakes/m/groups/team", NONE)
        .await
        .is(403);
    server.call("out", "GET", "/metalakes/m", NONE).await.is(403);
}
