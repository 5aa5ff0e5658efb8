// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What proves an append, with real manifest lists and manifests.

use std::sync::Arc;

use iceberg::io::FileIO;
use iceberg::spec::{
    DataContentType, DataFile, DataFileBuilder, DataFileFormat, ManifestFile, ManifestListWriter,
    ManifestWriter, ManifestWriterBuilder, PartitionSpec, Schema, Struct,
};
use lakeward_catalog::table_catalog::{AppendProof, CommitEffect};

use super::*;

/// A table whose snapshot 10 has the files `a` and `b`, in a manifest each.
pub(super) struct Scene {
    pub(super) bench: Bench,
    pub(super) base: String,
    schema: Arc<Schema>,
    pub(super) first: Vec<ManifestFile>,
}

/// An entry of a manifest.
pub(super) enum Put {
    Add(DataFile),
    AddWith(DataFile, i64),
    Keep(DataFile, i64),
    Remove(DataFile),
}

impl Scene {
    pub(super) async fn new() -> Self {
        let bench = Bench::new();
        let mut unpartitioned = creation();
        unpartitioned.partition_spec = None;
        let planned = bench.tables().plan_create(&place("t"), &unpartitioned).unwrap();
        bench.tables().write(&planned).await.unwrap();
        let at = location(&planned);
        let schema = bench.metadata(&at).await["schemas"][0].clone();
        let mut scene = Self {
            bench,
            base: at,
            schema: Arc::new(serde_json::from_value(schema).unwrap()),
            first: Vec::new(),
        };
        let a = scene.manifest("a", 10, [Put::Add(scene.file("a"))]).await;
        let b = scene.manifest("b", 10, [Put::Add(scene.file("b"))]).await;
        scene.first = scene.list(10, 1, vec![a, b]).await;
        let updates = json!([scene.bench.snapshot("t", 10, None, 1, "append"), set_main(10)]);
        scene.base = scene.bench.commit(&scene.base, updates).await;
        scene
    }

    pub(super) fn folder(&self) -> String {
        format!("{}/ns/t", self.bench.warehouse())
    }

    pub(super) fn file(&self, name: &str) -> DataFile {
        self.file_at(&format!("{}/data/{name}.parquet", self.folder()), 7)
    }

    pub(super) fn file_at(&self, path: &str, rows: u64) -> DataFile {
        Self::any_file(DataContentType::Data, path, rows)
    }

    fn any_file(content: DataContentType, path: &str, rows: u64) -> DataFile {
        DataFileBuilder::default()
            .content(content)
            .file_path(path.to_owned())
            .file_format(DataFileFormat::Parquet)
            .partition(Struct::empty())
            .partition_spec_id(0)
            .record_count(rows)
            .file_size_in_bytes(100)
            .build()
            .unwrap()
    }

    fn writer(&self, name: &str, snapshot: i64) -> ManifestWriterBuilder {
        let path = format!("{}/metadata/{name}.avro", self.folder());
        let output = FileIO::new_with_fs().new_output(path).unwrap();
        let spec = PartitionSpec::unpartition_spec();
        ManifestWriterBuilder::new(output, Some(snapshot), Arc::clone(&self.schema), spec)
    }

    pub(super) async fn manifest(
        &self,
        name: &str,
        snapshot: i64,
        puts: impl IntoIterator<Item = Put>,
    ) -> ManifestFile {
        let mut writer: ManifestWriter = self.writer(name, snapshot).build_v2_data();
        for put in puts {
            match put {
                Put::Add(file) => writer.add_file(file, -1),
                Put::AddWith(file, sequence) => writer.add_file(file, sequence),
                Put::Keep(file, snapshot) => writer.add_existing_file(file, snapshot, 1, Some(1)),
                Put::Remove(file) => writer.add_delete_file(file, 1, Some(1)),
            }
            .unwrap();
        }
        writer.write_manifest_file().await.unwrap()
    }

    /// Writes the list of a snapshot where [`Bench::snapshot`] says it is, and gives what is in it.
    pub(super) async fn list(
        &self,
        snapshot: i64,
        sequence: i64,
        manifests: Vec<ManifestFile>,
    ) -> Vec<ManifestFile> {
        let path = format!("{}/metadata/snap-{snapshot}.avro", self.folder());
        let output = FileIO::new_with_fs().new_output(path).unwrap();
        let mut list = ManifestListWriter::v2(output.writer().await.unwrap(), snapshot, None, sequence);
        list.add_manifests(manifests.clone().into_iter()).unwrap();
        list.close().await.unwrap();
        let assigned = |mut manifest: ManifestFile| {
            if manifest.added_snapshot_id == snapshot {
                manifest.sequence_number = sequence;
                manifest.min_sequence_number = sequence;
            }
            manifest
        };
        manifests.into_iter().map(assigned).collect()
    }

