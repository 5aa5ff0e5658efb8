// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Jobs and the servers that run them: stops, losses, several on one store, and who may read what.

use std::os::unix::fs::{MetadataExt, PermissionsExt};

use lakeward_metadata::kind::ObjectKind;
use lakeward_store::{Area, NewJob, NewObject, Store, StoreOptions};
use serde_json::json;

use crate::jobs::{RUNS, STUBBORN, Scene, TEMPLATES, closed, id, opened};
use crate::scene::{Place, Server, on_both_stores};

on_both_stores!(
    jobs_end_with_their_server,
    jobs_that_are_over_are_forgotten,
    jobs_end_with_their_metalake
);

async fn jobs_end_with_their_server(place: Place) {
    let Scene { server, folder } = Scene::start(&place).await;
    let scene = Scene { server, folder };
    scene.script("slow", STUBBORN).await;
    scene.script("ok", "exit 0").await;
    let done = scene.run("ok", json!({})).await;
    let done = scene.becomes(&done, "succeeded").await;
    let pipe = scene.pipe("pipe");
    let job = scene.run("slow", json!({"a": pipe.to_str().unwrap()})).await;
    let processes = opened(pipe).await;
    scene.becomes(&job, "started").await;
    let stopped = scene.server.stop().await;
    closed(processes).await;
    let scene = Scene {
        server: stopped.start().await,
        folder: scene.folder,
    };
    assert_eq!(scene.load(&job).await["status"], "failed");
    assert_eq!(scene.load(&done).await, done);
    for name in ["ok", "slow"] {
        let path = format!("{TEMPLATES}/{name}");
        scene.server.done("GET", &path, None).await;
    }
    let again = scene.run("ok", json!({})).await;
    scene.becomes(&again, "succeeded").await;
}

async fn jobs_that_are_over_are_forgotten(place: Place) {
    let scene = Scene::start_with(&place, &[("gravitino.job.stagingDirKeepTimeInMs", "0")]).await;
    scene.script("ok", "exit 0").await;
    let job = scene.run("ok", json!({})).await;
    let path = format!("{RUNS}/{}", id(&job));
    let folder = scene.folder.path().join("staging").join(id(&job));
    let gone =
        async { while scene.server.call("admin", "GET", &path, None).await.0 != 404 || folder.exists() {} };
    tokio::time::timeout(std::time::Duration::from_secs(60), gone)
        .await
        .unwrap();
}

async fn jobs_end_with_their_metalake(place: Place) {
    let scene = Scene::start(&place).await;
    scene.script("slow", STUBBORN).await;
    let pipe = scene.pipe("pipe");
    scene.run("slow", json!({"a": pipe.to_str().unwrap()})).await;
    let processes = opened(pipe).await;
    let dropped = scene
        .server
        .done("DELETE", "/api/metalakes/m?force=true", None)
        .await;
    assert_eq!(dropped["dropped"], true);
    closed(processes).await;
}

/// What a server that was killed leaves behind in its store.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_of_a_killed_server_are_failed_and_cancelled_ones_cancelled() {
    let scene = Scene::start(&Place::Embedded).await;
    scene.script("ok", "exit 0").await;
    let stopped = scene.server.stop().await;
    let url = stopped.settings.store_url.parse().unwrap();
    let store = Store::open(&url, StoreOptions::default()).await.unwrap();
    let (metalake, _) = store.current("m").await.unwrap().unwrap();
    let mut write = store.write(metalake, &[Area::Objects], "admin").await.unwrap();
    let template = write
        .child(metalake, ObjectKind::JobTemplate, "ok")
        .await
        .unwrap()
        .unwrap();
    for name in ["job-1", "job-2", "job-3"] {
        let new = NewObject::named(metalake, ObjectKind::Job, name);
        let row = write.create_object(&new).await.unwrap();
        let new = NewJob {
            template: template.object.id,
            template_name: "ok".to_owned(),
            executor: "killed".to_owned(),
        };
        write.insert_job(row.id, &new).await.unwrap();
        if name != "job-1" {
            write.begin_job(row.id, 5, "anonymous").await.unwrap();
        }
        if name == "job-3" {
            write.cancel_job(row.id, "admin").await.unwrap();
        }
    }
    write.commit().await.unwrap();
    store.close().await;
    drop(store);
    let scene = Scene {
        server: stopped.start().await,
        folder: scene.folder,
    };
    for (name, status) in [("job-1", "failed"), ("job-2", "failed"), ("job-3", "cancelled")] {
        let job = scene.becomes(&json!({"jobId": name}), status).await;
        assert!(job["finishedAt"].is_string(), "{job}");
    }
    let deleted = scene
        .server
        .done("DELETE", &format!("{TEMPLATES}/ok"), None)
        .await;
    assert_eq!(deleted["dropped"], true);
}

/// Names the folder of [`the_server_that_is_killed`].
const KILLED: &str = "LAKEWARD_TEST_SERVER_THAT_IS_KILLED";

async fn scene_in(folder: &std::path::Path) -> Server {
    let place = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    Server::start_with(
        &Place::Embedded,
        &[
            ("gravitino.authorization.enable", "true"),
            ("gravitino.authorization.serviceAdmins", "admin"),
            ("lakeward.data-dir", &place("data")),
            ("gravitino.job.stagingDir", &place("staging")),
        ],
    )
    .await
}

