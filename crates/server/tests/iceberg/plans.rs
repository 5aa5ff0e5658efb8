// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Scans that the server plans: statuses, and what ids and tasks of plans are good for.

use serde_json::{Value, json};

use crate::harness::{ADMIN, Answer, NONE, Server, creation};
use crate::writer::{Keeping, write_snapshot, write_snapshot_of};

const TABLE: &str = "/ice/namespaces/n1/tables/t";
const PLAN: &str = "/ice/namespaces/n1/tables/t/plan";
const TASKS: &str = "/ice/namespaces/n1/tables/t/tasks";

/// `n1.t` with a snapshot of one file, which `ann` may read too.
async fn server() -> (Server, Value) {
    let server = Server::start().await;
    server.namespace("n1").await;
    let made = server.table("n1", "t").await.body["metadata"].clone();
    let commit = write_snapshot(&made, 1, "append", Keeping::Everything, None).await;
    let loaded = server.ask("POST", TABLE, commit).await.is(200);
    server.add_user("ann").await;
    let privileges: &[&str] = &["USE_CATALOG", "USE_SCHEMA", "SELECT_TABLE"];
    server
        .grant("ann", "reads", &[("CATALOG", "ice", privileges)])
        .await;
    (server, loaded.body["metadata"].clone())
}

fn paths(answer: &Answer) -> Vec<&str> {
    let tasks = answer.body["file-scan-tasks"].as_array().expect("tasks");
    tasks
        .iter()
        .map(|task| task["data-file"]["file-path"].as_str().expect("a path"))
        .collect()
}

#[tokio::test]
async fn a_plan_is_completed_and_can_be_asked_for_again() {
    let (server, metadata) = server().await;
    let config = server.ask("GET", "/config?warehouse=ice", NONE).await.is(200);
    let table = "/v1/{prefix}/namespaces/{namespace}/tables/{table}";
    for route in [
        format!("POST {table}/plan"),
        format!("GET {table}/plan/{{plan-id}}"),
        format!("DELETE {table}/plan/{{plan-id}}"),
        format!("POST {table}/tasks"),
    ] {
        let endpoints = config.body["endpoints"].as_array().expect("a list");
        assert!(endpoints.contains(&json!(route)), "{route}");
    }
    let planned = server
        .ask("POST", PLAN, json!({"select": ["id"], "min-rows-requested": 5}))
        .await
        .is(200);
    let file = format!(
        "{}/data/1.parquet",
        metadata["location"].as_str().expect("a location")
    );
    assert_eq!(planned.body["status"], "completed");
    assert_eq!(paths(&planned), [file.as_str()]);
    assert_eq!(planned.body["file-scan-tasks"][0]["residual-filter"], true);
    assert_eq!(planned.body["plan-tasks"], NONE, "there are no others");
    assert_eq!(planned.header("cache-control"), "private, no-cache");
    let path = format!("{PLAN}/{}", planned.body["plan-id"].as_str().expect("an id"));
    // It stays a plan of that snapshot.
    let commit = write_snapshot(&metadata, 2, "append", Keeping::Everything, None).await;
    server.ask("POST", TABLE, commit).await.is(200);
    let again = server.ask("GET", &path, NONE).await.is(200);
    assert_eq!(again.body["file-scan-tasks"], planned.body["file-scan-tasks"]);
    assert_eq!(again.body["status"], "completed");
    let now = server.ask("POST", PLAN, json!({})).await.is(200);
    assert_eq!(paths(&now).len(), 2);
    let appended = json!({"start-snapshot-id": 1, "end-snapshot-id": 2});
    let appended = server.ask("POST", PLAN, appended).await.is(200);
    assert_eq!(paths(&appended).len(), 1);
    assert_eq!(server.ask("DELETE", &path, NONE).await.is(204).body, NONE);
    server.ask("DELETE", &path, NONE).await.is(204);
    let none = json!({"filter": {"type": "in", "term": "id", "values": []}});
    assert!(paths(&server.ask("POST", PLAN, none).await.is(200)).is_empty());
}

#[tokio::test]
async fn requests_that_are_wrong_are_told_so() {
    let (server, _) = server().await;
    for (body, told) in [
        (
            json!({"filter": {"type": "eq", "term": "absent", "value": 1}}),
            "absent",
        ),
        (
            json!({"filter": {"type": "eq", "term": "id", "value": "x"}}),
            "long",
        ),
        (
            json!({"filter": {"type": "like", "term": "id", "value": 1}}),
            "like",
        ),
        (json!({"select": ["absent"]}), "absent"),
        (json!({"stats-fields": ["absent"]}), "absent"),
        (json!({"snapshot-id": 9}), "snapshot 9"),
        (
            json!({"snapshot-id": 1, "start-snapshot-id": 1, "end-snapshot-id": 1}),
            "snapshot-id",
        ),
        (json!({"start-snapshot-id": 1}), "end-snapshot-id"),
        (json!({"start-snapshot-id": 7, "end-snapshot-id": 1}), "ancestor"),
        (json!({"other": 1}), "other"),
    ] {
        let refused = server
            .ask("POST", PLAN, body.clone())
            .await
            .fails(400, "BadRequestException");
        assert!(
            refused.body.to_string().contains(told),
            "{body}: {}",
            refused.body
        );
    }
    server
        .ask("POST", TASKS, json!({}))
        .await
        .fails(400, "BadRequestException");
    let values: Vec<i64> = (1_000_000_000..1_000_009_000).collect();
    let long = json!({"filter": {"type": "in", "term": "id", "values": values}});
    let refused = server.ask("POST", PLAN, long).await;
    refused.fails(406, "UnsupportedOperationException");
    let absent = "/ice/namespaces/n1/tables/absent/plan";
    server
        .ask("POST", absent, json!({}))
        .await
        .fails(404, "NoSuchTableException");
    let absent = "/ice/namespaces/absent/tables/t/plan";
    server
        .ask("POST", absent, json!({}))
        .await
        .fails(404, "NoSuchTableException");
    server.add_user("nobody").await;
    let refused = server.ask_as("nobody", "POST", PLAN, json!({})).await;
    assert!(matches!(refused.status, 403 | 404), "{refused:?}");
}

