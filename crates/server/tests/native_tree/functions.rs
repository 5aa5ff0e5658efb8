// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Functions, as recorded from the original: what comes and goes, who may do what. Their definitions are in
//! `function_definitions`.

use serde_json::{Value, json};

use crate::scene::{FORBIDDEN, Held, ILLEGAL, Place, Server, give, iceberg, on_both_stores};

on_both_stores!(
    functions_come_and_go,
    every_catalog_has_functions,
    everything_is_there_after_a_restart,
    whoever_may_does_what,
    everything_attaches_to_functions,
);

const CATALOGS: &str = "/api/metalakes/m/catalogs";
const SCHEMA: &str = "/api/metalakes/m/catalogs/ice/schemas/db1";
pub(crate) const FUNCTIONS: &str = "/api/metalakes/m/catalogs/ice/schemas/db1/functions";
pub(crate) const ADD_ONE: &str = "/api/metalakes/m/catalogs/ice/schemas/db1/functions/add_one";
pub(crate) const NO_FUNCTION: (u16, i32, &str) = (404, 1003, "NoSuchFunctionException");

pub(crate) async fn scene(place: &Place) -> Server {
    let server = Server::start(place).await;
    server.done("POST", "/api/metalakes", json!({"name": "m"})).await;
    server.done("POST", CATALOGS, iceberg("ice")).await;
    server
        .done("POST", &format!("{CATALOGS}/ice/schemas"), json!({"name": "db1"}))
        .await;
    server
}

pub(crate) fn sql(runtime: &str, text: &str) -> Value {
    json!({"language": "SQL", "runtime": runtime, "sql": text})
}

/// The same as it is answered.
pub(crate) fn written(runtime: &str, text: &str) -> Value {
    json!({"language": "SQL", "runtime": runtime, "resources": {"jars": [], "files": [], "archives": []},
        "properties": {}, "sql": text})
}

pub(crate) fn x(data_type: &str) -> Value {
    json!([{"name": "x", "dataType": data_type}])
}

pub(crate) fn add_one() -> Value {
    json!({"name": "add_one", "functionType": "SCALAR", "deterministic": true, "comment": "adds",
        "definitions": [{"parameters": x("integer"), "returnType": "integer", "impls": [sql("TRINO", "x + 1")]}]})
}

fn generator() -> Value {
    json!({"name": "gen", "functionType": "TABLE", "deterministic": true, "definitions": [{
        "parameters": [{"name": "a", "dataType": "integer"}, {"name": "b", "dataType": "integer", "comment": "end",
            "defaultValue": {"type": "literal", "dataType": "integer", "value": "1"}}],
        "returnColumns": [{"name": "v", "dataType": "integer", "comment": "value"}],
        "impls": [{"language": "JAVA", "runtime": "SPARK", "className": "com.example.Gen",
            "resources": {"jars": ["file:///tmp/x.jar"]}}]}]})
}

/// The function of an answer without its times.
pub(crate) fn shown(function: &Value) -> Value {
    let mut function = function.clone();
    let audit = function["audit"].as_object_mut().unwrap();
    audit.retain(|name, _| name == "creator" || name == "lastModifier");
    function
}

