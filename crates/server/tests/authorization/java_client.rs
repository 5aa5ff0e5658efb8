// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The calls of the seed's section on the Java client, byte for byte as that client makes them: lower-case words, `null`
//! for what is absent, a slash at the end of collections. What its methods throw hangs on `code` and `type` alone.

use serde_json::{Value, json};

use crate::harness::{ADMIN, Answer, NONE, Server, StoreEngine};
use crate::on_each_store;

/// A role's path, as every snippet of the seed names it.
const ON_SCHEMA: &str = "/metalakes/m/permissions/roles/schema_reader/schema/catalog1.schema1";
const ON_CATALOG: &str = "/metalakes/m/permissions/roles/schema_reader/catalog/catalog1";
const OWNER_OF_SCHEMA: &str = "/metalakes/m/owners/schema/catalog1.schema1";
const TABLE: &str = "/metalakes/m/catalogs/catalog1/schemas/schema1/tables/table1";

/// The metalake `m` with `analyst`, `other`, `team` and the table `catalog1.schema1.table1`, and the role of the seed's first
/// snippet, whose object was built as a nested path.
async fn lake(engine: StoreEngine) -> Server {
    let server = Server::start(engine, "on").await;
    let make = async |path: &str, body: Value| server.call_as_java(ADMIN, "POST", path, body).await.is(200);
    for user in ["analyst", "other"] {
        let body = json!({"name": user, "externalId": null, "enabled": null});
        make("/metalakes/m/users/", body).await;
    }
    make(
        "/metalakes/m/groups/",
        json!({"name": "team", "externalId": null}),
    )
    .await;
    let catalog = json!({"name": "catalog1", "type": "relational", "provider": "lakehouse-iceberg",
        "comment": "c", "properties": {}});
    make("/metalakes/m/catalogs", catalog).await;
    let schema = json!({"name": "schema1", "comment": null, "properties": {}});
    make("/metalakes/m/catalogs/catalog1/schemas", schema).await;
    let column =
        json!({"name": "id", "type": "long", "comment": "c", "nullable": true, "autoIncrement": false});
    let table = json!({"name": "table1", "comment": null, "columns": [column], "properties": {}, "sortOrders": [],
        "distribution": {"strategy": "none", "number": 0, "funcArgs": []}, "partitioning": [], "indexes": []});
    make("/metalakes/m/catalogs/catalog1/schemas/schema1/tables", table).await;
    let objects = json!([says("table", "catalog1.schema1.table1", &["select_table allow"])]);
    let role = json!({"name": "schema_reader", "properties": {}, "securableObjects": objects});
    let made = make("/metalakes/m/roles/", role).await;
    assert_eq!(
        contents(&made),
        ["table catalog1.schema1.table1: select_table allow"]
    );
    server
}

/// Pairs of privilege and condition in a body.
fn pairs(privileges: &[&str]) -> Value {
    let pair = |text: &&str| {
        let (name, condition) = text.split_once(' ').expect("a privilege and a condition");
        json!({"name": name, "condition": condition})
    };
    privileges.iter().map(pair).collect()
}

fn says(kind: &str, full_name: &str, privileges: &[&str]) -> Value {
    json!({"type": kind, "privileges": pairs(privileges), "fullName": full_name})
}

/// What the role in an answer says, an object a line, privileges in the order of their names: the client compares sets.
fn contents(answer: &Answer) -> Vec<String> {
    let objects = answer.body["role"]["securableObjects"]
        .as_array()
        .expect("objects");
    let line = |object: &Value| {
        let privileges = object["privileges"].as_array().expect("privileges").iter();
        let mut said: Vec<String> = privileges
            .map(|pair| format!("{} {}", pair["name"], pair["condition"]))
            .collect();
        said.sort();
        format!("{} {}: {}", object["type"], object["fullName"], said.join(", ")).replace('"', "")
    };
    objects.iter().map(line).collect()
}

on_each_store!(sets_of_privileges);

