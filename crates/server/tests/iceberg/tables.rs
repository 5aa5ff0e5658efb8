// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables, in the order of the recording.

use serde_json::{Value, json};

use crate::harness::{ADMIN, NONE, Server, creation, set_property};

const TABLES: &str = "/ice/namespaces/n1/tables";

#[tokio::test]
async fn tables_live_as_recorded() {
    let server = Server::start().await;
    server.namespace("n1").await;
    let made = server.table("n1", "t1").await;
    let etag = made.header("etag").to_owned();
    assert_eq!(made.body["metadata"]["format-version"], 2);
    assert_eq!(made.body["metadata"]["current-snapshot-id"], -1);
    server
        .ask("POST", TABLES, creation("t1"))
        .await
        .fails(409, "AlreadyExistsException");
    server
        .ask("POST", "/ice/namespaces/none/tables", creation("t"))
        .await
        .fails(404, "NoSuchNamespaceException");
    let list = server.ask("GET", TABLES, NONE).await.is(200);
    assert_eq!(
        list.body,
        json!({"identifiers": [{"namespace": ["n1"], "name": "t1"}], "next-page-token": null})
    );
    let path = format!("{TABLES}/t1");
    let loaded = server.ask("GET", &path, NONE).await.is(200);
    assert_eq!(loaded.body, made.body);
    assert_eq!(loaded.header("etag"), etag);
    assert_eq!(loaded.header("cache-control"), "private, no-cache");
    assert!(loaded.header("vary").contains("X-Gravitino-Client-Capabilities"));
    server
        .ask("GET", &format!("{TABLES}/none"), NONE)
        .await
        .fails(404, "NoSuchTableException");
    server.ask("HEAD", &path, NONE).await.is(204);
    server.ask("HEAD", &format!("{TABLES}/none"), NONE).await.is(404);
    let credentials = server
        .ask("GET", &format!("{path}/credentials"), NONE)
        .await
        .is(200);
    assert_eq!(credentials.body, json!({"storage-credentials": []}));
    let report = json!({"report-type": "commit-report", "table-name": "t1", "snapshot-id": 1, "sequence-number": 1,
        "operation": "append", "metrics": {}});
    server
        .ask("POST", &format!("{path}/metrics"), report)
        .await
        .is(204);
    // Metadata tables are probed as tables of a namespace of the table's name; clients go on only after this answer.
    server
        .ask("GET", "/ice/namespaces/n1%1Ft1/tables/snapshots", NONE)
        .await
        .fails(404, "NoSuchTableException");

    let committed = server.ask("POST", &path, set_property("x", "y")).await.is(200);
    assert_eq!(committed.body["metadata"]["properties"]["x"], "y");
    assert_ne!(committed.header("etag"), etag);
    assert_ne!(
        committed.body["metadata-location"],
        made.body["metadata-location"]
    );
    let bad = json!({"requirements": [{"type": "assert-table-uuid", "uuid": "00000000-0000-0000-0000-000000000000"}], "updates": []});
    server
        .ask("POST", &path, bad)
        .await
        .fails(409, "CommitFailedException");
    let column = json!({"requirements": [{"type": "assert-current-schema-id", "current-schema-id": 0}], "updates": [
        {"action": "add-schema", "last-column-id": 4, "schema": {"type": "struct", "schema-id": 1, "fields": [
            {"id": 1, "name": "id", "required": true, "type": "long"},
            {"id": 2, "name": "name", "required": false, "type": "string"},
            {"id": 3, "name": "ts", "required": false, "type": "timestamptz"},
            {"id": 4, "name": "c", "required": false, "type": "int"}]}},
        {"action": "set-current-schema", "schema-id": -1}]});
    server.ask("POST", &path, column.clone()).await.is(200);
    server
        .ask("POST", &path, column)
        .await
        .fails(409, "CommitFailedException");
    let explode = json!({"requirements": [], "updates": [{"action": "explode"}]});
    server
        .ask("POST", &path, explode)
        .await
        .fails(406, "UnsupportedOperationException");
    let narrow = json!({"requirements": [], "updates": [
        {"action": "add-schema", "schema": {"type": "struct", "schema-id": 1, "fields": [
            {"id": 1, "name": "id", "required": true, "type": "string"}]}},
        {"action": "set-current-schema", "schema-id": -1}]});
    server
        .ask("POST", &path, narrow)
        .await
        .fails(400, "BadRequestException");
    let create = json!({"requirements": [{"type": "assert-create"}], "updates": []});
    server
        .ask("POST", &path, create)
        .await
        .fails(409, "CommitFailedException");
    let nothing = set_property("x", "y");
    server
        .ask("POST", &format!("{TABLES}/none"), nothing)
        .await
        .fails(404, "NoSuchTableException");
}