    async fn prove(&self, updates: Value) -> AppendProof {
        let planned = self.bench.plan(&self.base, json!([]), updates).await.unwrap();
        assert_eq!(planned.effect, CommitEffect::AppendsOnly);
        self.bench.tables().prove_append(&planned).await.unwrap()
    }

    /// What is said of snapshot 20 on 10 with these manifests.
    async fn said(&self, manifests: Vec<ManifestFile>) -> AppendProof {
        self.list(20, 2, manifests).await;
        self.prove(json!([
            self.bench.snapshot("t", 20, Some(10), 2, "append"),
            set_main(20)
        ]))
        .await
    }

    async fn check(&self, manifests: Vec<ManifestFile>, reason: &str) {
        match self.said(manifests).await {
            AppendProof::Fails(found) => assert!(found.contains(reason), "{found}"),
            AppendProof::Holds => panic!("it was taken for an append: {reason}"),
        }
    }

    fn with_first(&self, more: ManifestFile) -> Vec<ManifestFile> {
        self.first.iter().cloned().chain([more]).collect()
    }
}

#[tokio::test]
async fn new_manifests_of_new_files_are_an_append() {
    let scene = Scene::new().await;
    let c = scene.manifest("c", 20, [Put::Add(scene.file("c"))]).await;
    assert_eq!(scene.said(scene.with_first(c)).await, AppendProof::Holds);
}

#[tokio::test]
async fn merged_manifests_that_keep_every_file_are_an_append() {
    let scene = Scene::new().await;
    let keep = |name: &str| Put::Keep(scene.file(name), 10);
    let merged = scene
        .manifest("m", 20, [keep("a"), keep("b"), Put::Add(scene.file("c"))])
        .await;
    assert_eq!(scene.said(vec![merged]).await, AppendProof::Holds);
    let half = scene
        .manifest("m2", 20, [keep("a"), Put::Add(scene.file("c"))])
        .await;
    scene.check(vec![half], "leaves out files").await;
    let other = scene.file_at(&format!("{}/data/b.parquet", scene.folder()), 8);
    let changed = scene.manifest("m3", 20, [keep("a"), Put::Keep(other, 10)]).await;
    scene.check(vec![changed], "changes what is said of files").await;
    let younger = scene
        .manifest("m4", 20, [keep("a"), Put::Keep(scene.file("b"), 20)])
        .await;
    scene.check(vec![younger], "changes what is said of files").await;
    let again = scene
        .manifest("m5", 20, [keep("a"), keep("b"), Put::Add(scene.file("a"))])
        .await;
    scene.check(vec![again], "a second time").await;
    let foreign = scene
        .manifest("m6", 20, [keep("a"), keep("b"), Put::Keep(scene.file("c"), 10)])
        .await;
    scene.check(vec![foreign], "changes what is said of files").await;
}

#[tokio::test]
async fn a_snapshot_that_calls_itself_an_append_is_not_believed() {
    let scene = Scene::new().await;
    let c = scene.manifest("c", 20, [Put::Add(scene.file("c"))]).await;
    scene.check(vec![c.clone()], "leaves out files").await;
    scene
        .check(vec![scene.first[0].clone(), c.clone()], "leaves out files")
        .await;
    let removes = scene.manifest("r", 20, [Put::Remove(scene.file("a"))]).await;
    scene.check(scene.with_first(removes), "removes files").await;
    let mut resized = scene.first.clone();
    resized[0].existing_files_count = Some(5);
    scene.check(resized, "said of a manifest").await;
    let twice = scene.with_first(scene.first[0].clone());
    scene.check(twice, "a manifest twice").await;
    let older = scene.manifest("o", 20, [Put::AddWith(scene.file("c"), 1)]).await;
    scene.check(scene.with_first(older), "as if it were older").await;
    let mut longer = c;
    longer.manifest_length += 1;
    scene
        .check(scene.with_first(longer), "not what its list says")
        .await;
}

