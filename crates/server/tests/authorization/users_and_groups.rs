// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Users and groups, as recorded from the original, with the differences that DESIGN.md settles.

use serde_json::{Value, json};

use crate::harness::{ADMIN, NONE, Server, StoreEngine, role, server};
use crate::on_each_store;

on_each_store!(users);

async fn users(engine: StoreEngine) {
    let server = Server::start(engine, "on").await;
    let admin = |method, path, body| server.call(ADMIN, method, path, body);
    admin("GET", "/metalakes/m/users", NONE)
        .await
        .says(json!({"code": 0, "names": ["admin"]}));
    let bob = json!({"id": "#", "name": "bob", "enabled": true, "audit": {"creator": "admin"}, "roles": []});
    admin("POST", "/metalakes/m/users", json!({"name": "bob"}))
        .await
        .says(json!({"code": 0, "user": bob}));
    admin("POST", "/metalakes/m/users", json!({"name": "bob"}))
        .await
        .fails(409, 1004, "UserAlreadyExistsException");
    admin("POST", "/metalakes/m/users", json!({"name": "fay", "externalId": "ext-1"})).await.says(json!({"code": 0,
        "user": {"id": "#", "name": "fay", "externalId": "ext-1", "enabled": true, "audit": {"creator": "admin"},
                 "roles": []}}));
    admin(
        "POST",
        "/metalakes/m/users",
        json!({"name": "fay2", "externalId": "ext-1"}),
    )
    .await
    .fails(409, 1004, "UserAlreadyExistsException");
    admin(
        "POST",
        "/metalakes/m/users",
        json!({"name": "fay3", "externalId": " "}),
    )
    .await
    .fails(400, 1001, "IllegalArgumentException");
    admin("POST", "/metalakes/m/users", json!({"name": ""}))
        .await
        .fails(400, 1001, "IllegalArgumentException");
    for name in ["nul\u{0}", "line\nbreak", &"x".repeat(129)] {
        for path in ["/metalakes/m/users", "/metalakes/m/groups"] {
            admin("POST", path, json!({"name": name}))
                .await
                .fails(400, 1001, "IllegalArgumentException");
        }
    }
    admin("POST", "/metalakes/m/users", json!({"name": "a@b.com"}))
        .await
        .is(200);
    admin("GET", "/metalakes/m/users/bob", NONE)
        .await
        .says(json!({"code": 0, "user": bob}));
    admin("GET", "/metalakes/m/users/zz", NONE)
        .await
        .fails(404, 1003, "NoSuchUserException");
    server
        .call("bob", "GET", "/metalakes/m/users/bob", NONE)
        .await
        .says(json!({"code": 0, "user": bob}));
    server
        .call("bob", "GET", "/metalakes/m/users/fay", NONE)
        .await
        .fails(403, 1008, "ForbiddenException");
    server
        .call("bob", "GET", "/metalakes/m/users", NONE)
        .await
        .says(json!({"code": 0, "names": ["bob"]}));
    server
        .call("bob", "GET", "/metalakes/m/users?details=true", NONE)
        .await
        .says(json!({"code": 0, "users": [bob]}));
    server
        .call("bob", "POST", "/metalakes/m/users", json!({"name": "q"}))
        .await
        .is(403);
    server
        .call("stranger", "GET", "/metalakes/m/users", NONE)
        .await
        .is(403);
    server.call("", "GET", "/metalakes/m/users", NONE).await.is(403);
    let names = admin("GET", "/metalakes/m/users", NONE).await.names();
    assert_eq!(names, ["a@b.com", "admin", "bob", "fay"]);
    admin("DELETE", "/metalakes/m/users/fay", NONE)
        .await
        .says(json!({"code": 0, "removed": true}));
    admin("DELETE", "/metalakes/m/users/fay", NONE)
        .await
        .says(json!({"code": 0, "removed": false}));
    admin("DELETE", "/metalakes/m/users/admin", NONE)
        .await
        .fails(400, 1001, "IllegalArgumentException");
    server
        .call("bob", "DELETE", "/metalakes/m/users/admin", NONE)
        .await
        .is(403);
}