async fn sets_of_privileges(engine: StoreEngine) {
    let server = lake(engine).await;
    let put = async |path: &str, privileges: &[&str]| {
        let body = json!({"privileges": pairs(privileges)});
        server.call_as_java(ADMIN, "PUT", path, body).await
    };
    let grant = format!("{ON_SCHEMA}/grant");
    let revoke = format!("{ON_SCHEMA}/revoke");
    let of_schema = |answer: &Answer| contents(answer).get(1).cloned().unwrap_or_default();
    let granted = put(&grant, &["select_table allow"]).await.is(200);
    assert_eq!(of_schema(&granted), "schema catalog1.schema1: select_table allow");
    let granted = put(&grant, &["use_schema allow", "modify_table deny"])
        .await
        .is(200);
    let all = "schema catalog1.schema1: modify_table deny, select_table allow, use_schema allow";
    assert_eq!(of_schema(&granted), all);
    // The seed's second line revokes a DENY; where the role allows, that takes nothing away.
    let revoked = put(&revoke, &["select_table deny"]).await.is(200);
    assert_eq!(of_schema(&revoked), all);
    let revoked = put(&revoke, &["modify_table deny"]).await.is(200);
    assert_eq!(
        of_schema(&revoked),
        "schema catalog1.schema1: select_table allow, use_schema allow"
    );
    for path in [&grant, &revoke] {
        put(path, &["create_catalog allow"])
            .await
            .fails(400, 1001, "IllegalPrivilegeException");
        put(path, &["create_table allow", "create_table deny"])
            .await
            .fails(400, 1001, "IllegalPrivilegeException");
        put(path, &[]).await.fails(400, 1001, "IllegalArgumentException");
        put(&path.replace("schema_reader", "nobody"), &["select_table allow"])
            .await
            .fails(404, 1003, "NoSuchRoleException");
    }
}

on_each_store!(revoking_asks_what_granting_asks);

/// A privilege that means nothing in a catalog of this type is refused both ways, but never kept from being taken.
async fn revoking_asks_what_granting_asks(engine: StoreEngine) {
    let server = lake(engine).await;
    let put = async |user: &str, path: String, privileges: &[&str]| {
        let body = json!({"privileges": pairs(privileges)});
        server.call_as_java(user, "PUT", &path, body).await
    };
    for what in ["grant", "revoke"] {
        put(ADMIN, format!("{ON_CATALOG}/{what}"), &["read_fileset allow"])
            .await
            .fails(400, 1001, "IllegalPrivilegeException");
    }
    // Granted while nothing had the name, and taken when it is a catalog of another type; an alias takes its twin.
    let later = "/metalakes/m/permissions/roles/schema_reader/catalog/later";
    put(
        ADMIN,
        format!("{later}/grant"),
        &["create_model allow", "use_catalog allow"],
    )
    .await
    .is(200);
    let catalog = json!({"name": "later", "type": "relational", "provider": "lakehouse-iceberg",
        "comment": null, "properties": {}});
    server
        .call_as_java(ADMIN, "POST", "/metalakes/m/catalogs", catalog)
        .await
        .is(200);
    put(ADMIN, format!("{later}/revoke"), &["register_model deny"])
        .await
        .fails(400, 1001, "IllegalPrivilegeException");
    let revoked = put(ADMIN, format!("{later}/revoke"), &["register_model allow"])
        .await
        .is(200);
    assert_eq!(
        contents(&revoked).last().map(String::as_str),
        Some("catalog later: use_catalog allow")
    );
}

on_each_store!(roles_of_users_and_groups);

