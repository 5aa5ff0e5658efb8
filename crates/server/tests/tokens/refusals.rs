// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every way in which a caller can fail to prove who it is, and how each is told, in the form of both protocols. What a
//! message says helps who holds a token of our issuer; who holds another learns nothing of what would be right.

use lakeward_operations::Operations;
use lakeward_server::reader_identity::Authority;
use lakeward_store::{Store, StoreOptions, StoreUrl};
use serde_json::{Value, json};

use crate::issuer::{Issuer, now};
use crate::world::{Answer, CAPABLE, PASSWORD, TABLE, World, answer};

const NATIVE: &str = "/api/metalakes";
const ISSUER: &str = "https://idp.example/realms/lake";
const AUDIENCE: &str = "GravitinoServer";

/// Asserts a refusal of credentials in the form of each protocol.
#[track_caller]
fn unauthenticated(native: &Answer, iceberg: &Answer, kind: &str, challenge: &str) -> String {
    for answer in [native, iceberg] {
        assert_eq!(answer.status, 401, "{}", answer.body);
        assert_eq!(answer.header("www-authenticate"), challenge);
        assert!(!answer.headers.contains_key("etag"));
    }
    assert_eq!(
        (native.body["code"].as_i64(), native.body["type"].as_str()),
        (Some(1011), Some(kind)),
        "{}",
        native.body
    );
    assert_eq!(iceberg.body["error"]["type"], "NotAuthorizedException");
    let message = native.body["message"].as_str().expect("a message");
    assert_eq!(iceberg.body["error"]["message"], message);
    message.to_owned()
}

#[tokio::test]
async fn every_bad_token_is_told_apart_and_nobody_elses_is_helped() {
    let world = World::with(&[
        ("gravitino.authenticator.oauth.authority", ISSUER),
        (
            "gravitino.authenticator.oauth.principalFields",
            "preferred_username,sub",
        ),
        (
            "gravitino.authenticator.oauth.principalMapper.regex.pattern",
            "^([^@]+)@?.*$",
        ),
    ])
    .await;
    let ours = &world.issuer;
    let claims = |more: Value| {
        let mut all = json!({"iss": ISSUER});
        all.as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        all
    };
    let sign = |more: Value| ours.token("ann", &claims(more));
    let by = |issuer: &Issuer| issuer.token("ann", &claims(json!({})));
    let good = sign(json!({}));
    world.get(&good, NATIVE, &[]).await.is(200);
    world.get(&good, TABLE, &[CAPABLE]).await.is(403);

    let plain = json!({"sub": "ann", "iss": ISSUER, "aud": AUDIENCE, "exp": now() + 600});
    let (_, public) = ours.keys();
    let unsigned = |algorithm: &str| {
        let signed = ours.sign(&json!({ "alg": algorithm }), &plain);
        let (message, _) = signed.rsplit_once('.').expect("three parts");
        format!("{message}.")
    };
    let (head, rest) = good.split_once('.').expect("three parts");
    let (_, signature) = rest.split_once('.').expect("three parts");
    let of_somebody_else = sign(json!({"sub": "root"}));
    let other_claims = of_somebody_else.split('.').nth(1).expect("three parts");

    // Of our issuer: the holder is told what is wrong.
    for (what, token, part, kind) in [
        (
            "expired",
            sign(json!({"exp": now() - 5})),
            "expired",
            "TokenExpiredException",
        ),
        (
            "not yet valid",
            sign(json!({"nbf": now() + 99})),
            "not valid yet",
            "UnauthorizedException",
        ),
        (
            "issued in the future",
            sign(json!({"iat": now() + 999})),
            "not valid yet",
            "UnauthorizedException",
        ),
        (
            "without end",
            sign(json!({"exp": null})),
            "`exp`",
            "UnauthorizedException",
        ),
        (
            "wrong audience",
            sign(json!({"aud": "other"})),
            "`aud` must hold `GravitinoServer`",
            "UnauthorizedException",
        ),
        (
            "wrong audiences",
            sign(json!({"aud": ["a", "b"]})),
            "`aud`",
            "UnauthorizedException",
        ),
        (
            "no audience",
            sign(json!({"aud": null})),
            "`aud`",
            "UnauthorizedException",
        ),
        (
            "wrong issuer",
            sign(json!({"iss": "https://idp.example/realms/other"})),
            ISSUER,
            "UnauthorizedException",
        ),
        (
            "no issuer",
            sign(json!({"iss": null})),
            ISSUER,
            "UnauthorizedException",
        ),
        (
            "several issuers",
            sign(json!({"iss": [ISSUER, "https://x"]})),
            ISSUER,
            "UnauthorizedException",
        ),
        (
            "no principal",
            sign(json!({"sub": null})),
            "preferred_username, sub",
            "UnauthorizedException",
        ),
        (
            "principal of nothing",
            sign(json!({"sub": ""})),
            "`sub`",
            "UnauthorizedException",
        ),
        (
            "principal that is a number",
            sign(json!({"preferred_username": 7, "sub": null})),
            "names nobody",
            "UnauthorizedException",
        ),
        (
            "principal that no pattern knows",
            sign(json!({"sub": "@corp"})),
            "`principalMapper`",
            "UnauthorizedException",
        ),
        (
            "principal that is nobody",
            sign(json!({"sub": "anonymous"})),
            "not a name",
            "UnauthorizedException",
        ),
        (
            "principal that is no name",
            sign(json!({"sub": "x".repeat(200)})),
            "not a name",
            "UnauthorizedException",
        ),
        (
            "actor that is none",
            sign(json!({"act": "svc"})),
            "`act`",
            "UnauthorizedException",
        ),
    ] {
        let message = refused(&world, what, &token, kind).await;
        assert!(message.contains(part), "{what}: {message}");
    }

    // Of anybody: nobody is told what would be right.
    for (what, token, part) in [
        ("wrong key", by(&Issuer::p256()), "not signed by a key"),
        ("wrong kind of key", by(&Issuer::rsa()), "algorithm"),
        ("shared secret", by(&Issuer::Secret(vec![1; 32])), "algorithm"),
        (
            "public key as secret",
            by(&Issuer::Secret(public.into_bytes())),
            "algorithm",
        ),
        ("no algorithm", unsigned("none"), "no JSON Web Token"),
        ("no algorithm, in capitals", unsigned("NONE"), ""),
        ("no signature", unsigned("ES256"), ""),
        (
            "somebody else's claims",
            format!("{head}.{other_claims}.{signature}"),
            "not signed by a key",
        ),
        (
            "expired and of another",
            Issuer::p256().token("ann", &json!({"exp": 1})),
            "not signed by a key",
        ),
        (
            "critical header",
            ours.sign(&json!({"alg": "ES256", "crit": ["x"]}), &plain),
            "",
        ),
        (
            "truncated in its signature",
            good[..good.len() - 9].to_owned(),
            "",
        ),
        (
            "truncated in its claims",
            good[..head.len() + 9].to_owned(),
            "no JSON Web Token",
        ),
        (
            "truncated in its header",
            good[..9].to_owned(),
            "no JSON Web Token",
        ),
        ("nothing", String::new(), ""),
        ("no token", "x".to_owned(), "no JSON Web Token"),
        ("oversized", "x".repeat(40_000), "longer than"),
    ] {
        let message = refused(&world, what, &token, "UnauthorizedException").await;
        assert!(message.contains(part), "{what}: {message}");
        for expected in [ISSUER, AUDIENCE, "preferred_username", "ES256"] {
            assert!(!message.contains(expected), "{what}: {message}");
        }
    }

    // A path that does not exist is no way to learn more.
    let other = by(&Issuer::p256());
    for path in ["/iceberg/v1/nothing/here", "/api/nothing/here"] {
        world.get(&other, path, &[]).await.is(401);
    }
}

