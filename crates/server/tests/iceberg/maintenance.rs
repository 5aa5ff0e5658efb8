// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Maintenance of tables by jobs of the built-in templates.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::harness::{ADMIN, Answer, NONE, Server};
use crate::writer::{Keeping, write, write_snapshot};

mod faults;
mod rights;

const TABLE: &str = "/ice/namespaces/n1/tables/t";
const EXPIRE: &str = "builtin-iceberg-expire-snapshots";
const ORPHANS: &str = "builtin-iceberg-remove-orphan-files";
const METADATA: &str = "builtin-iceberg-cleanup-metadata-files";
/// Nothing takes this long.
const LONG: Duration = Duration::from_secs(120);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A job that is over.
#[derive(Debug)]
struct Ended {
    status: String,
    output: String,
    error: String,
}

impl Ended {
    #[track_caller]
    fn succeeded(self) -> Self {
        assert_eq!(self.status, "succeeded", "{self:?}");
        self
    }

    #[track_caller]
    fn failed(self, because: &str) -> Self {
        assert_eq!(self.status, "failed", "{self:?}");
        assert!(self.error.contains(because), "{self:?}");
        self
    }
}

impl Server {
    /// `n1.t` with the snapshots 1, 2, 3 and 4 on main; 3 took the rows before it away, and the tag `keep` is at 1.
    async fn with_history() -> Self {
        let server = Self::start().await;
        server.namespace("n1").await;
        server.table("n1", "t").await;
        for (id, keeping) in [
            (1, Keeping::Everything),
            (2, Keeping::Everything),
            (3, Keeping::Nothing),
            (4, Keeping::Everything),
        ] {
            server.snapshot(id, keeping).await;
            if id == 1 {
                let tag = json!({"requirements": [], "updates": [{"action": "set-snapshot-ref", "ref-name": "keep",
                    "type": "tag", "snapshot-id": 1}]});
                server.ask("POST", TABLE, tag).await.is(200);
            }
        }
        server.pass_the_last_change().await;
        server
    }

    async fn metadata(&self) -> Value {
        self.ask("GET", TABLE, NONE).await.is(200).body["metadata"].clone()
    }

    async fn snapshot(&self, id: i64, keeping: Keeping) {
        let operation = match keeping {
            Keeping::Everything => "append",
            Keeping::Nothing => "overwrite",
        };
        let commit = write_snapshot(&self.metadata().await, id, operation, keeping, None).await;
        self.ask("POST", TABLE, commit).await.is(200);
    }

    /// Snapshots of these tests are a millisecond younger than what was before; waits until all lie in the past.
    async fn pass_the_last_change(&self) {
        let last = self.metadata().await["last-updated-ms"].as_i64().expect("a time");
        while now() <= last {
            tokio::task::yield_now().await;
        }
    }

    /// Submits a job for the table, with more parameters.
    async fn submit(&self, user: &str, template: &str, more: Value) -> Answer {
        let mut conf = json!({"catalog_name": "ice", "table_identifier": "n1.t"});
        let more = more.as_object().expect("an object").clone();
        conf.as_object_mut().expect("an object").extend(more);
        let body = json!({"jobTemplateName": template, "jobConf": conf});
        self.native(user, "POST", "/metalakes/m/jobs/runs", body).await
    }

    async fn end_of(&self, user: &str, job: &Answer) -> Ended {
        let id = job.body["job"]["jobId"].as_str().expect("an id").to_owned();
        let path = format!("/metalakes/m/jobs/runs/{id}");
        let wait = async {
            loop {
                let answer = self.native(user, "GET", &path, NONE).await.is(200);
                let status = answer.body["job"]["status"]
                    .as_str()
                    .expect("a status")
                    .to_owned();
                if ["succeeded", "failed", "cancelled"].contains(&status.as_str()) {
                    return status;
                }
            }
        };
        let status = tokio::time::timeout(LONG, wait).await.expect("an end");
        let kept = |file: &str| {
            let path = format!("{}/jobs/{id}/{file}", self.data_folder());
            std::fs::read_to_string(path).expect("an output")
        };
        Ended {
            status,
            output: kept("output.log"),
            error: kept("error.log"),
        }
    }

    async fn run(&self, template: &str, more: Value) -> Ended {
        let job = self.submit(ADMIN, template, more).await.is(200);
        self.end_of(ADMIN, &job).await
    }

    /// The files of the table, by their names in its folder, but for those of metadata of its versions.
    fn table_files(&self) -> BTreeSet<String> {
        self.all_table_files()
            .into_iter()
            .filter(|name| !name.ends_with(".metadata.json"))
            .collect()
    }

