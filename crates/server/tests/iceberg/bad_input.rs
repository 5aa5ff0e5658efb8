// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Bad input is a precise 4xx in the protocol's form, never a 5xx.

use serde_json::{Value, json};

use crate::harness::{ADMIN, NONE, Server, creation};

const TABLES: &str = "/ice/namespaces/n1/tables";

#[tokio::test]
async fn malformed_bodies() {
    let server = Server::start().await;
    server.namespace("n1").await;
    server.table("n1", "t").await;
    let table = format!("{TABLES}/t");
    let refuse = async |path: &str, text: &str| {
        let path = format!("/iceberg/v1{path}");
        let answer = server
            .send(ADMIN, "POST", &path, Some(text.to_owned()), &[])
            .await;
        assert_eq!(answer.status, 400, "{path} {text}: {}", answer.body);
        assert_eq!(answer.body["error"]["code"], 400, "{path} {text}");
    };
    for path in [
        "/ice/namespaces",
        "/ice/namespaces/n1/properties",
        TABLES,
        table.as_str(),
        "/ice/tables/rename",
        "/ice/namespaces/n1/register",
    ] {
        for text in [
            "",
            "{",
            "[]",
            "null",
            "1",
            "{\"unknown\": 1}",
            "{\"name\": \"a\", \"name\": \"b\"}",
            "\u{feff}{}",
        ] {
            // An empty object changes nothing where everything is optional.
            refuse(path, text).await;
        }
    }
    for body in [
        json!({"namespace": []}),
        json!({"namespace": [""]}),
        json!({"namespace": "n"}),
        json!({"namespace": ["a\u{1f}b"]}),
        json!({"namespace": ["a\u{0}b"]}),
        json!({"namespace": ["x".repeat(300)]}),
        json!({"namespace": ["n9"], "properties": {"a": 1}}),
    ] {
        refuse("/ice/namespaces", &body.to_string()).await;
    }
    let with = |change: &dyn Fn(&mut Value)| {
        let mut body = creation("bad");
        change(&mut body);
        body.to_string()
    };
    for body in [
        with(&|body| body["schema"] = NONE),
        with(&|body| body["schema"] = json!({})),
        with(&|body| body["schema"]["fields"][0]["type"] = json!("wombat")),
        with(&|body| body["schema"]["fields"][1]["name"] = json!("id")),
        with(&|body| body["schema"]["fields"][1]["id"] = json!(1)),
        with(&|body| body["schema"]["fields"][0]["id"] = json!(99_999_999_999_u64)),
        with(&|body| body["name"] = json!("")),
        with(&|body| body["name"] = json!("a\u{0}b")),
        with(&|body| body["name"] = json!(7)),
        with(&|body| body["properties"] = json!({"format-version": "9"})),
        with(&|body| body["properties"] = json!({"a": 1})),
        with(&|body| body["stage-create"] = json!("yes")),
        with(&|body| {
            body["partition-spec"] = json!({"fields": [{"source-id": 9, "transform": "day", "name": "x"}]})
        }),
        with(&|body| {
            body["partition-spec"] = json!({"fields": [{"source-id": 2, "transform": "day", "name": "x"}]})
        }),
        with(&|body| {
            body["write-order"] =
                json!({"fields": [{"source-id": 2, "transform": "identity", "direction": "up"}]})
        }),
        with(&|body| body["location"] = json!("not a location")),
    ] {
        refuse(TABLES, &body).await;
    }
    for updates in [
        json!([1]),
        json!([{}]),
        json!([{"action": "add-schema"}]),
        json!([{"action": "set-current-schema", "schema-id": "0"}]),
        json!([{"action": "add-snapshot", "snapshot": {}}]),
        json!([{"action": "remove-snapshots", "snapshot-ids": 1}]),
        json!([{"action": "set-properties", "updates": []}]),
    ] {
        refuse(
            &table,
            &json!({"requirements": [], "updates": updates}).to_string(),
        )
        .await;
    }
    let other =
        json!({"identifier": {"namespace": ["n1"], "name": "other"}, "requirements": [], "updates": []});
    refuse(&table, &other.to_string()).await;
    let list = server.ask("GET", TABLES, NONE).await.is(200);
    assert_eq!(
        list.body["identifiers"].as_array().expect("a list").len(),
        1,
        "nothing was made"
    );
}

#[tokio::test]
async fn odd_paths_and_headers() {
    let server = Server::start().await;
    server.namespace("n1").await;
    server.table("n1", "t").await;
    server.ask("GET", "/ice/namespaces/%ff", NONE).await.is(400);
    server
        .ask("GET", "/ice/namespaces/a%1F%1Fb", NONE)
        .await
        .fails(400, "IllegalNamespaceException");
    server
        .ask("GET", "/nope/x/y/z", NONE)
        .await
        .fails(404, "NotFoundException");
    server.ask("PATCH", "/ice/namespaces/n1", NONE).await.is(405);
    server
        .ask("POST", "/transactions/commit", json!({"table-changes": []}))
        .await
        .is(404);
    let path = format!("{TABLES}/t");
    for (name, value) in [
        ("X-Gravitino-Client-Capabilities", "\u{e9}\u{e9}"),
        ("X-Gravitino-Client-Capabilities", ",,"),
        ("X-Iceberg-Access-Delegation", " , "),
        ("X-Iceberg-Access-Delegation", "vended-credentials,remote-signing"),
        ("If-None-Match", "\u{e9}"),
        ("If-None-Match", "\"unfinished"),
    ] {
        server
            .ask_with(ADMIN, "GET", &path, NONE, &[(name, value)])
            .await
            .is(200);
    }
}
