// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Upstreams that fail, refuse, lie or lead elsewhere, and properties that no catalog can have.

use serde_json::{Value, json};

use super::federate;
use super::pretended::{Pretended, Said, TABLE, table};
use crate::harness::{ADMIN, NONE, PASSWORD, Server};

const PATH: &str = "/up/namespaces/n/tables/t";
const TEST: &str = "/metalakes/m/catalogs/up/testConnection";

/// Asserts that the upstream's fault is told as one, and nothing of its own words.
#[track_caller]
fn is_its_fault(what: &str, answer: &crate::harness::Answer) {
    let error = &answer.body["error"];
    assert_eq!(
        (answer.status, error["type"].as_str()),
        (503, Some("ServiceUnavailableException")),
        "{what}: {}",
        answer.body
    );
    let text = answer.body.to_string();
    assert!(
        !text.contains("secret-of-upstream") && !text.contains("127.0.0.1"),
        "{text}"
    );
}

#[tokio::test]
async fn its_faults_are_not_those_of_the_caller() {
    let upstream = Pretended::start().await;
    let elsewhere = Pretended::start().await;
    elsewhere.say(TABLE, Said::json(&table(json!({}))));
    upstream.say(TABLE, Said::json(&table(json!({}))));
    let server = upstream.server(json!({})).await;
    server.ask("GET", PATH, NONE).await.is(200);
    let error = |code: u16| {
        let error = json!({"error": {"type": "X", "code": code, "message": "secret-of-upstream"}});
        Said::text(code, error.to_string())
    };
    let mut no_location = table(json!({}));
    no_location["metadata-location"] = Value::Null;
    let mut version_9 = table(json!({}));
    version_9["metadata"]["format-version"] = json!(9);
    let twice = table(json!({})).to_string().replacen(
        '{',
        r#"{"read-restrictions":null,"read-restrictions":null,"#,
        1,
    );
    let redirect = Said {
        status: 302,
        location: Some(format!("{}{TABLE}", elsewhere.uri)),
        body: Vec::new(),
    };
    for (what, said) in [
        ("401", error(401)),
        ("403", error(403)),
        ("406", error(406)),
        ("400", error(400)),
        ("429", error(429)),
        ("500", error(500)),
        ("503", error(503)),
        ("a page", Said::text(200, "<html>secret-of-upstream</html>")),
        (
            "a foreign 404",
            Said::text(404, "<html>secret-of-upstream</html>"),
        ),
        ("nothing", Said::text(200, "")),
        ("bytes", Said::text(200, vec![0xff; 100])),
        ("a list", Said::text(200, "[]")),
        ("no location", Said::json(&no_location)),
        ("format 9", Said::json(&version_9)),
        ("a repeated member", Said::text(200, twice)),
        ("a way elsewhere", redirect),
    ] {
        upstream.say(TABLE, said);
        is_its_fault(what, &server.ask("GET", PATH, NONE).await);
    }
    assert!(elsewhere.asked(TABLE).is_empty(), "no redirect is followed");
    // A table that went is no fault.
    upstream.say(TABLE, error(404));
    server
        .ask("GET", PATH, NONE)
        .await
        .fails(404, "NoSuchTableException");
    // Lists that do not end, or are too long.
    let tables = "/v1/namespaces/n/tables";
    let page = json!({"identifiers": [], "next-page-token": "again"});
    upstream.say(tables, Said::json(&page));
    is_its_fault(
        "a list without end",
        &server.ask("GET", "/up/namespaces/n/tables", NONE).await,
    );
    upstream.say(tables, Said::text(200, vec![b' '; 33 * 1024 * 1024]));
    is_its_fault(
        "a huge list",
        &server.ask("GET", "/up/namespaces/n/tables", NONE).await,
    );
    // Names that it may not have.
    let odd = json!({"identifiers": [{"namespace": ["n"], "name": "t"}, {"namespace": ["m"], "name": "x"},
        {"namespace": ["n"], "name": ""}, {"namespace": ["n"], "name": "a\u{0}b"}]});
    upstream.say(tables, Said::json(&odd));
    let listed = server.ask("GET", "/up/namespaces/n/tables", NONE).await.is(200);
    assert_eq!(super::names(&listed), ["t"]);
}

#[tokio::test]
async fn one_that_does_not_answer_is_not_waited_for_long() {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
        .await
        .expect("a port");
    let uri = format!("http://{}", listener.local_addr().expect("an address"));
    let server = Server::start().await;
    let properties = json!({"catalog-backend": "rest", "uri": uri, "rest-client-socket-timeout-ms": "200"});
    federate(&server, properties).await.is(200);
    // It accepts connections and says nothing.
    is_its_fault("silence", &server.ask("GET", PATH, NONE).await);
    drop(listener);
    is_its_fault("nobody", &server.ask("GET", PATH, NONE).await);
    let tested = server.native(ADMIN, "POST", TEST, json!({})).await;
    assert_ne!(tested.body["code"], 0, "{}", tested.body);
    // What is here only is served and changed without it.
    server
        .native(ADMIN, "GET", "/metalakes/m/catalogs/up", NONE)
        .await
        .is(200);
    server
        .native(ADMIN, "DELETE", "/metalakes/m/catalogs/up?force=true", NONE)
        .await
        .is(200);
}

