// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A server that takes passwords and tokens, with the table `ice.n1.t`, of which everybody sees only its own rows.

use lakeward_server::config::Properties;
use lakeward_server::{Running, Settings, start};
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use crate::issuer::Issuer;

pub(crate) const ADMIN: &str = "admin";
pub(crate) const PASSWORD: &str = "correct horse battery";
/// The restricted table in the Iceberg protocol.
pub(crate) const TABLE: &str = "/iceberg/v1/ice/namespaces/n1/tables/t";
/// What a reader declares.
pub(crate) const CAPABLE: (&str, &str) = ("X-Gravitino-Client-Capabilities", "read-restrictions.v1");

pub(crate) struct World {
    pub(crate) running: Running,
    pub(crate) issuer: Issuer,
    client: reqwest::Client,
    store_url: Option<String>,
    _folder: tempfile::TempDir,
}

/// With `DATABASE_URL` everything runs on PostgreSQL, each world in a schema of its own; without it on SQLite.
fn shared_store() -> Option<String> {
    let url = std::env::var("DATABASE_URL").ok()?;
    let sign = if url.contains('?') { '&' } else { '?' };
    Some(format!(
        "{url}{sign}currentSchema=tokens_{}",
        uuid::Uuid::new_v4().simple()
    ))
}

/// Starts a server that takes the tokens of an issuer.
async fn node(
    issuer: &Issuer,
    store_url: Option<&str>,
    more: &[(&str, &str)],
) -> (Running, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().display().to_string();
    let (algorithm, key) = issuer.keys();
    let mut pairs = vec![
        ("gravitino.server.webserver.host", "127.0.0.1"),
        ("gravitino.server.webserver.httpPort", "0"),
        ("gravitino.iceberg-rest.host", "127.0.0.1"),
        ("gravitino.iceberg-rest.httpPort", "0"),
        ("lakeward.data-dir", data.as_str()),
        ("gravitino.authorization.enable", "true"),
        ("gravitino.authorization.serviceAdmins", ADMIN),
        ("gravitino.authenticators", "basic,oauth"),
        ("gravitino.authenticator.oauth.signAlgorithmType", algorithm),
        ("gravitino.authenticator.oauth.defaultSignKey", key.as_str()),
        ("lakeward.read-restrictions.enabled", "true"),
        ("lakeward.reader.port", "0"),
    ];
    pairs.extend(more);
    let properties = Properties::from_pairs(pairs).expect("known keys");
    let mut settings = Settings::from_properties(properties).expect("settings");
    settings.initial_admin_password = Some(PASSWORD.to_owned());
    if let Some(url) = store_url {
        url.clone_into(&mut settings.store_url);
    }
    (start(settings).await.expect("the server starts"), folder)
}

