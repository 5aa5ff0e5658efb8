// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A catalog whose tables another catalog keeps: a second server of ours as upstream, and one that only pretends.

mod ill_upstreams;
mod pretended;
mod restrictions;

use serde_json::{Value, json};

use crate::harness::{ADMIN, Answer, NONE, PASSWORD, Server, creation, set_property};

/// Our server with the catalog `up`, whose upstream has `n1.t` and `n1.u` in its catalog `ice`.
struct Scene {
    ours: Server,
    upstream: Server,
}

impl Scene {
    async fn start() -> Self {
        let (upstream, ours) = tokio::join!(Server::start(), Server::start());
        upstream.namespace("n1").await;
        upstream.table("n1", "t").await;
        upstream.table("n1", "u").await;
        let properties = json!({
            "catalog-backend": "rest", "uri": upstream.iceberg_uri(), "warehouse": "ice",
            "rest.auth.basic.username": ADMIN, "rest.auth.basic.password": PASSWORD,
        });
        federate(&ours, properties).await.is(200);
        Self { ours, upstream }
    }

    /// `bob` may use the catalog and the schema, and read `n1.t`.
    async fn add_bob(&self) {
        self.ours.add_user("bob").await;
        let objects: &[(&str, &str, &[&str])] = &[
            ("CATALOG", "up", &["USE_CATALOG"]),
            ("SCHEMA", "up.n1", &["USE_SCHEMA"]),
            ("TABLE", "up.n1.t", &["SELECT_TABLE"]),
        ];
        self.ours.grant("bob", "of_bob", objects).await;
    }

    async fn rename_upstream(&self, from: &str, to: &str) {
        let names = json!({"source": {"namespace": ["n1"], "name": from},
            "destination": {"namespace": ["n1"], "name": to}});
        self.upstream
            .ask("POST", "/ice/tables/rename", names)
            .await
            .is(204);
    }
}

/// Makes the catalog `up`.
async fn federate(server: &Server, properties: Value) -> Answer {
    let catalog = json!({"name": "up", "type": "RELATIONAL", "provider": "lakehouse-iceberg", "properties": properties});
    server
        .native(ADMIN, "POST", "/metalakes/m/catalogs", catalog)
        .await
}

fn names(list: &Answer) -> Vec<&str> {
    let identifiers = list.body["identifiers"].as_array().expect("identifiers");
    identifiers
        .iter()
        .map(|found| found["name"].as_str().expect("a name"))
        .collect()
}

#[tokio::test]
async fn what_the_upstream_has_is_served() {
    let scene = Scene::start().await;
    let nested = json!({"namespace": ["n1", "a.b/c"], "properties": {"p": "v"}});
    scene
        .upstream
        .ask("POST", "/ice/namespaces", nested)
        .await
        .is(200);
    scene.upstream.table("n1%1Fa.b%2Fc", "odd name+%").await;
    let view = json!({"name": "v", "schema": {"type": "struct", "fields": []}, "properties": {}, "view-version": {
        "version-id": 1, "timestamp-ms": 1, "schema-id": 0, "summary": {}, "default-namespace": ["n1"],
        "representations": [{"type": "sql", "sql": "select 1", "dialect": "spark"}]}});
    scene
        .upstream
        .ask("POST", "/ice/namespaces/n1/views", view)
        .await
        .is(200);
    for (path, theirs) in [
        ("/namespaces", "/ice/namespaces"),
        ("/namespaces?parent=n1", "/ice/namespaces?parent=n1"),
        ("/namespaces/n1/tables", "/ice/namespaces/n1/tables"),
        ("/namespaces/n1/views", "/ice/namespaces/n1/views"),
        ("/namespaces/n1/views/v", "/ice/namespaces/n1/views/v"),
    ] {
        let ours = scene.ours.ask("GET", &format!("/up{path}"), NONE).await.is(200);
        let theirs = scene.upstream.ask("GET", theirs, NONE).await.is(200);
        assert_eq!(ours.body, theirs.body, "{path}");
    }
    for path in ["n1/tables/t", "n1%1Fa.b%2Fc/tables/odd%20name+%25"] {
        let ours = scene
            .ours
            .ask("GET", &format!("/up/namespaces/{path}"), NONE)
            .await
            .is(200);
        let theirs = scene
            .upstream
            .ask("GET", &format!("/ice/namespaces/{path}"), NONE)
            .await
            .is(200);
        for member in ["metadata", "metadata-location"] {
            assert_eq!(ours.body[member], theirs.body[member], "{path} {member}");
        }
        scene
            .ours
            .ask("HEAD", &format!("/up/namespaces/{path}"), NONE)
            .await
            .is(204);
    }
    let namespace = scene
        .ours
        .ask("GET", "/up/namespaces/n1%1Fa.b%2Fc", NONE)
        .await
        .is(200);
    assert_eq!(namespace.body["properties"]["p"], "v");
    let page = scene
        .ours
        .ask("GET", "/up/namespaces/n1/tables?pageToken=&pageSize=1", NONE)
        .await
        .is(200);
    assert_eq!(names(&page), ["t"]);
    for (path, kind) in [
        ("n1/tables/none", "NoSuchTableException"),
        ("n1/views/t", "NoSuchViewException"),
        ("n2/tables", "NoSuchNamespaceException"),
        ("n2", "NoSuchNamespaceException"),
        ("n1/tables/..", "NoSuchTableException"),
    ] {
        let path = format!("/up/namespaces/{}", path.replace("..", "%2E%2E%20"));
        scene.ours.ask("GET", &path, NONE).await.fails(404, kind);
    }
    let native = "/metalakes/m/catalogs/up/schemas/n1/tables";
    let listed = scene.ours.native(ADMIN, "GET", native, NONE).await.is(200);
    assert_eq!(listed.body["identifiers"].as_array().map(Vec::len), Some(2));
    let table = scene
        .ours
        .native(ADMIN, "GET", &format!("{native}/t"), NONE)
        .await
        .is(200);
    assert_eq!(table.body["table"]["columns"].as_array().map(Vec::len), Some(3));
    let owner = "/metalakes/m/owners/table/up.n1.t";
    let owner = scene.ours.native(ADMIN, "GET", owner, NONE).await;
    assert!(
        owner.body["owner"].is_null(),
        "what is met has no owner: {}",
        owner.body
    );
}

