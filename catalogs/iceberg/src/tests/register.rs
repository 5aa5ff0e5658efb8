// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Registering metadata files, and purging tables.

use std::fs;

use super::*;

#[tokio::test]
async fn a_dropped_table_is_registered_again() {
    let bench = Bench::new();
    let at = bench.create("t").await;
    let planned = bench.tables().plan_register(&at).await.unwrap();
    assert_eq!(location(&planned), at);
    assert!(planned.location_is_new && planned.file_exists);
    bench.tables().write(&planned).await.unwrap();
    bench.tables().discard(&planned).await;
    assert!(
        bench.tables().load(MetadataFile::at(&at)).await.is_ok(),
        "a registered file is not ours to delete"
    );
}

#[tokio::test]
async fn what_is_no_metadata_of_this_catalog_is_refused() {
    let bench = Bench::new();
    let at = bench.create("t").await;
    let mut hand_made = bench.metadata(&at).await;
    let check = async |location: &str, part: &str| {
        let error = bench
            .tables()
            .plan_register(location)
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{error} should contain {part}");
    };
    check(
        &format!("{}/ns/t/none.json", bench.warehouse()),
        "not a valid metadata file",
    )
    .await;
    check("file:///etc/hostname", "is refused").await;
    let write = |name: &str, text: &str| {
        let folder = bench.folder.path().join("w/ns/evil/metadata");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(name), text).unwrap();
        format!("file://{}/{name}", folder.display())
    };
    check(&write("text.json", "not json"), "not a valid metadata file").await;
    check(&write("list.json", "[]"), "not a valid metadata file").await;
    // Metadata that lies elsewhere than the table it speaks of.
    check(
        &write("other.json", &hand_made.to_string()),
        "outside the table's location",
    )
    .await;
    // A table made of another table's files.
    hand_made["location"] = json!(format!("{}/ns/evil", bench.warehouse()));
    hand_made["current-snapshot-id"] = json!(1);
    hand_made["snapshots"] = json!([bench.snapshot("t", 1, None, 1, "append")["snapshot"]]);
    hand_made["refs"] = json!({"main": {"snapshot-id": 1, "type": "branch"}});
    check(
        &write("stolen.json", &hand_made.to_string()),
        "outside the table's location",
    )
    .await;
}

#[tokio::test]
async fn purge_deletes_what_metadata_names_inside_the_table() {
    let bench = Bench::new();
    let first = bench.create("t").await;
    let second = bench
        .commit(
            &first,
            json!([{"action": "set-properties", "updates": {"a": "b"}}]),
        )
        .await;
    let other = bench.create("other").await;
    let stray = bench.folder.path().join("w/ns/t/data.parquet");
    fs::write(&stray, b"not named by metadata").unwrap();
    bench.tables().purge(MetadataFile::at(&second)).await.unwrap();
    for file in [&first, &second] {
        assert!(!fs::exists(file.trim_start_matches("file://")).unwrap(), "{file}");
    }
    assert!(stray.exists(), "only files that metadata names are deleted");
    assert!(bench.tables().load(MetadataFile::at(&other)).await.is_ok());
}

#[tokio::test]
async fn old_tables_without_later_members_are_read() {
    let bench = Bench::new();
    let folder = bench.folder.path().join("w/ns/old/metadata");
    fs::create_dir_all(&folder).unwrap();
    let text = json!({
        "format-version": 1, "location": format!("{}/ns/old", bench.warehouse()), "last-updated-ms": 1, "last-column-id": 1,
        "schema": {"type": "struct", "fields": [{"id": 1, "name": "x", "required": false, "type": "int"}]},
        "partition-spec": [{"name": "x", "transform": "identity", "source-id": 1}],
        "properties": {}, "current-snapshot-id": -1, "snapshots": [], "x-future": {"kept": true}
    });
    fs::write(folder.join("v1.metadata.json"), text.to_string()).unwrap();
    let at = format!("file://{}/v1.metadata.json", folder.display());
    let facts = bench
        .tables()
        .load(MetadataFile::at(&at))
        .await
        .unwrap()
        .map_ref(|table| table.metadata.facts().clone());
    assert_eq!(facts.fields.len(), 1);
    let new = bench
        .commit(&at, json!([{"action": "set-properties", "updates": {"a": "b"}}]))
        .await;
    let found = bench.metadata(&new).await;
    assert_eq!(found["table-uuid"], facts.uuid, "the stand-in identity is kept");
    assert_eq!(found["x-future"], json!({"kept": true}));
    assert_eq!(found["partition-specs"][0]["fields"][0]["field-id"], 1000);
    assert_eq!(found["metadata-log"][0]["metadata-file"], at);
}
