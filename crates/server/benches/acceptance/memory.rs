// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a server holds in memory: for a hundred thousand objects that were listed, and for a million grants of one subject.
//! Measured as the growth of the process, so that what the allocator keeps counts too.

use std::hint::black_box;

use lakeward_metadata::kind::ObjectKind;

use crate::decision::grants;
use crate::measure::size;
use crate::scene::{ALL, Scene, create};

/// Bytes of memory of this process, as the system counts them; `None` where it does not tell.
pub(crate) fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace()
        .nth(1)?
        .parse::<u64>()
        .ok()
        .map(|kilobytes| kilobytes * 1024)
}

/// One line: how much it grew, and how much of that is of each.
pub(crate) fn print(what: &str, count: usize, before: Option<u64>, after: Option<u64>) {
    let (Some(before), Some(after)) = (before, after) else {
        println!("{what}: this system does not tell");
        return;
    };
    let bytes = after.saturating_sub(before);
    let count = u64::try_from(count).unwrap();
    println!(
        "{what}: {} KiB, {} bytes each; stated, no goal",
        bytes / 1024,
        bytes / count.max(1)
    );
}

pub(crate) async fn run() {
    let many = size(1_000_000);
    let before = resident();
    let held = grants(i64::try_from(many).unwrap());
    print(&format!("{many} grants of a subject"), many, before, resident());
    black_box(&held);
    drop(held);

    let objects = size(100_000);
    let scene = Scene::start(true).await;
    let (metalake, _, schema) = scene.tree().await;
    let store = scene.server.app.operations.store();
    let mut write = store.write(metalake, ALL, "root").await.unwrap();
    for number in 0..objects {
        create(
            &mut write,
            schema,
            ObjectKind::Table,
            &format!("table_{number:06}"),
        )
        .await;
    }
    write.commit().await.unwrap();
    let url = format!(
        "http://{}/api/metalakes/m/catalogs/c/schemas/s/tables",
        scene.server.native_addr
    );
    // Once for what a list needs while it is answered, once more for what stays.
    let before = resident();
    scene.get(&url, "root").await;
    scene.get(&url, "root").await;
    print(
        &format!("{objects} objects of a list"),
        objects,
        before,
        resident(),
    );
    scene.server.stop().await;
}
