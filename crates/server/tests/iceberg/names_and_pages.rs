// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Names round-trip exactly (pitfall B9), pages are complete and full (B10, A11).

use std::collections::BTreeSet;

use serde_json::json;

use crate::harness::{ADMIN, NONE, Server, creation};

/// Every byte that is not unreserved, so that nothing in a name is taken for syntax.
fn encode(name: &str) -> String {
    name.bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

#[tokio::test]
async fn odd_names_are_all_distinct_and_come_back_exactly() {
    let server = Server::start().await;
    let namespaces: Vec<Vec<&str>> = vec![
        vec!["a"],
        vec!["a", "b"],
        vec!["a.b"],
        vec!["a b"],
        vec!["a+b"],
        vec!["a/b"],
        vec!["ü"],
        vec!["%1F"],
        vec!["a%1Fb"],
        vec!["..", "."],
        vec!["*"],
        vec!["${aws}"],
    ];
    for levels in &namespaces {
        if levels.as_slice() == ["a"]
            || server
                .ask("POST", "/ice/namespaces", json!({"namespace": levels}))
                .await
                .status
                == 200
        {
            continue;
        }
        panic!("{levels:?} was not created");
    }
    let mut locations = BTreeSet::new();
    for levels in &namespaces {
        let segment = levels
            .iter()
            .map(|level| encode(level))
            .collect::<Vec<_>>()
            .join("%1F");
        let path = format!("/ice/namespaces/{segment}");
        let loaded = server.ask("GET", &path, NONE).await.is(200);
        assert_eq!(loaded.body["namespace"], json!(levels));
        // A segment of dots alone, however encoded, is taken out by clients before it is sent.
        for table in ["t", "t?", "a/b", "...", "%2e", "t u"] {
            let made = server
                .ask("POST", &format!("{path}/tables"), creation(table))
                .await
                .is(200);
            let location = made.body["metadata"]["location"]
                .as_str()
                .expect("a location")
                .to_owned();
            assert!(locations.insert(location.clone()), "{location} twice");
            let loaded = server
                .ask("GET", &format!("{path}/tables/{}", encode(table)), NONE)
                .await
                .is(200);
            assert_eq!(loaded.body["metadata-location"], made.body["metadata-location"]);
        }
        let list = server.ask("GET", &format!("{path}/tables"), NONE).await.is(200);
        assert_eq!(list.body["identifiers"].as_array().expect("a list").len(), 6);
        assert_eq!(list.body["identifiers"][0]["namespace"], json!(levels));
        let rename = json!({"source": {"namespace": levels, "name": "t?"}, "destination": {"namespace": levels, "name": "t#"}});
        server.ask("POST", "/ice/tables/rename", rename).await.is(204);
        server
            .ask("HEAD", &format!("{path}/tables/t%23"), NONE)
            .await
            .is(204);
    }
    // Decoded once: `a%1Fb` is one level, and no spelling of it reaches `a`, `b`.
    let once = server.ask("GET", "/ice/namespaces/a%251Fb", NONE).await.is(200);
    assert_eq!(once.body["namespace"], json!(["a%1Fb"]));
    // The separator of native names would make one level two.
    server
        .ask("POST", "/ice/namespaces", json!({"namespace": ["x:y"]}))
        .await
        .fails(400, "IllegalNamespaceException");
}

#[tokio::test]
async fn a_grant_on_a_dotted_name_does_not_cover_the_nested_one() {
    let server = Server::start().await;
    for levels in [json!(["a", "b"]), json!(["a.b"])] {
        server
            .ask("POST", "/ice/namespaces", json!({"namespace": levels}))
            .await
            .is(200);
    }
    server.add_user("ann").await;
    let uses: &[&str] = &["USE_CATALOG"];
    server
        .grant(
            "ann",
            "r",
            &[("CATALOG", "ice", uses), ("SCHEMA", "ice.a:b", &["USE_SCHEMA"])],
        )
        .await;
    server
        .ask_as("ann", "GET", "/ice/namespaces/a%1Fb", NONE)
        .await
        .is(200);
    server
        .ask_as("ann", "GET", "/ice/namespaces/a.b", NONE)
        .await
        .fails(403, "ForbiddenException");
}

#[tokio::test]
async fn pages_show_everything_once_and_are_full() {
    let server = Server::start().await;
    server.namespace("s").await;
    let mut readable = Vec::new();
    for number in 0..40 {
        let name = format!("t{number:03}");
        server.table("s", &name).await;
        if number % 4 == 0 {
            readable.push(name);
        }
    }
    server.add_user("ann").await;
    let full_names: Vec<String> = readable.iter().map(|name| format!("ice.s.{name}")).collect();
    let mut objects: Vec<(&str, &str, &[&str])> = vec![
        ("CATALOG", "ice", &["USE_CATALOG"]),
        ("SCHEMA", "ice.s", &["USE_SCHEMA"]),
    ];
    objects.extend(
        full_names
            .iter()
            .map(|name| ("TABLE", name.as_str(), &["SELECT_TABLE"] as &[&str])),
    );
    server.grant("ann", "r", &objects).await;
    let path = "/ice/namespaces/s/tables";
    for (user, expected) in [(ADMIN, 40), ("ann", 10)] {
        let everything = server
            .ask_as(user, "GET", &format!("{path}?pageSize=3"), NONE)
            .await
            .is(200);
        assert_eq!(
            everything.body["identifiers"].as_array().expect("a list").len(),
            expected
        );
        for size in [1, 3, 10, 1000] {
            let mut seen = Vec::new();
            let mut token = String::new();
            loop {
                let page = format!("{path}?pageToken={token}&pageSize={size}");
                let page = server.ask_as(user, "GET", &page, NONE).await.is(200);
                let names = page.body["identifiers"].as_array().expect("a list").clone();
                seen.extend(
                    names
                        .iter()
                        .map(|entry| entry["name"].as_str().expect("a name").to_owned()),
                );
                match page.body["next-page-token"].as_str() {
                    None => break,
                    Some(next) => {
                        assert_eq!(names.len(), size, "a page before the last is full");
                        assert_ne!(next, token);
                        token = next.to_owned();
                    }
                }
            }
            let distinct: BTreeSet<&String> = seen.iter().collect();
            assert_eq!(
                (seen.len(), distinct.len()),
                (expected, expected),
                "{user} {size}"
            );
        }
    }
    let first = server
        .ask("GET", &format!("{path}?pageToken=&pageSize=5"), NONE)
        .await
        .is(200);
    let token = first.body["next-page-token"]
        .as_str()
        .expect("a token")
        .to_owned();
    // Another user's token gives no more than one's own sight.
    let other = server
        .ask_as("ann", "GET", &format!("{path}?pageToken={token}"), NONE)
        .await
        .is(200);
    assert_eq!(other.body["identifiers"].as_array().expect("a list").len(), 8);
    for (list, token) in [(path, "x"), (path, "%00"), ("/ice/namespaces", token.as_str())] {
        server
            .ask("GET", &format!("{list}?pageToken={token}"), NONE)
            .await
            .fails(400, "BadRequestException");
    }
    server
        .ask("GET", &format!("{path}?pageToken=&pageSize=0"), NONE)
        .await
        .fails(400, "BadRequestException");
}