#[tokio::test]
async fn tables_are_renamed_dropped_and_registered() {
    let server = Server::start().await;
    server.namespace("n1").await;
    server.namespace("n2").await;
    let made = server.table("n1", "t1").await;
    let rename = |from: (&str, &str), to: (&str, &str)| json!({"source": {"namespace": [from.0], "name": from.1}, "destination": {"namespace": [to.0], "name": to.1}});
    let path = "/ice/tables/rename";
    server
        .ask("POST", path, rename(("n1", "t1"), ("n1", "t1b")))
        .await
        .is(204);
    server
        .ask("POST", path, rename(("n1", "zz"), ("n1", "t1c")))
        .await
        .fails(404, "NoSuchTableException");
    // The old name is free, and its default place is still the renamed table's.
    let again = server.table("n1", "t1").await;
    assert_ne!(
        again.body["metadata"]["location"],
        made.body["metadata"]["location"]
    );
    server
        .ask("POST", path, rename(("n1", "t1b"), ("n1", "t1")))
        .await
        .fails(409, "AlreadyExistsException");
    server
        .ask("POST", path, rename(("n1", "t1b"), ("n9", "t")))
        .await
        .fails(404, "NoSuchNamespaceException");
    server
        .ask("POST", path, rename(("n1", "t1b"), ("n2", "moved")))
        .await
        .is(204);
    server
        .ask("GET", "/ice/namespaces/n1/tables/t1b", NONE)
        .await
        .fails(404, "NoSuchTableException");
    let moved = server
        .ask("GET", "/ice/namespaces/n2/tables/moved", NONE)
        .await
        .is(200);
    assert_eq!(moved.body["metadata-location"], made.body["metadata-location"]);
    let owner = server
        .native(ADMIN, "GET", "/metalakes/m/owners/table/ice.n2.moved", NONE)
        .await
        .is(200);
    assert_eq!(owner.body["owner"]["name"], ADMIN);

    server
        .ask("DELETE", "/ice/namespaces/n2/tables/moved", NONE)
        .await
        .is(204);
    server
        .ask("DELETE", "/ice/namespaces/n2/tables/moved", NONE)
        .await
        .fails(404, "NoSuchTableException");
    let register = |name: &str, location: &Value| json!({"name": name, "metadata-location": location});
    let path = "/ice/namespaces/n2/register";
    let location = &made.body["metadata-location"];
    let back = server.ask("POST", path, register("reg", location)).await.is(200);
    assert_eq!(back.body["metadata"], made.body["metadata"]);
    server
        .ask("POST", path, register("reg", location))
        .await
        .fails(409, "AlreadyExistsException");
    // A second table over the same files is none.
    server
        .ask("POST", path, register("reg2", location))
        .await
        .fails(400, "BadRequestException");
    server
        .ask("POST", path, register("reg3", &json!("file:///etc/hostname")))
        .await
        .fails(400, "BadRequestException");
    server
        .ask(
            "DELETE",
            "/ice/namespaces/n2/tables/reg?purgeRequested=true",
            NONE,
        )
        .await
        .is(204);
    let file = location
        .as_str()
        .expect("a location")
        .trim_start_matches("file://");
    assert!(!std::path::Path::new(file).exists(), "purged");
}

