// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Counters and the change log.

use lakeward_metadata::kind::ObjectKind::{Catalog, Schema, Tag};

use super::scene::{Scene, user};
use crate::{Area, Change, NewObject, NewUser};

pub(super) async fn every_area_counts_alone(scene: &Scene) {
    let metalake = scene.metalake("m").await;
    let (id, before) = scene.store.current("m").await.unwrap().unwrap();
    assert_eq!(id, metalake);
    for area in Area::OF_METALAKE {
        let (_, old) = scene.store.current("m").await.unwrap().unwrap();
        let write = scene.store.write(metalake, &[area], "ann").await.unwrap();
        assert_eq!(write.counted(area), Some(old.of(area) + 1));
        write.commit().await.unwrap();
        let (_, new) = scene.store.current("m").await.unwrap().unwrap();
        for other in Area::OF_METALAKE {
            assert_eq!(
                new.of(other),
                old.of(other) + i64::from(other == area),
                "{other:?}"
            );
        }
    }
    let other = scene.metalake("n").await;
    let (_, after) = scene.store.current("m").await.unwrap().unwrap();
    assert_eq!(after.server, before.server + 1);
    assert_eq!(after.objects, before.objects + 1);
    let mut snapshot = scene.store.snapshot().await.unwrap();
    assert_eq!(snapshot.revision(metalake).await.unwrap(), after);
    assert_eq!(snapshot.current("m").await.unwrap(), Some((metalake, after)));
    assert_eq!(snapshot.server_revision().await.unwrap(), after.server);
    assert_eq!(snapshot.revision(other).await.unwrap().objects, 1);
}

/// With a sequence instead of a counter row, a reader sees revision 2 before 1 is committed and skips it for ever.
pub(super) async fn revisions_follow_commits(scene: &Scene) {
    let metalake = scene.metalake("m").await;
    let mut writers = Vec::new();
    for number in 0..4 {
        let node = scene.node().await;
        writers.push(tokio::spawn(async move {
            for round in 0..8 {
                let mut write = node.write(metalake, &[Area::Objects], "ann").await.unwrap();
                let name = format!("c{number}_{round}");
                write
                    .create_object(&NewObject::named(metalake, Catalog, name))
                    .await
                    .unwrap();
                tokio::task::yield_now().await;
                write.commit().await.unwrap();
            }
        }));
    }
    let mut cursor = 1;
    let mut seen = Vec::new();
    while seen.len() < 32 {
        let mut snapshot = scene.store.snapshot().await.unwrap();
        let rows = snapshot
            .changes_since(metalake, Area::Objects, cursor, 1000)
            .await
            .unwrap();
        let now = snapshot.revision(metalake).await.unwrap().objects;
        for row in rows {
            assert_eq!(row.revision, cursor + 1, "a revision was skipped");
            cursor = row.revision;
            seen.push(row.object_name);
        }
        assert_eq!(cursor, now, "the log and the counter are of one state");
    }
    for writer in writers {
        writer.await.unwrap();
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 32);
}

pub(super) async fn hints_agree_with_the_database(scene: &Scene) {
    let metalake = scene.metalake("m").await;
    for round in 0..3 {
        let mut write = scene.write(metalake).await;
        write
            .create_object(&NewObject::named(metalake, Tag, format!("t{round}")))
            .await
            .unwrap();
        write.commit().await.unwrap();
        let mut snapshot = scene.store.snapshot().await.unwrap();
        let stored = snapshot.revision(metalake).await.unwrap();
        drop(snapshot);
        let hint = scene.store.revision_hint(metalake);
        if scene.store.is_shared() {
            assert_eq!((hint, scene.store.server_revision_hint()), (None, None));
        } else {
            assert_eq!(hint, Some(stored));
            assert_eq!(scene.store.server_revision_hint(), Some(stored.server));
        }
        assert_eq!(scene.store.server_revision().await.unwrap(), stored.server);
        assert_eq!(scene.store.current("m").await.unwrap(), Some((metalake, stored)));
        let node = scene.node().await;
        assert_eq!(node.current("m").await.unwrap(), Some((metalake, stored)));
    }
    assert_eq!(scene.store.current("no such").await.unwrap(), None);
    // A name that is given to another metalake.
    let mut write = scene
        .store
        .write(metalake, &[Area::Server, Area::Objects], "ann")
        .await
        .unwrap();
    write.rename_object(metalake, "renamed").await.unwrap();
    write.commit().await.unwrap();
    assert_eq!(scene.store.current("m").await.unwrap(), None);
    let other = scene.metalake("m").await;
    assert_eq!(scene.store.current("m").await.unwrap().unwrap().0, other);
    assert_eq!(scene.store.current("renamed").await.unwrap().unwrap().0, metalake);
}

pub(super) async fn the_change_log_says_what_changed(scene: &Scene) {
    let metalake = scene.metalake("m").await;
    let start = scene.store.current("m").await.unwrap().unwrap().1;
    let mut write = scene.write(metalake).await;
    let catalog = write
        .create_object(&NewObject::named(metalake, Catalog, "c"))
        .await
        .unwrap();
    write
        .create_object(&NewObject::named(catalog.id, Schema, "s"))
        .await
        .unwrap();
    write.rename_object(catalog.id, "d").await.unwrap();
    write.add_user(&NewUser::named("bob")).await.unwrap();
    write.set_owner(catalog.id, &user("bob")).await.unwrap();
    write.drop_object(catalog.id).await.unwrap();
    write.commit().await.unwrap();
    let mut snapshot = scene.store.snapshot().await.unwrap();
    let rows = snapshot
        .changes_since(metalake, Area::Objects, start.objects, 100)
        .await
        .unwrap();
    let changes: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                row.change,
                row.kind.as_str(),
                row.object_name.as_str(),
                row.actor.as_str(),
            )
        })
        .collect();
    assert_eq!(
        changes,
        [
            (Change::Create, "CATALOG", "c", "ann"),
            (Change::Create, "SCHEMA", "s", "ann"),
            (Change::Rename, "CATALOG", "c", "ann"),
            (Change::SetOwner, "CATALOG", "d", "ann"),
            (Change::Drop, "CATALOG", "d", "ann"),
        ]
    );
    assert!(rows.iter().all(|row| row.revision == start.objects + 1));
    let identities = snapshot
        .changes_since(metalake, Area::Identities, start.identities, 100)
        .await
        .unwrap();
    assert_eq!(identities[0].object_name, "bob");
    let server = snapshot
        .changes_since(crate::ROOT, Area::Server, 0, 100)
        .await
        .unwrap();
    assert_eq!(server[0].object_name, "m");
    drop(snapshot);

    let mut write = scene.store.write_server("ann").await.unwrap();
    assert_eq!(write.prune_change_log(0).await.unwrap(), 0);
    assert!(write.prune_change_log(i64::MAX).await.unwrap() >= 7);
}

pub(super) async fn a_failed_write_counts_nothing(scene: &Scene) {
    let metalake = scene.metalake("m").await;
    scene.object(metalake, metalake, Catalog, "c").await;
    let before = scene.store.current("m").await.unwrap();
    for _ in 0..3 {
        let mut write = scene.write(metalake).await;
        let error = write
            .create_object(&NewObject::named(metalake, Catalog, "c"))
            .await
            .unwrap_err();
        assert!(error.is_unique());
    }
    assert_eq!(scene.store.current("m").await.unwrap(), before);
    let node = scene.node().await;
    assert_eq!(node.current("m").await.unwrap(), before);
}
