// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tokens that people make for their programs: what they open, what they never do, and how they end.

use std::sync::Arc;
use std::time::Duration;

use lakeward_operations::step::{Observer, Step, Verdict};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::{ADMIN, Answer, SECURED, SIMPLE, Server, answer, stores};

const ANN: &str = "the password of ann";
const DAY: u64 = 24 * 60 * 60;

/// Two metalakes, of which ann is a user; in `m` she holds the roles `makes` and `lists`.
async fn world(store: &str) -> Server {
    let server = Server::on(store, SECURED).await;
    server.running.app.operations.clock().advance(Duration::ZERO);
    let change = async |method: &str, path: &str, body: Value| {
        let answer = server.admin(method, path, Some(body)).await;
        assert_eq!(answer.status, 200, "{method} {path}: {:?}", answer.body);
    };
    change("POST", "/api/idp/users", json!({"user": "ann", "password": ANN})).await;
    for metalake in ["m", "n"] {
        change("POST", "/api/metalakes", json!({"name": metalake})).await;
        change(
            "POST",
            &format!("/api/metalakes/{metalake}/users"),
            json!({"name": "ann"}),
        )
        .await;
    }
    for (role, privilege) in [("makes", "create_tag"), ("lists", "create_policy")] {
        let privileges = json!([{"name": privilege, "condition": "allow"}]);
        let object = json!({"fullName": "m", "type": "metalake", "privileges": privileges});
        change(
            "POST",
            "/api/metalakes/m/roles",
            json!({"name": role, "properties": {}, "securableObjects": [object]}),
        )
        .await;
    }
    let roles = json!({"roleNames": ["makes", "lists"]});
    change("PUT", "/api/metalakes/m/permissions/users/ann/grant", roles).await;
    server
}

async fn by_password(server: &Server, user: &str, method: &str, path: &str, body: Option<Value>) -> Answer {
    let request = server.request(method, path).basic_auth(user, Some(ANN));
    answer(match body {
        Some(body) => request.json(&body),
        None => request,
    })
    .await
}

async fn by_token(server: &Server, token: &str, method: &str, path: &str, body: Option<Value>) -> Answer {
    let request = server.request(method, path).bearer_auth(token);
    answer(match body {
        Some(body) => request.json(&body),
        None => request,
    })
    .await
}

/// Ann makes a token with these members beside its name and a day.
async fn make(server: &Server, name: &str, scope: Value) -> String {
    let mut body = json!({"name": name, "expiresInSeconds": DAY});
    let members = body.as_object_mut().unwrap();
    members.extend(scope.as_object().unwrap().clone());
    let made = by_password(server, "ann", "POST", "/api/authn/me/tokens", Some(body)).await;
    assert_eq!(made.status, 200, "{:?}", made.body);
    made.body["secret"].as_str().unwrap().to_owned()
}

async fn principal(server: &Server, token: &str) -> (u16, Value) {
    let answer = by_token(server, token, "GET", "/api/authn/me", None).await;
    (answer.status, answer.body["principal"].clone())
}

