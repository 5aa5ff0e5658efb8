// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which files may be taken away, with real manifest lists and manifests.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use lakeward_catalog::loaded_table::LoadedTable;
use lakeward_catalog::table_maintenance::{Expiry, FoundFile, FoundFiles, NamedFiles, Sought};

use super::append::{Put, Scene};
use super::*;

const MANY: usize = 1000;

impl Scene {
    /// A table whose snapshot 20 replaced the file `a` of 10 by `c` and kept `b`; gives the version before it and it.
    async fn replaced() -> (Self, LoadedTable, LoadedTable) {
        let mut scene = Self::new().await;
        let before = scene.at(&scene.base).await;
        let kept = scene.first[1].clone();
        let gone = scene.manifest("a2", 20, [Put::Remove(scene.file("a"))]).await;
        let new = scene.manifest("c", 20, [Put::Add(scene.file("c"))]).await;
        scene.list(20, 2, vec![kept, gone, new]).await;
        let updates = json!([
            scene.bench.snapshot("t", 20, Some(10), 2, "overwrite"),
            set_main(20)
        ]);
        scene.base = scene.bench.commit(&scene.base, updates).await;
        let after = scene.at(&scene.base).await;
        (scene, before, after)
    }

    async fn at(&self, location: &str) -> LoadedTable {
        let loaded = self
            .bench
            .tables()
            .load(MetadataFile::at(location))
            .await
            .unwrap();
        loaded.map_ref(Clone::clone)
    }

    /// Expires all but the current snapshot; gives the version after it.
    async fn expired(&self, table: &LoadedTable) -> (Vec<i64>, LoadedTable) {
        let expiry = Expiry {
            now: i64::MAX / 2,
            older_than: None,
            retain_last: None,
            allow_recent: false,
        };
        let planned = self.bench.maintenance().plan_expiry(table, &expiry).unwrap();
        let commit = planned.commit;
        let at = self
            .bench
            .plan(
                &table.metadata_location,
                Value::Array(commit.requirements),
                Value::Array(commit.updates),
            )
            .await
            .unwrap();
        self.bench.tables().write(&at).await.unwrap();
        (planned.snapshots, self.at(&location(&at)).await)
    }

    async fn doomed(&self, table: &LoadedTable, most: usize) -> Result<FoundFiles, CatalogError> {
        let (snapshots, after) = self.expired(table).await;
        let mut named = NamedFiles::default();
        let maintenance = self.bench.maintenance();
        maintenance.note_living(&after, &mut named).await?;
        maintenance
            .files_of_expired(table, &snapshots, &named, most)
            .await
    }

    fn path(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("{}/{name}", self.folder().trim_start_matches("file://")))
    }

    /// Writes a file that is as old as is said.
    fn put(&self, name: &str, age: Duration) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, b"four").unwrap();
        self.age(name, age);
    }

    fn age(&self, name: &str, age: Duration) {
        let path = self.path(name);
        let file = fs::File::options().write(true).open(&path).unwrap();
        let written = file.metadata().unwrap().modified().unwrap();
        file.set_modified(written - age).unwrap();
    }

    async fn unnamed(&self, table: &LoadedTable, sought: Sought) -> Result<Vec<String>, CatalogError> {
        let mut named = NamedFiles::default();
        let maintenance = self.bench.maintenance();
        maintenance.note_everything(table, &mut named).await?;
        let hour_ago = chrono::Utc::now().timestamp_millis() - 3_600_000;
        let found = maintenance
            .find_unnamed(table, sought, hour_ago, &named, MANY)
            .await?;
        Ok(self.names(&found))
    }

    /// The names of found files in the folder of the table, in order.
    fn names(&self, found: &FoundFiles) -> Vec<String> {
        let folder = format!("{}/", self.folder());
        let name = |file: &FoundFile| file.location.strip_prefix(&folder).unwrap().to_owned();
        let mut names: Vec<String> = found.files.iter().map(name).collect();
        names.sort();
        names
    }
}

const OLD: Duration = Duration::from_secs(7200);

