// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What is remembered beside requests: the last load through a reader, and the groups of a user's last token.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::world::{TABLE, World};

/// Notices are written behind the request that made them, so a test asks until they are there, but no longer than this.
const PATIENCE: Duration = Duration::from_secs(120);

async fn last_load(world: &World, name: &str) -> Value {
    let listed = world.admin("GET", "/api/readers", Value::Null).await.is(200);
    let readers = listed.body["readers"].as_array().cloned().unwrap_or_default();
    let reader = readers.into_iter().find(|reader| reader["name"] == name);
    reader.expect("a reader")["lastLoad"].clone()
}

#[tokio::test]
async fn the_last_load_through_a_reader_is_shown() {
    let world = World::new().await;
    world
        .enroll(json!({"name": "trino", "oauthClient": "trino"}))
        .await;
    world.enroll(json!({"name": "idle", "oauthClient": "idle"})).await;
    let token = world.issuer.token("ann", &json!({"azp": "trino"}));
    // What is not restricted, or refused, is no load of restricted metadata.
    let free = TABLE.replace("tables/t", "tables/free");
    world.get(&token, &free, &[]).await.is(200);
    world.get(&token, TABLE, &[]).await.is(406);
    world.running.app.operations.keep_notices().await.expect("kept");
    assert_eq!(last_load(&world, "trino").await, Value::Null);
    let counted = world
        .running
        .app
        .operations
        .store()
        .server_revision()
        .await
        .expect("a revision");
    world.load(&token).await.restricted_to("ann");
    let mut shown = Value::Null;
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        shown = last_load(&world, "trino").await;
        if !shown.is_null() {
            break;
        }
    }
    let time = shown.as_str().expect("a time");
    assert!(chrono::DateTime::parse_from_rfc3339(time).is_ok(), "{time}");
    assert_eq!(last_load(&world, "idle").await, Value::Null);
    let now = world
        .running
        .app
        .operations
        .store()
        .server_revision()
        .await
        .expect("a revision");
    assert_eq!(now, counted, "no cache forgets anything by it");
}

#[tokio::test]
async fn the_groups_of_the_last_token_are_remembered() {
    let world = World::new().await;
    let store = world.running.app.operations.store().clone();
    let seen = async |user: &str| {
        let mut snapshot = store.snapshot().await.expect("a snapshot");
        snapshot.seen_groups(user).await.expect("what was seen")
    };
    for groups in [json!(["hr", "it"]), json!(["hr"]), json!([])] {
        let token = world.issuer.token("ann", &json!({ "groups": groups }));
        world.get(&token, "/api/authn/me", &[]).await.is(200);
        let mut found = Value::Null;
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            world.running.app.operations.keep_notices().await.expect("kept");
            found = seen("ann").await.map_or(Value::Null, |seen| json!(seen.groups));
            if found == groups {
                break;
            }
        }
        assert_eq!(found, groups);
    }
    // A token that does not say leaves what was seen; a password says nothing of tokens.
    let token = world.issuer.token("ann", &json!({"groups": "hr"}));
    world.get(&token, "/api/authn/me", &[]).await.is(200);
    world.admin("GET", "/api/authn/me", Value::Null).await.is(200);
    world.running.app.operations.keep_notices().await.expect("kept");
    assert_eq!(seen("ann").await.map(|seen| seen.groups.len()), Some(0));
    assert_eq!(seen("admin").await, None);
}
