// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Races have one winner, losers hear 409 (or 404), nothing is lost, and nobody hears 5xx (pitfall B3).

use std::collections::BTreeMap;

use futures::future::join_all;
use serde_json::json;

use crate::harness::{NONE, Server, creation, set_property};

const TABLES: &str = "/ice/namespaces/n1/tables";

fn count(statuses: impl IntoIterator<Item = u16>) -> BTreeMap<u16, usize> {
    let mut counted = BTreeMap::new();
    for status in statuses {
        *counted.entry(status).or_default() += 1;
    }
    counted
}

#[tokio::test]
async fn of_many_creators_one_wins() {
    let server = Server::start().await;
    server.namespace("n1").await;
    for round in 0..10 {
        let name = format!("t{round}");
        let answers = join_all((0..4).map(|_| server.ask("POST", TABLES, creation(&name)))).await;
        assert_eq!(
            count(answers.iter().map(|answer| answer.status)),
            BTreeMap::from([(200, 1), (409, 3)])
        );
        let winner = answers
            .iter()
            .find(|answer| answer.status == 200)
            .expect("a winner");
        let loaded = server.ask("GET", &format!("{TABLES}/{name}"), NONE).await.is(200);
        assert_eq!(
            loaded.body["metadata"]["table-uuid"],
            winner.body["metadata"]["table-uuid"]
        );
        let path = format!("{TABLES}/{name}");
        let answers = join_all((0..3).map(|_| server.ask("DELETE", &path, NONE))).await;
        assert_eq!(
            count(answers.iter().map(|answer| answer.status)),
            BTreeMap::from([(204, 1), (404, 2)])
        );
    }
}

#[tokio::test]
async fn no_commit_is_lost() {
    let server = Server::start().await;
    server.namespace("n1").await;
    server.table("n1", "t").await;
    let path = format!("{TABLES}/t");
    let writers = (0..6).map(|writer| {
        let (server, path) = (&server, &path);
        async move {
            let mut won = Vec::new();
            for round in 0..8 {
                let name = format!("w{writer}r{round}");
                let answer = server.ask("POST", path, set_property(&name, "x")).await;
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
    let loaded = server.ask("GET", &path, NONE).await.is(200);
    let properties = loaded.body["metadata"]["properties"]
        .as_object()
        .expect("an object");
    let written = properties
        .keys()
        .filter(|name| name.starts_with('w') && !name.starts_with("write."))
        .count();
    assert_eq!(written, won.len());
    assert!(won.iter().all(|name| properties.contains_key(name)));
    // One metadata file per winner and the first: losers removed theirs.
    let location = loaded.body["metadata"]["location"].as_str().expect("a location");
    let files =
        std::fs::read_dir(format!("{}/metadata", location.trim_start_matches("file://"))).expect("a folder");
    assert_eq!(files.count(), won.len() + 1);
}

#[tokio::test]
async fn a_rename_against_a_drop_has_one_winner() {
    let server = Server::start().await;
    server.namespace("n1").await;
    for round in 0..10 {
        server.table("n1", "t").await;
        let new = format!("r{round}");
        let rename = json!({"source": {"namespace": ["n1"], "name": "t"}, "destination": {"namespace": ["n1"], "name": new}});
        let path = format!("{TABLES}/t");
        let (renamed, dropped) = tokio::join!(
            server.ask("POST", "/ice/tables/rename", rename),
            server.ask("DELETE", &path, NONE)
        );
        let statuses = (renamed.status, dropped.status);
        // A drop that was decided on before the rename does not end the renamed table.
        assert!([(204, 404), (404, 204)].contains(&statuses), "{statuses:?}");
        let exists = server.ask("HEAD", &format!("{TABLES}/{new}"), NONE).await.status;
        assert_eq!(
            exists,
            if statuses == (204, 404) { 204 } else { 404 },
            "{statuses:?}"
        );
        server.ask("HEAD", &path, NONE).await.is(404);
    }
}