    fn all_table_files(&self) -> BTreeSet<String> {
        let paths = self.files().into_keys();
        paths
            .filter_map(|path| {
                let path = path.to_str().expect("a text").to_owned();
                path.split_once("/n1/t/").map(|(_, name)| name.to_owned())
            })
            .collect()
    }

    /// Puts a file of some age into the folder of the table.
    async fn put(&self, name: &str, age: Duration) {
        let location = self.metadata().await["location"]
            .as_str()
            .expect("a text")
            .to_owned();
        let file = format!("{location}/{name}");
        write(&file, b"four");
        self.age(&file, age);
    }

    fn age(&self, file: &str, age: Duration) {
        let path = file.trim_start_matches("file://");
        let file = std::fs::File::options().write(true).open(path).expect("a file");
        let written = file.metadata().and_then(|file| file.modified()).expect("a time");
        file.set_modified(written - age).expect("a time");
    }
}

#[expect(clippy::disallowed_methods, reason = "snapshots and files have real times")]
fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time");
    i64::try_from(now.as_millis()).expect("a number")
}

/// Expire all that may be.
fn expire_all(dry_run: bool) -> Value {
    json!({"older_than": now().to_string(), "dry_run": dry_run.to_string()})
}

fn ids(metadata: &Value) -> Vec<i64> {
    let snapshots = metadata["snapshots"].as_array().expect("a list");
    let ids = snapshots.iter().map(|snapshot| snapshot["snapshot-id"].as_i64());
    ids.map(|id| id.expect("an id")).collect()
}

/// What only the snapshots 2 and 3 of a table with history name.
const ONLY_OF_EXPIRED: [&str; 4] = [
    "data/2.parquet",
    "metadata/manifest-2.avro",
    "metadata/snap-2.avro",
    "metadata/snap-3.avro",
];

