// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What rows of federated catalogs stand for.

use lakeward_metadata::kind::ObjectKind;

use super::scene::Scene;
use crate::{Area, NewObject};

pub(super) async fn a_uuid_stands_for_one_row(scene: &Scene) {
    let tree = scene.table().await;
    let mut write = scene.write(tree.metalake).await;
    write
        .set_upstream_uuid(tree.table, tree.catalog, "u-1")
        .await
        .unwrap();
    write.commit().await.unwrap();

    let mut snapshot = scene.store.snapshot().await.unwrap();
    assert_eq!(
        snapshot.upstream_uuid(tree.table).await.unwrap().as_deref(),
        Some("u-1")
    );
    assert_eq!(snapshot.upstream_uuid(tree.schema).await.unwrap(), None);
    for (catalog, uuid, expected) in [
        (tree.catalog, "u-1", Some(tree.table)),
        (tree.catalog, "u-2", None),
        (tree.metalake, "u-1", None),
    ] {
        let found = snapshot.with_upstream_uuid(catalog, uuid).await.unwrap();
        assert_eq!(found, expected, "{catalog} {uuid}");
    }
    drop(snapshot);

    let mut write = scene.write(tree.metalake).await;
    let other = NewObject::named(tree.schema, ObjectKind::Table, "other");
    let other = write.create_object(&other).await.unwrap();
    let taken = write.set_upstream_uuid(other.id, tree.catalog, "u-1").await;
    assert!(taken.unwrap_err().is_unique());
    drop(write);
    let areas = [Area::Identities];
    let mut narrow = scene.store.write(tree.metalake, &areas, "ann").await.unwrap();
    assert!(
        narrow
            .set_upstream_uuid(tree.table, tree.catalog, "u-3")
            .await
            .is_err()
    );
    drop(narrow);

    // It goes with its row, and the UUID is free for another.
    let mut write = scene.write(tree.metalake).await;
    write.drop_object(tree.table).await.unwrap();
    let again = NewObject::named(tree.schema, ObjectKind::Table, "again");
    let again = write.create_object(&again).await.unwrap();
    write
        .set_upstream_uuid(again.id, tree.catalog, "u-1")
        .await
        .unwrap();
    write.commit().await.unwrap();
}
