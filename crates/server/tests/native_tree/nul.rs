// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! U+0000, which PostgreSQL keeps in no text: refused by every endpoint, wherever it stands and whatever the store.

use serde_json::{Value, json};

use crate::scene::{ILLEGAL, Place, Server, WITH_AUTHORIZATION, iceberg, on_both_stores};

on_both_stores!(
    no_endpoint_takes_a_nul,
    no_kind_takes_a_nul,
    nobody_is_called_by_a_nul
);

/// Every route of the document with its methods.
async fn routes(server: &Server) -> Vec<(String, String)> {
    let (_, document) = server.call("admin", "GET", "/openapi.json", None).await;
    let mut routes = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in ["get", "put", "post", "patch", "delete", "head"] {
            if item.get(method).is_some() {
                routes.push((method.to_uppercase(), path.clone()));
            }
        }
    }
    routes
}

/// A path with a value for each parameter.
fn filled(path: &str, value: &str) -> String {
    path.split('/')
        .map(|part| if part.starts_with('{') { value } else { part })
        .collect::<Vec<_>>()
        .join("/")
}

async fn no_endpoint_takes_a_nul(place: Place) {
    // Everything that can be switched on.
    let settings = [WITH_AUTHORIZATION, &[("lakeward.scim.enabled", "true")]].concat();
    let server = Server::start_with(&place, &settings).await;
    server.done("POST", "/api/metalakes", json!({"name": "m"})).await;
    let routes = routes(&server).await;
    assert!(routes.len() > 100, "{}", routes.len());
    for (method, path) in routes {
        if path.contains('{') {
            let path = filled(&path, "m%00");
            let (status, answer) = server.call("admin", &method, &path, None).await;
            assert!((400..500).contains(&status), "{method} {path}: {status} {answer}");
        }
        let path = filled(&path, "m");
        let queried = format!("{path}?details=%00&x%00=1");
        let (status, answer) = server.call("admin", &method, &queried, None).await;
        assert!(
            (400..500).contains(&status),
            "{method} {queried}: {status} {answer}"
        );
        let body =
            json!({"name": "a\0b", "comment": "\0", "properties": {"\0": "\0"}, "updates": [{"\0": 1}]});
        let (status, answer) = server.call("admin", &method, &path, Some(body)).await;
        assert!(status < 500, "{method} {path}: {status} {answer}");
    }
}

async fn no_kind_takes_a_nul(place: Place) {
    let server = Server::start(&place).await;
    server.done("POST", "/api/metalakes", json!({"name": "m"})).await;
    let m = "/api/metalakes/m";
    let catalogs = format!("{m}/catalogs");
    server.done("POST", &catalogs, iceberg("ice")).await;
    for (name, kind) in [("files", "FILESET"), ("models", "MODEL")] {
        let catalog = json!({"name": name, "type": kind, "provider": kind.to_lowercase(), "comment": "c"});
        server.done("POST", &catalogs, catalog).await;
        let schemas = format!("{catalogs}/{name}/schemas");
        server.done("POST", &schemas, json!({"name": "s"})).await;
    }
    let schemas = format!("{catalogs}/ice/schemas");
    server.done("POST", &schemas, json!({"name": "s"})).await;
    let column = json!([{"name": "c", "type": "long", "nullable": true}]);
    let rego =
        json!({"customRules": {"rule": "package x\0"}, "supportedObjectTypes": ["TABLE"], "properties": {}});
    let bodies: Vec<(String, Value)> = vec![
        ("/api/metalakes".to_owned(), json!({"name": "n", "comment": "\0"})),
        (
            catalogs.clone(),
            json!({"name": "n", "type": "MODEL", "properties": {"k": "\0"}}),
        ),
        (schemas.clone(), json!({"name": "n", "comment": "a\0"})),
        (
            format!("{schemas}/s/tables"),
            json!({"name": "n\0", "columns": column}),
        ),
        (
            format!("{schemas}/s/tables"),
            json!({"name": "n", "columns": column, "properties": {"a\0": "b"}}),
        ),
        (
            format!("{schemas}/s/views"),
            json!({"name": "n", "columns": [], "representations": [{"type": "sql", "dialect": "spark", "sql": "SELECT '\0'"}]}),
        ),
        (
            format!("{catalogs}/files/schemas/s/filesets"),
            json!({"name": "n", "comment": "\0"}),
        ),
        (
            format!("{catalogs}/models/schemas/s/models"),
            json!({"name": "n", "properties": {"k": "\0"}}),
        ),
        (format!("{m}/tags"), json!({"name": "n", "comment": "\0"})),
        (
            format!("{m}/policies"),
            json!({"name": "n", "policyType": "custom", "enabled": true, "content": rego}),
        ),
        (format!("{m}/users"), json!({"name": "n\0"})),
        (format!("{m}/groups"), json!({"name": "\0n"})),
        (
            format!("{m}/roles"),
            json!({"name": "n\0", "securableObjects": []}),
        ),
        (
            format!("{m}/jobs/templates"),
            json!({"jobTemplate": {"jobType": "shell", "name": "n", "executable": "/bin/true", "comment": "\0"}}),
        ),
        (
            format!("{m}/objects/schema/ice.s/tags"),
            json!({"tagsToAdd": ["\0"]}),
        ),
        (
            format!("{m}/objects/schema/ice.s/statistics"),
            json!({"updates": {"custom-a\0": 1}}),
        ),
    ];
    for (path, body) in bodies {
        let method = if path.ends_with("statistics") {
            "PUT"
        } else {
            "POST"
        };
        let (status, answer) = server.call("admin", method, &path, Some(body.clone())).await;
        assert_eq!(
            (status, &answer["code"]),
            (400, &json!(1001)),
            "{path} {body}: {answer}"
        );
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains("U+0000"), "{path}: {message}");
    }
    let alter = json!({"updates": [{"@type": "setProperty", "property": "a", "value": "\0"}]});
    server
        .refused(("admin", "PUT", &format!("{schemas}/s")), alter, ILLEGAL)
        .await;
    server
        .refused(("admin", "GET", &format!("{schemas}/s%00")), None, ILLEGAL)
        .await;
    // A path that is decoded twice.
    let files = format!("{catalogs}/files/schemas/s/filesets");
    let folder = tempfile::tempdir().unwrap();
    let place = format!("file://{}/f", folder.path().display());
    server
        .done("POST", &files, json!({"name": "f", "storageLocation": place}))
        .await;
    for query in ["sub_path=%2500", "sub_path=%00", "sub_path=/&location_name=%00"] {
        server
            .refused(
                ("admin", "GET", &format!("{files}/f/files?{query}")),
                None,
                ILLEGAL,
            )
            .await;
    }
}

async fn nobody_is_called_by_a_nul(place: Place) {
    let server = Server::start(&place).await;
    for (user, expected) in [("ad\0min", 401), ("admin", 200)] {
        let (status, answer) = server.call(user, "GET", "/api/metalakes", None).await;
        assert_eq!(status, expected, "{answer}");
    }
}
