// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A whole server, and how it is asked.

use std::collections::BTreeMap;

use lakeward_catalog::registry::Registry;
use lakeward_server::config::Properties;
use lakeward_server::{Running, Settings, start_with};
use serde_json::{Value, json};

/// Where a server keeps its rows.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    /// In a file of its own.
    Embedded,
    /// In a schema of its own of the database of `DATABASE_URL`.
    Shared(String),
}

impl Place {
    /// A place on PostgreSQL; `None` where `DATABASE_URL` names none.
    pub(crate) fn shared() -> Option<Self> {
        let url = std::env::var("DATABASE_URL").ok()?;
        let sign = if url.contains('?') { '&' } else { '?' };
        let schema = uuid::Uuid::new_v4().simple();
        Some(Self::Shared(format!("{url}{sign}currentSchema=tree_{schema}")))
    }
}

/// Makes two tests of each function: on an embedded store, and on PostgreSQL where there is one.
macro_rules! on_both_stores {
    ($($name:ident),+ $(,)?) => {
        mod embedded {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name(crate::scene::Place::Embedded).await;
            })+
        }

        mod shared {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                if let Some(place) = crate::scene::Place::shared() {
                    super::$name(place).await;
                }
            })+
        }
    };
}
pub(crate) use on_both_stores;

pub(crate) const WITH_AUTHORIZATION: &[(&str, &str)] = &[
    ("gravitino.authorization.enable", "true"),
    ("gravitino.authorization.serviceAdmins", "admin"),
];

/// A server of its own, with the service administrator `admin`.
pub(crate) struct Server {
    pub(crate) running: Running,
    client: reqwest::Client,
    settings: Settings,
    pub(crate) folder: tempfile::TempDir,
}

/// A server that was stopped, with all that it left.
pub(crate) struct Stopped {
    client: reqwest::Client,
    pub(crate) settings: Settings,
    folder: tempfile::TempDir,
}

impl Stopped {
    /// The same server once more.
    pub(crate) async fn start(self) -> Server {
        Server {
            running: lakeward_server::start(self.settings.clone()).await.unwrap(),
            client: self.client,
            settings: self.settings,
            folder: self.folder,
        }
    }
}

impl Server {
    /// With authorization.
    pub(crate) async fn start(place: &Place) -> Self {
        Self::start_with(place, WITH_AUTHORIZATION).await
    }

    /// Stops one that was started with authorization, and starts another on the same rows and files.
    pub(crate) async fn restarted(self, place: &Place) -> Self {
        self.restarted_with_providers(place, lakeward_server::providers())
            .await
    }

    /// The same with providers of its own.
    pub(crate) async fn restarted_with_providers(self, place: &Place, providers: Registry) -> Self {
        self.restarted_with(place, WITH_AUTHORIZATION, providers).await
    }

    /// The same with settings and providers of its own.
    pub(crate) async fn restarted_with(
        self,
        place: &Place,
        settings: &[(&str, &str)],
        providers: Registry,
    ) -> Self {
        self.running.stop().await;
        Self::start_in(self.folder, place, settings, providers).await
    }

    /// With settings of its own.
    pub(crate) async fn start_with(place: &Place, settings: &[(&str, &str)]) -> Self {
        Self::start_with_providers(place, settings, lakeward_server::providers()).await
    }

