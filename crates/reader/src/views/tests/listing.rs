// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `SHOW` gives what the server lists, and `DESCRIBE` also knows views.

use tempfile::TempDir;

use super::server::Server;
use super::{people, restricted, rows, view};

#[tokio::test]
async fn tables_views_schemas_and_catalogs_are_listed() {
    let directory = TempDir::new().unwrap();
    let mut server = Server::new();
    server.config(r#"{"defaults": {"lakeward.catalogs": "c,d"}, "overrides": {"prefix": "c"},
        "endpoints": ["GET /v1/{prefix}/namespaces/{namespace}/views", "GET /v1/{prefix}/namespaces/{namespace}/views/{view}"]}"#);
    server.list("namespaces", r#"{"namespaces": [["s"]]}"#);
    server.list(
        "namespaces/s/tables",
        r#"{"identifiers": [{"namespace": ["s"], "name": "t"}]}"#,
    );
    server.list(
        "namespaces/s/views",
        r#"{"identifiers": [{"namespace": ["s"], "name": "v"}]}"#,
    );
    server.table("t", &people(&directory).await.answer(&restricted()));
    let shown = view(&[("a", "int")], &[("spark", "SELECT x FROM t")]);
    server.view("v", &shown.to_string());
    let server = server.start().await;
    let session = server.session();
    for (sql, expected) in [
        ("show tables", &["| t | table |", "| v | view |"][..]),
        ("SHOW TABLES IN s", &["| t | table |", "| v | view |"]),
        ("show tables from c.s", &["| t | table |", "| v | view |"]),
        ("show catalogs", &["| c |", "| d |"]),
        ("describe v", &["| a | Int32 | YES |"]),
        // What the server does not show is empty.
        ("show tables in nope", &[]),
    ] {
        assert_eq!(rows(&session, sql).await.unwrap(), expected, "{sql}");
    }
    for (sql, said) in [
        ("show tables in a.b.c", "without conditions"),
        ("describe nope", "cannot be read"),
    ] {
        let refused = rows(&session, sql).await.unwrap_err();
        assert!(refused.contains(said), "{sql}: {refused}");
    }
}
