// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Table pointers.

use lakeward_metadata::kind::ObjectKind::Table;

use super::scene::{Scene, Tree};
use crate::{Area, Claimed, Grounds, NewObject, PointerSwap, ReadMetadata, Swapped};

fn swap(tree: &Tree, expected: &str, new: &str) -> PointerSwap {
    PointerSwap {
        table_id: tree.table,
        expected: expected.to_owned(),
        new: new.to_owned(),
        new_digest: format!("digest of {new}"),
    }
}

pub(super) async fn a_pointer_moves_by_compare_and_swap(scene: &Scene) {
    let tree = scene.table().await;
    let before = scene.store.current("m").await.unwrap();
    let Swapped::All(pointers) = scene
        .store
        .swap_table_pointers(&[swap(&tree, "loc/1", "loc/2")], None, "ann")
        .await
        .unwrap()
    else {
        panic!("the only writer lost");
    };
    assert_eq!(pointers[0].metadata_location, "loc/2");
    assert_eq!(pointers[0].previous_metadata_location.as_deref(), Some("loc/1"));
    assert_eq!(pointers[0].version, 2);
    let lost = scene
        .store
        .swap_table_pointers(&[swap(&tree, "loc/1", "loc/3")], None, "ann")
        .await
        .unwrap();
    assert_eq!(lost, Swapped::Lost(tree.table));
    let mut snapshot = scene.store.snapshot().await.unwrap();
    assert_eq!(
        snapshot.table_pointer(tree.table).await.unwrap().as_ref(),
        Some(&pointers[0])
    );
    assert_eq!(
        snapshot.table_locations(tree.metalake).await.unwrap(),
        [(tree.table, "loc/2".to_owned())]
    );
    drop(snapshot);
    // Commits take no counter.
    assert_eq!(scene.store.current("m").await.unwrap(), before);

    // Nothing that a commit was decided on may change before it is made.
    let metalake = tree.metalake;
    let mut grounds = Grounds {
        metalake,
        revision: before.unwrap().1,
    };
    for area in [
        None,
        Some(Area::Objects),
        Some(Area::Server),
        Some(Area::Governance),
    ] {
        let write = scene
            .store
            .write(tree.metalake, area.as_slice(), "ann")
            .await
            .unwrap();
        write.commit().await.unwrap();
        let expected = area.is_none();
        let next = swap(&tree, "loc/2", "loc/3");
        let swapped = scene
            .store
            .swap_table_pointers(&[next], Some(&grounds), "ann")
            .await
            .unwrap();
        assert_eq!(swapped != Swapped::Overtaken, expected, "{area:?}");
        let back = swap(&tree, "loc/3", "loc/2");
        let undone = scene
            .store
            .swap_table_pointers(&[back], None, "ann")
            .await
            .unwrap();
        assert_eq!(undone != Swapped::Lost(tree.table), expected, "{area:?}");
        let (_, revision) = scene.store.current("m").await.unwrap().unwrap();
        grounds = Grounds { metalake, revision };
    }

    let mut write = scene.write(tree.metalake).await;
    let error = write
        .set_table_pointer(tree.table, "x", "y", "z")
        .await
        .unwrap_err();
    assert!(error.is_unique(), "{error}");
    drop(write);
    let mut write = scene.write(tree.metalake).await;
    write.drop_object(tree.table).await.unwrap();
    write.commit().await.unwrap();
    let lost = scene
        .store
        .swap_table_pointers(&[swap(&tree, "loc/2", "loc/3")], None, "ann")
        .await
        .unwrap();
    assert_eq!(lost, Swapped::Lost(tree.table));
    let node = scene.node().await;
    assert_eq!(node.table_pointer(tree.table).await.unwrap(), None);
}

