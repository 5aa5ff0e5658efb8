// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Connections that misbehave harm nobody, and a stop is orderly.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{SIMPLE, Server, answer};

/// Sends raw bytes and reads until the server closes.
async fn raw(server: &Server, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.running.native_addr).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut text = Vec::new();
    tokio::time::timeout(Duration::from_secs(120), stream.read_to_end(&mut text))
        .await
        .expect("the server closes")
        .unwrap();
    String::from_utf8_lossy(&text).into_owned()
}

#[tokio::test]
async fn silent_connections_block_nobody() {
    let server = Server::with(SIMPLE).await;
    let mut silent = Vec::new();
    for address in [
        server.running.native_addr,
        server.running.iceberg_addr,
        server.running.reader_addr.unwrap(),
    ] {
        for _ in 0..50 {
            silent.push(TcpStream::connect(address).await.unwrap());
        }
    }
    for stream in &mut silent {
        // Half a request head, and on the reader listener no TLS at all.
        stream.write_all(b"GET / HT").await.unwrap();
    }
    assert_eq!(answer(server.request("GET", "/api/metalakes")).await.status, 200);
}

#[tokio::test]
async fn a_body_that_stops_half_way_is_answered() {
    let mut pairs = SIMPLE.to_vec();
    pairs.push(("gravitino.server.webserver.idleTimeout", "200"));
    let server = Server::with(&pairs).await;
    let head = "POST /api/metalakes HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\nConnection: close\r\n\r\n{";
    let text = raw(&server, head.as_bytes()).await;
    assert!(text.starts_with("HTTP/1.1 408"), "{text}");
    assert!(text.contains("\"code\":1001"), "{text}");
}

#[tokio::test]
async fn what_is_no_http_is_refused() {
    let server = Server::with(SIMPLE).await;
    assert!(raw(&server, b"hello\r\n\r\n").await.starts_with("HTTP/1.1 400"));
    let twice =
        b"POST /api/metalakes HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}";
    assert!(raw(&server, twice).await.starts_with("HTTP/1.1 400"));
    let long = format!(
        "GET / HTTP/1.1\r\nHost: x\r\nX-Long: {}\r\n\r\n",
        "a".repeat(1_000_000)
    );
    let text = raw(&server, long.as_bytes()).await;
    assert!(text.starts_with("HTTP/1.1 431"), "{text}");
    assert_eq!(answer(server.request("GET", "/api/metalakes")).await.status, 200);
}

#[tokio::test]
async fn a_stopped_server_frees_its_store() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("store.db").display());
    let mut pairs = SIMPLE.to_vec();
    pairs.push(("gravitino.entity.store.relational.jdbcUrl", &url));
    let first = Server::with(&pairs).await;
    let created = serde_json::json!({"name": "kept"});
    assert_eq!(
        first.admin("POST", "/api/metalakes", Some(created)).await.status,
        200
    );
    let address = first.running.native_addr;
    first.running.stop().await;
    assert!(TcpStream::connect(address).await.is_err());
    let second = Server::with(&pairs).await;
    let listed = second.admin("GET", "/api/metalakes", None).await;
    assert_eq!(listed.body["metalakes"][0]["name"], "kept");
}
