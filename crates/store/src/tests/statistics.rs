// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Statistics of tables and partitions.

use super::scene::Scene;
use crate::{Area, NewStatistic, PartitionRange};

fn new(partition: Option<&str>, name: &str, value: &str) -> NewStatistic {
    NewStatistic {
        partition: partition.map(str::to_owned),
        name: name.to_owned(),
        value: value.to_owned(),
    }
}

pub(super) async fn they_are_set_ranged_and_dropped(scene: &Scene) {
    let tree = scene.table().await;
    let write = async |actor: &str, statistics: &[NewStatistic]| {
        let mut write = scene.store.write(tree.metalake, &[], actor).await.unwrap();
        for statistic in statistics {
            write.put_statistic(tree.table, statistic).await.unwrap();
        }
        write.commit().await.unwrap();
    };
    let partitions = ["p=1", "p=10", "p=2", "p=B", "p=a"].map(|name| new(Some(name), "custom-rows", "1"));
    write(
        "ann",
        &[new(None, "custom-b", "1"), new(None, "custom-a", "[\"x\"]")],
    )
    .await;
    write("ann", &partitions).await;
    write("bob", &[new(None, "custom-b", "{\"y\":2}")]).await;

    let mut snapshot = scene.store.snapshot().await.unwrap();
    let found = snapshot.statistics(tree.table).await.unwrap();
    let names: Vec<&str> = found.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["custom-a", "custom-b"]);
    let changed = &found[1];
    assert_eq!(changed.value, "{\"y\":2}");
    assert_eq!(
        (
            changed.audit.creator.as_str(),
            changed.audit.last_modifier.as_deref()
        ),
        ("ann", Some("bob"))
    );
    let bound = |name: &str, counts: bool| Some((name.to_owned(), counts));
    for (from, to, expected) in [
        (None, None, &["p=1", "p=10", "p=2", "p=B", "p=a"][..]),
        (bound("p=1", false), None, &["p=10", "p=2", "p=B", "p=a"]),
        (bound("p=1", true), bound("p=2", false), &["p=1", "p=10"]),
        (bound("p=1", true), bound("p=2", true), &["p=1", "p=10", "p=2"]),
        (bound("p=2", true), bound("p=1", true), &[]),
        (None, bound("p=B", true), &["p=1", "p=10", "p=2", "p=B"]),
    ] {
        let range = PartitionRange { from, to };
        let rows = snapshot.partition_statistics(tree.table, &range).await.unwrap();
        let names: Vec<&str> = rows.iter().filter_map(|row| row.partition.as_deref()).collect();
        assert_eq!(names, expected, "{range:?}");
    }
    drop(snapshot);

    let mut write = scene.store.write(tree.metalake, &[], "ann").await.unwrap();
    assert!(write.drop_statistic(tree.table, None, "custom-a").await.unwrap());
    assert!(!write.drop_statistic(tree.table, None, "custom-a").await.unwrap());
    assert!(
        !write
            .drop_statistic(tree.table, None, "custom-rows")
            .await
            .unwrap()
    );
    assert!(
        write
            .drop_statistic(tree.table, Some("p=1"), "custom-rows")
            .await
            .unwrap()
    );
    write.commit().await.unwrap();
}

pub(super) async fn they_go_with_their_table(scene: &Scene) {
    let tree = scene.table().await;
    let mut write = scene.store.write(tree.metalake, &[], "ann").await.unwrap();
    let rows = new(Some("p"), "custom-rows", "1");
    write.put_statistic(tree.table, &rows).await.unwrap();
    write.commit().await.unwrap();
    let areas = [Area::Objects, Area::Grants, Area::Governance];
    let mut write = scene.store.write(tree.metalake, &areas, "ann").await.unwrap();
    write.drop_object(tree.table).await.unwrap();
    assert!(
        write
            .put_statistic(tree.table, &rows)
            .await
            .unwrap_err()
            .is_missing()
    );
    write.commit().await.unwrap();
    let mut snapshot = scene.store.snapshot().await.unwrap();
    let all = PartitionRange::default();
    assert_eq!(snapshot.partition_statistics(tree.table, &all).await.unwrap(), []);
}
