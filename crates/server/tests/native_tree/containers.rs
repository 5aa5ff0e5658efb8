// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Metalakes, catalogs, schemas.

use serde_json::{Value, json};

use crate::scene::{FORBIDDEN, ILLEGAL, Place, Server, iceberg, on_both_stores};

on_both_stores!(
    metalakes_come_and_go,
    catalogs_come_and_go,
    a_catalog_names_a_cloud_that_there_is,
    schemas_nest,
    without_authorization_everything_is_open_and_ownerless
);

async fn metalakes_come_and_go(place: Place) {
    let server = Server::start(&place).await;
    let empty = server.done("GET", "/api/metalakes", None).await;
    assert_eq!(empty["metalakes"], json!([]));
    let new = json!({"name": "m", "comment": "first", "properties": {"k1": "v1"}});
    let made = server.done("POST", "/api/metalakes", new.clone()).await;
    assert_eq!(made["metalake"]["audit"]["creator"], "admin");
    server
        .refused(
            ("admin", "POST", "/api/metalakes"),
            new,
            (409, 1004, "MetalakeAlreadyExistsException"),
        )
        .await;
    server
        .refused(("bob", "POST", "/api/metalakes"), json!({"name": "b"}), FORBIDDEN)
        .await;
    for wrong in [
        json!({"name": ""}),
        json!({"name": "a b"}),
        json!({"name": "x", "bogus": 1}),
    ] {
        server
            .refused(("admin", "POST", "/api/metalakes"), wrong, ILLEGAL)
            .await;
    }
    let loaded = server.done("GET", "/api/metalakes/m", None).await;
    assert_eq!(
        loaded["metalake"]["properties"],
        json!({"in-use": "true", "k1": "v1"})
    );
    for (user, path) in [("bob", "/api/metalakes/m"), ("admin", "/api/metalakes/nope")] {
        server.refused((user, "GET", path), None, FORBIDDEN).await;
    }
    let (_, seen) = server.call("bob", "GET", "/api/metalakes", None).await;
    assert_eq!(seen["metalakes"], json!([]));
    let altered = json!({"updates": [
        {"@type": "updateComment", "newComment": "changed"},
        {"@type": "setProperty", "property": "k2", "value": "v2"},
        {"@type": "removeProperty", "property": "k1"},
        {"@type": "rename", "newName": "n"},
    ]});
    let altered = server.done("PUT", "/api/metalakes/m", altered).await;
    assert_eq!(altered["metalake"]["name"], "n");
    assert_eq!(altered["metalake"]["comment"], "changed");
    assert_eq!(altered["metalake"]["audit"]["lastModifier"], "admin");
    server
        .refused(("admin", "PUT", "/api/metalakes/n"), json!({}), ILLEGAL)
        .await;
    server
        .refused(
            ("admin", "DELETE", "/api/metalakes/n"),
            None,
            (409, 1010, "MetalakeInUseException"),
        )
        .await;
    for _ in 0..2 {
        server
            .done("PATCH", "/api/metalakes/n", json!({"inUse": false}))
            .await;
    }
    let off = server.done("GET", "/api/metalakes/n", None).await;
    assert_eq!(off["metalake"]["properties"]["in-use"], "false");
    let not_in_use = (409, 1009, "MetalakeNotInUseException");
    server
        .refused(
            ("admin", "PUT", "/api/metalakes/n"),
            json!({"updates": []}),
            not_in_use,
        )
        .await;
    server
        .refused(("admin", "GET", "/api/metalakes/n/catalogs"), None, not_in_use)
        .await;
    let dropped = server.done("DELETE", "/api/metalakes/n", None).await;
    assert_eq!(dropped["dropped"], true);
    server
        .refused(("admin", "DELETE", "/api/metalakes/n"), None, FORBIDDEN)
        .await;
}