#[tokio::test]
async fn a_token_speaks_for_its_owner_until_it_ends_on_every_node() {
    for store in stores() {
        let server = world(&store).await;
        let other = if store == "memory" {
            None
        } else {
            Some(Server::on(&store, SECURED).await)
        };
        let status = async |token: &str| {
            let here = principal(&server, token).await.0;
            if let Some(other) = &other {
                assert_eq!(principal(other, token).await.0, here);
            }
            here
        };
        let made = by_password(
            &server,
            "ann",
            "POST",
            "/api/authn/me/tokens",
            Some(json!({"name": "etl", "expiresInSeconds": DAY, "metalakes": ["m"], "readOnly": true})),
        )
        .await;
        assert_eq!(made.headers["cache-control"], "no-store");
        let secret = made.body["secret"].as_str().unwrap();
        assert!(secret.starts_with("lwpat_") && secret.len() == 70, "{secret}");
        let shown = &made.body["token"];
        assert_eq!(shown["prefix"], secret[..12]);
        assert_eq!(shown["metalakes"], json!(["m"]));
        assert_eq!(shown["readOnly"], true);
        assert_eq!(principal(&server, secret).await, (200, json!("ann")));
        let iceberg = by_token(&server, secret, "GET", "/iceberg/v1/config", None).await;
        assert_eq!(iceberg.status, 200, "{:?}", iceberg.body);
        // The list says everything but the secret.
        let listed = by_password(&server, "ann", "GET", "/api/authn/me/tokens", None).await;
        assert_eq!(listed.body, json!({"code": 0, "tokens": [shown]}));
        let of_ann = server.admin("GET", "/api/idp/users/ann/tokens", None).await;
        assert_eq!(of_ann.body, listed.body);
        let again = json!({"name": "etl", "expiresInSeconds": DAY});
        let again = by_password(&server, "ann", "POST", "/api/authn/me/tokens", Some(again)).await;
        assert_eq!(again.native(), (409, 1004, "AccessTokenAlreadyExistsException"));

        // Revoked by its owner.
        assert_eq!(status(secret).await, 200);
        let removed = by_password(&server, "ann", "DELETE", "/api/authn/me/tokens/etl", None).await;
        assert_eq!(removed.body, json!({"code": 0, "removed": true}));
        let removed = by_password(&server, "ann", "DELETE", "/api/authn/me/tokens/etl", None).await;
        assert_eq!(removed.body, json!({"code": 0, "removed": false}));
        assert_eq!(status(secret).await, 401);
        // Revoked by an administrator.
        let second = make(&server, "second", json!({})).await;
        assert_eq!(status(&second).await, 200);
        let removed = server
            .admin("DELETE", "/api/idp/users/ann/tokens/second", None)
            .await;
        assert_eq!(removed.body["removed"], true);
        assert_eq!(status(&second).await, 401);
        // Suspended in a metalake.
        let third = make(&server, "third", json!({})).await;
        let load = async |token: &str| {
            by_token(&server, token, "GET", "/api/metalakes/m", None)
                .await
                .status
        };
        assert_eq!(load(&third).await, 200);
        let enable = async |enabled: bool| {
            let body = json!({"enabled": enabled});
            server
                .admin("PUT", "/api/metalakes/m/users/ann", Some(body))
                .await
        };
        assert_eq!(enable(false).await.status, 200);
        assert_eq!(load(&third).await, 403);
        assert_eq!(enable(true).await.status, 200);
        assert_eq!(load(&third).await, 200);
        // Gone with its account, also when there is another of the same name.
        assert_eq!(status(&third).await, 200);
        server.admin("DELETE", "/api/idp/users/ann", None).await;
        assert_eq!(status(&third).await, 401);
        let ann = json!({"user": "ann", "password": ANN});
        server.admin("POST", "/api/idp/users", Some(ann)).await;
        assert_eq!(status(&third).await, 401);
        // Over.
        let fourth = make(&server, "fourth", json!({})).await;
        let clock = server.running.app.operations.clock();
        clock.advance(Duration::from_secs(DAY - 1));
        assert_eq!(principal(&server, &fourth).await.0, 200);
        clock.advance(Duration::from_secs(1));
        let over = by_token(&server, &fourth, "GET", "/api/authn/me", None).await;
        assert_eq!(over.native(), (401, 1011, "TokenExpiredException"));
        assert_eq!(
            over.headers["www-authenticate"],
            "Bearer realm=\"lakeward\", error=\"invalid_token\""
        );
        let over = by_token(&server, &fourth, "GET", "/iceberg/v1/config", None).await;
        assert_eq!(over.iceberg(), (401, "NotAuthorizedException"));
        // Its name is free again.
        make(&server, "fourth", json!({})).await;
        let over = by_token(&server, &fourth, "GET", "/api/authn/me", None).await;
        assert_eq!(over.native(), (401, 1011, "UnauthorizedException"));
    }
}

