// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who gets in by a token, and what the others are told, in the form of each protocol.

use serde_json::{Value, json};

use crate::issuer::{Issuer, now};
use crate::world::{PASSWORD, TABLE, World, answer};

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
async fn bad_tokens_are_told_apart_and_always_401() {
    let world = World::new().await;
    let sign = |claims: Value| world.issuer.token("ann", &claims);
    let good = sign(json!({}));
    let invalid = "Bearer realm=\"lakeward\", error=\"invalid_token\"";
    for (token, part, kind) in [
        (
            sign(json!({"exp": now() - 5})),
            "expired",
            "TokenExpiredException",
        ),
        (
            sign(json!({"nbf": now() + 99})),
            "not valid yet",
            "UnauthorizedException",
        ),
        (sign(json!({"aud": "other"})), "`aud`", "UnauthorizedException"),
        (sign(json!({"aud": null})), "`aud`", "UnauthorizedException"),
        (sign(json!({"sub": ""})), "`sub`", "UnauthorizedException"),
        (
            Issuer::p256().token("ann", &json!({})),
            "not signed",
            "UnauthorizedException",
        ),
        (
            Issuer::rsa().token("ann", &json!({})),
            "algorithm",
            "UnauthorizedException",
        ),
        (
            Issuer::Secret(vec![1; 32]).token("ann", &json!({})),
            "algorithm",
            "UnauthorizedException",
        ),
        (good[..good.len() - 9].to_owned(), "", "UnauthorizedException"),
        (
            good[..60].to_owned(),
            "no JSON Web Token",
            "UnauthorizedException",
        ),
        ("x".repeat(40_000), "longer than", "UnauthorizedException"),
    ] {
        let native = world.get(&token, "/api/metalakes", &[]).await.is(401);
        assert_eq!(
            (native.body["code"].as_i64(), native.body["type"].as_str()),
            (Some(1011), Some(kind)),
            "{}",
            native.body
        );
        let message = native.body["message"].as_str().expect("a message");
        assert!(message.contains(part), "{message}");
        assert_eq!(native.header("www-authenticate"), invalid);
        let iceberg = world.get(&token, TABLE, &[]).await.is(401);
        assert_eq!(iceberg.body["error"]["type"], "NotAuthorizedException");
        assert_eq!(iceberg.header("www-authenticate"), invalid);
        // A path that does not exist is no way to learn more.
        world.get(&token, "/iceberg/v1/nothing/here", &[]).await.is(401);
    }
    for request in [
        world.request("GET", "/api/metalakes"),
        world
            .request("GET", "/api/metalakes")
            .basic_auth("ann", Some("wrong password")),
    ] {
        let refused = answer(request).await.is(401);
        assert_eq!(refused.header("www-authenticate"), "Bearer realm=\"lakeward\"");
    }
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
