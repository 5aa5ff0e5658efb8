// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Good tokens of every kind of key, and every way in which a token can be bad.

use lakeward_metadata::principal::GroupClaim;
use serde_json::json;

use super::*;
use crate::config::{Properties, Settings};

#[path = "../../../tests/tokens/issuer.rs"]
mod issuer;

use issuer::{Issuer, RSA_PUBLIC, now};

const ISSUER: &str = "https://idp.example/realms/lake";

/// Judges tokens of an issuer, with more settings.
fn oauth(issuer: &Issuer, more: &[(&str, &str)]) -> Oauth {
    let (algorithm, key) = issuer.keys();
    let mut pairs = vec![
        ("gravitino.authenticators".to_owned(), "oauth"),
        (
            "gravitino.authenticator.oauth.signAlgorithmType".to_owned(),
            algorithm,
        ),
        (
            "gravitino.authenticator.oauth.defaultSignKey".to_owned(),
            key.as_str(),
        ),
    ];
    let name = |name: &str| format!("gravitino.authenticator.oauth.{name}");
    pairs.extend(more.iter().map(|(key, value)| (name(key), *value)));
    let pairs = pairs.iter().map(|(key, value)| (key.as_str(), *value));
    let settings = Settings::from_properties(Properties::from_pairs(pairs).unwrap()).unwrap();
    Oauth::new(&settings.oauth.unwrap()).unwrap()
}

async fn judge(oauth: &Oauth, token: &str) -> Result<Identity, OperationError> {
    let credentials = format!("Bearer {token}");
    assert!(oauth.claims(Some(&credentials)));
    oauth.authenticate(Some(&credentials), None).await
}

/// The token must be refused, with this in the message.
#[track_caller]
fn refused(judged: &Result<Identity, OperationError>, part: &str) {
    let message = match judged {
        Err(OperationError::Unauthenticated(message) | OperationError::TokenExpired(message)) => message,
        other => panic!("`{part}` expected: {other:?}"),
    };
    assert!(message.contains(part), "{message}");
}

#[tokio::test]
async fn good_tokens_of_every_kind_of_key() {
    for issuer in [Issuer::rsa(), Issuer::p256(), Issuer::Secret(vec![7; 32])] {
        let oauth = oauth(&issuer, &[]);
        let token = issuer.token("ann", &json!({"groups": ["hr"], "azp": "trino"}));
        for _ in 0..2 {
            let ann = judge(&oauth, &token).await.unwrap();
            assert_eq!(ann.subject.user, "ann");
            assert_eq!(ann.subject.groups, GroupClaim::Known(["hr".to_owned()].into()));
            assert_eq!(ann.token.unwrap().client.as_deref(), Some("trino"));
        }
        refused(&judge(&oauth, &Issuer::p256().token("ann", &json!({}))).await, "");
    }
}

#[tokio::test]
async fn what_a_token_must_say() {
    let issuer = Issuer::rsa();
    let oauth = oauth(&issuer, &[("authority", ISSUER)]);
    let good = |claims: serde_json::Value| {
        let mut all = json!({"iss": ISSUER});
        all.as_object_mut()
            .unwrap()
            .extend(claims.as_object().unwrap().clone());
        issuer.token("ann", &all)
    };
    assert!(judge(&oauth, &good(json!({}))).await.is_ok());
    assert!(
        judge(&oauth, &good(json!({"aud": ["x", "GravitinoServer"]})))
            .await
            .is_ok()
    );
    assert!(judge(&oauth, &good(json!({"nbf": now() - 5}))).await.is_ok());
    assert!(judge(&oauth, &good(json!({"iat": now() + 10}))).await.is_ok());
    let fraction = now() as f64 + 60.5;
    assert!(judge(&oauth, &good(json!({"exp": fraction}))).await.is_ok());
    for (claims, part) in [
        (json!({"exp": now() - 1}), "expired"),
        (json!({"exp": null}), "`exp`"),
        (json!({"exp": "tomorrow"}), "`exp`"),
        (json!({"exp": -1}), "`exp`"),
        (json!({"nbf": now() + 100}), "not valid yet"),
        (json!({"nbf": (now() + 100).to_string()}), "`nbf`"),
        (json!({"iat": now() + 300}), "not valid yet"),
        (json!({"iat": "now"}), "`iat`"),
        (json!({"aud": "other"}), "`aud` must hold `GravitinoServer`"),
        (json!({"aud": ["a", "b"]}), "`aud`"),
        (json!({"aud": []}), "`aud`"),
        (json!({"aud": 7}), "`aud`"),
        (json!({"aud": null}), "`aud`"),
        (json!({"iss": "https://idp.example/realms/other"}), ISSUER),
        (json!({"iss": format!("{ISSUER}/")}), ISSUER),
        (json!({"iss": null}), ISSUER),
        (json!({"iss": 1}), ISSUER),
        (json!({"iss": [ISSUER, "https://other"]}), ISSUER),
        (json!({"sub": ""}), "`sub`"),
        (json!({"sub": "  "}), "`sub`"),
        (json!({"sub": 5}), "`sub`"),
        (json!({"sub": null}), "names nobody"),
        (json!({"sub": "anonymous"}), "not a name"),
        (json!({"sub": "a\tb"}), "not a name"),
        (json!({"sub": "a\nb"}), "`principalMapper`"),
        (json!({"sub": "x".repeat(129)}), "not a name"),
        (json!({"act": "svc"}), "`act`"),
        (json!({"act": {}}), "`act`"),
        (json!({"act": {"sub": 1}}), "`act`"),
    ] {
        refused(&judge(&oauth, &good(claims.clone())).await, part);
    }
    let judged = judge(&oauth, &good(json!({"exp": now() - 1}))).await;
    assert!(matches!(judged, Err(OperationError::TokenExpired(_))));
}

