// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! An upstream that answers what a test says.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use serde_json::{Value, json};

use super::federate;
use crate::harness::Server;

/// What it answers for a path: a status, a `Location`, and a body.
#[derive(Debug, Clone)]
pub(super) struct Said {
    pub(super) status: u16,
    pub(super) location: Option<String>,
    pub(super) body: Vec<u8>,
}

impl Said {
    pub(super) fn text(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            location: None,
            body: body.into(),
        }
    }

    pub(super) fn json(body: &Value) -> Self {
        Self::text(200, body.to_string())
    }
}

#[derive(Debug, Default)]
struct Script {
    answers: BTreeMap<String, Said>,
    /// What it answers instead where credentials are asked for.
    with_credentials: BTreeMap<String, Said>,
    asked: Vec<(String, BTreeMap<String, String>)>,
}

/// See the module.
#[derive(Debug, Clone)]
pub(super) struct Pretended {
    script: Arc<Mutex<Script>>,
    pub(super) uri: String,
}

/// Where the table `n.t` is.
pub(super) const TABLE: &str = "/v1/namespaces/n/tables/t";

impl Pretended {
    /// With the namespace `n`.
    pub(super) async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
            .await
            .expect("a port");
        let uri = format!("http://{}", listener.local_addr().expect("an address"));
        let script = Arc::new(Mutex::new(Script::default()));
        let router = Router::new().fallback(answer).with_state(Arc::clone(&script));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let pretended = Self { script, uri };
        pretended.say(
            "/v1/config",
            Said::json(&json!({"defaults": {}, "overrides": {}})),
        );
        let namespace = json!({"namespace": ["n"], "properties": {}});
        pretended.say("/v1/namespaces/n", Said::json(&namespace));
        pretended
    }

    pub(super) fn say(&self, path: &str, said: Said) {
        self.script
            .lock()
            .expect("a script")
            .answers
            .insert(path.to_owned(), said);
    }

    /// What it says of a path to who asks for credentials.
    pub(super) fn say_with_credentials(&self, path: &str, said: Said) {
        self.script
            .lock()
            .expect("a script")
            .with_credentials
            .insert(path.to_owned(), said);
    }

    /// The headers of the requests for a path.
    pub(super) fn asked(&self, path: &str) -> Vec<BTreeMap<String, String>> {
        let script = self.script.lock().expect("a script");
        let asked = script.asked.iter().filter(|(asked, _)| asked == path);
        asked.map(|(_, headers)| headers.clone()).collect()
    }

    /// A server with the catalog `up` of this upstream.
    pub(super) async fn server(&self, more: Value) -> Server {
        let server = Server::start().await;
        let mut properties = json!({"catalog-backend": "rest", "uri": self.uri});
        for (name, value) in more.as_object().expect("properties") {
            properties[name] = value.clone();
        }
        federate(&server, properties).await.is(200);
        server
    }
}

async fn answer(State(script): State<Arc<Mutex<Script>>>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let headers: BTreeMap<String, String> = request
        .headers()
        .iter()
        .map(|(name, value)| {
            (
                name.to_string(),
                String::from_utf8_lossy(value.as_bytes()).into_owned(),
            )
        })
        .collect();
    let mut script = script.lock().expect("a script");
    let delegates = headers.contains_key("x-iceberg-access-delegation");
    script.asked.push((path.clone(), headers));
    let error =
        json!({"error": {"type": "NoSuchTableException", "code": 404, "message": "secret-of-upstream"}});
    let unknown = Said::text(404, error.to_string());
    let special = script.with_credentials.get(&path).filter(|_| delegates);
    let said = special
        .or_else(|| script.answers.get(&path))
        .cloned()
        .unwrap_or(unknown);
    let mut response = Response::builder().status(said.status);
    if let Some(location) = said.location {
        response = response.header("Location", location);
    }
    response.body(Body::from(said.body)).expect("an answer")
}

/// A table as an upstream answers it; `more` has further members.
pub(super) fn table(more: Value) -> Value {
    let mut answer = json!({
        "metadata-location": "s3://b/n/t/metadata/1.metadata.json",
        "metadata": {
            "format-version": 2, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": "s3://b/n/t",
            "last-sequence-number": 0, "last-updated-ms": 1, "last-column-id": 2, "current-schema-id": 0,
            "schemas": [{"type": "struct", "schema-id": 0, "fields": [
                {"id": 1, "name": "id", "required": true, "type": "long"},
                {"id": 2, "name": "name", "required": false, "type": "string"}]}],
            "default-spec-id": 0, "partition-specs": [{"spec-id": 0, "fields": []}], "last-partition-id": 999,
            "default-sort-order-id": 0, "sort-orders": [{"order-id": 0, "fields": []}],
            "properties": {}, "unknown-member": {"kept": [1, null]},
        },
    });
    for (name, value) in more.as_object().expect("members") {
        answer[name] = value.clone();
    }
    answer
}