#[tokio::test]
async fn what_is_no_token() {
    let server = world("memory").await;
    let secret = make(&server, "etl", json!({})).await;
    let mut wrong = secret.clone();
    let last = if wrong.pop() == Some('0') { '1' } else { '0' };
    wrong.push(last);
    for token in [
        wrong,
        secret.to_uppercase(),
        secret[..69].to_owned(),
        format!("{secret}0"),
        "lwpat_".to_owned(),
        "abc".to_owned(),
    ] {
        let refused = by_token(&server, &token, "GET", "/api/authn/me", None).await;
        assert_eq!(refused.native(), (401, 1011, "UnauthorizedException"), "{token}");
    }
    // Whoever takes names at their word knows no tokens.
    let simple = Server::with(SIMPLE).await;
    assert_eq!(principal(&simple, &secret).await.0, 401);
    let made = json!({"name": "t", "expiresInSeconds": DAY});
    let refused = simple.admin("POST", "/api/authn/me/tokens", Some(made)).await;
    assert_eq!(refused.native(), (405, 1006, "UnsupportedOperationException"));
}

#[tokio::test]
async fn what_cannot_be_made() {
    let server = world("memory").await;
    for (body, says) in [
        (json!({"expiresInSeconds": DAY}), "name"),
        (json!({"name": "t"}), "expiresInSeconds"),
        (json!({"name": "t", "expiresInSeconds": 0}), "maxLifetimeDays"),
        (
            json!({"name": "t", "expiresInSeconds": 366 * DAY}),
            "maxLifetimeDays",
        ),
        (
            json!({"name": "t", "expiresInSeconds": u64::MAX}),
            "maxLifetimeDays",
        ),
        (json!({"name": "a/b", "expiresInSeconds": DAY}), "a/b"),
        (
            json!({"name": "t", "expiresInSeconds": DAY, "metalakes": []}),
            "metalakes",
        ),
        (
            json!({"name": "t", "expiresInSeconds": DAY, "roles": ["makes"]}),
            "one metalake",
        ),
        (
            json!({"name": "t", "expiresInSeconds": DAY, "metalakes": ["m", "n"], "roles": ["makes"]}),
            "one metalake",
        ),
        (
            json!({"name": "t", "expiresInSeconds": DAY, "scope": "all"}),
            "scope",
        ),
    ] {
        let refused = by_password(&server, "ann", "POST", "/api/authn/me/tokens", Some(body.clone())).await;
        assert_eq!(refused.status, 400, "{body}");
        let message = refused.body["message"].as_str().unwrap();
        assert!(message.contains(says), "{message}");
    }
    let listed = by_password(&server, "ann", "GET", "/api/authn/me/tokens", None).await;
    assert_eq!(listed.body["tokens"], json!([]));
    // Only service administrators see those of others.
    let others = by_password(&server, "ann", "GET", "/api/idp/users/admin/tokens", None).await;
    assert_eq!(others.native(), (403, 1008, "ForbiddenException"));
    let missing = server.admin("GET", "/api/idp/users/nobody/tokens", None).await;
    assert_eq!(missing.native(), (404, 1003, "NoSuchUserException"));
}

