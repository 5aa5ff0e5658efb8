// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What it costs to know who calls: a request with a token that was verified before beside one without credentials, and
//! the first look at a token beside the check of its signature alone.

use std::sync::Mutex;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use http::HeaderMap;
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde_json::json;

use crate::measure::{compare, size};
use crate::scene::Scene;

#[path = "../../tests/tokens/issuer.rs"]
#[expect(dead_code, reason = "tests need more kinds of keys")]
mod issuer;

use issuer::Issuer;

/// What stands before the point of a P-256 key in its `SubjectPublicKeyInfo`, in bytes.
const HEAD: usize = 26;

pub(crate) async fn run() {
    let issuer = Issuer::p256();
    let (algorithm, key) = issuer.keys();
    let scene = Scene::with(&[
        ("gravitino.authenticators", "simple,oauth"),
        ("gravitino.authenticator.oauth.signAlgorithmType", algorithm),
        ("gravitino.authenticator.oauth.defaultSignKey", &key),
    ])
    .await;
    scene.tree().await;
    let path = format!("http://{}/api/metalakes/m", scene.server.native_addr);
    let token = issuer.token("ann", &json!({"groups": ["a", "b"]}));
    let ask = async |token: Option<&str>| {
        let mut request = scene.client.get(&path);
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 200);
        answer.bytes().await.unwrap();
    };
    compare(async || ask(Some(&token)).await, async || ask(None).await)
        .await
        .print("request", ["with a known token", "without credentials"], "≤ 1.05");

    let unseen: Mutex<Vec<HeaderMap>> = Mutex::default();
    let next = |number: usize| {
        let token = issuer.token("ann", &json!({"groups": ["a", "b"], "jti": number}));
        HeaderMap::from_iter([(
            http::header::AUTHORIZATION,
            format!("Bearer {token}").parse().unwrap(),
        )])
    };
    *unseen.lock().unwrap() = (0..size(40_000)).map(next).collect();
    let authentication = &scene.server.app.authentication;
    let first = async || {
        let unseen = unseen.lock().unwrap().pop();
        let headers = unseen.unwrap_or_else(|| next(rand::random::<u32>() as usize + 1_000_000));
        authentication.authenticate(&headers, None).await.unwrap();
    };
    let (message, signature) = token.rsplit_once('.').unwrap();
    let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
    let point = STANDARD.decode(&key).unwrap()[HEAD..].to_vec();
    let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point);
    let raw = async || key.verify(message.as_bytes(), &signature).unwrap();
    compare(first, raw).await.print(
        "token",
        ["first look", "signature alone"],
        "none; told beside each other",
    );
    scene.server.stop().await;
}
