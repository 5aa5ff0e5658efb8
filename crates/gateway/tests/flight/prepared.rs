// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Prepared statements: handles and parameters without state.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::DataType;
use arrow_flight::sql::client::PreparedStatement;
use lakeward_gateway::start::Running;
use tonic::transport::Channel;

use crate::scene::{Client, Scene, ask, basic, connect_with, fetch, lines, region};

fn row(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).unwrap()
}

async fn run(client: &mut Client, statement: &mut PreparedStatement<Channel>) -> Result<Vec<String>, String> {
    let info = statement.execute().await.map_err(|error| error.to_string())?;
    Ok(lines(&fetch(client, info).await?))
}

async fn ann(gateway: &Running) -> Client {
    connect_with(gateway, &basic("ann")).await
}

#[tokio::test]
async fn parameters_are_values_of_the_types_that_their_place_has() {
    let scene = Scene::new().await;
    let gateway = scene.gateway().await;
    let mut client = ann(&gateway).await;
    let sql = "SELECT id FROM lake.s.people WHERE region = ? AND id > ? ORDER BY id";
    let mut statement = client.prepare(sql.to_owned(), None).await.unwrap();
    let types: Vec<DataType> = statement
        .parameter_schema()
        .unwrap()
        .fields()
        .iter()
        .map(|field| field.data_type().clone())
        .collect();
    assert_eq!(types, [DataType::Utf8, DataType::Int64]);
    assert_eq!(statement.dataset_schema().unwrap().field(0).name(), "id");
    for (region, id, expected) in [
        ("north", 0, vec!["1", "3"]),
        ("north", 1, vec!["3"]),
        ("' OR 1 = 1 --", 0, vec![]),
        ("south", 0, vec!["2"]),
    ] {
        let region: ArrayRef = Arc::new(StringArray::from(vec![region]));
        let id: ArrayRef = Arc::new(Int64Array::from(vec![id]));
        statement
            .set_parameters(row(vec![("a", region), ("b", id)]))
            .unwrap();
        assert_eq!(run(&mut client, &mut statement).await.unwrap(), expected);
    }
    statement.close().await.unwrap();
}

#[tokio::test]
async fn numbered_parameters_may_come_back_and_take_other_types() {
    let scene = Scene::new().await;
    let gateway = scene.gateway().await;
    let mut client = ann(&gateway).await;
    let sql = "SELECT id, $2 AS said FROM lake.s.people WHERE id = $1 OR id = $1 + 1 ORDER BY id LIMIT $3";
    let mut statement = client.prepare(sql.to_owned(), None).await.unwrap();
    let one: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    let said: ArrayRef = Arc::new(StringArray::from(vec!["hello"]));
    let limit: ArrayRef = Arc::new(Int64Array::from(vec![2]));
    statement
        .set_parameters(row(vec![("a", one), ("b", said), ("c", limit)]))
        .unwrap();
    assert_eq!(
        run(&mut client, &mut statement).await.unwrap(),
        ["1 hello", "2 hello"]
    );
}

#[tokio::test]
async fn values_must_be_there_once_for_each_parameter() {
    let scene = Scene::new().await;
    let gateway = scene.gateway().await;
    let mut client = ann(&gateway).await;
    let sql = "SELECT id FROM lake.s.people WHERE id = ?";
    let mut statement = client.prepare(sql.to_owned(), None).await.unwrap();
    let info = statement.execute().await.unwrap();
    let refusal = fetch(&mut client, info).await.unwrap_err();
    assert!(
        refusal.contains("takes 1 parameters and 0 were given"),
        "{refusal}"
    );
    let two: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    statement
        .set_parameters(row(vec![("a", Arc::clone(&two))]))
        .unwrap();
    let refusal = run(&mut client, &mut statement).await.unwrap_err();
    assert!(refusal.contains("several rows"), "{refusal}");
    let one = two.slice(0, 1);
    statement
        .set_parameters(row(vec![("a", Arc::clone(&one)), ("b", one)]))
        .unwrap();
    let refusal = run(&mut client, &mut statement).await.unwrap_err();
    assert!(
        refusal.contains("takes 1 parameters and 2 were given"),
        "{refusal}"
    );
    for sql in [
        "SELECT ? + $1",
        "SELECT $name",
        "SELECT $0",
        "SELECT $5000",
        "DELETE FROM lake.s.people WHERE id = ?",
    ] {
        assert!(client.prepare(sql.to_owned(), None).await.is_err(), "{sql}");
        assert!(ask(&mut client, sql).await.is_err(), "{sql}");
    }
}

#[tokio::test]
async fn a_handle_is_run_as_whoever_runs_it() {
    let scene = Scene::new().await;
    scene.catalog.restricts("ann", "people", region("north"));
    scene.catalog.restricts("bob", "people", region("south"));
    let one = scene.gateway().await;
    let two = scene.gateway().await;
    let mut client = ann(&one).await;
    let mut statement = client
        .prepare("SELECT id FROM lake.s.people WHERE id > ?".to_owned(), None)
        .await
        .unwrap();
    let zero: ArrayRef = Arc::new(Int64Array::from(vec![0]));
    statement.set_parameters(row(vec![("a", zero)])).unwrap();
    let info = statement.execute().await.unwrap();
    assert_eq!(
        lines(&fetch(&mut client, info.clone()).await.unwrap()),
        ["1", "3"]
    );
    // Another gateway, another user, another restriction.
    let mut bob = connect_with(&two, &basic("bob")).await;
    assert_eq!(lines(&fetch(&mut bob, info.clone()).await.unwrap()), ["2"]);
    scene.catalog.restricts("bob", "people", region("west"));
    assert_eq!(lines(&fetch(&mut bob, info).await.unwrap()), ["4"]);
}
