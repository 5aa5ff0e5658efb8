// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Roles, privileges and owners, as recorded from the original, with the differences that DESIGN.md settles.

use serde_json::{Value, json};

use crate::harness::{ADMIN, NONE, StoreEngine, grant, role, server, speaks_of};
use crate::on_each_store;

on_each_store!(what_a_role_may_say);

async fn what_a_role_may_say(engine: StoreEngine) {
    let server = server(engine).await;
    let create = async |objects: Value| {
        let body = json!({"name": "q", "securableObjects": objects});
        server.call(ADMIN, "POST", "/metalakes/m/roles", body).await
    };
    let table = |privileges: &[&str]| json!([speaks_of("TABLE", "c.s.t", privileges)]);
    create(table(&["CREATE_TABLE"]))
        .await
        .fails(400, 1001, "IllegalPrivilegeException");
    create(table(&["FLY"]))
        .await
        .fails(400, 1001, "IllegalArgumentException");
    create(table(&["SELECT_TABLE", "DENY SELECT_TABLE"]))
        .await
        .fails(400, 1001, "IllegalPrivilegeException");
    create(table(&[]))
        .await
        .fails(400, 1001, "IllegalArgumentException");
    create(json!([speaks_of("TABLE", "c", &["SELECT_TABLE"])]))
        .await
        .fails(400, 1001, "IllegalArgumentException");
    create(json!([speaks_of("CATALOG", "c", &["MANAGE_USERS"])]))
        .await
        .fails(400, 1001, "IllegalPrivilegeException");
    create(json!([
        speaks_of("CATALOG", "c", &["USE_CATALOG"]),
        speaks_of("CATALOG", "c", &["CREATE_SCHEMA"])
    ]))
    .await
    .fails(400, 1001, "IllegalArgumentException");
    create(json!([speaks_of("METALAKE", "other", &["CREATE_CATALOG"])]))
        .await
        .fails(400, 1001, "IllegalMetadataObjectException");
    for (name, error) in [
        ("c.s.nul\u{0}".to_owned(), "IllegalArgumentException"),
        (
            format!("c.s.{}", "x".repeat(2000)),
            "IllegalMetadataObjectException",
        ),
    ] {
        create(json!([speaks_of("TABLE", &name, &["SELECT_TABLE"])]))
            .await
            .fails(400, 1001, error);
    }
    server
        .call(ADMIN, "POST", "/metalakes/m/roles", json!({"name": "q"}))
        .await
        .fails(400, 1001, "IllegalArgumentException");
    let body = json!({"name": "lower", "properties": {"k": "v"},
        "securableObjects": [{"type": "catalog", "fullName": "c", "privileges": [{"name": "use_catalog", "condition": "allow"}]}]});
    server.call(ADMIN, "POST", "/metalakes/m/roles", body.clone()).await.says(json!({"code": 0, "role": {
        "name": "lower", "audit": {"creator": "admin"}, "properties": {"k": "v"}, "securableObjects":
        [{"type": "catalog", "privileges": [{"name": "use_catalog", "condition": "allow"}], "fullName": "c"}]}}));
    server
        .call(ADMIN, "POST", "/metalakes/m/roles", body)
        .await
        .fails(409, 1004, "RoleAlreadyExistsException");
    role(&server, "ALL", json!([])).await;
    let names = server
        .call(ADMIN, "GET", "/metalakes/m/roles", NONE)
        .await
        .names();
    assert_eq!(names, ["ALL", "lower"]);
    let detailed = server
        .call(ADMIN, "GET", "/metalakes/m/roles?details=true", NONE)
        .await
        .is(200);
    assert_eq!(detailed.body["roles"][1]["name"], json!("lower"));
    server
        .call(ADMIN, "GET", "/metalakes/m/roles/zz", NONE)
        .await
        .fails(404, 1003, "NoSuchRoleException");
    server
        .call(ADMIN, "DELETE", "/metalakes/m/roles/ALL", NONE)
        .await
        .says(json!({"code": 0, "dropped": true, "deleted": true}));
    server
        .call(ADMIN, "DELETE", "/metalakes/m/roles/ALL", NONE)
        .await
        .says(json!({"code": 0, "dropped": false, "deleted": false}));
}

on_each_store!(granting_and_revoking_roles);