#[tokio::test]
async fn what_only_an_expired_snapshot_names_goes() {
    let (scene, _, table) = Scene::replaced().await;
    let found = scene.doomed(&table, MANY).await.unwrap();
    assert_eq!(
        scene.names(&found),
        ["data/a.parquet", "metadata/a.avro", "metadata/snap-10.avro"]
    );
    assert_eq!((found.is_cut, found.outside), (false, 0));
    let data = found
        .files
        .iter()
        .find(|file| file.location.ends_with("a.parquet"));
    assert_eq!(data.unwrap().bytes, Some(100));
    let cut = scene.doomed(&table, 2).await.unwrap();
    assert_eq!((cut.files.len(), cut.is_cut), (2, true));
}

#[tokio::test]
async fn files_elsewhere_are_counted_and_left() {
    let (mut scene, _, table) = Scene::replaced().await;
    scene.base.clone_from(&table.metadata_location);
    let elsewhere = scene.file_at(&format!("{}/ns/other/data/x.parquet", scene.bench.warehouse()), 1);
    let borrowed = scene.manifest("x", 30, [Put::Add(elsewhere)]).await;
    scene.list(30, 3, vec![borrowed]).await;
    let updates = json!([
        scene.bench.snapshot("t", 30, Some(20), 3, "overwrite"),
        set_main(30)
    ]);
    let at = scene.bench.commit(&scene.base, updates).await;
    scene.list(40, 4, Vec::new()).await;
    let updates = json!([
        scene.bench.snapshot("t", 40, Some(30), 4, "overwrite"),
        set_main(40)
    ]);
    let at = scene.bench.commit(&at, updates).await;
    let found = scene.doomed(&scene.at(&at).await, MANY).await.unwrap();
    assert_eq!(found.outside, 1);
    assert!(!scene.names(&found).iter().any(|name| name.contains("x.parquet")));
}

#[tokio::test]
async fn nothing_goes_when_anything_cannot_be_read() {
    for (broken, damage) in [
        ("metadata/snap-20.avro", None),
        ("metadata/c.avro", None),
        ("metadata/b.avro", Some(&b"Obj\x01nonsense"[..])),
        ("metadata/a.avro", None),
        ("metadata/snap-10.avro", Some(&b""[..])),
    ] {
        let (scene, _, table) = Scene::replaced().await;
        match damage {
            None => fs::remove_file(scene.path(broken)).unwrap(),
            Some(content) => fs::write(scene.path(broken), content).unwrap(),
        }
        let doomed = scene.doomed(&table, MANY).await;
        assert!(
            matches!(doomed, Err(CatalogError::Unsupported(_))),
            "{broken}: {doomed:?}"
        );
        let unnamed = scene.unnamed(&table, Sought::Everything).await;
        assert!(
            matches!(unnamed, Err(CatalogError::Unsupported(_))),
            "{broken}: {unnamed:?}"
        );
    }
}

#[tokio::test]
async fn nothing_goes_when_a_manifest_is_too_long() {
    let (scene, _, table) = Scene::replaced().await;
    let mut huge = scene.manifest("h", 30, [Put::Add(scene.file("h"))]).await;
    huge.manifest_length = 1 << 40;
    scene.list(30, 3, vec![huge]).await;
    let updates = json!([scene.bench.snapshot("t", 30, Some(20), 3, "append"), set_main(30)]);
    let table = scene
        .at(&scene.bench.commit(&table.metadata_location, updates).await)
        .await;
    let unnamed = scene.unnamed(&table, Sought::Everything).await;
    let refused = unnamed.unwrap_err().to_string();
    assert!(refused.contains("h.avro` has more than"), "{refused}");
}

