// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What people were told is kept, is there after a restart: secrets of catalogs, users added in bulk, statistics, topics
//! with their owners.

use std::sync::Arc;

use lakeward_catalog::registry::Registry;
use serde_json::{Value, json};

use crate::in_process::{Broker, Database};
use crate::scene::{Place, Server, WITH_AUTHORIZATION, iceberg, on_both_stores};

on_both_stores!(
    secrets_of_catalogs_are_used_and_never_shown,
    users_added_in_bulk_stay,
    statistics_stay,
    topics_keep_comment_and_owner
);

const CATALOGS: &str = "/api/metalakes/m/catalogs";

fn providers(broker: &Broker) -> Registry {
    lakeward_server::providers()
        .with(Arc::new(broker.clone()))
        .with(Arc::new(Database))
}

async fn scene(place: &Place, broker: &Broker) -> Server {
    let server = Server::start_with_providers(place, WITH_AUTHORIZATION, providers(broker)).await;
    server.done("POST", "/api/metalakes", json!({"name": "m"})).await;
    server
}

async fn secrets_of_catalogs_are_used_and_never_shown(place: Place) {
    const SECRET: &str = "jdbc-password";
    let broker = Broker::default();
    let server = scene(&place, &broker).await;
    let providers_of_secrets = server
        .request("GET", "/configs/secrets/providers")
        .send()
        .await
        .unwrap();
    assert_eq!(providers_of_secrets.status(), 200);
    let body: Value = serde_json::from_str(&providers_of_secrets.text().await.unwrap()).unwrap();
    assert_eq!(body, json!({"providers": []}));
    let properties = json!({"jdbc-url": "jdbc:postgresql://127.0.0.1:9/shop", "jdbc-driver": "d",
        "jdbc-database": "shop", "jdbc-user": "someone", "jdbc-password": "x"});
    let new =
        json!({"name": "pg", "type": "RELATIONAL", "provider": "jdbc-postgresql", "properties": properties});
    let shown = json!({"jdbc-url": "jdbc:postgresql://127.0.0.1:9/shop", "jdbc-driver": "d",
        "jdbc-database": "shop", "in-use": "true"});
    let made = server.done("POST", CATALOGS, new).await;
    assert_eq!(made["catalog"]["properties"], shown);
    let server = server.restarted_with_providers(&place, providers(&broker)).await;
    let pg = format!("{CATALOGS}/pg");
    let test = format!("{pg}/testConnection");
    let loaded = server.done("GET", &pg, None).await;
    assert_eq!(loaded["catalog"]["properties"], shown);
    let listed = server
        .done("GET", &format!("{CATALOGS}?details=true"), None)
        .await;
    assert_eq!(listed["catalogs"][0]["properties"], shown);
    // The database takes no other password, so the one that was stored is what it is asked with.
    server.done("POST", &test, None).await;
    let change =
        |value: &str| json!({"updates": [{"@type": "setProperty", "property": SECRET, "value": value}]});
    let altered = server.done("PUT", &pg, change("wrong")).await;
    assert_eq!(altered["catalog"]["properties"], shown);
    let (status, refused) = server.call("admin", "POST", &test, None).await;
    assert_eq!((status, &refused["code"]), (200, &json!(1007)), "{refused}");
    assert!(!refused.to_string().contains("wrong"), "{refused}");
    server.done("PUT", &pg, change("x")).await;
    server.done("POST", &test, None).await;
}

async fn users_added_in_bulk_stay(place: Place) {
    const BULK: &str = "/api/bulk/metalakes/m/users";
    let broker = Broker::default();
    let server = scene(&place, &broker).await;
    let users = json!({"users": [{"name": "ann"}, {"name": "bob", "externalId": "e1", "enabled": false},
        {"name": "admin"}]});
    let added = server.done("POST", &format!("{BULK}/add"), users).await;
    assert_eq!(added["summary"], json!({"total": 3, "succeeded": 2, "failed": 1}));
    assert_eq!(added["errors"][0]["index"], 2);
    let server = server.restarted_with_providers(&place, providers(&broker)).await;
    let bob = server.done("GET", "/api/metalakes/m/users/bob", None).await;
    assert_eq!(
        (&bob["user"]["externalId"], &bob["user"]["enabled"]),
        (&json!("e1"), &json!(false))
    );
    let removed = json!({"names": ["ann", "zz"]});
    let removed = server.done("POST", &format!("{BULK}/remove"), removed).await;
    assert_eq!(removed["names"], json!(["ann"]));
    let server = server.restarted_with_providers(&place, providers(&broker)).await;
    let listed = server.done("GET", "/api/metalakes/m/users", None).await;
    assert_eq!(listed["names"], json!(["admin", "bob"]));
}

async fn statistics_stay(place: Place) {
    const STATISTICS: &str = "/api/metalakes/m/objects/table/ice.s.t/statistics";
    let broker = Broker::default();
    let server = scene(&place, &broker).await;
    server.done("POST", CATALOGS, iceberg("ice")).await;
    let schemas = format!("{CATALOGS}/ice/schemas");
    server.done("POST", &schemas, json!({"name": "s"})).await;
    let table = json!({"name": "t", "columns": [{"name": "id", "type": "long"}]});
    server.done("POST", &format!("{schemas}/s/tables"), table).await;
    let values = json!({"custom-b": true, "custom-d": 1.5, "custom-i": 7, "custom-l": [1, 2], "custom-o": {"a": "b"},
        "custom-s": "x"});
    server
        .done("PUT", STATISTICS, json!({"updates": values.clone()}))
        .await;
    let partitions = format!("{STATISTICS}/partitions");
    let update = json!({"updates": [{"partitionName": "dt=1", "statistics": {"custom-rows": 5}}]});
    server.done("PUT", &partitions, update).await;
    let server = server.restarted_with_providers(&place, providers(&broker)).await;
    let listed = server.done("GET", STATISTICS, None).await;
    let kept: Value = listed["statistics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["name"].as_str().unwrap().to_owned(), one["value"].clone()))
        .collect::<serde_json::Map<_, _>>()
        .into();
    assert_eq!(kept, values);
    let of_partitions = server.done("GET", &partitions, None).await;
    let first = &of_partitions["partitionStatistics"][0];
    assert_eq!(first["partitionName"], "dt=1");
    assert_eq!(first["statistics"][0]["value"], 5);
    let dropped = json!({"names": ["custom-b"]});
    assert_eq!(server.done("POST", STATISTICS, dropped).await["dropped"], true);
}

async fn topics_keep_comment_and_owner(place: Place) {
    let broker = Broker::default();
    let server = scene(&place, &broker).await;
    let kafka = json!({"name": "kaf", "type": "MESSAGING", "provider": "kafka",
        "properties": {"bootstrap.servers": "127.0.0.1:9"}});
    server.done("POST", CATALOGS, kafka).await;
    let topics = format!("{CATALOGS}/kaf/schemas/default/topics");
    let made = server
        .done("POST", &topics, json!({"name": "t1", "comment": "orders"}))
        .await;
    let server = server.restarted_with_providers(&place, providers(&broker)).await;
    let loaded = server.done("GET", &format!("{topics}/t1"), None).await;
    assert_eq!(loaded, made);
    let owner = server
        .done("GET", "/api/metalakes/m/owners/topic/kaf.default.t1", None)
        .await;
    assert_eq!(owner["owner"]["name"], "admin");
}
