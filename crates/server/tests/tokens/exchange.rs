// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Token exchange (RFC 8693): who gets a token of this server for whom, what it says, and for what and how long it is good.

use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::issuer::now;
use crate::world::{Answer, TABLE, World, answer};

pub(crate) const GRANT: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS: &str = "urn:ietf:params:oauth:token-type:access_token";
const JWT: &str = "urn:ietf:params:oauth:token-type:jwt";

/// What a reader sends.
pub(crate) type Parameters = Vec<(&'static str, String)>;

pub(crate) async fn world() -> World {
    let world = World::new().await;
    for reader in [
        json!({"name": "trino", "oauthClient": "trino-prod", "tokenExchange": true}),
        json!({"name": "notebooks", "actor": "svc-notebooks", "tokenExchange": true}),
        json!({"name": "spark", "oauthClient": "spark-prod"}),
    ] {
        let told = world.enroll(reader.clone()).await;
        let may = reader["tokenExchange"].as_bool().unwrap_or_default();
        assert_eq!(told["reader"]["tokenExchange"], may);
    }
    world
}

/// The token that an OAuth client got for itself.
pub(crate) fn of_client(world: &World, client: &str) -> String {
    world
        .issuer
        .token(client, &json!({"azp": client, "gty": "client-credentials"}))
}

pub(crate) fn parameters(subject: String, actor: String) -> Parameters {
    vec![
        ("grant_type", GRANT.to_owned()),
        ("subject_token", subject),
        ("subject_token_type", ACCESS.to_owned()),
        ("actor_token", actor),
        ("actor_token_type", JWT.to_owned()),
    ]
}

pub(crate) async fn exchange(world: &World, parameters: &Parameters) -> Answer {
    let answer = answer(world.request("POST", "/oauth/token").form(parameters)).await;
    assert_eq!(answer.header("cache-control"), "no-store");
    answer
}

/// The token that was given.
#[track_caller]
pub(crate) fn given(answer: Answer) -> String {
    let answer = answer.is(200);
    answer.body["access_token"].as_str().expect("a token").to_owned()
}

/// Asserts an error of RFC 6749, and that it names nothing of the tokens that were sent.
#[track_caller]
pub(crate) fn refused(answer: &Answer, status: u16, error: &str, part: &str) {
    let body = &answer.body;
    assert_eq!(
        (answer.status, body["error"].as_str()),
        (status, Some(error)),
        "{part}: {body}"
    );
    let description = body["error_description"].as_str().unwrap_or_default();
    assert!(description.contains(part), "{part}: {description}");
    assert!(!description.contains("eyJ"), "{description}");
}

fn claims(token: &str) -> Value {
    let payload = token.split('.').nth(1).expect("a payload");
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).expect("base64")).expect("claims")
}