#[tokio::test]
async fn what_nothing_names_is_found_by_its_age() {
    let (scene, _, table) = Scene::replaced().await;
    for name in [
        "data/orphan.parquet",
        "data/p=1/deep.parquet",
        "metadata/lost-m0.avro",
        "metadata/00009-9c12d441.metadata.json",
        // Named, though only as deleted, or by the older version.
        "data/a.parquet",
        "data/b.parquet",
        // Left alone.
        "data/.hidden",
        "_SUCCESS",
        "_temporary/x.parquet",
        "metadata/version-hint.text",
    ] {
        scene.put(name, OLD);
    }
    scene.put("data/young.parquet", Duration::ZERO);
    std::os::unix::fs::symlink(scene.path("data"), scene.path("link")).unwrap();
    assert_eq!(
        scene.unnamed(&table, Sought::Everything).await.unwrap(),
        [
            "data/orphan.parquet",
            "data/p=1/deep.parquet",
            "metadata/00009-9c12d441.metadata.json",
            "metadata/lost-m0.avro",
        ]
    );
    assert_eq!(
        scene.unnamed(&table, Sought::MetadataFiles).await.unwrap(),
        ["metadata/00009-9c12d441.metadata.json"]
    );
}

#[tokio::test]
async fn what_older_metadata_names_stays_as_long_as_it_is_there() {
    let (scene, _, table) = Scene::replaced().await;
    let (_, after) = scene.expired(&table).await;
    scene.put("data/orphan.parquet", OLD);
    scene.age("metadata/a.avro", OLD);
    assert_eq!(
        scene.unnamed(&after, Sought::Everything).await.unwrap(),
        ["data/orphan.parquet"]
    );
    // Without its list the expired snapshot names nothing any more, and that is no doubt.
    fs::remove_file(scene.path("metadata/snap-10.avro")).unwrap();
    assert_eq!(
        scene.unnamed(&after, Sought::Everything).await.unwrap(),
        ["data/orphan.parquet", "metadata/a.avro"]
    );
}

#[tokio::test]
async fn names_are_compared_by_what_they_mean() {
    let mut scene = Scene::new().await;
    let folder = scene.folder();
    let plain = folder.trim_start_matches("file://").to_owned();
    std::os::unix::fs::symlink(&plain, scene.bench.folder.path().join("way")).unwrap();
    let way = scene.bench.folder.path().join("way").display().to_string();
    let files = [
        // Another spelling, a percent sign that a client decodes, one that it does not, a link that leads here.
        (format!("file:{plain}/data/x.parquet"), "data/x.parquet"),
        (format!("{folder}/data/p=a%20b/y.parquet"), "data/p=a b/y.parquet"),
        (format!("{folder}/data/p=a b/z.parquet"), "data/p=a%20b/z.parquet"),
        (
            format!("{folder}/data/p=a%2Fb/u.parquet"),
            "data/p=a%2Fb/u.parquet",
        ),
        (format!("{way}/data/v.parquet"), "data/v.parquet"),
    ];
    for (_, name) in &files {
        scene.put(name, OLD);
    }
    let puts: Vec<Put> = files
        .iter()
        .map(|(path, _)| Put::Add(scene.file_at(path, 1)))
        .collect();
    let manifest = scene.manifest("odd", 20, puts).await;
    let mut all = scene.first.clone();
    all.push(manifest);
    scene.list(20, 2, all).await;
    let updates = json!([scene.bench.snapshot("t", 20, Some(10), 2, "append"), set_main(20)]);
    scene.base = scene.bench.commit(&scene.base, updates).await;
    let table = scene.at(&scene.base).await;
    assert_eq!(
        scene.unnamed(&table, Sought::Everything).await.unwrap(),
        Vec::<String>::new()
    );
}

#[tokio::test]
async fn a_file_that_cannot_be_compared_stops_everything() {
    for path in ["hdfs://n/x.parquet", "relative.parquet", "file:///w//x.parquet"] {
        let mut scene = Scene::new().await;
        let manifest = scene
            .manifest("odd", 20, [Put::Add(scene.file_at(path, 1))])
            .await;
        scene.list(20, 2, vec![manifest]).await;
        let updates = json!([scene.bench.snapshot("t", 20, Some(10), 2, "append"), set_main(20)]);
        scene.base = scene.bench.commit(&scene.base, updates).await;
        let table = scene.at(&scene.base).await;
        let unnamed = scene.unnamed(&table, Sought::Everything).await;
        assert!(
            matches!(unnamed, Err(CatalogError::Unsupported(_))),
            "{path}: {unnamed:?}"
        );
    }
}

