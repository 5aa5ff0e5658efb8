// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Guessing passwords gets slow and shuts nobody out; people change their own passwords.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{ADMIN, Answer, PASSWORD, SECURED, Server, answer, stores};

const ANN: &str = "the password of ann";

async fn with_ann(store: &str, pairs: &[(&str, &str)]) -> Server {
    let server = Server::on(store, &[SECURED, pairs].concat()).await;
    server.running.app.operations.clock().advance(Duration::ZERO);
    let ann = json!({"user": "ann", "password": ANN});
    let made = server.admin("POST", "/api/idp/users", Some(ann)).await;
    assert_eq!(made.status, 200, "{:?}", made.body);
    server
}

async fn login(server: &Server, path: &str, user: &str, password: &str) -> Answer {
    answer(server.request("GET", path).basic_auth(user, Some(password))).await
}

async fn me(server: &Server, user: &str, password: &str) -> Answer {
    login(server, "/api/authn/me", user, password).await
}

async fn change(server: &Server, user: &str, password: &str, body: Value) -> Answer {
    let request = server
        .request("PUT", "/api/authn/me/password")
        .basic_auth(user, Some(password));
    answer(request.json(&body)).await
}

/// Whole seconds that a refused login is told to wait.
fn wait(refused: &Answer) -> u64 {
    assert_eq!(
        refused.native(),
        (429, 1002, "TooManyRequestsException"),
        "{:?}",
        refused.body
    );
    let seconds = refused.headers["retry-after"].to_str().unwrap().parse().unwrap();
    let told = format!("too many failed logins; try again in {seconds} s");
    assert_eq!(refused.body["message"], told);
    seconds
}

#[tokio::test]
async fn guesses_are_delayed_and_the_right_password_gets_in_afterwards() {
    for store in stores() {
        let server = with_ann(&store, &[]).await;
        let clock = server.running.app.operations.clock();
        for _ in 0..6 {
            assert_eq!(me(&server, "ann", "a wrong password").await.status, 401);
        }
        assert_eq!(wait(&me(&server, "ann", "a wrong password").await), 1);
        // The right one waits as well: a different answer would tell the guesser.
        assert_eq!(wait(&me(&server, "ann", ANN).await), 1);
        let iceberg = login(&server, "/iceberg/v1/config", "ann", ANN).await;
        assert_eq!(iceberg.iceberg(), (429, "TooManyRequestsException"));
        assert!(iceberg.headers.contains_key("retry-after"));
        // Who has no identity does not learn which paths exist.
        assert_eq!(login(&server, "/api/nope", "ann", ANN).await.status, 429);
        // Others are not concerned, and whose password was right a moment ago is not asked again.
        assert_eq!(me(&server, ADMIN, PASSWORD).await.status, 200);
        clock.advance(Duration::from_secs(1));
        assert_eq!(me(&server, "ann", "a wrong password").await.status, 401);
        assert_eq!(wait(&me(&server, "ann", ANN).await), 2);
        clock.advance(Duration::from_secs(2));
        assert_eq!(me(&server, "ann", ANN).await.body["principal"], "ann");
        // It has begun anew.
        for _ in 0..6 {
            assert_eq!(me(&server, "ann", "a wrong password").await.status, 401);
        }
        assert_eq!(wait(&me(&server, "ann", "a wrong password").await), 1);
        assert_eq!(me(&server, "ann", ANN).await.status, 200, "remembered");
    }
}

#[tokio::test]
async fn an_unknown_name_is_delayed_as_a_known_one() {
    let server = with_ann("memory", &[]).await;
    let mut told = Vec::new();
    for user in ["ann", "nobody"] {
        let mut statuses = Vec::new();
        for _ in 0..8 {
            statuses.push(me(&server, user, "a wrong password").await.status);
        }
        told.push(statuses);
    }
    assert_eq!(told[0], [401, 401, 401, 401, 401, 401, 429, 429]);
    assert_eq!(told[0], told[1]);
}

