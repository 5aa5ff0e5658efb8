// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Keys come and go at the issuer, and nobody can make the server ask for them in quick succession.

use std::sync::Mutex;

use futures::FutureExt;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;

/// An issuer that publishes keys, and counts how often it was asked. `Null` is a failure.
struct Issuer {
    url: Url,
    published: Arc<Mutex<(Value, usize)>>,
}

impl Issuer {
    async fn start(keys: Value) -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/keys", socket.local_addr().unwrap());
        let published = Arc::new(Mutex::new((keys, 0)));
        let shared = Arc::clone(&published);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = socket.accept().await {
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let (status, body) = {
                    let mut published = shared.lock().unwrap();
                    published.1 += 1;
                    let status = if published.0.is_null() { "500 No" } else { "200 OK" };
                    (status, published.0.to_string())
                };
                let head = format!(
                    "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
            }
        });
        Self {
            url: url.parse().unwrap(),
            published,
        }
    }

    fn publish(&self, keys: Value) {
        self.published.lock().unwrap().0 = keys;
    }

    fn asked(&self) -> usize {
        self.published.lock().unwrap().1
    }
}

fn key(id: &str) -> Value {
    json!({"kty": "OKP", "crv": "Ed25519", "kid": id, "use": "sig",
        "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})
}

const HOUR: Duration = Duration::from_secs(3600);

/// Keys stay fresh; a missing one is asked for at once.
const EAGER: Pace = Pace {
    fresh: HOUR,
    usable: HOUR,
    pause: Duration::ZERO,
};

async fn has(keys: &KeySet, id: Option<&str>) -> bool {
    match keys.key(id).await {
        Ok(_) => true,
        Err(OperationError::Unauthenticated(_)) => false,
        Err(other) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn keys_are_fetched_once_and_a_new_one_when_a_token_names_it() {
    let issuer = Issuer::start(json!({"keys": [key("a")]})).await;
    let keys = KeySet::with_pace(issuer.url.clone(), EAGER).unwrap();
    assert_eq!(issuer.asked(), 0);
    for _ in 0..3 {
        assert!(has(&keys, Some("a")).await);
        assert!(has(&keys, None).await, "the only one");
    }
    assert_eq!(issuer.asked(), 1);
    issuer.publish(json!({"keys": [key("b"), key("c")]}));
    assert!(has(&keys, Some("b")).await);
    assert_eq!(issuer.asked(), 2);
    assert!(!has(&keys, Some("a")).await, "it was withdrawn");
    assert!(!has(&keys, None).await, "there is a choice");
}

#[tokio::test]
async fn unknown_keys_do_not_make_it_ask_again_and_again() {
    let issuer = Issuer::start(json!({"keys": [key("a")]})).await;
    let keys = KeySet::new(issuer.url.clone()).unwrap();
    for number in 0..50 {
        assert!(!has(&keys, Some(&format!("k{number}"))).await);
    }
    assert!(has(&keys, Some("a")).await);
    assert_eq!(issuer.asked(), 1);
}

#[tokio::test]
async fn many_requests_at_once_ask_once() {
    let issuer = Issuer::start(json!({"keys": [key("a")]})).await;
    let keys = KeySet::with_pace(issuer.url.clone(), EAGER).unwrap();
    let all = futures::future::join_all((0..20).map(|_| has(&keys, Some("a")))).await;
    assert!(all.into_iter().all(|has| has));
    assert_eq!(issuer.asked(), 1);
}

/// Whoever goes away while the keys are fetched uses up no attempt of those who stay.
#[tokio::test]
async fn a_request_that_is_given_up_breaks_no_fetch_off() {
    let issuer = Issuer::start(json!({"keys": [key("a")]})).await;
    let keys = KeySet::new(issuer.url.clone()).unwrap();
    for id in ["unheard-of", "a"] {
        assert!(keys.key(Some(id)).now_or_never().is_none(), "it waits");
    }
    assert!(has(&keys, Some("a")).await);
    assert_eq!(issuer.asked(), 1);
}

#[tokio::test]
async fn an_issuer_that_fails_is_not_the_fault_of_the_token() {
    let issuer = Issuer::start(Value::Null).await;
    let keys = KeySet::with_pace(issuer.url.clone(), EAGER).unwrap();
    let failed = keys.key(Some("a")).await;
    assert!(
        matches!(failed, Err(OperationError::Unavailable { .. })),
        "{failed:?}"
    );
    issuer.publish(json!({"keys": [key("a")]}));
    assert!(has(&keys, Some("a")).await);
    // Keys that are known outlive a failure, for a while.
    issuer.publish(Value::Null);
    assert!(!has(&keys, Some("b")).await);
    assert!(has(&keys, Some("a")).await);
    for useless in [json!({}), json!([]), json!("x")] {
        issuer.publish(useless);
        assert!(!has(&keys, Some("b")).await);
    }
    let stale = Pace {
        usable: Duration::ZERO,
        ..EAGER
    };
    let keys = KeySet::with_pace(issuer.url.clone(), stale).unwrap();
    assert!(keys.key(Some("a")).await.is_err());
}

#[test]
fn keys_for_something_else_are_left_out() {
    let published = Published {
        keys: vec![
            json!({"kty": "oct", "kid": "secret", "k": "AAAA", "alg": "HS256"}),
            json!({"kty": "OKP", "crv": "Ed25519", "kid": "enc", "use": "enc",
                "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}),
            json!({"kty": "EC", "crv": "P-521", "kid": "big", "x": "AA", "y": "AA"}),
            json!({"kty": "RSA", "kid": "oaep", "n": "AQAB", "e": "AQAB", "alg": "RSA-OAEP"}),
            json!({"kty": "RSA", "kid": "hmac", "n": "AQAB", "e": "AQAB", "alg": "HS256"}),
            json!({"kty": "?", "kid": "x"}),
            json!("nonsense"),
            json!({"kty": "RSA", "kid": "rsa", "n": "AQAB", "e": "AQAB", "alg": "RS256"}),
            key("ed"),
        ],
    };
    let keys = readable(published);
    let mut ids: Vec<&String> = keys.by_id.keys().collect();
    ids.sort();
    assert_eq!(ids, ["ed", "rsa"]);
    let algorithms = &keys.of(Some("rsa")).unwrap().algorithms;
    assert_eq!(algorithms, &[jsonwebtoken::Algorithm::RS256]);
}
