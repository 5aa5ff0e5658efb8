// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Configuration and namespaces, in the order of the recording.

use serde_json::json;

use crate::harness::{ADMIN, NONE, Server};

#[tokio::test]
async fn configuration_names_the_prefix_and_what_is_served() {
    let server = Server::start().await;
    let config = server.ask("GET", "/config?warehouse=ice", NONE).await.is(200);
    assert_eq!(config.body["overrides"], json!({"prefix": "ice"}));
    let endpoints = config.body["endpoints"].as_array().expect("a list");
    for expected in [
        "GET /v1/{prefix}/namespaces",
        "HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}",
        "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}",
        "POST /v1/{prefix}/tables/rename",
        "POST /v1/{prefix}/transactions/commit",
        "GET /v1/{prefix}/namespaces/{namespace}/views/{view}",
        "POST /v1/{prefix}/namespaces/{namespace}/register-view",
        "POST /v1/{prefix}/views/rename",
        "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/plan",
        "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/plan/{plan-id}",
        "DELETE /v1/{prefix}/namespaces/{namespace}/tables/{table}/plan/{plan-id}",
        "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/tasks",
        "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/sign",
    ] {
        assert!(endpoints.contains(&json!(expected)), "{expected}");
    }
    assert_eq!(
        server.ask("GET", "/config", NONE).await.is(200).body["overrides"],
        json!({})
    );
    server.ask("GET", "/config?warehouse=m.ice", NONE).await.is(200);
    server.ask("GET", "/m.ice/namespaces", NONE).await.is(200);
    server
        .ask("GET", "/config?warehouse=zz", NONE)
        .await
        .fails(404, "NoSuchCatalogException");
    server
        .ask("GET", "/nope/namespaces", NONE)
        .await
        .fails(404, "NoSuchCatalogException");
    server
        .ask_as("", "GET", "/config", NONE)
        .await
        .fails(401, "NotAuthorizedException");
    // To who may not load the catalog, one that exists and one that does not look alike.
    server.add_user("eve").await;
    let hidden = server
        .ask_as("eve", "GET", "/config?warehouse=ice", NONE)
        .await
        .is(200);
    let absent = server
        .ask_as("eve", "GET", "/config?warehouse=zzz", NONE)
        .await
        .is(200);
    assert_eq!(hidden.body["endpoints"], absent.body["endpoints"]);
}

#[tokio::test]
async fn namespaces_live_as_recorded() {
    let server = Server::start().await;
    assert_eq!(
        server.ask("GET", "/ice/namespaces", NONE).await.is(200).body,
        json!({"namespaces": [], "next-page-token": null})
    );
    let made = json!({"namespace": ["n1"], "properties": {"k": "v"}});
    let made = server.ask("POST", "/ice/namespaces", made).await.is(200);
    assert_eq!(made.body["namespace"], json!(["n1"]));
    assert_eq!(made.body["properties"]["k"], "v");
    let location = made.body["properties"]["location"].as_str().expect("a location");
    assert!(
        location.starts_with("file:///") && location.ends_with("/m/ice/n1"),
        "{location}"
    );
    server
        .ask("POST", "/ice/namespaces", json!({"namespace": ["n1"]}))
        .await
        .fails(409, "AlreadyExistsException");
    // What is missing above is made.
    server
        .ask("POST", "/ice/namespaces", json!({"namespace": ["zz", "sub"]}))
        .await
        .is(200);
    let top = server.ask("GET", "/ice/namespaces", NONE).await.is(200);
    assert_eq!(top.body["namespaces"], json!([["n1"], ["zz"]]));
    let below = server.ask("GET", "/ice/namespaces?parent=zz", NONE).await.is(200);
    assert_eq!(below.body["namespaces"], json!([["zz", "sub"]]));
    server
        .ask("GET", "/ice/namespaces?parent=none", NONE)
        .await
        .fails(404, "NoSuchNamespaceException");
    let nested = server.ask("GET", "/ice/namespaces/zz%1Fsub", NONE).await.is(200);
    assert_eq!(nested.body["namespace"], json!(["zz", "sub"]));
    server.ask("HEAD", "/ice/namespaces/n1", NONE).await.is(204);
    server.ask("HEAD", "/ice/namespaces/none", NONE).await.is(404);
    server
        .ask("GET", "/ice/namespaces/none", NONE)
        .await
        .fails(404, "NoSuchNamespaceException");

    let changed = json!({"updates": {"a": "b"}, "removals": ["k", "zz"]});
    let changed = server
        .ask("POST", "/ice/namespaces/n1/properties", changed)
        .await
        .is(200);
    assert_eq!(
        changed.body,
        json!({"removed": ["k"], "updated": ["a"], "missing": ["zz"]})
    );
    let contradiction = json!({"updates": {"a": "b"}, "removals": ["a"]});
    server
        .ask("POST", "/ice/namespaces/n1/properties", contradiction)
        .await
        .fails(422, "UnprocessableEntityException");
    server
        .ask(
            "POST",
            "/ice/namespaces/n1/properties",
            json!({"updates": {"location": "file:///etc"}}),
        )
        .await
        .fails(400, "BadRequestException");
    server
        .ask("DELETE", "/ice/namespaces/zz", NONE)
        .await
        .fails(409, "NamespaceNotEmptyException");
    server
        .ask("DELETE", "/ice/namespaces/zz%1Fsub", NONE)
        .await
        .is(204);
    server.ask("DELETE", "/ice/namespaces/zz", NONE).await.is(204);
    server
        .ask("DELETE", "/ice/namespaces/zz", NONE)
        .await
        .fails(404, "NoSuchNamespaceException");
    // Both protocols speak of the same schemas, and the creator owns them.
    server
        .native(ADMIN, "GET", "/metalakes/m/catalogs/ice/schemas/n1", NONE)
        .await
        .is(200);
    let owner = server
        .native(ADMIN, "GET", "/metalakes/m/owners/schema/ice.n1", NONE)
        .await
        .is(200);
    assert_eq!(owner.body["owner"]["name"], ADMIN);
}

