// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Definitions and assignments of tags.

use reqwest::Method;
use serde_json::json;

use crate::server::{Server, kind};

const ON_CATALOG: &str = "objects/catalog/lake/tags";
const ON_SCHEMA: &str = "objects/schema/lake.sales/tags";

#[tokio::test]
async fn definitions() {
    let server = Server::start(&[]).await;
    let created = server
        .admin(
            Method::POST,
            "tags",
            Some(json!({"name": "pii", "comment": "personal", "properties": {"k": "v"}})),
            200,
        )
        .await;
    let tag = &created["tag"];
    assert_eq!(tag["properties"], json!({"k": "v"}));
    assert_eq!(tag["audit"]["creator"], "admin");
    assert!(
        tag.as_object().unwrap().contains_key("inherited"),
        "always written: {tag}"
    );
    assert!(tag.get("allowedValues").is_none());
    let again = server
        .admin(Method::POST, "tags", Some(json!({"name": "pii"})), 409)
        .await;
    assert_eq!(
        (kind(&again), &again["code"]),
        ("TagAlreadyExistsException", &json!(1004))
    );
    server
        .admin(Method::POST, "tags", Some(json!({"name": ""})), 400)
        .await;
    server
        .admin(Method::POST, "tags", Some(json!({"name": "a b"})), 200)
        .await;
    let domain = json!({"name": "domain", "allowedValues": ["finance", "risk", "finance"]});
    let domain = server.admin(Method::POST, "tags", Some(domain), 200).await;
    assert_eq!(domain["tag"]["allowedValues"], json!(["finance", "risk"]));
    let none = server
        .admin(
            Method::POST,
            "tags",
            Some(json!({"name": "none", "allowedValues": []})),
            200,
        )
        .await;
    assert_eq!(none["tag"]["allowedValues"], json!([]));
    server
        .admin(
            Method::POST,
            "tags",
            Some(json!({"name": "bad", "allowedValues": [""]})),
            400,
        )
        .await;

    let names = server.admin(Method::GET, "tags", None, 200).await;
    assert_eq!(names["names"], json!(["a b", "domain", "none", "pii"]));
    let details = server.admin(Method::GET, "tags?details=true", None, 200).await;
    assert_eq!(details["tags"][3]["comment"], "personal");
    let missing = server.admin(Method::GET, "tags/zz", None, 404).await;
    assert_eq!(
        (kind(&missing), &missing["code"]),
        ("NoSuchTagException", &json!(1003))
    );

    let updates = json!({"updates": [
        {"@type": "updateComment", "newComment": "c2"},
        {"@type": "setProperty", "property": "a", "value": "b"},
        {"@type": "removeProperty", "property": "k"},
        {"@type": "rename", "newName": "personal"}
    ]});
    let altered = server.admin(Method::PUT, "tags/pii", Some(updates), 200).await;
    assert_eq!(altered["tag"]["name"], "personal");
    assert_eq!(altered["tag"]["comment"], "c2");
    assert_eq!(altered["tag"]["properties"], json!({"a": "b"}));
    assert_eq!(altered["tag"]["audit"]["lastModifier"], "admin");
    let taken = json!({"updates": [{"@type": "rename", "newName": "domain"}]});
    let taken = server.admin(Method::PUT, "tags/personal", Some(taken), 409).await;
    assert_eq!(kind(&taken), "TagAlreadyExistsException");

    assert_eq!(
        server.admin(Method::DELETE, "tags/none", None, 200).await["dropped"],
        true
    );
    assert_eq!(
        server.admin(Method::DELETE, "tags/none", None, 200).await["dropped"],
        false
    );

    // Who holds nothing sees nothing and is told nothing.
    assert_eq!(
        server.expect("bob", Method::GET, "tags", None, 200).await["names"],
        json!([])
    );
    server.expect("bob", Method::GET, "tags/domain", None, 403).await;
    server.expect("bob", Method::GET, "tags/zz", None, 403).await;
    server
        .expect("bob", Method::POST, "tags", Some(json!({"name": "x"})), 403)
        .await;
    server.expect("eve", Method::GET, "tags", None, 403).await;
}

