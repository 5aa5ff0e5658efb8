// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Users and groups, one by one.

use serde_json::{Value, json};

use crate::{NONE, done, patch, refused, server, user};

/// The answer without what differs from run to run.
fn plain(mut answer: Value) -> Value {
    answer["id"] = json!("ID");
    for member in ["created", "lastModified"] {
        assert!(
            answer["meta"][member]
                .as_str()
                .is_some_and(|time| time.ends_with('Z'))
        );
        answer["meta"][member] = json!("TIME");
    }
    let location = answer["meta"]["location"].as_str().unwrap_or_default();
    answer["meta"]["location"] = json!(location.rsplit_once('/').map(|(begin, _)| begin));
    answer
}

#[tokio::test]
async fn a_user_is_pushed_changed_and_removed() {
    let node = server(None).await;
    let pushed = json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User", "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
        "USERNAME": "Ann@example.org", "externalId": "e-1", "active": "True", "displayName": "Ann",
        "name": {"givenName": "Ann", "familyName": "Arbor", "middleName": "not kept"},
        "emails": [{"value": "ann@example.org", "type": "work", "primary": true}],
        "title": "not kept", "password": "not kept",
        "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {"department": "not kept"},
    });
    let made = done(&node, 201, "POST", "/Users", pushed.clone()).await;
    let id = made["id"].as_str().expect("an id").to_owned();
    let expected = json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"],
        "id": "ID", "externalId": "e-1", "userName": "Ann@example.org", "active": true, "displayName": "Ann",
        "name": {"givenName": "Ann", "familyName": "Arbor"},
        "emails": [{"value": "ann@example.org", "type": "work", "primary": true}],
        "meta": {
            "resourceType": "User", "created": "TIME", "lastModified": "TIME",
            "location": "https://lake.example/scim/v2/Users", "version": "W/\"1\"",
        },
    });
    assert_eq!(plain(made), expected);
    let path = format!("/Users/{id}");
    assert_eq!(plain(done(&node, 200, "GET", &path, NONE).await), expected);

    refused(
        &node,
        (409, "uniqueness"),
        "POST",
        "/Users",
        json!({"userName": "ANN@example.org"}),
    )
    .await;
    refused(
        &node,
        (409, "uniqueness"),
        "POST",
        "/Users",
        json!({"userName": "x", "externalId": "e-1"}),
    )
    .await;
    for (body, kind) in [
        (json!({"externalId": "x"}), "invalidValue"),
        (json!({"userName": " "}), "invalidValue"),
        (json!({"userName": "anonymous"}), "invalidValue"),
        (json!({"userName": "a\nb"}), "invalidValue"),
        (json!({"userName": ["x"]}), "invalidValue"),
        (json!({"userName": "x", "active": "perhaps"}), "invalidValue"),
        (json!({"userName": "x", "username": "y"}), "invalidSyntax"),
    ] {
        refused(&node, (400, kind), "POST", "/Users", body).await;
    }

    // PUT leaves out what it does not say, except that nobody becomes active by silence.
    let off = patch(json!([{"op": "Replace", "path": "active", "value": "False"}]));
    let changed = done(&node, 200, "PATCH", &path, off.clone()).await;
    assert_eq!(
        (&changed["active"], &changed["meta"]["version"]),
        (&json!(false), &json!("W/\"2\""))
    );
    let same = done(&node, 200, "PATCH", &path, off).await;
    assert_eq!(
        same["meta"]["version"], "W/\"2\"",
        "what changes nothing is no new version"
    );
    let put = done(
        &node,
        200,
        "PUT",
        &path,
        json!({"userName": "ann", "id": "other"}),
    )
    .await;
    assert_eq!(put["id"], json!(id));
    assert_eq!(
        (&put["active"], &put["displayName"], &put["externalId"]),
        (&json!(false), &NONE, &NONE)
    );

    let tagged = async |method: &str, tag: &str, body: Value| {
        let headers = [("If-Match", tag)];
        let url = format!("/scim/v2{path}");
        node.ask_with("idp", method, &url, body, &headers).await.0
    };
    let on = || patch(json!([{"op": "replace", "value": {"active": true}}]));
    assert_eq!(tagged("PATCH", "W/\"2\"", on()).await, 412);
    assert_eq!(tagged("DELETE", "W/\"2\"", NONE).await, 412);
    assert_eq!(tagged("PATCH", "W/\"1\", W/\"3\"", on()).await, 200);
    assert_eq!(tagged("PUT", "*", json!({"userName": "ann"})).await, 200);
    refused(
        &node,
        (400, "mutability"),
        "PATCH",
        &path,
        patch(json!([{"op": "replace", "path": "id", "value": "x"}])),
    )
    .await;
    refused(
        &node,
        (400, "invalidPath"),
        "PATCH",
        &path,
        patch(json!([{"op": "add", "path": "wings", "value": 2}])),
    )
    .await;
    done(&node, 204, "DELETE", &path, NONE).await;
    for (method, body) in [
        ("GET", NONE),
        ("DELETE", NONE),
        ("PUT", json!({"userName": "ann"})),
        ("PATCH", on()),
    ] {
        refused(&node, (404, ""), method, &path, body).await;
    }
}

