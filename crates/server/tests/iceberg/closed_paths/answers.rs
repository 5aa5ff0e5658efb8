// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Answers that could tell of hidden rows or files.

use serde_json::json;

use super::{HIDDEN, OBJECT, message, server, tells_nothing};
use crate::harness::{ADMIN, Answer, CAPABLE, NONE, PASSWORD};
use crate::writer::{Keeping, write_snapshot};

#[tokio::test]
async fn no_answer_of_the_native_protocol_tells_of_rows_or_files() {
    let (server, _, metadata) = server().await;
    let native = "/metalakes/m/catalogs/ice/schemas/n1/tables/hidden";
    let shown = server.native(ADMIN, "GET", native, NONE).await.is(200);
    tells_nothing(&shown, &metadata);
    let statistic = json!({"updates": {"custom-x": 1}});
    let partition = json!({"updates": [{"partitionName": "p", "statistics": {"custom-x": 1}}]});
    let dropped = json!({"names": ["custom-rows"]});
    let gone = json!({"drops": [{"partitionName": "name=secret", "statisticNames": ["custom-rows"]}]});
    for (method, path, body, code) in [
        ("GET", format!("{native}/partitions"), NONE, "restriction-facts"),
        (
            "GET",
            format!("{native}/partitions/name=secret"),
            NONE,
            "restriction-facts",
        ),
        (
            "POST",
            format!("{native}/partitions"),
            json!({}),
            "restriction-facts",
        ),
        (
            "DELETE",
            format!("{native}/partitions/name=secret"),
            NONE,
            "restriction-facts",
        ),
        ("GET", format!("{OBJECT}/statistics"), NONE, "restriction-facts"),
        (
            "GET",
            format!("{OBJECT}/statistics/partitions"),
            NONE,
            "restriction-facts",
        ),
        (
            "PUT",
            format!("{OBJECT}/statistics"),
            statistic,
            "restriction-write",
        ),
        (
            "PUT",
            format!("{OBJECT}/statistics/partitions"),
            partition,
            "restriction-write",
        ),
        (
            "POST",
            format!("{OBJECT}/statistics"),
            dropped,
            "restriction-write",
        ),
        (
            "POST",
            format!("{OBJECT}/statistics/partitions"),
            gone,
            "restriction-write",
        ),
        ("GET", format!("{OBJECT}/credentials"), NONE, "restriction-facts"),
    ] {
        let refused = server.native(ADMIN, method, &path, body).await.is(403);
        assert!(
            message(&refused).contains(code),
            "{method} {path}: {}",
            message(&refused)
        );
        tells_nothing(&refused, &metadata);
    }
    // Whom the filter does not concern gets them.
    let all = server
        .native("boss", "GET", &format!("{OBJECT}/statistics"), NONE)
        .await
        .is(200);
    assert_eq!(all.body["statistics"][0]["value"], 424_242);
    let path = format!("{OBJECT}/statistics/partitions");
    let all = server.native("boss", "GET", &path, NONE).await.is(200);
    assert_eq!(all.body["partitionStatistics"][0]["partitionName"], "name=secret");
}

/// What a catalog needs to give out credentials.
fn vending() -> Vec<(&'static str, &'static str)> {
    vec![
        ("s3-region", "r"),
        ("s3-access-key-id", "id"),
        ("s3-secret-access-key", "secret"),
        ("s3-role-arn", "arn:aws:iam::1:role/r"),
        ("s3-token-service-endpoint", "http://127.0.0.1:1"),
        ("credential-providers", "s3-token"),
    ]
}