/// Asserts that both protocols refuse a token, without a word of it; the message.
async fn refused(world: &World, what: &str, token: &str, kind: &str) -> String {
    let native = world.get(token, NATIVE, &[]).await;
    let iceberg = world.get(token, TABLE, &[CAPABLE]).await;
    let challenge = "Bearer realm=\"lakeward\", error=\"invalid_token\"";
    let message = unauthenticated(&native, &iceberg, kind, challenge);
    for answer in [&native, &iceberg] {
        let told = answer.body.to_string();
        let shown = token.split('.').filter(|part| part.len() > 8);
        assert!(
            shown.into_iter().all(|part| !told.contains(part)),
            "{what}: {told}"
        );
    }
    message
}

#[tokio::test]
async fn other_credentials_are_no_better() {
    let world = World::new().await;
    let bad = |path: &str, header: Option<&str>| {
        let request = world.request("GET", path);
        match header {
            Some(header) => request.header("Authorization", header),
            None => request,
        }
    };
    for (header, part) in [
        (None, "no credentials"),
        (Some("Basic YW5uOndyb25n"), "invalid user name or password"),
        (Some("Basic !"), "invalid user name or password"),
        (Some("Negotiate YII="), "not supported"),
        (Some("Bearer"), "not supported"),
        (Some("Digest username=ann"), "not supported"),
    ] {
        let native = answer(bad(NATIVE, header)).await;
        let iceberg = answer(bad(TABLE, header)).await;
        let is_token = header.is_some_and(|header| header.starts_with("Bearer"));
        let challenge = if is_token {
            "Bearer realm=\"lakeward\", error=\"invalid_token\""
        } else {
            "Bearer realm=\"lakeward\""
        };
        let message = unauthenticated(&native, &iceberg, "UnauthorizedException", challenge);
        assert!(message.contains(part), "{header:?}: {message}");
    }
}

