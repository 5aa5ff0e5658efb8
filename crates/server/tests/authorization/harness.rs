// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A server to ask, and what it answers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::principal::{Principal, PrincipalKind};
use lakeward_server::config::properties::Properties;
use lakeward_server::{Running, Settings, start};
use lakeward_store::{Area, NewObject, NewUser};
use serde_json::{Value, json};

/// No body.
pub(crate) const NONE: Value = Value::Null;

/// The password of everybody.
const PASSWORD: &str = "correct horse battery";

/// The service administrator and owner of the metalake `m`.
pub(crate) const ADMIN: &str = "admin";

/// Where the rows are.
#[derive(Debug, Clone)]
pub(crate) enum StoreEngine {
    /// A file in a folder of the test.
    Sqlite,
    /// A database by its address, in a schema of its own.
    Postgres(String),
}

impl StoreEngine {
    /// The database of `DATABASE_URL`, if one is given.
    pub(crate) fn postgres() -> Option<Self> {
        let url = std::env::var("DATABASE_URL").ok()?;
        let sign = if url.contains('?') { '&' } else { '?' };
        let schema = format!("case_{}", uuid::Uuid::new_v4().simple());
        Some(Self::Postgres(format!("{url}{sign}currentSchema={schema}")))
    }
}

/// Makes two tests of a function: one on SQLite, and one on PostgreSQL where `DATABASE_URL` is set.
#[macro_export]
macro_rules! on_each_store {
    ($name:ident) => {
        mod $name {
            use $crate::harness::StoreEngine;

            #[tokio::test]
            async fn on_sqlite() {
                super::$name(StoreEngine::Sqlite).await;
            }

            #[tokio::test]
            async fn on_postgresql() {
                if let Some(engine) = StoreEngine::postgres() {
                    super::$name(engine).await;
                }
            }
        }
    };
}

/// A running server with one metalake `m`.
pub(crate) struct Server {
    running: Running,
    client: reqwest::Client,
    folder: tempfile::TempDir,
}