#[tokio::test]
async fn a_catalog_is_not_its_own_upstream() {
    let server = Server::start().await;
    let properties = json!({
        "catalog-backend": "rest", "uri": server.iceberg_uri(), "warehouse": "up",
        "rest.auth.basic.username": ADMIN, "rest.auth.basic.password": PASSWORD,
    });
    federate(&server, properties).await.is(200);
    for path in ["/up/namespaces", "/up/namespaces/n/tables", PATH] {
        is_its_fault(path, &server.ask("GET", path, NONE).await);
    }
}

#[tokio::test]
async fn tokens_are_asked_for_kept_and_replaced() {
    let upstream = Pretended::start().await;
    upstream.say(TABLE, Said::json(&table(json!({}))));
    let token = json!({"access_token": "first", "token_type": "bearer", "expires_in": 3600});
    upstream.say("/v1/oauth/tokens", Said::json(&token));
    let server = upstream
        .server(json!({"credential": "me:SECRET", "scope": "all"}))
        .await;
    for _ in 0..3 {
        server.ask("GET", PATH, NONE).await.is(200);
    }
    assert_eq!(upstream.asked("/v1/oauth/tokens").len(), 1);
    assert!(
        upstream
            .asked(TABLE)
            .iter()
            .all(|asked| asked["authorization"] == "Bearer first")
    );
    // A token that is no longer taken is replaced once.
    let refused = json!({"error": {"type": "NotAuthorizedException", "code": 401, "message": "no"}});
    upstream.say(TABLE, Said::text(401, refused.to_string()));
    is_its_fault("401", &server.ask("GET", PATH, NONE).await);
    assert_eq!(upstream.asked("/v1/oauth/tokens").len(), 2);
    upstream.say("/v1/oauth/tokens", Said::text(401, "no"));
    is_its_fault("no token", &server.ask("GET", PATH, NONE).await);
    // Nothing of it is ever shown.
    let shown = server
        .native(ADMIN, "GET", "/metalakes/m/catalogs/up", NONE)
        .await
        .is(200);
    assert!(!shown.body.to_string().contains("SECRET"), "{}", shown.body);
}

#[tokio::test]
async fn properties_are_checked() {
    let upstream = Pretended::start().await;
    let server = Server::start().await;
    for (what, more) in [
        ("no address", json!({"uri": ""})),
        ("no URL", json!({"uri": "catalog"})),
        ("another scheme", json!({"uri": "file:///etc/passwd"})),
        ("a user", json!({"uri": upstream.uri.replace("//", "//u:p@")})),
        ("a query", json!({"uri": format!("{}?a=b", upstream.uri)})),
        (
            "a host that is not allowed",
            json!({"uri": "http://169.254.169.254/latest"}),
        ),
        ("a name that is not allowed", json!({"uri": "http://localhost:1"})),
        (
            "an endpoint that is not allowed",
            json!({"credential": "a:b", "oauth2-server-uri": "http://10.0.0.1/"}),
        ),
        ("two ways", json!({"token": "a", "credential": "b"})),
        ("half a way", json!({"rest.auth.basic.password": "b"})),
        ("a header of the connection", json!({"header.Host": "other"})),
        ("no header", json!({"header.a b": "c"})),
        ("no time", json!({"rest-client-socket-timeout-ms": "0"})),
        ("another word", json!({"lakeward.upstream-credentials": "all"})),
    ] {
        let mut properties = json!({"catalog-backend": "rest", "uri": upstream.uri});
        for (name, value) in more.as_object().expect("properties") {
            properties[name] = value.clone();
        }
        let refused = federate(&server, properties).await;
        assert_eq!(refused.status, 400, "{what}: {}", refused.body);
    }
    let new = json!({"name": "up", "type": "RELATIONAL", "provider": "lakehouse-iceberg",
        "properties": {"catalog-backend": "rest", "uri": upstream.uri}});
    let test = "/metalakes/m/catalogs/testConnection";
    let tested = server.native(ADMIN, "POST", test, new).await.is(200);
    assert_eq!(tested.body["code"], 0, "{}", tested.body);
    federate(&server, json!({"catalog-backend": "rest", "uri": upstream.uri}))
        .await
        .is(200);
    for property in [
        "uri",
        "catalog-backend",
        "warehouse",
        "oauth2-server-uri",
        "prefix",
    ] {
        let updates = json!({"updates": [{"@type": "setProperty", "property": property, "value": "x"}]});
        let refused = server
            .native(ADMIN, "PUT", "/metalakes/m/catalogs/up", updates)
            .await;
        assert_eq!(refused.status, 400, "{property}: {}", refused.body);
    }
}
