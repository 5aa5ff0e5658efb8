// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Metrics reports: who may send one, who may read it, and how many are kept.

use serde_json::{Value, json};

use crate::harness::{ADMIN, CAPABLE, NONE, Server};

const METRICS: &str = "/ice/namespaces/n1/tables/t/metrics";
const REPORTS: &str = "/metalakes/m/catalogs/ice/schemas/n1/tables/t/metrics-reports";

fn scan(value: i64) -> Value {
    json!({"report-type": "scan-report", "table-name": "ice.n1.t", "snapshot-id": 1, "schema-id": 0,
        "filter": {"type": "eq", "term": "id", "value": value}, "projected-field-ids": [1],
        "projected-field-names": ["id"], "metrics": {"result-data-files": {"unit": "count", "value": 1}}})
}

fn commit() -> Value {
    json!({"report-type": "commit-report", "table-name": "ice.n1.t", "snapshot-id": 2, "sequence-number": 1,
        "operation": "append", "metrics": {}})
}

async fn server() -> Server {
    let server = Server::start().await;
    server.namespace("n1").await;
    server.table("n1", "t").await;
    for user in ["ann", "eve"] {
        server.add_user(user).await;
    }
    let reads: &[&str] = &["USE_CATALOG", "USE_SCHEMA", "SELECT_TABLE"];
    server.grant("ann", "reader", &[("CATALOG", "ice", reads)]).await;
    server
}

async fn reports(server: &Server, query: &str) -> Vec<Value> {
    let path = format!("{REPORTS}{query}");
    let listed = server.native(ADMIN, "GET", &path, NONE).await.is(200);
    listed.body["reports"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn who_may_load_reports_and_the_owner_reads() {
    let server = server().await;
    server.ask_as("ann", "POST", METRICS, scan(1)).await.is(204);
    server.ask_as("ann", "POST", METRICS, commit()).await.is(204);
    server
        .ask_as("eve", "POST", METRICS, scan(2))
        .await
        .fails(403, "ForbiddenException");
    server
        .ask("POST", "/ice/namespaces/n1/tables/none/metrics", scan(2))
        .await
        .fails(404, "NoSuchTableException");
    let all = reports(&server, "").await;
    let shown: Vec<_> = all
        .iter()
        .map(|report| {
            (
                report["reportType"].as_str(),
                report["reporter"].as_str(),
                &report["report"],
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            (Some("commit-report"), Some("ann"), &commit()),
            (Some("scan-report"), Some("ann"), &scan(1))
        ]
    );
    assert_eq!(reports(&server, "?type=scan-report").await, all[1..]);
    assert_eq!(reports(&server, "?limit=1").await, all[..1]);
    for bad in ["?type=x", "?limit=x", "?limit=-1"] {
        server
            .native(ADMIN, "GET", &format!("{REPORTS}{bad}"), NONE)
            .await
            .is(400);
    }
    // Whoever may read the table may not read what others asked of it.
    for user in ["ann", "eve"] {
        server.native(user, "GET", REPORTS, NONE).await.is(403);
    }
    server
        .ask("DELETE", "/ice/namespaces/n1/tables/t", NONE)
        .await
        .is(204);
    server.table("n1", "t").await;
    assert!(reports(&server, "").await.is_empty(), "another table of the name");
}

#[tokio::test]
async fn reports_are_bounded_and_well_formed() {
    let server = server().await;
    for number in 0..103 {
        server.ask("POST", METRICS, scan(number)).await.is(204);
    }
    let kept = reports(&server, "").await;
    assert_eq!(kept.len(), 100);
    assert_eq!(kept[0]["report"], scan(102));
    assert_eq!(kept[99]["report"], scan(3));
    let mut large = commit();
    large["metadata"] = json!({"x": "y".repeat(65_536)});
    for bad in [large, json!({}), json!({"report-type": "scan-report"})] {
        server
            .ask("POST", METRICS, bad)
            .await
            .fails(400, "BadRequestException");
    }
    assert_eq!(reports(&server, "").await, kept);
}

#[tokio::test]
async fn a_restriction_closes_both_ways() {
    let server = server().await;
    server.ask_as("ann", "POST", METRICS, scan(1)).await.is(204);
    server
        .add_filter("hide", "pii", "filter := col(\"id\") < 10")
        .await;
    server.tag("table", "ice.n1.t", "pii").await;
    server
        .ask_as("ann", "POST", METRICS, scan(2))
        .await
        .fails(406, "ReadRestrictionException");
    let refused = server.native(ADMIN, "GET", REPORTS, NONE).await.is(403);
    assert!(
        !refused.body.to_string().contains("filter\":"),
        "{}",
        refused.body
    );
    // The trusted reader tells what it did, and nobody whom the restriction concerns reads it back.
    let reader = server.enroll("gateway").await;
    reader.ask("ann", "POST", METRICS, scan(3)).await.is(204);
    server
        .ask_with("ann", "POST", METRICS, scan(4), &[CAPABLE])
        .await
        .fails(403, "ReadRestrictionException");
    server.native(ADMIN, "GET", REPORTS, NONE).await.is(403);
}
