// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Wrong input of every class has a precise answer in the form of its protocol, and never closes the connection.

use serde_json::json;

use crate::support::{Answer, SIMPLE, Server, answer};

async fn post(
    server: &Server,
    path: &str,
    content_type: Option<&str>,
    body: impl Into<reqwest::Body>,
) -> Answer {
    let mut request = server
        .request("POST", path)
        .basic_auth("admin", Some("x"))
        .body(body);
    if let Some(content_type) = content_type {
        request = request.header("Content-Type", content_type);
    }
    answer(request).await
}

#[tokio::test]
async fn bodies() {
    let server = Server::with(SIMPLE).await;
    let path = "/api/metalakes";
    let json = Some("application/json");
    for (body, part) in [
        (r#"{"name": "#, "line 1 column 9"),
        (r#"{"name":"m","name":"n"}"#, "duplicate field `name`"),
        (
            r#"{"name":"m","properties":{"a":"1","a":"2"}}"#,
            "duplicate field `a`",
        ),
        (r#"{"name":"m","bogus":1}"#, "`bogus`"),
        (r#"{"name":5}"#, "`name`: invalid type"),
        (r#"{"name":"m","properties":{"a":1}}"#, "`properties.a`"),
        (r#"["m"]"#, "an object is expected"),
        (r#""m""#, "expected an object"),
        ("", "needs a JSON body"),
        (r#"{"comment":"x"}"#, "`name` is required"),
        (r#"{"name":"bad name!"}"#, "bad name!"),
        (r#"{"name":"m"} {}"#, "trailing"),
        ("\u{feff}{}", "expected value"),
    ] {
        let found = post(&server, path, json, body).await;
        assert_eq!(found.native(), (400, 1001, "IllegalArgumentException"), "{body}");
        let message = found.body["message"].as_str().unwrap_or_default();
        assert!(message.contains(part), "{body}: {message}");
        assert!(found.headers.contains_key("x-request-id"));
    }
    let deep = format!(r#"{{"name":"m","properties":{}"#, "{\"a\":".repeat(100_000));
    assert_eq!(post(&server, path, json, deep).await.status, 400);
    let no_text = post(&server, path, json, b"{\"name\":\"\xff\"}".to_vec()).await;
    assert_eq!(no_text.status, 400);
    let typed = post(&server, path, Some("text/plain"), r#"{"name":"m"}"#).await;
    assert_eq!(typed.native(), (415, 1001, "NotSupportedException"));
    let packed = server
        .request("POST", path)
        .basic_auth("admin", Some("x"))
        .header("Content-Encoding", "gzip")
        .json(&json!({"name":"m"}));
    assert_eq!(answer(packed).await.status, 415);
    let untyped = post(&server, path, None, r#"{"name":"m"}"#).await;
    assert_eq!(untyped.status, 200, "{:?}", untyped.body);
}

#[tokio::test]
async fn sizes() {
    let mut pairs = SIMPLE.to_vec();
    pairs.push(("lakeward.server.maxBodyBytes", "1000"));
    let server = Server::with(&pairs).await;
    for path in ["/api/metalakes", "/api/metalakes/m/catalogs"] {
        let found = post(&server, path, Some("application/json"), vec![b' '; 5_000_000]).await;
        assert_eq!(found.native(), (413, 1001, "IllegalArgumentException"));
    }
    let exact = format!("{:1000}", r#"{"name":"m"}"#);
    assert_eq!(
        post(&server, "/api/metalakes", Some("application/json"), exact)
            .await
            .status,
        200
    );
    let iceberg = server
        .request("POST", "/iceberg/v1/namespaces")
        .body(vec![b' '; 5_000_000]);
    assert_eq!(answer(iceberg).await.iceberg().0, 413);
}

#[tokio::test]
async fn paths_methods_and_headers() {
    let server = Server::with(SIMPLE).await;
    let ask = async |method: &str, path: &str| answer(server.request(method, path)).await;
    assert_eq!(
        ask("GET", "/api/nope").await.native(),
        (404, 1003, "NotFoundException")
    );
    assert_eq!(
        ask("GET", "/nope").await.native(),
        (404, 1003, "NotFoundException")
    );
    assert_eq!(ask("GET", "/apixyz").await.native().0, 404);
    assert_eq!(
        ask("GET", "/iceberg/v1/p/x/y").await.iceberg(),
        (404, "NotFoundException")
    );
    let wrong = ask("POST", "/api/authn/me").await;
    assert_eq!(wrong.native(), (405, 1006, "UnsupportedOperationException"));
    assert_eq!(wrong.headers["allow"], "GET, HEAD");
    assert_eq!(
        ask("GET", "/api/metalakes/%ff").await.native(),
        (400, 1001, "IllegalArgumentException")
    );
    assert_eq!(ask("GET", "/api/metalakes/%00").await.native().0, 400);
    assert_eq!(ask("GET", "/api/metalakes?details=%ff").await.native().0, 400);
    assert_eq!(
        ask("GET", "/api/metalakes/a%2Fb%1Fc").await.native(),
        (403, 1008, "ForbiddenException")
    );
    assert_eq!(ask("GET", "/api/metalakes/").await.status, 200);
    let head = ask("HEAD", "/api/metalakes").await;
    assert_eq!(
        (head.status, head.headers["content-length"].to_str().unwrap()),
        (200, "25")
    );
    let with = async |name: &str, value: &[u8]| {
        let value = reqwest::header::HeaderValue::from_bytes(value).unwrap();
        answer(server.request("GET", "/api/metalakes").header(name, value)).await
    };
    for accepted in [
        "*/*",
        "application/json",
        "application/vnd.gravitino.v1+json",
        "text/html",
    ] {
        assert_eq!(
            with("Accept", accepted.as_bytes()).await.status,
            200,
            "{accepted}"
        );
    }
    assert_eq!(
        with("Accept", b"application/vnd.gravitino.v9+json")
            .await
            .native(),
        (406, 1001, "NotAcceptableException")
    );
    let roles = "X-Gravitino-Active-Roles";
    assert_eq!(
        with(roles, b"a,,b").await.native(),
        (400, 1001, "IllegalActiveRolesException")
    );
    assert_eq!(
        with(roles, b"ALL,b").await.native(),
        (400, 1001, "IllegalActiveRolesException")
    );
    assert_eq!(with(roles, b"\xff").await.native().0, 400);
    // The capability header alone is never an error: a malformed value declares nothing.
    assert_eq!(
        with("X-Gravitino-Client-Capabilities", b"\xff,,").await.status,
        200
    );
    assert_eq!(
        with("X-Request-Id", b"abc-1").await.headers["x-request-id"],
        "abc-1"
    );
    let replaced = with("X-Request-Id", b"a b").await;
    assert_ne!(replaced.headers["x-request-id"], "a b");
}

#[tokio::test]
async fn who_may_not_do_it_learns_nothing_of_the_body() {
    let server = Server::with(SIMPLE).await;
    let request = server
        .request("POST", "/api/metalakes")
        .basic_auth("bob", Some("x"))
        .body("{");
    assert_eq!(answer(request).await.native(), (403, 1008, "ForbiddenException"));
    let request = server
        .request("PUT", "/api/metalakes/nope")
        .basic_auth("bob", Some("x"))
        .body("{");
    assert_eq!(answer(request).await.native(), (403, 1008, "ForbiddenException"));
}
