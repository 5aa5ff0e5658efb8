// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A server with restricted tables whose secrets have names that no other text contains.

use std::path::PathBuf;

use lakeward_server::config::properties::Properties;
use lakeward_server::{Running, Settings};
use serde_json::{Value, json};

use crate::next_server::start_when_free;
use crate::requests::{Ask, Names, asks};
use crate::wire_schema;

/// No body.
pub(crate) const NONE: Value = Value::Null;
/// Owns everything, and is restricted all the same.
pub(crate) const ADMIN: &str = "admin";
/// May read and write tables, and sees no tag and no policy.
pub(crate) const ANN: &str = "ann";
/// For whom the filter is constantly true.
pub(crate) const BOSS: &str = "boss";
/// What names of policies, tags, groups and columns begin with.
pub(crate) const SECRET: &str = "zz_";
/// The header that declares what a client enforces.
pub(crate) const CAPABLE: (&str, &str) = ("X-Gravitino-Client-Capabilities", "read-restrictions.v1");
/// The namespace with restrictions that resolve.
pub(crate) const RESTRICTED: &str = "n1";
/// The namespace with restrictions that do not.
pub(crate) const BROKEN: &str = "n2";

pub(crate) struct Scene {
    pub(crate) running: Running,
    /// A client without a certificate.
    pub(crate) anybody: reqwest::Client,
    /// A client of the reader listener.
    pub(crate) reader: reqwest::Client,
    /// The metadata file of a table that was dropped.
    pub(crate) loose_metadata: String,
    /// The id of a plan that [`ADMIN`] was given for the table of [`RESTRICTED`] before it was.
    pub(crate) plan: String,
    folder: tempfile::TempDir,
}

/// What was answered.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) text: String,
}

/// Through which door a request comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Door {
    Native,
    Reader,
}

impl Scene {
    /// Two namespaces with a table `t` each, under a filter that every table inherits: `n1` where it resolves, `n2`
    /// where it does not, since `simple` knows no groups.
    pub(crate) async fn new(settings: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let anybody = reqwest::Client::builder().no_proxy().build().expect("a client");
        let mut scene = Self {
            running: run(&folder, settings).await,
            reader: anybody.clone(),
            anybody,
            loose_metadata: String::new(),
            plan: String::new(),
            folder,
        };
        scene.fill().await;
        scene
    }

    /// The same with other settings.
    pub(crate) async fn restart(self, settings: &[(&str, &str)]) -> Self {
        self.running.stop().await;
        Self {
            running: run(&self.folder, settings).await,
            ..self
        }
    }

    async fn fill(&mut self) {
        let m = "/api/metalakes/m";
        self.must(ADMIN, "POST", "/api/metalakes", json!({"name": "m"}))
            .await;
        let catalog =
            json!({"name": "ice", "type": "RELATIONAL", "provider": "lakehouse-iceberg", "properties": {}});
        self.must(ADMIN, "POST", &format!("{m}/catalogs"), catalog).await;
        for user in [ANN, BOSS] {
            self.must(ADMIN, "POST", &format!("{m}/users"), json!({"name": user}))
                .await;
        }
        let group = json!({"name": format!("{SECRET}group")});
        self.must(ADMIN, "POST", &format!("{m}/groups"), group).await;
        let allowed = ["USE_CATALOG", "USE_SCHEMA", "CREATE_TABLE", "MODIFY_TABLE"];
        let privileges: Vec<Value> = allowed
            .iter()
            .map(|name| json!({"name": name, "condition": "ALLOW"}))
            .collect();
        let object = json!({"type": "CATALOG", "fullName": "ice", "privileges": privileges});
        let role = json!({"name": "writer", "securableObjects": [object]});
        self.must(ADMIN, "POST", &format!("{m}/roles"), role).await;
        for user in [ANN, BOSS] {
            let path = format!("{m}/permissions/users/{user}/grant");
            self.must(ADMIN, "PUT", &path, json!({"roleNames": ["writer"]}))
                .await;
        }
        for namespace in [RESTRICTED, BROKEN, "n3"] {
            let body = json!({"namespace": [namespace]});
            self.must(ADMIN, "POST", "/iceberg/v1/ice/namespaces", body).await;
            self.must(ADMIN, "POST", &tables(namespace), creation("t")).await;
        }
        let loose = self.must(ADMIN, "POST", &tables("n3"), creation("loose")).await;
        loose["metadata-location"]
            .as_str()
            .expect("a location")
            .clone_into(&mut self.loose_metadata);
        let plan = format!("{}/t/plan", tables(RESTRICTED));
        let plan = self.must(ADMIN, "POST", &plan, json!({})).await;
        plan["plan-id"]
            .as_str()
            .expect("an id")
            .clone_into(&mut self.plan);
        self.must(ADMIN, "DELETE", &format!("{}/loose", tables("n3")), NONE)
            .await;
        let resolves = format!(
            "filter := true if session_user() == \"{BOSS}\" else := col(\"{SECRET}column\") == \"a\""
        );
        let breaks = format!("filter := is_group_member(\"{SECRET}group\")");
        for (namespace, name, expression) in [(RESTRICTED, "some", resolves), (BROKEN, "broken", breaks)] {
            let (tag, policy) = (format!("{SECRET}tag_{name}"), format!("{SECRET}policy_{name}"));
            self.must(ADMIN, "POST", &format!("{m}/tags"), json!({"name": tag}))
                .await;
            let body = json!({"name": policy, "policyType": "system_row_filter", "enabled": true,
                "content": {"expression": expression}});
            let path = format!("{m}/policies?force=true");
            self.must(ADMIN, "POST", &path, body).await;
            let path = format!("{m}/tags/{tag}/policies/{policy}");
            self.must(ADMIN, "PUT", &path, json!({"selector": {"type": "ALL_VALUES"}}))
                .await;
            let path = format!("{m}/objects/schema/ice.{namespace}/tags?force=true");
            self.must(ADMIN, "POST", &path, json!({"tagsToAdd": [tag]})).await;
        }
        let enrolled = self
            .must(ADMIN, "POST", "/api/readers", json!({"name": "gateway"}))
            .await;
        let text = |member: &str| enrolled[member].as_str().expect("a text");
        let pem = format!("{}{}", text("certificate"), text("key"));
        self.reader = reqwest::Client::builder()
            .no_proxy()
            .tls_built_in_root_certs(false)
            .add_root_certificate(
                reqwest::Certificate::from_pem(text("authority").as_bytes()).expect("a certificate"),
            )
            .identity(reqwest::Identity::from_pem(pem.as_bytes()).expect("an identity"))
            .build()
            .expect("a client");
    }