#[tokio::test]
async fn names_on_objects() {
    let server = Server::start(&[]).await;
    for tag in ["pii", "free"] {
        server
            .admin(Method::POST, "tags", Some(json!({"name": tag})), 200)
            .await;
    }
    let add = |names: &[&str]| Some(json!({"tagsToAdd": names}));
    assert_eq!(
        server.admin(Method::POST, ON_CATALOG, add(&["pii"]), 200).await["names"],
        json!(["pii"])
    );
    let again = server.admin(Method::POST, ON_CATALOG, add(&["pii"]), 409).await;
    assert_eq!(
        (kind(&again), &again["code"]),
        ("TagAlreadyAssociatedException", &json!(1004))
    );
    assert_eq!(
        server.admin(Method::POST, ON_CATALOG, add(&["zz"]), 200).await["names"],
        json!(["pii"])
    );
    let nowhere = server
        .admin(Method::POST, "objects/schema/lake.zz/tags", add(&["pii"]), 404)
        .await;
    assert_eq!(kind(&nowhere), "NoSuchMetadataObjectException");
    server.admin(Method::POST, ON_CATALOG, Some(json!({})), 400).await;
    server
        .admin(
            Method::POST,
            ON_CATALOG,
            Some(json!({"tagsToAdd": [], "tagsToRemove": []})),
            200,
        )
        .await;
    server
        .admin(Method::POST, "objects/metalake/m/tags", add(&["pii"]), 400)
        .await;
    server
        .admin(Method::POST, "objects/tag/pii/tags", add(&["pii"]), 400)
        .await;
    let both = Some(json!({"tagsToAdd": ["free"], "tagsToRemove": ["free"]}));
    assert_eq!(
        server.admin(Method::POST, ON_CATALOG, both, 200).await["names"],
        json!(["pii"])
    );

    // Inherited below, each with where it stands.
    assert_eq!(
        server.admin(Method::GET, ON_SCHEMA, None, 200).await["names"],
        json!(["pii"])
    );
    let details = server
        .admin(Method::GET, &format!("{ON_SCHEMA}?details=true"), None, 200)
        .await;
    assert_eq!(details["tags"][0]["inherited"], true);
    assert_eq!(details["tags"][0]["assignmentValues"], json!([]));
    assert_eq!(
        server
            .admin(Method::GET, &format!("{ON_SCHEMA}/pii"), None, 200)
            .await["tag"]["inherited"],
        true
    );
    let absent = server
        .admin(Method::GET, &format!("{ON_SCHEMA}/free"), None, 404)
        .await;
    assert_eq!(kind(&absent), "NoSuchTagException");
    let objects = server.admin(Method::GET, "tags/pii/objects", None, 200).await;
    assert_eq!(
        objects["metadataObjects"],
        json!([{"type": "catalog", "fullName": "lake"}])
    );

    // Applying a tag takes the tag and access to the object.
    server
        .expect("bob", Method::POST, ON_CATALOG, add(&["free"]), 403)
        .await;
    server.expect("bob", Method::GET, ON_CATALOG, None, 403).await;
    server
        .admin(
            Method::POST,
            "roles",
            Some(json!({"name": "tagger", "securableObjects": [{
                "type": "METALAKE", "fullName": "m", "privileges": [
                    {"name": "APPLY_TAG", "condition": "ALLOW"}, {"name": "USE_CATALOG", "condition": "ALLOW"}
                ]
            }]})),
            200,
        )
        .await;
    server
        .admin(
            Method::PUT,
            "permissions/users/bob/grant",
            Some(json!({"roleNames": ["tagger"]})),
            200,
        )
        .await;
    server
        .expect("bob", Method::POST, ON_CATALOG, add(&["free"]), 200)
        .await;
    server
        .expect("bob", Method::POST, ON_SCHEMA, add(&["free"]), 403)
        .await;
    server.expect("bob", Method::GET, "tags/free", None, 200).await;
    server.expect("bob", Method::DELETE, "tags/free", None, 403).await;

    server.admin(Method::DELETE, "tags/pii", None, 200).await;
    assert_eq!(
        server.admin(Method::GET, ON_SCHEMA, None, 200).await["names"],
        json!(["free"])
    );
}