/// Who is who, and through which channel: user, reader, both, neither.
#[tokio::test]
async fn a_reader_needs_a_user_and_a_user_a_reader() {
    let world = World::new().await;
    world
        .enroll(json!({"name": "trino", "oauthClient": "trino"}))
        .await;
    let spark = world.enroll(json!({"name": "spark"})).await;
    let gone = world.enroll(json!({"name": "gone"})).await;
    world
        .admin("DELETE", "/api/readers/gone", Value::Null)
        .await
        .is(200);
    for user in ["trino", "spark"] {
        world
            .admin("POST", "/api/metalakes/m/users", json!({ "name": user }))
            .await
            .is(200);
        let path = format!("/api/metalakes/m/permissions/users/{user}/grant");
        world
            .admin("PUT", &path, json!({"roleNames": ["reads"]}))
            .await
            .is(200);
    }
    let token = |user: &str, claims: Value| world.issuer.token(user, &claims);

    // Over the ordinary listeners: the token alone speaks.
    for (what, token, part) in [
        (
            "user without reader",
            token("ann", json!({})),
            "not a trusted reader",
        ),
        (
            "user of another client",
            token("ann", json!({"azp": "notebook"})),
            "not a trusted reader",
        ),
        (
            "reader without user",
            token("trino", json!({"azp": "trino"})),
            "name no end user",
        ),
    ] {
        let refused = world.load(&token).await;
        assert_eq!(
            refused.header("www-authenticate"),
            "",
            "{what}: the credentials are good"
        );
        refused.refused(403, part);
    }
    world
        .load(&token("ann", json!({"azp": "trino"})))
        .await
        .restricted_to("ann");

    // Over the listener of the readers: the certificate says which.
    let text = |enrolled: &Value, member: &str| enrolled[member].as_str().expect("a text").to_owned();
    let authority = text(&spark, "authority");
    let client = |certificate: &str, key: &str| {
        reqwest::Client::builder()
            .tls_built_in_root_certs(false)
            .add_root_certificate(reqwest::Certificate::from_pem(authority.as_bytes()).expect("PEM"))
            .identity(reqwest::Identity::from_pem(format!("{certificate}{key}").as_bytes()).expect("PEM"))
            .build()
            .expect("a client")
    };
    let address = world.running.reader_addr.expect("a listener");
    let by = |client: &reqwest::Client, path: &str| {
        client
            .get(format!("https://{address}{path}"))
            .header(CAPABLE.0, CAPABLE.1)
    };
    let enrolled = client(&text(&spark, "certificate"), &text(&spark, "key"));
    let removed = client(&text(&gone, "certificate"), &text(&gone, "key"));
    let ann = token("ann", json!({}));
    answer(by(&enrolled, TABLE).bearer_auth(&ann))
        .await
        .restricted_to("ann");
    // Nobody stands behind it.
    let challenge = "Bearer realm=\"lakeward\"";
    let (native, iceberg) = (
        answer(by(&enrolled, NATIVE)).await,
        answer(by(&enrolled, TABLE)).await,
    );
    unauthenticated(&native, &iceberg, "UnauthorizedException", challenge);
    let itself = token("spark", json!({"azp": "spark"}));
    answer(by(&enrolled, TABLE).bearer_auth(itself))
        .await
        .refused(403, "name no end user");
    // A certificate that counts no more, whoever stands behind it.
    let native = answer(by(&removed, NATIVE).bearer_auth(&ann)).await.is(403);
    let iceberg = answer(by(&removed, TABLE).bearer_auth(&ann)).await.is(403);
    assert_eq!(native.body["type"], "ForbiddenException");
    assert_eq!(iceberg.body["error"]["type"], "ForbiddenException");
    // One of another authority does not get as far as that.
    let store = Store::open(&StoreUrl::Memory, StoreOptions::default())
        .await
        .expect("a store");
    let other = Operations::new(store, Default::default(), Default::default());
    let other = Authority::load_or_make(&other).await.expect("an authority");
    let foreign = other.issue_reader("spark").expect("a certificate");
    let foreign = client(&foreign.certificate_pem, &foreign.key_pem);
    for path in [NATIVE, TABLE] {
        assert!(
            by(&foreign, path).bearer_auth(&ann).send().await.is_err(),
            "{path}"
        );
        // Nor does a password help.
        assert!(
            by(&foreign, path)
                .basic_auth("admin", Some(PASSWORD))
                .send()
                .await
                .is_err(),
            "{path}"
        );
    }
}
