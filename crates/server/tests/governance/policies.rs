// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Policies, policies on tags, policies of objects, and the question before a restriction is taken away.

use reqwest::Method;
use serde_json::{Value, json};

use crate::server::{Server, kind};

const RESTRICTIONS_ON: [(&str, &str); 1] = [("lakeward.read-restrictions.enabled", "true")];

fn custom(name: &str) -> Value {
    json!({
        "name": name, "comment": "retention", "policyType": "custom", "enabled": true,
        "content": {"customRules": {"days": 30}, "supportedObjectTypes": ["CATALOG", "SCHEMA"], "properties": {}}
    })
}

fn row_filter(name: &str, enabled: bool) -> Value {
    json!({
        "name": name, "policyType": "system_row_filter", "enabled": enabled,
        "content": {"expression": "filter := col(\"region\") == \"US\""}
    })
}

#[tokio::test]
async fn definitions() {
    let server = Server::start(&[]).await;
    let created = server
        .admin(Method::POST, "policies", Some(custom("ret")), 200)
        .await;
    let policy = &created["policy"];
    assert_eq!(policy["policyType"], "custom");
    assert_eq!(
        policy["content"]["supportedObjectTypes"],
        json!(["catalog", "schema"])
    );
    assert!(policy.as_object().unwrap().contains_key("inherited"));
    let again = server
        .admin(Method::POST, "policies", Some(custom("ret")), 409)
        .await;
    assert_eq!(
        (kind(&again), &again["code"]),
        ("PolicyAlreadyExistsException", &json!(1004))
    );
    for refused in [
        json!({"name": "q", "policyType": "custom"}),
        json!({"name": "q", "policyType": "nope", "content": {}}),
        json!({"name": "q", "policyType": "custom", "content": {"supportedObjectTypes": []}}),
        json!({"name": "q", "policyType": "custom", "content": {"supportedObjectTypes": ["THING"]}}),
        json!({"name": "q", "policyType": "system_row_filter", "enabled": false, "content": {"function": null}}),
        json!({"name": "q", "policyType": "system_row_filter", "enabled": false, "content": {"expression": "filter := region"}}),
        json!({"name": "q", "policyType": "system_column_mask", "enabled": false, "content": {"expression": "filter := true"}}),
    ] {
        server.admin(Method::POST, "policies", Some(refused), 400).await;
    }
    let compact = json!({"name": "compact", "policyType": "system_iceberg_compaction", "content": {}});
    let compact = server.admin(Method::POST, "policies", Some(compact), 200).await;
    assert_eq!(compact["policy"]["content"]["deleteFileNumberWeight"], 100);
    assert_eq!(
        server.admin(Method::GET, "policies", None, 200).await["names"],
        json!(["compact", "ret"])
    );

    let updates = json!({"updates": [
        {"@type": "updateComment", "newComment": "c2"},
        {"@type": "updateContent", "policyType": "custom",
         "newContent": {"customRules": {"days": 60}, "supportedObjectTypes": ["CATALOG"], "properties": {}}}
    ]});
    let altered = server
        .admin(Method::PUT, "policies/ret", Some(updates), 200)
        .await;
    assert_eq!(altered["policy"]["content"]["customRules"]["days"], 60);
    let other_type = json!({"updates": [
        {"@type": "updateContent", "policyType": "system_iceberg_compaction", "newContent": {}}
    ]});
    server
        .admin(Method::PUT, "policies/ret", Some(other_type), 400)
        .await;
    let missing = server
        .admin(Method::PUT, "policies/zz", Some(json!({"updates": []})), 404)
        .await;
    assert_eq!(kind(&missing), "NoSuchPolicyException");

    for enable in [false, false, true] {
        server
            .admin(
                Method::PATCH,
                "policies/ret",
                Some(json!({"enable": enable})),
                200,
            )
            .await;
    }
    server
        .admin(Method::PATCH, "policies/ret", Some(json!({})), 400)
        .await;
    let revisions = server
        .admin(Method::GET, "policies/ret/revisions", None, 200)
        .await;
    let seen: Vec<_> = revisions["revisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|revision| (revision["revision"].clone(), revision["enabled"].clone()))
        .collect();
    let expected = [(4, true), (3, false), (2, true), (1, true)];
    assert_eq!(
        seen,
        expected.map(|(revision, enabled)| (json!(revision), json!(enabled)))
    );
    assert_eq!(
        revisions["revisions"][3]["content"]["customRules"]["days"], 30,
        "never changed"
    );

    assert_eq!(
        server.admin(Method::DELETE, "policies/compact", None, 200).await["dropped"],
        true
    );
    assert_eq!(
        server.admin(Method::DELETE, "policies/compact", None, 200).await["dropped"],
        false
    );
    server.expect("bob", Method::GET, "policies/ret", None, 403).await;
    server
        .expect("bob", Method::GET, "policies/ret/revisions", None, 403)
        .await;
    assert_eq!(
        server.expect("bob", Method::GET, "policies", None, 200).await["names"],
        json!([])
    );
}

#[tokio::test]
async fn restrictions_cannot_be_enabled_while_the_feature_is_off() {
    let server = Server::start(&[]).await;
    let refused = server
        .admin(Method::POST, "policies", Some(row_filter("us", true)), 400)
        .await;
    assert!(
        refused["message"]
            .as_str()
            .unwrap()
            .contains("lakeward.read-restrictions.enabled")
    );
    server
        .admin(Method::POST, "policies", Some(row_filter("us", false)), 200)
        .await;
    server
        .admin(Method::PATCH, "policies/us", Some(json!({"enable": true})), 400)
        .await;
    server
        .admin(Method::POST, "tags", Some(json!({"name": "pii"})), 200)
        .await;
    server.admin(Method::PUT, "tags/pii/policies/us", None, 200).await;
    let revisions = server
        .admin(Method::GET, "policies/us/revisions", None, 200)
        .await;
    assert_eq!(
        revisions["revisions"][0]["contentSchema"],
        "read-restrictions-content 1"
    );
    assert_eq!(
        revisions["revisions"][0]["content"],
        json!({"expression": "filter := col(\"region\") == \"US\""})
    );
}

#[tokio::test]
async fn on_tags() {
    let server = Server::start(&RESTRICTIONS_ON).await;
    let access = json!({"name": "access", "allowedValues": ["restricted", "public"]});
    server.admin(Method::POST, "tags", Some(access), 200).await;
    server
        .admin(Method::POST, "policies", Some(custom("ret")), 200)
        .await;
    server
        .admin(Method::POST, "policies", Some(row_filter("us", true)), 200)
        .await;
    let restricted = json!({"selector": {"type": "TAG_VALUE", "value": "restricted"}});
    let put = server
        .admin(
            Method::PUT,
            "tags/access/policies/us",
            Some(restricted.clone()),
            200,
        )
        .await;
    assert_eq!(
        put,
        json!({"code": 0, "policy": "us", "tag": "access", "selector": restricted["selector"]})
    );
    for selector in [
        json!({"selector": null}),
        json!({}),
        json!({"selector": {"type": "ALL_VALUES"}}),
    ] {
        let put = server
            .admin(Method::PUT, "tags/access/policies/ret", Some(selector), 200)
            .await;
        assert_eq!(put["selector"], json!({"type": "ALL_VALUES"}));
    }
    for refused in [
        json!({"selector": {"type": "EXPRESSION", "expression": {}}}),
        json!({"selector": {"type": "TAG_VALUE"}}),
        json!({"selector": {"type": "TAG_VALUE", "value": "unheard-of"}}),
        json!({"selector": {"type": "ALL_VALUES", "value": "public"}}),
    ] {
        server
            .admin(Method::PUT, "tags/access/policies/ret", Some(refused), 400)
            .await;
    }
    let missing = server
        .admin(Method::PUT, "tags/access/policies/zz", None, 404)
        .await;
    assert_eq!(kind(&missing), "NoSuchPolicyException");
    assert_eq!(
        kind(&server.admin(Method::PUT, "tags/zz/policies/us", None, 404).await),
        "NoSuchTagException"
    );

    assert_eq!(
        server.admin(Method::GET, "tags/access/policies", None, 200).await["names"],
        json!(["ret", "us"])
    );
    let details = server
        .admin(Method::GET, "tags/access/policies?details=true", None, 200)
        .await;
    assert_eq!(details["associations"][1]["selector"], restricted["selector"]);
    assert_eq!(
        server.admin(Method::GET, "policies/us/tags", None, 200).await["names"],
        json!(["access"])
    );
    assert_eq!(
        server
            .admin(Method::GET, "tags/access/policies/us", None, 200)
            .await["policy"],
        "us"
    );
    server
        .expect("bob", Method::GET, "tags/access/policies", None, 403)
        .await;
    server
        .expect("bob", Method::PUT, "tags/access/policies/us", None, 403)
        .await;

    // Taking a restriction away asks first; what closes more does not.
    let on_schema = "objects/schema/lake.sales/tags";
    server
        .values(
            on_schema,
            json!({"tagsToAdd": [{"name": "access", "value": "restricted"}]}),
            200,
        )
        .await;
    let public = json!({"selector": {"type": "TAG_VALUE", "value": "public"}});
    let asked = server
        .admin(Method::PUT, "tags/access/policies/us", Some(public.clone()), 409)
        .await;
    let message = asked["message"].as_str().unwrap();
    assert!(
        message.contains("`us`") && message.contains("lake.sales") && message.contains("force=true"),
        "{message}"
    );
    let to_public = json!({
        "tagsToAdd": [{"name": "access", "value": "public"}],
        "tagsToRemove": [{"name": "access", "value": "restricted"}]
    });
    server.values(on_schema, to_public.clone(), 409).await;
    server
        .admin(
            Method::POST,
            on_schema,
            Some(json!({"tagsToRemove": ["access"]})),
            409,
        )
        .await;
    server
        .admin(Method::PATCH, "policies/us", Some(json!({"enable": false})), 409)
        .await;
    server.admin(Method::DELETE, "policies/us", None, 409).await;
    server.admin(Method::DELETE, "tags/access", None, 409).await;
    server
        .admin(Method::DELETE, "tags/access/policies/us", None, 409)
        .await;
    let details = server
        .admin(Method::GET, &format!("{on_schema}?details=true"), None, 200)
        .await;
    assert_eq!(
        details["tags"][0]["assignmentValues"],
        json!(["restricted"]),
        "nothing was changed"
    );
    server
        .admin(Method::PUT, "tags/access/policies/us", None, 200)
        .await;
    server.values(on_schema, to_public, 200).await;
    server
        .admin(Method::DELETE, "tags/access/policies/us?force=true", None, 204)
        .await;
    server
        .admin(Method::DELETE, "tags/access/policies/us", None, 204)
        .await;
    server.admin(Method::DELETE, "tags/access", None, 200).await;
}

#[tokio::test]
async fn of_objects() {
    let server = Server::start(&RESTRICTIONS_ON).await;
    let on_catalog = "objects/catalog/lake/policies";
    let on_schema = "objects/schema/lake.sales/policies";
    for policy in [custom("ret"), custom("tagged"), row_filter("us", true)] {
        server.admin(Method::POST, "policies", Some(policy), 200).await;
    }
    server
        .admin(Method::POST, "tags", Some(json!({"name": "pii"})), 200)
        .await;
    for policy in ["tagged", "us"] {
        server
            .admin(Method::PUT, &format!("tags/pii/policies/{policy}"), None, 200)
            .await;
    }
    let add = |names: &[&str]| Some(json!({"policiesToAdd": names}));
    assert_eq!(
        server
            .admin(Method::POST, on_catalog, add(&["ret", "zz"]), 200)
            .await["names"],
        json!(["ret"])
    );
    let again = server.admin(Method::POST, on_catalog, add(&["ret"]), 409).await;
    assert_eq!(kind(&again), "PolicyAlreadyAssociatedException");
    let direct = server.admin(Method::POST, on_catalog, add(&["us"]), 400).await;
    assert!(
        direct["message"].as_str().unwrap().contains("tag"),
        "names the tag route: {direct}"
    );
    server
        .admin(Method::POST, "objects/tag/pii/policies", add(&["ret"]), 400)
        .await;
    server.admin(Method::POST, on_catalog, Some(json!({})), 400).await;
    let nowhere = server
        .admin(
            Method::POST,
            "objects/schema/lake.zz/policies",
            add(&["ret"]),
            404,
        )
        .await;
    assert_eq!(kind(&nowhere), "NoSuchMetadataObjectException");

    server
        .admin(
            Method::POST,
            "objects/schema/lake.sales/tags",
            Some(json!({"tagsToAdd": ["pii"]})),
            200,
        )
        .await;
    assert_eq!(
        server.admin(Method::GET, on_schema, None, 200).await["names"],
        json!(["ret", "tagged", "us"])
    );
    let details = server
        .admin(Method::GET, &format!("{on_schema}?details=true"), None, 200)
        .await;
    let policies = &details["policies"];
    assert_eq!(policies[0]["inherited"], true);
    assert_eq!(
        policies[0]["origins"],
        json!([{"type": "inherited", "from": {"type": "catalog", "fullName": "lake"}}])
    );
    assert_eq!(policies[1]["inherited"], false);
    assert_eq!(
        policies[1]["origins"],
        json!([{
            "type": "tag", "tag": "pii", "assignedOn": {"type": "schema", "fullName": "lake.sales"},
            "selector": {"type": "ALL_VALUES"}
        }])
    );
    assert_eq!(
        server.admin(Method::GET, on_catalog, None, 200).await["names"],
        json!(["ret"])
    );
    let one = server
        .admin(Method::GET, &format!("{on_schema}/us"), None, 200)
        .await;
    assert_eq!(one["policy"]["policyType"], "system_row_filter");
    let absent = server
        .admin(Method::GET, &format!("{on_catalog}/us"), None, 404)
        .await;
    assert_eq!(kind(&absent), "NoSuchPolicyException");
    let objects = server.admin(Method::GET, "policies/ret/objects", None, 200).await;
    assert_eq!(
        objects["metadataObjects"],
        json!([{"type": "catalog", "fullName": "lake"}])
    );
    server
        .expect("bob", Method::POST, on_catalog, add(&["ret"]), 403)
        .await;
    let removed = server
        .admin(
            Method::POST,
            on_catalog,
            Some(json!({"policiesToRemove": ["ret"]})),
            200,
        )
        .await;
    assert_eq!(removed["names"], json!([]));
}

#[tokio::test]
async fn the_question_names_no_object_that_its_reader_may_not_see() {
    let server = Server::start(&RESTRICTIONS_ON).await;
    server
        .admin(Method::POST, "tags", Some(json!({"name": "pii"})), 200)
        .await;
    server
        .admin(Method::POST, "policies", Some(row_filter("us", true)), 200)
        .await;
    server.admin(Method::PUT, "tags/pii/policies/us", None, 200).await;
    let body = json!({"tagsToAdd": ["pii"]});
    server
        .admin(Method::POST, "objects/schema/lake.sales/tags", Some(body), 200)
        .await;
    // Bob owns the tag and reaches nothing else.
    let owner = json!({"name": "bob", "type": "USER"});
    server
        .admin(Method::PUT, "owners/tag/pii", Some(owner), 200)
        .await;
    let asked = server.expect("bob", Method::DELETE, "tags/pii", None, 409).await;
    let message = asked["message"].as_str().unwrap();
    assert!(
        message.contains("objects that you may not see") && !message.contains("sales"),
        "{message}"
    );
    assert!(!message.contains("`us`"), "{message}");
}