on_each_store!(a_suspended_user_is_refused_everywhere_at_once);

async fn a_suspended_user_is_refused_everywhere_at_once(engine: StoreEngine) {
    let server = server(engine).await;
    let user = json!({"name": "gus", "enabled": false});
    let added = server
        .call(ADMIN, "POST", "/metalakes/m/users", user)
        .await
        .is(200);
    assert_eq!(added.body["user"]["enabled"], json!(false));
    server
        .call("gus", "GET", "/metalakes/m/users/gus", NONE)
        .await
        .is(403);
    let path = "/metalakes/m/users/gus";
    server
        .call(ADMIN, "PUT", path, json!({"enabled": true}))
        .await
        .is(200);
    server.call("gus", "GET", path, NONE).await.is(200);
    server
        .call("gus", "PUT", path, json!({"enabled": true}))
        .await
        .is(403);
    server
        .call(ADMIN, "PUT", path, json!({"enabled": false}))
        .await
        .is(200);
    server.call("gus", "GET", path, NONE).await.is(403);
    server.call("gus", "GET", "/metalakes/m", NONE).await.is(403);
    let listed = server.call("gus", "GET", "/metalakes", NONE).await.is(200);
    assert_eq!(listed.body["metalakes"], json!([]));
    server
        .call(
            ADMIN,
            "PUT",
            "/metalakes/m/users/admin",
            json!({"enabled": false}),
        )
        .await
        .fails(400, 1001, "IllegalArgumentException");
    server
        .call(ADMIN, "PUT", "/metalakes/m/users/zz", json!({"enabled": false}))
        .await
        .is(404);
    server.call(ADMIN, "PUT", path, json!({})).await.is(400);
}

on_each_store!(users_in_bulk);

async fn users_in_bulk(engine: StoreEngine) {
    let server = server(engine).await;
    let add = "/bulk/metalakes/m/users/add";
    let body = json!({"users": [{"name": "b1"}, {"name": "b2", "externalId": "x"}, {"name": "bob"}, {"name": "b3", "externalId": "x"}]});
    let answer = server.call(ADMIN, "POST", add, body).await.is(200);
    assert_eq!(
        answer.body["summary"],
        json!({"total": 4, "succeeded": 2, "failed": 2})
    );
    assert_eq!(answer.body["users"][1]["name"], json!("b2"));
    let error = &answer.body["errors"][0];
    assert_eq!(
        (&error["index"], &error["name"], &error["code"], &error["type"]),
        (
            &json!(2),
            &json!("bob"),
            &json!(1004),
            &json!("UserAlreadyExistsException")
        )
    );
    let remove = "/bulk/metalakes/m/users/remove";
    let answer = server
        .call(
            ADMIN,
            "POST",
            remove,
            json!({"names": ["b1", "b2", "zz", "admin"]}),
        )
        .await
        .is(200);
    assert_eq!(answer.body["names"], json!(["b1", "b2"]));
    assert_eq!(answer.body["errors"][0]["type"], json!("NoSuchUserException"));
    assert_eq!(answer.body["errors"][1]["code"], json!(1001));
    let many: Vec<Value> = (0..101)
        .map(|number| json!({"name": format!("x{number}")}))
        .collect();
    server
        .call(ADMIN, "POST", add, json!({"users": many}))
        .await
        .fails(400, 1001, "IllegalArgumentException");
    let twice = json!({"users": [{"name": "x"}, {"name": "x"}]});
    server
        .call(ADMIN, "POST", add, twice)
        .await
        .fails(400, 1001, "IllegalArgumentException");
    server
        .call("bob", "POST", add, json!({"users": [{"name": "x"}]}))
        .await
        .is(403);
}

on_each_store!(groups);

