// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who may call, and as whom.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use lakeward_gateway::settings::Settings;
use lakeward_gateway::start::start;

use crate::scene::{CLEO, Scene, ask, basic, connect, connect_with, region};

const SQL: &str = "SELECT id FROM lake.s.people ORDER BY id";

#[tokio::test]
async fn each_call_is_made_as_the_user_whose_credentials_it_carries() {
    let scene = Scene::new().await;
    scene.catalog.restricts("ann", "people", region("north"));
    scene.catalog.restricts("bob", "people", region("south"));
    scene.catalog.restricts("cleo", "people", region("west"));
    let gateway = scene.gateway().await;
    let headers = [
        (basic("ann"), vec!["1", "3"]),
        (basic("bob"), vec!["2"]),
        (format!("Bearer {CLEO}"), vec!["4"]),
        (format!("bearer {CLEO}"), vec!["4"]),
        (
            format!("BASIC {}", STANDARD_NO_PAD.encode("bob:bob-secret")),
            vec!["2"],
        ),
        (basic("ann"), vec!["1", "3"]),
    ];
    for (header, expected) in headers {
        let mut client = connect_with(&gateway, &header).await;
        assert_eq!(ask(&mut client, SQL).await.unwrap(), expected, "{header}");
    }
    // The same connection, another user.
    let mut client = connect_with(&gateway, &basic("ann")).await;
    assert_eq!(ask(&mut client, SQL).await.unwrap(), ["1", "3"]);
    client.set_header("authorization", basic("bob"));
    assert_eq!(ask(&mut client, SQL).await.unwrap(), ["2"]);
}

#[tokio::test]
async fn a_login_gives_a_session_that_the_server_judges_with_every_call() {
    let scene = Scene::new().await;
    scene.catalog.restricts("ann", "people", region("north"));
    let gateway = scene.gateway().await;
    let mut client = connect(&gateway).await;
    let payload = client.handshake("ann", "ann-secret").await.unwrap();
    let token = client.token().unwrap().clone();
    assert_eq!(payload, token.as_bytes());
    assert!(!token.contains("ann"));
    assert_eq!(ask(&mut client, SQL).await.unwrap(), ["1", "3"]);
    // A password that was changed ends the session.
    scene.catalog.forgets(&basic("ann"));
    let refusal = ask(&mut client, SQL).await.unwrap_err();
    assert!(refusal.contains("does not know who you are"), "{refusal}");
    let refusal = connect(&gateway)
        .await
        .handshake("ann", "ann-secret")
        .await
        .unwrap_err()
        .to_string();
    assert!(
        refusal.contains("who are you?") && refusal.contains("request-1"),
        "{refusal}"
    );
}

#[tokio::test]
async fn a_session_is_known_where_its_key_is_and_until_it_ends() {
    let scene = Scene::new().await;
    let key = scene.folder.path().join("session.key");
    std::fs::write(&key, [5; 32]).unwrap();
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    let shared = || Settings {
        session_key: Some(key.clone()),
        ..scene.settings()
    };
    let one = start(shared()).await.unwrap();
    let two = start(shared()).await.unwrap();
    let other = scene.gateway().await;
    let short = start(Settings {
        session_lifetime: Duration::ZERO,
        ..shared()
    })
    .await
    .unwrap();
    let mut client = connect(&one).await;
    client.handshake("bob", "bob-secret").await.unwrap();
    let session = format!("Bearer {}", client.token().unwrap());
    let mut client = connect_with(&two, &session).await;
    assert_eq!(ask(&mut client, SQL).await.unwrap().len(), 4);
    scene.catalog.asked();
    let mut client = connect_with(&other, &session).await;
    let refusal = ask(&mut client, SQL).await.unwrap_err();
    assert!(refusal.contains("does not know the session"), "{refusal}");
    let mut client = connect(&short).await;
    client.handshake("bob", "bob-secret").await.unwrap();
    scene.catalog.asked();
    let refusal = ask(&mut client, SQL).await.unwrap_err();
    assert!(refusal.contains("the session is over"), "{refusal}");
    assert_eq!(
        scene.catalog.asked(),
        Vec::<String>::new(),
        "a token of ours is never sent on"
    );
}

#[tokio::test]
async fn whoever_proves_nothing_gets_nothing() {
    let scene = Scene::new().await;
    let gateway = scene.gateway().await;
    let mut nobody = connect(&gateway).await;
    let refusal = ask(&mut nobody, "SELECT 1").await.unwrap_err();
    assert!(
        refusal.contains("Unauthenticated") || refusal.contains("authenticat"),
        "{refusal}"
    );
    assert!(refusal.contains("give user and password"), "{refusal}");
    for header in [
        "",
        "Basic",
        "Basic !!!",
        "Bearer",
        "Bearer ",
        "Negotiate abc",
        "Basic /w==",
        &basic("eve"),
        "Bearer x",
    ] {
        let mut client = connect_with(&gateway, header).await;
        for sql in ["SELECT 1", SQL] {
            let refusal = ask(&mut client, sql).await.unwrap_err();
            assert!(!refusal.contains("people"), "{header}: {refusal}");
        }
    }
    let mut locked = connect_with(&gateway, &basic("locked")).await;
    let refusal = ask(&mut locked, "SELECT 1").await.unwrap_err();
    assert!(refusal.contains("you may not come in"), "{refusal}");
    // The server says whether it needs to know.
    scene.catalog.takes_anybody();
    assert_eq!(ask(&mut nobody, SQL).await.unwrap().len(), 4);
}
