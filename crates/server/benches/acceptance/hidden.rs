// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Whether the time of a refusal tells what exists: a thousand calls each for something hidden and something absent, taking
//! turns, beside a thousand calls each of two runs of the same. The medians of the first two may differ by no more than
//! those of the last two.

use std::time::{Duration, Instant};

use crate::measure::size;
use crate::scene::{ALL, Scene, create};

/// A user of the metalake without grants asks.
const STRANGER: &str = "ann";

pub(crate) async fn run() {
    let scene = Scene::start(true).await;
    let (metalake, catalog, schema) = scene.tree().await;
    let store = scene.server.app.operations.store();
    let mut write = store.write(metalake, ALL, "root").await.unwrap();
    use lakeward_metadata::kind::ObjectKind::{Role, Table, Tag, View};
    for (parent, kind, name) in [
        (schema, Table, "tab_hid"),
        (schema, View, "viw_hid"),
        (metalake, Tag, "tag_hid"),
        (metalake, Role, "rol_hid"),
    ] {
        create(&mut write, parent, kind, name).await;
    }
    write.commit().await.unwrap();
    assert_ne!(catalog, schema);
    for (what, path) in [
        ("a table", "/api/metalakes/m/catalogs/c/schemas/s/tables/tab_hid"),
        (
            "a table over Iceberg",
            "/iceberg/v1/c/namespaces/s/tables/tab_hid",
        ),
        ("a view over Iceberg", "/iceberg/v1/c/namespaces/s/views/viw_hid"),
        (
            "the tags of a table",
            "/api/metalakes/m/objects/table/c.s.tab_hid/tags",
        ),
        (
            "the owner of a table",
            "/api/metalakes/m/owners/table/c.s.tab_hid",
        ),
        ("a tag", "/api/metalakes/m/tags/tag_hid"),
        ("a role", "/api/metalakes/m/roles/rol_hid"),
    ] {
        compare(&scene, what, path, &path.replace("_hid", "_abs")).await;
    }
    scene.server.stop().await;
}

async fn compare(scene: &Scene, what: &str, hidden: &str, absent: &str) {
    // Four streams of calls take turns, in an order that changes; the last two ask the same as the second.
    let paths = [hidden, absent, absent, absent];
    let mut times: [Vec<Duration>; 4] = Default::default();
    for turn in 0..size(1_000) {
        for place in 0..paths.len() {
            let stream = (turn + place) % paths.len();
            times[stream].push(time(scene, paths[stream]).await);
        }
    }
    let median = |stream: usize| {
        let mut sorted = times[stream].clone();
        sorted.sort();
        sorted[sorted.len() / 2]
    };
    let between = |one: Duration, other: Duration| one.abs_diff(other);
    let (hidden, absent, again) = (median(0), median(1), [median(2), median(3)]);
    println!(
        "{what}: hidden {hidden:.1?}, absent {absent:.1?}, apart by {:.1?}; two runs of the same apart by {:.1?}, {:.1?} and {:.1?}; \
         goal no more than these",
        between(hidden, absent),
        between(again[0], again[1]),
        between(absent, again[0]),
        between(absent, again[1]),
    );
}

async fn time(scene: &Scene, path: &str) -> Duration {
    let request = scene
        .client
        .get(format!("http://{}{path}", scene.server.native_addr))
        .basic_auth(STRANGER, Some("-"));
    let begin = Instant::now();
    let answer = request.send().await.unwrap();
    let status = answer.status();
    answer.bytes().await.unwrap();
    let took = begin.elapsed();
    assert!(status == 403 || status == 404, "{path}: {status}");
    took
}