async fn groups(engine: StoreEngine) {
    let server = server(engine).await;
    let admin = |method, path, body| server.call(ADMIN, method, path, body);
    let group = json!({"id": "#", "name": "g1", "audit": {"creator": "admin"}, "roles": []});
    admin("POST", "/metalakes/m/groups", json!({"name": "g1"}))
        .await
        .says(json!({"code": 0, "group": group}));
    admin("POST", "/metalakes/m/groups", json!({"name": "g1"}))
        .await
        .fails(409, 1004, "GroupAlreadyExistsException");
    admin(
        "POST",
        "/metalakes/m/groups",
        json!({"name": "g2", "externalId": "gx"}),
    )
    .await
    .is(200);
    admin("GET", "/metalakes/m/groups/g1", NONE)
        .await
        .says(json!({"code": 0, "group": group}));
    admin("GET", "/metalakes/m/groups/zz", NONE)
        .await
        .fails(404, 1003, "NoSuchGroupException");
    admin("GET", "/metalakes/m/groups", NONE)
        .await
        .says(json!({"code": 0, "names": ["g1", "g2"]}));
    server
        .call("bob", "GET", "/metalakes/m/groups", NONE)
        .await
        .says(json!({"code": 0, "names": []}));
    server
        .call("bob", "GET", "/metalakes/m/groups/g1", NONE)
        .await
        .is(403);
    role(&server, "r", json!([])).await;
    let path = "/metalakes/m/permissions/groups/g1/grant";
    admin("PUT", path, json!({"roleNames": ["r"]}))
        .await
        .says(json!({"code": 0, "group": {"id": "#", "name": "g1",
        "audit": {"creator": "admin", "lastModifier": "admin"}, "roles": ["r"]}}));
    admin(
        "PUT",
        "/metalakes/m/permissions/groups/zz/grant",
        json!({"roleNames": ["r"]}),
    )
    .await
    .fails(404, 1003, "NoSuchGroupException");
    admin("DELETE", "/metalakes/m/groups/g1", NONE)
        .await
        .says(json!({"code": 0, "removed": true}));
    admin("DELETE", "/metalakes/m/groups/g1", NONE)
        .await
        .says(json!({"code": 0, "removed": false}));
}

on_each_store!(without_authorization_there_is_none_of_it);

async fn without_authorization_there_is_none_of_it(engine: StoreEngine) {
    let server = Server::start(engine, "off").await;
    for (method, path, body) in [
        ("GET", "/metalakes/m/users", NONE),
        ("POST", "/metalakes/m/users", json!({"name": "bob"})),
        ("GET", "/metalakes/m/groups", NONE),
        ("GET", "/metalakes/m/roles", NONE),
        (
            "POST",
            "/metalakes/m/roles",
            json!({"name": "r", "securableObjects": []}),
        ),
        (
            "PUT",
            "/metalakes/m/permissions/users/bob/grant",
            json!({"roleNames": ["r"]}),
        ),
        ("GET", "/metalakes/m/owners/metalake/m", NONE),
        ("GET", "/metalakes/m/objects/metalake/m/roles", NONE),
        (
            "POST",
            "/bulk/metalakes/m/users/add",
            json!({"users": [{"name": "x"}]}),
        ),
    ] {
        server
            .call("bob", method, path, body)
            .await
            .fails(405, 1006, "UnsupportedOperationException");
    }
}

on_each_store!(passed_through_everybody_may_and_joins);

async fn passed_through_everybody_may_and_joins(engine: StoreEngine) {
    let server = Server::start(engine, "pass-through").await;
    let owner = json!({"name": "bob", "type": "USER"});
    server
        .call("bob", "PUT", "/metalakes/m/owners/metalake/m", owner)
        .await
        .is(200);
    let names = server
        .call("bob", "GET", "/metalakes/m/users", NONE)
        .await
        .names();
    assert_eq!(names, ["admin", "bob"]);
}
