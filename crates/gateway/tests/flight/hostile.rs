// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a client may send to take the gateway down with it.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use arrow::ipc::CompressionType;
use arrow::ipc::writer::IpcWriteOptions;
use arrow_flight::encode::FlightDataEncoderBuilder;
use arrow_flight::sql::{CommandPreparedStatementQuery, ProstMessageExt as _};
use arrow_flight::{FlightData, FlightDescriptor, Ticket};
use futures::{TryStreamExt as _, stream};
use prost::Message as _;
use tonic::{Code, Request};

use crate::scene::{Scene, ask, basic, connect_with};

/// A handle as the gateway makes it.
#[derive(Clone, PartialEq, prost::Message)]
struct Handle {
    #[prost(uint32, tag = "1")]
    version: u32,
    #[prost(string, tag = "2")]
    sql: String,
    #[prost(message, repeated, tag = "3")]
    parameters: Vec<FlightData>,
}

/// One row whose buffers say that they take four exbibytes, and the same uncompressed.
async fn parameters() -> [Vec<FlightData>; 2] {
    let column: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let row = RecordBatch::try_from_iter([("a", column)]).unwrap();
    let compressed = IpcWriteOptions::default()
        .try_with_compression(Some(CompressionType::LZ4_FRAME))
        .unwrap();
    let mut sent = Vec::new();
    for options in [compressed, IpcWriteOptions::default()] {
        let encoder = FlightDataEncoderBuilder::new()
            .with_options(options)
            .build(stream::iter([Ok(row.clone())]));
        sent.push(encoder.try_collect::<Vec<FlightData>>().await.unwrap());
    }
    let [mut large, plain] = sent.try_into().unwrap();
    // The one value stands uncompressed, behind -1; now it is said to be compressed.
    let mut body = large[1].data_body.to_vec();
    let at = body
        .windows(8)
        .position(|bytes| bytes == (-1_i64).to_le_bytes())
        .unwrap();
    body[at..at + 8].copy_from_slice(&(1_i64 << 62).to_le_bytes());
    large[1].data_body = body.into();
    [large, plain]
}

#[tokio::test]
async fn parameters_cannot_say_how_much_memory_to_take() {
    let scene = Scene::new().await;
    let gateway = scene.gateway().await;
    let mut client = connect_with(&gateway, &basic("ann")).await;
    let handle = |parameters: Vec<FlightData>| CommandPreparedStatementQuery {
        prepared_statement_handle: Handle {
            version: 1,
            sql: "SELECT ? AS a".to_owned(),
            parameters,
        }
        .encode_to_vec()
        .into(),
    };
    let [large, plain] = parameters().await;
    for (sent, is_refused) in [(large, true), (plain, false)] {
        let ticket = Ticket::new(handle(sent.clone()).as_any().encode_to_vec());
        let run = match client.do_get(ticket).await {
            Ok(rows) => rows.try_collect::<Vec<_>>().await.map(drop),
            Err(error) => Err(error),
        };
        let problem = run.err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(
            problem.contains("send them uncompressed"),
            is_refused,
            "{problem}"
        );
        let mut messages = sent;
        messages[0].flight_descriptor = Some(FlightDescriptor::new_cmd(
            handle(Vec::new()).as_any().encode_to_vec(),
        ));
        let mut put = Request::new(stream::iter(messages));
        put.metadata_mut()
            .insert("authorization", basic("ann").parse().unwrap());
        let bound = client.inner_mut().do_put(put).await;
        let code = bound.map_or_else(|status| status.code(), |_| Code::Ok);
        let expected = if is_refused {
            Code::InvalidArgument
        } else {
            Code::Ok
        };
        assert_eq!(code, expected);
    }
}

/// With the stack that the parser needs in a build without optimization, where one of the fifty levels that it reads by
/// recursion takes more than fifty kilobytes.
#[test]
fn no_statement_takes_the_gateway_down() {
    let run = || {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime
            .enable_all()
            .build()
            .unwrap()
            .block_on(statements_of_all_shapes());
    };
    let thread = std::thread::Builder::new().stack_size(8 * 1024 * 1024);
    thread.spawn(run).unwrap().join().unwrap();
}

async fn statements_of_all_shapes() {
    let scene = Scene::new().await;
    let gateway = scene.gateway().await;
    let mut client = connect_with(&gateway, &basic("ann")).await;
    let many = 100_000;
    for (begin, again, end) in [
        ("SELECT 1", " + 1", ""),
        ("SELECT true", " OR true", ""),
        ("SELECT 'a'", " || 'a'", ""),
        ("SELECT ", "- ", "1"),
        ("SELECT ", "NOT ", "true"),
        ("SELECT ", "(", "1"),
        ("SELECT 1", "::INT", ""),
        ("SELECT 1", " IS NULL", ""),
        ("SELECT [1]", "[1]", ""),
        ("SELECT ", "CASE WHEN true THEN ", "1"),
        ("SELECT ", "abs(", "1"),
        ("SELECT ", "CAST(", "1"),
        ("SELECT ", "TRIM(", "1"),
        ("SELECT ", "f(CAST(", "1"),
        ("SELECT 1", " UNION ALL SELECT 1", ""),
        ("SELECT 1", " EXCEPT SELECT 1", ""),
        ("WITH t AS (SELECT 1 AS a) SELECT 1 FROM t", " NATURAL JOIN t", ""),
        ("WITH t AS (SELECT 1 AS a) SELECT 1 FROM t", ", t", ""),
        ("", "EXPLAIN ", "SELECT 1"),
        ("SELECT ", "?, ", "?"),
        ("SELECT '", "a long text ", "'"),
    ] {
        // Far too many, and a few, which the parser may read again and again where they end in an error.
        for count in [many, 24] {
            let sql = format!("{begin}{}{end}", again.repeat(count));
            let answer = ask(&mut client, &sql).await;
            assert!(count < many || answer.is_err(), "{again}");
        }
        assert_eq!(ask(&mut client, "SELECT 1").await.unwrap(), ["1"], "{again}");
    }
    // Twice as many with each part.
    let parts: Vec<String> = (1..60)
        .map(|part| format!("t{part} AS (SELECT a.x FROM t{0} a, t{0} b)", part - 1))
        .collect();
    let sql = format!(
        "WITH t0 AS (SELECT 1 AS x), {} SELECT * FROM t59",
        parts.join(", ")
    );
    let refused = ask(&mut client, &sql).await.unwrap_err();
    assert!(refused.contains("more than 1024 tables"), "{refused}");
    assert_eq!(ask(&mut client, "SELECT 1").await.unwrap(), ["1"]);
}

#[tokio::test]
async fn nothing_is_read_from_strangers() {
    let scene = Scene::new().await;
    let gateway = scene.gateway().await;
    let mut client = connect_with(&gateway, &basic("ann")).await;
    // A message that never comes: whoever waits for it before asking who calls waits for ever.
    let mut put = Request::new(stream::pending::<FlightData>());
    put.metadata_mut()
        .insert("authorization", basic("mallory").parse().unwrap());
    let refused = client.inner_mut().do_put(put).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    let refused = client
        .inner_mut()
        .do_exchange(stream::pending::<FlightData>())
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    let mut put = Request::new(stream::pending::<FlightData>());
    put.metadata_mut()
        .insert("authorization", "Bearer".parse().unwrap());
    let refused = client.inner_mut().do_put(put).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    assert_eq!(ask(&mut client, "SELECT 1").await.unwrap(), ["1"]);
}