#[tokio::test]
async fn a_table_whose_files_are_not_its_own_keeps_all() {
    let scene = Scene::new().await;
    let update = json!([{"action": "set-properties", "updates": {"gc.enabled": "FALSE"}}]);
    let table = scene.at(&scene.bench.commit(&scene.base, update).await).await;
    let expiry = Expiry {
        now: 0,
        older_than: None,
        retain_last: None,
        allow_recent: false,
    };
    let planned = scene.bench.maintenance().plan_expiry(&table, &expiry);
    assert!(
        matches!(planned, Err(CatalogError::Unsupported(_))),
        "{planned:?}"
    );
    let unnamed = scene.unnamed(&table, Sought::Everything).await;
    assert!(
        matches!(unnamed, Err(CatalogError::Unsupported(_))),
        "{unnamed:?}"
    );
    // What a job asks about each version that came while it deletes.
    let mut named = NamedFiles::default();
    let maintenance = scene.bench.maintenance();
    for followed in [
        maintenance.note_living(&table, &mut named).await,
        maintenance.note_everything(&table, &mut named).await,
        maintenance.note_metadata(&table, &mut named).await,
    ] {
        assert!(
            matches!(followed, Err(CatalogError::Unsupported(_))),
            "{followed:?}"
        );
    }
}

#[tokio::test]
async fn what_is_named_by_a_link_in_the_table_is_named() {
    let scene = Scene::new().await;
    fs::rename(scene.path("metadata"), scene.path("real")).unwrap();
    std::os::unix::fs::symlink(scene.path("real"), scene.path("metadata")).unwrap();
    for entry in fs::read_dir(scene.path("real")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        scene.age(&format!("real/{name}"), OLD);
    }
    let table = scene.at(&scene.base).await;
    assert_eq!(
        scene.unnamed(&table, Sought::Everything).await.unwrap(),
        Vec::<String>::new()
    );
}

#[tokio::test]
async fn only_files_inside_are_deleted() {
    let scene = Scene::new().await;
    let table = scene.at(&scene.base).await;
    scene.put("data/x.parquet", OLD);
    let other = scene.bench.folder.path().join("w/ns/t2");
    fs::create_dir_all(&other).unwrap();
    fs::write(other.join("y"), b"y").unwrap();
    std::os::unix::fs::symlink(&other, scene.path("data/link")).unwrap();
    let file = |location: String| FoundFile {
        location,
        bytes: None,
    };
    let maintenance = scene.bench.maintenance();
    for refused in [
        scene.folder(),
        format!("{}/ns/t2/y", scene.bench.warehouse()),
        format!("{}/data/../../t2/y", scene.folder()),
        format!("{}/data/link/y", scene.folder()),
    ] {
        let deleted = maintenance.delete_file(&table, &file(refused.clone())).await;
        assert!(
            matches!(deleted, Err(CatalogError::LocationRefused(_))),
            "{refused}: {deleted:?}"
        );
    }
    let own = file(format!("{}/data/x.parquet", scene.folder()));
    for _ in 0..2 {
        maintenance.delete_file(&table, &own).await.unwrap();
    }
    assert!(!scene.path("data/x.parquet").exists() && other.join("y").exists());
}

#[tokio::test]
async fn nothing_builds_on_what_was_expired() {
    let (scene, _, table) = Scene::replaced().await;
    let (snapshots, after) = scene.expired(&table).await;
    let updates = json!([scene
        .bench
        .snapshot("t", 99, snapshots.first().copied(), 9, "append")]);
    let planned = scene
        .bench
        .plan(&after.metadata_location, json!([]), updates)
        .await;
    assert!(
        matches!(planned, Err(CatalogError::RequirementFailed(_))),
        "{planned:?}"
    );
}
