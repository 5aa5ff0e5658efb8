// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Readers that are known by the OAuth client or the actor of their users' tokens: who is trusted, who only looks like it,
//! and that no answer outlives the entry that it was made for.

use serde_json::{Value, json};

use crate::issuer::Issuer;
use crate::world::{CAPABLE, PASSWORD, TABLE, World, answer};

const NOT_TRUSTED: &str = "not a trusted reader";
const NO_USER: &str = "name no end user";

async fn with_both() -> World {
    let world = World::new().await;
    let trino = world
        .enroll(json!({"name": "trino", "oauthClient": "trino-prod"}))
        .await;
    assert_eq!(trino["reader"]["channel"], "oauth-client");
    assert_eq!(trino["reader"]["oauthClient"], "trino-prod");
    assert!(trino.get("key").is_none() && trino.get("certificate").is_none());
    let gateway = world
        .enroll(json!({"name": "gateway", "actor": "svc-gateway"}))
        .await;
    assert_eq!(gateway["reader"]["channel"], "actor");
    assert_eq!(gateway["reader"]["actor"], "svc-gateway");
    world
}

#[tokio::test]
async fn a_users_token_of_an_enrolled_client_is_trusted() {
    let world = with_both().await;
    for claims in [
        json!({"azp": "trino-prod"}),
        json!({"client_id": "trino-prod"}),
        json!({"azp": "trino-prod", "act": null}),
    ] {
        for user in ["ann", "bob"] {
            let token = world.issuer.token(user, &claims);
            let etag = world.load(&token).await.restricted_to(user);
            world.load_unless(&token, &etag).await.is(304);
            // Trust is not understanding.
            world
                .get(&token, TABLE, &[])
                .await
                .refused(406, "does not declare");
        }
    }
    for claims in [
        json!({}),
        json!({"azp": "notebook"}),
        json!({"azp": "svc-gateway"}),
        json!({"azp": "Trino-Prod"}),
        json!({"azp": "notebook", "client_id": "trino-prod"}),
        json!({"azp": ["trino-prod"]}),
        json!({"aud": ["GravitinoServer", "trino-prod"]}),
        json!({"scope": "trino-prod", "client": "trino-prod"}),
    ] {
        let token = world.issuer.token("ann", &claims);
        world.load(&token).await.refused(403, NOT_TRUSTED);
        // What is not restricted is for everybody who may read it.
        let free = TABLE.replace("tables/t", "tables/free");
        world.get(&token, &free, &[]).await.is(200);
    }
}

#[tokio::test]
async fn a_token_that_names_an_enrolled_actor_is_trusted() {
    let world = with_both().await;
    for act in [
        json!({"sub": "svc-gateway"}),
        json!({"sub": "svc-gateway", "act": {"sub": "somebody"}}),
    ] {
        let token = world.issuer.token("ann", &json!({"act": act, "azp": "exchange"}));
        world.load(&token).await.restricted_to("ann");
    }
    for claims in [
        json!({"act": {"sub": "somebody"}}),
        // Only who acts now counts.
        json!({"act": {"sub": "somebody", "act": {"sub": "svc-gateway"}}}),
        json!({"act": {"sub": "svc-gateway", "iss": "https://elsewhere"}, "iss": "https://idp"}),
        json!({"act": {"sub": "trino-prod"}}),
        // The actor reads, not the client that had the token made.
        json!({"act": {"sub": "somebody"}, "azp": "trino-prod"}),
        json!({"may_act": {"sub": "svc-gateway"}}),
    ] {
        let token = world.issuer.token("ann", &claims);
        world.load(&token).await.refused(403, NOT_TRUSTED);
    }
    let both = json!({"act": {"sub": "svc-gateway"}, "azp": "trino-prod"});
    let both = world.issuer.token("ann", &both);
    world.load(&both).await.refused(403, "different readers");
}

#[tokio::test]
async fn a_forged_token_is_nobody() {
    let world = with_both().await;
    let stranger = Issuer::p256();
    for claims in [
        json!({"azp": "trino-prod"}),
        json!({"act": {"sub": "svc-gateway"}}),
    ] {
        world.load(&stranger.token("ann", &claims)).await.is(401);
        let mut elsewhere = claims;
        elsewhere["aud"] = json!("another-server");
        world.load(&world.issuer.token("ann", &elsewhere)).await.is(401);
    }
    for act in [
        json!("svc-gateway"),
        json!(["svc-gateway"]),
        json!({"name": "svc-gateway"}),
    ] {
        world
            .load(&world.issuer.token("ann", &json!({ "act": act })))
            .await
            .is(401);
    }
}