#[tokio::test]
async fn a_staged_table_is_nothing_until_its_commit() {
    let server = Server::start().await;
    server.namespace("n1").await;
    let mut staged = creation("st");
    staged["stage-create"] = json!(true);
    let staged = server.ask("POST", TABLES, staged).await.is(200);
    assert!(staged.body.get("metadata-location").is_none());
    let list = server.ask("GET", TABLES, NONE).await.is(200);
    assert_eq!(list.body["identifiers"], json!([]));
    server
        .ask("GET", &format!("{TABLES}/st"), NONE)
        .await
        .fails(404, "NoSuchTableException");
    let metadata = &staged.body["metadata"];
    let commit = json!({"requirements": [{"type": "assert-create"}], "updates": [
        {"action": "assign-uuid", "uuid": metadata["table-uuid"]},
        {"action": "upgrade-format-version", "format-version": 2},
        {"action": "add-schema", "schema": metadata["schemas"][0], "last-column-id": 3},
        {"action": "set-current-schema", "schema-id": -1},
        {"action": "add-spec", "spec": metadata["partition-specs"][0]},
        {"action": "set-default-spec", "spec-id": -1},
        {"action": "add-sort-order", "sort-order": metadata["sort-orders"][0]},
        {"action": "set-default-sort-order", "sort-order-id": -1},
        {"action": "set-location", "location": metadata["location"]},
        {"action": "set-properties", "updates": {"made": "staged"}}]});
    let made = server
        .ask("POST", &format!("{TABLES}/st"), commit.clone())
        .await
        .is(200);
    assert_eq!(made.body["metadata"]["table-uuid"], metadata["table-uuid"]);
    server
        .ask("POST", &format!("{TABLES}/st"), commit)
        .await
        .fails(409, "CommitFailedException");
    server.ask("GET", &format!("{TABLES}/st"), NONE).await.is(200);
}

#[tokio::test]
async fn a_table_whose_metadata_is_lost_can_be_dropped() {
    let server = Server::start().await;
    server.namespace("n1").await;
    let made = server.table("n1", "t1").await;
    let location = made.body["metadata-location"].as_str().expect("a location");
    std::fs::remove_file(location.trim_start_matches("file://")).expect("the file was there");
    // Another catalog instance, which has not read the file.
    let update = json!({"updates": [{"@type": "setProperty", "property": "uri", "value": "x"}]});
    server
        .native(ADMIN, "PUT", "/metalakes/m/catalogs/ice", update)
        .await
        .is(200);
    let path = format!("{TABLES}/t1");
    server
        .ask("GET", &path, NONE)
        .await
        .fails(503, "ServiceUnavailableException");
    server
        .ask("DELETE", &format!("{path}?purgeRequested=true"), NONE)
        .await
        .fails(503, "ServiceUnavailableException");
    server.ask("DELETE", &path, NONE).await.is(204);
    server
        .ask("GET", &path, NONE)
        .await
        .fails(404, "NoSuchTableException");
}

#[tokio::test]
async fn locations_are_policed() {
    let server = Server::start().await;
    server.namespace("n1").await;
    let first = server.table("n1", "t1").await;
    let taken = first.body["metadata"]["location"]
        .as_str()
        .expect("a location")
        .to_owned();
    let refused = async |location: String| {
        let mut body = creation("t2");
        body["location"] = json!(location);
        server
            .ask("POST", TABLES, body)
            .await
            .fails(400, "BadRequestException");
    };
    refused(taken.clone()).await;
    refused(format!("{taken}/inside")).await;
    refused(format!("{taken}/../t9")).await;
    refused("file:///etc/lakeward".to_owned()).await;
    refused(format!("{taken}2//x")).await;
    refused("gs://bucket/x".to_owned()).await;
    refused(taken.rsplit_once('/').expect("a parent").0.to_owned()).await;
    let mut beside = creation("t2");
    beside["location"] = json!(format!("{taken}2"));
    server.ask("POST", TABLES, beside).await.is(200);
    let moves = json!({"requirements": [], "updates": [{"action": "set-location", "location": format!("{taken}/x")}]});
    server
        .ask("POST", &format!("{TABLES}/t2"), moves)
        .await
        .fails(400, "BadRequestException");
    let free =
        json!({"requirements": [], "updates": [{"action": "set-location", "location": format!("{taken}3")}]});
    server.ask("POST", &format!("{TABLES}/t2"), free).await.is(200);
}

