// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A job may what its submitter may, and not longer.

use lakeward_metadata::kind::ObjectKind;
use lakeward_store::{Area, ObjectChange};
use serde_json::json;

use super::{DAY, EXPIRE, METADATA, ORPHANS, TABLE, expire_all, ids};
use crate::harness::{ADMIN, NONE, Server};

/// Gives `ann` the right to run jobs, and what else is said on the catalog.
async fn ann(server: &Server, privileges: &[&str]) {
    server.add_user("ann").await;
    let on_catalog = [&["USE_CATALOG", "USE_SCHEMA"], privileges].concat();
    let objects: &[(&str, &str, &[&str])] = &[
        ("METALAKE", "m", &["RUN_JOB", "USE_JOB_TEMPLATE"]),
        ("CATALOG", "ice", &on_catalog),
    ];
    server.grant("ann", "worker", objects).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_commit_may_not_maintain() {
    let server = Server::with_history().await;
    ann(&server, &["SELECT_TABLE"]).await;
    let before = server.files();
    for template in [EXPIRE, ORPHANS, METADATA] {
        let refused = server
            .submit("ann", template, json!({"dry_run": "true"}))
            .await
            .is(403);
        let text = refused.body.to_string();
        assert!(!text.contains("parquet") && !text.contains("avro"), "{text}");
    }
    // A table that is hidden and one that is not there are refused alike.
    server.add_user("bob").await;
    let objects: &[(&str, &str, &[&str])] = &[("METALAKE", "m", &["RUN_JOB", "USE_JOB_TEMPLATE"])];
    server.grant("bob", "runner", objects).await;
    let [hidden, absent] = ["n1.t", "n1.none"].map(|table| json!({"table_identifier": table}));
    let hidden = server.submit("bob", EXPIRE, hidden).await;
    let absent = server.submit("bob", EXPIRE, absent).await;
    assert_eq!(hidden.status, absent.status);
    assert_eq!(
        hidden.body["message"].to_string().replace("n1.t", "n1.none"),
        absent.body["message"].to_string()
    );
    assert_eq!(server.files(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_commit_may_maintain_and_owns_the_job() {
    let server = Server::with_history().await;
    ann(&server, &["SELECT_TABLE", "MODIFY_TABLE"]).await;
    let job = server.submit("ann", EXPIRE, expire_all(false)).await.is(200);
    server.end_of("ann", &job).await.succeeded();
    assert_eq!(ids(&server.metadata().await), [1, 4]);
    assert_eq!(job.body["job"]["audit"]["creator"], "ann");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restricted_table_is_maintained_by_those_whom_nothing_restricts() {
    let server = Server::with_history().await;
    ann(&server, &["SELECT_TABLE", "MODIFY_TABLE"]).await;
    let filter = "filter := true if session_user() == \"admin\"\nelse := col(\"name\") == \"a\"";
    server.add_filter("only_some", "pii", filter).await;
    server.tag("table", "ice.n1.t", "pii").await;
    let before = server.files();
    for template in [EXPIRE, ORPHANS, METADATA] {
        let refused = server.submit("ann", template, json!({})).await;
        assert!([403, 406].contains(&refused.status), "{}", refused.body);
        assert!(!refused.body.to_string().contains("parquet"), "{}", refused.body);
    }
    assert_eq!(server.files(), before);
    let done = server.run(EXPIRE, expire_all(true)).await;
    assert_eq!(done.status, "succeeded", "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn built_in_templates_are_everywhere_and_stay_as_they_are() {
    let server = Server::start().await;
    for metalake in ["m", "other"] {
        if metalake == "other" {
            let made = json!({"name": metalake});
            server.native(ADMIN, "POST", "/metalakes", made).await.is(200);
        }
        let templates = format!("/metalakes/{metalake}/jobs/templates");
        let listed = server.native(ADMIN, "GET", &templates, NONE).await.is(200);
        assert_eq!(listed.body["names"], json!([METADATA, EXPIRE, ORPHANS]));
        for name in [EXPIRE, ORPHANS, METADATA] {
            let path = format!("{templates}/{name}");
            let loaded = server.native(ADMIN, "GET", &path, NONE).await.is(200);
            assert_eq!(
                loaded.body["jobTemplate"]["customFields"],
                json!({"version": "v1"})
            );
            let rename = json!({"updates": [{"@type": "rename", "newName": "mine"}]});
            server.native(ADMIN, "PUT", &path, rename).await.is(400);
            server.native(ADMIN, "DELETE", &path, NONE).await.is(400);
        }
    }
    // A metalake is as empty with them as without.
    let disabled = json!({"inUse": false});
    server
        .native(ADMIN, "PATCH", "/metalakes/other", disabled)
        .await
        .is(200);
    server
        .native(ADMIN, "DELETE", "/metalakes/other", NONE)
        .await
        .is(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_metalake_of_an_older_server_gets_the_templates_of_this_one() {
    let server = Server::start().await;
    let path = format!("/metalakes/m/jobs/templates/{EXPIRE}");
    let current = server.native(ADMIN, "GET", &path, NONE).await.is(200).body["jobTemplate"].clone();
    let (metalake, _) = server
        .store()
        .current("m")
        .await
        .expect("a state")
        .expect("a metalake");
    let areas = [Area::Objects, Area::Grants, Area::Governance];
    let mut write = server
        .store()
        .write(metalake, &areas, ADMIN)
        .await
        .expect("a write");
    for (name, is_older) in [(EXPIRE, true), (ORPHANS, false)] {
        let row = write
            .child(metalake, ObjectKind::JobTemplate, name)
            .await
            .expect("a row");
        let row = row.expect("a template").object;
        if is_older {
            let mut detail = row.detail;
            detail["customFields"]["version"] = json!("v0");
            let change = ObjectChange {
                detail: Some(detail),
                ..ObjectChange::default()
            };
            write.alter_object(row.id, &change).await.expect("a change");
        } else {
            write.drop_object(row.id).await.expect("an end");
        }
    }
    write.commit().await.expect("a commit");
    let older = server.native(ADMIN, "GET", &path, NONE).await.is(200);
    assert_eq!(older.body["jobTemplate"]["customFields"]["version"], "v0");
    let server = server.restart().await;
    let listed = server
        .native(ADMIN, "GET", "/metalakes/m/jobs/templates", NONE)
        .await
        .is(200);
    assert_eq!(listed.body["names"], json!([METADATA, EXPIRE, ORPHANS]));
    let renewed = server.native(ADMIN, "GET", &path, NONE).await.is(200).body["jobTemplate"].clone();
    for member in ["customFields", "arguments", "comment", "executable"] {
        assert_eq!(renewed[member], current[member], "{member}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_whose_metadata_was_changed_outside_is_not_maintained() {
    let server = Server::with_history().await;
    server.put("data/left.parquet", 10 * DAY).await;
    let answer = server.ask("GET", TABLE, NONE).await.is(200);
    let location = answer.body["metadata-location"].as_str().expect("a location");
    let mut metadata = answer.body["metadata"].clone();
    // To such metadata every file would be one that nothing names.
    metadata["snapshots"] = json!([]);
    metadata["refs"] = json!({});
    metadata["current-snapshot-id"] = json!(-1);
    let text = metadata.to_string();
    let server = server.restart().await;
    crate::writer::write(location, text.as_bytes());
    let before = server.files();
    for template in [EXPIRE, ORPHANS, METADATA] {
        let conf =
            json!({"dry_run": "false", "allow_recent": "true", "older_than": super::now().to_string()});
        let refused = server.submit(ADMIN, template, conf).await.is(502);
        let told = refused.body.to_string();
        assert!(told.contains("changed outside the catalog"), "{told}");
    }
    assert_eq!(server.files(), before, "no file is touched");
}