#[tokio::test]
async fn the_configuration_names_the_catalogs_that_the_caller_may_see() {
    let server = Server::start().await;
    for (name, kind, provider) in [
        ("second", "RELATIONAL", "lakehouse-iceberg"),
        ("off", "RELATIONAL", "lakehouse-iceberg"),
    ] {
        let catalog = json!({"name": name, "type": kind, "provider": provider, "properties": {}});
        server
            .native(ADMIN, "POST", "/metalakes/m/catalogs", catalog)
            .await
            .is(200);
    }
    server
        .native(
            ADMIN,
            "PATCH",
            "/metalakes/m/catalogs/off",
            json!({"inUse": false}),
        )
        .await
        .is(200);
    for user in ["ann", "bob"] {
        server.add_user(user).await;
    }
    let objects: &[(&str, &str, &[&str])] = &[("CATALOG", "second", &["USE_CATALOG"])];
    server.grant("bob", "r", objects).await;
    // An account without membership.
    let account = json!({"user": "eve", "password": "correct horse battery"});
    server.native(ADMIN, "POST", "/idp/users", account).await.is(200);
    let seen = [(ADMIN, "ice,second"), ("bob", "second"), ("ann", ""), ("eve", "")];
    let reader = server.enroll("gateway").await;
    for (user, catalogs) in seen {
        let expected = json!({"lakeward.catalogs": catalogs});
        let config = server.ask_as(user, "GET", "/config", NONE).await.is(200);
        assert_eq!(config.body["defaults"], expected, "{user}");
        let config = reader.ask(user, "GET", "/config", NONE).await.is(200);
        assert_eq!(config.body["defaults"], expected, "{user} through a reader");
        let chosen = server
            .ask_as(user, "GET", "/config?warehouse=second", NONE)
            .await
            .is(200);
        assert_eq!(chosen.body["defaults"], json!({"prefix": "second"}), "{user}");
    }
    // What was kept of the list is not shown any longer than it holds.
    let switch = json!({"inUse": true});
    for (method, path, body, catalogs) in [
        ("PATCH", "/metalakes/m/catalogs/off", switch, "ice,off,second"),
        (
            "PUT",
            "/metalakes/m/catalogs/off",
            json!({"updates": [{"@type": "rename", "newName": "on"}]}),
            "ice,on,second",
        ),
        (
            "PATCH",
            "/metalakes/m/catalogs/on",
            json!({"inUse": false}),
            "ice,second",
        ),
        (
            "PATCH",
            "/metalakes/m/catalogs/on",
            json!({"inUse": true}),
            "ice,on,second",
        ),
        (
            "DELETE",
            "/metalakes/m/catalogs/on?force=true",
            NONE,
            "ice,second",
        ),
    ] {
        server.native(ADMIN, method, path, body).await.is(200);
        let config = server.ask_as(ADMIN, "GET", "/config", NONE).await.is(200);
        assert_eq!(
            config.body["defaults"],
            json!({"lakeward.catalogs": catalogs}),
            "{method} {path}"
        );
    }
    // With a second metalake a name alone would be ambiguous.
    server
        .native("admin", "POST", "/metalakes", json!({"name": "n"}))
        .await
        .is(200);
    let config = server.ask_as("bob", "GET", "/config", NONE).await.is(200);
    assert_eq!(config.body["defaults"], json!({"lakeward.catalogs": "m.second"}));
    server
        .ask_as("bob", "GET", "/m.second/namespaces", NONE)
        .await
        .is(200);
}
