// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The walkthrough of the access-control page (seed 004): from an empty server to a user who reads one schema. Its
//! step 4 also takes CREATE_ROLE and MANAGE_GRANTS for staff, as the page's own matrix says.

use serde_json::{Value, json};

use crate::harness::{ADMIN, NONE, Server, StoreEngine, grant, role, speaks_of};
use crate::on_each_store;

on_each_store!(from_an_empty_server_to_a_reader_of_one_schema);

async fn from_an_empty_server_to_a_reader_of_one_schema(engine: StoreEngine) {
    let server = Server::start(engine, "on").await;
    // 1. The service administrator hands the metalake over.
    server
        .call(ADMIN, "POST", "/metalakes/m/users", json!({"name": "manager"}))
        .await
        .is(200);
    let owner = json!({"name": "manager", "type": "USER"});
    server
        .call(ADMIN, "PUT", "/metalakes/m/owners/metalake/m", owner)
        .await
        .is(200);
    server
        .call(ADMIN, "POST", "/metalakes/m/users", json!({"name": "x"}))
        .await
        .is(403);
    // 2. The manager lets staff create catalogs.
    let manager = |method, path, body| server.call("manager", method, path, body);
    for user in ["staff", "analyst"] {
        manager("POST", "/metalakes/m/users", json!({"name": user}))
            .await
            .is(200);
    }
    let catalogs = |privileges: &[&str]| {
        json!({"name": "catalog_manager", "properties": {},
        "securableObjects": [speaks_of("METALAKE", "m", privileges)]})
    };
    manager("POST", "/metalakes/m/roles", catalogs(&["CREATE_CATALOG"]))
        .await
        .is(200);
    let to_staff = "/metalakes/m/permissions/users/staff/grant";
    manager("PUT", to_staff, json!({"roleNames": ["catalog_manager"]}))
        .await
        .is(200);
    // 3. Staff builds.
    let catalog =
        json!({"name": "lake", "type": "RELATIONAL", "provider": "lakehouse-iceberg", "properties": {}});
    server
        .call("staff", "POST", "/metalakes/m/catalogs", catalog.clone())
        .await
        .is(200);
    server
        .call("analyst", "POST", "/metalakes/m/catalogs", catalog)
        .await
        .is(403);
    for schema in ["sales", "secret"] {
        let path = "/metalakes/m/catalogs/lake/schemas";
        server
            .call("staff", "POST", path, json!({"name": schema}))
            .await
            .is(200);
        let table = json!({"name": "orders", "columns": [{"name": "id", "type": "long"}]});
        let path = format!("/metalakes/m/catalogs/lake/schemas/{schema}/tables");
        server.call("staff", "POST", &path, table).await.is(200);
    }
    // 4. Staff shares: not without CREATE_ROLE and MANAGE_GRANTS.
    let reader = json!({"name": "schema_reader", "properties": {}, "securableObjects": [
        speaks_of("CATALOG", "lake", &["USE_CATALOG"]),
        speaks_of("SCHEMA", "lake.sales", &["USE_SCHEMA", "SELECT_TABLE"]),
    ]});
    server
        .call("staff", "POST", "/metalakes/m/roles", reader.clone())
        .await
        .is(403);
    let more = json!({"privileges": [{"name": "CREATE_ROLE", "condition": "ALLOW"},
        {"name": "MANAGE_GRANTS", "condition": "ALLOW"}]});
    let on_metalake = "/metalakes/m/permissions/roles/catalog_manager/metalake/m/grant";
    manager("PUT", on_metalake, more).await.is(200);
    server
        .call("staff", "POST", "/metalakes/m/roles", reader)
        .await
        .is(200);
    let to_analyst = "/metalakes/m/permissions/users/analyst/grant";
    server
        .call(
            "staff",
            "PUT",
            to_analyst,
            json!({"roleNames": ["schema_reader"]}),
        )
        .await
        .is(200);
    // The analyst reads one schema, and nothing else.
    let tables = |schema: &str| format!("/metalakes/m/catalogs/lake/schemas/{schema}/tables");
    let orders = |schema: &str| format!("{}/orders", tables(schema));
    server
        .call("analyst", "GET", &orders("sales"), NONE)
        .await
        .is(200);
    server
        .call("analyst", "GET", &orders("secret"), NONE)
        .await
        .is(403);
    server
        .call("analyst", "DELETE", &orders("sales"), NONE)
        .await
        .is(403);
    let schemas = server
        .call("analyst", "GET", "/metalakes/m/catalogs/lake/schemas", NONE)
        .await
        .is(200);
    assert_eq!(identifiers(&schemas.body), ["sales"]);
    let later = json!({"name": "later", "columns": [{"name": "id", "type": "long"}]});
    server
        .call("staff", "POST", &tables("sales"), later)
        .await
        .is(200);
    let listed = server
        .call("analyst", "GET", &tables("sales"), NONE)
        .await
        .is(200);
    assert_eq!(identifiers(&listed.body), ["later", "orders"]);
    server
        .call("analyst", "GET", &tables("secret"), NONE)
        .await
        .is(403);
}