#[tokio::test]
async fn an_id_is_good_for_its_user_and_its_table() {
    let (server, _) = server().await;
    server.table("n1", "other").await;
    let planned = server.ask_as("ann", "POST", PLAN, json!({})).await.is(200);
    let id = planned.body["plan-id"].as_str().expect("an id");
    let path = format!("{PLAN}/{id}");
    server.ask_as("ann", "GET", &path, NONE).await.is(200);
    for method in ["GET", "DELETE"] {
        server
            .ask_as(ADMIN, method, &path, NONE)
            .await
            .fails(404, "NoSuchPlanIdException");
        let elsewhere = format!("/ice/namespaces/n1/tables/other/plan/{id}");
        server
            .ask_as("ann", method, &elsewhere, NONE)
            .await
            .fails(404, "NoSuchPlanIdException");
        server
            .ask_as("ann", method, &format!("{PLAN}/x"), NONE)
            .await
            .fails(404, "NoSuchPlanIdException");
        server
            .ask_as("ann", method, &format!("{path}A"), NONE)
            .await
            .fails(404, "NoSuchPlanIdException");
    }
    // As a task it is one of the same plan, of its beginning.
    let task = json!({"plan-task": id});
    let tasks = server.ask_as("ann", "POST", TASKS, task.clone()).await.is(200);
    assert_eq!(tasks.body["file-scan-tasks"], planned.body["file-scan-tasks"]);
    server
        .ask_as(ADMIN, "POST", TASKS, task)
        .await
        .fails(404, "NoSuchPlanTaskException");
    // It is not good for another table of the same name.
    server
        .ask("DELETE", &format!("{TABLE}?force=true"), NONE)
        .await
        .is(204);
    let made = creation("t");
    server
        .ask("POST", "/ice/namespaces/n1/tables", made)
        .await
        .is(200);
    server
        .ask_as("ann", "GET", &path, NONE)
        .await
        .fails(404, "NoSuchPlanIdException");
}

#[tokio::test]
async fn tasks_are_authorized_anew() {
    let (server, metadata) = server().await;
    let location = metadata["location"].as_str().expect("a location");
    let files = (0..5_001)
        .map(|number| format!("{location}/data/f{number:04}.parquet"))
        .collect();
    let commit = write_snapshot_of(&metadata, 2, "append", Keeping::Everything, files).await;
    server.ask("POST", TABLE, commit).await.is(200);
    let planned = server.ask_as("ann", "POST", PLAN, json!({})).await.is(200);
    assert_eq!(paths(&planned).len(), 5_000);
    let tasks = planned.body["plan-tasks"].as_array().expect("tasks");
    let task = json!({"plan-task": tasks[0]});
    assert_eq!(tasks.len(), 1);
    let rest = server.ask_as("ann", "POST", TASKS, task.clone()).await.is(200);
    assert_eq!((paths(&rest).len(), &rest.body["plan-tasks"]), (2, &NONE));
    assert!(paths(&rest).iter().all(|path| !paths(&planned).contains(path)));
    server
        .ask("POST", TASKS, task.clone())
        .await
        .fails(404, "NoSuchPlanTaskException");
    // Another node, or the same later.
    let server = server.restart().await;
    let again = server.ask_as("ann", "POST", TASKS, task.clone()).await.is(200);
    assert_eq!(again.body, rest.body);
    // A restriction that came in between.
    server.add_filter("none", "pii", "filter := false").await;
    server.tag("table", "ice.n1.t", "pii").await;
    let refused = server.ask_as("ann", "POST", TASKS, task.clone()).await;
    refused.fails(406, "ReadRestrictionException");
    let path = "/metalakes/m/objects/table/ice.n1.t/tags?force=true";
    server
        .native(ADMIN, "POST", path, json!({"tagsToRemove": ["pii"]}))
        .await
        .is(200);
    server.ask_as("ann", "POST", TASKS, task.clone()).await.is(200);
    // Another snapshot's tasks end with it.
    let gone = json!({"requirements": [], "updates": [
        {"action": "remove-snapshot-ref", "ref-name": "main"}, {"action": "remove-snapshots", "snapshot-ids": [2]}]});
    server.ask("POST", TABLE, gone).await.is(200);
    let ended = server.ask_as("ann", "POST", TASKS, task.clone()).await;
    ended.fails(404, "NoSuchPlanTaskException");
    // A right that was lost.
    let path = "/metalakes/m/permissions/users/ann/revoke";
    server
        .native(ADMIN, "PUT", path, json!({"roleNames": ["reads"]}))
        .await
        .is(200);
    let refused = server.ask_as("ann", "POST", TASKS, task).await;
    assert!(matches!(refused.status, 403 | 404), "{refused:?}");
    assert_ne!(refused.body["error"]["type"], "NoSuchPlanTaskException");
}
