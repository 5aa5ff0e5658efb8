// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a statement gives, and what is refused.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, StringArray};
use arrow_flight::flight_service_client::FlightServiceClient;
use arrow_flight::sql::{CommandStatementQuery, ProstMessageExt as _};
use arrow_flight::{Criteria, Empty, FlightDescriptor, Ticket};
use futures::TryStreamExt as _;
use prost::Message as _;
use serde_json::json;
use tonic::Code;

use crate::scene::{Scene, ask, basic, channel, connect_with, fetch, lines, region};

#[tokio::test]
async fn restrictions_are_those_of_the_moment_and_of_the_caller() {
    let scene = Scene::new().await;
    let gateway = scene.gateway().await;
    let mut ann = connect_with(&gateway, &basic("ann")).await;
    let mut bob = connect_with(&gateway, &basic("bob")).await;
    let sql = "SELECT id FROM lake.s.people ORDER BY id";
    let info = ann.execute(sql.to_owned(), None).await.unwrap();
    assert_eq!(ask(&mut ann, sql).await.unwrap().len(), 4);
    scene.catalog.restricts("ann", "people", region("south"));
    // The ticket is older than the restriction, and holds the statement only.
    assert_eq!(lines(&fetch(&mut ann, info.clone()).await.unwrap()), ["2"]);
    assert_eq!(lines(&fetch(&mut bob, info).await.unwrap()).len(), 4);
    assert_eq!(
        ask(&mut ann, "SELECT count(*) FROM lake.s.people").await.unwrap(),
        ["1"]
    );
}

#[tokio::test]
async fn masks_are_applied_and_errors_carry_only_what_is_above_them() {
    let scene = Scene::new().await;
    let mask = json!({"required-column-projections": [{"field-id": 3, "action": "mask-alphanum"}]});
    scene.catalog.restricts("ann", "people", mask);
    let null = json!({"required-column-projections": [{"field-id": 3, "action": "replace-with-null"}]});
    scene.catalog.restricts("bob", "people", null);
    let gateway = scene.gateway().await;
    let mut ann = connect_with(&gateway, &basic("ann")).await;
    for sql in [
        "SELECT CAST(name AS INT) FROM lake.s.people",
        "SELECT arrow_cast(name, 'Date32') FROM lake.s.people",
        "SELECT id FROM lake.s.people WHERE CAST(name AS INT) > 1",
        "SELECT CAST(concat('value ', name) AS DOUBLE) FROM lake.s.people ORDER BY name LIMIT 1",
    ] {
        let error = ask(&mut ann, sql).await.unwrap_err();
        for hidden in ["Ada", "Bo", "Di"] {
            assert!(!error.contains(hidden), "{sql}: {error}");
        }
        assert!(
            error.contains("xx"),
            "the value that is shown may be quoted: {sql}: {error}"
        );
    }
    let mut bob = connect_with(&gateway, &basic("bob")).await;
    let names = ask(&mut bob, "SELECT name FROM lake.s.people").await.unwrap();
    assert_eq!(names, ["", "", "", ""]);
    for sql in [
        "SELECT CAST(name AS INT) FROM lake.s.people",
        "SELECT arrow_cast(name, 'Int32') FROM lake.s.people",
        "SELECT 1 / (CASE WHEN name = 'Ada' THEN 0 ELSE 1 END) FROM lake.s.people",
    ] {
        let answer = ask(&mut bob, sql).await;
        assert!(answer.is_ok(), "{answer:?}");
    }
}

#[tokio::test]
async fn everything_but_queries_is_refused_with_what_to_do() {
    let scene = Scene::new().await;
    let gateway = scene.gateway().await;
    let mut ann = connect_with(&gateway, &basic("ann")).await;
    for sql in [
        "INSERT INTO lake.s.people VALUES (1, 'a', 'b')",
        "DELETE FROM lake.s.people",
        "CREATE TABLE lake.s.x (a INT)",
        "DROP TABLE lake.s.people",
        "SET x = 1",
        "COPY lake.s.people TO '/tmp/x'",
        "EXPLAIN ANALYZE SELECT 1",
        "CREATE EXTERNAL TABLE x STORED AS PARQUET LOCATION '/etc'",
    ] {
        let refusal = ask(&mut ann, sql).await.unwrap_err();
        assert!(refusal.contains("is not allowed"), "{sql}: {refusal}");
    }
    let refusal = ann
        .execute_update("DELETE FROM lake.s.people".to_owned(), None)
        .await
        .unwrap_err()
        .to_string();
    assert!(
        refusal.contains("nothing is written through the gateway"),
        "{refusal}"
    );
    let refusal = ann.begin_transaction().await.unwrap_err().to_string();
    assert!(refusal.contains("transactions are not served"), "{refusal}");
    let refusal = ask(&mut ann, "SELECT * FROM lake.s.nothing").await.unwrap_err();
    assert!(refusal.contains("there is no such table"), "{refusal}");
    scene.catalog.fails_with(503);
    let refusal = ask(&mut ann, "SELECT 1").await.unwrap_err();
    assert!(refusal.to_lowercase().contains("unavailable"), "{refusal}");
}