#[tokio::test]
async fn a_token_is_no_wider_than_its_scope() {
    for store in stores() {
        let server = world(&store).await;
        let tag = |name: &str| Some(json!({"name": name}));
        let tags = "/api/metalakes/m/tags";
        let all = make(&server, "all", json!({})).await;
        assert_eq!(by_token(&server, &all, "POST", tags, tag("a")).await.status, 200);
        assert_eq!(
            by_token(&server, &all, "GET", "/api/metalakes/n", None)
                .await
                .status,
            200
        );

        let reads = make(&server, "reads", json!({"readOnly": true})).await;
        assert_eq!(by_token(&server, &reads, "GET", tags, None).await.status, 200);
        let refused = by_token(&server, &reads, "POST", tags, tag("b")).await;
        assert_eq!(refused.native(), (403, 1008, "ForbiddenException"));
        assert_eq!(
            refused.body["message"],
            "the access token `reads` is for reading only"
        );

        let only_m = make(&server, "only-m", json!({"metalakes": ["m"]})).await;
        assert_eq!(
            by_token(&server, &only_m, "POST", tags, tag("c")).await.status,
            200
        );
        let mut told = Vec::new();
        for metalake in ["n", "missing"] {
            let path = format!("/api/metalakes/{metalake}");
            let refused = by_token(&server, &only_m, "GET", &path, None).await;
            assert_eq!(refused.native(), (403, 1008, "ForbiddenException"));
            told.push(refused.body["message"].clone());
        }
        assert_eq!(told[0], told[1]);
        let refused = by_token(&server, &only_m, "POST", "/api/metalakes", tag("o")).await;
        assert_eq!(refused.native(), (403, 1008, "ForbiddenException"));
        let listed = by_token(&server, &only_m, "GET", "/api/metalakes", None).await;
        let names: Vec<&Value> = listed.body["metalakes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|metalake| &metalake["name"])
            .collect();
        assert_eq!(names, ["m"]);

        let narrowed = json!({"metalakes": ["m"], "roles": ["lists"]});
        let narrowed = make(&server, "narrowed", narrowed).await;
        assert_eq!(by_token(&server, &narrowed, "GET", tags, None).await.status, 200);
        assert_eq!(
            by_token(&server, &narrowed, "POST", tags, tag("d")).await.status,
            403
        );
        let with_roles = async |roles: &str| {
            let request = server.request("POST", tags).bearer_auth(&narrowed);
            let request = request.header("X-Gravitino-Active-Roles", roles);
            answer(request.json(&json!({"name": "d"}))).await.status
        };
        assert_eq!([with_roles("ALL").await, with_roles("makes").await], [403, 403]);
        assert_eq!([with_roles("lists").await, with_roles("NONE").await], [403, 403]);
        let wide = make(
            &server,
            "wide",
            json!({"metalakes": ["m"], "roles": ["lists", "makes"]}),
        )
        .await;
        assert_eq!(by_token(&server, &wide, "POST", tags, tag("d")).await.status, 200);
    }
}

#[tokio::test]
async fn a_token_manages_no_accounts_passwords_tokens_or_readers() {
    let server = world("memory").await;
    let made = json!({"name": "root", "expiresInSeconds": DAY});
    let made = server.admin("POST", "/api/authn/me/tokens", Some(made)).await;
    let token = made.body["secret"].as_str().unwrap();
    // It is an administrator's, in everything else.
    let metalake = Some(json!({"name": "o"}));
    assert_eq!(
        by_token(&server, token, "POST", "/api/metalakes", metalake)
            .await
            .status,
        200
    );
    let password = json!({"oldPassword": crate::support::PASSWORD, "newPassword": "another password"});
    for (method, path, body) in [
        (
            "POST",
            "/api/authn/me/tokens",
            Some(json!({"name": "t", "expiresInSeconds": DAY})),
        ),
        ("GET", "/api/authn/me/tokens", None),
        ("DELETE", "/api/authn/me/tokens/root", None),
        ("PUT", "/api/authn/me/password", Some(password)),
        (
            "PUT",
            "/api/idp/users/admin",
            Some(json!({"password": "another password"})),
        ),
        (
            "POST",
            "/api/idp/users",
            Some(json!({"user": "eve", "password": "another password"})),
        ),
        ("GET", "/api/idp/users/ann/tokens", None),
        ("DELETE", "/api/idp/users/ann/tokens/t", None),
        ("POST", "/api/readers", Some(json!({"name": "gateway"}))),
        ("DELETE", "/api/readers/gateway", None),
    ] {
        let refused = by_token(&server, token, method, path, body).await;
        assert_eq!(
            refused.native(),
            (403, 1008, "ForbiddenException"),
            "{method} {path}"
        );
    }
    assert_eq!(principal(&server, token).await, (200, json!(ADMIN)));
}

#[tokio::test]
async fn the_audit_names_the_token_and_never_shows_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    let mut settings = crate::support::settings(folder.path(), SECURED);
    settings.audit.enabled = true;
    settings.audit.file.clone_from(&file);
    let server = Server::started(settings, folder).await;
    let ann = json!({"user": "ann", "password": ANN});
    server.admin("POST", "/api/idp/users", Some(ann)).await;
    let secret = make(&server, "etl", json!({"readOnly": true})).await;
    by_token(&server, &secret, "GET", "/api/authn/me", None).await;
    by_token(
        &server,
        &secret,
        "POST",
        "/api/metalakes",
        Some(json!({"name": "m"})),
    )
    .await;
    by_password(&server, "ann", "DELETE", "/api/authn/me/tokens/etl", None).await;
    by_token(&server, &secret, "GET", "/api/authn/me", None).await;
    server.running.app.audit.flush().await;
    let log = std::fs::read_to_string(&file).unwrap();
    assert!(!log.contains(&secret[6..]), "{log}");
    let records: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |operation: &str| {
        let mut found = records.iter().filter(|record| record["operation"] == operation);
        (found.next().unwrap().clone(), found.next().cloned())
    };
    let (made, _) = of("CreateAccessToken");
    assert_eq!(
        (&made["user"], &made["concerns"]),
        (&json!("ann"), &json!("access token `etl`"))
    );
    let (used, refused) = of("WhoAmI");
    assert_eq!(
        (&used["user"], &used["access-token"]),
        (&json!("ann"), &json!("etl"))
    );
    let refused = refused.unwrap();
    assert_eq!(
        (&refused["outcome"], &refused["status"]),
        (&json!("refused"), &json!(401))
    );
    let (out_of_scope, _) = of("CreateMetalake");
    assert_eq!(out_of_scope["access-token"], "etl");
    assert_eq!(out_of_scope["outcome"], "refused");
    let (ended, _) = of("RemoveAccessToken");
    assert_eq!(ended["path"], "/api/authn/me/tokens/etl");
}

