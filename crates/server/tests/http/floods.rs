// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What anybody can cause without end does not fill the audit log, and is counted.

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{SECURED, Server, answer, settings};

#[tokio::test]
async fn a_flood_of_refusals_is_a_number() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    let mut settings = settings(folder.path(), SECURED);
    settings.audit.enabled = true;
    settings.audit.file.clone_from(&file);
    let server = Server::started(settings, folder).await;
    for number in 0..20 {
        for path in ["/api/authn/me", "/api/nowhere"] {
            let name = format!("guess{number}");
            let request = server
                .request("GET", path)
                .basic_auth(name, Some("a wrong password"));
            assert_eq!(answer(request).await.status, 401);
        }
        // No TLS at all.
        let mut stream = TcpStream::connect(server.running.reader_addr.unwrap())
            .await
            .unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        // Until it is closed.
        let _refused = stream.read_to_end(&mut Vec::new()).await;
    }
    server.running.app.note_flood();
    server.running.app.audit.flush().await;
    let log = std::fs::read_to_string(&file).unwrap();
    let records = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let records: Vec<Value> = records.filter(|record| record["user"].is_null()).collect();
    let counted = records.iter().filter_map(|record| record["count"].as_u64());
    let counted: Vec<u64> = counted.collect();
    assert_eq!(counted, [50], "{log}");
    assert_eq!(records.len(), 11, "{log}");
    assert_eq!(records[10]["operation"], "Several");
    assert_eq!(records[10]["remote"], "127.0.0.1");
}
