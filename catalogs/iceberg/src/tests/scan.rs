// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Scans that are planned over real manifest lists and manifests.

use std::sync::Arc;

use iceberg::io::FileIO;
use iceberg::spec::{
    DataContentType, DataFile, DataFileBuilder, DataFileFormat, Datum, Literal, ManifestFile,
    ManifestListWriter, ManifestWriterBuilder, PartitionSpec, PartitionSpecRef, Schema, SchemaRef, Struct,
    UnboundPartitionSpec,
};
use lakeward_catalog::loaded_table::LoadedTable;
use lakeward_catalog::scan::{IcebergScan, PinnedScan, ScanPart, ScanTasks, ScanVersion};
use lakeward_read_restrictions::admission::{Trust, admit};
use lakeward_read_restrictions::capabilities::Capabilities;
use lakeward_read_restrictions::restrictions::ReadRestrictions;

use super::*;

mod brute_force;
mod deletes;
mod scene;

use scene::Scene;

pub(crate) fn scan(version: ScanVersion) -> IcebergScan {
    IcebergScan {
        version,
        select: None,
        filter: None,
        case_sensitive: true,
        use_snapshot_schema: false,
        stats_fields: Vec::new(),
    }
}

pub(crate) fn filtered(filter: Value) -> IcebergScan {
    IcebergScan {
        filter: Some(filter),
        ..scan(ScanVersion::Current)
    }
}

pub(crate) fn is(of: &str, term: impl Into<Value>, value: impl Into<Value>) -> Value {
    json!({"type": of, "term": term.into(), "value": value.into()})
}

fn schema() -> Value {
    json!({"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "id", "required": true, "type": "long"},
        {"id": 2, "name": "name", "required": false, "type": "string"},
        {"id": 3, "name": "ts", "required": false, "type": "timestamptz"},
        {"id": 4, "name": "place", "required": false, "type": {"type": "struct", "fields": [
            {"id": 5, "name": "lat", "required": false, "type": "double"}]}},
        {"id": 6, "name": "tags", "required": false, "type":
            {"type": "list", "element-id": 7, "element": "string", "element-required": false}}
    ]})
}

/// Files `a`, `b` and `c` in partitions of their names; `id` is 0 to 9 in the first, 10 to 19 in the second, and unknown in
/// the third.
async fn scene() -> Scene {
    let by_name = json!([{"source-id": 2, "field-id": 1000, "transform": "identity", "name": "name"}]);
    let mut scene = Scene::new(2, schema(), by_name).await;
    let ids = |name: &str, least: i64| {
        let mut file = scene.file(DataContentType::Data, name, [Some(Literal::string(name))]);
        file.value_counts([(1, 10)].into())
            .null_value_counts([(1, 0)].into());
        file.lower_bounds([(1, Datum::long(least))].into())
            .upper_bounds([(1, Datum::long(least + 9))].into());
        file.build().unwrap()
    };
    let (a, b) = (ids("a", 0), ids("b", 10));
    let c = scene
        .file(DataContentType::Data, "c", [Some(Literal::string("c"))])
        .build()
        .unwrap();
    let first = scene.manifest(1, vec![a, b]).await;
    scene.commit("append", vec![first]).await;
    let second = scene.manifest(2, vec![c]).await;
    scene.commit("append", vec![second]).await;
    scene
}

#[tokio::test]
async fn files_are_left_out_by_partition_and_by_metrics() {
    let scene = scene().await;
    for (filter, expected) in [
        (json!(true), &["a", "b", "c"][..]),
        (json!(false), &[]),
        (is("eq", "name", "a"), &["a"]),
        (is("not-eq", "name", "a"), &["b", "c"]),
        (is("eq", "id", 3), &["a", "c"]),
        (is("gt", "id", 9), &["b", "c"]),
        (is("gt", "id", 19), &["c"]),
        (json!({"type": "is-null", "term": "id"}), &["c"]),
        (json!({"type": "is-null", "term": "place"}), &["a", "b", "c"]),
        (is("lt", "place.lat", 1.5), &["a", "b", "c"]),
        (
            json!({"type": "in", "term": "name", "values": ["b", "x"]}),
            &["b"],
        ),
        (
            json!({"type": "and", "left": is("eq", "name", "a"), "right": is("eq", "id", 12)}),
            &[],
        ),
        (
            json!({"type": "or", "left": is("eq", "name", "a"), "right": is("eq", "id", 12)}),
            &["a", "b", "c"],
        ),
        (json!({"type": "not", "child": is("lt-eq", "id", 9)}), &["b", "c"]),
        (is("starts-with", "name", "b"), &["b"]),
        (
            is(
                "eq",
                json!({"type": "transform", "transform": "truncate[1]", "term": "name"}),
                "b",
            ),
            &["a", "b", "c"],
        ),
        (
            is(
                "eq",
                json!({"type": "reference", "id": 2}),
                json!({"type": "literal", "value": "c"}),
            ),
            &["c"],
        ),
    ] {
        assert_eq!(scene.names(filter.clone()).await, expected, "{filter}");
    }
}