/// Readers skip a manifest that is said to be empty; committers drop deletes that are said to be older than all files.
#[tokio::test]
async fn what_a_list_says_of_merged_manifests_is_checked() {
    let scene = Scene::new().await;
    let keep = |name: &str| Put::Keep(scene.file(name), 10);
    let merged = scene
        .manifest("m", 20, [keep("a"), keep("b"), Put::Add(scene.file("c"))])
        .await;
    let lies: [fn(&mut ManifestFile); 4] = [
        |listed| listed.existing_files_count = Some(0),
        |listed| listed.existing_rows_count = Some(1),
        |listed| listed.added_files_count = Some(2),
        |listed| listed.deleted_files_count = Some(1),
    ];
    for lie in lies {
        let mut listed = merged.clone();
        lie(&mut listed);
        scene.check(vec![listed], "another number of files").await;
    }
    let mut younger = merged;
    younger.min_sequence_number = 2;
    scene.check(vec![younger], "older files").await;
    let path = format!("{}/metadata/n.avro", scene.folder());
    let output = FileIO::new_with_fs().new_output(path).unwrap();
    let spec = PartitionSpec::builder(Arc::clone(&scene.schema))
        .with_spec_id(7)
        .build()
        .unwrap();
    let mut writer =
        ManifestWriterBuilder::new(output, Some(20), Arc::clone(&scene.schema), spec).build_v2_data();
    writer.add_file(scene.file("c"), -1).unwrap();
    let unknown = writer.write_manifest_file().await.unwrap();
    scene.check(scene.with_first(unknown), "none of the table").await;
}

/// The library goes by names, other readers by ids: they would read two paths from one entry.
#[tokio::test]
async fn a_manifest_is_the_same_for_every_reader() {
    let scene = Scene::new().await;
    let listed = scene.manifest("c", 20, [Put::Add(scene.file("c"))]).await;
    let path = listed.manifest_path.trim_start_matches("file://").to_owned();
    let written = std::fs::read(&path).unwrap();
    let place = |content: &[u8], text: &str| {
        let at = content
            .windows(text.len())
            .position(|part| part == text.as_bytes());
        at.unwrap_or_else(|| panic!("{text} is there"))
    };
    let mut swapped = written.clone();
    let (one, other) = ("\"field-id\":100", "\"field-id\":143");
    let (first, second) = (place(&written, one), place(&written, other));
    swapped[first..first + one.len()].copy_from_slice(other.as_bytes());
    swapped[second..second + one.len()].copy_from_slice(one.as_bytes());
    std::fs::write(&path, swapped).unwrap();
    scene
        .check(scene.with_first(listed.clone()), "which is that of another")
        .await;
    std::fs::write(&path, written).unwrap();
    assert_eq!(scene.said(scene.with_first(listed)).await, AppendProof::Holds);
}

/// A restricted principal could otherwise leave a table to which nobody can commit any more.
#[tokio::test]
async fn numbers_and_times_go_on_by_one() {
    let scene = Scene::new().await;
    let c = scene.manifest("c", 20, [Put::Add(scene.file("c"))]).await;
    scene.list(20, 2, scene.with_first(c)).await;
    let far = i64::MAX - 1;
    for (member, value, reason) in [
        ("sequence-number", far, "not the next one"),
        ("sequence-number", 3, "not the next one"),
        ("timestamp-ms", 32_503_680_000_000, "a time to come"),
    ] {
        let mut snapshot = scene.bench.snapshot("t", 20, Some(10), 2, "append");
        snapshot["snapshot"][member] = json!(value);
        match scene.prove(json!([snapshot, set_main(20)])).await {
            AppendProof::Fails(found) => assert!(found.contains(reason), "{found}"),
            AppendProof::Holds => panic!("{member} {value}"),
        }
    }
}

#[tokio::test]
async fn no_more_is_read_than_a_writer_needs() {
    let scene = Scene::new().await;
    let mut huge = scene.manifest("c", 20, [Put::Add(scene.file("c"))]).await;
    huge.manifest_length = 1 << 40;
    scene
        .check(scene.with_first(huge), "append without merging")
        .await;
    let mut short = scene.manifest("d", 20, [Put::Add(scene.file("d"))]).await;
    short.manifest_length = 10;
    scene
        .check(scene.with_first(short), "no more than 10 are read")
        .await;
    let ids = 100..201_i64;
    let adds = ids.clone().map(|id| {
        let parent = if id == 100 { 10 } else { id - 1 };
        scene.bench.snapshot("t", id, Some(parent), id, "append")
    });
    let moves = ids.map(set_main);
    let updates: Vec<Value> = adds.zip(moves).flat_map(|(add, set)| [add, set]).collect();
    match scene.prove(json!(updates)).await {
        AppendProof::Fails(found) => assert!(found.contains("more than 100 snapshots"), "{found}"),
        AppendProof::Holds => panic!("it reads as many lists as somebody asks for"),
    }
}