/// What was answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl World {
    /// With the users ann and bob, who may read everything.
    pub(crate) async fn new() -> Self {
        Self::with(&[]).await
    }

    /// With more settings.
    pub(crate) async fn with(more: &[(&str, &str)]) -> Self {
        let issuer = Issuer::p256();
        let store_url = shared_store();
        let (running, folder) = node(&issuer, store_url.as_deref(), more).await;
        let world = Self {
            running,
            issuer,
            client: reqwest::Client::new(),
            store_url,
            _folder: folder,
        };
        world.make_lake().await;
        world
    }

    /// A second server on the same store; `None` where the store cannot be shared.
    pub(crate) async fn second_node(&self) -> Option<(Running, tempfile::TempDir)> {
        let url = self.store_url.as_deref()?;
        Some(node(&self.issuer, Some(url), &[]).await)
    }

    async fn make_lake(&self) {
        const M: &str = "/api/metalakes/m";
        let make = async |method: &str, path: &str, body: Value| self.admin(method, path, body).await.is(200);
        make("POST", "/api/metalakes", json!({"name": "m"})).await;
        let catalog =
            json!({"name": "ice", "type": "relational", "provider": "lakehouse-iceberg", "properties": {}});
        make("POST", &format!("{M}/catalogs"), catalog).await;
        make(
            "POST",
            &format!("{M}/catalogs/ice/schemas"),
            json!({"name": "n1"}),
        )
        .await;
        let column = json!({"name": "owner", "type": "string", "nullable": true});
        for table in ["t", "free"] {
            let table = json!({"name": table, "columns": [column], "properties": {}});
            make("POST", &format!("{M}/catalogs/ice/schemas/n1/tables"), table).await;
        }
        let privileges: Vec<Value> = ["use_catalog", "use_schema", "select_table"]
            .iter()
            .map(|name| json!({"name": name, "condition": "allow"}))
            .collect();
        let object = json!({"fullName": "ice", "type": "catalog", "privileges": privileges});
        let role = json!({"name": "reads", "properties": {}, "securableObjects": [object]});
        make("POST", &format!("{M}/roles"), role).await;
        for user in ["ann", "bob"] {
            make("POST", &format!("{M}/users"), json!({"name": user})).await;
            let path = format!("{M}/permissions/users/{user}/grant");
            make("PUT", &path, json!({"roleNames": ["reads"]})).await;
        }
        self.restrict("filter := col(\"owner\") == session_user()").await;
    }

    /// Another policy than the usual one on the table.
    pub(crate) async fn restrict(&self, expression: &str) {
        const M: &str = "/api/metalakes/m";
        let content = json!({ "expression": expression });
        let policy = json!({"name": "rows_by_owner", "policyType": "system_row_filter", "enabled": false, "content": content});
        if self
            .admin("POST", &format!("{M}/tags"), json!({"name": "rows_by_owner"}))
            .await
            .status
            == 200
        {
            let make =
                async |method: &str, path: &str, body: Value| self.admin(method, path, body).await.is(200);
            make("POST", &format!("{M}/policies"), policy).await;
            let selector = json!({"selector": {"type": "ALL_VALUES"}});
            make(
                "PUT",
                &format!("{M}/tags/rows_by_owner/policies/rows_by_owner"),
                selector,
            )
            .await;
            let tag = json!({"tagsToAdd": ["rows_by_owner"]});
            make("POST", &format!("{M}/objects/table/ice.n1.t/tags"), tag).await;
            make(
                "PATCH",
                &format!("{M}/policies/rows_by_owner?force=true"),
                json!({"enable": true}),
            )
            .await;
            return;
        }
        let update = json!({"updates": [{"@type": "updateContent", "policyType": "system_row_filter",
            "newContent": content}]});
        self.admin("PUT", &format!("{M}/policies/rows_by_owner?force=true"), update)
            .await
            .is(200);
    }

    /// Trusts a reader by its token.
    pub(crate) async fn enroll(&self, body: Value) -> Value {
        self.admin("POST", "/api/readers", body).await.is(200).body
    }

    /// Asks as the administrator, by password.
    pub(crate) async fn admin(&self, method: &str, path: &str, body: Value) -> Answer {
        let request = self.request(method, path).basic_auth(ADMIN, Some(PASSWORD));
        answer(if body.is_null() {
            request
        } else {
            request.json(&body)
        })
        .await
    }

    /// Asks with a token.
    pub(crate) async fn get(&self, token: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = self.request("GET", path).bearer_auth(token);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        answer(request).await
    }

    /// Loads the restricted table as a capable client.
    pub(crate) async fn load(&self, token: &str) -> Answer {
        self.get(token, TABLE, &[CAPABLE]).await
    }

    /// Loads it again, unless it is still what `etag` names.
    pub(crate) async fn load_unless(&self, token: &str, etag: &str) -> Answer {
        self.get(token, TABLE, &[CAPABLE, ("If-None-Match", etag)]).await
    }

    pub(crate) fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        let url = format!("http://{}{path}", self.running.native_addr);
        self.client.request(method.parse().expect("a method"), url)
    }
}

pub(crate) async fn answer(request: reqwest::RequestBuilder) -> Answer {
    let response = request.send().await.expect("an answer");
    let status = response.status().as_u16();
    let headers = response.headers().clone();
    let bytes = response.bytes().await.expect("a body");
    let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    crate::wire_schema::check(&body);
    Answer {
        status,
        headers,
        body,
    }
}

impl Answer {
    /// Asserts a status.
    #[track_caller]
    pub(crate) fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.body);
        self
    }

    /// Asserts a refusal of the restricted table, with this in its message and nothing of the table in it.
    #[track_caller]
    pub(crate) fn refused(self, status: u16, part: &str) {
        let error = &self.body["error"];
        let message = error["message"].as_str().unwrap_or_default();
        assert_eq!(
            (self.status, error["type"].as_str()),
            (status, Some("ReadRestrictionException")),
            "{}",
            self.body
        );
        assert!(message.contains(part), "{message}");
        let text = self.body.to_string();
        assert!(
            !text.contains("metadata-location") && !text.contains("rows_by_owner"),
            "{text}"
        );
        assert!(!self.headers.contains_key("etag"));
    }

    /// Asserts that the restricted table came with its restriction; gives its entity tag.
    #[track_caller]
    pub(crate) fn restricted_to(&self, user: &str) -> String {
        assert_eq!(self.status, 200, "{}", self.body);
        let filter = self.body["read-restrictions"].to_string();
        assert!(filter.contains(&format!("\"{user}\"")), "{filter}");
        self.header("etag").to_owned()
    }

    /// A header as text; empty when absent.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }
}