async fn roles_of_users_and_groups(engine: StoreEngine) {
    let server = lake(engine).await;
    let change = async |path: &str, roles: &[&str]| {
        let path = format!("/metalakes/m/permissions/{path}");
        let body = json!({"roleNames": roles});
        server.call_as_java(ADMIN, "PUT", &path, body).await
    };
    let load = async || server.call_as_java("analyst", "GET", TABLE, NONE).await;
    load().await.fails(403, 1008, "ForbiddenException");
    for (path, privilege) in [(ON_CATALOG, "use_catalog allow"), (ON_SCHEMA, "use_schema allow")] {
        let body = json!({"privileges": pairs(&[privilege])});
        server
            .call_as_java(ADMIN, "PUT", &format!("{path}/grant"), body)
            .await
            .is(200);
    }
    let granted = change("users/analyst/grant", &["schema_reader"]).await.is(200);
    assert_eq!(granted.body["user"]["roles"], json!(["schema_reader"]));
    let loaded = load().await.is(200);
    assert_eq!(loaded.body["table"]["name"], json!("table1"));
    let granted = change("groups/team/grant", &["schema_reader"]).await.is(200);
    assert_eq!(granted.body["group"]["roles"], json!(["schema_reader"]));
    let revoked = change("groups/team/revoke", &["schema_reader"]).await.is(200);
    assert_eq!(revoked.body["group"]["roles"], json!([]));
    let revoked = change("users/analyst/revoke", &["schema_reader"]).await.is(200);
    assert_eq!(revoked.body["user"]["roles"], json!([]));
    load().await.fails(403, 1008, "ForbiddenException");
    for (path, roles, error) in [
        (
            "users/nobody/grant",
            "schema_reader",
            (404, 1003, "NoSuchUserException"),
        ),
        (
            "groups/nobody/grant",
            "schema_reader",
            (404, 1003, "NoSuchGroupException"),
        ),
        (
            "users/analyst/grant",
            "nobody",
            (400, 1001, "IllegalRoleException"),
        ),
        (
            "groups/team/revoke",
            "nobody",
            (400, 1001, "IllegalRoleException"),
        ),
    ] {
        let (status, code, error_type) = error;
        change(path, &[roles]).await.fails(status, code, error_type);
    }
    let again = [
        (
            "users",
            json!({"name": "analyst", "externalId": null, "enabled": null}),
            "UserAlreadyExistsException",
        ),
        (
            "groups",
            json!({"name": "team", "externalId": null}),
            "GroupAlreadyExistsException",
        ),
        (
            "roles",
            json!({"name": "schema_reader", "properties": {}, "securableObjects": []}),
            "RoleAlreadyExistsException",
        ),
    ];
    for (collection, body, error_type) in again {
        server
            .call_as_java(ADMIN, "POST", &format!("/metalakes/m/{collection}/"), body)
            .await
            .fails(409, 1004, error_type);
    }
    for (path, error_type) in [
        ("users/nobody", "NoSuchUserException"),
        ("groups/nobody", "NoSuchGroupException"),
        ("roles/nobody", "NoSuchRoleException"),
    ] {
        let path = format!("/metalakes/m/{path}");
        server
            .call_as_java(ADMIN, "GET", &path, NONE)
            .await
            .fails(404, 1003, error_type);
        server.call_as_java(ADMIN, "DELETE", &path, NONE).await.is(200);
    }
}

on_each_store!(owners_have_a_type);

