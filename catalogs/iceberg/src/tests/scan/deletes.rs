// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which deletes go with which files.

use super::*;

async fn partitioned(version: u8) -> Scene {
    let fields = json!([{"source-id": 2, "field-id": 1000, "transform": "identity", "name": "name"}]);
    Scene::new(version, schema(), fields).await
}

fn data(scene: &Scene, name: &str, partition: &str) -> DataFile {
    scene
        .file(DataContentType::Data, name, [Some(Literal::string(partition))])
        .build()
        .unwrap()
}

fn positions(scene: &Scene, name: &str, partition: &str) -> DataFileBuilder {
    scene.file(
        DataContentType::PositionDeletes,
        name,
        [Some(Literal::string(partition))],
    )
}

fn equality(scene: &Scene, name: &str, partition: &str) -> DataFile {
    let mut file = scene.file(
        DataContentType::EqualityDeletes,
        name,
        [Some(Literal::string(partition))],
    );
    file.equality_ids(Some(vec![1])).build().unwrap()
}

async fn deletes_of(scene: &Scene, filter: Value) -> Vec<(String, Vec<String>)> {
    let tasks = scene.tasks(&filtered(filter)).await.unwrap();
    tasks.into_iter().map(|task| (task.name, task.deletes)).collect()
}

fn expected(of: &[(&str, &[&str])]) -> Vec<(String, Vec<String>)> {
    let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    of.iter()
        .map(|(name, deletes)| ((*name).to_owned(), texts(deletes)))
        .collect()
}

#[tokio::test]
async fn age_partition_and_name_decide() {
    let mut scene = partitioned(2).await;
    let old = vec![
        data(&scene, "a1", "a"),
        data(&scene, "a2", "a"),
        data(&scene, "b1", "b"),
    ];
    let manifest = scene.manifest(1, old).await;
    scene.commit("append", vec![manifest]).await;
    // Rows that come with deletes: positions apply to them, equality does not.
    let a1 = scene.path("a1");
    let deletes = vec![
        positions(&scene, "pos-a", "a").build().unwrap(),
        equality(&scene, "eq-a", "a"),
        positions(&scene, "pos-a1", "a")
            .referenced_data_file(Some(a1.clone()))
            .build()
            .unwrap(),
        positions(&scene, "pos-a2", "a")
            .lower_bounds([(2_147_483_546, Datum::string(scene.path("a2")))].into())
            .upper_bounds([(2_147_483_546, Datum::string(scene.path("a2")))].into())
            .build()
            .unwrap(),
    ];
    let new = vec![data(&scene, "a3", "a")];
    let manifests = vec![scene.manifest(2, new).await, scene.manifest(2, deletes).await];
    scene.commit("overwrite", manifests).await;
    let newer = vec![data(&scene, "a4", "a")];
    let manifest = scene.manifest(3, newer).await;
    scene.commit("append", vec![manifest]).await;
    let all = expected(&[
        ("a1", &["pos-a", "eq-a", "pos-a1"]),
        ("a2", &["pos-a", "eq-a", "pos-a2"]),
        ("a3", &["pos-a"]),
        ("a4", &[]),
        ("b1", &[]),
    ]);
    assert_eq!(deletes_of(&scene, json!(true)).await, all);
    // What a filter leaves has the same deletes; another partition's are not even read.
    assert_eq!(deletes_of(&scene, is("eq", "name", "a")).await, all[..4]);
    assert_eq!(deletes_of(&scene, is("eq", "name", "b")).await, all[4..]);
    // What was appended, was.
    let tasks = scene.tasks(&scan(ScanVersion::Between(2, 3))).await.unwrap();
    assert_eq!(tasks.len(), 1);
    assert!(tasks[0].deletes.is_empty());
    let tasks = scene.tasks(&scan(ScanVersion::At(1))).await.unwrap();
    assert!(
        tasks.iter().all(|task| task.deletes.is_empty()),
        "they came later"
    );
}

#[tokio::test]
async fn equality_deletes_of_no_partition_apply_everywhere() {
    let mut scene = Scene::new(2, schema(), json!([])).await;
    let file = scene.file(DataContentType::Data, "d", []).build().unwrap();
    let manifest = scene.manifest(1, vec![file]).await;
    scene.commit("append", vec![manifest]).await;
    let mut deletes = scene.file(DataContentType::EqualityDeletes, "eq", []);
    let deletes = deletes.equality_ids(Some(vec![1])).build().unwrap();
    let manifest = scene.manifest(2, vec![deletes]).await;
    scene.commit("delete", vec![manifest]).await;
    assert_eq!(
        deletes_of(&scene, is("eq", "id", 1)).await,
        expected(&[("d", &["eq"])])
    );
}

#[tokio::test]
async fn a_deletion_vector_stands_for_older_position_deletes() {
    let mut scene = partitioned(3).await;
    let files = vec![data(&scene, "a1", "a"), data(&scene, "a2", "a")];
    let manifest = scene.manifest(1, files).await;
    scene.commit("append", vec![manifest]).await;
    let a1 = scene.path("a1");
    let vector = |scene: &Scene, name: &str| {
        let mut file = positions(scene, name, "a");
        file.file_format(DataFileFormat::Puffin)
            .referenced_data_file(Some(a1.clone()))
            .content_offset(Some(4))
            .content_size_in_bytes(Some(40));
        file.build().unwrap()
    };
    let deletes = vec![
        positions(&scene, "pos-a", "a").build().unwrap(),
        vector(&scene, "dv.puffin"),
    ];
    let manifest = scene.manifest(2, deletes).await;
    scene.commit("delete", vec![manifest]).await;
    let all = expected(&[("a1", &["dv.puffin"]), ("a2", &["pos-a"])]);
    assert_eq!(deletes_of(&scene, json!(true)).await, all);
    let pinned = scene.pin(&scan(ScanVersion::Current)).await.unwrap();
    let tasks = scene.part(&pinned, ScanPart::default()).await.unwrap();
    let told: Value = serde_json::from_str(tasks.deletes[0].get()).unwrap();
    assert_eq!(
        told,
        json!({"content": "position-deletes", "file-path": scene.path("dv.puffin"), "file-format": "puffin",
            "spec-id": 0, "partition": ["a"], "file-size-in-bytes": 100, "record-count": 10,
            "referenced-data-file": a1, "content-offset": 4, "content-size-in-bytes": 40})
    );
    let second = scene.manifest(3, vec![vector(&scene, "dv2.puffin")]).await;
    scene.commit("delete", vec![second]).await;
    let error = scene.tasks(&scan(ScanVersion::Current)).await.unwrap_err();
    assert!(
        matches!(&error, CatalogError::Unsupported(reason) if reason.contains("two deletion vectors")),
        "{error:?}"
    );
}