#[tokio::test]
async fn values_on_objects() {
    let server = Server::start(&[]).await;
    let domain = json!({"name": "domain", "allowedValues": ["finance", "risk"]});
    server.admin(Method::POST, "tags", Some(domain), 200).await;
    server
        .admin(Method::POST, "tags", Some(json!({"name": "free"})), 200)
        .await;
    let add = |pairs: serde_json::Value| json!({"tagsToAdd": pairs});
    let both = json!([{"name": "domain", "value": "finance"}, {"name": "domain", "value": "risk"}]);
    for _ in 0..2 {
        let body = server.values(ON_CATALOG, add(both.clone()), 200).await;
        assert_eq!(body["names"], json!(["domain"]));
    }
    for refused in [
        json!([{"name": "domain", "value": "hr"}]),
        json!([{"name": "domain", "value": "Finance"}]),
        json!([{"name": "domain"}]),
        json!([{"name": "free", "value": ""}]),
        json!(["domain"]),
    ] {
        server.values(ON_CATALOG, add(refused), 400).await;
    }
    server.values(ON_CATALOG, json!({}), 400).await;
    server
        .values(
            ON_CATALOG,
            add(json!([{"name": "free", "value": "anything"}])),
            200,
        )
        .await;
    server
        .values(ON_CATALOG, add(json!([{"name": "free"}])), 400)
        .await;
    server
        .values(ON_CATALOG, add(json!([{"name": "nosuch", "value": "a"}])), 200)
        .await;
    let same = json!([{"name": "domain", "value": "risk"}]);
    server
        .values(ON_CATALOG, json!({"tagsToAdd": same, "tagsToRemove": same}), 400)
        .await;
    server
        .values(ON_CATALOG, json!({"tagsToRemove": same}), 200)
        .await;

    // A nearer assignment hides the whole set.
    server
        .values(ON_SCHEMA, add(json!([{"name": "domain", "value": "risk"}])), 200)
        .await;
    let details = server
        .admin(Method::GET, &format!("{ON_SCHEMA}?details=true"), None, 200)
        .await;
    assert_eq!(details["tags"][0]["assignmentValues"], json!(["risk"]));
    assert_eq!(details["tags"][0]["inherited"], false);
    assert_eq!(details["tags"][1]["assignmentValues"], json!(["anything"]));
    assert_eq!(details["tags"][1]["inherited"], true);

    let objects = |value: &str| format!("tags/domain/objects?value={value}");
    let with = server.admin(Method::GET, &objects("finance"), None, 200).await;
    assert_eq!(
        with["metadataObjects"],
        json!([{"type": "catalog", "fullName": "lake"}])
    );
    let without = server.admin(Method::GET, &objects("hr"), None, 200).await;
    assert_eq!(without["metadataObjects"], json!([]));
    server.admin(Method::GET, &objects(""), None, 400).await;

    // The names API on a tag with values.
    server
        .admin(
            Method::POST,
            ON_CATALOG,
            Some(json!({"tagsToAdd": ["domain"]})),
            400,
        )
        .await;
    let removed = Some(json!({"tagsToRemove": ["domain"]}));
    assert_eq!(
        server.admin(Method::POST, ON_CATALOG, removed, 200).await["names"],
        json!(["free"])
    );

    // Version 2 is spoken here and nowhere else, and body and answer agree.
    let version_2 = [("Accept", "application/vnd.gravitino.v2+json")];
    let list = server
        .send("admin", Method::GET, "/api/metalakes/m/tags", None, &version_2)
        .await;
    assert_eq!(list.status.as_u16(), 406);
}

#[tokio::test]
async fn the_old_path_answers_the_same() {
    let server = Server::start(&[]).await;
    let tag = json!({"name": "pii"});
    server.admin(Method::POST, "tags", Some(tag), 200).await;
    let add = json!({"tagsToAdd": ["pii"]});
    let added = server
        .admin(Method::POST, "tags/catalog/lake", Some(add), 200)
        .await;
    assert_eq!(added["names"], json!(["pii"]));
    for path in ["tags/catalog/lake", ON_CATALOG] {
        let names = server.admin(Method::GET, path, None, 200).await;
        assert_eq!(names["names"], json!(["pii"]), "{path}");
    }
    let inherited = server
        .admin(Method::GET, "tags/schema/lake.sales/pii", None, 200)
        .await;
    assert_eq!(inherited["tag"]["inherited"], true);
    server
        .expect("bob", Method::GET, "tags/catalog/lake", None, 403)
        .await;
}