#[tokio::test]
async fn a_reader_without_an_end_user_is_refused() {
    let world = with_both().await;
    for user in ["trino-prod", "svc-gateway", "7d1"] {
        let body = json!({"name": user});
        world.admin("POST", "/api/metalakes/m/users", body).await.is(200);
        let path = format!("/api/metalakes/m/permissions/users/{user}/grant");
        world
            .admin("PUT", &path, json!({"roleNames": ["reads"]}))
            .await
            .is(200);
    }
    for (user, claims) in [
        ("trino-prod", json!({"azp": "trino-prod"})),
        ("trino-prod", json!({"client_id": "trino-prod"})),
        (
            "7d1",
            json!({"azp": "trino-prod", "preferred_username": "service-account-trino-prod"}),
        ),
        ("7d1", json!({"azp": "trino-prod", "idtyp": "app"})),
        ("7d1", json!({"azp": "trino-prod", "gty": "client-credentials"})),
        ("svc-gateway", json!({})),
        ("svc-gateway", json!({"azp": "svc-gateway"})),
        ("svc-gateway", json!({"act": {"sub": "svc-gateway"}})),
        ("trino-prod", json!({"act": {"sub": "svc-gateway"}})),
    ] {
        let token = world.issuer.token(user, &claims);
        world.load(&token).await.refused(403, NO_USER);
    }
}

#[tokio::test]
async fn a_suspended_user_stays_out_through_every_reader() {
    let world = with_both().await;
    let token = world.issuer.token("ann", &json!({"azp": "trino-prod"}));
    let etag = world.load(&token).await.restricted_to("ann");
    let suspend = json!({"enabled": false});
    world
        .admin("PUT", "/api/metalakes/m/users/ann", suspend)
        .await
        .is(200);
    let refused = world.load_unless(&token, &etag).await;
    assert_eq!(refused.status, 403, "{}", refused.body);
    let other = world.issuer.token("bob", &json!({"azp": "trino-prod"}));
    world.load(&other).await.restricted_to("bob");
}

#[tokio::test]
async fn an_entry_counts_as_it_is_now() {
    let world = with_both().await;
    let by_client = world.issuer.token("ann", &json!({"azp": "trino-prod"}));
    let by_actor = world.issuer.token("ann", &json!({"act": {"sub": "svc-gateway"}}));
    let first = world.load(&by_client).await.restricted_to("ann");
    // The same table for the same user through another reader is another answer.
    let other = world.load(&by_actor).await.restricted_to("ann");
    assert_ne!(first, other);
    world.load_unless(&by_actor, &first).await.is(200);
    world.load_unless(&by_client, &other).await.is(200);

    // Enrolled again: the same reader with a new revision.
    let again = json!({"name": "trino", "oauthClient": "trino-prod"});
    let revision = |enrolled: &Value| enrolled["reader"]["revision"].as_i64().expect("a revision");
    let before = revision(&world.enroll(again.clone()).await);
    let second = world.load_unless(&by_client, &first).await.restricted_to("ann");
    assert_ne!(first, second);

    // Removed: with the next request, also for those who hold the answer.
    world
        .admin("DELETE", "/api/readers/trino", Value::Null)
        .await
        .is(200);
    world
        .load_unless(&by_client, &second)
        .await
        .refused(403, NOT_TRUSTED);
    world.load(&by_actor).await.restricted_to("ann");

    // A new reader of the old name is not the old one.
    assert!(revision(&world.enroll(again).await) > before);
    let third = world.load_unless(&by_client, &second).await.restricted_to("ann");
    assert!(third != first && third != second);

    // The name goes to another client: the one before is a stranger.
    world
        .enroll(json!({"name": "trino", "oauthClient": "trino-next"}))
        .await;
    world
        .load_unless(&by_client, &third)
        .await
        .refused(403, NOT_TRUSTED);
}

