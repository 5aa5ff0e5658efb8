// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a view and the statement that names it know of each other, and what is asked of the server.

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::server::Server;
use super::{people, restricted, rows, serving, view};

fn one(sql: &str) -> Json {
    view(&[("a", "int")], &[("spark", sql)])
}

#[tokio::test]
async fn restrictions_of_the_caller_hold_in_views_over_views() {
    let directory = TempDir::new().unwrap();
    let inner = view(
        &[("n", "string"), ("k", "int")],
        &[("spark", "SELECT name, x FROM t")],
    );
    let outer = view(
        &[("m", "string")],
        &[("oracle", "?"), ("trino", "SELECT n FROM inner_view WHERE k > 0")],
    );
    let server = serving(&directory, &[("inner_view", inner), ("outer_view", outer)]).await;
    let session = server.session();
    assert_eq!(
        rows(&session, "select m from outer_view").await.unwrap(),
        ["| xxx |", "| |"]
    );
    let both = "select v.m, t.x from outer_view v join t on v.m = t.name";
    assert_eq!(rows(&session, both).await.unwrap(), ["| xxx | 2 |"]);
    let answer = session.query("select count(*) from outer_view").await.unwrap();
    let used = answer.tables.first().unwrap();
    assert_eq!((used.name.to_string().as_str(), used.filtered), ("c.s.t", true));
}