#[tokio::test]
async fn deletes_and_files_of_others_are_no_append() {
    let scene = Scene::new().await;
    let deletes = Scene::any_file(
        DataContentType::PositionDeletes,
        &format!("{}/data/d.parquet", scene.folder()),
        1,
    );
    let mut writer = scene.writer("d", 20).build_v2_deletes();
    writer.add_file(deletes, -1).unwrap();
    let deletes = writer.write_manifest_file().await.unwrap();
    scene.check(scene.with_first(deletes), "a file of deletes").await;
    for (name, path) in [
        (
            "sibling",
            format!("{}/ns/t2/data/x.parquet", scene.bench.warehouse()),
        ),
        ("above", format!("{}/ns/x.parquet", scene.bench.warehouse())),
        ("dots", format!("{}/data/../../t2/x.parquet", scene.folder())),
        ("encoded", format!("{}/data/%2e%2e/x.parquet", scene.folder())),
        ("empty", format!("{}//data/x.parquet", scene.folder())),
    ] {
        let manifest = scene
            .manifest(name, 20, [Put::Add(scene.file_at(&path, 1))])
            .await;
        scene.check(scene.with_first(manifest), "outside the table").await;
    }
}

#[tokio::test]
async fn only_existing_branches_move_and_only_forwards() {
    let mut scene = Scene::new().await;
    let audit = |id: i64| {
        json!({"action": "set-snapshot-ref", "ref-name": "audit", "type": "branch",
        "snapshot-id": id, "max-ref-age-ms": 5})
    };
    scene.base = scene.bench.commit(&scene.base, json!([audit(10)])).await;
    let add =
        |id: i64, parent: i64, sequence: i64| scene.bench.snapshot("t", id, Some(parent), sequence, "append");
    let c = scene.manifest("c", 20, [Put::Add(scene.file("c"))]).await;
    let second = scene.list(20, 2, scene.with_first(c)).await;
    let d = scene.manifest("d", 30, [Put::Add(scene.file("d"))]).await;
    scene
        .list(30, 3, second.iter().cloned().chain([d]).collect())
        .await;
    let holds = [
        json!([add(20, 10, 2), set_main(20)]),
        json!([add(20, 10, 2), audit(20)]),
        json!([add(20, 10, 2), set_main(20), add(30, 20, 3), set_main(30)]),
    ];
    for updates in holds {
        assert_eq!(
            scene.prove(updates.clone()).await,
            AppendProof::Holds,
            "{updates}"
        );
    }
    let plain =
        json!({"action": "set-snapshot-ref", "ref-name": "audit", "type": "branch", "snapshot-id": 20});
    let tag = json!({"action": "set-snapshot-ref", "ref-name": "audit", "type": "tag", "snapshot-id": 20});
    let fails = [
        (json!([add(20, 10, 2)]), "no branch reaches"),
        (json!([add(20, 10, 2), plain]), "makes or changes"),
        (json!([add(20, 10, 2), tag]), "makes or changes"),
    ];
    for (updates, reason) in fails {
        match scene.prove(updates).await {
            AppendProof::Fails(found) => assert!(found.contains(reason), "{found}"),
            AppendProof::Holds => panic!("{reason}"),
        }
    }
    let more = [
        json!([{"action": "set-snapshot-ref", "ref-name": "new", "type": "branch", "snapshot-id": 10}]),
        json!([add(20, 10, 2), set_main(20), {"action": "set-properties", "updates": {"a": "b"}}]),
        json!([{"action": "remove-snapshot-ref", "ref-name": "audit"}]),
        json!([audit(10)]),
    ];
    for updates in more {
        let planned = scene
            .bench
            .plan(&scene.base, json!([]), updates.clone())
            .await
            .unwrap();
        assert_eq!(planned.effect, CommitEffect::Changes, "{updates}");
        let proof = scene.bench.tables().prove_append(&planned).await.unwrap();
        assert!(matches!(proof, AppendProof::Fails(_)), "{updates}");
    }
}

#[tokio::test]
async fn what_is_not_there_proves_nothing() {
    let scene = Scene::new().await;
    let proof = scene
        .prove(json!([
            scene.bench.snapshot("t", 40, Some(10), 2, "append"),
            set_main(40)
        ]))
        .await;
    assert!(
        matches!(&proof, AppendProof::Fails(reason) if reason.contains("is not there")),
        "{proof:?}"
    );
}
