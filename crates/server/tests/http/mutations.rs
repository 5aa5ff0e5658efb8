// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Right requests with parts put wrong at random: the answer is JSON of the right protocol and never 5xx.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use crate::support::{Server, answer};

/// How many requests; enough to meet every member of every body some ten times.
const REQUESTS: usize = 2000;

/// Method, path and a right body.
fn requests() -> Vec<(&'static str, &'static str, Value)> {
    let table = json!({
        "name": "n", "comment": "c", "properties": {"a": "b"},
        "columns": [
            {"name": "id", "type": "long", "nullable": false},
            {"name": "x", "type": {"type": "struct", "fields": [{"name": "a", "type": "string", "nullable": true}]}},
        ],
        "partitioning": [{"strategy": "identity", "fieldName": ["id"]}],
    });
    let schema = json!({"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "id", "required": true, "type": "long"},
    ]});
    let commit = json!({
        "requirements": [{"type": "assert-current-schema-id", "current-schema-id": 0}],
        "updates": [
            {"action": "set-properties", "updates": {"a": "b"}},
            {"action": "add-schema", "last-column-id": 2, "schema": schema.clone()},
            {"action": "set-current-schema", "schema-id": -1},
        ],
    });
    let alter = json!({"updates": [
        {"@type": "addColumn", "fieldName": ["z"], "type": "string", "position": {"after": "id"}},
        {"@type": "setProperty", "property": "a", "value": "b"},
    ]});
    vec![
        (
            "POST",
            "/api/metalakes",
            json!({"name": "x", "comment": "c", "properties": {"a": "b"}}),
        ),
        (
            "POST",
            "/api/metalakes/m/catalogs",
            json!({"name": "d", "type": "relational", "provider": "lakehouse-iceberg"}),
        ),
        (
            "POST",
            "/api/metalakes/m/catalogs/c/schemas",
            json!({"name": "a:b", "properties": {}}),
        ),
        ("POST", "/api/metalakes/m/catalogs/c/schemas/s/tables", table),
        ("PUT", "/api/metalakes/m/catalogs/c/schemas/s/tables/t", alter),
        (
            "POST",
            "/api/metalakes/m/tags",
            json!({"name": "tag", "allowedValues": ["a"]}),
        ),
        (
            "POST",
            "/api/metalakes/m/policies",
            json!({
                "name": "p", "policyType": "system_row_filter", "enabled": false, "content": {"expression": "filter := true"},
            }),
        ),
        (
            "PUT",
            "/api/metalakes/m/tags/tag/policies/p",
            json!({"selector": {"type": "TAG_VALUE", "value": "a"}}),
        ),
        (
            "POST",
            "/api/metalakes/m/objects/table/c.s.t/tags",
            json!({"tagsToAdd": ["tag"], "tagsToRemove": []}),
        ),
        (
            "POST",
            "/api/metalakes/m/catalogs/n/schemas/s/models",
            json!({"name": "x", "comment": "c", "properties": {"a": "b"}}),
        ),
        (
            "POST",
            "/api/metalakes/m/catalogs/n/schemas/s/models/n/versions",
            json!({"uri": "u", "uris": {"a": "b"}, "aliases": ["x", "y"], "comment": "c", "properties": {"a": "b"}}),
        ),
        (
            "PUT",
            "/api/metalakes/m/catalogs/n/schemas/s/models/n/versions/0",
            json!({"updates": [
                {"@type": "updateUri", "uriName": "a", "newUri": "b"}, {"@type": "addUri", "uriName": "c", "uri": "d"},
                {"@type": "updateAliases", "aliasesToAdd": ["z"], "aliasesToRemove": ["x"]},
            ]}),
        ),
        (
            "POST",
            "/api/metalakes/m/catalogs/c/schemas/s/functions",
            function("g"),
        ),
        (
            "PUT",
            "/api/metalakes/m/catalogs/c/schemas/s/functions/f",
            json!({"updates": [
                {"@type": "addDefinition", "definition": function("f")["definitions"][0]},
                {"@type": "updateImpl", "parameters": [{"name": "x", "dataType": "long"}], "runtime": "SPARK",
                 "implementation": {"language": "PYTHON", "runtime": "SPARK", "handler": "h", "codeBlock": "c"}},
            ]}),
        ),
        (
            "POST",
            "/iceberg/v1/c/namespaces",
            json!({"namespace": ["a", "b"], "properties": {"x": "y"}}),
        ),
        (
            "POST",
            "/iceberg/v1/c/namespaces/s/tables",
            json!({"name": "i", "schema": schema}),
        ),
        ("POST", "/iceberg/v1/c/namespaces/s/tables/t", commit),
        (
            "POST",
            "/iceberg/v1/c/tables/rename",
            json!({
                "source": {"namespace": ["s"], "name": "t"}, "destination": {"namespace": ["s"], "name": "t"},
            }),
        ),
    ]
}