#[tokio::test]
async fn snapshots_and_conditional_loads() {
    let server = Server::start().await;
    server.namespace("n1").await;
    let made = server.table("n1", "t").await;
    let root = made.body["metadata"]["location"]
        .as_str()
        .expect("a location")
        .to_owned();
    let path = format!("{TABLES}/t");
    let add = |id: i64, parent: Option<i64>| {
        json!({"requirements": [], "updates": [
            {"action": "add-snapshot", "snapshot": {
                "snapshot-id": id, "parent-snapshot-id": parent, "sequence-number": id, "schema-id": 0,
                "timestamp-ms": 1_900_000_000_000_i64 + id, "manifest-list": format!("{root}/metadata/{id}.avro"),
                "summary": {"operation": "append"}}},
            {"action": "set-snapshot-ref", "ref-name": "main", "type": "branch", "snapshot-id": id}]})
    };
    server.ask("POST", &path, add(1, None)).await.is(200);
    server.ask("POST", &path, add(2, Some(1))).await.is(200);
    let all = server.ask("GET", &path, NONE).await.is(200);
    let refs = server
        .ask("GET", &format!("{path}?snapshots=refs"), NONE)
        .await
        .is(200);
    assert_eq!(
        all.body["metadata"]["snapshots"]
            .as_array()
            .expect("a list")
            .len(),
        2
    );
    assert_eq!(
        refs.body["metadata"]["snapshots"]
            .as_array()
            .expect("a list")
            .len(),
        1
    );
    assert_eq!(refs.body["metadata-location"], all.body["metadata-location"]);
    assert_eq!(refs.body["metadata"]["refs"], all.body["metadata"]["refs"]);
    assert_ne!(refs.header("etag"), all.header("etag"));
    server
        .ask("GET", &format!("{path}?snapshots=some"), NONE)
        .await
        .fails(400, "BadRequestException");

    let held = server
        .ask_with(
            ADMIN,
            "GET",
            &path,
            NONE,
            &[("If-None-Match", all.header("etag"))],
        )
        .await
        .is(304);
    assert_eq!(held.body, NONE);
    assert_eq!(held.header("etag"), all.header("etag"));
    for other in [refs.header("etag"), "*", "\"x\"", ""] {
        server
            .ask_with(ADMIN, "GET", &path, NONE, &[("If-None-Match", other)])
            .await
            .is(200);
    }
    let delegated = server
        .ask_with(
            ADMIN,
            "GET",
            &path,
            NONE,
            &[("X-Iceberg-Access-Delegation", "vended-credentials")],
        )
        .await
        .is(200);
    assert_ne!(delegated.header("etag"), all.header("etag"));
    server
        .ask_with(
            ADMIN,
            "GET",
            &path,
            NONE,
            &[("X-Iceberg-Access-Delegation", "remote-signing")],
        )
        .await
        .fails(406, "UnsupportedOperationException");
}

#[tokio::test]
async fn a_renamed_catalog_keeps_its_tables() {
    let server = Server::start().await;
    server.namespace("n1").await;
    let made = server.table("n1", "t").await;
    let rename = json!({"updates": [{"@type": "rename", "newName": "other"}]});
    server
        .native(ADMIN, "PUT", "/metalakes/m/catalogs/ice", rename)
        .await
        .is(200);
    let path = "/other/namespaces/n1/tables/t";
    let loaded = server.ask("GET", path, NONE).await.is(200);
    assert_eq!(loaded.body["metadata-location"], made.body["metadata-location"]);
    server.ask("POST", path, set_property("a", "b")).await.is(200);
    server
        .ask("GET", "/ice/namespaces", NONE)
        .await
        .fails(404, "NoSuchCatalogException");
}