pub(super) async fn a_transaction_moves_all_or_none(scene: &Scene) {
    let tree = scene.table().await;
    let mut write = scene.write(tree.metalake).await;
    let other = write
        .create_object(&NewObject::named(tree.schema, Table, "u"))
        .await
        .unwrap()
        .id;
    write
        .set_table_pointer(other, "u/1", "uuid-2", "one")
        .await
        .unwrap();
    write.commit().await.unwrap();
    let second = |expected: &str, new: &str| PointerSwap {
        table_id: other,
        expected: expected.to_owned(),
        new: new.to_owned(),
        new_digest: format!("digest of {new}"),
    };
    let lost = scene
        .store
        .swap_table_pointers(
            &[swap(&tree, "loc/1", "loc/2"), second("stale", "u/2")],
            None,
            "ann",
        )
        .await
        .unwrap();
    assert_eq!(lost, Swapped::Lost(other));
    let pointer = scene.store.table_pointer(tree.table).await.unwrap().unwrap();
    assert_eq!(pointer.metadata_location, "loc/1");
    let Swapped::All(pointers) = scene
        .store
        .swap_table_pointers(
            &[second("u/1", "u/2"), swap(&tree, "loc/1", "loc/2")],
            None,
            "ann",
        )
        .await
        .unwrap()
    else {
        panic!("the only writer lost");
    };
    assert_eq!(pointers[0].metadata_location, "u/2");
    assert_eq!(pointers[1].metadata_location, "loc/2");
}

pub(super) async fn one_of_many_committers_wins(scene: &Scene) {
    let tree = scene.table().await;
    let mut nodes = Vec::new();
    for _ in 0..4 {
        nodes.push(scene.node().await);
    }
    for round in 1..6 {
        let mut tasks = Vec::new();
        for (number, node) in nodes.iter().cloned().enumerate() {
            let swap = swap(&tree, &format!("loc/{round}"), &format!("try/{round}/{number}"));
            tasks.push(tokio::spawn(async move {
                node.swap_table_pointers(&[swap], None, "ann").await.unwrap()
            }));
        }
        let mut winners = Vec::new();
        for task in tasks {
            if let Swapped::All(pointers) = task.await.unwrap() {
                winners.extend(pointers);
            }
        }
        assert_eq!(winners.len(), 1, "{winners:?}");
        let now = scene.store.table_pointer(tree.table).await.unwrap().unwrap();
        assert_eq!(now, winners[0]);
        let next = swap(&tree, &now.metadata_location, &format!("loc/{}", round + 1));
        scene
            .store
            .swap_table_pointers(&[next], None, "ann")
            .await
            .unwrap();
    }
    for node in nodes {
        let pointer = node.table_pointer(tree.table).await.unwrap().unwrap();
        assert_eq!(
            (pointer.version, pointer.metadata_location.as_str()),
            (11, "loc/6")
        );
    }
}

pub(super) async fn a_cached_pointer_is_never_old(scene: &Scene) {
    let tree = scene.table().await;
    let store = scene.store.clone();
    let reader = tokio::spawn({
        let store = store.clone();
        async move {
            let mut seen = 0;
            while seen < 60 {
                let pointer = store.table_pointer(tree.table).await.unwrap().unwrap();
                assert!(pointer.version >= seen, "{} after {seen}", pointer.version);
                seen = pointer.version;
                let mut snapshot = store.snapshot().await.unwrap();
                let pointer = snapshot.table_pointer(tree.table).await.unwrap().unwrap();
                assert!(pointer.version >= seen, "{} after {seen}", pointer.version);
                seen = pointer.version;
            }
        }
    });
    for round in 1..60 {
        let next = swap(&tree, &format!("loc/{round}"), &format!("loc/{}", round + 1));
        let Swapped::All(pointers) = store.swap_table_pointers(&[next], None, "ann").await.unwrap() else {
            panic!("the only writer lost");
        };
        // What the writer was told, everyone who asks afterwards is told.
        assert_eq!(
            store.table_pointer(tree.table).await.unwrap().as_ref(),
            Some(&pointers[0])
        );
    }
    reader.await.unwrap();
    assert_eq!(store.table_pointer_hint(tree.table).is_some(), !store.is_shared());
}

async fn claim(scene: &Scene, tree: &Tree, location: &str) -> Claimed {
    let mut write = scene.write(tree.metalake).await;
    let other = write
        .create_object(&NewObject::named(tree.schema, Table, location.replace('/', "_")))
        .await
        .unwrap();
    let claimed = write.claim_table_location(other.id, location).await.unwrap();
    if claimed == Claimed::Mine {
        write.commit().await.unwrap();
    }
    claimed
}

