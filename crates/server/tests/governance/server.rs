// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A server of its own for each test, and requests that read like a protocol.

use lakeward_server::config::Properties;
use lakeward_server::start::Running;
use lakeward_server::{Settings, start};
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};

/// A running server with the metalake `m`, the users `admin` (who owns it) and `bob`, and the catalog `lake` with the
/// schema `sales`.
pub(crate) struct Server {
    pub(crate) running: Running,
    client: Client,
    pub(crate) folder: tempfile::TempDir,
    /// A client of the reader listener, with the certificate of `gateway`.
    reader: Client,
}

/// An answer.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) content_type: String,
    pub(crate) body: Value,
}

impl Server {
    pub(crate) async fn start(settings: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().to_str().unwrap().to_owned();
        let mut pairs = vec![
            ("gravitino.server.webserver.host", "127.0.0.1"),
            ("gravitino.server.webserver.httpPort", "0"),
            ("gravitino.iceberg-rest.host", "127.0.0.1"),
            ("gravitino.iceberg-rest.httpPort", "0"),
            ("lakeward.reader.port", "0"),
            ("gravitino.authorization.enable", "true"),
            ("gravitino.authorization.serviceAdmins", "admin"),
            ("lakeward.data-dir", data.as_str()),
        ];
        pairs.extend_from_slice(settings);
        let properties = Properties::from_pairs(pairs).unwrap();
        let mut settings = Settings::from_properties(properties).unwrap();
        if let Some(url) = empty_database() {
            settings.store_url = url;
        }
        let running = start(settings).await.unwrap();
        let mut server = Self {
            running,
            client: Client::new(),
            folder,
            reader: Client::new(),
        };
        for (path, body) in [
            ("metalakes", json!({"name": "m", "comment": "", "properties": {}})),
            ("metalakes/m/users", json!({"name": "bob"})),
            (
                "metalakes/m/catalogs",
                json!({
                    "name": "lake", "type": "relational", "provider": "lakehouse-iceberg", "comment": "",
                    "properties": {"catalog-backend": "memory", "warehouse": format!("file://{data}/warehouse")}
                }),
            ),
            (
                "metalakes/m/catalogs/lake/schemas",
                json!({"name": "sales", "comment": "", "properties": {}}),
            ),
        ] {
            let answer = server
                .send("admin", Method::POST, &format!("/api/{path}"), Some(body), &[])
                .await;
            assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        }
        server.reader = server.enroll("gateway").await;
        server
    }

    /// Enrols a reader, without which nothing that is restricted could be loaded. Gives a client with its certificate.
    pub(crate) async fn enroll(&self, name: &str) -> Client {
        let body = Some(json!({"name": name}));
        let answer = self.send("admin", Method::POST, "/api/readers", body, &[]).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        let text = |member: &str| answer.body[member].as_str().unwrap();
        let pem = format!("{}{}", text("certificate"), text("key"));
        Client::builder()
            .tls_built_in_root_certs(false)
            .add_root_certificate(reqwest::Certificate::from_pem(text("authority").as_bytes()).unwrap())
            .identity(reqwest::Identity::from_pem(pem.as_bytes()).unwrap())
            .build()
            .unwrap()
    }

    /// Loads a table of the schema `sales` over the Iceberg protocol, through the reader or not, with the capability of
    /// restrictions or not.
    pub(crate) async fn load(
        &self,
        user: &str,
        table: &str,
        through_reader: bool,
        capable: bool,
    ) -> (u16, Value) {
        let path = format!("/iceberg/v1/lake/namespaces/sales/tables/{table}");
        let request = if through_reader {
            let address = self.running.reader_addr.unwrap();
            self.reader.get(format!("https://{address}{path}"))
        } else {
            let address = self.running.native_addr;
            self.client.get(format!("http://{address}{path}"))
        };
        let mut request = request.basic_auth(user, Some("x"));
        if capable {
            request = request.header("X-Gravitino-Client-Capabilities", "read-restrictions.v1");
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let body = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or_default();
        crate::wire_schema::check(&body);
        (status, body)
    }

    /// A request below `/api/metalakes/m/`, as a user, with the headers of a Gravitino client.
    pub(crate) async fn ask(&self, user: &str, method: Method, path: &str, body: Option<Value>) -> Answer {
        let accept = ("Accept", "application/vnd.gravitino.v1+json");
        self.send(user, method, &format!("/api/metalakes/m/{path}"), body, &[accept])
            .await
    }

    /// As [`Self::ask`] for the administrator, with an expected status.
    pub(crate) async fn admin(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        expected: u16,
    ) -> Value {
        self.expect("admin", method, path, body, expected).await
    }

    /// As [`Self::ask`], with an expected status.
    pub(crate) async fn expect(
        &self,
        user: &str,
        method: Method,
        path: &str,
        body: Option<Value>,
        expected: u16,
    ) -> Value {
        let shown = format!("{user} {method} {path} {}", body.clone().unwrap_or_default());
        let answer = self.ask(user, method, path, body).await;
        assert_eq!(answer.status.as_u16(), expected, "{shown}: {}", answer.body);
        answer.body
    }

    /// The values API for tags on objects.
    pub(crate) async fn values(&self, path: &str, body: Value, expected: u16) -> Value {
        let version_2 = "application/vnd.gravitino.v2+json";
        let headers = [("Accept", version_2), ("Content-Type", version_2)];
        let path = format!("/api/metalakes/m/{path}");
        let answer = self
            .send("admin", Method::POST, &path, Some(body), &headers)
            .await;
        assert_eq!(answer.status.as_u16(), expected, "{path}: {}", answer.body);
        if expected == 200 {
            assert_eq!(answer.content_type, version_2);
        }
        answer.body
    }

    pub(crate) async fn send(
        &self,
        user: &str,
        method: Method,
        path: &str,
        body: Option<Value>,
        headers: &[(&str, &str)],
    ) -> Answer {
        let url = format!("http://{}{path}", self.running.native_addr);
        let mut request = self.client.request(method, url).basic_auth(user, Some("x"));
        if let Some(body) = body {
            request = request.body(body.to_string());
            if !headers.iter().any(|(name, _)| *name == "Content-Type") {
                request = request.header("Content-Type", "application/json");
            }
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await.unwrap();
        let header = response.headers().get("Content-Type");
        let content_type = header
            .map(|value| value.to_str().unwrap().to_owned())
            .unwrap_or_default();
        let status = response.status();
        let body = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or_default();
        crate::wire_schema::check(&body);
        Answer {
            status,
            content_type,
            body,
        }
    }
}

/// With `DATABASE_URL` the whole suite runs on PostgreSQL, each server in a schema of its own; without it on SQLite.
fn empty_database() -> Option<String> {
    let url = std::env::var("DATABASE_URL").ok()?;
    let sign = if url.contains('?') { '&' } else { '?' };
    Some(format!(
        "{url}{sign}currentSchema=case_{}",
        uuid::Uuid::new_v4().simple()
    ))
}

/// The type of an error body.
pub(crate) fn kind(body: &Value) -> &str {
    body["type"].as_str().unwrap_or_default()
}
