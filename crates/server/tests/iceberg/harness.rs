// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A server with one metalake `m` and one Iceberg catalog `ice`, and what it answers.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lakeward_server::config::properties::Properties;
use lakeward_server::{Running, Settings};
use serde_json::{Value, json};

use crate::next_server::start_when_free;

/// No body.
pub(crate) const NONE: Value = Value::Null;
/// The service administrator, and owner of everything here.
pub(crate) const ADMIN: &str = "admin";
/// The password of everybody.
pub(crate) const PASSWORD: &str = "correct horse battery";
/// The header that declares what a client enforces.
pub(crate) const CAPABLE: (&str, &str) = ("X-Gravitino-Client-Capabilities", "read-restrictions.v1");

pub(crate) struct Server {
    running: Running,
    client: reqwest::Client,
    folder: tempfile::TempDir,
}

/// What it answered.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) body: Value,
}

/// A trusted reader, which declares what it enforces.
pub(crate) struct Reader {
    client: reqwest::Client,
    base: String,
}

impl Reader {
    /// Asks below `/iceberg/v1` for a user.
    pub(crate) async fn ask(&self, user: &str, method: &str, path: &str, body: Value) -> Answer {
        let url = format!("{}/iceberg/v1{path}", self.base);
        let method = reqwest::Method::from_bytes(method.as_bytes()).expect("a method");
        let mut request = self
            .client
            .request(method, url)
            .basic_auth(user, Some(PASSWORD))
            .header(CAPABLE.0, CAPABLE.1);
        if !body.is_null() {
            request = request
                .header("Content-Type", "application/json")
                .body(body.to_string());
        }
        Answer::of(request).await
    }
}