    /// With settings and providers of its own.
    pub(crate) async fn start_with_providers(
        place: &Place,
        settings: &[(&str, &str)],
        providers: Registry,
    ) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), place, settings, providers).await
    }

    async fn start_in(
        folder: tempfile::TempDir,
        place: &Place,
        settings: &[(&str, &str)],
        providers: Registry,
    ) -> Self {
        let data = folder.path().to_str().unwrap().to_owned();
        let mut pairs = vec![
            ("gravitino.server.webserver.host", "127.0.0.1"),
            ("gravitino.server.webserver.httpPort", "0"),
            ("gravitino.iceberg-rest.host", "127.0.0.1"),
            ("gravitino.iceberg-rest.httpPort", "0"),
            ("lakeward.data-dir", data.as_str()),
        ];
        pairs.extend_from_slice(settings);
        let properties = Properties::from_pairs(pairs).unwrap();
        let mut settings = Settings::from_properties(properties).unwrap();
        if let Place::Shared(url) = place {
            settings.store_url.clone_from(url);
        }
        Self {
            running: start_with(settings.clone(), providers).await.unwrap(),
            client: reqwest::Client::new(),
            settings,
            folder,
        }
    }

    /// Stops it in order.
    pub(crate) async fn stop(self) -> Stopped {
        self.running.stop().await;
        Stopped {
            client: self.client,
            settings: self.settings,
            folder: self.folder,
        }
    }

    /// A request as nobody, to be completed and sent.
    pub(crate) fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        let address = if path.starts_with("/iceberg/") {
            self.running.iceberg_addr
        } else {
            self.running.native_addr
        };
        let url = format!("http://{address}{path}");
        self.client.request(method.parse().unwrap(), url)
    }

    pub(crate) async fn call(
        &self,
        user: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> (u16, Value) {
        let mut request = self.request(method, path).basic_auth(user, Some("x"));
        if let Some(body) = body {
            request = request.json(&body);
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let text = response.text().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        crate::wire_schema::check(&body);
        (status, body)
    }

    /// Expects 200 and gives the body.
    pub(crate) async fn done(&self, method: &str, path: &str, body: impl Into<Option<Value>>) -> Value {
        let (status, answer) = self.call("admin", method, path, body.into()).await;
        assert_eq!(status, 200, "{method} {path}: {answer}");
        assert_eq!(answer["code"], 0, "{method} {path}: {answer}");
        answer
    }

    /// Expects an error with status, code and type.
    pub(crate) async fn refused(
        &self,
        (user, method, path): (&str, &str, &str),
        body: impl Into<Option<Value>>,
        expected: (u16, i32, &str),
    ) {
        let (status, answer) = self.call(user, method, path, body.into()).await;
        let found = (
            status,
            answer["code"].as_i64().unwrap_or_default(),
            answer["type"].as_str().unwrap_or_default(),
        );
        let expected = (expected.0, i64::from(expected.1), expected.2);
        assert_eq!(found, expected, "{user} {method} {path}: {answer}");
    }
}

pub(crate) const ILLEGAL: (u16, i32, &str) = (400, 1001, "IllegalArgumentException");
pub(crate) const FORBIDDEN: (u16, i32, &str) = (403, 1008, "ForbiddenException");

pub(crate) fn iceberg(name: &str) -> Value {
    json!({"name": name, "type": "RELATIONAL", "provider": "lakehouse-iceberg", "comment": "c"})
}

/// A privilege (`DENY P` denies), the kind of the object that it is held on, and its full name.
pub(crate) type Held<'a> = (&'a str, &'a str, &'a str);

/// Gives users roles: for each, the privileges with the object that they are held on.
pub(crate) async fn give(server: &Server, grants: &[(&str, &[Held<'_>])]) {
    for (user, privileges) in grants {
        server
            .done("POST", "/api/metalakes/m/users", json!({"name": user}))
            .await;
        // What is said of one object stands together.
        let mut by_object: BTreeMap<(&str, &str), Vec<Value>> = BTreeMap::new();
        for (privilege, kind, name) in *privileges {
            let (condition, privilege) = match privilege.strip_prefix("DENY ") {
                Some(denied) => ("DENY", denied),
                None => ("ALLOW", *privilege),
            };
            by_object
                .entry((kind, name))
                .or_default()
                .push(json!({"name": privilege, "condition": condition}));
        }
        let objects: Vec<Value> = by_object
            .into_iter()
            .map(|((kind, name), privileges)| json!({"type": kind, "fullName": name, "privileges": privileges}))
            .collect();
        let role = json!({"name": format!("r_{user}"), "securableObjects": objects});
        server.done("POST", "/api/metalakes/m/roles", role).await;
        let grant = json!({"roleNames": [format!("r_{user}")]});
        server
            .done(
                "PUT",
                &format!("/api/metalakes/m/permissions/users/{user}/grant"),
                grant,
            )
            .await;
    }
}
