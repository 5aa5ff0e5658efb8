// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a drop was allowed to end is what it ends: an object that got another name since, or lies in something that did,
//! is not what the request named. Requests are held between their decision and their effect.

use serde_json::{Value, json};

use crate::held::Scene;
use crate::in_process::Broker;
use crate::scene::{Place, iceberg, on_both_stores};

on_both_stores!(
    what_was_renamed_is_not_dropped,
    a_topic_that_was_made_anew_is_not_changed,
    a_fileset_whose_files_go_stays_where_it_is
);

const M: &str = "/api/metalakes/m";

fn rename(name: &str) -> Value {
    json!({"updates": [{"@type": "rename", "newName": name}]})
}

/// Drops `path` while `container`, which may be the object itself, is renamed; expects that it is still there.
async fn check(scene: &Scene, path: &str, query: &str, (container, new): (&str, &str)) {
    let id = format!("drop-{}", path.replace('/', "-"));
    let waiting = scene
        .held(&id, 1, "DELETE", &format!("{path}{query}"), None)
        .await;
    scene.done("PUT", container, rename(new)).await;
    let (status, answer) = waiting.goes_on().await;
    // Of a metalake that is no longer called so nobody is a user.
    let is_unknown = status == 404 || status == 403 && path == "/api/metalakes/n";
    assert!(
        is_unknown || (status, &answer["dropped"]) == (200, &json!(false)),
        "{path}: {status} {answer}"
    );
    let (above, old) = container.rsplit_once('/').unwrap();
    let renamed = format!("{above}/{new}{}", path.strip_prefix(container).unwrap());
    assert_eq!(scene.exists(&renamed).await, 200, "{renamed}");
    scene.done("PUT", &format!("{above}/{new}"), rename(old)).await;
    assert_eq!(scene.exists(path).await, 200, "{path}");
}

async fn what_was_renamed_is_not_dropped(place: Place) {
    let scene = Scene::new(&place, Broker::default()).await;
    let catalogs = format!("{M}/catalogs");
    scene.done("POST", &catalogs, iceberg("ice")).await;
    let folder = tempfile::tempdir().unwrap();
    let files = json!({"name": "files", "type": "FILESET", "comment": "c", "properties":
        {"location": format!("file://{}", folder.path().display())}});
    scene.done("POST", &catalogs, files).await;
    let models = json!({"name": "models", "type": "MODEL", "comment": "c"});
    scene.done("POST", &catalogs, models).await;
    for catalog in ["ice", "files", "models"] {
        let schemas = format!("{catalogs}/{catalog}/schemas");
        scene.done("POST", &schemas, json!({"name": "s"})).await;
    }
    let (ice, files, models) = (
        format!("{catalogs}/ice"),
        format!("{catalogs}/files"),
        format!("{catalogs}/models"),
    );
    let column = json!([{"name": "c", "type": "long", "nullable": true}]);
    let view = json!({"name": "x", "columns": column,
        "representations": [{"type": "sql", "dialect": "spark", "sql": "SELECT 1 AS c"}]});
    let policy = json!({"name": "x", "policyType": "custom", "enabled": true, "content":
        {"customRules": {"a": 1}, "supportedObjectTypes": ["TABLE"], "properties": {}}});
    let template = json!({"jobTemplate": {"jobType": "shell", "name": "x", "executable": "/bin/true"}});
    for (parent, body) in [
        (
            format!("{ice}/schemas/s/tables"),
            json!({"name": "x", "columns": column}),
        ),
        (format!("{files}/schemas/s/filesets"), json!({"name": "x"})),
        (format!("{models}/schemas/s/models"), json!({"name": "x"})),
        (format!("{M}/tags"), json!({"name": "x"})),
        (format!("{M}/policies"), policy),
        (format!("{M}/jobs/templates"), template),
    ] {
        scene.done("POST", &parent, body).await;
        let path = format!("{parent}/x");
        check(&scene, &path, "", (&path, "y")).await;
    }
    let views = format!("{ice}/schemas/s/views");
    scene
        .done(
            "POST",
            &views,
            json!({"name": "v", "columns": view["columns"], "representations": view["representations"]}),
        )
        .await;
    check(&scene, &format!("{views}/v"), "", (&format!("{views}/v"), "w")).await;
    let function = json!({"name": "f", "functionType": "SCALAR", "deterministic": true, "definitions": [
        {"parameters": [], "returnType": "integer", "impls": [
            {"language": "SQL", "runtime": "SPARK", "sql": "1"}]}]});
    scene
        .done("POST", &format!("{ice}/schemas/s/functions"), function)
        .await;
    // What it lies in.
    for (path, catalog) in [
        (format!("{ice}/schemas/s/tables/x"), &ice),
        (format!("{ice}/schemas/s/views/v"), &ice),
        (format!("{ice}/schemas/s/functions/f"), &ice),
        (format!("{ice}/schemas/s"), &ice),
        (format!("{files}/schemas/s/filesets/x"), &files),
        (format!("{models}/schemas/s/models/x"), &models),
    ] {
        let query = if path.ends_with("/s") { "?cascade=true" } else { "" };
        check(&scene, &path, query, (catalog, "other")).await;
    }
    check(&scene, &ice, "?force=true", (&ice, "other")).await;
    scene.done("POST", "/api/metalakes", json!({"name": "n"})).await;
    check(
        &scene,
        "/api/metalakes/n",
        "?force=true",
        ("/api/metalakes/n", "other"),
    )
    .await;
    let role = format!("{M}/roles");
    scene
        .done("POST", &role, json!({"name": "r", "securableObjects": []}))
        .await;
    // A role has no other name; one of the same name is another.
    let waiting = scene.held("role", 1, "DELETE", &format!("{role}/r"), None).await;
    scene.done("DELETE", &format!("{role}/r"), None).await;
    scene
        .done("POST", &role, json!({"name": "r", "securableObjects": []}))
        .await;
    let (_, answer) = waiting.goes_on().await;
    assert_ne!(answer["dropped"], true, "{answer}");
    assert_eq!(scene.exists(&format!("{role}/r")).await, 200);
}