async fn functions_come_and_go(place: Place) {
    let server = scene(&place).await;
    let one = json!({"name": "add_one", "functionType": "scalar", "deterministic": true, "comment": "adds",
        "definitions": [{"parameters": x("integer"), "returnType": "integer", "impls": [written("TRINO", "x + 1")]}],
        "audit": {"creator": "admin"}});
    let made = server.done("POST", FUNCTIONS, add_one()).await;
    assert_eq!(shown(&made["function"]), one);
    let taken = (409, 1004, "FunctionAlreadyExistsException");
    server
        .refused(("admin", "POST", FUNCTIONS), add_one(), taken)
        .await;
    let listed = server.done("GET", FUNCTIONS, None).await;
    assert_eq!(
        listed["identifiers"],
        json!([{"namespace": ["m", "ice", "db1"], "name": "add_one"}])
    );
    assert_eq!(shown(&server.done("GET", ADD_ONE, None).await["function"]), one);
    server
        .refused(("admin", "GET", &format!("{FUNCTIONS}/zz")), None, NO_FUNCTION)
        .await;

    let mut expected = generator();
    expected["functionType"] = json!("table");
    expected["audit"] = json!({"creator": "admin"});
    let implementation = &mut expected["definitions"][0]["impls"][0];
    implementation["resources"] = json!({"jars": ["file:///tmp/x.jar"], "files": [], "archives": []});
    implementation["properties"] = json!({});
    let made = server.done("POST", FUNCTIONS, generator()).await;
    assert_eq!(shown(&made["function"]), expected);
    // Python, with everything that an implementation can say; what is not said is not deterministic.
    let python = json!({"name": "py", "functionType": "aggregate", "definitions": [{"returnType":
        {"type": "list", "elementType": "string", "containsNull": false}, "impls": [{"language": "PYTHON",
        "runtime": "spark", "handler": "m.f", "codeBlock": "def f(): pass", "properties": {"k": "v"},
        "resources": {"jars": null, "files": ["file:///a"], "archives": ["file:///b"]}}]}]});
    let made = server.done("POST", FUNCTIONS, python).await;
    assert_eq!(
        shown(&made["function"]),
        json!({"name": "py", "functionType": "aggregate", "deterministic": false, "definitions": [{"parameters": [],
            "returnType": {"type": "list", "containsNull": false, "elementType": "string"}, "impls": [
            {"language": "PYTHON", "runtime": "SPARK", "handler": "m.f", "codeBlock": "def f(): pass",
             "properties": {"k": "v"}, "resources": {"jars": [], "files": ["file:///a"], "archives": ["file:///b"]}}]}],
            "audit": {"creator": "admin"}})
    );
    let listed = server
        .done("GET", &format!("{FUNCTIONS}?details=true"), None)
        .await;
    let listed: Vec<Value> = listed["functions"]
        .as_array()
        .unwrap()
        .iter()
        .map(shown)
        .collect();
    assert_eq!(listed, [one, expected, shown(&made["function"])]);

    let taken_names = (409, 1005, "NonEmptySchemaException");
    server
        .refused(("admin", "DELETE", SCHEMA), None, taken_names)
        .await;
    let generator = format!("{FUNCTIONS}/gen");
    assert_eq!(server.done("DELETE", &generator, None).await["dropped"], true);
    assert_eq!(server.done("DELETE", &generator, None).await["dropped"], false);
    // A table may have the name of a function.
    let table = json!({"name": "add_one", "columns": [{"name": "id", "type": "long"}]});
    server.done("POST", &format!("{SCHEMA}/tables"), table).await;
    server
        .done("DELETE", &format!("{SCHEMA}?cascade=true"), None)
        .await;
    // Without its schema it is the function that is missing, as in the original.
    server.refused(("admin", "GET", ADD_ONE), None, NO_FUNCTION).await;
    server
        .refused(
            ("admin", "POST", FUNCTIONS),
            add_one(),
            (404, 1003, "NoSuchSchemaException"),
        )
        .await;
}

async fn every_catalog_has_functions(place: Place) {
    let server = scene(&place).await;
    server
        .done("POST", CATALOGS, json!({"name": "models", "type": "MODEL"}))
        .await;
    let schema = format!("{CATALOGS}/models/schemas");
    server.done("POST", &schema, json!({"name": "s"})).await;
    let functions = format!("{schema}/s/functions");
    assert_eq!(
        server.done("GET", &functions, None).await["identifiers"],
        json!([])
    );
    server.done("POST", &functions, add_one()).await;
    // Iceberg's engines have functions of their own in the schema `system`; models have no such schema.
    for (catalog, expected) in [("ice", 400), ("models", 200)] {
        let schemas = format!("{CATALOGS}/{catalog}/schemas");
        server.done("POST", &schemas, json!({"name": "system"})).await;
        let functions = format!("{schemas}/system/functions");
        assert_eq!(
            server.done("GET", &functions, None).await["identifiers"],
            json!([])
        );
        let (status, answer) = server.call("admin", "POST", &functions, Some(add_one())).await;
        assert_eq!(status, expected, "{answer}");
        let (status, answer) = server
            .call("admin", "DELETE", &format!("{functions}/add_one"), None)
            .await;
        assert_eq!(status, expected, "{answer}");
    }
    server
        .done("PATCH", &format!("{CATALOGS}/models"), json!({"inUse": false}))
        .await;
    let disabled = (409, 1009, "CatalogNotInUseException");
    for (method, path, body) in [
        ("GET", functions.clone(), None),
        ("POST", functions.clone(), Some(generator())),
        ("GET", format!("{functions}/add_one"), None),
        ("DELETE", format!("{functions}/add_one"), None),
    ] {
        server.refused(("admin", method, &path), body, disabled).await;
    }
}

async fn everything_is_there_after_a_restart(place: Place) {
    let server = scene(&place).await;
    server.done("POST", FUNCTIONS, add_one()).await;
    server.done("POST", FUNCTIONS, generator()).await;
    let comment = json!({"updates": [{"@type": "updateComment", "newComment": "c"}]});
    server.done("PUT", ADD_ONE, comment).await;
    let details = format!("{FUNCTIONS}?details=true");
    let before = server.done("GET", &details, None).await;
    let server = server.restarted(&place).await;
    assert_eq!(server.done("GET", &details, None).await, before);
}

