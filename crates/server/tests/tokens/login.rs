// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who gets in by a token, and what the others are told, in the form of each protocol.

use serde_json::{Value, json};

use crate::world::{PASSWORD, World, answer};

#[tokio::test]
async fn a_token_says_who_calls() {
    let world = World::new().await;
    let token = world.issuer.token("ann", &json!({}));
    for _ in 0..2 {
        let me = world.get(&token, "/api/authn/me", &[]).await.is(200);
        assert_eq!(me.body["principal"], "ann");
    }
    // Passwords still count beside it.
    let admin = world.admin("GET", "/api/authn/me", Value::Null).await.is(200);
    assert_eq!(admin.body["principal"], "admin");
    // Who is nobody in the metalake gets in, and reaches nothing.
    let eve = world.issuer.token("eve", &json!({}));
    world.get(&eve, "/api/authn/me", &[]).await.is(200);
    world.get(&eve, "/api/metalakes/m", &[]).await.is(403);
}

#[tokio::test]
async fn anybody_may_learn_where_tokens_come_from() {
    let world = World::with(&[
        ("gravitino.authenticator.oauth.serverUri", "https://idp"),
        ("gravitino.authenticator.oauth.tokenPath", "/token"),
    ])
    .await;
    let configs = answer(world.request("GET", "/configs")).await.is(200).body;
    assert_eq!(configs["gravitino.authenticators"], json!(["basic", "oauth"]));
    assert_eq!(configs["gravitino.authenticator.oauth.serverUri"], "https://idp");
    assert_eq!(configs["gravitino.authenticator.oauth.tokenPath"], "/token");
    assert_eq!(configs["gravitino.authenticator.oauth.provider"], "default");
    assert!(!configs.to_string().contains("defaultSignKey"));
}

/// A rule that asks for a group believes the token, and fails where the token does not say.
#[tokio::test]
async fn groups_of_a_token_decide_and_unknown_groups_are_an_error() {
    let world = World::new().await;
    world
        .enroll(json!({"name": "trino", "oauthClient": "trino"}))
        .await;
    for group in ["eu", "us"] {
        let body = json!({"name": group});
        world.admin("POST", "/api/metalakes/m/groups", body).await.is(200);
    }
    world
        .restrict("filter := true if is_group_member(\"eu\")\nelse := col(\"owner\") == session_user()")
        .await;
    let load = async |groups: Value| {
        let claims = json!({"azp": "trino", "groups": groups});
        world.load(&world.issuer.token("ann", &claims)).await
    };
    for groups in [json!(["eu"]), json!(["us", "eu", "unknown"])] {
        let free = load(groups).await.is(200);
        assert!(free.body.get("read-restrictions").is_none());
    }
    for groups in [json!([]), json!(["us"]), json!(["EU", "unknown"])] {
        load(groups).await.restricted_to("ann");
    }
    for groups in [Value::Null, json!("eu"), json!({"eu": true}), json!(["eu", 1])] {
        load(groups).await.refused(403, "restriction-context");
    }
    // An account of this server that has her name says nothing of the identity of her token.
    let body = json!({"user": "ann", "password": PASSWORD});
    world.admin("POST", "/api/idp/users", body).await.is(200);
    let body = json!({"group": "eu"});
    world.admin("POST", "/api/idp/groups", body).await.is(200);
    let body = json!({"usersToAdd": ["ann"]});
    world.admin("PUT", "/api/idp/groups/eu/users", body).await.is(200);
    load(Value::Null).await.refused(403, "restriction-context");
    load(json!([])).await.restricted_to("ann");
}
