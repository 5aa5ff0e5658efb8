// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Topics over the native protocol, with a broker in this process: their life, who may do what, topics that come and go
//! behind the server's back, and grants that end with them.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::in_process::{Broker, SILENT};
use crate::scene::{FORBIDDEN, ILLEGAL, Place, Server, WITH_AUTHORIZATION, on_both_stores};

on_both_stores!(
    topics_come_and_go,
    privileges_are_those_of_topics,
    topics_of_the_broker_are_met_without_owner,
    a_grant_tells_its_maker_nothing_of_what_it_may_not_load,
    what_ends_at_the_broker_ends_with_its_grants,
    the_schema_of_a_broker_is_fixed,
    a_broker_that_falls_silent_in_a_change_ends_it_for_nobody_else
);

const CATALOGS: &str = "/api/metalakes/m/catalogs";
const SCHEMAS: &str = "/api/metalakes/m/catalogs/kaf/schemas";
const TOPICS: &str = "/api/metalakes/m/catalogs/kaf/schemas/default/topics";
const T1: &str = "/api/metalakes/m/catalogs/kaf/schemas/default/topics/t1";
const ILLEGAL_PRIVILEGE: (u16, i32, &str) = (400, 1001, "IllegalPrivilegeException");
const MISSING: (u16, i32, &str) = (404, 1003, "NoSuchTopicException");

async fn scene(place: &Place) -> (Server, Broker) {
    let broker = Broker::default();
    let providers = lakeward_server::providers().with(Arc::new(broker.clone()));
    let server = Server::start_with_providers(place, WITH_AUTHORIZATION, providers).await;
    server.done("POST", "/api/metalakes", json!({"name": "m"})).await;
    let kafka = json!({"name": "kaf", "type": "MESSAGING", "provider": "kafka", "comment": "k",
        "properties": {"bootstrap.servers": "127.0.0.1:9"}});
    let made = server.done("POST", CATALOGS, kafka).await;
    assert_eq!(made["catalog"]["properties"].get("warehouse"), None);
    for user in ["ann", "bob"] {
        server
            .done("POST", "/api/metalakes/m/users", json!({"name": user}))
            .await;
    }
    (server, broker)
}

/// Gives `user` a role of its own with these privileges on one object.
async fn allow(server: &Server, user: &str, (kind, name): (&str, &str), privileges: &[&str]) {
    let role = format!("r-{user}-{kind}");
    let listed: Vec<Value> = privileges
        .iter()
        .map(|privilege| json!({"name": privilege, "condition": "allow"}))
        .collect();
    let object = json!({"type": kind, "fullName": name, "privileges": listed});
    let roles = "/api/metalakes/m/roles";
    server
        .done("POST", roles, json!({"name": role, "securableObjects": [object]}))
        .await;
    let grant = format!("/api/metalakes/m/permissions/users/{user}/grant");
    server.done("PUT", &grant, json!({"roleNames": [role]})).await;
}

/// What a user sees listed.
async fn listed(server: &Server, user: &str) -> Vec<String> {
    let (status, answer) = server.call(user, "GET", TOPICS, None).await;
    assert_eq!(status, 200, "{answer}");
    let identifiers = answer["identifiers"].as_array().unwrap();
    assert!(
        identifiers
            .iter()
            .all(|one| one["namespace"] == json!(["m", "kaf", "default"]))
    );
    identifiers
        .iter()
        .map(|one| one["name"].as_str().unwrap().to_owned())
        .collect()
}

async fn owner(server: &Server, topic: &str) -> Value {
    let path = format!("/api/metalakes/m/owners/topic/kaf.default.{topic}");
    server.done("GET", &path, None).await["owner"].clone()
}

