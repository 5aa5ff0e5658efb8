// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Keys change at the issuer while users are at work: nobody with a good token is refused, and nobody else gets in.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::issuer::{Issuer, now};
use crate::world::{TABLE, World};

/// How many clients are at work, and how many good answers each must get between two events.
const CLIENTS: usize = 4;
const ANSWERS: usize = 10;

/// Publishes keys; `None` is a failure.
struct Publisher {
    url: String,
    keys: Arc<Mutex<Option<Value>>>,
}

impl Publisher {
    async fn start() -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
        let url = format!("http://{}/keys", socket.local_addr().expect("an address"));
        let keys = Arc::new(Mutex::new(None));
        let published: Arc<Mutex<Option<Value>>> = Arc::clone(&keys);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = socket.accept().await {
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let keys = published.lock().expect("no panic").clone();
                let (status, body) = match keys {
                    Some(keys) => ("200 OK", keys.to_string()),
                    None => ("500 No", String::new()),
                };
                let length = body.len();
                let head =
                    format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
                let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
            }
        });
        Self { url, keys }
    }

    fn publish(&self, keys: &[&Key]) {
        let keys: Vec<Value> = keys.iter().map(|key| key.public()).collect();
        *self.keys.lock().expect("no panic") = Some(json!({ "keys": keys }));
    }

    fn fail(&self) {
        *self.keys.lock().expect("no panic") = None;
    }
}

/// A key of the issuer with its id.
struct Key {
    id: String,
    issuer: Issuer,
}

impl Key {
    fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            issuer: Issuer::p256(),
        }
    }

    /// A token that nobody has seen before.
    fn token(&self, number: usize) -> String {
        let header = json!({"alg": "ES256", "typ": "JWT", "kid": self.id});
        let claims = json!({"sub": "ann", "aud": "GravitinoServer", "exp": now() + 600, "jti": number});
        self.issuer.sign(&header, &claims)
    }

    fn public(&self) -> Value {
        // It ends with both coordinates of the point.
        let key = STANDARD.decode(self.issuer.keys().1).expect("base64");
        let (x, y) = key[key.len() - 64..].split_at(32);
        let [x, y] = [x, y].map(|part| URL_SAFE_NO_PAD.encode(part));
        json!({"kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": self.id, "x": x, "y": y})
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_rotate_and_the_issuer_fails_under_load_without_a_refusal() {
    let publisher = Publisher::start().await;
    let first = Arc::new(Key::new("first"));
    let mut current = Arc::clone(&first);
    publisher.publish(&[&current]);
    let world = Arc::new(World::with(&[("gravitino.authenticator.oauth.jwksUri", &publisher.url)]).await);
    let signer = Arc::new(Mutex::new(Arc::clone(&current)));
    let answered: Arc<[AtomicUsize; CLIENTS]> = Arc::default();
    let refused: Arc<Mutex<Vec<Value>>> = Arc::default();
    let stop = Arc::new(AtomicBool::new(false));
    let mut clients = tokio::task::JoinSet::new();
    for client in 0..CLIENTS {
        let (world, signer, answered) = (Arc::clone(&world), Arc::clone(&signer), Arc::clone(&answered));
        let (refused, stop) = (Arc::clone(&refused), Arc::clone(&stop));
        clients.spawn(async move {
            let mut number = client;
            while !stop.load(Ordering::Relaxed) {
                number += CLIENTS;
                let token = signer.lock().expect("no panic").token(number);
                let answer = world.get(&token, "/api/authn/me", &[]).await;
                if answer.status == 200 {
                    answered[client].fetch_add(1, Ordering::Relaxed);
                } else {
                    refused.lock().expect("no panic").push(answer.body);
                }
            }
        });
    }
    // Somebody tries keys that nobody has published, all the while.
    let (attacked, ends) = (Arc::clone(&world), Arc::clone(&stop));
    let attack = tokio::spawn(async move {
        let mut tried = 0;
        while !ends.load(Ordering::Relaxed) {
            let forged = Key::new(&format!("unknown{tried}")).token(tried);
            let answer = attacked.get(&forged, TABLE, &[]).await;
            assert_eq!(answer.status, 401, "{}", answer.body);
            tried += 1;
        }
        tried
    });
    let progress = async || {
        let before: Vec<usize> = answered
            .iter()
            .map(|count| count.load(Ordering::Relaxed))
            .collect();
        let moved = |client: usize| answered[client].load(Ordering::Relaxed) >= before[client] + ANSWERS;
        while !(0..CLIENTS).all(moved) {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    progress().await;
    // Signed with from the moment that it is published, as issuers do who rotate in a hurry.
    for round in 0..2 {
        let next = Arc::new(Key::new(&format!("next{round}")));
        publisher.publish(&[&current, &next]);
        *signer.lock().expect("no panic") = Arc::clone(&next);
        progress().await;
        current = next;
    }
    publisher.fail();
    progress().await;
    stop.store(true, Ordering::Relaxed);
    while let Some(ended) = clients.join_next().await {
        ended.expect("a client");
    }
    assert!(attack.await.expect("every forged token was refused") > 0);
    assert_eq!(*refused.lock().expect("no panic"), Vec::<Value>::new());
    // A key that was published before, and is no more, is no key.
    publisher.publish(&[&current]);
    world.get(&first.token(1), "/api/authn/me", &[]).await.is(401);
}