async fn a_topic_that_was_made_anew_is_not_changed(place: Place) {
    let scene = Scene::new(&place, Broker::default()).await;
    let catalog = json!({"name": "kaf", "type": "MESSAGING", "provider": "kafka", "comment": "c",
        "properties": {"bootstrap.servers": "localhost:1"}});
    scene.done("POST", &format!("{M}/catalogs"), catalog).await;
    let topics = format!("{M}/catalogs/kaf/schemas/default/topics");
    let topic = format!("{topics}/t");
    let comment = json!({"updates": [{"@type": "updateComment", "newComment": "changed"}]});
    scene
        .done("POST", &topics, json!({"name": "t", "comment": "old"}))
        .await;
    for (id, method, body) in [("alter", "PUT", Some(comment)), ("drop", "DELETE", None)] {
        let waiting = scene.held(id, 1, method, &topic, body).await;
        scene.done("DELETE", &topic, None).await;
        scene
            .done("POST", &topics, json!({"name": "t", "comment": "new"}))
            .await;
        let (status, answer) = waiting.goes_on().await;
        assert!(
            status == 404 || answer["dropped"] == false,
            "{method}: {status} {answer}"
        );
        let loaded = scene.done("GET", &topic, None).await;
        assert_eq!(loaded["topic"]["comment"], "new", "{method}");
    }
}

async fn a_fileset_whose_files_go_stays_where_it_is(place: Place) {
    let scene = Scene::new(&place, Broker::default()).await;
    let root = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(root.path()).unwrap();
    let files = json!({"name": "files", "type": "FILESET", "comment": "c",
        "properties": {"location": format!("file://{}", root.display())}});
    scene.done("POST", &format!("{M}/catalogs"), files).await;
    let schemas = format!("{M}/catalogs/files/schemas");
    scene.done("POST", &schemas, json!({"name": "s"})).await;
    let filesets = format!("{schemas}/s/filesets");
    scene.done("POST", &filesets, json!({"name": "f"})).await;
    let f = format!("{filesets}/f");
    // Its files are gone, it is still there.
    let waiting = scene.held("drop", 2, "DELETE", &f, None).await;
    assert!(!root.join("s/f").exists());
    let (status, answer) = scene.server.call("admin", "PUT", &f, Some(rename("g"))).await;
    assert_eq!(status, 409, "{answer}");
    let inside = json!({"name": "inside", "type": "EXTERNAL",
        "storageLocation": format!("file://{}/s/f/inside", root.display())});
    let (status, answer) = scene
        .server
        .call("admin", "POST", &filesets, Some(inside.clone()))
        .await;
    assert_eq!(status, 409, "{answer}");
    assert!(!root.join("s/f").exists(), "a refused fileset leaves no folder");
    let (status, answer) = waiting.goes_on().await;
    assert_eq!((status, &answer["dropped"]), (200, &json!(true)), "{answer}");
    scene.done("POST", &filesets, inside).await;
}
