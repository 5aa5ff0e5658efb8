// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A table with a long history: 9,000 snapshots against one, answered with those that are referred to, and what such a load
//! needs in memory beside the document.

use serde_json::{Value, json};

use crate::measure::{compare, size};
use crate::scene::Scene;

const TABLES: &str = "/iceberg/v1/c/namespaces/s/tables";

/// A member of `/proc/self/status` in bytes; `None` where the system does not tell.
fn status(member: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with(member))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// A snapshot as engines write it.
fn snapshot(number: usize, location: &str) -> Value {
    let id = 4_000_000_000_000_000_000_u64 + u64::try_from(number).unwrap() * 7_919;
    let mut snapshot = json!({"snapshot-id": id, "sequence-number": number + 1,
        "timestamp-ms": 1_700_000_000_000_u64 + u64::try_from(number).unwrap() * 60_000, "schema-id": 0,
        "manifest-list": format!("{location}/metadata/snap-{id}-1-0d5b8f3e-1c7d-4d0a-9c55-3f0a1c9b{number:04x}.avro"),
        "summary": {"operation": "append", "added-data-files": "1", "added-records": "1000", "added-files-size": "52428",
            "changed-partition-count": "1", "total-records": (number * 1_000).to_string(),
            "total-files-size": (number * 52_428).to_string(), "total-data-files": number.to_string(),
            "total-delete-files": "0", "total-position-deletes": "0", "total-equality-deletes": "0"}});
    if number > 0 {
        snapshot["parent-snapshot-id"] = json!(id - 7_919);
    }
    snapshot
}

/// Registers a table with so many snapshots; gives the bytes of its metadata.
async fn add(scene: &Scene, name: &str, snapshots: usize) -> usize {
    let schema = json!({"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "id", "required": false, "type": "long"}]});
    let made = json!({"name": name, "schema": schema});
    let made = scene.call("POST", TABLES, None, made).await;
    let file = made["metadata-location"].as_str().unwrap().to_owned();
    let location = made["metadata"]["location"].as_str().unwrap().to_owned();
    let mut metadata = made["metadata"].clone();
    let list: Vec<Value> = (0..snapshots).map(|number| snapshot(number, &location)).collect();
    let last = list.last().unwrap().clone();
    let log = list
        .iter()
        .map(|one| json!({"snapshot-id": one["snapshot-id"], "timestamp-ms": one["timestamp-ms"]}));
    metadata["snapshot-log"] = log.collect();
    metadata["snapshots"] = Value::Array(list);
    metadata["last-sequence-number"] = last["sequence-number"].clone();
    metadata["last-updated-ms"] = last["timestamp-ms"].clone();
    metadata["current-snapshot-id"] = last["snapshot-id"].clone();
    metadata["refs"] = json!({"main": {"snapshot-id": last["snapshot-id"], "type": "branch"}});
    let path = file.trim_start_matches("file://").to_owned();
    scene.drop_table(&format!("{TABLES}/{name}")).await;
    let text = metadata.to_string();
    let written = path.replace(".metadata.json", "-long.metadata.json");
    std::fs::write(&written, &text).unwrap();
    let register = json!({"name": name, "metadata-location": format!("file://{written}")});
    scene
        .call("POST", "/iceberg/v1/c/namespaces/s/register", None, register)
        .await;
    text.len()
}

pub(crate) async fn run() {
    let scene = Scene::start(true).await;
    scene
        .call("POST", "/api/metalakes", None, json!({"name": "m"}))
        .await;
    let catalog =
        json!({"name": "c", "type": "relational", "provider": "lakehouse-iceberg", "properties": {}});
    scene
        .call("POST", "/api/metalakes/m/catalogs", None, catalog)
        .await;
    scene
        .call(
            "POST",
            "/api/metalakes/m/catalogs/c/schemas",
            None,
            json!({"name": "s"}),
        )
        .await;
    let many = size(9_000);
    let bytes = add(&scene, "long", many).await;
    add(&scene, "short", 1).await;
    let base = format!("http://{}{TABLES}", scene.server.native_addr);
    // The first load reads the file and leaves the history out; what it needs beside the document is its peak.
    let is_reset = std::fs::write("/proc/self/clear_refs", "5").is_ok();
    let before = status("VmRSS:");
    let answered = scene.get(&format!("{base}/long?snapshots=refs"), "root").await;
    let peak = status("VmHWM:");
    match (is_reset, before, peak) {
        (true, Some(before), Some(peak)) => println!(
            "first load of {many} snapshots, a document of {} KiB: peak {} KiB, {:.2} documents, answer {} KiB; goal at most 1.5",
            bytes / 1024,
            peak.saturating_sub(before) / 1024,
            f64::from(u32::try_from(peak.saturating_sub(before)).unwrap())
                / f64::from(u32::try_from(bytes).unwrap()),
            answered / 1024
        ),
        _ => println!("first load of {many} snapshots: this system does not tell its peak"),
    }
    let load = async |name: &str| {
        scene.get(&format!("{base}/{name}?snapshots=refs"), "root").await;
    };
    compare(async || load("long").await, async || load("short").await)
        .await
        .print(
            &format!("loadTable with snapshots=refs of {many} snapshots"),
            ["many", "one"],
            "at most 1.2",
        );
    scene.server.stop().await;
}