async fn topics_come_and_go(place: Place) {
    let (server, _) = scene(&place).await;
    let new = json!({"name": "t1", "comment": "orders", "properties": {"partition-count": "3"}});
    let made = server.done("POST", TOPICS, new.clone()).await;
    assert_eq!(made["topic"]["comment"], "orders");
    assert_eq!(
        made["topic"]["properties"],
        json!({"partition-count": "3", "replication-factor": "1"})
    );
    assert_eq!(made["topic"]["audit"]["creator"], "admin");
    assert_eq!(owner(&server, "t1").await["name"], "admin");
    let taken = (409, 1004, "TopicAlreadyExistsException");
    server.refused(("admin", "POST", TOPICS), new, taken).await;
    for wrong in [
        json!({"name": ""}),
        json!({"comment": "c"}),
        json!({"name": "t2", "more": 1}),
        json!({"name": "t2", "properties": {"replication-factor": "5"}}),
    ] {
        server.refused(("admin", "POST", TOPICS), wrong, ILLEGAL).await;
    }
    assert_eq!(listed(&server, "admin").await, ["t1"]);
    let altered = json!({"updates": [
        {"@type": "updateComment", "newComment": "c2"},
        {"@type": "setProperty", "property": "partition-count", "value": "4"},
        {"@type": "setProperty", "property": "cleanup.policy", "value": "compact"},
        {"@type": "removeProperty", "property": "retention.ms"},
    ]});
    let altered = server.done("PUT", T1, altered).await;
    assert_eq!(altered["topic"]["audit"]["lastModifier"], "admin");
    let loaded = server.done("GET", T1, None).await;
    assert_eq!(loaded["topic"], altered["topic"]);
    assert_eq!(loaded["topic"]["comment"], "c2");
    assert_eq!(loaded["topic"]["properties"]["partition-count"], "4");
    for wrong in [
        json!({"updates": [{"@type": "setProperty", "property": "partition-count", "value": "2"}]}),
        json!({"updates": [{"@type": "setProperty", "property": "replication-factor", "value": "2"}]}),
        json!({"updates": [{"@type": "rename", "newName": "t9"}]}),
        json!({}),
    ] {
        server.refused(("admin", "PUT", T1), wrong, ILLEGAL).await;
    }
    let absent = format!("{TOPICS}/zz");
    server.refused(("admin", "GET", &absent), None, MISSING).await;
    server
        .refused(("admin", "PUT", &absent), json!({"updates": []}), MISSING)
        .await;
    let elsewhere = format!("{SCHEMAS}/nope/topics");
    let no_schema = (404, 1003, "NoSuchSchemaException");
    server
        .refused(("admin", "POST", &elsewhere), json!({"name": "t"}), no_schema)
        .await;
    assert_eq!(server.done("DELETE", T1, None).await["dropped"], true);
    assert_eq!(server.done("DELETE", T1, None).await["dropped"], false);
    server.refused(("admin", "GET", T1), None, MISSING).await;
}

async fn privileges_are_those_of_topics(place: Place) {
    let (server, _) = scene(&place).await;
    for topic in ["t1", "t2"] {
        server.done("POST", TOPICS, json!({"name": topic})).await;
    }
    let update = json!({"updates": [{"@type": "updateComment", "newComment": "c"}]});
    for (method, path, body) in [
        ("GET", TOPICS, None),
        ("GET", T1, None),
        ("POST", TOPICS, Some(json!({"name": "mine"}))),
        ("PUT", T1, Some(update.clone())),
        ("DELETE", T1, None),
    ] {
        server.refused(("bob", method, path), body, FORBIDDEN).await;
    }
    allow(&server, "bob", ("metalake", "m"), &["use_catalog", "use_schema"]).await;
    assert_eq!(listed(&server, "bob").await, Vec::<String>::new());
    server.refused(("bob", "GET", T1), None, FORBIDDEN).await;
    allow(&server, "bob", ("topic", "kaf.default.t1"), &["consume_topic"]).await;
    assert_eq!(listed(&server, "bob").await, ["t1"]);
    assert_eq!(server.call("bob", "GET", T1, None).await.0, 200);
    server
        .refused(("bob", "PUT", T1), update.clone(), FORBIDDEN)
        .await;
    allow(&server, "bob", ("catalog", "kaf"), &["produce_topic"]).await;
    assert_eq!(listed(&server, "bob").await, ["t1", "t2"]);
    assert_eq!(server.call("bob", "PUT", T1, Some(update)).await.0, 200);
    server.refused(("bob", "DELETE", T1), None, FORBIDDEN).await;
    server
        .refused(("bob", "POST", TOPICS), json!({"name": "mine"}), FORBIDDEN)
        .await;
    allow(&server, "bob", ("schema", "kaf.default"), &["create_topic"]).await;
    let made = server
        .call("bob", "POST", TOPICS, Some(json!({"name": "mine"})))
        .await;
    assert_eq!(made.0, 200, "{}", made.1);
    assert_eq!(owner(&server, "mine").await["name"], "bob");
    let mine = format!("{TOPICS}/mine");
    let (status, dropped) = server.call("bob", "DELETE", &mine, None).await;
    assert_eq!((status, &dropped["dropped"]), (200, &json!(true)));
}

