// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Models, as recorded from the original, but that a taken new name is a conflict. Their versions are in
//! `model_versions`.

use serde_json::{Value, json};

use crate::scene::{FORBIDDEN, Held, ILLEGAL, Place, Server, give, iceberg, on_both_stores};

on_both_stores!(
    models_come_and_go,
    everything_is_there_after_a_restart,
    whoever_may_does_what,
    everything_attaches_to_models,
    only_catalogs_of_models_have_models,
);

const CATALOGS: &str = "/api/metalakes/m/catalogs";
const SCHEMAS: &str = "/api/metalakes/m/catalogs/models/schemas";
pub(crate) const MODELS: &str = "/api/metalakes/m/catalogs/models/schemas/s1/models";
pub(crate) const MODEL: &str = "/api/metalakes/m/catalogs/models/schemas/s1/models/m1";
pub(crate) const VERSIONS: &str = "/api/metalakes/m/catalogs/models/schemas/s1/models/m1/versions";
pub(crate) const ALIASES: &str = "/api/metalakes/m/catalogs/models/schemas/s1/models/m1/aliases";

pub(crate) const NO_MODEL: (u16, i32, &str) = (404, 1003, "NoSuchModelException");

/// A metalake with a catalog of models and a schema in it.
async fn scene(place: &Place) -> Server {
    let server = Server::start(place).await;
    server.done("POST", "/api/metalakes", json!({"name": "m"})).await;
    let catalog = json!({"name": "models", "type": "MODEL", "comment": "models", "properties": {}});
    let made = server.done("POST", CATALOGS, catalog).await;
    assert_eq!(made["catalog"]["provider"], "model");
    assert_eq!(made["catalog"]["type"], "model");
    assert_eq!(made["catalog"]["properties"], json!({"in-use": "true"}));
    server.done("POST", SCHEMAS, json!({"name": "s1"})).await;
    server
}

pub(crate) async fn with_model(place: &Place) -> Server {
    let server = scene(place).await;
    let new = json!({"name": "m1", "comment": "model", "properties": {"k": "v"}});
    server.done("POST", MODELS, new).await;
    server
}

/// The object of an answer without its times.
pub(crate) fn shown(answer: &Value, member: &str) -> Value {
    let mut object = answer[member].clone();
    let audit = object["audit"].as_object_mut().unwrap();
    audit.retain(|name, _| name == "creator" || name == "lastModifier");
    object
}

pub(crate) async fn link(server: &Server, body: Value) {
    let answer = server.done("POST", VERSIONS, body).await;
    assert_eq!(answer, json!({"code": 0}));
}

pub(crate) async fn numbers(server: &Server) -> Value {
    server.done("GET", VERSIONS, None).await["versions"].clone()
}

