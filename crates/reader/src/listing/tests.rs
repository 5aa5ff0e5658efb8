// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Lists of servers of every sort, over HTTP.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use url::Url;

use super::{CatalogListing, Listing, ListingBounds, RelationKind, catalogs_of};
use crate::connection::{Connection, ConnectionOptions, Credentials};
use crate::error::ReaderError;

/// What a server answers to a path below `/iceberg` with its query: a status and a body.
type Answers = dyn Fn(&str, &[(String, String)]) -> (u16, Value) + Send + Sync;

/// The same for one path.
type Answer = fn(&[(String, String)]) -> Value;

/// A server that answers as a closure says, and what it was asked.
struct Server {
    url: Url,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn start(
        answers: impl Fn(&str, &[(String, String)]) -> (u16, Value) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let answers: Arc<Answers> = Arc::new(answers);
        let seen = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (answers, seen) = (Arc::clone(&answers), Arc::clone(&seen));
                tokio::spawn(async move {
                    let mut head = Vec::new();
                    while !head.ends_with(b"\r\n\r\n") {
                        let mut byte = [0];
                        if stream.read_exact(&mut byte).await.is_err() {
                            return;
                        }
                        head.extend(byte);
                    }
                    let head = String::from_utf8(head).unwrap();
                    assert!(
                        head.to_lowercase().contains("authorization: basic yw5u"),
                        "{head}"
                    );
                    let target = head.split(' ').nth(1).unwrap().to_owned();
                    let url = Url::parse(&format!("http://x{target}")).unwrap();
                    let query: Vec<(String, String)> = url.query_pairs().into_owned().collect();
                    seen.lock().unwrap().push(target.clone());
                    let (status, body) = answers(url.path().strip_prefix("/iceberg").unwrap(), &query);
                    let body = body.to_string();
                    let answer = format!(
                        "HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                        body.len()
                    );
                    // The client may have gone; what it got is asserted there.
                    stream.write_all(answer.as_bytes()).await.ok();
                });
            }
        });
        Self { url, asked }
    }

    fn connection(&self) -> Connection {
        Connection::new(ConnectionOptions {
            iceberg: self.url.clone(),
            credentials: Credentials::Basic {
                user: "ann".to_owned(),
                password: "p".to_owned(),
            },
            identity: None,
            timeout: Duration::from_secs(60),
        })
        .unwrap()
    }

    fn listing(&self, bounds: ListingBounds) -> Listing {
        Listing::new(self.connection(), bounds)
    }

    async fn catalog(&self) -> CatalogListing {
        self.catalog_within(ListingBounds::default()).await
    }

    async fn catalog_within(&self, bounds: ListingBounds) -> CatalogListing {
        self.listing(bounds).catalog("ice").await.unwrap().unwrap()
    }
}

fn parameter<'q>(query: &'q [(String, String)], name: &str) -> &'q str {
    query
        .iter()
        .find(|(key, _)| key == name)
        .map_or("", |(_, value)| value.as_str())
}

fn error(status: u16) -> (u16, Value) {
    let body = json!({"error": {"message": "no", "type": "SomeException", "code": status}});
    (status, body)
}

/// A configuration with a prefix of two segments.
fn configuration() -> (u16, Value) {
    let body = json!({"overrides": {"prefix": "w/ice"}, "defaults": {}, "endpoints": [super::LIST_VIEWS]});
    (200, body)
}

fn names(namespaces: &[Vec<String>]) -> Vec<String> {
    namespaces.iter().map(|levels| levels.join(".")).collect()
}

#[tokio::test]
async fn catalogs_are_what_the_server_tells() {
    for (defaults, expected) in [
        (json!({}), None),
        (json!({"lakeward.catalogs": ""}), Some(vec![])),
        (
            json!({"lakeward.catalogs": "b, a,,b"}),
            Some(vec!["a".to_owned(), "b".to_owned()]),
        ),
    ] {
        let server = Server::start(move |path, query| {
            assert_eq!((path, query.len()), ("/v1/config", 0));
            (200, json!({"defaults": defaults, "overrides": {}}))
        })
        .await;
        let told = server.connection().configuration().await.unwrap();
        assert_eq!(catalogs_of(&told), expected);
    }
}