#[tokio::test]
async fn everything_is_asked_for_once_and_the_table_first() {
    let directory = TempDir::new().unwrap();
    let twice = one("SELECT a.x FROM t a JOIN t b ON a.x = b.x");
    let server = serving(&directory, &[("v", twice.clone()), ("w", one("SELECT a FROM v"))]).await;
    rows(&server.session(), "select * from w join v on true join t on true")
        .await
        .unwrap();
    let mut asked = server.asked();
    asked.sort();
    assert_eq!(asked, ["tables/t", "tables/v", "tables/w", "views/v", "views/w"]);
    // A server that says that it has no views is not asked for any.
    let mut server = Server::new();
    server.config(r#"{"endpoints": ["GET /v1/{prefix}/namespaces/{namespace}/tables/{table}"], "overrides": {"prefix": "c"}}"#);
    server.view("v", &twice.to_string());
    let server = server.start().await;
    let refused = rows(&server.session(), "select * from v").await.unwrap_err();
    assert!(refused.contains("tables/v"), "{refused}");
    assert_eq!(server.asked(), ["tables/v"]);
}

#[tokio::test]
async fn a_refusal_says_only_what_the_caller_wrote() {
    let directory = TempDir::new().unwrap();
    let table = people(&directory).await.answer(&restricted());
    let mut server = Server::new();
    server.table("t", &table);
    server.view("v", &one("SELECT x FROM secret").to_string());
    server.view("w", &one("SELECT a FROM v").to_string());
    server.view("u", &one("SELECT x FROM untrusted").to_string());
    let untrusted = r#"{"error": {"type": "ReadRestrictionException", "message": "[restriction-untrusted-reader] c.s.untrusted"}}"#;
    server.refuse("tables", "untrusted", 403, untrusted);
    // Whoever may see the view but no table is refused the table and given the view.
    server.refuse(
        "tables",
        "x",
        403,
        r#"{"error": {"type": "ForbiddenException", "message": "no"}}"#,
    );
    server.view("x", &one("SELECT x FROM t").to_string());
    // A server in trouble is not one without the view.
    server.refuse("views", "y", 503, "");
    let server = server.start().await;
    let session = server.session();
    for (sql, said) in [
        (
            "select * from v",
            "something that it reads does not exist, or you may not see it",
        ),
        (
            "select * from w",
            "something that it reads does not exist, or you may not see it",
        ),
        ("select * from u", "is restricted, and this reader is not trusted"),
    ] {
        let refused = rows(&session, sql).await.unwrap_err();
        assert!(refused.contains(said), "{refused}");
        for hidden in ["secret", "untrusted"] {
            assert!(
                !refused.replace("is not trusted", "").contains(hidden),
                "{refused}"
            );
        }
    }
    assert_eq!(
        rows(&session, "select * from x").await.unwrap(),
        ["| 2 |", "| 3 |"]
    );
    assert!(
        rows(&session, "select * from y")
            .await
            .unwrap_err()
            .contains("503")
    );
    // Of what does not exist the table's refusal is shown, not the view's.
    let absent = rows(&session, "select * from z").await.unwrap_err();
    assert!(
        absent.contains("tables/z") && !absent.contains("views/z"),
        "{absent}"
    );
}

#[tokio::test]
async fn circles_and_towers_are_refused() {
    let directory = TempDir::new().unwrap();
    let mut views = vec![
        ("a".to_owned(), one("SELECT a FROM b")),
        ("b".to_owned(), one("SELECT a FROM a")),
        ("n0".to_owned(), one("SELECT x FROM t")),
        ("m0".to_owned(), one("SELECT x FROM t")),
    ];
    for level in 1..=20 {
        let below = level - 1;
        views.push((format!("n{level}"), one(&format!("SELECT a FROM n{below}"))));
        let doubled = format!("SELECT p.a FROM m{below} p JOIN m{below} q ON p.a = q.a");
        views.push((format!("m{level}"), one(&doubled)));
    }
    let views: Vec<(&str, Json)> = views
        .iter()
        .map(|(name, view)| (name.as_str(), view.clone()))
        .collect();
    let server = serving(&directory, &views).await;
    let session = server.session();
    let circle = rows(&session, "select * from a").await.unwrap_err();
    assert!(
        circle.contains("`c.s.a`") && circle.contains("cannot be read"),
        "{circle}"
    );
    assert_eq!(
        rows(&session, "select count(*) from n10").await.unwrap(),
        ["| 2 |"]
    );
    assert!(rows(&session, "select count(*) from n20").await.is_err());
    assert_eq!(
        rows(&session, "select count(*) from m3").await.unwrap(),
        ["| 2 |"]
    );
    let tower = rows(&session, "select count(*) from m9").await.unwrap_err();
    assert!(tower.contains("more than 256 tables"), "{tower}");
}

#[tokio::test]
async fn a_view_and_its_statement_do_not_see_each_others_names() {
    let directory = TempDir::new().unwrap();
    let with = one("WITH q AS (SELECT x FROM t) SELECT x FROM q");
    let server = serving(
        &directory,
        &[
            ("v", one("SELECT x FROM t")),
            ("w", with),
            ("u", one("SELECT o.x FROM t")),
        ],
    )
    .await;
    let session = server.session();
    // The statement's `t` is not the view's.
    let shadowed = "with t as (select 99 as x) select v.a, t.x from v, t";
    assert_eq!(
        rows(&session, shadowed).await.unwrap(),
        ["| 2 | 99 |", "| 3 | 99 |"]
    );
    assert!(rows(&session, "select q.x from w").await.is_err());
    assert!(rows(&session, "select * from w, q").await.is_err());
    assert!(rows(&session, "select v.x from v").await.is_err());
    assert!(
        rows(&session, "select (select max(a) from u) from t o")
            .await
            .is_err()
    );
    for (sql, said) in [
        (
            "select * from v for version as of 3",
            "it is a view, which has no versions",
        ),
        (
            "select * from v for timestamp as of '2026-01-01'",
            "it is a view, which has no versions",
        ),
    ] {
        let refused = rows(&session, sql).await.unwrap_err();
        assert!(refused.contains(said), "{refused}");
    }
}

#[tokio::test]
async fn what_an_answer_says_beyond_the_protocol_is_refused() {
    let directory = TempDir::new().unwrap();
    let good = one("SELECT x FROM t");
    for (pointer, member, value) in [
        (
            "",
            "read-restrictions",
            json!({"required-column-projections": []}),
        ),
        ("", "read-restrictions", Json::Null),
        ("/metadata", "definer", json!("root")),
        ("/metadata/versions/1", "row-filter", json!("x = 1")),
        (
            "/metadata/versions/1/representations/0",
            "security",
            json!("definer"),
        ),
        ("/metadata", "format-version", json!(2)),
        ("/metadata", "current-version-id", json!(9)),
        ("/metadata/versions/1", "schema-id", json!(9)),
        ("/metadata/versions/1", "representations", json!([])),
    ] {
        let mut bad = good.clone();
        let place = bad.pointer_mut(pointer).unwrap().as_object_mut().unwrap();
        place.insert(member.to_owned(), value);
        let server = serving(&directory, &[("v", bad)]).await;
        let refused = rows(&server.session(), "select * from v").await;
        assert!(
            refused
                .expect_err(member)
                .contains("the view `c.s.v` cannot be read"),
            "{member}"
        );
    }
}