/// What it answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl Server {
    /// Starts with authorization as `mode` says: `on`, `pass-through`, `off`, or `accounts`, which is on with the
    /// built-in identity provider.
    pub(crate) async fn start(engine: StoreEngine, mode: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let folder_text = folder.path().display().to_string();
        let mut pairs = vec![
            ("gravitino.server.webserver.host", "127.0.0.1"),
            ("gravitino.server.webserver.httpPort", "0"),
            ("gravitino.iceberg-rest.host", "127.0.0.1"),
            ("gravitino.iceberg-rest.httpPort", "0"),
            ("lakeward.data-dir", folder_text.as_str()),
        ];
        if mode != "off" {
            pairs.push(("gravitino.authorization.enable", "true"));
            pairs.push(("gravitino.authorization.serviceAdmins", ADMIN));
        }
        if mode == "pass-through" {
            pairs.push((
                "gravitino.authorization.impl",
                "org.apache.gravitino.server.authorization.PassThroughAuthorizer",
            ));
        }
        if mode == "accounts" {
            pairs.push(("gravitino.authenticators", "basic"));
            pairs.push((
                "gravitino.server.rest.extensionPackages",
                "org.apache.gravitino.idp.web.rest.feature",
            ));
        }
        let properties = Properties::from_pairs(pairs).expect("known keys");
        let mut settings = Settings::from_properties(properties).expect("settings");
        settings.initial_admin_password = Some(PASSWORD.to_owned());
        if let StoreEngine::Postgres(url) = engine {
            settings.store_url = url;
            settings.store_connections = 4;
        }
        let running = start(settings).await.expect("the server starts");
        let server = Self {
            running,
            client: reqwest::Client::new(),
            folder,
        };
        let made = server
            .call(ADMIN, "POST", "/metalakes", json!({"name": "m"}))
            .await;
        assert_eq!(made.status, 200, "{made:?}");
        server
    }

    /// Asks as `user` (`""` is nobody) below `/api`.
    pub(crate) async fn call(&self, user: &str, method: &str, path: &str, body: Value) -> Answer {
        let text = (!body.is_null()).then(|| body.to_string());
        self.send(user, method, &format!("/api{path}"), text, None).await
    }

    /// Asks with a header that narrows the roles.
    pub(crate) async fn call_with_roles(&self, user: &str, roles: &str, path: &str) -> Answer {
        self.send(user, "GET", &format!("/api{path}"), None, Some(roles))
            .await
    }

    /// Asks with any body text.
    pub(crate) async fn send(
        &self,
        user: &str,
        method: &str,
        path: &str,
        body: Option<String>,
        roles: Option<&str>,
    ) -> Answer {
        let url = format!("http://{}{path}", self.running.native_addr);
        let method = reqwest::Method::from_bytes(method.as_bytes()).expect("a method");
        let mut request = self.client.request(method, url);
        if !user.is_empty() {
            request = request.header(
                "Authorization",
                format!("Basic {}", STANDARD.encode(format!("{user}:{PASSWORD}"))),
            );
        }
        if let Some(roles) = roles {
            request = request.header("X-Gravitino-Active-Roles", roles);
        }
        if let Some(body) = body {
            request = request.header("Content-Type", "application/json").body(body);
        }
        Answer::read(request.send().await.expect("an answer")).await
    }

    /// Asks as the original's Java client does: with its headers, and any password.
    pub(crate) async fn call_as_java(&self, user: &str, method: &str, path: &str, body: Value) -> Answer {
        let url = format!("http://{}/api{path}", self.running.native_addr);
        let method = reqwest::Method::from_bytes(method.as_bytes()).expect("a method");
        let mut request = self
            .client
            .request(method, url)
            .basic_auth(user, Some("dummy"))
            .header("Accept", "application/vnd.gravitino.v1+json")
            .header("Content-Type", "application/json")
            .header("X-Client-Version", "2.0.0-SNAPSHOT");
        if !body.is_null() {
            request = request.body(body.to_string());
        }
        Answer::read(request.send().await.expect("an answer")).await
    }

    /// Asks, and gives the answer as it came.
    pub(crate) async fn raw(&self, user: &str, method: &str, path: &str, body: Option<&str>) -> Raw {
        let url = format!("http://{}{path}", self.running.native_addr);
        let method = reqwest::Method::from_bytes(method.as_bytes()).expect("a method");
        let mut request = self.client.request(method, url).basic_auth(user, Some(PASSWORD));
        if let Some(body) = body {
            request = request
                .header("Content-Type", "application/json")
                .body(body.to_owned());
        }
        let response = request.send().await.expect("an answer");
        Raw {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            text: response.text().await.expect("a text"),
        }
    }

    /// The record of a request in the audit log.
    pub(crate) async fn audit_record(&self, request_id: &str) -> Value {
        self.running.app.audit.flush().await;
        let log = std::fs::read_to_string(self.folder.path().join("audit/audit.jsonl")).expect("a log");
        log.lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"))
            .find(|record| record["request-id"] == request_id)
            .expect("a record")
    }

    /// Puts objects into the store as a provider would find them: ownerless. Gives their ids.
    pub(crate) async fn insert(&self, objects: &[(ObjectKind, &str)]) -> Vec<ObjectId> {
        let store = self.running.app.operations.store();
        let metalake = {
            let mut snapshot = store.snapshot().await.expect("snapshot");
            snapshot.metalake_id("m").await.expect("store").expect("metalake")
        };
        let mut write = store
            .write(metalake, &Area::OF_METALAKE, ADMIN)
            .await
            .expect("write");
        let mut ids: Vec<(String, ObjectId)> = Vec::new();
        for (kind, name) in objects {
            let (parent, own) = match name.rsplit_once('.') {
                Some((parent, own)) if kind.levels() > 1 => {
                    let known = ids.iter().find(|(other, _)| other == parent);
                    (known.expect("parents come first").1, own)
                }
                _ => (metalake, *name),
            };
            let row = write
                .create_object(&NewObject::named(parent, *kind, own))
                .await
                .expect("created");
            ids.push(((*name).to_owned(), row.id));
        }
        write.commit().await.expect("commit");
        ids.into_iter().map(|(_, id)| id).collect()
    }

    /// Gives an object to a user, past all checks.
    pub(crate) async fn give(&self, object: ObjectId, user: &str) {
        let store = self.running.app.operations.store();
        let mut snapshot = store.snapshot().await.expect("snapshot");
        let metalake = snapshot.metalake_id("m").await.expect("store").expect("metalake");
        drop(snapshot);
        let mut areas = Area::OF_METALAKE.to_vec();
        areas.push(Area::Server);
        let mut write = store.write(metalake, &areas, ADMIN).await.expect("write");
        let owner = Principal {
            kind: PrincipalKind::User,
            name: user.to_owned(),
        };
        write.set_owner(object, &owner).await.expect("owner");
        write.commit().await.expect("commit");
    }

    /// Takes the owner of an object away, by way of a user who is added for it and removed.
    pub(crate) async fn disown(&self, object: ObjectId) {
        let store = self.running.app.operations.store();
        let metalake = self.metalake().await;
        let mut areas = Area::OF_METALAKE.to_vec();
        areas.push(Area::Server);
        let mut write = store.write(metalake, &areas, ADMIN).await.expect("write");
        write
            .add_user(&NewUser::named("for a moment"))
            .await
            .expect("added");
        let owner = Principal {
            kind: PrincipalKind::User,
            name: "for a moment".to_owned(),
        };
        write.set_owner(object, &owner).await.expect("owner");
        write.remove_user("for a moment").await.expect("removed");
        write.commit().await.expect("commit");
    }

    /// Adds a local account.
    pub(crate) async fn account(&self, user: &str) {
        let body = json!({"user": user, "password": PASSWORD});
        self.call(ADMIN, "POST", "/idp/users", body).await.is(200);
    }

    /// The id of the metalake `m`.
    pub(crate) async fn metalake(&self) -> ObjectId {
        let mut snapshot = self
            .running
            .app
            .operations
            .store()
            .snapshot()
            .await
            .expect("snapshot");
        snapshot.metalake_id("m").await.expect("store").expect("metalake")
    }
}