async fn owners_have_a_type(engine: StoreEngine) {
    let server = lake(engine).await;
    let set = async |user: &str, path: &str, name: &str, kind: &str| {
        let body = json!({"name": name, "type": kind});
        server.call_as_java(user, "PUT", path, body).await
    };
    let owner = async |path: &str| {
        let answer = server.call_as_java(ADMIN, "GET", path, NONE).await.is(200);
        format!(
            "{} {}",
            answer.body["owner"]["type"], answer.body["owner"]["name"]
        )
        .replace('"', "")
    };
    assert_eq!(owner(OWNER_OF_SCHEMA).await, "user admin");
    for (name, kind) in [("analyst", "user"), ("team", "group")] {
        set(ADMIN, OWNER_OF_SCHEMA, name, kind)
            .await
            .says(json!({"code": 0, "set": true}));
        assert_eq!(owner(OWNER_OF_SCHEMA).await, format!("{kind} {name}"));
        let swapped = if kind == "user" { "group" } else { "user" };
        set(ADMIN, OWNER_OF_SCHEMA, name, swapped)
            .await
            .fails(404, 1003, "NotFoundException");
    }
    assert_eq!(owner(OWNER_OF_SCHEMA).await, "group team");
    set("other", OWNER_OF_SCHEMA, "other", "user")
        .await
        .fails(403, 1008, "ForbiddenException");
    let absent = "/metalakes/m/owners/schema/catalog1.nobody";
    set(ADMIN, absent, "analyst", "user")
        .await
        .fails(404, 1003, "NoSuchMetadataObjectException");
    server
        .call_as_java(ADMIN, "GET", absent, NONE)
        .await
        .fails(404, 1003, "NoSuchMetadataObjectException");
    for object in [
        "metalake/m",
        "catalog/catalog1",
        "table/catalog1.schema1.table1",
        "role/schema_reader",
    ] {
        let path = format!("/metalakes/m/owners/{object}");
        assert_eq!(owner(&path).await, "user admin");
        set(ADMIN, &path, ADMIN, "user").await.is(200);
    }
}

on_each_store!(metalakes_of_an_administrator);

async fn metalakes_of_an_administrator(engine: StoreEngine) {
    let server = lake(engine).await;
    let call = async |user: &str, method: &str, path: &str, body: Value| {
        server.call_as_java(user, method, path, body).await
    };
    let new = |name: &str| json!({"name": name, "comment": "", "properties": {"k": "v"}});
    call(ADMIN, "POST", "/metalakes", new("m"))
        .await
        .fails(409, 1004, "MetalakeAlreadyExistsException");
    call("other", "POST", "/metalakes", new("n"))
        .await
        .fails(403, 1008, "ForbiddenException");
    call("stranger", "GET", "/metalakes/m", NONE)
        .await
        .fails(403, 1008, "ForbiddenException");
    call(ADMIN, "POST", "/metalakes", new("n")).await.is(200);
    let updates = json!({"updates": [{"@type": "rename", "newName": "o"},
        {"@type": "updateComment", "newComment": "d"}, {"@type": "setProperty", "property": "a", "value": "b"},
        {"@type": "removeProperty", "property": "k"}]});
    let altered = call(ADMIN, "PUT", "/metalakes/n", updates.clone()).await.is(200);
    assert_eq!(altered.body["metalake"]["name"], json!("o"));
    assert_eq!(altered.body["metalake"]["audit"]["lastModifier"], json!(ADMIN));
    let told = |answer: &Answer, words: &str| {
        let message = answer.body["message"].as_str().unwrap_or_default();
        assert!(message.contains(words), "{message:?} does not say {words:?}");
    };
    let in_use = call(ADMIN, "DELETE", "/metalakes/o?force=false", NONE)
        .await
        .fails(409, 1010, "MetalakeInUseException");
    told(&in_use, "please disable it first");
    call(ADMIN, "PATCH", "/metalakes/o", json!({"inUse": false}))
        .await
        .is(200);
    let not_in_use =
        call(ADMIN, "PUT", "/metalakes/o", updates)
            .await
            .fails(409, 1009, "MetalakeNotInUseException");
    told(&not_in_use, "please enable it first");
    call(ADMIN, "DELETE", "/metalakes/o?force=false", NONE)
        .await
        .says(json!({"code": 0, "dropped": true}));
}

on_each_store!(names_of_roles);

