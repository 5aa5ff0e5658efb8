// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every requirement and every update of the protocol.

use lakeward_catalog::table_catalog::CommitEffect;

use super::*;

#[tokio::test]
async fn a_new_table_looks_as_recorded() {
    let bench = Bench::new();
    let at = bench.create("t1").await;
    assert!(
        at.contains("/w/ns/t1/metadata/00000-") && at.ends_with(".metadata.json"),
        "{at}"
    );
    let mut found = bench.metadata(&at).await;
    let members = found.as_object_mut().unwrap();
    members.remove("table-uuid").unwrap();
    members.remove("last-updated-ms").unwrap();
    let names: Vec<&str> = members.keys().map(String::as_str).collect();
    assert_eq!(names.len(), 19, "{names:?}");
    assert_eq!(
        found,
        json!({
            "format-version": 2, "location": format!("{}/ns/t1", bench.warehouse()), "last-sequence-number": 0,
            "last-column-id": 3, "current-schema-id": 0,
            "schemas": [{"type": "struct", "schema-id": 0, "fields": [
                {"id": 1, "name": "id", "required": true, "type": "long"},
                {"id": 2, "name": "name", "required": false, "type": "string"},
                {"id": 3, "name": "ts", "required": false, "type": "timestamptz"}]}],
            "default-spec-id": 0,
            "partition-specs": [{"spec-id": 0, "fields": [
                {"name": "ts_day", "transform": "day", "source-id": 3, "field-id": 1000}]}],
            "last-partition-id": 1000, "default-sort-order-id": 0,
            "sort-orders": [{"order-id": 0, "fields": []}],
            "properties": {"p": "q", "write.parquet.compression-codec": "zstd"},
            "current-snapshot-id": -1, "refs": {}, "snapshots": [], "statistics": [],
            "partition-statistics": [], "snapshot-log": [], "metadata-log": []
        })
    );
}

#[tokio::test]
async fn requirements_hold_or_nothing_happens() {
    let bench = Bench::new();
    let at = bench.create("t").await;
    let uuid = bench.metadata(&at).await["table-uuid"].clone();
    let check = async |requirement: Value, expected: Result<(), &str>| {
        let outcome = bench.plan(&at, json!([requirement]), json!([])).await;
        match (outcome, expected) {
            (Ok(_), Ok(())) => {}
            (Err(error), Err(part)) => {
                assert!(error.to_string().contains(part), "{error} should contain {part}");
            }
            (outcome, expected) => panic!("{requirement}: {outcome:?}, expected {expected:?}"),
        }
    };
    check(json!({"type": "assert-table-uuid", "uuid": uuid}), Ok(())).await;
    check(
        json!({"type": "assert-table-uuid", "uuid": "00000000-0000-0000-0000-000000000000"}),
        Err("Requirement failed"),
    )
    .await;
    check(json!({"type": "assert-create"}), Err("already exists")).await;
    check(
        json!({"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": null}),
        Ok(()),
    )
    .await;
    check(json!({"type": "assert-ref-snapshot-id", "ref": "main"}), Ok(())).await;
    check(
        json!({"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": 7}),
        Err("is missing"),
    )
    .await;
    for (kind, member, right) in [
        ("assert-last-assigned-field-id", "last-assigned-field-id", 3),
        ("assert-current-schema-id", "current-schema-id", 0),
        (
            "assert-last-assigned-partition-id",
            "last-assigned-partition-id",
            1000,
        ),
        ("assert-default-spec-id", "default-spec-id", 0),
        ("assert-default-sort-order-id", "default-sort-order-id", 0),
    ] {
        check(json!({"type": kind, member: right}), Ok(())).await;
        check(
            json!({"type": kind, member: right + 1}),
            Err("changed: expected id"),
        )
        .await;
        check(json!({"type": kind}), Err("is missing")).await;
    }
    check(json!({"type": "assert-moon"}), Err("not a known requirement")).await;
    check(json!({}), Err("has no `type`")).await;
}