#[tokio::test]
async fn nothing_is_changed_through_us() {
    let scene = Scene::start().await;
    let before = scene.upstream.files();
    let tables = "/up/namespaces/n1/tables";
    let commit = set_property("a", "b");
    let rename = json!({"source": {"namespace": ["n1"], "name": "t"},
        "destination": {"namespace": ["n1"], "name": "x"}});
    let properties = json!({"removals": [], "updates": {"a": "b"}});
    for (method, path, body) in [
        ("POST", "/up/namespaces", json!({"namespace": ["n2"]})),
        ("POST", "/up/namespaces/n1/properties", properties),
        ("DELETE", "/up/namespaces/n1", NONE),
        ("POST", tables, creation("new")),
        ("POST", "/up/namespaces/n1/tables/t", commit),
        ("POST", "/up/tables/rename", rename),
        ("DELETE", "/up/namespaces/n1/tables/t?force=true", NONE),
        ("DELETE", "/up/namespaces/n1/tables/t?purgeRequested=true", NONE),
    ] {
        let refused = scene.ours.ask(method, path, body).await;
        assert_eq!(refused.status, 406, "{method} {path}: {}", refused.body);
        refused.fails(406, "UnsupportedOperationException");
    }
    assert_eq!(scene.upstream.files(), before);
    let listed = scene.ours.ask("GET", tables, NONE).await.is(200);
    assert_eq!(names(&listed), ["t", "u"]);
}

#[tokio::test]
async fn names_are_shown_to_those_who_may_see_them() {
    let scene = Scene::start().await;
    scene.add_bob().await;
    let tables = "/up/namespaces/n1/tables";
    let listed = scene.ours.ask_as("bob", "GET", tables, NONE).await.is(200);
    assert_eq!(names(&listed), ["t"]);
    let path = format!("{tables}/t");
    scene.ours.ask_as("bob", "GET", &path, NONE).await.is(200);
    // What exists and what does not look alike, and the upstream is not asked for either.
    let hidden = scene
        .ours
        .ask_as("bob", "GET", &format!("{tables}/u"), NONE)
        .await;
    let absent = scene
        .ours
        .ask_as("bob", "GET", &format!("{tables}/z"), NONE)
        .await;
    assert_eq!(hidden.status, absent.status);
    assert!((403..=404).contains(&hidden.status), "{}", hidden.body);
    scene.ours.add_user("eve").await;
    for path in ["/up/namespaces", tables, path.as_str()] {
        let refused = scene.ours.ask_as("eve", "GET", path, NONE).await;
        assert!((403..=404).contains(&refused.status), "{path}: {}", refused.body);
    }
    // A privilege on the schema reaches what was never met.
    let objects: &[(&str, &str, &[&str])] = &[
        ("CATALOG", "up", &["USE_CATALOG"]),
        ("SCHEMA", "up.n1", &["USE_SCHEMA", "SELECT_TABLE"]),
    ];
    scene.ours.grant("eve", "of_eve", objects).await;
    let listed = scene.ours.ask_as("eve", "GET", tables, NONE).await.is(200);
    assert_eq!(names(&listed), ["t", "u"]);
    scene
        .ours
        .ask_as("eve", "GET", &format!("{tables}/u"), NONE)
        .await
        .is(200);
}

#[tokio::test]
async fn what_is_renamed_behind_our_back_keeps_its_grants_and_what_comes_in_its_place_gets_none() {
    let scene = Scene::start().await;
    scene.add_bob().await;
    let (ours, tables) = (&scene.ours, "/up/namespaces/n1/tables");
    let ask = async |user: &str, name: &str| {
        let path = format!("{tables}/{name}");
        ours.ask_as(user, "GET", &path, NONE).await.status
    };
    assert_eq!(ask("bob", "t").await, 200);
    scene.rename_upstream("t", "moved").await;
    assert_eq!(ask("bob", "t").await, 404);
    // It is not known yet that this is what bob may read.
    assert_ne!(ask("bob", "moved").await, 200);
    assert_eq!(ask(ADMIN, "moved").await, 200);
    assert_eq!(ask("bob", "moved").await, 200);
    let listed = ours.ask_as("bob", "GET", tables, NONE).await.is(200);
    assert_eq!(names(&listed), ["moved"]);

    // Another table under a name that bob may read.
    scene.rename_upstream("moved", "away").await;
    scene.rename_upstream("u", "moved").await;
    assert_ne!(ask("bob", "moved").await, 200);
    assert_ne!(ask("bob", "moved").await, 200);
    assert_eq!(ask(ADMIN, "away").await, 200);
    assert_eq!(ask("bob", "away").await, 200);
    // And both change places.
    scene.rename_upstream("away", "x").await;
    scene.rename_upstream("moved", "away").await;
    scene.rename_upstream("x", "moved").await;
    assert_ne!(ask("bob", "away").await, 200);
    assert_eq!(ask(ADMIN, "moved").await, 200);
    assert_eq!(ask("bob", "moved").await, 200);
}