#[tokio::test]
async fn what_a_partition_fulfils_is_no_longer_to_be_looked_at() {
    let scene = scene().await;
    let filter = json!({"type": "and", "left": is("eq", "name", "a"), "right": is("lt", "id", 100)});
    let tasks = scene.tasks(&filtered(filter)).await.unwrap();
    assert_eq!(
        tasks.iter().map(|task| &task.residual).collect::<Vec<_>>(),
        [&json!(true)]
    );
    let filter = json!({"type": "and", "left": is("eq", "name", "a"), "right": is("lt", "id", 5)});
    let tasks = scene.tasks(&filtered(filter.clone())).await.unwrap();
    assert_eq!(
        tasks.iter().map(|task| &task.residual).collect::<Vec<_>>(),
        [&filter]
    );
}

#[tokio::test]
async fn statistics_come_for_the_columns_that_are_asked_for() {
    let scene = scene().await;
    let mut wanted = filtered(is("eq", "name", "a"));
    let tasks = scene.tasks(&wanted).await.unwrap();
    assert_eq!(
        tasks[0].file,
        json!({"content": "data", "file-path": scene.path("a"), "file-format": "parquet", "spec-id": 0,
            "partition": ["a"], "file-size-in-bytes": 100, "record-count": 10})
    );
    wanted.stats_fields = vec!["id".to_owned(), "name".to_owned()];
    let tasks = scene.tasks(&wanted).await.unwrap();
    assert_eq!(
        tasks[0].file["lower-bounds"],
        json!({"keys": [1], "values": ["0000000000000000"]})
    );
    assert_eq!(
        tasks[0].file["upper-bounds"],
        json!({"keys": [1], "values": ["0900000000000000"]})
    );
    assert_eq!(
        tasks[0].file["value-counts"],
        json!({"keys": [1], "values": [10]})
    );
}

#[tokio::test]
async fn a_scan_is_of_one_snapshot_or_of_what_was_appended() {
    let mut scene = scene().await;
    let third = scene.file(DataContentType::Data, "d", [None]).build().unwrap();
    let manifest = scene.manifest(3, vec![third]).await;
    scene.commit("overwrite", vec![manifest]).await;
    let names = async |scene: &Scene, version| {
        let tasks = scene.tasks(&scan(version)).await;
        tasks.map(|tasks| tasks.into_iter().map(|task| task.name).collect::<Vec<_>>())
    };
    assert_eq!(names(&scene, ScanVersion::At(1)).await.unwrap(), ["a", "b"]);
    assert_eq!(
        names(&scene, ScanVersion::At(3)).await.unwrap(),
        ["a", "b", "c", "d"]
    );
    assert_eq!(names(&scene, ScanVersion::Between(1, 3)).await.unwrap(), ["c"]);
    assert!(
        names(&scene, ScanVersion::Between(2, 2))
            .await
            .unwrap()
            .is_empty()
    );
    for refused in [
        ScanVersion::At(9),
        ScanVersion::Between(1, 9),
        ScanVersion::Between(3, 1),
    ] {
        let error = names(&scene, refused).await.unwrap_err();
        assert!(matches!(error, CatalogError::Invalid(_)), "{error:?}");
    }
}