/// The other process of the next test; for everybody else it does nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_that_is_killed() {
    let Ok(folder) = std::env::var(KILLED) else {
        return;
    };
    let folder = std::path::PathBuf::from(folder);
    let server = scene_in(&folder).await;
    server.done("POST", "/api/metalakes", json!({"name": "m"})).await;
    let template = json!({"jobTemplate": {"name": "slow", "jobType": "shell",
        "executable": folder.join("slow.sh").to_str().unwrap(), "arguments": [folder.join("pipe").to_str().unwrap()]}});
    server.done("POST", TEMPLATES, template).await;
    let run = json!({"jobTemplateName": "slow"});
    server.done("POST", RUNS, run).await;
    std::future::pending::<()>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_processes_of_a_killed_server_end_with_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("slow.sh"), format!("#!/bin/sh\n{STUBBORN}\n")).unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let mut killed = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "jobs_and_servers::the_server_that_is_killed"])
        .env(KILLED, folder.path())
        .spawn()
        .unwrap();
    let processes = opened(pipe).await;
    killed.kill().unwrap();
    killed.wait().unwrap();
    closed(processes).await;
    let server = scene_in(folder.path()).await;
    let jobs = server.done("GET", RUNS, None).await;
    let statuses: Vec<&serde_json::Value> = jobs["jobs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|job| &job["status"])
        .collect();
    assert_eq!(statuses, ["failed"]);
}

/// A server ends its job when another one on the same store was asked to.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_server_cancels() {
    let Some(place) = Place::shared() else {
        return;
    };
    let scene = Scene::start(&place).await;
    scene.script("slow", STUBBORN).await;
    let other = Server::start(&place).await;
    let pipe = scene.pipe("pipe");
    let job = scene.run("slow", json!({"a": pipe.to_str().unwrap()})).await;
    let processes = opened(pipe).await;
    let path = format!("{RUNS}/{}", id(&job));
    let cancelling = other.done("POST", &path, None).await;
    assert_eq!(cancelling["job"]["status"], "cancelling");
    closed(processes).await;
    scene.becomes(&job, "cancelled").await;
}

/// Beside read restrictions no job runs that could read the store or a warehouse.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_cannot_read_what_is_restricted() {
    let restricted = [
        ("lakeward.read-restrictions.enabled", "true"),
        ("lakeward.reader.port", "0"),
    ];
    let scene = Scene::start_with(&Place::Embedded, &restricted).await;
    scene.script("ok", "exit 0").await;
    let run = || json!({"jobTemplateName": "ok"});
    let unsupported = (405, 1006, "UnsupportedOperationException");
    scene
        .server
        .refused(("admin", "POST", RUNS), run(), unsupported)
        .await;
    // Neither where nothing of it is on this machine: its configuration and environment are.
    let [enabled, port] = restricted;
    let nothing_here = [
        enabled,
        port,
        ("gravitino.entity.store.relational.jdbcUrl", "memory"),
    ];
    let remote = Scene::start_with(&Place::Embedded, &nothing_here).await;
    remote.script("ok", "exit 0").await;
    remote
        .server
        .refused(("admin", "POST", RUNS), run(), unsupported)
        .await;
    // Only the superuser may give jobs a user of their own.
    let is_root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
    if !is_root {
        return;
    }
    let separate = [enabled, port, ("lakeward.jobs.user", "65534:65534")];
    let scene = Scene::start_with(&Place::Embedded, &separate).await;
    scene
        .script("reads", "id -u; cat \"$1\" >/dev/null 2>&1 && echo read; exit 0")
        .await;
    let data = scene.server.folder.path().to_owned();
    let store = data.join("lakeward.db");
    let open = |path: &std::path::Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    open(&data, 0o700);
    let job = scene.run("reads", json!({"a": store.to_str().unwrap()})).await;
    scene.becomes(&job, "succeeded").await;
    assert_eq!(scene.kept(&job, "output.log"), "65534\n");
    open(&data, 0o755);
    open(&store, 0o644);
    let refused = (503, 1002, "RuntimeException");
    let body = || json!({"jobTemplateName": "reads"});
    scene
        .server
        .refused(("admin", "POST", RUNS), body(), refused)
        .await;
    open(&store, 0o600);
    let job = scene.run("reads", json!({})).await;
    scene.becomes(&job, "succeeded").await;
    // A warehouse of this machine counts, wherever it is.
    let warehouse = scene.folder.path().join("warehouse");
    std::fs::create_dir(&warehouse).unwrap();
    let catalog = json!({"name": "ice", "type": "RELATIONAL", "provider": "lakehouse-iceberg",
        "properties": {"warehouse": format!("file://{}", warehouse.display())}});
    scene
        .server
        .done("POST", "/api/metalakes/m/catalogs", catalog)
        .await;
    scene
        .server
        .refused(("admin", "POST", RUNS), body(), refused)
        .await;
    open(&warehouse, 0o700);
    let job = scene.run("reads", json!({})).await;
    scene.becomes(&job, "succeeded").await;
    // A folder of filesets is none.
    let files = json!({"name": "files", "type": "FILESET", "provider": "fileset",
        "properties": {"location": format!("file://{}", scene.folder.path().display())}});
    scene
        .server
        .done("POST", "/api/metalakes/m/catalogs", files)
        .await;
    let job = scene.run("reads", json!({})).await;
    scene.becomes(&job, "succeeded").await;
}
