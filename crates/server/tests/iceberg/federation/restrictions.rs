// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Restrictions of ours and of the upstream, and who gets its credentials.

use serde_json::{Value, json};

use super::Scene;
use super::pretended::{Pretended, Said, TABLE, table};
use crate::harness::{ADMIN, CAPABLE, NONE, Server};

const PATH: &str = "/up/namespaces/n/tables/t";
const VENDED: (&str, &str) = ("X-Iceberg-Access-Delegation", "vended-credentials");
const FILTER: &str = "filter := col(\"name\") == \"a\"";

#[tokio::test]
async fn ours_stand_before_a_table_of_the_upstream_and_follow_it() {
    let scene = Scene::start().await;
    let ours = &scene.ours;
    ours.add_filter("only_a", "pii", FILTER).await;
    ours.tag("table", "up.n1.t", "pii").await;
    let reader = ours.enroll("gateway").await;
    for name in ["t", "moved"] {
        let path = format!("/up/namespaces/n1/tables/{name}");
        ours.ask("GET", &path, NONE)
            .await
            .fails(406, "ReadRestrictionException");
        ours.ask_with(ADMIN, "GET", &path, NONE, &[CAPABLE])
            .await
            .fails(403, "ReadRestrictionException");
        let read = reader.ask(ADMIN, "GET", &path, NONE).await.is(200);
        assert!(
            read.body["read-restrictions"]["required-row-filter"].is_object(),
            "{}",
            read.body
        );
        let free = "/up/namespaces/n1/tables/u";
        assert!(
            ours.ask("GET", free, NONE)
                .await
                .is(200)
                .body
                .get("read-restrictions")
                .is_none()
        );
        if name == "t" {
            scene.rename_upstream("t", "moved").await;
        }
    }
    // The tag of a column is by field id, as of any table.
    ours.tag("column", "up.n1.u.name", "pii").await;
}

/// What the reader gets of a row filter of ours.
async fn filter_of_ours(server: &Server) -> Value {
    server.add_filter("only_a", "pii", FILTER).await;
    server.tag("table", "up.n.t", "pii").await;
    let reader = server.enroll("gateway").await;
    let read = reader.ask(ADMIN, "GET", PATH, NONE).await.is(200);
    read.body["read-restrictions"].clone()
}