#[tokio::test]
async fn namespaces_are_followed_through_levels_and_pages() {
    let server = Server::start(|path, query| match (path, parameter(query, "parent")) {
        ("/v1/config", _) => configuration(),
        ("/v1/w/ice/namespaces", "") => match parameter(query, "pageToken") {
            "" => (
                200,
                json!({"namespaces": [["b"], ["a"]], "next-page-token": "2 &"}),
            ),
            "2 &" => (
                200,
                json!({"namespaces": [["c.d"], ["a-b"]], "next-page-token": null}),
            ),
            other => panic!("{other}"),
        },
        ("/v1/w/ice/namespaces", "a") => (200, json!({"namespaces": [["a", "x"]], "next-page-token": ""})),
        ("/v1/w/ice/namespaces", "a\u{1f}x") => (200, json!({"namespaces": [["a", "x", "y"]]})),
        // Hidden, gone, and a server that cannot list below.
        ("/v1/w/ice/namespaces", "b") => error(403),
        ("/v1/w/ice/namespaces", "a-b") => error(404),
        ("/v1/w/ice/namespaces", "a\u{1f}x\u{1f}y") => error(501),
        other => panic!("{other:?}"),
    })
    .await;
    let catalog = server.catalog().await;
    assert!(catalog.is_visible().await.unwrap());
    let found = catalog.namespaces(|_| true).await.unwrap();
    // A level with a dot cannot be named.
    assert_eq!(names(&found), ["a", "a-b", "a.x", "a.x.y", "b"]);
    server.asked.lock().unwrap().clear();
    let found = catalog.namespaces(|above| above == "a").await.unwrap();
    assert_eq!(names(&found), ["a", "a-b", "a.x", "b"]);
    // Two pages at the top and one below; nothing was asked that is not wanted.
    assert_eq!(server.asked.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn tables_and_views_come_in_pages_and_without_what_cannot_be_named() {
    let server = Server::start(|path, query| match path {
        "/v1/config" => configuration(),
        "/v1/w/ice/namespaces/a%1Fb/tables" => match parameter(query, "pageToken") {
            "" => {
                let listed = ["z", "t$files", "u@main"];
                let listed: Vec<Value> = listed
                    .iter()
                    .map(|name| json!({"namespace": ["a", "b"], "name": name}))
                    .collect();
                (200, json!({"identifiers": listed, "next-page-token": "n"}))
            }
            _ => (
                200,
                json!({"identifiers": [{"namespace": ["a", "b"], "name": "c d"}]}),
            ),
        },
        "/v1/w/ice/namespaces/a%1Fb/views" => (
            200,
            json!({"identifiers": [{"namespace": ["a", "b"], "name": "v"}]}),
        ),
        "/v1/w/ice/namespaces/hidden/tables" => error(403),
        other => panic!("{other}"),
    })
    .await;
    let catalog = server.catalog().await;
    let namespace = ["a".to_owned(), "b".to_owned()];
    let tables = catalog.relations(&namespace, RelationKind::Table).await.unwrap();
    assert_eq!(tables, ["c d", "z"]);
    let views = catalog.relations(&namespace, RelationKind::View).await.unwrap();
    assert_eq!(views, ["v"]);
    let hidden = catalog
        .relations(&["hidden".to_owned()], RelationKind::Table)
        .await;
    assert!(hidden.unwrap().is_empty());
}

#[tokio::test]
async fn views_are_asked_for_only_where_there_are_any_and_levels_are_joined_as_the_server_says() {
    let server = Server::start(|path, query| match path {
        "/v1/config" => (
            200,
            json!({"defaults": {}, "overrides": {"namespace-separator": "%2E"}}),
        ),
        "/v1/namespaces" => match parameter(query, "parent") {
            "" => (200, json!({"namespaces": [["a"]]})),
            "a" => (200, json!({"namespaces": [["a", "b"]]})),
            "a.b" => (200, json!({"namespaces": []})),
            other => panic!("{other}"),
        },
        "/v1/namespaces/a.b/tables" => (200, json!({"identifiers": []})),
        other => panic!("{other}"),
    })
    .await;
    let catalog = server.catalog().await;
    assert_eq!(names(&catalog.namespaces(|_| true).await.unwrap()), ["a", "a.b"]);
    let namespace = ["a".to_owned(), "b".to_owned()];
    for kind in RelationKind::ALL {
        assert!(catalog.relations(&namespace, kind).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_catalog_that_is_hidden_or_not_there_is_none() {
    for status in [403, 404] {
        let server = Server::start(move |_, _| error(status)).await;
        let found = server.listing(ListingBounds::default()).catalog("ice").await;
        assert!(found.unwrap().is_none());
        // A server that hides by answering the configuration of anything.
        let server = Server::start(move |path, _| match path {
            "/v1/config" => configuration(),
            _ => error(status),
        })
        .await;
        let catalog = server.catalog().await;
        assert!(!catalog.is_visible().await.unwrap());
        assert!(catalog.namespaces(|_| true).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn every_other_failure_ends_the_listing() {
    for status in [400, 401, 429, 500, 503] {
        let server = Server::start(move |path, query| match (path, parameter(query, "parent")) {
            ("/v1/config", _) => configuration(),
            ("/v1/w/ice/namespaces", "") => (200, json!({"namespaces": [["a"]]})),
            _ => error(status),
        })
        .await;
        let catalog = server.catalog().await;
        let below = catalog.namespaces(|_| true).await.unwrap_err();
        let tables = catalog.relations(&["a".to_owned()], RelationKind::Table).await;
        for failed in [below, tables.unwrap_err()] {
            match status {
                401 => assert!(matches!(failed, ReaderError::Unauthenticated(_)), "{failed}"),
                _ => assert!(matches!(failed, ReaderError::Server { .. }), "{failed}"),
            }
        }
    }
}

#[tokio::test]
async fn answers_that_are_no_lists_are_refused() {
    for namespaces in [
        json!([]),
        json!({"names": []}),
        json!({"namespaces": [[]]}),
        json!({"namespaces": [["a", "b"]]}),
        json!({"namespaces": ["a"]}),
    ] {
        let server = Server::start(move |path, _| match path {
            "/v1/config" => configuration(),
            "/v1/w/ice/namespaces" => (200, namespaces.clone()),
            _ => (
                200,
                json!({"identifiers": [{"namespace": ["other"], "name": "t"}]}),
            ),
        })
        .await;
        let catalog = server.catalog().await;
        let listed = catalog.namespaces(|_| true).await;
        assert!(matches!(listed, Err(ReaderError::Answer { .. })));
        let listed = catalog.relations(&["a".to_owned()], RelationKind::Table).await;
        assert!(matches!(listed, Err(ReaderError::Answer { .. })));
    }
}

#[tokio::test]
async fn what_has_no_end_is_not_followed() {
    // A server that ignores `parent`, one whose tokens repeat, one whose pages do not end, one that nests for ever.
    let ignores = |_: &[(String, String)]| json!({"namespaces": [["a"]]});
    let repeats = |query: &[(String, String)]| {
        let next = if parameter(query, "pageToken") == "x" {
            "y"
        } else {
            "x"
        };
        json!({"namespaces": [], "next-page-token": next})
    };
    let endless = |query: &[(String, String)]| {
        let next = format!("{}x", parameter(query, "pageToken"));
        json!({"namespaces": [[next]], "next-page-token": next})
    };
    let nests = |query: &[(String, String)]| {
        let parent = parameter(query, "parent");
        let mut levels: Vec<&str> = parent.split('\u{1f}').filter(|level| !level.is_empty()).collect();
        levels.push("a");
        json!({"namespaces": [levels]})
    };
    let bounds = ListingBounds {
        depth: 5,
        namespaces: 20,
        relations: 20,
        ..ListingBounds::default()
    };
    for answer in [ignores as Answer, repeats, endless, nests] {
        let server = Server::start(move |path, query| match path {
            "/v1/config" => configuration(),
            _ => (200, answer(query)),
        })
        .await;
        let listed = server.catalog_within(bounds).await.namespaces(|_| true).await;
        assert!(matches!(listed, Err(ReaderError::Answer { .. })), "{listed:?}");
        assert!(server.asked.lock().unwrap().len() < 50);
    }
}