#[tokio::test]
async fn skew_stretches_both_ends() {
    let issuer = Issuer::p256();
    let oauth = oauth(&issuer, &[("allowSkewSecs", "60")]);
    for (claims, good) in [
        (json!({"exp": now() - 30}), true),
        (json!({"exp": now() - 90}), false),
        (json!({"nbf": now() + 30}), true),
        (json!({"nbf": now() + 90}), false),
    ] {
        let token = issuer.token("ann", &claims);
        assert_eq!(judge(&oauth, &token).await.is_ok(), good, "{claims}");
    }
}

#[tokio::test]
async fn a_public_key_is_no_secret_and_no_algorithm_is_none() {
    let issuer = Issuer::rsa();
    let oauth = oauth(&issuer, &[]);
    let claims = json!({"sub": "ann", "aud": "GravitinoServer", "exp": now() + 600});
    let pem = format!(
        "-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n",
        issuer.keys().1
    );
    for secret in [
        RSA_PUBLIC.to_vec(),
        pem.into_bytes(),
        issuer.keys().1.into_bytes(),
    ] {
        let confused = Issuer::Secret(secret).sign(&json!({"alg": "HS256"}), &claims);
        refused(&judge(&oauth, &confused).await, "algorithm");
        let lying = Issuer::Secret(RSA_PUBLIC.to_vec()).sign(&json!({"alg": "RS256"}), &claims);
        refused(&judge(&oauth, &lying).await, "not signed by a key");
    }
    for algorithm in ["RS384", "PS256", "ES256"] {
        let other = issuer.sign(&json!({ "alg": algorithm }), &claims);
        refused(&judge(&oauth, &other).await, "algorithm");
    }
    for algorithm in ["none", "None", "NONE", "", "XS256", "ES512"] {
        let none = issuer.sign(&json!({ "alg": algorithm }), &claims);
        let unsigned = none.rsplit_once('.').unwrap().0;
        refused(&judge(&oauth, &none).await, "");
        refused(&judge(&oauth, &format!("{unsigned}.")).await, "");
    }
    // What the header asks for beyond what is understood.
    let critical = issuer.sign(&json!({"alg": "RS256", "crit": ["x"], "x": 1}), &claims);
    refused(&judge(&oauth, &critical).await, "");
    let embedded = json!({"alg": "RS256", "jwk": {"kty": "oct", "k": "AAAA"}, "jku": "http://127.0.0.1:1"});
    let other = Issuer::Secret(vec![0; 3]).sign(&embedded, &claims);
    refused(&judge(&oauth, &other).await, "not signed by a key");
}

