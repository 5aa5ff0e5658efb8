// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Commits and files that are made to do harm.

use std::fs;
use std::time::{Duration, Instant};

use super::*;

async fn refused(bench: &Bench, at: &str, updates: Value, part: &str) {
    let error = bench.plan(at, json!([]), updates).await.unwrap_err().to_string();
    assert!(error.contains(part), "{error} should contain {part}");
}

#[tokio::test]
async fn a_detour_over_another_location_brings_no_foreign_file() {
    let bench = Bench::new();
    let at = bench.create("t").await;
    let own = json!({"action": "set-location", "location": format!("{}/ns/t", bench.warehouse())});
    let foreign = json!({"action": "set-location", "location": format!("{}/ns/victim", bench.warehouse())});
    let snapshot = bench.snapshot("victim", 1, None, 1, "append");
    refused(
        &bench,
        &at,
        json!([foreign, snapshot, set_main(1), own]),
        "outside the table's location",
    )
    .await;
    let statistics = json!({"action": "set-statistics", "statistics": {
        "snapshot-id": 1, "statistics-path": format!("{}/ns/victim/metadata/s.puffin", bench.warehouse()),
        "file-size-in-bytes": 1, "file-footer-size-in-bytes": 1, "blob-metadata": []}});
    refused(
        &bench,
        &at,
        json!([foreign, statistics, own]),
        "outside the table's location",
    )
    .await;
}

fn schema_with(id_type: &str) -> Value {
    json!({"action": "add-schema", "schema": {"type": "struct", "fields": [
        {"id": 1, "name": "id", "required": true, "type": id_type},
        {"id": 2, "name": "name", "required": false, "type": "string"},
        {"id": 3, "name": "ts", "required": false, "type": "timestamptz"}]}})
}

#[tokio::test]
async fn an_id_that_a_commit_freed_is_not_used_again_to_hide_a_change() {
    let bench = Bench::new();
    let at = bench.create("t").await;
    let mut longer = schema_with("long");
    longer["schema"]["fields"]
        .as_array_mut()
        .unwrap()
        .push(json!({"id": 4, "name": "more", "required": false, "type": "int"}));
    let last = json!({"action": "set-current-schema", "schema-id": -1});
    let at = bench.commit(&at, json!([longer, last])).await;
    let first = json!({"action": "set-current-schema", "schema-id": 0});
    let remove = json!({"action": "remove-schemas", "schema-ids": [1]});
    refused(
        &bench,
        &at,
        json!([first, remove, schema_with("string"), last]),
        "cannot change column type",
    )
    .await;
    let mut wider = schema_with("long");
    wider["schema"]["fields"][1]["doc"] = json!("another");
    let planned = bench
        .plan(&at, json!([]), json!([first, remove, wider, last]))
        .await
        .unwrap();
    assert_eq!(metadata(&planned)["current-schema-id"], 2);
    let spec = |transform: &str| {
        json!({"action": "add-spec", "spec": {"fields": [
            {"source-id": 1, "transform": transform, "name": "part"}]}})
    };
    let last_spec = json!({"action": "set-default-spec", "spec-id": -1});
    let at = bench.commit(&at, json!([spec("bucket[4]"), last_spec])).await;
    let planned = bench
        .plan(
            &at,
            json!([]),
            json!([
                {"action": "set-default-spec", "spec-id": 0},
                {"action": "remove-partition-specs", "spec-ids": [1]},
                spec("bucket[8]"), last_spec
            ]),
        )
        .await
        .unwrap();
    assert_eq!(metadata(&planned)["default-spec-id"], 2);
}

#[tokio::test]
async fn taking_main_away_and_setting_it_back_hides_no_change_of_the_schema() {
    let bench = Bench::new();
    let at = bench.create("t").await;
    let at = bench
        .commit(
            &at,
            json!([bench.snapshot("t", 1, None, 1, "append"), set_main(1)]),
        )
        .await;
    refused(
        &bench,
        &at,
        json!([
            {"action": "remove-snapshot-ref", "ref-name": "main"},
            schema_with("string"), {"action": "set-current-schema", "schema-id": -1},
            set_main(1)
        ]),
        "cannot change column type",
    )
    .await;
}

#[tokio::test]
async fn a_partition_field_id_stands_for_one_value() {
    let bench = Bench::new();
    let at = bench.create("t").await;
    let spec = |source: i32, id: i64, transform: &str| {
        json!({"action": "add-spec", "spec": {"fields": [
            {"source-id": source, "field-id": id, "transform": transform, "name": "part"}]}})
    };
    for update in [
        spec(1, 1000, "bucket[4]"),
        spec(3, 1000, "hour"),
        spec(1, -7, "bucket[4]"),
        spec(1, 0, "bucket[4]"),
    ] {
        refused(&bench, &at, json!([update]), "cannot have the id").await;
    }
    bench.commit(&at, json!([spec(3, 1000, "void")])).await;
    // The highest id there is: what follows finds none, and an equal field still gets its own.
    let last = i64::from(i32::MAX);
    let at = bench.commit(&at, json!([spec(1, last, "bucket[4]")])).await;
    let next = |transform: &str| {
        json!([{"action": "add-spec", "spec": {"fields": [
            {"source-id": 1, "transform": transform, "name": "other"}]}}])
    };
    refused(&bench, &at, next("bucket[8]"), "used up").await;
    let at = bench.commit(&at, next("bucket[4]")).await;
    assert_eq!(
        bench.metadata(&at).await["partition-specs"][2]["fields"][0]["field-id"],
        last
    );
}

