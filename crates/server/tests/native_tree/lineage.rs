// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Run events of OpenLineage.

use std::io::{Read, Write};
use std::net::TcpListener;

use serde_json::{Value, json};

use crate::scene::{Place, Server};

const LINEAGE: &str = "/api/lineage";

fn event() -> Value {
    json!({"eventTime": "2026-01-01T00:00:00Z", "run": {"runId": "01890a5d-ac96-774b-bcce-b302099a8057"},
        "job": {"namespace": "n", "name": "j"}, "producer": "http://x",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent", "eventType": "START",
        "inputs": [], "outputs": [], "unknown": {"kept": "line\nbreak"}})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_known_sends_events() {
    let server = Server::start(&Place::Embedded).await;
    // No metalake has a say in it.
    assert_eq!(
        server.call("nobody", "POST", LINEAGE, Some(event())).await,
        (201, Value::String(String::new()))
    );
    for (change, part) in [
        (json!({"eventTime": null}), "eventTime"),
        (json!({"eventTime": "now"}), "eventTime"),
        (json!({"eventType": "BEGIN"}), "eventType"),
        (json!({"run": {"runId": "x"}}), "run.runId"),
        (json!({"job": {"name": "j"}}), "job.namespace"),
        (json!({"inputs": [{"namespace": "n"}]}), "inputs[0].name"),
        (json!({"outputs": {}}), "outputs"),
    ] {
        let mut body = event();
        for (member, value) in change.as_object().unwrap() {
            body[member] = value.clone();
        }
        let (status, answer) = server.call("ann", "POST", LINEAGE, Some(body)).await;
        assert_eq!(
            (status, &answer["code"]),
            (400, &json!(1001)),
            "{change}: {answer}"
        );
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains(part), "{change}: {message}");
    }
    let mut large = event();
    large["unknown"] = json!("x".repeat(1 << 20));
    let (status, answer) = server.call("ann", "POST", LINEAGE, Some(large)).await;
    assert_eq!((status, &answer["code"]), (413, &json!(1001)), "{answer}");
    for body in [json!([]), json!("x"), json!(null)] {
        assert_eq!(server.call("ann", "POST", LINEAGE, Some(body)).await.0, 400);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_reach_another_server_and_too_many_are_refused() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", other.local_addr().unwrap());
    let server = Server::start_with(
        &Place::Embedded,
        &[
            ("gravitino.lineage.sinks", "log,other"),
            ("gravitino.lineage.queueCapacity", "1"),
            (
                "gravitino.lineage.other.sinkClass",
                "org.apache.gravitino.lineage.sink.LineageHttpSink",
            ),
            ("gravitino.lineage.other.url", &url),
            ("gravitino.lineage.other.authType", "apiKey"),
            ("gravitino.lineage.other.apiKey", "secret"),
            ("gravitino.server.shutdown.timeout", "100"),
        ],
    )
    .await;
    let (status, _) = server.call("ann", "POST", LINEAGE, Some(event())).await;
    assert_eq!(status, 201);
    // The other server has the first one and does not answer, so that the next ones wait.
    let (mut connection, received) = tokio::task::spawn_blocking(move || {
        let (mut connection, _) = other.accept().unwrap();
        let mut received = String::new();
        while !received.contains("\"unknown\"") {
            let mut part = [0; 4096];
            let count = connection.read(&mut part).unwrap();
            assert!(count > 0, "{received}");
            received.push_str(std::str::from_utf8(&part[..count]).unwrap());
        }
        (connection, received)
    })
    .await
    .unwrap();
    assert!(received.starts_with("POST /api/v1/lineage "), "{received}");
    assert!(received.contains("authorization: Bearer secret"), "{received}");
    assert!(received.contains("\"kept\":\"line\\nbreak\""), "{received}");
    assert_eq!(server.call("ann", "POST", LINEAGE, Some(event())).await.0, 201);
    let (status, answer) = server.call("ann", "POST", LINEAGE, Some(event())).await;
    assert_eq!((status, &answer["code"]), (429, &json!(1002)), "{answer}");
    connection
        .write_all(b"HTTP/1.1 201 Created\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        .unwrap();
    drop(connection);
    server.stop().await;
}
