// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Views when several act at once, and when something fails on the way: races have one winner, nothing is lost, and a
//! failure leaves everything as it was.

use std::collections::BTreeMap;

use futures::future::join_all;
use lakeward_operations::OperationError;
use lakeward_operations::step::{Observer, Step, Verdict};
use serde_json::json;

use crate::harness::{ADMIN, Answer, NONE, Server, creation};
use crate::views::{VIEW, VIEWS, made, put, renamed, server, view};

fn count(answers: &[Answer]) -> BTreeMap<u16, usize> {
    let mut counted = BTreeMap::new();
    for answer in answers {
        *counted.entry(answer.status).or_default() += 1;
    }
    counted
}

#[tokio::test]
async fn of_many_creators_of_a_table_and_a_view_one_wins() {
    let server = server().await;
    for round in 0..10 {
        let name = format!("x{round}");
        let server = &server;
        let name = &name;
        let answers = join_all((0..6).map(|number| async move {
            if number % 2 == 0 {
                server.ask("POST", VIEWS, view(name)).await
            } else {
                server
                    .ask("POST", "/ice/namespaces/n1/tables", creation(name))
                    .await
            }
        }))
        .await;
        assert_eq!(count(&answers), BTreeMap::from([(200, 1), (409, 5)]));
    }
}

#[tokio::test]
async fn no_commit_to_a_view_is_lost_and_losers_leave_no_file() {
    let server = server().await;
    made(&server, "v").await;
    let writers = (0..6).map(|writer| {
        let server = &server;
        async move {
            let mut won = Vec::new();
            for round in 0..8 {
                let name = format!("w{writer}r{round}");
                let answer = server.ask("POST", VIEW, put(&name)).await;
                match answer.status {
                    200 => won.push(name),
                    409 => {
                        answer.fails(409, "CommitFailedException");
                    }
                    _ => panic!("{}", answer.body),
                }
            }
            won
        }
    });
    let won: Vec<String> = join_all(writers).await.into_iter().flatten().collect();
    assert!(!won.is_empty());
    let loaded = server.ask("GET", VIEW, NONE).await.is(200);
    let properties = loaded.body["metadata"]["properties"]
        .as_object()
        .expect("an object");
    assert_eq!(properties.len(), won.len());
    assert!(won.iter().all(|name| properties.contains_key(name)));
    let files = server.files();
    let files = files
        .keys()
        .filter(|path| path.to_string_lossy().contains("/n1/v/metadata/"));
    assert_eq!(files.count(), won.len() + 1);
}

#[tokio::test]
async fn a_rename_of_a_view_against_a_new_table_has_one_winner() {
    let server = server().await;
    for round in 0..10 {
        let (old, new) = (format!("o{round}"), format!("n{round}"));
        made(&server, &old).await;
        let (moved, created) = tokio::join!(
            server.ask("POST", "/ice/views/rename", renamed(("n1", &old), ("n1", &new))),
            server.ask("POST", "/ice/namespaces/n1/tables", creation(&new))
        );
        let statuses = (moved.status, created.status);
        assert!([(204, 409), (409, 200)].contains(&statuses), "{statuses:?}");
        let is_view = server.ask("HEAD", &format!("{VIEWS}/{new}"), NONE).await.status;
        assert_eq!(is_view, if statuses.0 == 204 { 204 } else { 404 });
    }
}

/// Lets the next request that reaches a step fail there.
#[derive(Debug, Clone, Default)]
struct Saboteur(std::sync::Arc<std::sync::Mutex<Option<Step>>>);

impl Saboteur {
    fn plan(&self, step: Step) {
        *self.0.lock().expect("no panic") = Some(step);
    }
}

impl Observer for Saboteur {
    fn reached(&self, step: Step, _: &str) -> Verdict {
        let mut planned = self.0.lock().expect("no panic");
        if *planned != Some(step) {
            return Verdict::Proceed;
        }
        *planned = None;
        Verdict::Fail(OperationError::Unavailable {
            message: "the store does not answer".to_owned(),
            detail: "a test".to_owned(),
        })
    }
}

#[tokio::test]
async fn a_fault_at_any_step_leaves_the_view_as_it_was() {
    let server = server().await;
    let first = made(&server, "v").await;
    let saboteur = Saboteur::default();
    assert!(
        server.steps().watch(Box::new(saboteur.clone())),
        "the first observer"
    );
    let files = server.files();
    for step in [
        Step::Facts,
        Step::Authorization,
        Step::Pointer,
        Step::Metadata,
        Step::File,
        Step::Swap,
    ] {
        for (method, path, body) in [
            ("POST", VIEW, put("a")),
            ("POST", VIEWS, view("w")),
            ("GET", VIEW, NONE),
        ] {
            saboteur.plan(step);
            let answer = server.ask(method, path, body).await;
            let was_reached = saboteur.0.lock().expect("no panic").take().is_none();
            assert_eq!(
                was_reached,
                answer.status == 503,
                "{method} {path} at {step}: {}",
                answer.body
            );
            if was_reached {
                assert_eq!(server.files(), files, "{method} {path} at {step}");
                server.ask("HEAD", &format!("{VIEWS}/w"), NONE).await.is(404);
                assert_eq!(server.ask("GET", VIEW, NONE).await.is(200).body, first.body);
            } else {
                // A creation looks up no pointer.
                assert!(
                    path == VIEWS || method == "GET",
                    "{method} {path} does not reach {step}"
                );
                if path == VIEWS {
                    server.ask("DELETE", &format!("{VIEWS}/w"), NONE).await.is(204);
                    return_files(&server, &files);
                }
            }
        }
    }
    server.ask("POST", VIEW, put("a")).await.is(200);
}

/// Removes what a dropped view leaves, so that files can be compared once more.
fn return_files(server: &Server, before: &BTreeMap<std::path::PathBuf, Vec<u8>>) {
    for path in server.files().keys().filter(|path| !before.contains_key(*path)) {
        std::fs::remove_file(path).expect("a file");
    }
}

#[tokio::test]
async fn a_privilege_that_is_taken_away_meanwhile_is_not_too_late() {
    let server = server().await;
    server.add_user("ann").await;
    made(&server, "v").await;
    let way: &[(&str, &str, &[&str])] = &[
        ("CATALOG", "ice", &["USE_CATALOG"]),
        ("SCHEMA", "ice.n1", &["USE_SCHEMA"]),
    ];
    server.grant("ann", "walker", way).await;
    let owner = json!({"name": "ann", "type": "USER"});
    let path = "/metalakes/m/owners/view/ice.n1.v";
    server.native(ADMIN, "PUT", path, owner).await.is(200);
    server.ask_as("ann", "POST", VIEW, put("a")).await.is(200);
    let owner = json!({"name": ADMIN, "type": "USER"});
    server.native(ADMIN, "PUT", path, owner).await.is(200);
    server
        .ask_as("ann", "POST", VIEW, put("b"))
        .await
        .fails(403, "ForbiddenException");
    let loaded = server.ask("GET", VIEW, NONE).await.is(200);
    assert_eq!(loaded.body["metadata"]["properties"], json!({"a": "x"}));
}