impl Server {
    /// Starts with authorization, the built-in identity provider and read restrictions on.
    pub(crate) async fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let server = Self {
            running: run(&folder).await,
            client: reqwest::Client::new(),
            folder,
        };
        server
            .native(ADMIN, "POST", "/metalakes", json!({"name": "m"}))
            .await
            .is(200);
        let catalog =
            json!({"name": "ice", "type": "RELATIONAL", "provider": "lakehouse-iceberg", "properties": {}});
        server
            .native(ADMIN, "POST", "/metalakes/m/catalogs", catalog)
            .await
            .is(200);
        server
    }

    /// The next server on the same folder.
    pub(crate) async fn restart(self) -> Self {
        self.running.stop().await;
        Self {
            running: run(&self.folder).await,
            ..self
        }
    }

    /// A user with an account.
    pub(crate) async fn add_user(&self, name: &str) {
        let account = json!({"user": name, "password": PASSWORD});
        self.native(ADMIN, "POST", "/idp/users", account).await.is(200);
        self.native(ADMIN, "POST", "/metalakes/m/users", json!({"name": name}))
            .await
            .is(200);
    }

    /// A role with privileges on objects, granted to a user. `objects` are (type, full name, privileges).
    pub(crate) async fn grant(&self, user: &str, role: &str, objects: &[(&str, &str, &[&str])]) {
        let objects: Vec<Value> = objects
            .iter()
            .map(|(kind, name, privileges)| {
                let privileges: Vec<Value> = privileges
                    .iter()
                    .map(|privilege| json!({"name": privilege, "condition": "ALLOW"}))
                    .collect();
                json!({"type": kind, "fullName": name, "privileges": privileges})
            })
            .collect();
        let body = json!({"name": role, "securableObjects": objects});
        self.native(ADMIN, "POST", "/metalakes/m/roles", body)
            .await
            .is(200);
        let path = format!("/metalakes/m/permissions/users/{user}/grant");
        self.native(ADMIN, "PUT", &path, json!({"roleNames": [role]}))
            .await
            .is(200);
    }

    /// Restricts everything that carries the tag `tag` by a row filter, which is enabled.
    pub(crate) async fn add_filter(&self, policy: &str, tag: &str, expression: &str) {
        self.native(ADMIN, "POST", "/metalakes/m/tags", json!({"name": tag}))
            .await
            .is(200);
        let body = json!({"name": policy, "policyType": "system_row_filter", "enabled": false,
            "content": {"expression": expression}});
        self.native(ADMIN, "POST", "/metalakes/m/policies", body)
            .await
            .is(200);
        let path = format!("/metalakes/m/tags/{tag}/policies/{policy}");
        self.native(ADMIN, "PUT", &path, json!({"selector": {"type": "ALL_VALUES"}}))
            .await
            .is(200);
        let path = format!("/metalakes/m/policies/{policy}?force=true");
        self.native(ADMIN, "PATCH", &path, json!({"enable": true}))
            .await
            .is(200);
    }

    pub(crate) async fn tag(&self, kind: &str, name: &str, tag: &str) {
        // Also where loads would fail by it.
        let path = format!("/metalakes/m/objects/{kind}/{name}/tags?force=true");
        self.native(ADMIN, "POST", &path, json!({"tagsToAdd": [tag]}))
            .await
            .is(200);
    }

    /// Asks below `/api`.
    pub(crate) async fn native(&self, user: &str, method: &str, path: &str, body: Value) -> Answer {
        let text = (!body.is_null()).then(|| body.to_string());
        self.send(user, method, &format!("/api{path}"), text, &[]).await
    }

    /// Asks below `/iceberg/v1`, as the administrator.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: Value) -> Answer {
        self.ask_as(ADMIN, method, path, body).await
    }

    /// Asks below `/iceberg/v1`.
    pub(crate) async fn ask_as(&self, user: &str, method: &str, path: &str, body: Value) -> Answer {
        self.ask_with(user, method, path, body, &[]).await
    }

    /// Asks below `/iceberg/v1` with headers.
    pub(crate) async fn ask_with(
        &self,
        user: &str,
        method: &str,
        path: &str,
        body: Value,
        headers: &[(&str, &str)],
    ) -> Answer {
        let text = (!body.is_null()).then(|| body.to_string());
        self.send(user, method, &format!("/iceberg/v1{path}"), text, headers)
            .await
    }

    /// Asks with any text.
    pub(crate) async fn send(
        &self,
        user: &str,
        method: &str,
        path: &str,
        body: Option<String>,
        headers: &[(&str, &str)],
    ) -> Answer {
        let url = format!("http://{}{path}", self.running.native_addr);
        let method = reqwest::Method::from_bytes(method.as_bytes()).expect("a method");
        let mut request = self.client.request(method, url);
        if !user.is_empty() {
            let credentials = STANDARD.encode(format!("{user}:{PASSWORD}"));
            request = request.header("Authorization", format!("Basic {credentials}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = body {
            request = request.header("Content-Type", "application/json").body(body);
        }
        Answer::of(request).await
    }

    /// A reader that the operator enrolled, with its certificate.
    pub(crate) async fn enroll(&self, name: &str) -> Reader {
        let enrolled = self
            .native(ADMIN, "POST", "/readers", json!({"name": name}))
            .await
            .is(200);
        let text = |member: &str| enrolled.body[member].as_str().expect("a text").to_owned();
        let authority = reqwest::Certificate::from_pem(text("authority").as_bytes()).expect("a certificate");
        let pem = text("certificate") + &text("key");
        let client = reqwest::Client::builder()
            .tls_built_in_root_certs(false)
            .add_root_certificate(authority)
            .identity(reqwest::Identity::from_pem(pem.as_bytes()).expect("an identity"))
            .build()
            .expect("a client");
        let address = self.running.reader_addr.expect("a listener for readers");
        Reader {
            client,
            base: format!("https://{address}"),
        }
    }

    /// Its rows.
    pub(crate) fn store(&self) -> &lakeward_store::Store {
        self.running.app.operations.store()
    }

    /// The steps that its requests take.
    pub(crate) fn steps(&self) -> &lakeward_operations::step::Steps {
        self.running.app.operations.steps()
    }

    /// Where clients of the Iceberg protocol find it.
    pub(crate) fn iceberg_uri(&self) -> String {
        format!("http://{}/iceberg", self.running.native_addr)
    }

    /// The folder of the server's own files.
    pub(crate) fn data_folder(&self) -> String {
        self.folder.path().display().to_string()
    }

    /// Where it answers.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.running.native_addr)
    }

    /// Every file of the warehouse with its content.
    pub(crate) fn files(&self) -> std::collections::BTreeMap<std::path::PathBuf, Vec<u8>> {
        let mut files = std::collections::BTreeMap::new();
        let mut open = vec![self.folder.path().join("warehouse")];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    files.insert(path.clone(), std::fs::read(&path).expect("a file"));
                }
            }
        }
        files
    }

    /// A namespace of the catalog.
    pub(crate) async fn namespace(&self, name: &str) {
        self.ask("POST", "/ice/namespaces", json!({"namespace": [name]}))
            .await
            .is(200);
    }

    /// A table of the usual columns.
    pub(crate) async fn table(&self, namespace: &str, name: &str) -> Answer {
        let path = format!("/ice/namespaces/{namespace}/tables");
        self.ask("POST", &path, creation(name)).await.is(200)
    }
}

