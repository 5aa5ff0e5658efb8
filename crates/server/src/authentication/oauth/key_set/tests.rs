// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Keys come and go at the issuer, and nobody can make the server ask for them in quick succession.

use std::sync::Mutex;

use futures::FutureExt;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use url::Url;

use super::*;

/// An issuer that publishes keys at `/keys` and describes itself, and counts how often it was asked for keys. `Null` is a
/// failure.
struct Issuer {
    base: String,
    published: Arc<Mutex<Publishing>>,
}

struct Publishing {
    keys: Value,
    metadata: Value,
    asked: usize,
    /// Answers wait until nobody holds it.
    gate: Arc<tokio::sync::Mutex<()>>,
}

impl Issuer {
    async fn start(keys: Value) -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", socket.local_addr().unwrap());
        let metadata = json!({"issuer": base, "jwks_uri": format!("{base}/keys")});
        let published = Arc::new(Mutex::new(Publishing {
            keys,
            metadata,
            asked: 0,
            gate: Arc::default(),
        }));
        let shared = Arc::clone(&published);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = socket.accept().await {
                let mut request = [0; 4096];
                let read = stream.read(&mut request).await.unwrap_or(0);
                let asks_for_keys = request[..read].starts_with(b"GET /keys ");
                let (answer, gate) = {
                    let mut published = shared.lock().unwrap();
                    let answer = if asks_for_keys {
                        published.asked += 1;
                        published.keys.clone()
                    } else if request[..read].starts_with(b"GET /.well-known/openid-configuration ") {
                        published.metadata.clone()
                    } else {
                        Value::Null
                    };
                    (answer, Arc::clone(&published.gate))
                };
                let status = if answer.is_null() { "500 No" } else { "200 OK" };
                let body = answer.to_string();
                let head = format!(
                    "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                    body.len()
                );
                drop(gate.lock().await);
                let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
            }
        });
        Self { base, published }
    }

    /// Its keys, at an address that is known.
    fn keys(&self) -> PublishedAt {
        PublishedAt::Keys(format!("{}/keys", self.base).parse().unwrap())
    }

    /// Its keys, where it says.
    fn provider(&self) -> PublishedAt {
        let metadata = format!("{}/.well-known/openid-configuration", self.base);
        PublishedAt::Provider {
            issuer: self.base.clone(),
            metadata: Url::parse(&metadata).unwrap(),
        }
    }

    fn publish(&self, keys: Value) {
        self.published.lock().unwrap().keys = keys;
    }

    fn describe(&self, issuer: &str, jwks_uri: &str) {
        self.published.lock().unwrap().metadata = json!({"issuer": issuer, "jwks_uri": jwks_uri});
    }

    fn asked(&self) -> usize {
        self.published.lock().unwrap().asked
    }

    /// Keeps answers back until what is returned is dropped.
    async fn hold(&self) -> tokio::sync::OwnedMutexGuard<()> {
        let gate = Arc::clone(&self.published.lock().unwrap().gate);
        gate.lock_owned().await
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
    let keys = KeySet::with_pace(issuer.keys(), EAGER).unwrap();
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

/// Those who come together wait for one attempt, and nobody is refused for a key that is there.
#[tokio::test]
async fn unknown_keys_do_not_make_it_ask_again_and_again() {
    let issuer = Issuer::start(json!({"keys": [key("a")]})).await;
    let keys = KeySet::new(issuer.keys()).unwrap();
    assert!(has(&keys, Some("a")).await);
    let unknown: Vec<String> = (0..50).map(|number| format!("k{number}")).collect();
    let waiting = futures::future::join_all(unknown.iter().map(|id| has(&keys, Some(id))));
    issuer.publish(json!({"keys": [key("a"), key("b")]}));
    let (unknown, new, old) = tokio::join!(waiting, has(&keys, Some("b")), has(&keys, Some("a")));
    assert!(unknown.into_iter().all(|has| !has) && new && old);
    assert_eq!(issuer.asked(), 2);
}

#[tokio::test]
async fn many_requests_at_once_ask_once() {
    let issuer = Issuer::start(json!({"keys": [key("a")]})).await;
    let keys = KeySet::with_pace(issuer.keys(), EAGER).unwrap();
    let all = futures::future::join_all((0..20).map(|_| has(&keys, Some("a")))).await;
    assert!(all.into_iter().all(|has| has));
    assert_eq!(issuer.asked(), 1);
}

/// Whoever goes away while the keys are fetched uses up no attempt of those who stay.
#[tokio::test]
async fn a_request_that_is_given_up_breaks_no_fetch_off() {
    let issuer = Issuer::start(json!({"keys": [key("a")]})).await;
    let keys = KeySet::new(issuer.keys()).unwrap();
    for id in ["unheard-of", "a"] {
        assert!(keys.key(Some(id)).now_or_never().is_none(), "it waits");
    }
    assert!(has(&keys, Some("a")).await);
    assert_eq!(issuer.asked(), 1);
}

#[tokio::test]
async fn an_issuer_that_fails_is_not_the_fault_of_the_token() {
    let issuer = Issuer::start(Value::Null).await;
    let keys = KeySet::with_pace(issuer.keys(), EAGER).unwrap();
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
    let keys = KeySet::with_pace(issuer.keys(), stale).unwrap();
    assert!(keys.key(Some("a")).await.is_err());
}

/// While the issuer does not answer, nobody waits for it who names a key that is known.
#[tokio::test]
async fn keys_that_are_known_are_not_waited_for() {
    let issuer = Issuer::start(json!({"keys": [key("a")]})).await;
    let always_old = Pace {
        fresh: Duration::ZERO,
        ..EAGER
    };
    let keys = KeySet::with_pace(issuer.keys(), always_old).unwrap();
    assert!(has(&keys, Some("a")).await);
    issuer.publish(Value::Null);
    assert!(has(&keys, Some("a")).await, "after an attempt in vain");
    let held = issuer.hold().await;
    assert!(keys.key(Some("a")).now_or_never().is_some_and(|key| key.is_ok()));
    drop(held);
    // As soon as it answers again, its answer counts.
    issuer.publish(json!({"keys": [key("b")]}));
    while has(&keys, Some("a")).await {
        tokio::task::yield_now().await;
    }
    assert!(has(&keys, Some("b")).await);
}

#[tokio::test]
async fn a_provider_says_where_its_keys_are() {
    let issuer = Issuer::start(json!({"keys": [key("a")]})).await;
    let keys = KeySet::with_pace(issuer.provider(), EAGER).unwrap();
    assert!(has(&keys, Some("a")).await);
    let at = format!("{}/keys", issuer.base);
    for (name, keys_at, part) in [
        (
            "https://other.example",
            at.as_str(),
            "calls itself `https://other.example`",
        ),
        (&format!("{}/", issuer.base), &at, "calls itself"),
        (&issuer.base, "http://other.example/keys", "`jwks_uri`"),
        (&issuer.base, "file:///keys", "`jwks_uri`"),
        (&issuer.base, "/keys", "`jwks_uri`"),
    ] {
        issuer.describe(name, keys_at);
        let keys = KeySet::with_pace(issuer.provider(), EAGER).unwrap();
        match keys.key(Some("a")).await {
            Err(OperationError::Unavailable { message, detail }) => {
                assert!(
                    detail.contains(part) && detail.contains("oauth.authority"),
                    "{detail}"
                );
                assert!(
                    !message.contains("http"),
                    "callers are told nothing of it: {message}"
                );
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(issuer.asked(), 1);
}

#[tokio::test]
async fn an_answer_without_end_is_not_read_to_its_end() {
    let issuer = Issuer::start(json!({"keys": [key("a")], "padding": "x".repeat(2 * 1024 * 1024)})).await;
    let keys = KeySet::with_pace(issuer.keys(), EAGER).unwrap();
    match keys.key(Some("a")).await {
        Err(OperationError::Unavailable { detail, .. }) => assert!(detail.contains("more than"), "{detail}"),
        other => panic!("{other:?}"),
    }
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
