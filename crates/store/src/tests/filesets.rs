// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Where filesets lie.

use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind::{Catalog, Fileset, Metalake, Schema};

use super::scene::{Scene, Tree};
use crate::{Claimed, FilesetLocationRow, NewObject, Write};

/// Claims a location for a fileset, where it may lie beside those that are named.
pub(super) async fn claim(
    write: &mut Write,
    fileset: ObjectId,
    location: &str,
    beside: &[ObjectId],
) -> Claimed {
    let place = FilesetLocationRow {
        name: location.replace('/', "-"),
        location: location.to_owned(),
        shown: location.replace("file:///", "file:/"),
    };
    let beside = beside.iter().copied().collect();
    write
        .claim_fileset_location(fileset, &place, &beside)
        .await
        .unwrap()
}

async fn fileset(write: &mut Write, tree: &Tree, name: &str) -> ObjectId {
    let mut new = NewObject::named(tree.schema, Fileset, name);
    new.detail = serde_json::json!({"type": "managed"});
    write.create_object(&new).await.unwrap().id
}

pub(super) async fn places_come_and_go_with_filesets(scene: &Scene) {
    let tree = scene.table().await;
    let mut write = scene.write(tree.metalake).await;
    let first = fileset(&mut write, &tree, "f").await;
    let second = fileset(&mut write, &tree, "g").await;
    for (id, location) in [
        (first, "file:///w/f"),
        (first, "s3://b/f"),
        (second, "file:///w/g"),
    ] {
        assert_eq!(claim(&mut write, id, location, &[]).await, Claimed::Mine);
    }
    write.commit().await.unwrap();
    let mut snapshot = scene.store.snapshot().await.unwrap();
    let places = snapshot.fileset_locations(first).await.unwrap();
    let shown: Vec<_> = places
        .iter()
        .map(|place| (place.location.as_str(), place.shown.as_str()))
        .collect();
    assert_eq!(shown, [("file:///w/f", "file:/w/f"), ("s3://b/f", "s3://b/f")]);
    for container in [tree.metalake, tree.catalog, tree.schema] {
        let below = snapshot.filesets_below(container).await.unwrap();
        let told: Vec<_> = below
            .iter()
            .map(|fileset| (fileset.id, fileset.schema_id, fileset.locations.len()))
            .collect();
        assert_eq!(told, [(first, tree.schema, 2), (second, tree.schema, 1)]);
        assert_eq!(below[0].detail["type"], "managed");
    }
    assert_eq!(snapshot.filesets_below(first).await.unwrap().len(), 1);
    assert_eq!(snapshot.filesets_below(tree.table).await.unwrap(), []);
    drop(snapshot);
    // A place is free again when its fileset has ended.
    let mut write = scene.write(tree.metalake).await;
    write.drop_object(first).await.unwrap();
    let again = fileset(&mut write, &tree, "f").await;
    assert_eq!(
        claim(&mut write, again, "file:///w/f/x", &[]).await,
        Claimed::Mine
    );
    assert_eq!(write.fileset_locations(first).await.unwrap(), []);
    write.drop_object(tree.schema).await.unwrap();
    assert_eq!(write.filesets_below(tree.catalog).await.unwrap(), []);
}

pub(super) async fn tables_and_filesets_never_overlap(scene: &Scene) {
    let tree = scene.table().await;
    let mut write = scene.write(tree.metalake).await;
    let claimed = write.claim_table_location(tree.table, "file:///w/t").await;
    assert_eq!(claimed.unwrap(), Claimed::Mine);
    let claimed = write.claim_table_location(tree.table, "file:///new/t").await;
    assert_eq!(claimed.unwrap(), Claimed::Mine);
    let id = fileset(&mut write, &tree, "f").await;
    for location in [
        "file:///w/t",
        "file:///w",
        "file:///w/t/x/y",
        "file:///new/t",
        "file:///new",
    ] {
        assert_eq!(
            claim(&mut write, id, location, &[tree.table]).await,
            Claimed::Taken(tree.table),
            "{location}"
        );
    }
    for location in ["file:///w/t2", "file:///w/f/in"] {
        assert_eq!(
            claim(&mut write, id, location, &[]).await,
            Claimed::Mine,
            "{location}"
        );
    }
    for location in [
        "file:///w/f",
        "file:///w/f/in",
        "file:///w/f/in/t",
        "file:///w/t2/x",
    ] {
        let claimed = write.claim_table_location(tree.table, location).await;
        assert_eq!(claimed.unwrap(), Claimed::Taken(id), "{location}");
        assert_eq!(
            write.location_holder(location, Some(tree.table)).await.unwrap(),
            Some(id)
        );
    }
    let free = write.claim_table_location(tree.table, "file:///w/f2").await;
    assert_eq!(free.unwrap(), Claimed::Mine);
}

pub(super) async fn filesets_overlap_only_when_meant(scene: &Scene) {
    let tree = scene.table().await;
    let mut write = scene.write(tree.metalake).await;
    let first = fileset(&mut write, &tree, "f").await;
    assert_eq!(claim(&mut write, first, "file:///w/f", &[]).await, Claimed::Mine);
    let second = fileset(&mut write, &tree, "g").await;
    for location in ["file:///w/f", "file:///w", "file:///w/f/x"] {
        assert_eq!(
            claim(&mut write, second, location, &[tree.table]).await,
            Claimed::Taken(first),
            "{location}"
        );
    }
    assert_eq!(
        claim(&mut write, second, "file:///w/f/x", &[first]).await,
        Claimed::Mine
    );
    let above = write.filesets_overlapping("file:///w", None).await.unwrap();
    assert_eq!(above.into_iter().collect::<Vec<_>>(), [first, second]);
    let others = write
        .filesets_overlapping("file:///w/f/x", Some(second))
        .await
        .unwrap();
    assert_eq!(others.into_iter().collect::<Vec<_>>(), [first]);
}

pub(super) async fn claims_of_both_kinds_wait_for_each_other(scene: &Scene) {
    let tree = scene.table().await;
    let node = scene.node().await;
    let mut first = scene.write(tree.metalake).await;
    let claimed = first.claim_table_location(tree.table, "s3://b/t").await;
    assert_eq!(claimed.unwrap(), Claimed::Mine);
    // In another metalake, hence not behind the same counter.
    let other = async {
        let mut write = node.write_server("bob").await.unwrap();
        let mut parent = crate::ROOT;
        for (kind, name) in [(Metalake, "other"), (Catalog, "c"), (Schema, "s"), (Fileset, "f")] {
            let new = NewObject::named(parent, kind, name);
            parent = write.create_object(&new).await.unwrap().id;
        }
        let claimed = claim(&mut write, parent, "s3://b/t/u", &[]).await;
        drop(write);
        claimed
    };
    let commit = async {
        tokio::task::yield_now().await;
        first.commit().await.unwrap();
    };
    let (claimed, ()) = tokio::join!(other, commit);
    assert_eq!(claimed, Claimed::Taken(tree.table));
}