    /// Requests of every governed operation for the table `t` of a namespace; new ones have names that begin with `new`.
    pub(crate) fn asks(&self, namespace: &str, new: &str) -> Vec<Ask> {
        asks(&Names {
            namespace: namespace.to_owned(),
            table: "t".to_owned(),
            new: new.to_owned(),
            loose_metadata: self.loose_metadata.clone(),
            plan: self.plan.clone(),
        })
    }

    /// A request, not yet sent.
    pub(crate) fn request(
        &self,
        door: Door,
        user: &str,
        method: &str,
        path: &str,
        body: &Value,
    ) -> reqwest::RequestBuilder {
        let (client, origin) = match door {
            Door::Native => (&self.anybody, format!("http://{}", self.running.native_addr)),
            Door::Reader => {
                let address = self.running.reader_addr.expect("a reader listener");
                (&self.reader, format!("https://{address}"))
            }
        };
        let method = reqwest::Method::from_bytes(method.as_bytes()).expect("a method");
        let request = client
            .request(method, format!("{origin}{path}"))
            .basic_auth(user, Some("-"));
        if body.is_null() {
            request
        } else {
            request.json(body)
        }
    }

    /// The audit log.
    pub(crate) fn audit_file(&self) -> PathBuf {
        self.folder.path().join("audit").join("audit.jsonl")
    }

    /// What is in the audit log.
    pub(crate) fn audit_records(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.audit_file()).expect("a log");
        text.lines()
            .map(|line| serde_json::from_str(line).expect("one record per line"))
            .collect()
    }

    /// A request that must succeed.
    pub(crate) async fn must(&self, user: &str, method: &str, path: &str, body: Value) -> Value {
        let answer = Answer::of(self.request(Door::Native, user, method, path, &body)).await;
        assert!(
            (200..300).contains(&answer.status),
            "{method} {path}: {} {}",
            answer.status,
            answer.text
        );
        serde_json::from_str(&answer.text).unwrap_or(Value::Null)
    }
}

impl Answer {
    /// Sends a request and reads the whole answer.
    pub(crate) async fn of(request: reqwest::RequestBuilder) -> Self {
        let response = request.send().await.expect("an answer");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.expect("a body");
        if let Ok(answer) = serde_json::from_str(&text) {
            wire_schema::check(&answer);
        }
        Self {
            status,
            headers,
            text,
        }
    }

    /// Nothing of a table beyond the names that the request itself held.
    #[track_caller]
    pub(crate) fn tells_nothing(&self, what: &str) {
        for told in [
            SECRET,
            "file:",
            "metadata-location",
            "\"snapshots\"",
            "\"config\"",
            "storage-cred",
        ] {
            assert!(!self.text.contains(told), "{what}: `{told}` in {}", self.text);
        }
        assert!(!self.headers.contains_key("etag"), "{what}: an entity tag");
    }
}

async fn run(folder: &tempfile::TempDir, settings: &[(&str, &str)]) -> Running {
    let data = folder.path().display().to_string();
    let mut pairs = vec![
        ("lakeward.data-dir", data.as_str()),
        ("gravitino.server.webserver.host", "127.0.0.1"),
        ("gravitino.server.webserver.httpPort", "0"),
        ("gravitino.iceberg-rest.host", "127.0.0.1"),
        ("gravitino.iceberg-rest.httpPort", "0"),
        ("gravitino.authenticators", "simple"),
        ("gravitino.authorization.enable", "true"),
        ("gravitino.authorization.serviceAdmins", ADMIN),
        ("lakeward.read-restrictions.enabled", "true"),
        ("lakeward.reader.port", "0"),
    ];
    pairs.extend_from_slice(settings);
    let properties = Properties::from_pairs(pairs).expect("known keys");
    let settings = Settings::from_properties(properties).expect("settings");
    start_when_free(settings).await
}

/// The path of the tables of a namespace.
pub(crate) fn tables(namespace: &str) -> String {
    format!("/iceberg/v1/ice/namespaces/{namespace}/tables")
}

/// A request that creates a table.
pub(crate) fn creation(name: &str) -> Value {
    json!({
        "name": name,
        "schema": {"type": "struct", "schema-id": 0, "fields": [
            {"id": 1, "name": "id", "required": true, "type": "long"},
            {"id": 2, "name": format!("{SECRET}column"), "required": false, "type": "string"}]},
    })
}