#[tokio::test]
async fn a_catalog_has_no_credential_that_would_reach_a_restricted_table() {
    let (server, ..) = server().await;
    let path = "/metalakes/m/objects/catalog/ice/credentials";
    let none = server.native(ADMIN, "GET", path, NONE).await.is(200);
    assert_eq!(
        none.body,
        json!({"code": 0, "credentials": []}),
        "nothing is vended, as recorded"
    );
    let set = |(name, value): (&str, &str)| json!({"@type": "setProperty", "property": name, "value": value});
    let alone = json!({"updates": [set(("credential-providers", "s3-token"))]});
    let refused = server
        .native(ADMIN, "PUT", "/metalakes/m/catalogs/ice", alone)
        .await
        .is(400);
    assert!(message(&refused).contains("s3-role-arn"), "{}", message(&refused));
    let updates: Vec<serde_json::Value> = vending().into_iter().map(set).collect();
    server
        .native(
            ADMIN,
            "PUT",
            "/metalakes/m/catalogs/ice",
            json!({"updates": updates}),
        )
        .await
        .is(200);
    let none = server.native(ADMIN, "GET", path, NONE).await.is(200);
    assert_eq!(none.body["credentials"], json!([]));
    let path = format!("{OBJECT}/credentials");
    let refused = server.native(ADMIN, "GET", &path, NONE).await.is(403);
    assert!(
        message(&refused).contains("restriction-facts"),
        "{}",
        message(&refused)
    );
    // Files of this machine need none.
    let none = server.native("boss", "GET", &path, NONE).await.is(200);
    assert_eq!(none.body["credentials"], json!([]));
    let path = "/metalakes/m/objects/schema/ice.n1/credentials";
    server.native(ADMIN, "GET", path, NONE).await.is(405);
}

#[tokio::test]
async fn filesets_on_this_machine_have_no_credentials() {
    let (server, ..) = server().await;
    let folder = tempfile::tempdir().expect("a folder");
    let folder = std::fs::canonicalize(folder.path()).expect("its name");
    let mut properties = json!({"location": folder.to_str().expect("text"),
        "lakeward.allowed-locations": folder.to_str().expect("text")});
    for (name, value) in vending() {
        properties[name] = json!(value);
    }
    let catalog = json!({"name": "files", "type": "FILESET", "properties": properties});
    server
        .native(ADMIN, "POST", "/metalakes/m/catalogs", catalog)
        .await
        .is(200);
    let schemas = "/metalakes/m/catalogs/files/schemas";
    server
        .native(ADMIN, "POST", schemas, json!({"name": "s"}))
        .await
        .is(200);
    let filesets = format!("{schemas}/s/filesets");
    server
        .native(ADMIN, "POST", &filesets, json!({"name": "f"}))
        .await
        .is(200);
    for path in [
        "/metalakes/m/objects/fileset/files.s.f/credentials",
        "/metalakes/m/objects/catalog/files/credentials",
    ] {
        let none = server.native(ADMIN, "GET", path, NONE).await.is(200);
        assert_eq!(none.body["credentials"], json!([]), "{path}");
    }
}

#[tokio::test]
async fn head_tells_what_get_tells() {
    let (server, ..) = server().await;
    let untrusted: &[(&str, &str)] = &[CAPABLE];
    for path in [HIDDEN, "/ice/namespaces/n1/tables/absent"] {
        for headers in [&[][..], untrusted] {
            for user in [ADMIN, "boss"] {
                let get = server.ask_with(user, "GET", path, NONE, headers).await;
                let head = server.ask_with(user, "HEAD", path, NONE, headers).await;
                let class = |status: u16| if status == 204 { 200 } else { status };
                assert_eq!(class(head.status), get.status, "{user} {path}");
                let names = |answer: &Answer| -> Vec<String> {
                    let told = ["etag", "location", "content-location", "last-modified"];
                    told.into_iter()
                        .filter(|name| !answer.header(name).is_empty())
                        .map(str::to_owned)
                        .collect()
                };
                assert!(
                    names(&head).iter().all(|name| names(&get).contains(name)),
                    "{user} {path}"
                );
                assert_eq!(head.body, NONE);
            }
        }
    }
}