#[tokio::test]
async fn enrolment_says_what_is_wrong_with_it() {
    let world = with_both().await;
    let taken = json!({"name": "second", "oauthClient": "trino-prod"});
    let refused = world.admin("POST", "/api/readers", taken).await.is(409);
    assert_eq!(refused.body["type"], "ReaderAlreadyExistsException");
    // The same text over another channel is another proof.
    world
        .enroll(json!({"name": "second", "actor": "trino-prod"}))
        .await;
    for body in [
        json!({"name": "x", "oauthClient": "a", "actor": "b"}),
        json!({"name": "x", "oauthClient": ""}),
        json!({"name": "x", "actor": " a"}),
        json!({"name": "x", "actor": "a\nb"}),
        json!({"name": "x", "oauthClient": "a".repeat(300)}),
        json!({"name": "x", "client": "a"}),
        json!({"name": "a b", "actor": "a"}),
    ] {
        world.admin("POST", "/api/readers", body).await.is(400);
    }
    let ann = world.issuer.token("ann", &json!({"azp": "trino-prod"}));
    let request = world.request("POST", "/api/readers").bearer_auth(&ann);
    answer(request.json(&json!({"name": "mine", "oauthClient": "notebook"})))
        .await
        .is(403);
}

/// The readers' own listener: the certificate says which reader, the token who the user is.
#[tokio::test]
async fn a_certificate_and_a_token_must_not_contradict_each_other() {
    let world = with_both().await;
    let enrolled = world.enroll(json!({"name": "spark"})).await;
    let text = |member: &str| enrolled[member].as_str().expect("a text").to_owned();
    let pem = format!("{}{}", text("certificate"), text("key"));
    let client = reqwest::Client::builder()
        .tls_built_in_root_certs(false)
        .add_root_certificate(reqwest::Certificate::from_pem(text("authority").as_bytes()).expect("PEM"))
        .identity(reqwest::Identity::from_pem(pem.as_bytes()).expect("PEM"))
        .build()
        .expect("a client");
    let address = world.running.reader_addr.expect("a listener");
    let load = || {
        client
            .get(format!("https://{address}{TABLE}"))
            .header(CAPABLE.0, CAPABLE.1)
    };
    let by =
        async |user: &str, claims: Value| answer(load().bearer_auth(world.issuer.token(user, &claims))).await;
    by("ann", json!({})).await.restricted_to("ann");
    by("ann", json!({"azp": "notebook"})).await.restricted_to("ann");
    by("ann", json!({"azp": "trino-prod"}))
        .await
        .refused(403, "different readers");
    by("ann", json!({"act": {"sub": "svc-gateway"}}))
        .await
        .refused(403, "different readers");
    // Nobody stands behind the reader.
    answer(load()).await.is(401);
    answer(load().basic_auth("ann", Some(PASSWORD))).await.is(401);
    let body = json!({"name": "spark-itself"});
    world.admin("POST", "/api/metalakes/m/users", body).await.is(200);
    let path = "/api/metalakes/m/permissions/users/spark-itself/grant";
    world
        .admin("PUT", path, json!({"roleNames": ["reads"]}))
        .await
        .is(200);
    by("spark-itself", json!({"azp": "spark-itself"}))
        .await
        .refused(403, NO_USER);
}

#[tokio::test]
async fn every_node_knows_a_reader_as_it_is_now() {
    let world = World::new().await;
    let Some((other, _folder)) = world.second_node().await else {
        return;
    };
    let token = world.issuer.token("ann", &json!({"azp": "trino"}));
    let at_other = async |headers: &[(&str, &str)]| {
        let mut request = reqwest::Client::new()
            .get(format!("http://{}{TABLE}", other.native_addr))
            .bearer_auth(&token);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        answer(request).await
    };
    at_other(&[CAPABLE]).await.refused(403, NOT_TRUSTED);
    world
        .enroll(json!({"name": "trino", "oauthClient": "trino"}))
        .await;
    let etag = at_other(&[CAPABLE]).await.restricted_to("ann");
    world
        .admin("DELETE", "/api/readers/trino", Value::Null)
        .await
        .is(200);
    let held = at_other(&[CAPABLE, ("If-None-Match", &etag)]).await;
    held.refused(403, NOT_TRUSTED);
}