/// Holds the requests of one id when they are about to be decided.
#[derive(Debug, Clone, Default)]
struct Held {
    arrived: Arc<Notify>,
    go_on: Arc<Notify>,
}

impl Observer for Held {
    fn reached(&self, step: Step, request_id: &str) -> Verdict {
        if step != Step::Authorization || request_id != "held" {
            return Verdict::Proceed;
        }
        self.arrived.notify_one();
        Verdict::Wait(Arc::clone(&self.go_on))
    }
}

#[tokio::test]
async fn a_password_that_is_no_longer_right_makes_no_token() {
    let server = world("memory").await;
    let held = Held::default();
    let steps = server.running.app.operations.steps();
    assert!(steps.watch(Box::new(held.clone())), "the first observer");
    let another = json!({"password": "another password of ann"});
    let ann = json!({"user": "ann", "password": ANN});
    for changes in [
        vec![("PUT", "/api/idp/users/ann", Some(another))],
        vec![("DELETE", "/api/idp/users/ann", None)],
        vec![
            ("DELETE", "/api/idp/users/ann", None),
            ("POST", "/api/idp/users", Some(ann.clone())),
        ],
    ] {
        server.admin("DELETE", "/api/idp/users/ann", None).await;
        server.admin("POST", "/api/idp/users", Some(ann.clone())).await;
        let request = server
            .request("POST", "/api/authn/me/tokens")
            .basic_auth("ann", Some(ANN))
            .header("X-Request-Id", "held")
            .json(&json!({"name": "etl", "expiresInSeconds": DAY}));
        let making = tokio::spawn(async move { answer(request).await });
        held.arrived.notified().await;
        for (method, path, body) in changes {
            assert_eq!(
                server.admin(method, path, body).await.status,
                200,
                "{method} {path}"
            );
        }
        held.go_on.notify_one();
        let refused = making.await.unwrap();
        assert_eq!(refused.native(), (401, 1011, "UnauthorizedException"));
        let kept = server.admin("GET", "/api/idp/users/ann/tokens", None).await;
        assert!(
            kept.status == 404 || kept.body["tokens"] == json!([]),
            "{:?}",
            kept.body
        );
    }
}