#[tokio::test]
async fn an_address_that_guesses_names_is_delayed() {
    let keys = [
        ("lakeward.login.addressFailures", "3"),
        ("lakeward.login.maxDelaySecs", "1"),
    ];
    let server = with_ann("memory", &keys).await;
    for user in ["a", "b", "c", "d"] {
        assert_eq!(me(&server, user, "a wrong password").await.status, 401);
    }
    assert_eq!(wait(&me(&server, "e", "a wrong password").await), 1);
    assert_eq!(wait(&me(&server, "ann", ANN).await), 1);
    // The administrator has logged in from here before.
    assert_eq!(me(&server, ADMIN, PASSWORD).await.status, 200);
    server
        .running
        .app
        .operations
        .clock()
        .advance(Duration::from_secs(1));
    assert_eq!(me(&server, "ann", ANN).await.status, 200);
}

#[tokio::test]
async fn many_who_send_the_right_password_at_once_are_let_in() {
    let server = with_ann("memory", &[("lakeward.login.accountFailures", "1")]).await;
    let asked = (0..50).map(|_| me(&server, "ann", ANN));
    for answer in futures::future::join_all(asked).await {
        assert_eq!(answer.status, 200, "{:?}", answer.body);
    }
}

#[tokio::test]
async fn a_storm_of_guesses_locks_nobody_out() {
    let server = with_ann("memory", &[]).await;
    assert_eq!(me(&server, ADMIN, PASSWORD).await.status, 200);
    let storm = (0..300).map(|number| {
        let server = &server;
        async move {
            me(server, "ann", &format!("wrong password {number}"))
                .await
                .status
        }
    });
    let statuses = futures::future::join_all(storm).await;
    assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 6);
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 294);
    assert_eq!(me(&server, ADMIN, PASSWORD).await.status, 200);
    server
        .running
        .app
        .operations
        .clock()
        .advance(Duration::from_secs(60));
    assert_eq!(me(&server, "ann", ANN).await.status, 200);
}

#[tokio::test]
async fn people_change_their_own_password() {
    for store in stores() {
        let server = with_ann(&store, &[]).await;
        // Another node of the same store, where there can be one.
        let other = if store == "memory" {
            None
        } else {
            Some(Server::on(&store, SECURED).await)
        };
        let status = async |password: &str| {
            let here = me(&server, "ann", password).await.status;
            if let Some(other) = &other {
                assert_eq!(me(other, "ann", password).await.status, here);
            }
            here
        };
        assert_eq!(status(ANN).await, 200);
        let body = |old: &str, new: &str| json!({"oldPassword": old, "newPassword": new});
        let refused = change(&server, "ann", ANN, body("not the old one", "another password")).await;
        assert_eq!(refused.native(), (403, 1008, "ForbiddenException"));
        for (body, member) in [
            (body(ANN, "too short"), "newPassword"),
            (body(ANN, &"x".repeat(65)), "newPassword"),
            (json!({"oldPassword": ANN}), "newPassword"),
            (json!({"newPassword": "another password"}), "oldPassword"),
            (body(ANN, ANN), "new password"),
            (
                json!({"oldPassword": ANN, "newPassword": "another password", "user": ADMIN}),
                "user",
            ),
        ] {
            let refused = change(&server, "ann", ANN, body.clone()).await;
            assert_eq!(refused.status, 400, "{body}");
            let message = refused.body["message"].as_str().unwrap();
            assert!(message.contains(member), "{message}");
        }
        assert_eq!(status(ANN).await, 200);
        let changed = change(&server, "ann", ANN, body(ANN, "another password")).await;
        assert_eq!((changed.status, changed.body), (200, json!({"code": 0})));
        assert_eq!((status(ANN).await, status("another password").await), (401, 200));
        // The old one is guessed no faster here than at the door.
        let mut statuses = Vec::new();
        for number in 0..8 {
            let guess = body(&format!("wrong password {number}"), "a third password");
            statuses.push(change(&server, "ann", "another password", guess).await.status);
        }
        assert_eq!(statuses[..5], [403; 5]);
        assert_eq!(statuses[7], 429);
        // An unnamed caller has no password.
        let request = server
            .request("PUT", "/api/authn/me/password")
            .json(&body(ANN, "another password"));
        assert_eq!(answer(request).await.status, 401);
    }
}