#[tokio::test]
async fn appends_are_recorded_and_history_is_kept() {
    let bench = Bench::new();
    let first = bench.create("t").await;
    let planned = bench
        .plan(
            &first,
            json!([{"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": null}]),
            json!([bench.snapshot("t", 10, None, 1, "append"), set_main(10)]),
        )
        .await
        .unwrap();
    assert_eq!(planned.effect, CommitEffect::AppendsOnly);
    assert!(!planned.location_is_new);
    bench.tables().write(&planned).await.unwrap();
    let second = location(&planned);
    assert!(second.contains("/00001-"), "{second}");
    let found = bench.metadata(&second).await;
    assert_eq!(found["current-snapshot-id"], 10);
    assert_eq!(found["last-sequence-number"], 1);
    assert_eq!(
        found["refs"]["main"],
        json!({"snapshot-id": 10, "type": "branch"})
    );
    assert_eq!(found["snapshot-log"][0]["snapshot-id"], 10);
    assert_eq!(found["metadata-log"][0]["metadata-file"], first);
    assert_eq!(found["last-updated-ms"], found["snapshots"][0]["timestamp-ms"]);

    let stale = bench
        .plan(
            &second,
            json!([]),
            json!([bench.snapshot("t", 11, Some(10), 1, "append")]),
        )
        .await;
    assert!(
        stale.unwrap_err().to_string().contains("sequence number"),
        "stale"
    );
    let twice = bench
        .plan(
            &second,
            json!([]),
            json!([bench.snapshot("t", 10, None, 2, "append")]),
        )
        .await;
    assert!(twice.unwrap_err().to_string().contains("exists already"));
    let elsewhere = bench
        .plan(
            &second,
            json!([]),
            json!([bench.snapshot("other", 12, None, 2, "append")]),
        )
        .await;
    assert!(matches!(elsewhere, Err(CatalogError::LocationRefused(_))));
    for operation in ["overwrite", "delete", "replace"] {
        let planned = bench
            .plan(
                &second,
                json!([]),
                json!([bench.snapshot("t", 13, Some(10), 2, operation), set_main(13)]),
            )
            .await
            .unwrap();
        assert_eq!(planned.effect, CommitEffect::Changes, "{operation}");
    }
    // A snapshot that claims to append but does not build on the current one is no append.
    let aside = bench
        .plan(
            &second,
            json!([]),
            json!([bench.snapshot("t", 14, None, 2, "append"), set_main(14)]),
        )
        .await
        .unwrap();
    assert_eq!(aside.effect, CommitEffect::Changes);
}

#[tokio::test]
async fn snapshots_branches_and_tags() {
    let bench = Bench::new();
    let at = bench.create("t").await;
    let at = bench
        .commit(
            &at,
            json!([bench.snapshot("t", 1, None, 1, "append"), set_main(1)]),
        )
        .await;
    let at = bench
        .commit(
            &at,
            json!([
                bench.snapshot("t", 2, Some(1), 2, "append"),
                set_main(2),
                {"action": "set-snapshot-ref", "ref-name": "old", "type": "tag", "snapshot-id": 1, "max-ref-age-ms": 5},
                {"action": "set-statistics", "statistics": {"snapshot-id": 1,
                    "statistics-path": format!("{}/ns/t/metadata/s.puffin", bench.warehouse()),
                    "file-size-in-bytes": 1, "file-footer-size-in-bytes": 1, "blob-metadata": []}},
                {"action": "set-partition-statistics", "partition-statistics": {"snapshot-id": 1,
                    "statistics-path": format!("{}/ns/t/metadata/p.parquet", bench.warehouse()), "file-size-in-bytes": 1}},
            ]),
        )
        .await;
    let found = bench.metadata(&at).await;
    assert_eq!(
        found["refs"]["old"],
        json!({"snapshot-id": 1, "type": "tag", "max-ref-age-ms": 5})
    );
    assert_eq!(found["statistics"].as_array().unwrap().len(), 1);

    let refuse = async |update: Value, part: &str| {
        let error = bench
            .plan(&at, json!([]), json!([update]))
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{error} should contain {part}");
    };
    refuse(
        json!({"action": "remove-snapshots", "snapshot-ids": [2]}),
        "is the current one",
    )
    .await;
    refuse(
        json!({"action": "set-snapshot-ref", "ref-name": "x", "type": "branch", "snapshot-id": 9}),
        "unknown snapshot",
    )
    .await;
    refuse(
        json!({"action": "set-snapshot-ref", "ref-name": "main", "type": "tag", "snapshot-id": 1}),
        "cannot be a tag",
    )
    .await;
    refuse(json!({"action": "set-snapshot-ref", "ref-name": "x", "type": "tag", "snapshot-id": 1, "min-snapshots-to-keep": 1}), "min-snapshots-to-keep").await;

    let at = bench
        .commit(&at, json!([{"action": "remove-snapshots", "snapshot-ids": [1]}]))
        .await;
    let found = bench.metadata(&at).await;
    assert_eq!(found["snapshots"].as_array().unwrap().len(), 1);
    assert!(found["refs"].get("old").is_none());
    assert_eq!(found["statistics"], json!([]));
    assert_eq!(found["snapshot-log"].as_array().unwrap().len(), 1);
    let at = bench
        .commit(
            &at,
            json!([{"action": "remove-snapshot-ref", "ref-name": "main"}]),
        )
        .await;
    let found = bench.metadata(&at).await;
    assert_eq!(found["current-snapshot-id"], -1);
    assert_eq!(
        found["snapshot-log"].as_array().unwrap().len(),
        1,
        "history stays"
    );
}

