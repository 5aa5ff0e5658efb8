// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every way round a restriction that somebody thought of: each test tries to get at a hidden row of `n1.hidden`, as a
//! caller who may do everything that ownership allows but whom the filter concerns.

mod answers;
mod changes;
mod places;

use serde_json::{Value, json};

use crate::harness::{ADMIN, Answer, Server};
use crate::writer::{Keeping, write_snapshot};

const TABLES: &str = "/ice/namespaces/n1/tables";
const HIDDEN: &str = "/ice/namespaces/n1/tables/hidden";
const OBJECT: &str = "/metalakes/m/objects/table/ice.n1.hidden";

/// `n1.hidden` has a snapshot, statistics, and a filter for everybody but `boss`. Gives its metadata location and
/// metadata as they were before it was restricted.
async fn server() -> (Server, String, Value) {
    let server = Server::start().await;
    server.namespace("n1").await;
    let made = server.table("n1", "hidden").await.body["metadata"].clone();
    let commit = write_snapshot(&made, 1, "append", Keeping::Everything, None).await;
    let loaded = server.ask("POST", HIDDEN, commit).await.is(200);
    let update = json!({"updates": {"custom-rows": 424242}});
    server
        .native(ADMIN, "PUT", &format!("{OBJECT}/statistics"), update)
        .await
        .is(200);
    let update =
        json!({"updates": [{"partitionName": "name=secret", "statistics": {"custom-rows": 424242}}]});
    server
        .native(ADMIN, "PUT", &format!("{OBJECT}/statistics/partitions"), update)
        .await
        .is(200);
    server.add_user("boss").await;
    let objects: &[(&str, &str, &[&str])] = &[(
        "CATALOG",
        "ice",
        &["USE_CATALOG", "USE_SCHEMA", "MODIFY_TABLE", "CREATE_TABLE"],
    )];
    server.grant("boss", "all", objects).await;
    let filter = "filter := true if session_user() == \"boss\"\nelse := col(\"name\") == \"a\"";
    server.add_filter("only_some", "pii", filter).await;
    server.tag("table", "ice.n1.hidden", "pii").await;
    let location = loaded.body["metadata-location"].as_str().expect("a location");
    (server, location.to_owned(), loaded.body["metadata"].clone())
}

fn message(answer: &Answer) -> &str {
    let body = &answer.body;
    let message = body["error"]["message"].as_str().or(body["message"].as_str());
    message.unwrap_or_default()
}

/// The answer tells neither where files are nor anything that was drawn from rows.
#[track_caller]
fn tells_nothing(answer: &Answer, metadata: &Value) {
    let text = answer.body.to_string();
    let folder = metadata["location"].as_str().expect("a location");
    for secret in [
        folder,
        "metadata.json",
        "manifest",
        "snap-1",
        "424242",
        "name=secret",
        "only_some",
    ] {
        assert!(!text.contains(secret), "`{secret}` in {text}");
    }
}