#[tokio::test]
async fn tickets_of_nobody_are_refused() {
    let scene = Scene::new().await;
    let gateway = scene.gateway().await;
    let mut ann = connect_with(&gateway, &basic("ann")).await;
    for ticket in [&b""[..], b"x", &[0xff; 64]] {
        assert!(ann.do_get(Ticket::new(ticket.to_vec())).await.is_err());
    }
}

#[tokio::test]
async fn the_calls_of_flight_beside_those_of_flight_sql() {
    let scene = Scene::new().await;
    let gateway = scene.gateway().await;
    let mut client = FlightServiceClient::new(channel(&gateway).await);
    let command = CommandStatementQuery {
        query: "SELECT id FROM lake.s.people".to_owned(),
        transaction_id: None,
    };
    let descriptor = FlightDescriptor::new_cmd(command.as_any().encode_to_vec());
    let nobody = client.list_actions(Empty {}).await.unwrap_err();
    assert_eq!(nobody.code(), Code::Unauthenticated);
    let schema = client
        .get_schema(as_ann(descriptor.clone()))
        .await
        .unwrap()
        .into_inner();
    let schema = arrow::datatypes::Schema::try_from(&schema).unwrap();
    assert_eq!(schema.field(0).name(), "id");
    let polled = client
        .poll_flight_info(as_ann(descriptor))
        .await
        .unwrap()
        .into_inner();
    assert!(polled.flight_descriptor.is_none() && polled.info.unwrap().endpoint.len() == 1);
    let actions = client.list_actions(as_ann(Empty {})).await.unwrap().into_inner();
    let actions: Vec<String> = actions
        .map_ok(|action| action.r#type)
        .try_collect()
        .await
        .unwrap();
    assert!(actions.contains(&"CreatePreparedStatement".to_owned()));
    assert!(
        !actions.iter().any(|action| action.contains("Transaction")),
        "{actions:?}"
    );
    let flights = client
        .list_flights(as_ann(Criteria::default()))
        .await
        .unwrap_err();
    assert_eq!(flights.code(), Code::Unimplemented);
}

fn as_ann<T>(message: T) -> tonic::Request<T> {
    let mut request = tonic::Request::new(message);
    request
        .metadata_mut()
        .insert("authorization", basic("ann").parse().unwrap());
    request
}

/// Rows of very different length, several megabytes in all, arrive whole and in messages that any client takes.
#[tokio::test]
async fn long_answers_come_in_messages_that_clients_take() {
    const LIMIT: usize = 4 * 1024 * 1024;
    let schema = json!({"type": "struct", "fields": [
        {"id": 1, "name": "id", "type": "long", "required": true},
        {"id": 2, "name": "text", "type": "string", "required": true},
    ]});
    let texts: Vec<String> = (0..2000)
        .map(|n| "x".repeat(if n % 100 < 10 { 100_000 } else { 10 }))
        .collect();
    let total: usize = texts.iter().map(String::len).sum();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from_iter_values(0..2000)),
        Arc::new(StringArray::from(texts)),
    ];
    let scene = Scene::with(&[("long", schema, columns)]).await;
    let gateway = scene.gateway().await;
    let mut ann = connect_with(&gateway, &basic("ann")).await;
    let info = ann
        .execute("SELECT id, text FROM lake.s.long".to_owned(), None)
        .await
        .unwrap();
    let mut client = FlightServiceClient::new(channel(&gateway).await).max_decoding_message_size(LIMIT);
    let mut request = tonic::Request::new(info.endpoint[0].ticket.clone().unwrap());
    request
        .metadata_mut()
        .insert("authorization", basic("ann").parse().unwrap());
    let messages: Vec<_> = client
        .do_get(request)
        .await
        .unwrap()
        .into_inner()
        .try_collect()
        .await
        .unwrap();
    assert!(messages.len() > 10, "{}", messages.len());
    let sent: usize = messages.iter().map(|message| message.data_body.len()).sum();
    assert!(sent > total && sent < 2 * total, "{sent} for {total}");
    let batches = fetch(&mut ann, info).await.unwrap();
    assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 2000);
}