#[tokio::test]
async fn it_says_who_acts_for_whom_and_nothing_wider() {
    let world = world().await;
    let before = now();
    let subject = world.issuer.token(
        "ann",
        &json!({"groups": ["it", "hr"], "scope": "openid lake extra", "azp": "somebody", "email": "ann@example.org", "exp": before + 7_200}),
    );
    let actor = of_client(&world, "trino-prod");
    let mut sent = parameters(subject, actor);
    sent.push(("scope", "lake openid".to_owned()));
    sent.push(("audience", "GravitinoServer".to_owned()));
    sent.push(("requested_token_type", ACCESS.to_owned()));
    sent.push(("not_known", "ignored".to_owned()));
    let answer = exchange(&world, &sent).await.is(200);
    assert_eq!(answer.body["issued_token_type"], ACCESS);
    assert_eq!(answer.body["token_type"], "Bearer");
    assert_eq!(answer.body["scope"], "lake openid");
    assert!(
        answer.body["expires_in"]
            .as_u64()
            .is_some_and(|seconds| (1..=300).contains(&seconds))
    );
    let token = given(answer);
    let mut said = claims(&token);
    let said = said.as_object_mut().expect("an object");
    let ends = said.remove("exp").and_then(|ends| ends.as_u64()).expect("an end");
    let begins = said
        .remove("iat")
        .and_then(|begins| begins.as_u64())
        .expect("a beginning");
    assert!(begins >= before && ends > begins && ends <= begins + 300);
    let revision = said["act"]["revision"].clone();
    assert_eq!(
        Value::Object(said.clone()),
        json!({
            "iss": "lakeward",
            "aud": "GravitinoServer",
            "sub": "ann",
            "act": {"sub": "trino", "revision": revision},
            // The world's default of `groupsFields`.
            "groups": ["hr", "it"],
            "scope": "lake openid",
        })
    );
    // The reader is trusted by it, for this user.
    world.load(&token).await.restricted_to("ann");
    let me = world.get(&token, "/api/authn/me", &[]).await.is(200);
    assert_eq!(me.body["principal"], "ann");
    // By the token of an actor for itself, and with all scopes where none is asked for.
    let subject = world.issuer.token("bob", &json!({"scope": "b a"}));
    let actor = world.issuer.token("svc-notebooks", &json!({}));
    let answer = exchange(&world, &parameters(subject, actor)).await.is(200);
    assert_eq!(answer.body["scope"], "a b");
    let token = given(answer);
    assert_eq!(claims(&token)["act"]["sub"], "notebooks");
    // What proved no groups proves none now, not even that there are none.
    assert!(claims(&token).get("groups").is_none());
    world.load(&token).await.restricted_to("bob");
}

