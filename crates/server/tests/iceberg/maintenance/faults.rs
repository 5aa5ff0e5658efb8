// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What goes wrong, and who comes in between.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use lakeward_operations::OperationError;
use lakeward_operations::step::{Observer, Step, Verdict};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{DAY, EXPIRE, LONG, ORPHANS, TABLE, expire_all, ids};
use crate::harness::{ADMIN, NONE, PASSWORD, Server};
use crate::writer::{Keeping, write_snapshot};

/// Does something once, when a commit reaches a step. The write of a job that is submitted passes [`Step::Swap`], too, but
/// writes no file before.
struct Once {
    step: Step,
    act: Mutex<Option<Box<dyn FnOnce() -> Verdict + Send>>>,
    writes_file: AtomicBool,
}

impl Once {
    fn at(step: Step, act: impl FnOnce() -> Verdict + Send + 'static) -> Box<Self> {
        Box::new(Self {
            step,
            act: Mutex::new(Some(Box::new(act))),
            writes_file: AtomicBool::new(false),
        })
    }
}

impl std::fmt::Debug for Once {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Once({})", self.step)
    }
}

impl Observer for Once {
    fn reached(&self, step: Step, _: &str) -> Verdict {
        if step == Step::File {
            self.writes_file.store(true, Ordering::SeqCst);
        }
        if step != self.step || !self.writes_file.load(Ordering::SeqCst) {
            return Verdict::Proceed;
        }
        let due = self.act.lock().unwrap_or_else(PoisonError::into_inner).take();
        due.map_or(Verdict::Proceed, |act| act())
    }
}