async fn granting_and_revoking_roles(engine: StoreEngine) {
    let server = server(engine).await;
    role(
        &server,
        "reader",
        json!([speaks_of("METALAKE", "m", &["MANAGE_USERS"])]),
    )
    .await;
    role(
        &server,
        "denier",
        json!([speaks_of("METALAKE", "m", &["DENY MANAGE_USERS"])]),
    )
    .await;
    let bob = "/metalakes/m/permissions/users/bob/grant";
    let may = async || {
        server
            .call("bob", "GET", "/metalakes/m/users/carl", NONE)
            .await
            .status
            == 200
    };
    server
        .call("bob", "PUT", bob, json!({"roleNames": ["reader"]}))
        .await
        .is(403);
    server
        .call("bob", "GET", "/metalakes/m/roles", NONE)
        .await
        .says(json!({"code": 0, "names": []}));
    server
        .call("bob", "GET", "/metalakes/m/roles/reader", NONE)
        .await
        .is(403);
    assert!(!may().await);
    let granted = server
        .call(ADMIN, "PUT", bob, json!({"roleNames": ["reader"]}))
        .await
        .is(200);
    assert_eq!(granted.body["user"]["roles"], json!(["reader"]));
    assert_eq!(granted.body["user"]["audit"]["lastModifier"], json!("admin"));
    server
        .call(ADMIN, "PUT", bob, json!({"roleNames": ["reader"]}))
        .await
        .is(200);
    assert!(may().await);
    server
        .call("bob", "GET", "/metalakes/m/roles", NONE)
        .await
        .says(json!({"code": 0, "names": ["reader"]}));
    server
        .call("bob", "GET", "/metalakes/m/roles/reader", NONE)
        .await
        .is(200);
    for (body, status, code, error_type) in [
        (json!({"roleNames": ["zz"]}), 400, 1001, "IllegalRoleException"),
        (json!({"roleNames": []}), 400, 1001, "IllegalArgumentException"),
        (json!({"roleNames": null}), 400, 1001, "IllegalArgumentException"),
    ] {
        server
            .call(ADMIN, "PUT", bob, body)
            .await
            .fails(status, code, error_type);
    }
    server
        .call(
            ADMIN,
            "PUT",
            "/metalakes/m/permissions/users/zz/grant",
            json!({"roleNames": ["reader"]}),
        )
        .await
        .fails(404, 1003, "NoSuchUserException");
    // A denial wins, active or not.
    grant(&server, "bob", &["denier"]).await;
    assert!(!may().await);
    server
        .call_with_roles("bob", "reader", "/metalakes/m/users/carl")
        .await
        .is(403);
    let revoke = "/metalakes/m/permissions/users/bob/revoke";
    let revoked = server
        .call(ADMIN, "PUT", revoke, json!({"roleNames": ["denier"]}))
        .await
        .is(200);
    assert_eq!(revoked.body["user"]["roles"], json!(["reader"]));
    server
        .call(ADMIN, "PUT", revoke, json!({"roleNames": ["denier"]}))
        .await
        .is(200);
    server
        .call(ADMIN, "PUT", revoke, json!({"roleNames": ["zz"]}))
        .await
        .fails(400, 1001, "IllegalRoleException");
    assert!(may().await);
    for (roles, status) in [
        ("reader", 200),
        ("NONE", 403),
        ("ALL", 200),
        ("mk", 403),
        ("reader,", 400),
        ("ALL,reader", 400),
    ] {
        server
            .call_with_roles("bob", roles, "/metalakes/m/users/carl")
            .await
            .is(status);
    }
    server
        .call_with_roles("bob", "reader,", "/metalakes/m/users/carl")
        .await
        .fails(400, 1001, "IllegalActiveRolesException");
    server
        .call_with_roles(ADMIN, "NONE", "/metalakes/m/users/carl")
        .await
        .is(200);
    server
        .call(ADMIN, "DELETE", "/metalakes/m/roles/reader", NONE)
        .await
        .is(200);
    assert!(!may().await);
}

on_each_store!(granting_revoking_and_replacing_privileges);