#[tokio::test]
async fn properties_location_and_identity() {
    let bench = Bench::new();
    let at = bench.create("t").await;
    let uuid = bench.metadata(&at).await["table-uuid"].clone();
    let moved = format!("{}/ns/elsewhere", bench.warehouse());
    let planned = bench
        .plan(
            &at,
            json!([]),
            json!([
                {"action": "assign-uuid", "uuid": uuid},
                {"action": "set-properties", "updates": {"x": "y"}},
                {"action": "remove-properties", "removals": ["p", "missing"]},
                {"action": "set-location", "location": moved},
            ]),
        )
        .await
        .unwrap();
    assert!(planned.location_is_new);
    let found = metadata(&planned);
    assert_eq!(
        found["properties"],
        json!({"write.parquet.compression-codec": "zstd", "x": "y"})
    );
    assert_eq!(found["location"], moved);
    let refuse = async |update: Value, part: &str| {
        let error = bench
            .plan(&at, json!([]), json!([update]))
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{error} should contain {part}");
    };
    refuse(
        json!({"action": "assign-uuid", "uuid": "11111111-1111-1111-1111-111111111111"}),
        "cannot be changed",
    )
    .await;
    refuse(
        json!({"action": "set-location", "location": "file:///etc/x"}),
        "is refused",
    )
    .await;
    refuse(
        json!({"action": "set-location", "location": format!("{moved}/../../..")}),
        "`..`",
    )
    .await;
    refuse(
        json!({"action": "set-properties", "updates": {"format-version": "3"}}),
        "reserved",
    )
    .await;
    refuse(
        json!({"action": "set-properties", "updates": {"a": 1}}),
        "no text",
    )
    .await;
    refuse(
        json!({"action": "set-properties", "updates": {"write.data.path": "file:///etc"}}),
        "outside the table",
    )
    .await;
    refuse(json!({"action": "explode"}), "not a known update").await;
    refuse(json!({}), "no `action`").await;
    refuse(json!({"action": "add-encryption-key", "encryption-key": {"key-id": "k", "encrypted-key-metadata": "eA=="}}), "version 3").await;
}

#[tokio::test]
async fn format_versions_only_go_up() {
    let bench = Bench::new();
    let mut wanted = creation();
    wanted
        .properties
        .insert("format-version".to_owned(), "1".to_owned());
    let planned = bench.tables().plan_create(&place("v1"), &wanted).unwrap();
    bench.tables().write(&planned).await.unwrap();
    let found = metadata(&planned);
    assert_eq!(found["format-version"], 1);
    assert_eq!(found["schema"]["fields"].as_array().unwrap().len(), 3);
    assert_eq!(found["partition-spec"][0]["name"], "ts_day");
    assert!(found["properties"].get("format-version").is_none());
    let at = bench
        .commit(
            &location(&planned),
            json!([{"action": "upgrade-format-version", "format-version": 3}]),
        )
        .await;
    let found = bench.metadata(&at).await;
    assert_eq!(found["format-version"], 3);
    assert_eq!(found["next-row-id"], 0);
    assert_eq!(found["last-sequence-number"], 0);
    assert!(found.get("schema").is_none());
    let back = bench
        .plan(
            &at,
            json!([]),
            json!([{"action": "upgrade-format-version", "format-version": 2}]),
        )
        .await;
    assert!(back.unwrap_err().to_string().contains("downgraded"));
    let mut row = bench.snapshot("v1", 5, None, 1, "append");
    row["snapshot"]["first-row-id"] = json!(0);
    row["snapshot"]["added-rows"] = json!(12);
    let at = bench
        .commit(
            &at,
            json!([
                row, set_main(5),
                {"action": "add-encryption-key", "encryption-key": {"key-id": "k", "encrypted-key-metadata": "eA=="}},
                {"action": "remove-encryption-key", "key-id": "k"},
            ]),
        )
        .await;
    assert_eq!(bench.metadata(&at).await["next-row-id"], 12);
}

