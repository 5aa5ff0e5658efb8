// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Servers in this process for tests about stores: one on an embedded store, or several on one PostgreSQL.

use lakeward_server::config::properties::Properties;
use lakeward_server::{Running, Settings, start};
use serde_json::{Value, json};

#[path = "../wire_schema/mod.rs"]
mod wire_schema;

/// The address of an empty store that several servers can share, when `DATABASE_URL` names a PostgreSQL.
pub(crate) fn shared_store() -> Option<String> {
    let url = std::env::var("DATABASE_URL").ok()?;
    let sign = if url.contains('?') { '&' } else { '?' };
    Some(format!(
        "{url}{sign}currentSchema=test_{}",
        uuid::Uuid::new_v4().simple()
    ))
}

/// A server with what its folder holds.
pub(crate) struct Started {
    pub(crate) running: Running,
    client: reqwest::Client,
    _folder: tempfile::TempDir,
}

impl Started {
    /// Starts with authorization and read restrictions on, on an embedded store, or on `store_url`.
    pub(crate) async fn new(store_url: Option<&str>) -> Self {
        Self::with(store_url, &[]).await
    }

    /// The same with further keys.
    pub(crate) async fn with(store_url: Option<&str>, keys: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().display().to_string();
        let usual = [
            ("lakeward.data-dir", data.as_str()),
            ("gravitino.server.webserver.host", "127.0.0.1"),
            ("gravitino.server.webserver.httpPort", "0"),
            ("gravitino.iceberg-rest.host", "127.0.0.1"),
            ("gravitino.iceberg-rest.httpPort", "0"),
            ("gravitino.authenticators", "simple"),
            ("gravitino.authorization.enable", "true"),
            ("gravitino.authorization.serviceAdmins", "root"),
            ("lakeward.read-restrictions.enabled", "true"),
            ("lakeward.reader.port", "0"),
        ];
        let pairs = usual.iter().chain(keys).copied();
        let properties = Properties::from_pairs(pairs).expect("known keys");
        let mut settings = Settings::from_properties(properties).expect("settings");
        if let Some(url) = store_url {
            url.clone_into(&mut settings.store_url);
        }
        Self {
            running: start(settings).await.expect("the server starts"),
            client: reqwest::Client::builder().no_proxy().build().expect("a client"),
            _folder: folder,
        }
    }

    /// Asks as a user; gives status and body.
    pub(crate) async fn ask(&self, user: &str, method: &str, path: &str, body: Value) -> (u16, Value) {
        self.ask_with(user, method, path, body, &[]).await
    }

    /// The same with headers.
    pub(crate) async fn ask_with(
        &self,
        user: &str,
        method: &str,
        path: &str,
        body: Value,
        headers: &[(&str, &str)],
    ) -> (u16, Value) {
        let url = format!("http://{}{path}", self.running.native_addr);
        let method = reqwest::Method::from_bytes(method.as_bytes()).expect("a method");
        let mut request = self.client.request(method, url).basic_auth(user, Some("-"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if !body.is_null() {
            request = request.json(&body);
        }
        let answer = request.send().await.expect("an answer");
        let status = answer.status().as_u16();
        let bytes = answer.bytes().await.expect("a body");
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        wire_schema::check(&body);
        (status, body)
    }

    /// Asks for a change that must be made.
    pub(crate) async fn change(&self, user: &str, method: &str, path: &str, body: Value) -> Value {
        let (status, answer) = self.ask(user, method, path, body).await;
        assert!((200..300).contains(&status), "{method} {path}: {status} {answer}");
        answer
    }

    /// Makes the metalake `m` with the user `ann`, the table `c.s.t`, and the role `r` that lets its holders read it.
    pub(crate) async fn make_lake(&self) {
        const M: &str = "/api/metalakes/m";
        let change =
            async |method: &str, path: &str, body: Value| self.change("root", method, path, body).await;
        change("POST", "/api/metalakes", json!({"name": "m"})).await;
        change("POST", &format!("{M}/users"), json!({"name": "ann"})).await;
        let catalog =
            json!({"name": "c", "type": "relational", "provider": "lakehouse-iceberg", "properties": {}});
        change("POST", &format!("{M}/catalogs"), catalog).await;
        change("POST", &format!("{M}/catalogs/c/schemas"), json!({"name": "s"})).await;
        let column = json!({"name": "id", "type": "integer", "nullable": true});
        let table = json!({"name": "t", "columns": [column], "properties": {}});
        change("POST", &format!("{M}/catalogs/c/schemas/s/tables"), table).await;
        let privileges: Vec<Value> = ["use_catalog", "use_schema", "select_table"]
            .iter()
            .map(|name| json!({"name": name, "condition": "allow"}))
            .collect();
        let object = json!({"fullName": "c", "type": "catalog", "privileges": privileges});
        let role = json!({"name": "r", "properties": {}, "securableObjects": [object]});
        change("POST", &format!("{M}/roles"), role).await;
    }
}