#[tokio::test(flavor = "multi_thread")]
async fn an_expiry_takes_what_only_expired_snapshots_name() {
    let server = Server::with_history().await;
    let before = server.files();
    let version = server.metadata().await;
    let dry = server.run(EXPIRE, expire_all(true)).await.succeeded();
    assert_eq!(server.files(), before, "a dry run changes nothing");
    assert_eq!(server.metadata().await, version);
    let files = server.table_files();
    let real = server.run(EXPIRE, expire_all(false)).await.succeeded();
    let said = |ended: &Ended| -> Vec<String> {
        let lines = ended.output.lines().filter(|line| line.starts_with("  "));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(said(&dry), said(&real));
    assert!(
        dry.output.contains("dry-run: true\nsnapshots: 2\n  2\n  3\n"),
        "{dry:?}"
    );
    assert!(dry.output.contains("\nfiles: 4\n"), "{dry:?}");
    assert!(!dry.output.contains("deleted"), "{dry:?}");
    assert!(real.output.contains("\ndeleted: 4 of 4\n"), "{real:?}");
    let gone: Vec<String> = files.difference(&server.table_files()).cloned().collect();
    assert_eq!(gone, ONLY_OF_EXPIRED);
    let after = server.metadata().await;
    assert_eq!(ids(&after), [1, 4]);
    assert_eq!(after["refs"], version["refs"]);
    assert_eq!(after["current-snapshot-id"], 4);
    let again = server.run(EXPIRE, expire_all(false)).await.succeeded();
    assert!(again.output.contains("snapshots: 0\n"), "{again:?}");
    assert_eq!(server.metadata().await, after, "nothing to expire is no commit");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_a_word_is_dry_and_heeds_the_table() {
    let server = Server::with_history().await;
    let version = server.metadata().await;
    let default = server.run(EXPIRE, json!({})).await.succeeded();
    assert!(
        default.output.contains("dry-run: true\nsnapshots: 0\n"),
        "{default:?}"
    );
    let keep = json!({"requirements": [], "updates": [{"action": "set-properties",
        "updates": {"history.expire.min-snapshots-to-keep": "3"}}]});
    server.ask("POST", TABLE, keep).await.is(200);
    let kept = server.run(EXPIRE, expire_all(true)).await.succeeded();
    assert!(kept.output.contains("snapshots: 0\n"), "{kept:?}");
    let mut fewer = expire_all(false);
    fewer["max_files"] = json!("2");
    fewer["retain_last"] = json!("1");
    let refused = server.run(EXPIRE, fewer).await.failed("more than 2 files");
    assert!(!refused.output.contains("deleted"), "{refused:?}");
    assert_eq!(ids(&server.metadata().await), ids(&version));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_staged_goes_when_that_is_said() {
    let server = Server::with_history().await;
    let mut staged = write_snapshot(&server.metadata().await, 5, "append", Keeping::Everything, None).await;
    staged["updates"].as_array_mut().expect("a list").truncate(1);
    server.ask("POST", TABLE, staged).await.is(200);
    server.pass_the_last_change().await;
    server.run(EXPIRE, expire_all(false)).await.succeeded();
    assert_eq!(ids(&server.metadata().await), [1, 4, 5]);
    let mut recent = expire_all(false);
    recent["allow_recent"] = json!("true");
    server.run(EXPIRE, recent).await.succeeded();
    assert_eq!(ids(&server.metadata().await), [1, 4]);
}

#[tokio::test(flavor = "multi_thread")]
async fn orphans_go_and_nothing_else() {
    let server = Server::with_history().await;
    let files = server.all_table_files();
    for name in [
        "data/orphan.parquet",
        "metadata/lost-m0.avro",
        "metadata/00009-lost.metadata.json",
    ] {
        server.put(name, 5 * DAY).await;
    }
    server.put("data/recent.parquet", 2 * DAY).await;
    // However old they are, files of the table stay.
    let folder = server.metadata().await["location"]
        .as_str()
        .expect("a text")
        .to_owned();
    for name in &files {
        server.age(&format!("{folder}/{name}"), 9 * DAY);
    }
    let before = server.files();
    let dry = server.run(ORPHANS, json!({})).await.succeeded();
    assert!(
        dry.output.contains("files: 3\n") && dry.output.contains("bytes: 12 "),
        "{dry:?}"
    );
    assert_eq!(server.files(), before);
    let cut = server.run(ORPHANS, json!({"max_files": "1"})).await.succeeded();
    assert!(
        cut.output.contains("files: 1\n") && cut.output.contains("more files"),
        "{cut:?}"
    );
    let metadata = server
        .run(METADATA, json!({"dry_run": "false"}))
        .await
        .succeeded();
    assert!(
        metadata.output.contains("00009-lost.metadata.json"),
        "{metadata:?}"
    );
    assert!(metadata.output.contains("deleted: 1 of 1\n"), "{metadata:?}");
    let real = server.run(ORPHANS, json!({"dry_run": "false"})).await.succeeded();
    assert!(real.output.contains("deleted: 2 of 2\n"), "{real:?}");
    let mut expected = files.clone();
    expected.insert("data/recent.parquet".to_owned());
    assert_eq!(server.all_table_files(), expected);
    let day_ago = now() - 90_000_000;
    let sooner = json!({"dry_run": "false", "older_than": day_ago.to_string()});
    server.run(ORPHANS, sooner).await.succeeded();
    assert_eq!(server.all_table_files(), files);
}

#[tokio::test(flavor = "multi_thread")]
async fn metadata_beyond_the_log_goes() {
    let server = Server::with_history().await;
    let few = json!({"requirements": [], "updates": [{"action": "set-properties",
        "updates": {"write.metadata.previous-versions-max": "2"}}]});
    server.ask("POST", TABLE, few).await.is(200);
    let versions = |server: &Server| {
        let all = server.all_table_files();
        all.into_iter()
            .filter(|name| name.ends_with(".metadata.json"))
            .count()
    };
    assert_eq!(versions(&server), 7);
    let recent = json!({"dry_run": "false"});
    server.run(METADATA, recent).await.succeeded();
    assert_eq!(versions(&server), 7, "files of less than a day stay");
    server.pass_the_last_change().await;
    let all = json!({"dry_run": "false", "older_than": now().to_string(), "allow_recent": "true"});
    let real = server.run(METADATA, all).await.succeeded();
    assert!(real.output.contains("deleted: 4 of 4\n"), "{real:?}");
    assert_eq!(versions(&server), 3, "the current version and the two of the log");
    let log = server.metadata().await["metadata-log"]
        .as_array()
        .expect("a list")
        .clone();
    for entry in log {
        let file = entry["metadata-file"]
            .as_str()
            .expect("a text")
            .trim_start_matches("file://");
        assert!(std::path::Path::new(file).exists(), "{file}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_refused_before_there_is_a_job() {
    let server = Server::with_history().await;
    for (more, status) in [
        (json!({"dry_run": "perhaps"}), 400),
        (json!({"table_identifier": "t"}), 400),
        (json!({"table_identifier": "n1.none"}), 404),
        (json!({"catalog_name": "none"}), 404),
    ] {
        server.submit(ADMIN, EXPIRE, more).await.is(status);
    }
    let jobs = server
        .native(ADMIN, "GET", "/metalakes/m/jobs/runs", NONE)
        .await
        .is(200);
    assert_eq!(jobs.body["jobs"], json!([]));
}