#[tokio::test]
async fn groups_have_members() {
    let node = server(None).await;
    let (ann, ben) = (user(&node, "ann").await, user(&node, "ben").await);
    let pushed = json!({"displayName": "Staff", "externalId": "g-1", "members": [{"value": ann}]});
    let made = done(&node, 201, "POST", "/Groups", pushed).await;
    let path = format!("/Groups/{}", made["id"].as_str().expect("an id"));
    let member = |id: &str, name: &str| {
        let location = format!("https://lake.example/scim/v2/Users/{id}");
        json!({"value": id, "$ref": location, "display": name, "type": "User"})
    };
    let expected = json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"],
        "id": "ID", "externalId": "g-1", "displayName": "Staff", "members": [member(&ann, "ann")],
        "meta": {
            "resourceType": "Group", "created": "TIME", "lastModified": "TIME",
            "location": "https://lake.example/scim/v2/Groups", "version": "W/\"1\"",
        },
    });
    assert_eq!(plain(made), expected);
    let members = async |operations: Value| {
        let changed = done(&node, 200, "PATCH", &path, patch(operations)).await;
        changed["members"].clone()
    };
    let both = json!([member(&ann, "ann"), member(&ben, "ben")]);
    assert_eq!(
        members(json!([{"op": "Add", "path": "members", "value": [{"value": ben}]}])).await,
        both
    );
    // Asked for before it was there: no member twice.
    assert_eq!(
        members(json!([{"op": "add", "value": {"members": [{"value": ann}]}}])).await,
        both
    );
    let of_ann = done(&node, 200, "GET", &format!("/Users/{ann}"), NONE).await;
    assert_eq!(of_ann["groups"][0]["display"], "Staff");
    let without = format!("members[value eq \"{ann}\"]");
    assert_eq!(
        members(json!([{"op": "remove", "path": without}])).await,
        json!([member(&ben, "ben")])
    );
    assert_eq!(
        members(json!([{"op": "Remove", "path": "members", "value": [{"value": ben}]}])).await,
        NONE
    );
    let named = done(
        &node,
        200,
        "PATCH",
        &path,
        patch(json!([{"op": "replace", "value": {"displayName": "Team"}}])),
    )
    .await;
    assert_eq!(named["displayName"], "Team");
    done(
        &node,
        200,
        "PUT",
        &path,
        json!({"displayName": "Team", "members": [{"value": ann}, {"value": ben}]}),
    )
    .await;
    done(&node, 204, "DELETE", &format!("/Users/{ben}"), NONE).await;
    let left = done(&node, 200, "GET", &path, NONE).await;
    assert_eq!(
        left["members"],
        json!([member(&ann, "ann")]),
        "who is removed is in no group"
    );
    assert!(left["meta"]["version"].as_str() > named["meta"]["version"].as_str());

    for (body, expected) in [
        (json!({"displayName": "team"}), (409, "uniqueness")),
        (json!({"members": []}), (400, "invalidValue")),
        (
            json!({"displayName": "x", "members": [{"value": "nobody"}]}),
            (400, "invalidValue"),
        ),
        (
            json!({"displayName": "x", "members": [{"value": ann, "type": "Group"}]}),
            (400, "invalidValue"),
        ),
        (
            json!({"displayName": "x", "members": [{"display": "ann"}]}),
            (400, "invalidValue"),
        ),
    ] {
        refused(&node, expected, "POST", "/Groups", body).await;
    }
    done(&node, 204, "DELETE", &path, NONE).await;
    refused(&node, (404, ""), "GET", &path, NONE).await;
}