async fn granting_revoking_and_replacing_privileges(engine: StoreEngine) {
    let server = server(engine).await;
    role(&server, "r", json!([speaks_of("CATALOG", "c", &["USE_CATALOG"])])).await;
    let path = |name: &str, what: &str| format!("/metalakes/m/permissions/roles/r/table/{name}/{what}");
    let select = json!({"privileges": [{"name": "SELECT_TABLE", "condition": "ALLOW"}]});
    let objects = async || {
        let role = server
            .call(ADMIN, "GET", "/metalakes/m/roles/r", NONE)
            .await
            .is(200);
        let objects = role.body["role"]["securableObjects"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let shown = |object: &Value| {
            let privileges = object["privileges"].as_array().cloned().unwrap_or_default();
            let names: Vec<String> = privileges
                .iter()
                .map(|pair| format!("{} {}", pair["condition"], pair["name"]).replace('"', ""))
                .collect();
            format!("{} {}", object["fullName"], names.join(", ")).replace('"', "")
        };
        objects.iter().map(shown).collect::<Vec<_>>()
    };
    server
        .call(ADMIN, "PUT", &path("c.s.t", "grant"), select.clone())
        .await
        .is(200);
    server
        .call(ADMIN, "PUT", &path("c.s.t", "grant/"), select.clone())
        .await
        .is(200);
    assert_eq!(
        objects().await,
        ["c allow use_catalog", "c.s.t allow select_table"]
    );
    let deny = json!({"privileges": [{"name": "SELECT_TABLE", "condition": "DENY"}]});
    server
        .call(ADMIN, "PUT", &path("c.s.t", "grant"), deny.clone())
        .await
        .fails(400, 1001, "IllegalPrivilegeException");
    server
        .call(ADMIN, "PUT", &path("c.s.t", "revoke"), deny)
        .await
        .is(200);
    assert_eq!(objects().await.len(), 2);
    let create = json!({"privileges": [{"name": "CREATE_TABLE", "condition": "ALLOW"}]});
    server
        .call(ADMIN, "PUT", &path("c.s.t", "grant"), create)
        .await
        .fails(400, 1001, "IllegalPrivilegeException");
    server
        .call(ADMIN, "PUT", &path("c.s.t", "grant"), json!({"privileges": []}))
        .await
        .fails(400, 1001, "IllegalArgumentException");
    server
        .call(
            ADMIN,
            "PUT",
            "/metalakes/m/permissions/roles/zz/table/c.s.t/grant",
            select.clone(),
        )
        .await
        .fails(404, 1003, "NoSuchRoleException");
    server
        .call(
            ADMIN,
            "PUT",
            "/metalakes/m/permissions/roles/r/thing/c.s.t/grant",
            select.clone(),
        )
        .await
        .is(400);
    server
        .call("bob", "PUT", &path("c.s.t", "grant"), select.clone())
        .await
        .is(403);
    server
        .call(ADMIN, "PUT", &path("c.s.t", "revoke"), select.clone())
        .await
        .is(200);
    assert_eq!(objects().await, ["c allow use_catalog"]);
    let roles = "/metalakes/m/permissions/roles/r";
    let overrides = json!({"overrides": [speaks_of("SCHEMA", "c.s", &["USE_SCHEMA", "DENY SELECT_TABLE"])]});
    server.call(ADMIN, "PUT", roles, overrides).await.is(200);
    assert_eq!(objects().await, ["c.s deny select_table, allow use_schema"]);
    server
        .call(ADMIN, "PUT", roles, json!({}))
        .await
        .fails(400, 1001, "IllegalArgumentException");
    server
        .call("bob", "PUT", roles, json!({"overrides": []}))
        .await
        .is(403);
    server
        .call(ADMIN, "PUT", roles, json!({"overrides": []}))
        .await
        .is(200);
    assert!(objects().await.is_empty());
}

on_each_store!(a_grant_binds_to_the_object_that_there_is_and_to_no_other);

async fn a_grant_binds_to_the_object_that_there_is_and_to_no_other(engine: StoreEngine) {
    let server = server(engine).await;
    let reads = json!([
        speaks_of("METALAKE", "m", &["USE_CATALOG", "USE_SCHEMA"]),
        speaks_of("TABLE", "c.s.later", &["SELECT_TABLE"]),
        speaks_of("TABLE", "c.s.t", &["SELECT_TABLE"]),
    ]);
    role(&server, "reader", reads).await;
    grant(&server, "bob", &["reader"]).await;
    let owner_of = async |table: &str| {
        let path = format!("/metalakes/m/owners/table/{table}");
        server.call("bob", "GET", &path, NONE).await.status
    };
    assert_eq!(owner_of("c.s.t").await, 200);
    assert_eq!(owner_of("c.s.u").await, 403);
    assert_eq!(owner_of("c.s.later").await, 403);
    let shown = server
        .call("bob", "GET", "/metalakes/m/roles/reader", NONE)
        .await
        .is(200);
    assert_eq!(
        shown.body["role"]["securableObjects"][1]["fullName"],
        json!("c.s.later")
    );
    let role_of = async |table: &str| {
        let path = format!("/metalakes/m/objects/table/{table}/roles");
        server.call(ADMIN, "GET", &path, NONE).await
    };
    role_of("c.s.t")
        .await
        .says(json!({"code": 0, "names": ["reader"]}));
    role_of("c.s.zz")
        .await
        .fails(404, 1003, "NoSuchMetadataObjectException");
    server
        .call("bob", "GET", "/metalakes/m/objects/table/c.s.u/roles", NONE)
        .await
        .is(403);
}

on_each_store!(owners);

async fn owners(engine: StoreEngine) {
    let server = server(engine).await;
    let path = "/metalakes/m/owners/table/c.s.t";
    server
        .call(ADMIN, "GET", path, NONE)
        .await
        .says(json!({"code": 0}));
    let metalake = "/metalakes/m/owners/metalake/m";
    server
        .call("bob", "GET", metalake, NONE)
        .await
        .says(json!({"code": 0, "owner": {"name": "admin", "type": "user"}}));
    server
        .call(ADMIN, "GET", "/metalakes/m/owners/table/c.s.zz", NONE)
        .await
        .fails(404, 1003, "NoSuchMetadataObjectException");
    server.call("eve", "GET", path, NONE).await.is(403);
    let carl = json!({"name": "carl", "type": "USER"});
    server.call("carl", "PUT", path, carl.clone()).await.is(403);
    server
        .call(ADMIN, "PUT", path, carl)
        .await
        .says(json!({"code": 0, "set": true}));
    // An owner of a leaf still needs the way to it.
    server.call("carl", "GET", path, NONE).await.is(403);
    role(
        &server,
        "way",
        json!([speaks_of("METALAKE", "m", &["USE_CATALOG", "USE_SCHEMA"])]),
    )
    .await;
    grant(&server, "carl", &["way"]).await;
    server
        .call("carl", "GET", path, NONE)
        .await
        .says(json!({"code": 0, "owner": {"name": "carl", "type": "user"}}));
    let select = json!({"privileges": [{"name": "SELECT_TABLE", "condition": "ALLOW"}]});
    let grant_path = "/metalakes/m/permissions/roles/way/table/c.s.t/grant";
    server.call("carl", "PUT", grant_path, select).await.is(200);
    server
        .call(ADMIN, "PUT", path, json!({"name": "zz", "type": "USER"}))
        .await
        .fails(404, 1003, "NotFoundException");
    server
        .call(ADMIN, "PUT", path, json!({"name": "g", "type": "ROLE"}))
        .await
        .fails(400, 1001, "IllegalArgumentException");
    server
        .call(ADMIN, "POST", "/metalakes/m/groups", json!({"name": "g1"}))
        .await
        .is(200);
    server
        .call(ADMIN, "PUT", path, json!({"name": "g1", "type": "group"}))
        .await
        .is(200);
    server
        .call(ADMIN, "GET", path, NONE)
        .await
        .says(json!({"code": 0, "owner": {"name": "g1", "type": "group"}}));
    server
        .call(ADMIN, "DELETE", "/metalakes/m/groups/g1", NONE)
        .await
        .is(200);
    server
        .call(ADMIN, "GET", path, NONE)
        .await
        .says(json!({"code": 0}));
    server
        .call(
            ADMIN,
            "PUT",
            "/metalakes/m/owners/metalake/other",
            json!({"name": "carl", "type": "user"}),
        )
        .await
        .fails(400, 1001, "IllegalMetadataObjectException");
    server
        .call(ADMIN, "GET", "/metalakes/m/owners/column/c.s.t.x", NONE)
        .await
        .is(400);
    server
        .call(ADMIN, "PUT", metalake, json!({"name": "carl", "type": "user"}))
        .await
        .is(200);
    server
        .call(ADMIN, "GET", "/metalakes/m/users/carl", NONE)
        .await
        .is(403);
    server
        .call("carl", "GET", "/metalakes/m/users/admin", NONE)
        .await
        .is(200);
    server
        .call("carl", "DELETE", "/metalakes/m/users/carl", NONE)
        .await
        .is(400);
}
