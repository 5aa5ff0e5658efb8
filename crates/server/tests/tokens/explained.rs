// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Where an explanation has the groups of its subject from; nothing is guessed.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::world::{CAPABLE, PASSWORD, World, answer};

const EXPLAIN: &str = "/api/metalakes/m/objects/table/ice.n1.t/read-restrictions/explain";

/// How long the test asks for what is written behind a request.
const PATIENCE: Duration = Duration::from_secs(120);

async fn world() -> World {
    let world = World::new().await;
    for group in ["eu", "us"] {
        let body = json!({"name": group});
        world.admin("POST", "/api/metalakes/m/groups", body).await.is(200);
    }
    world
        .restrict("filter := true if is_group_member(\"eu\")\nelse := col(\"owner\") == session_user()")
        .await;
    world
}

async fn explained(world: &World, question: Value) -> Value {
    world.admin("POST", EXPLAIN, question).await.is(200).body["explanation"].clone()
}

#[tokio::test]
async fn groups_of_others_are_stated_stored_or_last_seen_else_unknown() {
    let world = world().await;
    // Nobody knows anything: the rule asks, and the answer is an error, not "no".
    let unknown = explained(&world, json!({"user": "ann"})).await;
    let subject = |groups: Value, from: &str| (groups, json!(from));
    let of = |told: &Value| {
        (
            told["subject"]["groups"].clone(),
            told["subject"]["groups-from"].clone(),
        )
    };
    assert_eq!(of(&unknown), subject(Value::Null, "unknown"));
    assert_eq!(unknown["subject"]["groups-seen-at"], Value::Null);
    assert_eq!(unknown["error"]["code"], "restriction-context");

    // A token that she used counts from then on, without groups that the metalake does not know.
    let token = world
        .issuer
        .token("ann", &json!({"groups": ["eu", "unheard-of"]}));
    world.get(&token, "/api/authn/me", &[]).await.is(200);
    // What was seen is written behind the request.
    let started = Instant::now();
    let mut seen = Value::Null;
    while started.elapsed() < PATIENCE {
        world.running.app.operations.keep_notices().await.expect("kept");
        seen = explained(&world, json!({"user": "ann"})).await;
        if seen["subject"]["groups-from"] == "last-seen" {
            break;
        }
    }
    assert_eq!(of(&seen), subject(json!(["eu"]), "last-seen"));
    let at = seen["subject"]["groups-seen-at"].as_str().expect("a time");
    assert!(chrono::DateTime::parse_from_rfc3339(at).is_ok(), "{at}");
    assert_eq!(seen["restricted"], false);

    // What is stated comes before it, what the server stores too.
    let stated = explained(&world, json!({"user": "ann", "groups": ["us"]})).await;
    assert_eq!(of(&stated), subject(json!(["us"]), "stated"));
    assert_eq!(stated["restricted"], true);
    let account = json!({"user": "ann", "password": PASSWORD});
    world.admin("POST", "/api/idp/users", account).await.is(200);
    let stored = explained(&world, json!({"user": "ann"})).await;
    assert_eq!(of(&stored), subject(json!([]), "stored"));
    assert_eq!(stored["restricted"], true);
}

#[tokio::test]
async fn of_oneself_the_token_counts_and_nothing_seen_before() {
    let world = world().await;
    world
        .enroll(json!({"name": "trino", "oauthClient": "trino"}))
        .await;
    for (groups, from, status) in [
        (json!(["eu"]), "token", 200),
        (json!(["us"]), "token", 200),
        // A token without the claim: what an earlier one said is no help, neither for the load.
        (Value::Null, "unknown", 403),
    ] {
        let token = world
            .issuer
            .token("ann", &json!({"azp": "trino", "groups": groups}));
        let request = world
            .request("POST", EXPLAIN)
            .bearer_auth(&token)
            .json(&json!({"reader": "trino", "capabilities": CAPABLE.1}));
        let told = answer(request).await.is(200).body["explanation"].clone();
        assert_eq!(told["subject"]["groups-from"], from, "{told}");
        // She comes through this reader, so she may know that it is trusted.
        assert_eq!(told["admission"]["status"], status, "{told}");
        let loaded = world.load(&token).await.is(status);
        let served = loaded.body.get("read-restrictions").unwrap_or(&Value::Null);
        assert_eq!(told.get("read-restrictions").unwrap_or(&Value::Null), served);
        world.running.app.operations.keep_notices().await.expect("kept");
    }
}