#[tokio::test]
async fn a_scan_of_what_is_not_there_is_refused() {
    let scene = scene().await;
    let refused = async |wanted: IcebergScan, told: &str| {
        let error = scene.pin(&wanted).await.unwrap_err();
        assert!(
            matches!(&error, CatalogError::Invalid(reason) if reason.contains(told)),
            "{error:?} {told}"
        );
    };
    for (filter, told) in [
        (is("eq", "absent", 1), "no column `absent`"),
        (is("eq", "NAME", "a"), "no column `NAME`"),
        (is("eq", "id", "x"), "no value of the type long"),
        (is("like", "id", 1), "`like`"),
        (is("eq", "tags.element", "x"), "in a list or map"),
        (is("starts-with", "id", "1"), "of type string"),
        (json!({"type": "is-nan", "term": "id"}), "floating-point"),
        (json!({"type": "eq", "term": "id"}), "`value`"),
        (json!({"type": "in", "term": "id", "values": 1}), "`values`"),
        (json!({"type": "and", "left": true}), "`right`"),
        (
            json!({"type": "eq", "term": {"type": "apply"}, "value": 1}),
            "functions",
        ),
        (
            is(
                "eq",
                json!({"type": "transform", "transform": "year", "term": "id"}),
                1,
            ),
            "does not apply",
        ),
        (json!(1), "an object"),
        (json!({"type": "null", "term": "id"}), "`null`"),
    ] {
        refused(filtered(filter), told).await;
    }
    let mut deep = json!(true);
    for _ in 0..200 {
        deep = json!({"type": "not", "child": deep});
    }
    refused(filtered(deep), "deeper").await;
    let many: Vec<i32> = vec![1; 10_001];
    let many = json!({"type": "in", "term": "id", "values": many});
    refused(filtered(many), "at most 10000 values").await;
    let mut wide = vec![json!({"type": "is-null", "term": "id"}); 10_001];
    while wide.len() > 1 {
        let pairs = wide.chunks(2).map(|pair| match pair {
            [left, right] => json!({"type": "or", "left": left, "right": right}),
            [last] => last.clone(),
            _ => json!(true),
        });
        wide = pairs.collect();
    }
    refused(filtered(wide.remove(0)), "at most 10000 predicates").await;
    let many = vec!["id".to_owned(); 10_001];
    let mut selecting = scan(ScanVersion::Current);
    selecting.select = Some(many.clone());
    refused(selecting, "`select` has at most 10000").await;
    let mut measuring = scan(ScanVersion::Current);
    measuring.stats_fields = many;
    refused(measuring, "`stats-fields` has at most 10000").await;
    let long = filtered(is("eq", "name", "x".repeat(65 * 1024)));
    let error = scene.pin(&long).await.unwrap_err();
    assert!(
        matches!(&error, CatalogError::Unsupported(reason) if reason.contains("plan it on the client")),
        "{error:?}"
    );
    let mut wanted = scan(ScanVersion::Current);
    wanted.select = Some(vec![
        "id".to_owned(),
        "_file".to_owned(),
        "place.lat".to_owned(),
        "tags.element".to_owned(),
    ]);
    scene.pin(&wanted).await.unwrap();
    wanted.select = Some(vec!["absent".to_owned()]);
    refused(wanted.clone(), "absent").await;
    wanted.select = None;
    wanted.stats_fields = vec!["absent".to_owned()];
    refused(wanted, "absent").await;
    let mut any_case = filtered(is("eq", "NAME", "a"));
    any_case.case_sensitive = false;
    assert_eq!(scene.tasks(&any_case).await.unwrap().len(), 1);
}

#[tokio::test]
async fn manifests_of_others_are_not_read() {
    let mut scene = scene().await;
    let theirs = Bench::new();
    let mut borrowed = scene.snapshots[0].1[0].clone();
    let path = format!("{}/other/metadata/m1.avro", theirs.warehouse());
    let file = borrowed.manifest_path.trim_start_matches("file://").to_owned();
    let target = path.trim_start_matches("file://").to_owned();
    std::fs::create_dir_all(std::path::Path::new(&target).parent().unwrap()).unwrap();
    std::fs::copy(file, target).unwrap();
    borrowed.manifest_path = path;
    scene.commit("append", vec![borrowed]).await;
    let error = scene.tasks(&scan(ScanVersion::Current)).await.unwrap_err();
    assert!(
        matches!(&error, CatalogError::Unsupported(reason) if reason.contains("outside")),
        "{error:?}"
    );
    assert_eq!(scene.tasks(&scan(ScanVersion::At(2))).await.unwrap().len(), 3);
}

#[tokio::test]
async fn a_large_scan_comes_in_parts() {
    let by_name = json!([{"source-id": 2, "field-id": 1000, "transform": "identity", "name": "name"}]);
    let mut scene = Scene::new(2, schema(), by_name).await;
    let files = (0..12_000).map(|number| {
        let name = format!("f{number:05}");
        let partition = if number % 2 == 0 { "even" } else { "odd" };
        scene
            .file(DataContentType::Data, &name, [Some(Literal::string(partition))])
            .build()
            .unwrap()
    });
    let files = files.collect();
    let manifest = scene.manifest(1, files).await;
    scene.commit("append", vec![manifest]).await;
    let pinned = scene.pin(&filtered(is("eq", "name", "even"))).await.unwrap();
    let first = scene.part(&pinned, ScanPart::default()).await.unwrap();
    assert_eq!((first.tasks.len(), first.rest.len()), (5_000, 1));
    let second = scene.part(&pinned, first.rest[0]).await.unwrap();
    assert_eq!((second.tasks.len(), second.rest.len()), (1_000, 0));
    let all = scene.names(is("eq", "name", "even")).await;
    assert_eq!(all.len(), 6_000);
    assert!(all.array_windows().all(|[one, other]| one < other), "each once");
    let absent = ScanPart {
        first: 7,
        skipped: 0,
        end: Some(9),
    };
    assert!(matches!(
        scene.part(&pinned, absent).await,
        Err(CatalogError::Unsupported(_))
    ));
}