async fn catalogs_come_and_go(place: Place) {
    let server = Server::start(&place).await;
    server.done("POST", "/api/metalakes", json!({"name": "m"})).await;
    let catalogs = "/api/metalakes/m/catalogs";
    let made = server.done("POST", catalogs, iceberg("ice")).await;
    assert_eq!(made["catalog"]["type"], "relational");
    assert_eq!(made["catalog"]["properties"]["in-use"], "true");
    server
        .refused(
            ("admin", "POST", catalogs),
            iceberg("ice"),
            (409, 1004, "CatalogAlreadyExistsException"),
        )
        .await;
    let with = |member: &str, value: &str| {
        let mut body = iceberg("zz");
        body[member] = json!(value);
        body
    };
    server
        .refused(("admin", "POST", catalogs), with("provider", "nope"), ILLEGAL)
        .await;
    server
        .refused(
            ("admin", "POST", catalogs),
            with("provider", "hive"),
            (405, 1006, "UnsupportedOperationException"),
        )
        .await;
    for wrong in [
        with("type", "BOGUS"),
        with("type", "MESSAGING"),
        with("name", "a.b"),
    ] {
        server.refused(("admin", "POST", catalogs), wrong, ILLEGAL).await;
    }
    // Neither the server's own folder, nor around it, nor in it beside the warehouses.
    let data = server.folder.path().to_str().unwrap();
    let around = data.rsplit_once('/').unwrap().0;
    for place in [
        format!("file://{data}"),
        format!("file://{around}"),
        format!("file://{data}/lakeward.db"),
        format!("file://{data}/x"),
        // As the provider reads them, too.
        data.to_owned(),
        format!("FILE:{data}"),
    ] {
        let mut over_own_files = iceberg("zz");
        over_own_files["properties"] = json!({"warehouse": place});
        server
            .refused(("admin", "POST", catalogs), over_own_files, ILLEGAL)
            .await;
    }
    let list = server.done("GET", catalogs, None).await;
    assert_eq!(list["identifiers"], json!([{"namespace": ["m"], "name": "ice"}]));
    let details = server
        .done("GET", "/api/metalakes/m/catalogs?details=true", None)
        .await;
    assert_eq!(details["catalogs"][0]["provider"], "lakehouse-iceberg");
    server
        .refused(
            ("admin", "GET", "/api/metalakes/m/catalogs/nope"),
            None,
            (404, 1003, "NoSuchCatalogException"),
        )
        .await;
    server
        .done("POST", "/api/metalakes/m/users", json!({"name": "bob"}))
        .await;
    server
        .refused(("bob", "GET", "/api/metalakes/m/catalogs/ice"), None, FORBIDDEN)
        .await;
    let (_, hidden) = server.call("bob", "GET", catalogs, None).await;
    assert_eq!(hidden["identifiers"], json!([]));

    let test = "/api/metalakes/m/catalogs/testConnection";
    server.done("POST", test, iceberg("other")).await;
    let (status, taken) = server.call("admin", "POST", test, Some(iceberg("ice"))).await;
    assert_eq!((status, taken["code"].as_i64()), (200, Some(1004)));
    let stored = "/api/metalakes/m/catalogs/ice/testConnection";
    server.done("POST", stored, None).await;
    server.done("POST", stored, json!({"updates": []})).await;

    let one = "/api/metalakes/m/catalogs/ice";
    let altered = json!({"updates": [
        {"@type": "setProperty", "property": "k", "value": "v"}, {"@type": "rename", "newName": "ice2"}]});
    let altered = server.done("PUT", one, altered).await;
    assert_eq!(altered["catalog"]["properties"]["k"], "v");
    let one = "/api/metalakes/m/catalogs/ice2";
    let move_it =
        json!({"updates": [{"@type": "setProperty", "property": "warehouse", "value": "file:///elsewhere"}]});
    server.refused(("admin", "PUT", one), move_it, ILLEGAL).await;
    server
        .refused(
            ("admin", "DELETE", one),
            None,
            (409, 1010, "CatalogInUseException"),
        )
        .await;
    server.done("PATCH", one, json!({"inUse": false})).await;
    server.done("GET", one, None).await;
    let not_in_use = (409, 1009, "CatalogNotInUseException");
    server
        .refused(
            ("admin", "GET", "/api/metalakes/m/catalogs/ice2/schemas"),
            None,
            not_in_use,
        )
        .await;
    server
        .refused(("admin", "PUT", one), json!({"updates": []}), not_in_use)
        .await;
    for dropped in [true, false] {
        assert_eq!(server.done("DELETE", one, None).await["dropped"], dropped);
    }
}

/// A property of catalogs of every provider, checked wherever one is given.
async fn a_catalog_names_a_cloud_that_there_is(place: Place) {
    let server = Server::start(&place).await;
    server.done("POST", "/api/metalakes", json!({"name": "m"})).await;
    let catalogs = "/api/metalakes/m/catalogs";
    let test = format!("{catalogs}/testConnection");
    for (provider, catalog_type) in [
        ("lakehouse-iceberg", "relational"),
        ("fileset", "fileset"),
        ("model", "model"),
    ] {
        let in_cloud = |cloud: &str| {
            json!({"name": provider.replace('-', "_"), "type": catalog_type, "provider": provider,
                "properties": {"cloud.name": cloud, "cloud.region-code": "us-west-2"}})
        };
        for wrong in ["myCloud", ""] {
            // What a tested connection would fail with is its result.
            let found = (200, 1001, "IllegalArgumentException");
            for (path, refusal) in [(catalogs, ILLEGAL), (&*test, found)] {
                server
                    .refused(("admin", "POST", path), in_cloud(wrong), refusal)
                    .await;
            }
        }
        server.done("POST", &test, in_cloud("aws")).await;
        let made = server.done("POST", catalogs, in_cloud("AWS")).await;
        assert_eq!(made["catalog"]["properties"]["cloud.name"], "AWS");
        let path = format!("{catalogs}/{}", provider.replace('-', "_"));
        let set = |cloud: &str| json!({"updates": [{"@type": "setProperty", "property": "cloud.name", "value": cloud}]});
        server
            .refused(("admin", "PUT", &path), set("myCloud"), ILLEGAL)
            .await;
        let altered = server.done("PUT", &path, set("on_premise")).await;
        assert_eq!(altered["catalog"]["properties"]["cloud.name"], "on_premise");
    }
}