fn function(name: &str) -> Value {
    json!({"name": name, "functionType": "TABLE", "deterministic": true, "comment": "c", "definitions": [{
        "parameters": [{"name": "x", "dataType": "long", "comment": "c"}, {"name": "y", "dataType": "string",
            "defaultValue": {"type": "literal", "dataType": "string", "value": "v"}}],
        "returnColumns": [{"name": "v", "dataType": {"type": "list", "elementType": "long", "containsNull": true}}],
        "impls": [{"language": "JAVA", "runtime": "SPARK", "className": "C", "resources": {"jars": ["j"]},
            "properties": {"a": "b"}}]}]})
}

fn odd(random: &mut StdRng) -> Value {
    let values = [
        Value::Null,
        json!(true),
        json!(-1),
        json!(u64::MAX),
        json!(1.5),
        json!(""),
        json!("\u{0}"),
        json!("x".repeat(5000)),
        json!([]),
        json!({}),
        json!([[]]),
        json!({"a": {}}),
        json!("../../etc"),
        json!("\u{1f600}"),
        json!(["a", null]),
    ];
    values.choose(random).cloned().unwrap_or_default()
}

/// Puts one part wrong: removes a member, adds an unknown one, or replaces something.
fn mutate(value: &mut Value, random: &mut StdRng) {
    if random.random_bool(0.8) {
        if let Some(members) = value.as_object_mut()
            && let Some(name) = members.keys().cloned().collect::<Vec<_>>().choose(random)
        {
            match random.random_range(0..10) {
                0 => drop(members.remove(name)),
                1 => drop(members.insert("bogus".to_owned(), odd(random))),
                _ => mutate(&mut members[name], random),
            }
            return;
        }
        if let Some(items) = value.as_array_mut()
            && !items.is_empty()
        {
            let position = random.random_range(0..items.len());
            mutate(&mut items[position], random);
            return;
        }
    }
    *value = odd(random);
}

#[tokio::test]
async fn nothing_that_is_put_wrong_breaks_the_server() {
    let server = Server::with(&[]).await;
    let send = async |method: &str, path: &str, body: Vec<u8>| {
        answer(
            server
                .request(method, path)
                .header("Content-Type", "application/json")
                .body(body),
        )
        .await
    };
    for (method, path, body) in [
        ("POST", "/api/metalakes", json!({"name": "m"})),
        (
            "POST",
            "/api/metalakes/m/catalogs",
            json!({"name": "c", "type": "relational", "provider": "lakehouse-iceberg"}),
        ),
        (
            "POST",
            "/api/metalakes/m/catalogs/c/schemas",
            json!({"name": "s"}),
        ),
        (
            "POST",
            "/api/metalakes/m/catalogs/c/schemas/s/tables",
            json!({
                "name": "t", "columns": [{"name": "id", "type": "long"}],
            }),
        ),
        (
            "POST",
            "/api/metalakes/m/catalogs/c/schemas/s/functions",
            function("f"),
        ),
        (
            "POST",
            "/api/metalakes/m/catalogs",
            json!({"name": "n", "type": "model"}),
        ),
        (
            "POST",
            "/api/metalakes/m/catalogs/n/schemas",
            json!({"name": "s"}),
        ),
        (
            "POST",
            "/api/metalakes/m/catalogs/n/schemas/s/models",
            json!({"name": "n"}),
        ),
        (
            "POST",
            "/api/metalakes/m/catalogs/n/schemas/s/models/n/versions",
            json!({"uri": "u"}),
        ),
    ] {
        let prepared = send(method, path, body.to_string().into_bytes()).await;
        assert_eq!(prepared.status, 200, "{path}: {:?}", prepared.body);
    }
    let random = &mut StdRng::seed_from_u64(7);
    let requests = requests();
    for _ in 0..REQUESTS {
        let (method, path, mut body) = requests.choose(random).cloned().unwrap();
        for _ in 0..random.random_range(1..4) {
            mutate(&mut body, random);
        }
        let mut bytes = body.to_string().into_bytes();
        if random.random_bool(0.1) {
            let position = random.random_range(0..bytes.len());
            bytes[position] = random.random();
        }
        let answered = send(method, path, bytes.clone()).await;
        let sent = String::from_utf8_lossy(&bytes).into_owned();
        assert!(
            answered.status < 500,
            "{method} {path} {sent}: {:?}",
            answered.body
        );
        let is_iceberg_error = answered.body["error"]["type"].is_string();
        let is_native = answered.body["code"].is_i64();
        let ok = answered.status < 300
            || if path.starts_with("/iceberg") {
                is_iceberg_error
            } else {
                is_native
            };
        assert!(ok, "{method} {path} {sent}: {:?}", answered.body);
    }
}
