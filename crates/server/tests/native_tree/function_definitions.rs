// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Overloads and implementations of functions, as recorded from the original: what is refused, how they change.

use futures::future::join_all;
use serde_json::{Value, json};

use crate::functions::{ADD_ONE, FUNCTIONS, NO_FUNCTION, add_one, scene, shown, sql, written, x};
use crate::scene::{ILLEGAL, Place, on_both_stores};

on_both_stores!(
    what_makes_no_function_is_refused,
    definitions_and_implementations_change,
    changes_at_the_same_time_all_hold,
);

async fn what_makes_no_function_is_refused(place: Place) {
    let server = scene(&place).await;
    let with = |path: &str, value: Value| {
        let mut body = add_one();
        *body.pointer_mut(path).unwrap() = value;
        body
    };
    let definition = || add_one()["definitions"][0].clone();
    for wrong in [
        with("/name", json!("")),
        with("/name", json!("a.b")),
        with("/functionType", json!("NOPE")),
        with("/functionType", Value::Null),
        // A table function has columns.
        with("/functionType", json!("TABLE")),
        with("/deterministic", json!("yes")),
        with("/definitions", json!([])),
        with("/definitions", json!([definition(), definition()])),
        with(
            "/definitions/0",
            json!({"parameters": [], "impls": [sql("TRINO", "1")]}),
        ),
        with("/definitions/0/returnType", Value::Null),
        with("/definitions/0/returnType", json!("decimal(99,1)")),
        with("/definitions/0/impls", json!([])),
        with(
            "/definitions/0/impls",
            json!([sql("TRINO", "1"), sql("trino", "2")]),
        ),
        with("/definitions/0/impls/0/runtime", json!("DUCKDB")),
        with("/definitions/0/impls/0/language", json!("PERL")),
        with("/definitions/0/impls/0/sql", json!(" ")),
        with(
            "/definitions/0/impls/0",
            json!({"language": "JAVA", "runtime": "SPARK", "sql": "1"}),
        ),
        with(
            "/definitions/0/impls/0",
            json!({"language": "PYTHON", "runtime": "SPARK"}),
        ),
        with("/definitions/0/parameters", json!([{"name": "x"}])),
        with(
            "/definitions/0/parameters",
            json!([{"name": "", "dataType": "long"}]),
        ),
        with(
            "/definitions/0/parameters/0",
            json!({"name": "x", "dataType": "long", "type": "long"}),
        ),
        with(
            "/definitions/0/parameters",
            json!([{"name": "a", "dataType": "long", "defaultValue": {"type": "literal", "dataType": "long", "value": "1"}},
                {"name": "b", "dataType": "long"}]),
        ),
    ] {
        server.refused(("admin", "POST", FUNCTIONS), wrong, ILLEGAL).await;
    }
    let mut both = add_one();
    both["definitions"][0]["returnColumns"] = json!([{"name": "v", "dataType": "long"}]);
    server.refused(("admin", "POST", FUNCTIONS), both, ILLEGAL).await;
    // Nested deeper than what is stored could be read again.
    let deep = (0..16).fold(
        json!("long"),
        |inner, _| json!({"type": "list", "elementType": inner, "containsNull": true}),
    );
    server
        .refused(
            ("admin", "POST", FUNCTIONS),
            with("/definitions/0/returnType", deep),
            ILLEGAL,
        )
        .await;
    let listed = server.done("GET", FUNCTIONS, None).await;
    assert_eq!(listed["identifiers"], json!([]));
}