#[tokio::test]
async fn fewer_snapshots_are_as_restricted_and_have_another_tag() {
    let (server, location, metadata) = server().await;
    let second = write_snapshot(&metadata, 2, "overwrite", Keeping::Nothing, None).await;
    let mut second = second;
    second["updates"][1]["snapshot-id"] = json!(2);
    server.ask_as("boss", "POST", HIDDEN, second).await.is(200);
    let reader = server.enroll("gateway").await;
    let all = reader
        .ask(ADMIN, "GET", &format!("{HIDDEN}?snapshots=all"), NONE)
        .await
        .is(200);
    let refs = reader
        .ask(ADMIN, "GET", &format!("{HIDDEN}?snapshots=refs"), NONE)
        .await
        .is(200);
    assert_eq!(refs.body["read-restrictions"], all.body["read-restrictions"]);
    assert!(refs.body["read-restrictions"]["required-row-filter"].is_object());
    assert_eq!(refs.body["metadata-location"], all.body["metadata-location"]);
    assert_ne!(refs.body["metadata-location"], json!(location));
    assert_ne!(refs.header("etag"), all.header("etag"));
    let count = |answer: &Answer| {
        answer.body["metadata"]["snapshots"]
            .as_array()
            .expect("a list")
            .len()
    };
    assert_eq!((count(&all), count(&refs)), (2, 1));
    for member in ["refs", "current-snapshot-id", "table-uuid", "location"] {
        assert_eq!(
            refs.body["metadata"][member], all.body["metadata"][member],
            "{member}"
        );
    }
    // The tag of one form is none of the other, nor that of the unrestricted.
    let free = server.ask_as("boss", "GET", HIDDEN, NONE).await.is(200);
    assert_ne!(free.header("etag"), all.header("etag"));
    let odd = reader
        .ask(ADMIN, "GET", &format!("{HIDDEN}?snapshots=some"), NONE)
        .await;
    assert_eq!(odd.status, 400);
}

/// Nothing of the table comes back by a catalog that another server keeps, here this server itself: it asks as somebody whom
/// the restriction concerns, and through no reader.
#[tokio::test]
async fn another_catalog_of_the_same_table_tells_nothing() {
    let (server, ..) = server().await;
    let federated = json!({
        "name": "elsewhere", "type": "RELATIONAL", "provider": "lakehouse-iceberg",
        "properties": {"catalog-backend": "rest", "uri": server.iceberg_uri(), "warehouse": "ice",
            "rest.auth.basic.username": ADMIN, "rest.auth.basic.password": PASSWORD}
    });
    server
        .native(ADMIN, "POST", "/metalakes/m/catalogs", federated)
        .await
        .is(200);
    let path = HIDDEN.replacen("/ice/", "/elsewhere/", 1);
    for (method, path) in [
        ("GET", path.clone()),
        ("GET", format!("{path}/credentials")),
        ("GET", format!("{path}?snapshots=refs")),
    ] {
        let refused = server.ask(method, &path, NONE).await;
        refused.fails(503, "ServiceUnavailableException");
    }
}

/// A plan names files, and its statistics tell of rows: it goes to whom the table goes.
#[tokio::test]
async fn plans_and_their_tasks_pass_the_gate() {
    let (server, _, metadata) = server().await;
    let planned = server
        .ask_as("boss", "POST", &format!("{HIDDEN}/plan"), json!({}))
        .await
        .is(200);
    assert_eq!(planned.body["file-scan-tasks"].as_array().map(Vec::len), Some(1));
    let id = planned.body["plan-id"].as_str().expect("an id");
    let reader = server.enroll("gateway").await;
    let absent = json!({"filter": {"type": "eq", "term": "absent", "value": 1}});
    for (method, path, body) in [
        ("POST", "plan".to_owned(), json!({})),
        (
            "POST",
            "plan".to_owned(),
            json!({"filter": true, "stats-fields": ["id"]}),
        ),
        // Whether a column is there is told after the gate, too.
        ("POST", "plan".to_owned(), absent),
        ("GET", format!("plan/{id}"), NONE),
        ("GET", "plan/x".to_owned(), NONE),
        ("DELETE", format!("plan/{id}"), NONE),
        ("POST", "tasks".to_owned(), json!({"plan-task": id})),
    ] {
        let path = format!("{HIDDEN}/{path}");
        for (headers, status) in [(&[][..], 406), (&[CAPABLE], 403)] {
            let refused = server.ask_with(ADMIN, method, &path, body.clone(), headers).await;
            refused.clone().fails(status, "ReadRestrictionException");
            tells_nothing(&refused, &metadata);
        }
        let answer = reader.ask(ADMIN, method, &path, body.clone()).await;
        let expected = match (method, body == json!({}) || body["filter"] == true) {
            ("POST", true) => 200,
            ("POST", false) if path.ends_with("/plan") => 400,
            // It was given to somebody else, or to nobody.
            _ => 404,
        };
        assert_eq!(answer.status, expected, "{method} {path}: {answer:?}");
    }
}