async fn models_come_and_go(place: Place) {
    let server = scene(&place).await;
    // The schemas of such a catalog are like all others.
    let schemas = server.done("GET", SCHEMAS, None).await;
    assert_eq!(
        schemas["identifiers"],
        json!([{"namespace": ["m", "models"], "name": "s1"}])
    );
    let schema = format!("{SCHEMAS}/s1");
    let change = json!({"updates": [{"@type": "setProperty", "property": "a", "value": "b"}]});
    let changed = server.done("PUT", &schema, change).await;
    assert_eq!(changed["schema"]["properties"], json!({"a": "b"}));
    assert_eq!(
        server.done("GET", &schema, None).await["schema"]["properties"],
        json!({"a": "b"})
    );
    server
        .refused(("admin", "POST", SCHEMAS), json!({"name": "a:b"}), ILLEGAL)
        .await;

    let new = json!({"name": "m1", "comment": "model", "properties": {"k": "v"}});
    let expected = json!({"name": "m1", "comment": "model", "properties": {"k": "v"}, "latestVersion": 0,
        "audit": {"creator": "admin"}});
    assert_eq!(shown(&server.done("POST", MODELS, new).await, "model"), expected);
    assert_eq!(shown(&server.done("GET", MODEL, None).await, "model"), expected);
    let taken = (409, 1004, "ModelAlreadyExistsException");
    server
        .refused(("admin", "POST", MODELS), json!({"name": "m1"}), taken)
        .await;
    for wrong in [
        json!({"name": ""}),
        json!({}),
        json!({"name": "a b"}),
        json!({"name": "x", "uri": "u"}),
    ] {
        server.refused(("admin", "POST", MODELS), wrong, ILLEGAL).await;
    }
    let nowhere = format!("{SCHEMAS}/nope/models");
    server
        .refused(
            ("admin", "POST", &nowhere),
            json!({"name": "m"}),
            (404, 1003, "NoSuchSchemaException"),
        )
        .await;
    let second = server.done("POST", MODELS, json!({"name": "m2"})).await;
    assert_eq!(second["model"]["properties"], json!({}));
    assert_eq!(second["model"].get("comment"), None);
    let listed = server.done("GET", MODELS, None).await;
    assert_eq!(
        listed["identifiers"],
        json!([{"namespace": ["m", "models", "s1"], "name": "m1"}, {"namespace": ["m", "models", "s1"], "name": "m2"}])
    );
    server
        .refused(("admin", "GET", &format!("{MODELS}/nope")), None, NO_MODEL)
        .await;

    // Without its schema it is the model that is missing, as in the original; a missing catalog is told.
    for (path, expected) in [
        (format!("{nowhere}/m1"), NO_MODEL),
        (format!("{nowhere}/m1/versions"), NO_MODEL),
        (
            format!("{CATALOGS}/nope/schemas/s1/models/m1"),
            (404, 1003, "NoSuchCatalogException"),
        ),
    ] {
        server.refused(("admin", "GET", &path), None, expected).await;
    }
    server
        .refused(
            ("admin", "GET", &nowhere),
            None,
            (404, 1003, "NoSuchSchemaException"),
        )
        .await;

    // All changes at once.
    let two = format!("{MODELS}/m2");
    let changes = json!({"updates": [{"@type": "rename", "newName": "m2b"}, {"@type": "updateComment", "newComment": "cc"},
        {"@type": "setProperty", "property": "k", "value": "v"}, {"@type": "setProperty", "property": "gone", "value": "v"},
        {"@type": "removeProperty", "property": "gone"}, {"@type": "removeProperty", "property": "absent"}]});
    let changed = shown(&server.done("PUT", &two, changes).await, "model");
    assert_eq!(
        changed,
        json!({"name": "m2b", "comment": "cc", "properties": {"k": "v"}, "latestVersion": 0,
            "audit": {"creator": "admin", "lastModifier": "admin"}})
    );
    let two = format!("{MODELS}/m2b");
    let rename =
        |name: &str| json!({"updates": [{"@type": "rename", "newName": name}, {"@type": "updateComment"}]});
    server.refused(("admin", "PUT", &two), rename("m1"), taken).await;
    for wrong in [
        json!({}),
        json!({"updates": [{"@type": "rename", "newName": " "}]}),
        json!({"updates": [{"@type": "setProperty", "property": "p"}]}),
        json!({"updates": [{"@type": "addUri", "uriName": "a", "uri": "b"}]}),
    ] {
        server.refused(("admin", "PUT", &two), wrong, ILLEGAL).await;
    }
    server
        .refused(("admin", "PUT", &format!("{MODELS}/nope")), rename("x"), NO_MODEL)
        .await;
    // The refused rename took nothing with it.
    assert_eq!(shown(&server.done("GET", &two, None).await, "model"), changed);
    server
        .refused(
            ("admin", "DELETE", &schema),
            None,
            (409, 1005, "NonEmptySchemaException"),
        )
        .await;
    assert_eq!(server.done("DELETE", &two, None).await["dropped"], true);
    assert_eq!(server.done("DELETE", &two, None).await["dropped"], false);
    link(&server, json!({"uri": "u", "aliases": ["a"]})).await;
    server
        .done("DELETE", &format!("{schema}?cascade=true"), None)
        .await;
    // What comes after is another model.
    server.done("POST", SCHEMAS, json!({"name": "s1"})).await;
    server.done("POST", MODELS, json!({"name": "m1"})).await;
    assert_eq!(numbers(&server).await, json!([]));
    link(&server, json!({"uri": "u", "aliases": ["a"]})).await;
    assert_eq!(numbers(&server).await, json!([0]));
}

async fn everything_is_there_after_a_restart(place: Place) {
    let server = with_model(&place).await;
    link(
        &server,
        json!({"uri": "s3://0", "aliases": ["a", "b"], "comment": "c", "properties": {"p": "q"}}),
    )
    .await;
    link(&server, json!({"uris": {"x": "s3://x", "y": "s3://y"}})).await;
    server.done("DELETE", &format!("{VERSIONS}/1"), None).await;
    let paths = [
        MODEL.to_owned(),
        format!("{VERSIONS}?details=true"),
        format!("{ALIASES}/b"),
    ];
    let mut before = Vec::new();
    for path in &paths {
        before.push(server.done("GET", path, None).await);
    }
    let server = server.restarted(&place).await;
    for (path, before) in paths.iter().zip(before) {
        assert_eq!(server.done("GET", path, None).await, before, "{path}");
    }
    link(&server, json!({"uri": "u"})).await;
    assert_eq!(numbers(&server).await, json!([0, 2]));
}