#[tokio::test]
async fn it_never_outlives_the_token_that_it_was_given_for() {
    let world = world().await;
    let ends = now() + 90;
    let subject = world.issuer.token("ann", &json!({ "exp": ends }));
    let token = given(exchange(&world, &parameters(subject, of_client(&world, "trino-prod"))).await);
    assert_eq!(claims(&token)["exp"], ends);

    let ends = now() + 3;
    let subject = world.issuer.token("ann", &json!({ "exp": ends }));
    let answer = exchange(&world, &parameters(subject, of_client(&world, "trino-prod"))).await;
    if answer.status == 200 {
        let token = given(answer);
        let limit = Instant::now() + Duration::from_secs(60);
        while world.load(&token).await.status != 401 {
            assert!(Instant::now() < limit, "it does not end");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        assert!(now() >= ends, "it ended too early");
    } else {
        // A slow machine: it was over before it was sent.
        refused(&answer, 400, "invalid_request", "expired");
    }
}

#[tokio::test]
async fn it_is_good_for_what_readers_do_and_while_the_reader_may() {
    let world = world().await;
    // The name of an administrator in the token of the issuer: what the configuration says of it does not go with it.
    let admin = world.issuer.token("admin", &json!({}));
    let token = given(exchange(&world, &parameters(admin, of_client(&world, "trino-prod"))).await);
    world.get(&token, "/api/readers", &[]).await.is(403);
    world.get(&token, "/api/idp/users/ann", &[]).await.is(403);
    let subject = || world.issuer.token("ann", &json!({}));
    let token = given(exchange(&world, &parameters(subject(), of_client(&world, "trino-prod"))).await);
    let change = world.request("POST", "/api/metalakes").bearer_auth(&token);
    let change = answer(change.json(&json!({"name": "mine"}))).await.is(403);
    assert!(
        change.body["message"]
            .as_str()
            .is_some_and(|message| message.contains("what readers do"))
    );
    // A letter more or less is another token.
    for other in [format!("{token}A"), token[..token.len() - 2].to_owned()] {
        world.load(&other).await.is(401);
    }
    // The user is suspended, and let in again.
    let user = "/api/metalakes/m/users/ann";
    world.load(&token).await.restricted_to("ann");
    world.admin("PUT", user, json!({"enabled": false})).await.is(200);
    world.load(&token).await.is(403);
    world.admin("PUT", user, json!({"enabled": true})).await.is(200);
    world.load(&token).await.restricted_to("ann");
    // The reader is enrolled anew, without the right, and removed: with the next request.
    let again = json!({"name": "trino", "oauthClient": "trino-prod", "tokenExchange": true});
    world.enroll(again.clone()).await;
    world.load(&token).await.is(401);
    let token = given(exchange(&world, &parameters(subject(), of_client(&world, "trino-prod"))).await);
    world.load(&token).await.restricted_to("ann");
    let path = "/api/readers/trino";
    world.admin("DELETE", path, Value::Null).await.is(200);
    let gone = world.get(&token, "/api/authn/me", &[]).await.is(401);
    assert!(
        gone.body["message"]
            .as_str()
            .is_some_and(|message| message.contains("removed or enrolled anew"))
    );
    let sent = parameters(subject(), of_client(&world, "trino-prod"));
    refused(
        &exchange(&world, &sent).await,
        401,
        "invalid_client",
        "enrolled reader",
    );
    // A new entry of the old name is not the old one.
    world.enroll(again).await;
    world.load(&token).await.is(401);
}

#[tokio::test]
async fn what_a_reader_with_a_certificate_gets_is_good_beside_it_only() {
    let world = world().await;
    let enrolled = world
        .enroll(json!({"name": "gateway", "tokenExchange": true}))
        .await;
    let text = |member: &str| enrolled[member].as_str().expect("PEM").to_owned();
    let pem = format!("{}{}", text("certificate"), text("key"));
    let through = reqwest::Client::builder()
        .tls_built_in_root_certs(false)
        .add_root_certificate(reqwest::Certificate::from_pem(text("authority").as_bytes()).expect("PEM"))
        .identity(reqwest::Identity::from_pem(pem.as_bytes()).expect("PEM"))
        .build()
        .expect("a client");
    let base = format!(
        "https://{}",
        world.running.reader_addr.expect("a listener for readers")
    );
    let mut sent = parameters(
        world.issuer.token("ann", &json!({})),
        of_client(&world, "trino-prod"),
    );
    let both = through.post(format!("{base}/oauth/token")).form(&sent);
    refused(&answer(both).await, 401, "invalid_client", "not both");
    sent.retain(|(name, _)| !name.starts_with("actor"));
    let token = given(answer(through.post(format!("{base}/oauth/token")).form(&sent)).await);
    assert_eq!(claims(&token)["act"]["sub"], "gateway");
    let load = |token: &str| {
        let request = through.get(format!("{base}{TABLE}")).bearer_auth(token);
        answer(request.header(crate::world::CAPABLE.0, crate::world::CAPABLE.1))
    };
    load(&token).await.restricted_to("ann");
    let alone = world.load(&token).await.is(401);
    let message = alone.body["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("certificate"), "{message}");
    // Beside the certificate of a reader, the token of another contradicts it.
    let subject = world.issuer.token("ann", &json!({}));
    let of_trino = given(exchange(&world, &parameters(subject, of_client(&world, "trino-prod"))).await);
    load(&of_trino).await.refused(403, "different readers");
}

#[tokio::test]
async fn every_node_takes_what_another_gave() {
    let world = world().await;
    let Some((second, _folder)) = world.second_node().await else {
        return;
    };
    let subject = world.issuer.token("ann", &json!({}));
    let token = given(exchange(&world, &parameters(subject, of_client(&world, "trino-prod"))).await);
    let url = format!("http://{}/api/authn/me", second.native_addr);
    let asked = || answer(reqwest::Client::new().get(&url).bearer_auth(&token));
    assert_eq!(asked().await.is(200).body["principal"], "ann");
    world
        .admin("DELETE", "/api/readers/trino", Value::Null)
        .await
        .is(200);
    asked().await.is(401);
}

#[tokio::test]
async fn another_server_takes_none_of_it() {
    let (one, other) = (world().await, world().await);
    let subject = one.issuer.token("ann", &json!({}));
    let token = given(exchange(&one, &parameters(subject, of_client(&one, "trino-prod"))).await);
    one.load(&token).await.restricted_to("ann");
    other.load(&token).await.is(401);
}