async fn whoever_may_does_what(place: Place) {
    const WAY: [Held<'_>; 2] = [
        ("USE_CATALOG", "catalog", "ice"),
        ("USE_SCHEMA", "schema", "ice.db1"),
    ];
    let server = scene(&place).await;
    server.done("POST", FUNCTIONS, add_one()).await;
    server.done("POST", FUNCTIONS, generator()).await;
    let with = |more: &[Held<'static>]| [&WAY[..], more].concat();
    let rows = [
        ("nobody", Vec::new()),
        ("walker", with(&[])),
        (
            "runner",
            with(&[("EXECUTE_FUNCTION", "function", "ice.db1.add_one")]),
        ),
        (
            "changer",
            with(&[("MODIFY_FUNCTION", "function", "ice.db1.add_one")]),
        ),
        ("registrar", with(&[("REGISTER_FUNCTION", "schema", "ice.db1")])),
        (
            "denied",
            with(&[
                ("EXECUTE_FUNCTION", "metalake", "m"),
                ("DENY EXECUTE_FUNCTION", "function", "ice.db1.add_one"),
            ]),
        ),
        (
            "stranded",
            vec![
                ("EXECUTE_FUNCTION", "metalake", "m"),
                ("MODIFY_FUNCTION", "metalake", "m"),
            ],
        ),
        ("owner", with(&[])),
    ];
    let grants: Vec<(&str, &[Held<'_>])> = rows.iter().map(|(user, held)| (*user, held.as_slice())).collect();
    give(&server, &grants).await;
    let owner = "/api/metalakes/m/owners/function/ice.db1.add_one";
    server
        .done("PUT", owner, json!({"name": "owner", "type": "USER"}))
        .await;
    let change = json!({"updates": [{"@type": "updateComment", "newComment": "c"}]});
    for (user, _) in &rows {
        let may = async |method: &str, path: &str, body: Option<Value>| {
            let (status, answer) = server.call(user, method, path, body).await;
            assert!([200, 403].contains(&status), "{user} {method} {path}: {answer}");
            status == 200
        };
        let reads = ["runner", "changer", "owner"].contains(user);
        assert_eq!(may("GET", ADD_ONE, None).await, reads, "{user}");
        let changes = ["changer", "owner"].contains(user);
        assert_eq!(may("PUT", ADD_ONE, Some(change.clone())).await, changes, "{user}");
        let mut new = add_one();
        new["name"] = json!(format!("of_{user}"));
        assert_eq!(
            may("POST", FUNCTIONS, Some(new)).await,
            *user == "registrar",
            "{user}"
        );
        // Modifying is not owning.
        if *user != "owner" {
            server.refused((user, "DELETE", ADD_ONE), None, FORBIDDEN).await;
        }
        if !reads && *user != "denied" {
            let absent = format!("{FUNCTIONS}/absent");
            server.refused((user, "GET", &absent), None, FORBIDDEN).await;
        }
    }
    for (user, expected) in [
        ("walker", json!([])),
        ("runner", json!(["add_one"])),
        ("changer", json!(["add_one"])),
        ("denied", json!(["gen", "of_registrar"])),
        ("registrar", json!(["of_registrar"])),
        ("owner", json!(["add_one"])),
    ] {
        for (query, member) in [("", "identifiers"), ("?details=true", "functions")] {
            let (status, answer) = server
                .call(user, "GET", &format!("{FUNCTIONS}{query}"), None)
                .await;
            assert_eq!(status, 200, "{answer}");
            let names: Vec<&Value> = answer[member]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| &one["name"])
                .collect();
            assert_eq!(json!(names), expected, "{user}");
        }
    }
    server
        .refused(("nobody", "GET", FUNCTIONS), None, FORBIDDEN)
        .await;
    let (status, answer) = server.call("owner", "DELETE", ADD_ONE, None).await;
    assert_eq!((status, &answer["dropped"]), (200, &json!(true)));
}

async fn everything_attaches_to_functions(place: Place) {
    let server = scene(&place).await;
    server.done("POST", FUNCTIONS, add_one()).await;
    let object = "/api/metalakes/m/objects/function/ice.db1.add_one";
    server
        .done("POST", "/api/metalakes/m/tags", json!({"name": "pii"}))
        .await;
    let tags = format!("{object}/tags");
    let tagged = server.done("POST", &tags, json!({"tagsToAdd": ["pii"]})).await;
    assert_eq!(tagged["names"], json!(["pii"]));
    let policy = json!({"name": "keep", "policyType": "custom", "enabled": true,
        "content": {"customRules": {"days": 30}, "supportedObjectTypes": ["FUNCTION"], "properties": {}}});
    server.done("POST", "/api/metalakes/m/policies", policy).await;
    let policies = format!("{object}/policies");
    // Policies are for other kinds, as in the original.
    server
        .refused(
            ("admin", "POST", &policies),
            json!({"policiesToAdd": ["keep"]}),
            ILLEGAL,
        )
        .await;
    let owner = "/api/metalakes/m/owners/function/ice.db1.add_one";
    assert_eq!(server.done("GET", owner, None).await["owner"]["name"], "admin");
    let held: &[Held<'_>] = &[("EXECUTE_FUNCTION", "function", "ice.db1.add_one")];
    give(&server, &[("ann", held)]).await;
    let roles = server.done("GET", &format!("{object}/roles"), None).await;
    assert_eq!(roles["names"], json!(["r_ann"]));
    // A grant ends with its function; the next one of the name is another.
    server.done("DELETE", ADD_ONE, None).await;
    server.done("POST", FUNCTIONS, add_one()).await;
    assert_eq!(server.done("GET", &tags, None).await["names"], json!([]));
    let roles = server.done("GET", &format!("{object}/roles"), None).await;
    assert_eq!(roles["names"], json!([]));
}
