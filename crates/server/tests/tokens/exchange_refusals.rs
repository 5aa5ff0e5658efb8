// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every way in which a token exchange is refused, each by the error that RFC 6749 and RFC 8693 have for it.

use serde_json::{Value, json};

use crate::exchange::{GRANT, Parameters, exchange, given, of_client, parameters, refused, world};
use crate::issuer::{Issuer, now};
use crate::world::answer;

#[tokio::test]
async fn what_is_asked_wrongly_is_refused_by_its_kind() {
    let world = world().await;
    let good = || world.issuer.token("ann", &json!({"scope": "lake"}));
    let trino = || of_client(&world, "trino-prod");
    let with = |name: &'static str, value: &str| {
        let mut sent = parameters(good(), trino());
        sent.retain(|(known, _)| *known != name);
        sent.push((name, value.to_owned()));
        sent
    };
    let twice = {
        let mut sent = parameters(good(), trino());
        sent.push(("subject_token", good()));
        sent
    };
    let of_subject = |user: &str, claims: Value| parameters(world.issuer.token(user, &claims), trino());
    let stranger = Issuer::p256();
    for (sent, status, error, part) in [
        (
            with("grant_type", ""),
            400,
            "invalid_request",
            "`grant_type` is required",
        ),
        (
            with("grant_type", "client_credentials"),
            400,
            "unsupported_grant_type",
            "grant_type",
        ),
        (
            with("subject_token", ""),
            400,
            "invalid_request",
            "`subject_token` is required",
        ),
        (
            with("subject_token_type", ""),
            400,
            "invalid_request",
            "`subject_token_type` is required",
        ),
        (
            with("subject_token_type", "urn:ietf:params:oauth:token-type:saml2"),
            400,
            "invalid_request",
            "subject_token_type",
        ),
        (
            with("actor_token_type", ""),
            400,
            "invalid_request",
            "go together",
        ),
        (with("actor_token", ""), 400, "invalid_request", "go together"),
        (
            with("actor_token_type", "x"),
            400,
            "invalid_request",
            "actor_token_type",
        ),
        (
            with(
                "requested_token_type",
                "urn:ietf:params:oauth:token-type:refresh_token",
            ),
            400,
            "invalid_request",
            "requested_token_type",
        ),
        (twice, 400, "invalid_request", "more than once"),
        // Other servers.
        (
            with("audience", "another-server"),
            400,
            "invalid_target",
            "this server only",
        ),
        (
            with("resource", "https://elsewhere.example"),
            400,
            "invalid_target",
            "this server only",
        ),
        // More than there is.
        (with("scope", "lake admin"), 400, "invalid_scope", "more than"),
        // Who asks.
        (
            parameters(
                good(),
                world.issuer.token(
                    "notebook",
                    &json!({"azp": "notebook", "gty": "client-credentials"}),
                ),
            ),
            401,
            "invalid_client",
            "enrolled reader",
        ),
        (
            parameters(good(), good()),
            401,
            "invalid_client",
            "enrolled reader",
        ),
        // A user's token that the client obtained is not the client's own.
        (
            parameters(good(), world.issuer.token("bob", &json!({"azp": "trino-prod"}))),
            401,
            "invalid_client",
            "enrolled reader",
        ),
        (
            parameters(
                good(),
                world
                    .issuer
                    .token("bob", &json!({"act": {"sub": "svc-notebooks"}})),
            ),
            401,
            "invalid_client",
            "enrolled reader",
        ),
        (
            parameters(
                good(),
                stranger.token("trino-prod", &json!({"azp": "trino-prod"})),
            ),
            401,
            "invalid_client",
            "not signed",
        ),
        (
            parameters(good(), of_client(&world, "spark-prod")),
            400,
            "unauthorized_client",
            "without the right",
        ),
        // For whom.
        (
            parameters(stranger.token("ann", &json!({})), trino()),
            400,
            "invalid_request",
            "not signed",
        ),
        (
            of_subject("ann", json!({"exp": now() - 600})),
            400,
            "invalid_request",
            "expired",
        ),
        (
            of_subject("ann", json!({"nbf": now() + 600})),
            400,
            "invalid_request",
            "not valid yet",
        ),
        (
            of_subject("ann", json!({"aud": "another-server"})),
            400,
            "invalid_request",
            "aud",
        ),
        (
            of_subject("ann", json!({"act": {"sub": "svc-notebooks"}})),
            400,
            "invalid_request",
            "acts for its user",
        ),
        (
            of_subject("trino-prod", json!({"azp": "trino-prod"})),
            400,
            "invalid_request",
            "no end user",
        ),
        (
            of_subject("svc-notebooks", json!({})),
            400,
            "invalid_request",
            "no end user",
        ),
        (
            of_subject("ann", json!({"sub": null, "client_id": "ann"})),
            400,
            "invalid_request",
            "",
        ),
        (
            of_subject("ann", json!({"may_act": {"sub": "spark-prod"}})),
            400,
            "invalid_request",
            "may_act",
        ),
        (
            of_subject(
                "ann",
                json!({"may_act": {"iss": "https://other.example", "sub": "trino-prod"}}),
            ),
            400,
            "invalid_request",
            "may_act",
        ),
        (
            of_subject("ann", json!({"may_act": "trino-prod"})),
            400,
            "invalid_request",
            "may_act",
        ),
    ] {
        refused(&exchange(&world, &sent).await, status, error, part);
    }
    let may = of_subject("ann", json!({"may_act": {"sub": "trino-prod"}}));
    let token = given(exchange(&world, &may).await);
    // Neither half of an exchange is made of what one gave.
    let again = parameters(token.clone(), trino());
    refused(
        &exchange(&world, &again).await,
        400,
        "invalid_request",
        "in exchange already",
    );
    let acting = parameters(good(), token);
    refused(
        &exchange(&world, &acting).await,
        401,
        "invalid_client",
        "in exchange already",
    );
    // Nobody at all, and no form.
    let alone: Parameters = parameters(good(), String::new())
        .into_iter()
        .filter(|(name, _)| !name.starts_with("actor"))
        .collect();
    refused(
        &exchange(&world, &alone).await,
        401,
        "invalid_client",
        "enrolled reader",
    );
    let json = world
        .request("POST", "/oauth/token")
        .json(&json!({"grant_type": GRANT}));
    refused(
        &answer(json).await,
        415,
        "invalid_request",
        "x-www-form-urlencoded",
    );
}