async fn schemas_nest(place: Place) {
    let server = Server::start(&place).await;
    server.done("POST", "/api/metalakes", json!({"name": "m"})).await;
    server
        .done("POST", "/api/metalakes/m/catalogs", iceberg("ice"))
        .await;
    let schemas = "/api/metalakes/m/catalogs/ice/schemas";
    let new = json!({"name": "db", "comment": "c", "properties": {"owner-team": "x"}});
    let made = server.done("POST", schemas, new.clone()).await;
    assert_eq!(made["schema"]["comment"], "c");
    server
        .refused(
            ("admin", "POST", schemas),
            new,
            (409, 1004, "SchemaAlreadyExistsException"),
        )
        .await;
    server
        .refused(("admin", "POST", schemas), json!({"name": "a.b"}), ILLEGAL)
        .await;
    server.done("POST", schemas, json!({"name": "x:y:z"})).await;
    let names = |list: &Value| -> Vec<String> {
        let items = list["identifiers"].as_array().unwrap();
        items
            .iter()
            .map(|item| item["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&server.done("GET", schemas, None).await), ["db", "x"]);
    let below = format!("{schemas}?parentSchema=x");
    assert_eq!(names(&server.done("GET", &below, None).await), ["x:y"]);
    let missing = format!("{schemas}?parentSchema=nope");
    let no_schema = (404, 1003, "NoSuchSchemaException");
    server.refused(("admin", "GET", &missing), None, no_schema).await;
    let loaded = server.done("GET", &format!("{schemas}/x%3Ay%3Az"), None).await;
    assert_eq!(loaded["schema"]["name"], "x:y:z");
    assert!(loaded["schema"]["properties"]["location"].is_string());
    server
        .refused(("admin", "GET", &format!("{schemas}/nope")), None, no_schema)
        .await;
    server
        .refused(
            ("admin", "GET", "/api/metalakes/m/catalogs/nope/schemas/db"),
            None,
            (404, 1003, "NoSuchCatalogException"),
        )
        .await;
    let altered = json!({"updates": [{"@type": "setProperty", "property": "a", "value": "b"},
                                     {"@type": "removeProperty", "property": "owner-team"}]});
    let altered = server.done("PUT", &format!("{schemas}/db"), altered).await;
    assert_eq!(altered["schema"]["properties"], json!({"a": "b"}));
    server
        .refused(
            ("admin", "DELETE", &format!("{schemas}/x")),
            None,
            (409, 1005, "NonEmptySchemaException"),
        )
        .await;
    for dropped in [true, false] {
        let answer = server
            .done("DELETE", &format!("{schemas}/x?cascade=true"), None)
            .await;
        assert_eq!(answer["dropped"], dropped);
    }
    server
        .refused(
            ("admin", "DELETE", "/api/metalakes/m/catalogs/ice"),
            None,
            (409, 1010, "CatalogInUseException"),
        )
        .await;
}

async fn without_authorization_everything_is_open_and_ownerless(place: Place) {
    let server = Server::start_with(&place, &[]).await;
    let anybody = |method: &'static str, path: &'static str| ("anybody", method, path);
    let no_metalake = (404, 1003, "NoSuchMetalakeException");
    server
        .refused(anybody("GET", "/api/metalakes/m"), None, no_metalake)
        .await;
    server
        .refused(anybody("GET", "/api/metalakes/m/catalogs"), None, no_metalake)
        .await;
    let absent = server.done("DELETE", "/api/metalakes/m", None).await;
    assert_eq!(absent["dropped"], false);
    server.done("POST", "/api/metalakes", json!({"name": "m"})).await;
    server
        .done("POST", "/api/metalakes/m/catalogs", iceberg("ice"))
        .await;
    let (status, list) = server
        .call("anybody", "GET", "/api/metalakes/m/catalogs", None)
        .await;
    assert_eq!(
        (status, list["identifiers"][0]["name"].as_str()),
        (200, Some("ice"))
    );
    let off = (405, 1006, "UnsupportedOperationException");
    server
        .refused(anybody("GET", "/api/metalakes/m/owners/catalog/ice"), None, off)
        .await;
    server.done("DELETE", "/api/metalakes/m?force=true", None).await;
    let providers = server
        .call("anybody", "GET", "/configs/secrets/providers", None)
        .await;
    assert_eq!(providers, (200, json!({"providers": []})));
    assert_eq!(server.done("GET", "/health.html", None).await["status"], "up");
}
