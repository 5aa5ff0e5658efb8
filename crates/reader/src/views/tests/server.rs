// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A server of the Iceberg REST protocol in this process: answers by path, and a record of what was asked.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::connection::{Connection, ConnectionOptions, Credentials};
use crate::session::{Session, SessionOptions};

/// What is answered; whatever is not here is a 404, and of one user's things the other sees nothing.
pub(super) struct Server {
    answers: HashMap<String, (u16, String)>,
    asked: Arc<Mutex<Vec<String>>>,
    port: u16,
}

impl Server {
    pub(super) fn new() -> Self {
        let config = r#"{"defaults": {}, "overrides": {"prefix": "c"}}"#;
        Self {
            answers: HashMap::from([("/iceberg/v1/config".to_owned(), (200, config.to_owned()))]),
            asked: Arc::default(),
            port: 0,
        }
    }

    pub(super) fn config(&mut self, body: &str) {
        self.answers
            .insert("/iceberg/v1/config".to_owned(), (200, body.to_owned()));
    }

    /// What a list below a catalog says; `below` is what follows its name.
    pub(super) fn list(&mut self, below: &str, body: &str) {
        let path = format!("/iceberg/v1/c/{below}");
        self.answers.insert(path, (200, body.to_owned()));
    }

    pub(super) fn table(&mut self, name: &str, body: &str) {
        self.refuse("tables", name, 200, body);
    }

    pub(super) fn view(&mut self, name: &str, body: &str) {
        self.refuse("views", name, 200, body);
    }

    pub(super) fn refuse(&mut self, kind: &str, name: &str, status: u16, body: &str) {
        let path = format!("/iceberg/v1/c/namespaces/s/{kind}/{name}");
        self.answers.insert(path, (status, body.to_owned()));
    }

    /// Listens from now on.
    pub(super) async fn start(mut self) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        self.port = listener.local_addr().unwrap().port();
        let answers = self.answers.clone();
        let asked = Arc::clone(&self.asked);
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut request = Vec::new();
                while !request.ends_with(b"\r\n\r\n") {
                    let mut byte = [0];
                    if stream.read(&mut byte).await.unwrap() == 0 {
                        break;
                    }
                    request.extend(byte);
                }
                let request = String::from_utf8(request).unwrap();
                let path = request.split_whitespace().nth(1).unwrap_or_default();
                let path = path.split('?').next().unwrap().to_owned();
                let missing = (
                    404,
                    format!(
                        r#"{{"error": {{"message": "no {path}", "type": "NoSuchException", "code": 404}}}}"#
                    ),
                );
                let (status, body) = answers.get(&path).cloned().unwrap_or(missing);
                asked.lock().unwrap().push(path);
                let answer = format!(
                    "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        self
    }

    /// A session whose names are in `c.s`.
    pub(super) fn session(&self) -> Session {
        let connection = Connection::new(ConnectionOptions {
            iceberg: format!("http://127.0.0.1:{}", self.port).parse().unwrap(),
            credentials: Credentials::None,
            identity: None,
            timeout: Duration::from_secs(60),
        })
        .unwrap();
        let options = SessionOptions {
            default_catalog: Some("c".to_owned()),
            default_schema: Some("s".to_owned()),
            ..SessionOptions::default()
        };
        Session::new(connection, options)
    }

    /// The last parts of the paths that were asked for, `tables/t`, in order.
    pub(super) fn asked(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        asked
            .iter()
            .filter_map(|path| path.split_once("/namespaces/s/"))
            .map(|(_, rest)| rest.to_owned())
            .collect()
    }
}