/// Asks the server from within one of its steps.
fn ask(server: &Server, method: &str, path: &str, body: Value) -> impl FnOnce() -> Verdict + Send + 'static {
    let request = reqwest::Client::new()
        .request(
            reqwest::Method::from_bytes(method.as_bytes()).expect("a method"),
            format!("{}{path}", server.url()),
        )
        .basic_auth(ADMIN, Some(PASSWORD))
        .header("Content-Type", "application/json")
        .body(body.to_string());
    move || {
        let answered = async { request.send().await.expect("an answer").status() };
        let runtime = tokio::runtime::Handle::current();
        let status = tokio::task::block_in_place(|| runtime.block_on(answered));
        assert!(status.is_success(), "{status}");
        Verdict::Proceed
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_is_not_made_deletes_nothing() {
    for step in [Step::File, Step::Swap] {
        let server = Server::with_history().await;
        let files = server.table_files();
        let fails = || Verdict::Fail(OperationError::internal("broken off"));
        assert!(server.steps().watch(Once::at(step, fails)));
        server.run(EXPIRE, expire_all(false)).await.failed("");
        assert_eq!(server.table_files(), files, "{step}");
        assert_eq!(ids(&server.metadata().await), [1, 2, 3, 4], "{step}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_points_to_meanwhile_stays() {
    let server = Server::with_history().await;
    let files = server.table_files();
    let tag = json!({"requirements": [], "updates": [{"action": "set-snapshot-ref", "ref-name": "late",
        "type": "tag", "snapshot-id": 2}]});
    // The expiry has its plan, and is about to write its file.
    let act = ask(&server, "POST", &format!("/iceberg/v1{TABLE}"), tag);
    assert!(server.steps().watch(Once::at(Step::File, act)));
    let ended = server.run(EXPIRE, expire_all(false)).await.succeeded();
    assert!(ended.output.contains("snapshots: 1\n  3\n"), "{ended:?}");
    let after = server.metadata().await;
    assert_eq!(ids(&after), [1, 2, 4]);
    assert_eq!(after["refs"]["late"]["snapshot-id"], 2);
    let gone: Vec<String> = files.difference(&server.table_files()).cloned().collect();
    assert_eq!(gone, ["metadata/snap-3.avro"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_names_meanwhile_stays() {
    let server = Server::with_history().await;
    server.put("data/found.parquet", 9 * DAY).await;
    server.put("data/orphan.parquet", 9 * DAY).await;
    let metadata = server.metadata().await;
    let location = metadata["location"].as_str().expect("a text");
    let file = format!("{location}/data/found.parquet");
    let commit = write_snapshot(&metadata, 5, "append", Keeping::Everything, Some(&file)).await;
    // The job has begun; whichever step of its own or the commit's comes first, the commit is there before the deletion.
    let act = ask(&server, "POST", &format!("/iceberg/v1{TABLE}"), commit);
    let act = Mutex::new(Some(act));
    let count = Arc::new(Mutex::new(0));
    let observer = Third { act, count };
    assert!(server.steps().watch(Box::new(observer)));
    server.run(ORPHANS, json!({"dry_run": "false"})).await.succeeded();
    let files = server.table_files();
    assert!(
        files.contains("data/found.parquet") && !files.contains("data/orphan.parquet"),
        "{files:?}"
    );
    assert_eq!(server.metadata().await["current-snapshot-id"], 5);
}

/// Acts when the table is looked at for the third time: after the submission and the first look of the job, before what
/// it found is deleted.
struct Third<F> {
    act: Mutex<Option<F>>,
    count: Arc<Mutex<u32>>,
}

impl<F> std::fmt::Debug for Third<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Third")
    }
}

impl<F: FnOnce() -> Verdict + Send> Observer for Third<F> {
    fn reached(&self, step: Step, _: &str) -> Verdict {
        if step != Step::Pointer {
            return Verdict::Proceed;
        }
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        *count += 1;
        let is_third = *count == 3;
        drop(count);
        let act = self
            .act
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take_if(|_| is_third);
        act.map_or(Verdict::Proceed, |act| act())
    }
}

/// Notes by which request the table is looked at, and holds the first job at its first look: the one after its submission.
#[derive(Debug, Clone, Default)]
struct Looks {
    by: Arc<Mutex<Vec<String>>>,
    held: Arc<Notify>,
    go_on: Arc<Notify>,
}

impl Observer for Looks {
    fn reached(&self, step: Step, request_id: &str) -> Verdict {
        if step != Step::Pointer {
            return Verdict::Proceed;
        }
        let mut by = self.by.lock().unwrap_or_else(PoisonError::into_inner);
        by.push(request_id.to_owned());
        if by.len() != 2 {
            return Verdict::Proceed;
        }
        self.held.notify_one();
        Verdict::Wait(Arc::clone(&self.go_on))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_job_at_a_time_does_its_work() {
    let server = Server::with_history().await;
    let looks = Looks::default();
    assert!(server.steps().watch(Box::new(looks.clone())));
    let first = server.submit(ADMIN, ORPHANS, json!({})).await.is(200);
    tokio::time::timeout(LONG, looks.held.notified())
        .await
        .expect("a look");
    let second = server.submit(ADMIN, ORPHANS, json!({})).await.is(200);
    let path = format!(
        "/metalakes/m/jobs/runs/{}",
        second.body["job"]["jobId"].as_str().expect("an id")
    );
    // The second has a place to run. Were it not for the first, it would be over after so many questions.
    let mut asked = 0;
    let begins = async {
        while asked < 50 {
            let job = server.native(ADMIN, "GET", &path, NONE).await.is(200);
            if job.body["job"]["status"] != "queued" {
                asked += 1;
            }
        }
    };
    tokio::time::timeout(LONG, begins).await.expect("a beginning");
    looks.go_on.notify_one();
    for job in [first, second] {
        server.end_of(ADMIN, &job).await.succeeded();
    }
    let by = looks.by.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let (first, second) = (&by[0], &by[2]);
    assert_ne!(first, second);
    assert_eq!(
        by,
        [first, first, second, first, second, second].map(String::clone)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn rights_that_end_meanwhile_end_the_job() {
    let server = Server::with_history().await;
    server.add_user("ann").await;
    let objects: &[(&str, &str, &[&str])] = &[
        ("METALAKE", "m", &["RUN_JOB", "USE_JOB_TEMPLATE"]),
        ("CATALOG", "ice", &["USE_CATALOG", "USE_SCHEMA", "MODIFY_TABLE"]),
    ];
    server.grant("ann", "worker", objects).await;
    let files = server.table_files();
    let revoke = json!({"roleNames": ["worker"]});
    let act = ask(
        &server,
        "PUT",
        "/api/metalakes/m/permissions/users/ann/revoke",
        revoke,
    );
    assert!(server.steps().watch(Once::at(Step::File, act)));
    let job = server.submit("ann", EXPIRE, expire_all(false)).await.is(200);
    server.end_of("ann", &job).await.failed("not authorized");
    assert_eq!(server.table_files(), files);
    assert_eq!(ids(&server.metadata().await), [1, 2, 3, 4]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_ends_meanwhile_ends_the_job() {
    let server = Server::with_history().await;
    let files = server.table_files();
    let wanted = json!({"name": "etl", "expiresInSeconds": 3600});
    let made = server
        .native(ADMIN, "POST", "/authn/me/tokens", wanted)
        .await
        .is(200);
    let token = format!("Bearer {}", made.body["secret"].as_str().expect("a token"));
    // The expiry is made, and its files are to be deleted.
    let act = ask(&server, "DELETE", "/api/authn/me/tokens/etl", Value::Null);
    let act = Mutex::new(Some(act));
    let count = Arc::new(Mutex::new(0));
    assert!(server.steps().watch(Box::new(Third { act, count })));
    let body = json!({"jobTemplateName": EXPIRE, "jobConf": {"catalog_name": "ice", "table_identifier": "n1.t",
        "older_than": super::now().to_string(), "dry_run": "false"}});
    let headers = [("Authorization", token.as_str())];
    let job = server
        .send(
            "",
            "POST",
            "/api/metalakes/m/jobs/runs",
            Some(body.to_string()),
            &headers,
        )
        .await
        .is(200);
    server.end_of(ADMIN, &job).await.failed("`etl` was revoked");
    assert_eq!(server.table_files(), files);
    assert_eq!(ids(&server.metadata().await), [1, 4]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_that_fails_is_told() {
    let server = Server::with_history().await;
    let metadata = server.metadata().await;
    let location = metadata["location"].as_str().expect("a text");
    let blocked = format!("{location}/data/2.parquet");
    let path = blocked.trim_start_matches("file://").to_owned();
    std::fs::remove_file(&path).expect("a file");
    std::fs::create_dir_all(format!("{path}/inner")).expect("a folder");
    let ended = server.run(EXPIRE, expire_all(false)).await.failed("(request id ");
    assert!(ended.output.contains("deleted: 3 of 4\n"), "{ended:?}");
    // The expiry was made, and the table is whole.
    assert_eq!(ids(&server.metadata().await), [1, 4]);
    let left = server.table_files();
    for needed in [
        "data/1.parquet",
        "data/3.parquet",
        "data/4.parquet",
        "metadata/snap-1.avro",
        "metadata/snap-4.avro",
    ] {
        assert!(left.contains(needed), "{needed}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_is_cancelled_leaves_the_table_as_it_is() {
    let server = Server::with_history().await;
    let files = server.table_files();
    let (reached, mut told) = tokio::sync::mpsc::unbounded_channel();
    let stalls = move || {
        reached.send(()).expect("somebody waits");
        Verdict::Stall
    };
    assert!(server.steps().watch(Once::at(Step::Swap, stalls)));
    let job = server.submit(ADMIN, EXPIRE, expire_all(false)).await.is(200);
    tokio::time::timeout(LONG, told.recv()).await.expect("a step");
    let path = format!(
        "/metalakes/m/jobs/runs/{}",
        job.body["job"]["jobId"].as_str().expect("an id")
    );
    server.native(ADMIN, "POST", &path, NONE).await.is(200);
    assert_eq!(server.end_of(ADMIN, &job).await.status, "cancelled");
    assert_eq!(server.table_files(), files);
    assert_eq!(ids(&server.metadata().await), [1, 2, 3, 4]);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_deleted_beside_what_cannot_be_read() {
    let server = Server::with_history().await;
    server.put("data/orphan.parquet", 9 * DAY).await;
    let metadata = server.metadata().await;
    let location = metadata["location"].as_str().expect("a text");
    crate::writer::write(
        &format!("{location}/metadata/manifest-4.avro"),
        b"Obj\x01nonsense",
    );
    let before = server.files();
    let because = "none is deleted";
    server.run(EXPIRE, expire_all(false)).await.failed(because);
    server
        .run(ORPHANS, json!({"dry_run": "false"}))
        .await
        .failed(because);
    assert_eq!(server.files(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_and_expiries_at_the_same_time_lose_nothing() {
    let server = Server::with_history().await;
    let writes = async {
        for id in 5..15 {
            let commit =
                write_snapshot(&server.metadata().await, id, "append", Keeping::Everything, None).await;
            let answer = server.ask("POST", TABLE, commit).await;
            assert!([200, 409].contains(&answer.status), "{}", answer.body);
        }
    };
    let expiries = async {
        for _ in 0..6 {
            server.run(EXPIRE, expire_all(false)).await.succeeded();
        }
    };
    tokio::join!(writes, expiries);
    server.pass_the_last_change().await;
    server.run(EXPIRE, expire_all(false)).await.succeeded();
    // Whatever the current snapshot and the tag name is there.
    let plan = json!({"snapshot-id": server.metadata().await["current-snapshot-id"]});
    let planned = server.ask("POST", &format!("{TABLE}/plan"), plan).await.is(200);
    let tasks = planned.body["file-scan-tasks"].as_array().expect("tasks");
    assert!(tasks.len() >= 2, "{}", planned.body);
    for task in tasks {
        let file = task["data-file"]["file-path"].as_str().expect("a path");
        assert!(
            std::path::Path::new(file.trim_start_matches("file://")).exists(),
            "{file}"
        );
    }
    assert!(server.table_files().contains("data/1.parquet"));
}