#[tokio::test]
async fn those_of_the_upstream_are_kept() {
    let upstream = Pretended::start().await;
    upstream.say(TABLE, Said::json(&table(json!({}))));
    let server = upstream.server(json!({})).await;
    server.ask("GET", PATH, NONE).await.is(200);
    let ours = filter_of_ours(&server).await;
    let reader = server.enroll("second").await;
    let same = ours.clone();
    let other = ours.to_string().replace(r#""value":"a""#, r#""value":"b""#);
    let other: Value = serde_json::from_str(&other).expect("restrictions");
    assert_ne!(other, ours);

    // Equal: one.
    upstream.say(TABLE, Said::json(&table(json!({"read-restrictions": same}))));
    let read = reader.ask(ADMIN, "GET", PATH, NONE).await.is(200);
    assert_eq!(read.body["read-restrictions"], ours);
    // Distinct: a conflict.
    upstream.say(TABLE, Said::json(&table(json!({"read-restrictions": other}))));
    let refused = reader.ask(ADMIN, "GET", PATH, NONE).await;
    assert_eq!(refused.status, 403, "{}", refused.body);
    assert!(
        refused.body.to_string().contains("[restriction-conflict]"),
        "{}",
        refused.body
    );
    // Not understood: refused.
    for unknown in [
        json!({"required-dance": 1}),
        json!([]),
        json!({"required-row-filter": {"type": "mood"}}),
    ] {
        let answer = table(json!({"read-restrictions": unknown})).to_string();
        upstream.say(TABLE, Said::text(200, answer));
        let refused = reader.ask(ADMIN, "GET", PATH, NONE).await;
        assert_eq!(refused.status, 403, "{}", refused.body);
        assert!(
            refused.body.to_string().contains("[restriction-reader]"),
            "{}",
            refused.body
        );
    }
    // Alone: through the same gate.
    let path = "/metalakes/m/objects/table/up.n.t/tags?force=true";
    let untag = json!({"tagsToRemove": ["pii"]});
    server.native(ADMIN, "POST", path, untag).await.is(200);
    upstream.say(TABLE, Said::json(&table(json!({"read-restrictions": ours}))));
    server
        .ask("GET", PATH, NONE)
        .await
        .fails(406, "ReadRestrictionException");
    server
        .ask_with(ADMIN, "GET", PATH, NONE, &[CAPABLE])
        .await
        .fails(403, "ReadRestrictionException");
    let read = reader.ask(ADMIN, "GET", PATH, NONE).await.is(200);
    assert_eq!(read.body["read-restrictions"], ours);
    // What the native protocol tells of rows and files is refused or hidden likewise.
    let native = "/metalakes/m/catalogs/up/schemas/n/tables/t";
    let described = server.native(ADMIN, "GET", native, NONE).await.is(200);
    assert!(
        described.body["table"]["properties"].get("location").is_none(),
        "{}",
        described.body
    );
    // This server says to the upstream that it heeds what it is told.
    let asked = upstream.asked(TABLE);
    assert!(asked.iter().all(
        |headers| headers.get("x-gravitino-client-capabilities").map(String::as_str) == Some(CAPABLE.1)
    ));
}

/// A table with credentials, one of them for a place beyond the table.
fn with_credentials() -> Value {
    let keys = json!({"s3.access-key-id": "AK", "s3.secret-access-key": "SK", "s3.session-token": "ST"});
    table(json!({
        "config": {"token": "UPSTREAM-TOKEN", "uri": "http://upstream", "s3.region": "eu-1"},
        "storage-credentials": [{"prefix": "s3://b/n/t", "config": keys}, {"prefix": "s3://b", "config": keys}],
    }))
}

#[tokio::test]
async fn credentials_of_the_upstream_go_to_those_who_may_have_them() {
    let upstream = Pretended::start().await;
    upstream.say(TABLE, Said::json(&with_credentials()));
    let server = upstream.server(json!({"token": "OWN-TOKEN"})).await;
    server.add_user("writer").await;
    server.add_user("reader").await;
    let all: &[&str] = &["USE_CATALOG", "USE_SCHEMA", "SELECT_TABLE", "MODIFY_TABLE"];
    let read: &[&str] = &["USE_CATALOG", "USE_SCHEMA", "SELECT_TABLE"];
    server.grant("writer", "writers", &[("CATALOG", "up", all)]).await;
    server
        .grant("reader", "readers", &[("CATALOG", "up", read)])
        .await;

    let plain = server.ask_as("writer", "GET", PATH, NONE).await.is(200);
    assert_eq!(plain.body["config"], json!({"s3.region": "eu-1"}));
    let vended = server
        .ask_with("writer", "GET", PATH, NONE, &[VENDED])
        .await
        .is(200);
    let credentials = &vended.body["storage-credentials"];
    assert_eq!(credentials.as_array().map(Vec::len), Some(1), "{credentials}");
    assert_eq!(credentials[0]["prefix"], "s3://b/n/t");
    assert_eq!(credentials[0]["config"]["s3.session-token"], "ST");
    assert_eq!(vended.header("cache-control"), "private, no-store");
    let only = server
        .ask_with("reader", "GET", PATH, NONE, &[VENDED])
        .await
        .is(200);
    assert!(!only.body.to_string().contains("SK"), "{}", only.body);
    let path = format!("{PATH}/credentials");
    let none = server.ask_as("reader", "GET", &path, NONE).await.is(200);
    assert_eq!(none.body["storage-credentials"], json!([]));
    for answer in [&plain, &vended, &only] {
        let text = answer.body.to_string();
        assert!(
            !text.contains("OWN-TOKEN")
                && !text.contains("UPSTREAM-TOKEN")
                && !text.contains("http://upstream")
        );
    }
    let asked = upstream.asked(TABLE);
    assert!(
        asked
            .iter()
            .all(|headers| headers["authorization"] == "Bearer OWN-TOKEN")
    );
    // Who sees a part of the table gets none through an ordinary client.
    server.add_filter("only_a", "pii", FILTER).await;
    server.tag("table", "up.n.t", "pii").await;
    for path in [PATH.to_owned(), path] {
        let refused = server.ask_with("writer", "GET", &path, NONE, &[VENDED]).await;
        refused.fails(406, "ReadRestrictionException");
    }
    // The owner of the catalog may say that what the upstream gives only reads.
    let updates = json!({"updates": [{"@type": "setProperty", "property": "lakeward.upstream-credentials",
        "value": "readers"}]});
    server
        .native(ADMIN, "PUT", "/metalakes/m/catalogs/up", updates)
        .await
        .is(200);
    let untag = json!({"tagsToRemove": ["pii"]});
    let tags = "/metalakes/m/objects/table/up.n.t/tags?force=true";
    server.native(ADMIN, "POST", tags, untag).await.is(200);
    let vended = server
        .ask_with("reader", "GET", PATH, NONE, &[VENDED])
        .await
        .is(200);
    assert!(vended.body.to_string().contains("SK"));
}

/// Credentials come with an answer of their own, which may say something else than the one that was judged.
#[tokio::test]
async fn an_answer_with_credentials_is_judged_too() {
    let upstream = Pretended::start().await;
    upstream.say(TABLE, Said::json(&table(json!({}))));
    let server = upstream.server(json!({})).await;
    server.ask("GET", PATH, NONE).await.is(200);
    let restricted = filter_of_ours(&server).await;
    let untag = json!({"tagsToRemove": ["pii"]});
    let tags = "/metalakes/m/objects/table/up.n.t/tags?force=true";
    server.native(ADMIN, "POST", tags, untag).await.is(200);
    let vended = || server.ask_with(ADMIN, "GET", PATH, NONE, &[VENDED]);

    let mut elsewhere = with_credentials();
    elsewhere["metadata"]["location"] = json!("s3://b/n");
    let mut other = with_credentials();
    other["metadata"]["table-uuid"] = json!("9c12d441-03fe-4693-9a96-a0705ddf69c2");
    let mut restricting = with_credentials();
    restricting["read-restrictions"] = restricted;
    let mut odd = with_credentials();
    odd["read-restrictions"] = json!({"required-row-filter": {"type": "odd"}});
    for said in [elsewhere, other, restricting, odd] {
        upstream.say_with_credentials(TABLE, Said::json(&said));
        for answer in [
            vended().await,
            server.ask("GET", &format!("{PATH}/credentials"), NONE).await,
        ] {
            assert_eq!(answer.status, 409, "{said}: {answer:?}");
            assert!(!answer.body.to_string().contains("SK"), "{answer:?}");
        }
    }
    upstream.say_with_credentials(TABLE, Said::json(&with_credentials()));
    assert!(vended().await.is(200).body.to_string().contains("SK"));
}