async fn definitions_and_implementations_change(place: Place) {
    let server = scene(&place).await;
    server.done("POST", FUNCTIONS, add_one()).await;
    let long = json!({"parameters": x("long"), "returnType": "long", "impls": [sql("SPARK", "x + 1L")]});
    let changes = json!({"updates": [{"@type": "updateComment", "newComment": "c2"},
        {"@type": "addDefinition", "definition": long},
        {"@type": "addImpl", "parameters": x("integer"), "implementation": sql("SPARK", "x + 1")}]});
    let changed = server.done("PUT", ADD_ONE, changes).await;
    let of_integer = |implementations: Value| json!({"parameters": x("integer"), "returnType": "integer", "impls": implementations});
    let both = json!([written("TRINO", "x + 1"), written("SPARK", "x + 1")]);
    let of_long =
        json!({"parameters": x("long"), "returnType": "long", "impls": [written("SPARK", "x + 1L")]});
    assert_eq!(
        shown(&changed["function"]),
        json!({"name": "add_one", "functionType": "scalar", "deterministic": true, "comment": "c2",
            "definitions": [of_integer(both.clone()), of_long], "audit": {"creator": "admin", "lastModifier": "admin"}})
    );
    let update = |update: Value| json!({ "updates": [update] });
    let remove = |data_type: &str| update(json!({"@type": "removeDefinition", "parameters": x(data_type)}));
    let definitions = async |change: Value| {
        let changed = server.done("PUT", ADD_ONE, change).await;
        changed["function"]["definitions"].clone()
    };
    assert_eq!(definitions(remove("long")).await, json!([of_integer(both)]));
    server
        .refused(("admin", "PUT", ADD_ONE), remove("integer"), ILLEGAL)
        .await;
    let remove_spark = update(json!({"@type": "removeImpl", "parameters": x("integer"), "runtime": "SPARK"}));
    let trino = json!([of_integer(json!([written("TRINO", "x + 1")]))]);
    assert_eq!(definitions(remove_spark.clone()).await, trino);
    let replace = |runtime: &str, by: &str| {
        update(
            json!({"@type": "updateImpl", "parameters": x("integer"), "runtime": runtime, "implementation": sql(by, "1 + x")}),
        )
    };
    let replaced = json!([of_integer(json!([written("TRINO", "1 + x")]))]);
    assert_eq!(definitions(replace("TRINO", "TRINO")).await, replaced);

    let add = |definition: Value| update(json!({"@type": "addDefinition", "definition": definition}));
    for wrong in [
        json!({}),
        json!({"updates": []}),
        update(json!({"@type": "rename", "newName": "x"})),
        update(json!({"@type": "addDefinition"})),
        // Another call of the same types, and one that could mean either.
        add(
            json!({"parameters": [{"name": "y", "dataType": "integer"}], "returnType": "long", "impls": [sql("SPARK", "1")]}),
        ),
        add(
            json!({"parameters": [{"name": "y", "dataType": "integer", "defaultValue":
            {"type": "literal", "dataType": "integer", "value": "1"}}, {"name": "z", "dataType": "integer"}],
            "returnType": "long", "impls": [sql("SPARK", "1")]}),
        ),
        add(
            json!({"parameters": x("date"), "returnColumns": [{"name": "v", "dataType": "long"}], "impls": [sql("SPARK", "1")]}),
        ),
        remove("long"),
        update(json!({"@type": "removeDefinition"})),
        update(json!({"@type": "addImpl", "parameters": x("integer"), "implementation": sql("TRINO", "1")})),
        update(json!({"@type": "addImpl", "parameters": x("long"), "implementation": sql("SPARK", "1")})),
        update(json!({"@type": "addImpl", "parameters": x("integer")})),
        replace("SPARK", "SPARK"),
        replace("TRINO", "SPARK"),
        remove_spark,
        update(json!({"@type": "removeImpl", "parameters": x("integer"), "runtime": "TRINO"})),
        update(json!({"@type": "removeImpl", "parameters": x("integer")})),
        // The second change is refused, so the first one does not hold either.
        json!({"updates": [{"@type": "updateComment", "newComment": "lost"},
            {"@type": "removeDefinition", "parameters": x("integer")}]}),
    ] {
        server.refused(("admin", "PUT", ADD_ONE), wrong, ILLEGAL).await;
    }
    let loaded = server.done("GET", ADD_ONE, None).await;
    assert_eq!(loaded["function"]["definitions"], replaced);
    assert_eq!(loaded["function"]["comment"], "c2");
    // What was ambiguous is not, once the other one is gone.
    let exchange = json!({"updates": [
        {"@type": "addDefinition", "definition": {"parameters": x("long"), "returnType": "long", "impls": [sql("SPARK", "1")]}},
        {"@type": "removeDefinition", "parameters": x("integer")},
        {"@type": "addDefinition", "definition": {"parameters": [{"name": "y", "dataType": "integer"}],
            "returnType": "integer", "impls": [sql("SPARK", "1")]}},
        {"@type": "updateComment", "newComment": null}]});
    let changed = server.done("PUT", ADD_ONE, exchange).await;
    assert_eq!(
        changed["function"]["definitions"][1]["parameters"][0]["name"],
        "y"
    );
    assert_eq!(changed["function"].get("comment"), None);
    server
        .refused(
            ("admin", "PUT", &format!("{FUNCTIONS}/zz")),
            remove("long"),
            NO_FUNCTION,
        )
        .await;
}

async fn changes_at_the_same_time_all_hold(place: Place) {
    let server = scene(&place).await;
    let server = &server;
    let made = join_all((0..6).map(|_| server.call("admin", "POST", FUNCTIONS, Some(add_one())))).await;
    let mut statuses: Vec<u16> = made.iter().map(|(status, _)| *status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409, 409, 409, 409, 409]);
    // Eight overloads, of which two cannot stand together.
    let changes = join_all((1..=8).map(|number| async move {
        let length = if number == 8 { 7 } else { number };
        let definition = json!({"parameters": x(&format!("char({length})")), "returnType": "long",
            "impls": [sql("SPARK", "1")]});
        let body = json!({"updates": [{"@type": "addDefinition", "definition": definition}]});
        server.call("admin", "PUT", ADD_ONE, Some(body)).await.0
    }))
    .await;
    assert_eq!(
        changes.iter().filter(|status| **status == 200).count(),
        7,
        "{changes:?}"
    );
    assert_eq!(
        changes.iter().filter(|status| **status == 400).count(),
        1,
        "{changes:?}"
    );
    let loaded = server.done("GET", ADD_ONE, None).await;
    assert_eq!(loaded["function"]["definitions"].as_array().unwrap().len(), 8);
}