/// A role's name is no part of a dotted path: whatever names a user may name a role.
async fn names_of_roles(engine: StoreEngine) {
    let server = lake(engine).await;
    let create = async |name: &str| {
        let body = json!({"name": name, "properties": {}, "securableObjects": []});
        server
            .call_as_java(ADMIN, "POST", "/metalakes/m/roles/", body)
            .await
    };
    let longest = "ü".repeat(128);
    for (name, segment) in [
        ("role#123", "role%23123"),
        ("a.b.c", "a.b.c"),
        ("-data team/eu?", "-data%20team%2Feu%3F"),
        ("100%", "100%25"),
        (&*longest, &*longest),
    ] {
        create(name).await.is(200);
        let path = format!("/metalakes/m/roles/{segment}");
        let loaded = server.call_as_java(ADMIN, "GET", &path, NONE).await.is(200);
        assert_eq!(loaded.body["role"]["name"], json!(name));
        let owner = format!("/metalakes/m/owners/role/{segment}");
        let body = json!({"name": "analyst", "type": "user"});
        server.call_as_java(ADMIN, "PUT", &owner, body).await.is(200);
        for what in ["grant", "revoke"] {
            let body = json!({"roleNames": [name]});
            let path = format!("/metalakes/m/permissions/users/analyst/{what}");
            server.call_as_java(ADMIN, "PUT", &path, body).await.is(200);
        }
        let deleted = server
            .call_as_java("analyst", "DELETE", &path, NONE)
            .await
            .is(200);
        assert_eq!(deleted.body["deleted"], json!(true));
    }
    for name in ["", " ", "a\nb", "nul\u{0}", &"x".repeat(129)] {
        create(name).await.fails(400, 1001, "IllegalArgumentException");
    }
}

on_each_store!(active_roles);

async fn active_roles(engine: StoreEngine) {
    let server = lake(engine).await;
    let said = async |roles: &str| {
        let answer = server
            .call_with_roles("analyst", roles, "/metalakes/m/catalogs")
            .await;
        let message = answer.body["message"].as_str().unwrap_or_default().to_owned();
        (answer.status, message)
    };
    let (status, message) = said("schema_reader").await;
    assert_eq!(status, 403);
    assert!(
        message.contains("cannot assume active role") && message.contains("schema_reader"),
        "{message}"
    );
    for malformed in ["ALL,schema_reader", "schema_reader,,other"] {
        let (status, message) = said(malformed).await;
        assert_eq!(status, 400);
        assert!(message.contains("X-Gravitino-Active-Roles"), "{message}");
    }
    assert_eq!(said("NONE").await.0, 200);
}

on_each_store!(without_authorization);

/// The client throws what says how to have users and roles.
async fn without_authorization(engine: StoreEngine) {
    let server = Server::start(engine, "off").await;
    let user = json!({"name": "test", "externalId": null, "enabled": null});
    let group = json!({"name": "test", "externalId": null});
    let objects = json!([says("metalake", "m", &["select_table allow"])]);
    let role = json!({"name": "test", "properties": {}, "securableObjects": objects});
    let roles = json!({"roleNames": ["test"]});
    for (method, path, body) in [
        ("POST", "users/", user),
        ("GET", "users/test", NONE),
        ("DELETE", "users/test", NONE),
        ("POST", "groups/", group),
        ("GET", "groups/test", NONE),
        ("DELETE", "groups/test", NONE),
        ("POST", "roles/", role),
        ("GET", "roles/test", NONE),
        ("DELETE", "roles/test", NONE),
        ("PUT", "permissions/users/test/grant", roles.clone()),
        ("PUT", "permissions/users/test/revoke", roles.clone()),
        ("PUT", "permissions/groups/test/grant", roles.clone()),
        ("PUT", "permissions/groups/test/revoke", roles),
        ("GET", "owners/metalake/m", NONE),
        (
            "PUT",
            "owners/metalake/m",
            json!({"name": "test", "type": "user"}),
        ),
    ] {
        let path = format!("/metalakes/m/{path}");
        let refused = server.call_as_java("anonymous", method, &path, body).await.fails(
            405,
            1006,
            "UnsupportedOperationException",
        );
        let message = refused.body["message"].as_str().unwrap_or_default();
        assert!(
            message.contains("You should set 'gravitino.authorization.enable'"),
            "{message}"
        );
    }
}
