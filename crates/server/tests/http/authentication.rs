// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who is let in, and what the others are told.

use serde_json::json;

use crate::support::{ADMIN, PASSWORD, SECURED, SIMPLE, Server, answer};

const UNAUTHORIZED: (u16, i64, &str) = (401, 1011, "UnauthorizedException");

#[tokio::test]
async fn simple_takes_names_at_their_word() {
    let server = Server::with(SIMPLE).await;
    let me = async |header: Option<&str>| {
        let mut request = server.request("GET", "/api/authn/me");
        if let Some(header) = header {
            request = request.header("Authorization", header);
        }
        answer(request).await
    };
    assert_eq!(me(None).await.body["principal"], "anonymous");
    assert_eq!(me(Some("Basic YWxpY2U6eA==")).await.body["principal"], "alice");
    assert_eq!(me(Some("Basic %%%")).await.body["principal"], "anonymous");
    assert_eq!(me(Some("Bearer abc")).await.native(), UNAUTHORIZED);
}

#[tokio::test]
async fn basic_verifies_passwords_and_knows_groups() {
    let server = Server::with(SECURED).await;
    let path = "/api/authn/me";
    for (user, password) in [
        (ADMIN, "wrong password"),
        ("nobody", PASSWORD),
        ("", ""),
        (ADMIN, ""),
    ] {
        let refused = answer(server.request("GET", path).basic_auth(user, Some(password))).await;
        assert_eq!(refused.native(), UNAUTHORIZED, "{user}");
        assert!(!refused.headers.contains_key("www-authenticate"));
        assert_eq!(refused.body["message"], "invalid user name or password");
    }
    assert_eq!(answer(server.request("GET", path)).await.native(), UNAUTHORIZED);
    let iceberg = answer(server.request("GET", "/iceberg/v1/config")).await;
    assert_eq!(iceberg.iceberg(), (401, "NotAuthorizedException"));
    // Who has no identity does not learn which paths exist.
    assert_eq!(
        answer(server.request("GET", "/api/nope")).await.native(),
        UNAUTHORIZED
    );
    assert_eq!(server.admin("GET", path, None).await.body["principal"], ADMIN);
    // Probes need no identity.
    assert_eq!(answer(server.request("GET", "/health")).await.status, 200);
}

#[tokio::test]
async fn an_unknown_name_is_answered_as_a_wrong_password() {
    let server = Server::with(SECURED).await;
    let mut told = Vec::new();
    for user in [ADMIN, "nobody"] {
        let request = server
            .request("GET", "/api/authn/me")
            .basic_auth(user, Some("wrong password"));
        let answer = answer(request).await;
        assert_eq!(answer.status, 401);
        told.push(answer.body["message"].clone());
    }
    assert_eq!(told[0], told[1]);
}

#[tokio::test]
async fn a_password_is_refused_as_soon_as_it_was_changed() {
    let server = Server::with(SECURED).await;
    let ann = json!({"user": "ann", "password": "first password"});
    assert_eq!(
        server
            .admin("POST", "/api/idp/users", Some(ann.clone()))
            .await
            .status,
        200
    );
    let again = server.admin("POST", "/api/idp/users", Some(ann)).await;
    assert_eq!(again.native(), (409, 1004, "UserAlreadyExistsException"));
    let me = async |password: &str| {
        answer(
            server
                .request("GET", "/api/authn/me")
                .basic_auth("ann", Some(password)),
        )
        .await
        .status
    };
    assert_eq!(
        (me("first password").await, me("first password").await),
        (200, 200)
    );
    let changed = json!({"password": "second password"});
    assert_eq!(
        server
            .admin("PUT", "/api/idp/users/ann", Some(changed))
            .await
            .status,
        200
    );
    assert_eq!(
        (me("first password").await, me("second password").await),
        (401, 200)
    );
    let removed = server.admin("DELETE", "/api/idp/users/ann", None).await;
    assert_eq!(removed.body, json!({"code": 0, "removed": true}));
    assert_eq!(me("second password").await, 401);
    let missing = server.admin("GET", "/api/idp/users/ann", None).await;
    assert_eq!(missing.native(), (404, 1003, "NoSuchUserException"));
}

#[tokio::test]
async fn local_groups() {
    let server = Server::with(SECURED).await;
    let create = json!({"user": "ann", "password": "a long password"});
    server.admin("POST", "/api/idp/users", Some(create)).await;
    let group = server
        .admin(
            "POST",
            "/api/idp/groups",
            Some(json!({"group": "hr", "comment": "people"})),
        )
        .await;
    assert_eq!(
        group.body["group"],
        json!({"name": "hr", "comment": "people", "users": []})
    );
    let change = async |body| server.admin("PUT", "/api/idp/groups/hr/users", Some(body)).await;
    assert_eq!(change(json!({})).await.status, 400);
    assert_eq!(
        change(json!({"usersToAdd": ["ghost"]})).await.native(),
        (404, 1003, "NoSuchUserException")
    );
    assert_eq!(
        change(json!({"usersToAdd": ["ann"]})).await.body["group"]["users"],
        json!(["ann"])
    );
    let user = server.admin("GET", "/api/idp/users/ann", None).await;
    assert_eq!(user.body["user"], json!({"name": "ann", "groups": ["hr"]}));
    let refused = server.admin("DELETE", "/api/idp/groups/hr", None).await;
    assert_eq!(refused.status, 409);
    let forced = server
        .admin("DELETE", "/api/idp/groups/hr?force=true", None)
        .await;
    assert_eq!(forced.body["removed"], true);
    // Nobody but a service administrator.
    let ann = server
        .request("GET", "/api/idp/users/ann")
        .basic_auth("ann", Some("a long password"));
    assert_eq!(answer(ann).await.native(), (403, 1008, "ForbiddenException"));
}

#[tokio::test]
async fn accounts_need_the_built_in_identity_provider() {
    let server = Server::with(SIMPLE).await;
    let found = server.admin("GET", "/api/idp/users/ann", None).await;
    assert_eq!(found.native(), (405, 1006, "UnsupportedOperationException"));
}