async fn run(folder: &tempfile::TempDir) -> Running {
    let data = folder.path().display().to_string();
    let jobs = folder.path().join("jobs").display().to_string();
    let pairs = [
        ("gravitino.server.webserver.host", "127.0.0.1"),
        ("gravitino.server.webserver.httpPort", "0"),
        ("gravitino.iceberg-rest.host", "127.0.0.1"),
        ("gravitino.iceberg-rest.httpPort", "0"),
        ("lakeward.data-dir", data.as_str()),
        ("gravitino.job.stagingDir", jobs.as_str()),
        ("gravitino.jobExecutor.local.maxRunningJobs", "2"),
        ("gravitino.authorization.enable", "true"),
        ("gravitino.authorization.serviceAdmins", ADMIN),
        ("gravitino.authenticators", "basic"),
        (
            "gravitino.server.rest.extensionPackages",
            "org.apache.gravitino.idp.web.rest.feature",
        ),
        ("lakeward.read-restrictions.enabled", "true"),
        ("lakeward.reader.port", "0"),
        ("lakeward.federation.allowed-hosts", "127.0.0.1"),
    ];
    let properties = Properties::from_pairs(pairs.to_vec()).expect("known keys");
    let mut settings = Settings::from_properties(properties).expect("settings");
    settings.initial_admin_password = Some(PASSWORD.to_owned());
    start_when_free(settings).await
}

impl Answer {
    async fn of(request: reqwest::RequestBuilder) -> Self {
        let response = request.send().await.expect("an answer");
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let bytes = response.bytes().await.expect("a body");
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        crate::wire_schema::check(&body);
        Self {
            status,
            headers,
            body,
        }
    }

    /// Asserts a status.
    #[track_caller]
    pub(crate) fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.body);
        self
    }

    /// Asserts an error of the protocol.
    #[track_caller]
    pub(crate) fn fails(self, status: u16, kind: &str) -> Self {
        let error = &self.body["error"];
        assert_eq!(
            (self.status, error["type"].as_str(), error["code"].as_u64()),
            (status, Some(kind), Some(u64::from(status))),
            "{}",
            self.body
        );
        self
    }

    /// A header as text; empty when absent.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }
}

/// A request that creates a table.
pub(crate) fn creation(name: &str) -> Value {
    json!({
        "name": name,
        "schema": {"type": "struct", "schema-id": 0, "fields": [
            {"id": 1, "name": "id", "required": true, "type": "long"},
            {"id": 2, "name": "name", "required": false, "type": "string"},
            {"id": 3, "name": "ts", "required": false, "type": "timestamptz"}]},
        "properties": {"p": "q"}
    })
}

/// A commit that sets one property.
pub(crate) fn set_property(name: &str, value: &str) -> Value {
    json!({"requirements": [], "updates": [{"action": "set-properties", "updates": {name: value}}]})
}