#[tokio::test]
async fn specs_and_orders() {
    let bench = Bench::new();
    let at = bench.create("t").await;
    let at = bench
        .commit(
            &at,
            json!([
                {"action": "add-spec", "spec": {"fields": [
                    {"source-id": 3, "transform": "day", "name": "ts_day"},
                    {"source-id": 1, "transform": "bucket[16]", "name": "id_bucket"}]}},
                {"action": "set-default-spec", "spec-id": -1},
                {"action": "add-sort-order", "sort-order": {"order-id": 9, "fields": [
                    {"source-id": 1, "transform": "identity", "direction": "desc", "null-order": "nulls-last"}]}},
                {"action": "set-default-sort-order", "sort-order-id": -1},
            ]),
        )
        .await;
    let found = bench.metadata(&at).await;
    assert_eq!(found["default-spec-id"], 1);
    assert_eq!(
        found["partition-specs"][1]["fields"][0]["field-id"], 1000,
        "reused"
    );
    assert_eq!(found["partition-specs"][1]["fields"][1]["field-id"], 1001);
    assert_eq!(found["last-partition-id"], 1001);
    assert_eq!(found["default-sort-order-id"], 1);
    // The same again changes nothing.
    let again = bench
        .commit(
            &at,
            json!([
                {"action": "add-spec", "spec": {"spec-id": 7, "fields": [
                    {"source-id": 3, "field-id": 1000, "transform": "day", "name": "ts_day"}]}},
                {"action": "set-default-spec", "spec-id": -1},
                {"action": "remove-partition-specs", "spec-ids": [1]},
            ]),
        )
        .await;
    let found = bench.metadata(&again).await;
    assert_eq!(found["default-spec-id"], 0);
    assert_eq!(found["partition-specs"].as_array().unwrap().len(), 1);
    let refuse = async |update: Value, part: &str| {
        let error = bench
            .plan(&at, json!([]), json!([update]))
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{error} should contain {part}");
    };
    let spec = |source: i32, transform: &str, name: &str| json!({"action": "add-spec", "spec": {"fields": [{"source-id": source, "transform": transform, "name": name}]}});
    refuse(spec(99, "day", "x"), "not in the schema").await;
    refuse(spec(2, "day", "x"), "cannot be applied").await;
    refuse(spec(2, "zigzag", "x"), "not a transform").await;
    refuse(spec(2, "bucket[0]", "x"), "not a transform").await;
    refuse(spec(3, "day", "id"), "name of a column").await;
    refuse(
        json!({"action": "set-default-spec", "spec-id": 42}),
        "no `spec-id` 42",
    )
    .await;
    refuse(
        json!({"action": "set-default-spec", "spec-id": -1}),
        "no partition spec was added",
    )
    .await;
    refuse(
        json!({"action": "remove-partition-specs", "spec-ids": [1]}),
        "default partition spec",
    )
    .await;
    refuse(
        json!({"action": "set-default-sort-order", "sort-order-id": 42}),
        "no `order-id` 42",
    )
    .await;
}

#[tokio::test]
async fn the_metadata_log_is_bounded_and_may_delete() {
    let bench = Bench::new();
    let at = bench.create("t").await;
    let mut at = bench
        .commit(
            &at,
            json!([{"action": "set-properties", "updates": {
                "write.metadata.previous-versions-max": "2", "write.metadata.delete-after-commit.enabled": "true"}}]),
        )
        .await;
    let mut expired = Vec::new();
    for round in 0..4 {
        let planned = bench
            .plan(
                &at,
                json!([]),
                json!([{"action": "set-properties", "updates": {"round": round.to_string()}}]),
            )
            .await
            .unwrap();
        bench.tables().write(&planned).await.unwrap();
        bench.tables().remove_expired(&planned).await;
        expired.extend(planned.expired_metadata.clone());
        at = location(&planned);
    }
    assert_eq!(
        bench.metadata(&at).await["metadata-log"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(expired.len(), 3);
    for file in expired {
        assert_eq!(
            bench.tables().load(MetadataFile::at(&file)).await.map(|_| ()),
            Err(CatalogError::MetadataMissing(file))
        );
    }
}