async fn topics_of_the_broker_are_met_without_owner(place: Place) {
    let (server, broker) = scene(&place).await;
    broker.make("found");
    broker.make("not a name");
    assert_eq!(listed(&server, "admin").await, ["found"]);
    assert_eq!(owner(&server, "found").await, Value::Null);
    broker.make("t1");
    // Nobody learns of a topic by being refused it.
    server.refused(("bob", "GET", T1), None, FORBIDDEN).await;
    let loaded = server.done("GET", T1, None).await;
    assert_eq!(loaded["topic"]["name"], "t1");
    assert_eq!(owner(&server, "t1").await, Value::Null);
    // A grant asks the broker for the topic that it names, and binds to it.
    broker.make("granted");
    allow(&server, "ann", ("metalake", "m"), &["use_catalog", "use_schema"]).await;
    allow(
        &server,
        "ann",
        ("topic", "kaf.default.granted"),
        &["consume_topic"],
    )
    .await;
    assert_eq!(listed(&server, "ann").await, ["granted"]);
    // One of a topic that is nowhere binds to nothing, also when there is one later.
    allow(&server, "bob", ("metalake", "m"), &["use_catalog", "use_schema"]).await;
    allow(&server, "bob", ("topic", "kaf.default.later"), &["consume_topic"]).await;
    broker.make("later");
    assert_eq!(listed(&server, "bob").await, Vec::<String>::new());
}

async fn a_grant_tells_its_maker_nothing_of_what_it_may_not_load(place: Place) {
    let (server, broker) = scene(&place).await;
    broker.make("hidden");
    allow(&server, "ann", ("metalake", "m"), &["use_catalog", "use_schema"]).await;
    allow(&server, "bob", ("metalake", "m"), &["create_role"]).await;
    let object = |kind: &str, name: &str, privilege: &str| {
        json!({"type": kind, "fullName": name,
            "privileges": [{"name": privilege, "condition": "allow"}]})
    };
    let made = |name: &str, object: Value| json!({"name": name, "securableObjects": [object]});
    let roles = "/api/metalakes/m/roles";
    // The broker is not asked for topics of a schema that the maker of the role may not load.
    let topic = made("of-bob", object("topic", "kaf.default.hidden", "consume_topic"));
    let (status, answer) = server.call("bob", "POST", roles, Some(topic)).await;
    assert_eq!(status, 200, "{answer}");
    let grant = "/api/metalakes/m/permissions/users/ann/grant";
    server.done("PUT", grant, json!({"roleNames": ["of-bob"]})).await;
    assert_eq!(listed(&server, "ann").await, Vec::<String>::new());
    // Nor is the type of a catalog told.
    let table = || object("catalog", "kaf", "select_table");
    let (status, answer) = server.call("bob", "POST", roles, Some(made("b", table()))).await;
    assert_eq!(status, 200, "{answer}");
    server
        .refused(
            ("admin", "POST", roles),
            Some(made("a", table())),
            ILLEGAL_PRIVILEGE,
        )
        .await;
}