#[tokio::test]
async fn what_is_damaged_is_refused() {
    let issuer = Issuer::rsa();
    let oauth = oauth(&issuer, &[]);
    let token = issuer.token("ann", &json!({}));
    let parts: Vec<&str> = token.split('.').collect();
    for end in (0..token.len()).step_by(7) {
        refused(&judge(&oauth, &token[..end]).await, "");
    }
    let changed = issuer.token("root", &json!({}));
    let others: Vec<&str> = changed.split('.').collect();
    refused(
        &judge(&oauth, &[parts[0], others[1], parts[2]].join(".")).await,
        "not signed by a key",
    );
    for text in [
        "",
        ".",
        "..",
        "....",
        "a.b.c",
        "é.é.é",
        &format!("{token}.{token}"),
        &format!("{token}="),
    ] {
        refused(&judge(&oauth, text).await, "");
    }
    let huge = issuer.token("ann", &json!({"groups": vec!["group"; 10_000]}));
    refused(&judge(&oauth, &huge).await, "longer than");
    assert!(judge(&oauth, &token).await.is_ok());
}

#[tokio::test]
async fn a_remembered_token_still_expires() {
    let issuer = Issuer::p256();
    let oauth = oauth(&issuer, &[]);
    let token = issuer.token("ann", &json!({}));
    let digest: [u8; 32] = Sha256::digest(&token).into();
    judge(&oauth, &token).await.unwrap();
    let known = oauth.verified.get(&digest).unwrap();
    assert_eq!(known.expires, now() + 600);
    let over = Verified {
        identity: known.identity.clone(),
        expires: now() - 1,
        scope: None,
    };
    oauth.verified.insert(digest, Arc::new(over));
    refused(&judge(&oauth, &token).await, "expired");
    // What was refused is not remembered as good.
    let bad = Issuer::p256().token("ann", &json!({}));
    refused(&judge(&oauth, &bad).await, "");
    assert!(
        oauth
            .verified
            .get(&<[u8; 32]>::from(Sha256::digest(&bad)))
            .is_none()
    );
}

#[tokio::test]
async fn remembered_tokens_weigh_what_their_groups_do() {
    let issuer = Issuer::p256();
    let oauth = oauth(&issuer, &[]);
    let weight = async |groups: Vec<String>| {
        let token = issuer.token("ann", &json!({ "groups": groups }));
        judge(&oauth, &token).await.unwrap();
        let digest: [u8; 32] = Sha256::digest(&token).into();
        oauth.verified.get(&digest).unwrap().bytes()
    };
    let none = weight(Vec::new()).await;
    let many = weight((0..2000).map(|number| format!("g{number}")).collect()).await;
    assert!(many > none + 2000 * 50, "{many}");
    oauth.verified.run_pending_tasks();
    assert_eq!(oauth.verified.weighted_size(), u64::from(none + many));
}

#[test]
fn only_bearer_tokens_are_its_own() {
    let oauth = oauth(&Issuer::p256(), &[]);
    assert!(!oauth.claims(None));
    for (credentials, own) in [
        ("Bearer x", true),
        ("bearer x", true),
        ("Bearer ", true),
        ("Bearer", false),
        ("BearerX y", false),
        ("Basic eA==", false),
        ("Negotiate x", false),
    ] {
        assert_eq!(oauth.claims(Some(credentials)), own, "{credentials}");
    }
}

#[test]
fn keys_of_the_configuration() {
    let check = |algorithm: &str, key: &str| {
        let keys = crate::config::oauth::KeySettings::Fixed {
            algorithm: algorithm.to_owned(),
            key: key.to_owned(),
        };
        KeySource::new(&keys).map(drop).map_err(|error| error.to_string())
    };
    let (_, rsa) = Issuer::rsa().keys();
    let (_, p256) = Issuer::p256().keys();
    let pem = format!("-----BEGIN PUBLIC KEY-----\\n{rsa}\\n-----END PUBLIC KEY-----");
    for (algorithm, key) in [
        ("RS256", &rsa),
        ("PS512", &rsa),
        ("RS256", &pem),
        ("ES256", &p256),
    ] {
        assert_eq!(check(algorithm, key), Ok(()), "{algorithm}");
    }
    for (algorithm, key, part) in [
        ("RS256", p256.as_str(), "defaultSignKey"),
        ("ES256", &rsa, "defaultSignKey"),
        ("RS256", "AAAA", "defaultSignKey"),
        ("RS256", "not base64!", "defaultSignKey"),
        ("HS256", "c2VjcmV0", "at least 32 bytes"),
        ("HS256", "!", "base64"),
        ("none", &rsa, "signAlgorithmType"),
        ("ES512", &p256, "signAlgorithmType"),
    ] {
        let message = check(algorithm, key).unwrap_err();
        assert!(message.contains(part), "{algorithm}: {message}");
        assert!(!message.contains(key), "the key is not told");
    }
}