async fn whoever_may_does_what(place: Place) {
    const WAY: [Held<'_>; 2] = [
        ("USE_CATALOG", "catalog", "models"),
        ("USE_SCHEMA", "schema", "models.s1"),
    ];
    let server = with_model(&place).await;
    server.done("POST", MODELS, json!({"name": "hidden"})).await;
    link(&server, json!({"uri": "u", "aliases": ["a"]})).await;
    let with = |more: &[Held<'static>]| [&WAY[..], more].concat();
    let rows = [
        ("nobody", Vec::new()),
        ("walker", with(&[])),
        ("user", with(&[("USE_MODEL", "model", "models.s1.m1")])),
        ("linker", with(&[("LINK_MODEL_VERSION", "model", "models.s1.m1")])),
        ("oldlinker", with(&[("CREATE_MODEL_VERSION", "metalake", "m")])),
        ("registrar", with(&[("REGISTER_MODEL", "schema", "models.s1")])),
        ("oldregistrar", with(&[("CREATE_MODEL", "catalog", "models")])),
        (
            "denied",
            with(&[
                ("USE_MODEL", "metalake", "m"),
                ("DENY USE_MODEL", "model", "models.s1.m1"),
            ]),
        ),
        (
            "stranded",
            vec![
                ("USE_MODEL", "model", "models.s1.m1"),
                ("LINK_MODEL_VERSION", "metalake", "m"),
            ],
        ),
        ("owner", with(&[])),
    ];
    let grants: Vec<(&str, &[Held<'_>])> = rows.iter().map(|(user, held)| (*user, held.as_slice())).collect();
    give(&server, &grants).await;
    let owner = "/api/metalakes/m/owners/model/models.s1.m1";
    server
        .done("PUT", owner, json!({"name": "owner", "type": "USER"}))
        .await;

    let may = async |user: &str, method: &str, path: &str, body: Option<Value>| {
        let (status, answer) = server.call(user, method, path, body).await;
        assert!([200, 403].contains(&status), "{user} {method} {path}: {answer}");
        status == 200
    };
    let zero = format!("{VERSIONS}/0");
    let alias = format!("{ALIASES}/a");
    let reads = [
        MODEL.to_owned(),
        VERSIONS.to_owned(),
        format!("{VERSIONS}?details=true"),
        zero.clone(),
        alias.clone(),
        format!("{zero}/uri"),
        format!("{alias}/uri"),
    ];
    for (user, _) in &rows {
        let reader = ["user", "owner"].contains(user);
        for path in &reads {
            assert_eq!(may(user, "GET", path, None).await, reader, "{user} {path}");
        }
        let links = ["linker", "oldlinker", "owner"].contains(user);
        let linked = may(user, "POST", VERSIONS, Some(json!({"uri": "u"}))).await;
        assert_eq!(linked, links, "{user} links");
        let registers = ["registrar", "oldregistrar"].contains(user);
        let new = json!({"name": format!("new_{user}")});
        assert_eq!(
            may(user, "POST", MODELS, Some(new)).await,
            registers,
            "{user} registers"
        );
        let owns = *user == "owner";
        let nothing = json!({"updates": []});
        for (method, path, body) in [
            ("PUT", MODEL, Some(nothing.clone())),
            ("PUT", &zero, Some(nothing.clone())),
            ("PUT", &alias, Some(nothing.clone())),
            ("DELETE", &format!("{VERSIONS}/77"), None),
            ("DELETE", &format!("{ALIASES}/zz"), None),
        ] {
            assert_eq!(
                may(user, method, path, body).await,
                owns,
                "{user} {method} {path}"
            );
        }
        if !owns {
            server.refused((user, "DELETE", MODEL), None, FORBIDDEN).await;
        }
        // Whether it exists is not told to who could see no model.
        let absent = format!("{MODELS}/absent");
        if !reader && *user != "denied" {
            server.refused((user, "GET", &absent), None, FORBIDDEN).await;
        }
    }
    for (user, expected) in [
        ("walker", json!([])),
        ("user", json!(["m1"])),
        ("denied", json!(["hidden", "new_oldregistrar", "new_registrar"])),
        ("owner", json!(["m1"])),
        ("registrar", json!(["new_registrar"])),
    ] {
        let (status, answer) = server.call(user, "GET", MODELS, None).await;
        assert_eq!(status, 200, "{answer}");
        let names: Vec<&Value> = answer["identifiers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| &one["name"])
            .collect();
        assert_eq!(json!(names), expected, "{user}");
    }
    server.refused(("nobody", "GET", MODELS), None, FORBIDDEN).await;
    assert!(may("owner", "DELETE", MODEL, None).await);
}

async fn everything_attaches_to_models(place: Place) {
    let server = with_model(&place).await;
    let object = "/api/metalakes/m/objects/model/models.s1.m1";
    server
        .done("POST", "/api/metalakes/m/tags", json!({"name": "pii"}))
        .await;
    let tags = format!("{object}/tags");
    let tagged = server.done("POST", &tags, json!({"tagsToAdd": ["pii"]})).await;
    assert_eq!(tagged["names"], json!(["pii"]));
    let policy = json!({"name": "keep", "policyType": "custom", "enabled": true,
        "content": {"customRules": {"days": 30}, "supportedObjectTypes": ["MODEL"], "properties": {}}});
    server.done("POST", "/api/metalakes/m/policies", policy).await;
    let policies = format!("{object}/policies");
    let attached = server
        .done("POST", &policies, json!({"policiesToAdd": ["keep"]}))
        .await;
    assert_eq!(attached["names"], json!(["keep"]));
    let objects = server
        .done("GET", "/api/metalakes/m/tags/pii/objects", None)
        .await;
    assert_eq!(
        objects["metadataObjects"],
        json!([{"type": "model", "fullName": "models.s1.m1"}])
    );
    let owner = "/api/metalakes/m/owners/model/models.s1.m1";
    assert_eq!(server.done("GET", owner, None).await["owner"]["name"], "admin");
    let held: &[Held<'_>] = &[("USE_MODEL", "model", "models.s1.m1")];
    give(&server, &[("ann", held)]).await;
    let roles = server.done("GET", &format!("{object}/roles"), None).await;
    assert_eq!(roles["names"], json!(["r_ann"]));
    let privileges = json!({"privileges": [{"name": "LINK_MODEL_VERSION", "condition": "ALLOW"}]});
    let grant = "/api/metalakes/m/permissions/roles/r_ann/model/models.s1.m1/grant";
    server.done("PUT", grant, privileges).await;
    server
        .refused(
            ("admin", "GET", &format!("{object}/statistics")),
            None,
            (405, 1006, "UnsupportedOperationException"),
        )
        .await;
    // All of it stays through a rename, and ends with the model.
    let rename = json!({"updates": [{"@type": "rename", "newName": "m9"}]});
    server.done("PUT", MODEL, rename).await;
    let moved = "/api/metalakes/m/objects/model/models.s1.m9";
    let tags = server.done("GET", &format!("{moved}/tags"), None).await;
    assert_eq!(tags["names"], json!(["pii"]));
    server.done("DELETE", &format!("{MODELS}/m9"), None).await;
    let objects = server
        .done("GET", "/api/metalakes/m/tags/pii/objects", None)
        .await;
    assert_eq!(objects["metadataObjects"], json!([]));
    // A privilege on models means nothing in a catalog of something else.
    server.done("POST", CATALOGS, iceberg("ice")).await;
    let role = json!({"name": "wrong", "securableObjects": [{"type": "catalog", "fullName": "ice",
        "privileges": [{"name": "REGISTER_MODEL", "condition": "ALLOW"}]}]});
    server
        .refused(
            ("admin", "POST", "/api/metalakes/m/roles"),
            role,
            (400, 1001, "IllegalPrivilegeException"),
        )
        .await;
}

async fn only_catalogs_of_models_have_models(place: Place) {
    let server = with_model(&place).await;
    server.done("POST", CATALOGS, iceberg("ice")).await;
    server
        .done("POST", &format!("{CATALOGS}/ice/schemas"), json!({"name": "db"}))
        .await;
    let unsupported = (405, 1006, "UnsupportedOperationException");
    let elsewhere = format!("{CATALOGS}/ice/schemas/db/models");
    for (method, path, body) in [
        ("GET", elsewhere.clone(), None),
        ("POST", elsewhere.clone(), Some(json!({"name": "x"}))),
        ("GET", format!("{elsewhere}/x"), None),
        (
            "POST",
            format!("{elsewhere}/x/versions"),
            Some(json!({"uri": "u"})),
        ),
        ("DELETE", format!("{elsewhere}/x"), None),
    ] {
        server.refused(("admin", method, &path), body, unsupported).await;
    }
    let table = json!({"name": "t", "columns": [{"name": "id", "type": "long"}]});
    let tables = format!("{SCHEMAS}/s1/tables");
    server
        .refused(("admin", "POST", &tables), table, unsupported)
        .await;
    server
        .refused(
            ("admin", "GET", &format!("{SCHEMAS}/s1/views")),
            None,
            unsupported,
        )
        .await;
    server
        .done("POST", &format!("{CATALOGS}/models/testConnection"), None)
        .await;
    // Switched off, nothing in it is served.
    server
        .done("PATCH", &format!("{CATALOGS}/models"), json!({"inUse": false}))
        .await;
    let disabled = (409, 1009, "CatalogNotInUseException");
    for (method, path, body) in [
        ("GET", MODELS, None),
        ("GET", MODEL, None),
        ("POST", VERSIONS, Some(json!({"uri": "u"}))),
        ("DELETE", MODEL, None),
    ] {
        server.refused(("admin", method, path), body, disabled).await;
    }
}