async fn what_ends_at_the_broker_ends_with_its_grants(place: Place) {
    let (server, broker) = scene(&place).await;
    allow(&server, "bob", ("metalake", "m"), &["use_catalog", "use_schema"]).await;
    for topic in ["t1", "t2", "t3"] {
        server.done("POST", TOPICS, json!({"name": topic})).await;
    }
    let object = |name: &str| {
        json!({"type": "topic", "fullName": format!("kaf.default.{name}"),
        "privileges": [{"name": "consume_topic", "condition": "allow"}]})
    };
    let role = json!({"name": "r", "securableObjects": [object("t1"), object("t2"), object("t3")]});
    server.done("POST", "/api/metalakes/m/roles", role).await;
    let grant = "/api/metalakes/m/permissions/users/bob/grant";
    server.done("PUT", grant, json!({"roleNames": ["r"]})).await;
    assert_eq!(listed(&server, "bob").await, ["t1", "t2", "t3"]);
    // The end is met by a load, by a list, and by a creation under the same name.
    for topic in ["t1", "t2", "t3"] {
        broker.end(topic);
    }
    server.refused(("bob", "GET", T1), None, MISSING).await;
    let again = json!({"name": "t3"});
    server.done("POST", TOPICS, again).await;
    assert_eq!(listed(&server, "bob").await, Vec::<String>::new());
    for topic in ["t1", "t2"] {
        broker.make(topic);
    }
    assert_eq!(listed(&server, "bob").await, Vec::<String>::new());
    assert_eq!(listed(&server, "admin").await, ["t1", "t2", "t3"]);
    server.refused(("bob", "GET", T1), None, FORBIDDEN).await;
    assert_eq!(owner(&server, "t1").await, Value::Null);
    assert_eq!(owner(&server, "t3").await["name"], "admin");
}

async fn the_schema_of_a_broker_is_fixed(place: Place) {
    let (server, broker) = scene(&place).await;
    broker.make("t1");
    let schemas = server.done("GET", SCHEMAS, None).await;
    assert_eq!(
        schemas["identifiers"],
        json!([{"namespace": ["m", "kaf"], "name": "default"}])
    );
    let unsupported = (405, 1006, "UnsupportedOperationException");
    server
        .refused(("admin", "POST", SCHEMAS), json!({"name": "s"}), unsupported)
        .await;
    for path in ["/default", "/default?cascade=true"] {
        let path = format!("{SCHEMAS}{path}");
        server.refused(("admin", "DELETE", &path), None, ILLEGAL).await;
    }
    let tables = format!("{SCHEMAS}/default/tables");
    server.refused(("admin", "GET", &tables), None, unsupported).await;
    // A schema that nobody made does not keep its catalog from being dropped.
    assert_eq!(listed(&server, "admin").await, ["t1"]);
    let catalog = format!("{CATALOGS}/kaf");
    server.done("PATCH", &catalog, json!({"inUse": false})).await;
    assert_eq!(server.done("DELETE", &catalog, None).await["dropped"], true);
}

async fn a_broker_that_falls_silent_in_a_change_ends_it_for_nobody_else(place: Place) {
    let (server, broker) = scene(&place).await;
    broker.make(SILENT);
    let topic = format!("{TOPICS}/{SILENT}");
    let altered = json!({"updates": [{"@type": "setProperty", "property": "a", "value": "b"}]});
    let other = json!({"updates": [{"@type": "updateComment", "newComment": "c"}]});
    let made = json!({"name": format!("{SILENT}-too")});
    let (created, altered, dropped, done) = tokio::join!(
        server.call("admin", "POST", TOPICS, Some(made)),
        server.call("admin", "PUT", &topic, Some(altered)),
        server.call("admin", "DELETE", &topic, None),
        server.call("admin", "PUT", "/api/metalakes/m", Some(other)),
    );
    for (status, answer) in [created, altered, dropped] {
        assert!(
            answer["message"].as_str().unwrap().contains("in time"),
            "{status} {answer}"
        );
    }
    assert_eq!(done.0, 200, "{}", done.1);
    assert_eq!(listed(&server, "admin").await, [SILENT]);
}
