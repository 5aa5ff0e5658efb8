// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A server with tables of any width, restricted or not, and a trusted reader's client.

use reqwest::header::IF_NONE_MATCH;
use serde_json::{Value, json};

use crate::scene::Scene;

const TREE: &str = "/api/metalakes/m";

pub(crate) struct Tables {
    pub(crate) scene: Scene,
    reader: reqwest::Client,
    base: String,
}

impl Tables {
    /// The tag `rows` selects a row filter on `column_0`, the tag `secret` a mask; both are enabled.
    pub(crate) async fn start() -> Self {
        let scene = Scene::start(true).await;
        let call = async |method: &str, path: &str, body: Value| scene.call(method, path, None, body).await;
        call("POST", "/api/metalakes", json!({"name": "m"})).await;
        let catalog =
            json!({"name": "c", "type": "relational", "provider": "lakehouse-iceberg", "properties": {}});
        call("POST", &format!("{TREE}/catalogs"), catalog).await;
        let schemas = format!("{TREE}/catalogs/c/schemas");
        call("POST", &schemas, json!({"name": "s"})).await;
        call("POST", &format!("{TREE}/groups"), json!({"name": "auditors"})).await;
        let filter = r#"filter := col("column_0") == "eu" if session_user() == "root" else := col("column_0") == session_user()"#;
        for (tag, policy_type, expression) in [
            ("rows", "system_row_filter", filter),
            (
                "secret",
                "system_column_mask",
                r#"mask := action("mask-alphanum")"#,
            ),
        ] {
            call("POST", &format!("{TREE}/tags"), json!({"name": tag})).await;
            let policy = json!({"name": tag, "policyType": policy_type, "enabled": false,
                "content": {"expression": expression}});
            call("POST", &format!("{TREE}/policies"), policy).await;
            let binding = format!("{TREE}/tags/{tag}/policies/{tag}");
            call("PUT", &binding, json!({"selector": {"type": "ALL_VALUES"}})).await;
            // No reader is enrolled yet, which is asked about.
            let policy = format!("{TREE}/policies/{tag}?force=true");
            call("PATCH", &policy, json!({"enable": true})).await;
        }
        let enrolled = call("POST", "/api/readers", json!({"name": "bench"})).await;
        let pem = |name: &str| enrolled[name].as_str().unwrap_or_default().to_owned();
        let identity = format!("{}\n{}", pem("key"), pem("certificate"));
        let reader = reqwest::Client::builder()
            .no_proxy()
            .use_rustls_tls()
            .identity(reqwest::Identity::from_pem(identity.as_bytes()).unwrap())
            .add_root_certificate(reqwest::Certificate::from_pem(pem("authority").as_bytes()).unwrap())
            .build()
            .unwrap();
        let address = scene.server.reader_addr.unwrap();
        let base = format!(
            "https://127.0.0.1:{}/iceberg/v1/c/namespaces/s/tables",
            address.port()
        );
        Self { scene, reader, base }
    }

    /// A table of so many columns of text.
    pub(crate) async fn add(&self, table: &str, columns: usize) {
        let columns: Vec<Value> = (0..columns)
            .map(|number| json!({"name": format!("column_{number}"), "type": "string", "nullable": true}))
            .collect();
        let table = json!({"name": table, "columns": columns, "properties": {}});
        let path = format!("{TREE}/catalogs/c/schemas/s/tables");
        self.scene.call("POST", &path, None, table).await;
    }

    /// Restricts a table: its rows, and its last columns by so many masks.
    pub(crate) async fn restrict(&self, table: &str, columns: usize, masks: usize) {
        let mut tags = vec![(format!("table/c.s.{table}"), "rows")];
        tags.extend(
            (columns - masks..columns)
                .map(|number| (format!("column/c.s.{table}.column_{number}"), "secret")),
        );
        for (object, tag) in tags {
            let path = format!("{TREE}/objects/{object}/tags");
            let body = json!({"tagsToAdd": [tag]});
            self.scene.call("POST", &path, None, body).await;
        }
    }

    pub(crate) async fn load(&self, table: &str, tag: Option<&str>) -> reqwest::Response {
        let mut request = self
            .reader
            .get(format!("{}/{table}", self.base))
            .header("X-Gravitino-Client-Capabilities", "read-restrictions.v1")
            .basic_auth("root", Some("-"));
        if let Some(tag) = tag {
            request = request.header(IF_NONE_MATCH, tag);
        }
        request.send().await.unwrap()
    }

    /// Loads a table as a whole; gives how long the answer is.
    pub(crate) async fn load_whole(&self, table: &str) -> usize {
        let answer = self.load(table, None).await;
        assert_eq!(answer.status(), 200);
        answer.bytes().await.unwrap().len()
    }

    /// How many masks a table has for `root`; `None` where it is not restricted.
    pub(crate) async fn masks(&self, table: &str) -> Option<usize> {
        let bytes = self.load(table, None).await.bytes().await.unwrap();
        let answer: Value = serde_json::from_slice(&bytes).unwrap();
        let restrictions = answer.get("read-restrictions")?;
        let masks = restrictions["required-column-projections"].as_array();
        Some(masks.map_or(0, Vec::len))
    }
}