#[tokio::test]
async fn a_log_that_names_foreign_files_deletes_none() {
    let mut bench = Bench::new();
    let victim = bench.create("victim").await;
    let properties = Properties::from([
        ("warehouse".to_owned(), bench.warehouse()),
        ("lakeward.allowed-locations".to_owned(), bench.warehouse()),
    ]);
    let context = CatalogContext {
        metalake: "m".to_owned(),
        catalog: "ice".to_owned(),
        default_warehouse_root: None,
    };
    bench.provider = IcebergFactory::default().connect(&context, &properties).unwrap();
    let mut evil = bench.metadata(&victim).await;
    evil["location"] = json!(format!("{}/ns/evil", bench.warehouse()));
    evil["metadata-log"] = json!([{"timestamp-ms": 1, "metadata-file": victim}]);
    evil["properties"] = json!({
        "write.metadata.previous-versions-max": "1", "write.metadata.delete-after-commit.enabled": "true"});
    let folder = bench.folder.path().join("w/ns/evil/metadata");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("v1.json"), evil.to_string()).unwrap();
    let at = format!("file://{}/v1.json", folder.display());
    bench.tables().plan_register(&at).await.unwrap();
    let planned = bench
        .plan(
            &at,
            json!([]),
            json!([{"action": "set-properties", "updates": {"a": "b"}}]),
        )
        .await
        .unwrap();
    assert_eq!(planned.expired_metadata, std::slice::from_ref(&victim));
    bench.tables().remove_expired(&planned).await;
    assert!(fs::exists(victim.trim_start_matches("file://")).unwrap());
}

#[tokio::test]
async fn what_would_take_hours_is_refused_or_quick() {
    let bench = Bench::new();
    let at = bench.create("t").await;
    let started = Instant::now();
    let many: Vec<Value> = (0..20_001)
        .map(|_| json!({"action": "remove-properties", "removals": []}))
        .collect();
    refused(&bench, &at, Value::Array(many), "at most 20000 updates").await;
    refused(
        &bench,
        &at,
        Value::Array(vec![schema_with("long"); 501]),
        "at most 500",
    )
    .await;
    let fields: Vec<Value> = (0..1001)
        .map(|width| json!({"source-id": 2, "transform": format!("truncate[{}]", width + 1), "name": format!("p{width}")}))
        .collect();
    refused(
        &bench,
        &at,
        json!([{"action": "add-spec", "spec": {"fields": fields}}]),
        "more than 1000 fields",
    )
    .await;
    let columns: Vec<Value> = (1..20_000)
        .map(|id| json!({"id": id, "name": format!("c{id}"), "required": false, "type": "long"}))
        .collect();
    let ids: Vec<i64> = (0..100_000).collect();
    bench
        .plan(
            &at,
            json!([]),
            json!([
                {"action": "remove-snapshot-ref", "ref-name": "main"},
                {"action": "set-default-spec", "spec-id": 0},
                {"action": "remove-snapshots", "snapshot-ids": ids},
                {"action": "add-schema", "schema": {"type": "struct", "fields": columns}},
            ]),
        )
        .await
        .unwrap();
    assert!(
        started.elapsed() < Duration::from_secs(300),
        "{:?}",
        started.elapsed()
    );
}

#[tokio::test]
async fn times_at_the_end_of_numbers_are_refused_and_break_nothing() {
    let bench = Bench::new();
    let at = bench.create("t").await;
    for time in [i64::MIN, -1, i64::MAX] {
        let mut snapshot = bench.snapshot("t", 1, None, 1, "append");
        snapshot["snapshot"]["timestamp-ms"] = json!(time);
        let part = if time < 0 {
            "lies more than a minute before"
        } else {
            "not between the years"
        };
        refused(&bench, &at, json!([snapshot, set_main(1)]), part).await;
        let mut first = bench.metadata(&at).await;
        first["last-updated-ms"] = json!(time);
        let file = bench.folder.path().join(format!("w/ns/t/metadata/{time}.json"));
        fs::write(&file, first.to_string()).unwrap();
        let registered = bench
            .tables()
            .plan_register(&format!("file://{}", file.display()))
            .await;
        let error = registered.unwrap_err().to_string();
        assert!(error.contains("not between the years"), "{error}");
    }
}

#[tokio::test]
async fn a_table_of_version_1_with_rows_is_upgraded() {
    let bench = Bench::new();
    let mut wanted = creation();
    wanted
        .properties
        .insert("format-version".to_owned(), "1".to_owned());
    let planned = bench.tables().plan_create(&place("t"), &wanted).unwrap();
    bench.tables().write(&planned).await.unwrap();
    let mut snapshot = bench.snapshot("t", 1, None, 0, "append");
    snapshot["snapshot"]
        .as_object_mut()
        .unwrap()
        .shift_remove("sequence-number");
    let at = bench
        .commit(&location(&planned), json!([snapshot, set_main(1)]))
        .await;
    let at = bench
        .commit(
            &at,
            json!([{"action": "upgrade-format-version", "format-version": 2}]),
        )
        .await;
    assert_eq!(bench.metadata(&at).await["snapshots"][0]["sequence-number"], 0);
}