pub(super) async fn locations_never_overlap(scene: &Scene) {
    let tree = scene.table().await;
    let mut write = scene.write(tree.metalake).await;
    let claimed = write.claim_table_location(tree.table, "s3://b/x/y").await;
    assert_eq!(claimed.unwrap(), Claimed::Mine);
    write.commit().await.unwrap();
    for taken in ["s3://b/x/y", "s3://b/x/y/z", "s3://b/x", "s3://b"] {
        assert_eq!(
            claim(scene, &tree, taken).await,
            Claimed::Taken(tree.table),
            "{taken}"
        );
    }
    for free in [
        "s3://b/x/y0",
        "s3://b/x/y.z",
        "s3://b/x/Y",
        "s3://bb",
        "file:///b/x/y",
    ] {
        assert_eq!(claim(scene, &tree, free).await, Claimed::Mine, "{free}");
    }
    let mut write = scene.write(tree.metalake).await;
    let again = write.claim_table_location(tree.table, "s3://b/x/y/z").await;
    assert_eq!(again.unwrap(), Claimed::Mine);
    let moved = write.claim_table_location(tree.table, "s3://moved/t").await;
    assert_eq!(moved.unwrap(), Claimed::Mine);
    write.commit().await.unwrap();
    // Its older files are where it lay.
    for taken in ["s3://b/x/y/z", "s3://b/x/y", "s3://b/x/y/z/deeper", "s3://moved"] {
        assert_eq!(
            claim(scene, &tree, taken).await,
            Claimed::Taken(tree.table),
            "{taken}"
        );
    }
    let mut write = scene.write(tree.metalake).await;
    let back = write.claim_table_location(tree.table, "s3://b/x/y/z").await;
    assert_eq!(back.unwrap(), Claimed::Mine);
    write.drop_object(tree.table).await.unwrap();
    write.commit().await.unwrap();
    assert_eq!(claim(scene, &tree, "s3://b/x/y/z").await, Claimed::Mine);
}