on_each_store!(an_object_made_anew_has_none_of_the_grants_of_the_old_one);

async fn an_object_made_anew_has_none_of_the_grants_of_the_old_one(engine: StoreEngine) {
    let server = Server::start(engine, "on").await;
    server
        .call(ADMIN, "POST", "/metalakes/m/users", json!({"name": "bob"}))
        .await
        .is(200);
    let catalog =
        json!({"name": "lake", "type": "RELATIONAL", "provider": "lakehouse-iceberg", "properties": {}});
    server
        .call(ADMIN, "POST", "/metalakes/m/catalogs", catalog)
        .await
        .is(200);
    let schemas = "/metalakes/m/catalogs/lake/schemas";
    server
        .call(ADMIN, "POST", schemas, json!({"name": "s"}))
        .await
        .is(200);
    let tables = "/metalakes/m/catalogs/lake/schemas/s/tables";
    let table = |name: &str| json!({"name": name, "columns": [{"name": "id", "type": "long"}]});
    server.call(ADMIN, "POST", tables, table("t")).await.is(200);
    let says = json!([
        speaks_of("METALAKE", "m", &["USE_CATALOG", "USE_SCHEMA"]),
        speaks_of("TABLE", "lake.s.t", &["SELECT_TABLE"]),
        speaks_of("TABLE", "lake.s.later", &["SELECT_TABLE"]),
        speaks_of("TABLE", "lake.s.typo", &["SELECT_TABLE"]),
    ]);
    role(&server, "reader", says).await;
    grant(&server, "bob", &["reader"]).await;
    let load = async |name: &str| {
        server
            .call("bob", "GET", &format!("{tables}/{name}"), NONE)
            .await
            .status
    };
    assert_eq!(load("t").await, 200);
    // A table that came after the grant is not the one that was named.
    server.call(ADMIN, "POST", tables, table("later")).await.is(200);
    assert_eq!(load("later").await, 403);
    // A rename keeps what is granted, a new table of the old name has nothing.
    let rename = json!({"updates": [{"@type": "rename", "newName": "renamed"}]});
    server
        .call(ADMIN, "PUT", &format!("{tables}/t"), rename)
        .await
        .is(200);
    assert_eq!(load("renamed").await, 200);
    server.call(ADMIN, "POST", tables, table("t")).await.is(200);
    assert_eq!(load("t").await, 403);
    server
        .call(ADMIN, "DELETE", &format!("{tables}/renamed"), NONE)
        .await
        .is(200);
    server.call(ADMIN, "POST", tables, table("renamed")).await.is(200);
    assert_eq!(load("renamed").await, 403);
    let role = server
        .call(ADMIN, "GET", "/metalakes/m/roles/reader", NONE)
        .await
        .is(200);
    let objects = role.body["role"]["securableObjects"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let names: Vec<&str> = objects
        .iter()
        .filter_map(|object| object["fullName"].as_str())
        .collect();
    assert_eq!(names, ["m", "lake.s.later", "lake.s.typo"]);
}

fn identifiers(body: &Value) -> Vec<String> {
    let identifiers = body["identifiers"].as_array().cloned().unwrap_or_default();
    let mut names: Vec<String> = identifiers
        .iter()
        .filter_map(|identifier| identifier["name"].as_str().map(str::to_owned))
        .collect();
    names.sort();
    names
}
