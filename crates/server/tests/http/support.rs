// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A server for one test, and short ways to ask it.

use lakeward_server::config::Properties;
use lakeward_server::{Running, Settings, start};
use serde_json::Value;

pub(crate) const ADMIN: &str = "admin";
pub(crate) const PASSWORD: &str = "correct horse battery";

pub(crate) struct Server {
    pub(crate) running: Running,
    pub(crate) client: reqwest::Client,
    _folder: tempfile::TempDir,
}

/// What was answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) body: Value,
}

/// The settings of a throw-away server on free ports, with these keys over the defaults.
pub(crate) fn settings(folder: &std::path::Path, pairs: &[(&str, &str)]) -> Settings {
    let data = folder.join("data");
    let mut all = vec![
        ("gravitino.server.webserver.host", "127.0.0.1"),
        ("gravitino.server.webserver.httpPort", "0"),
        ("gravitino.iceberg-rest.host", "127.0.0.1"),
        ("gravitino.iceberg-rest.httpPort", "0"),
        ("gravitino.entity.store.relational.jdbcUrl", "memory"),
        ("lakeward.reader.port", "0"),
        ("lakeward.data-dir", data.to_str().unwrap()),
    ];
    all.extend(pairs);
    let mut settings = Settings::from_properties(Properties::from_pairs(all).unwrap()).unwrap();
    settings.initial_admin_password = Some(PASSWORD.to_owned());
    settings
}

/// The stores that a test runs on: an embedded one, and an empty one on PostgreSQL when `DATABASE_URL` names it.
pub(crate) fn stores() -> Vec<String> {
    let shared = std::env::var("DATABASE_URL").ok().map(|url| {
        let sign = if url.contains('?') { '&' } else { '?' };
        let schema = uuid::Uuid::new_v4().simple().to_string();
        format!("{url}{sign}currentSchema=test_{schema}")
    });
    std::iter::once("memory".to_owned()).chain(shared).collect()
}

/// Authorization on, with the built-in identity provider.
pub(crate) const SECURED: &[(&str, &str)] = &[
    ("gravitino.authorization.enable", "true"),
    ("gravitino.authorization.serviceAdmins", ADMIN),
    ("gravitino.authenticators", "basic"),
];

/// Authorization on, names taken at their word.
pub(crate) const SIMPLE: &[(&str, &str)] = &[
    ("gravitino.authorization.enable", "true"),
    ("gravitino.authorization.serviceAdmins", ADMIN),
];

impl Server {
    pub(crate) async fn with(pairs: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::started(settings(folder.path(), pairs), folder).await
    }

    /// With these settings, and the folder that they speak of.
    pub(crate) async fn started(settings: Settings, folder: tempfile::TempDir) -> Self {
        Self {
            running: start(settings).await.unwrap(),
            client: reqwest::Client::new(),
            _folder: folder,
        }
    }

    /// With these keys, on this store.
    pub(crate) async fn on(store: &str, pairs: &[(&str, &str)]) -> Self {
        let mut all = vec![("gravitino.entity.store.relational.jdbcUrl", store)];
        all.extend(pairs);
        Self::with(&all).await
    }

    /// A request to the native listener.
    pub(crate) fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        let url = format!("http://{}{path}", self.running.native_addr);
        self.client.request(method.parse().unwrap(), url)
    }

    /// As the administrator, with an optional JSON body.
    pub(crate) async fn admin(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        let request = self.request(method, path).basic_auth(ADMIN, Some(PASSWORD));
        answer(match body {
            Some(body) => request.json(&body),
            None => request,
        })
        .await
    }
}

pub(crate) async fn answer(request: reqwest::RequestBuilder) -> Answer {
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    let headers = response.headers().clone();
    let bytes = response.bytes().await.unwrap();
    let body = if bytes.is_empty() {
        Value::Null
    } else {
        serde_json::from_slice(&bytes).expect("every answer is JSON")
    };
    crate::wire_schema::check(&body);
    Answer {
        status,
        headers,
        body,
    }
}

impl Answer {
    /// Status, code and type of a native answer.
    pub(crate) fn native(&self) -> (u16, i64, &str) {
        let code = self.body["code"].as_i64().unwrap_or(-1);
        (self.status, code, self.body["type"].as_str().unwrap_or_default())
    }

    /// Status and type of an Iceberg error; its code must be the status.
    pub(crate) fn iceberg(&self) -> (u16, &str) {
        assert_eq!(self.body["error"]["code"], self.status, "{:?}", self.body);
        (
            self.status,
            self.body["error"]["type"].as_str().unwrap_or_default(),
        )
    }
}
