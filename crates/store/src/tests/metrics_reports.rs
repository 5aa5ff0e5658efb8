// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Metrics reports of tables.

use super::scene::{Scene, Tree};

async fn add(scene: &Scene, tree: &Tree, report: &str) {
    let mut write = scene.store.write(tree.metalake, &[], "ann").await.unwrap();
    write
        .add_metrics_report(tree.table, "scan-report", report, 3)
        .await
        .unwrap();
    write.commit().await.unwrap();
}

async fn kept(scene: &Scene, tree: &Tree) -> Vec<String> {
    let mut snapshot = scene.store.snapshot().await.unwrap();
    let rows = snapshot.metrics_reports(tree.table, None, 1_000).await.unwrap();
    assert!(
        rows.iter()
            .all(|row| row.reporter == "ann" && row.kind == "scan-report")
    );
    rows.into_iter().map(|row| row.report).collect()
}

pub(super) async fn the_newest_are_kept(scene: &Scene) {
    let tree = scene.table().await;
    for number in 0..5 {
        add(scene, &tree, &number.to_string()).await;
    }
    assert_eq!(kept(scene, &tree).await, ["4", "3", "2"]);
    let mut snapshot = scene.store.snapshot().await.unwrap();
    for (kind, limit, expected) in [
        (Some("scan-report"), 2, 2),
        (Some("commit-report"), 2, 0),
        (None, 1, 1),
        (None, 0, 0),
    ] {
        let rows = snapshot.metrics_reports(tree.table, kind, limit).await.unwrap();
        assert_eq!(rows.len(), expected, "{kind:?} {limit}");
        assert!(rows.first().is_none_or(|row| row.report == "4"), "{rows:?}");
    }
    drop(snapshot);
    // They go with their table.
    let mut write = scene.write(tree.metalake).await;
    write.drop_object(tree.table).await.unwrap();
    write.commit().await.unwrap();
    assert!(kept(scene, &tree).await.is_empty());
    let mut write = scene.store.write(tree.metalake, &[], "ann").await.unwrap();
    let refused = write.add_metrics_report(tree.table, "scan-report", "5", 3).await;
    assert!(refused.unwrap_err().is_missing());
}