pub(super) async fn claims_wait_for_each_other(scene: &Scene) {
    let tree = scene.table().await;
    let node = scene.node().await;
    let mut first = scene.write(tree.metalake).await;
    let claimed = first.claim_table_location(tree.table, "s3://b/t").await;
    assert_eq!(claimed.unwrap(), Claimed::Mine);
    // In another metalake, hence not behind the same counter.
    let other = async {
        let mut write = node.write_server("bob").await.unwrap();
        let metalake = write
            .create_object(&NewObject::named(
                crate::ROOT,
                lakeward_metadata::kind::ObjectKind::Metalake,
                "other",
            ))
            .await
            .unwrap();
        let table = write
            .create_object(&NewObject::named(metalake.id, Table, "t"))
            .await
            .unwrap();
        let claimed = write.claim_table_location(table.id, "s3://b/t/u").await.unwrap();
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

pub(super) async fn a_pointer_moves_with_its_location(scene: &Scene) {
    let tree = scene.table().await;
    let mut write = scene.write(tree.metalake).await;
    let moved = write
        .swap_table_pointer(&swap(&tree, "loc/1", "loc/2"))
        .await
        .unwrap();
    assert_eq!(moved.map(|pointer| pointer.version), Some(2));
    assert_eq!(
        write
            .swap_table_pointer(&swap(&tree, "loc/1", "loc/3"))
            .await
            .unwrap(),
        None
    );
    write.commit().await.unwrap();
    let pointer = scene.store.table_pointer(tree.table).await.unwrap().unwrap();
    assert_eq!(pointer.metadata_location, "loc/2");
}

pub(super) async fn ended_locations_are_remembered(scene: &Scene) {
    let tree = scene.table().await;
    let mut write = scene.write(tree.metalake).await;
    for location in ["s3://b/old", "s3://b/x/t"] {
        write.claim_table_location(tree.table, location).await.unwrap();
    }
    assert!(!write.is_ended_location("s3://b/x/t").await.unwrap());
    write.end_locations(tree.table).await.unwrap();
    write.drop_object(tree.table).await.unwrap();
    write.commit().await.unwrap();
    let mut write = scene.store.write_uncounted().await.unwrap();
    for (location, ended) in [
        ("s3://b/x/t", true),
        ("s3://b/x/t/data", true),
        ("s3://b/x", true),
        ("s3://b/old", true),
        ("s3://b/x/t2", false),
        ("s3://b/x/s", false),
    ] {
        assert_eq!(
            write.is_ended_location(location).await.unwrap(),
            ended,
            "{location}"
        );
    }
    write.forget_ended_locations("s3://b/x").await.unwrap();
    assert!(!write.is_ended_location("s3://b/x/t").await.unwrap());
    assert!(write.is_ended_location("s3://b/old").await.unwrap());
    write.commit().await.unwrap();
}

/// Places that credentials still reach go to nobody else from the drop on, however it comes, until the last of them ends.
pub(super) async fn lent_locations_are_left_to_their_credentials(scene: &Scene) {
    let (past, future) = (1, i64::MAX);
    let tree = scene.table().await;
    let mut write = scene.write(tree.metalake).await;
    for location in ["s3://b/old", "s3://b/x/t"] {
        write.claim_table_location(tree.table, location).await.unwrap();
    }
    write.commit().await.unwrap();
    let mut write = scene.store.write(tree.metalake, &[], "ann").await.unwrap();
    for (location, ends_at) in [
        ("s3://b/x/t", past),
        ("s3://b/x/t", future),
        // One that ends earlier does not end the other.
        ("s3://b/x/t", past),
        ("s3://b/old", future),
        ("s3://b/elsewhere", future),
    ] {
        write.lend_location(location, ends_at).await.unwrap();
        assert!(
            !write.is_lent_location(location).await.unwrap(),
            "its table lives"
        );
    }
    write.commit().await.unwrap();
    let mut write = scene.write(tree.metalake).await;
    write.drop_object(tree.schema).await.unwrap();
    write.commit().await.unwrap();
    let mut write = scene.store.write(tree.metalake, &[], "ann").await.unwrap();
    for (location, is_lent) in [
        ("s3://b/x/t", true),
        ("s3://b/x/t/data", true),
        ("s3://b/x", true),
        ("s3://b/old", true),
        ("s3://b/x/t2", false),
        ("s3://b/x/s", false),
        ("s3://b/elsewhere", false),
    ] {
        let found = write.is_lent_location(location).await.unwrap();
        assert_eq!(found, is_lent, "{location}");
    }
    // Given out once more, it is still that of a table that is gone.
    write.lend_location("s3://b/old", future).await.unwrap();
    assert!(write.is_lent_location("s3://b/old").await.unwrap());
    write.commit().await.unwrap();
}

#[expect(clippy::disallowed_methods, reason = "no statement takes a digest away")]
pub(super) async fn metadata_of_before_digests_is_trusted_once(scene: &Scene) {
    let tree = scene.table().await;
    let mut write = scene
        .store
        .write(tree.metalake, &[Area::Objects], "ann")
        .await
        .unwrap();
    assert_eq!(
        write
            .claim_table_location(tree.table, "file:///w/t")
            .await
            .unwrap(),
        Claimed::Mine
    );
    write.commit().await.unwrap();
    // As a server of before left it.
    sqlx::query("UPDATE iceberg_table SET metadata_digest = NULL")
        .execute(&scene.store.inner.pool)
        .await
        .unwrap();
    let mut snapshot = scene.store.snapshot().await.unwrap();
    let pointer = snapshot.table_pointer(tree.table).await.unwrap().unwrap();
    drop(snapshot);
    assert_eq!(pointer.metadata_digest, None);
    let right = ReadMetadata {
        digest: "right",
        uuid: "uuid",
        location: "file:///w/t",
    };
    let digest_after = async |pointer, read| {
        let now = scene.store.trust_metadata(pointer, read).await.unwrap();
        now.unwrap().metadata_digest
    };
    for wrong in [
        ReadMetadata {
            uuid: "uuid-2",
            ..right
        },
        ReadMetadata {
            location: "file:///w/u",
            ..right
        },
    ] {
        assert_eq!(digest_after(&pointer, wrong).await, None, "{wrong:?}");
    }
    assert_eq!(digest_after(&pointer, right).await.as_deref(), Some("right"));
    let other = ReadMetadata {
        digest: "other",
        ..right
    };
    assert_eq!(digest_after(&pointer, other).await.as_deref(), Some("right"));
    let kept = scene.store.table_pointer(tree.table).await.unwrap().unwrap();
    assert_eq!(kept.metadata_digest.as_deref(), Some("right"));
    // The next version has its own from the start.
    let moved = scene
        .store
        .swap_table_pointers(&[swap(&tree, "loc/1", "loc/2")], None, "ann")
        .await
        .unwrap();
    let Swapped::All(pointers) = moved else {
        panic!("the only writer lost");
    };
    assert_eq!(pointers[0].metadata_digest.as_deref(), Some("digest of loc/2"));
}