/// An answer as it came.
#[derive(Debug, Clone)]
pub(crate) struct Raw {
    pub(crate) status: u16,
    pub(crate) headers: http::HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    async fn read(response: reqwest::Response) -> Self {
        let status = response.status().as_u16();
        let bytes = response.bytes().await.expect("a body");
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        crate::wire_schema::check(&body);
        Self { status, body }
    }

    /// The names in a list.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.body["names"].as_array().cloned().unwrap_or_default();
        names
            .iter()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect()
    }

    /// Asserts a status.
    #[track_caller]
    pub(crate) fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.body);
        self
    }

    /// Asserts status, code and type of an error.
    #[track_caller]
    pub(crate) fn fails(self, status: u16, code: i64, error_type: &str) -> Self {
        assert_eq!(
            (
                self.status,
                self.body["code"].as_i64(),
                self.body["type"].as_str()
            ),
            (status, Some(code), Some(error_type)),
            "{}",
            self.body
        );
        self
    }

    /// Asserts 200 with this body, where ids are `"#"` and audits only name people.
    #[track_caller]
    pub(crate) fn says(self, expected: Value) -> Self {
        assert_eq!((self.status, plain(self.body.clone())), (200, expected));
        self
    }
}

/// The body without what differs from run to run.
fn plain(value: Value) -> Value {
    match value {
        Value::Object(members) => members
            .into_iter()
            .filter(|(name, _)| name != "createTime" && name != "lastModifiedTime")
            .map(|(name, value)| {
                let value = if name == "id" { json!("#") } else { plain(value) };
                (name, value)
            })
            .collect(),
        Value::Array(items) => items.into_iter().map(plain).collect(),
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => other,
    }
}

/// A server with users and a tree.
pub(crate) async fn server(engine: StoreEngine) -> Server {
    let server = Server::start(engine, "on").await;
    for user in ["bob", "carl", "eve"] {
        server
            .call(ADMIN, "POST", "/metalakes/m/users", json!({"name": user}))
            .await
            .is(200);
    }
    server
        .insert(&[
            (ObjectKind::Catalog, "c"),
            (ObjectKind::Schema, "c.s"),
            (ObjectKind::Table, "c.s.t"),
            (ObjectKind::Table, "c.s.u"),
        ])
        .await;
    server
}

/// What a role says of one object, as a request writes it; `DENY P` denies.
pub(crate) fn speaks_of(kind: &str, name: &str, privileges: &[&str]) -> Value {
    let privileges: Vec<Value> = privileges
        .iter()
        .map(|privilege| match privilege.strip_prefix("DENY ") {
            Some(privilege) => json!({"name": privilege, "condition": "DENY"}),
            None => json!({"name": privilege, "condition": "ALLOW"}),
        })
        .collect();
    json!({"type": kind, "fullName": name, "privileges": privileges})
}

/// Creates a role.
pub(crate) async fn role(server: &Server, name: &str, objects: Value) {
    let body = json!({"name": name, "securableObjects": objects});
    server
        .call(ADMIN, "POST", "/metalakes/m/roles", body)
        .await
        .is(200);
}

/// Grants roles to a user.
pub(crate) async fn grant(server: &Server, user: &str, roles: &[&str]) {
    let path = format!("/metalakes/m/permissions/users/{user}/grant");
    server
        .call(ADMIN, "PUT", &path, json!({"roleNames": roles}))
        .await
        .is(200);
}
