// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Loading a table over the Iceberg protocol through the listener of trusted readers: restricted against unrestricted,
//! and not modified against whole.

use reqwest::header::{ETAG, IF_NONE_MATCH};
use serde_json::{Value, json};

use crate::measure::compare;
use crate::scene::Scene;

const TREE: &str = "/api/metalakes/m";
const VALUED_TAGS: &str = "application/vnd.gravitino.v2+json";
const COLUMNS: usize = 30;

/// A server with two equal tables, of which one is restricted by a filter and two masks, and a trusted reader's client.
struct Tables {
    scene: Scene,
    reader: reqwest::Client,
    base: String,
}

impl Tables {
    async fn start() -> Self {
        let scene = Scene::start(true).await;
        let call = async |method: &str, path: &str, body: Value| scene.call(method, path, None, body).await;
        call("POST", "/api/metalakes", json!({"name": "m"})).await;
        let catalog =
            json!({"name": "c", "type": "relational", "provider": "lakehouse-iceberg", "properties": {}});
        call("POST", &format!("{TREE}/catalogs"), catalog).await;
        call(
            "POST",
            &format!("{TREE}/catalogs/c/schemas"),
            json!({"name": "s"}),
        )
        .await;
        for table in ["open", "restricted"] {
            let columns: Vec<Value> = (0..COLUMNS)
                .map(|number| json!({"name": format!("column_{number:02}"), "type": "string", "nullable": true}))
                .collect();
            let table = json!({"name": table, "columns": columns, "properties": {}});
            call("POST", &format!("{TREE}/catalogs/c/schemas/s/tables"), table).await;
        }
        for (tag, kind, object, policy, expression) in [
            (
                "region",
                "table",
                "c.s.restricted",
                "row_filter",
                r#"filter := col("column_00") == "eu""#,
            ),
            (
                "pii",
                "column",
                "c.s.restricted.column_01",
                "column_mask",
                r#"mask := action("mask-alphanum")"#,
            ),
            (
                "secret",
                "column",
                "c.s.restricted.column_02",
                "column_mask",
                r#"mask := action("replace-with-null")"#,
            ),
        ] {
            call("POST", &format!("{TREE}/tags"), json!({"name": tag})).await;
            let tags = format!("{TREE}/objects/{kind}/{object}/tags");
            let body = json!({"tagsToAdd": [{"name": tag}]});
            scene.call("POST", &tags, Some(VALUED_TAGS), body).await;
            let name = format!("{tag}-policy");
            let policy = json!({
                "name": name,
                "policyType": format!("system_{policy}"),
                "enabled": false,
                "content": {"expression": expression},
            });
            call("POST", &format!("{TREE}/policies"), policy).await;
            let binding = format!("{TREE}/tags/{tag}/policies/{name}");
            call("PUT", &binding, json!({"selector": {"type": "ALL_VALUES"}})).await;
            call(
                "PATCH",
                &format!("{TREE}/policies/{name}"),
                json!({"enable": true}),
            )
            .await;
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

    async fn load(&self, table: &str, tag: Option<&str>) -> reqwest::Response {
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

    /// Loads a table as a whole.
    async fn load_whole(&self, table: &str) -> Value {
        let answer = self.load(table, None).await;
        assert_eq!(answer.status(), 200);
        let bytes = answer.bytes().await.unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }
}

pub(crate) async fn run() {
    let tables = Tables::start().await;
    assert!(tables.load_whole("open").await["read-restrictions"].is_null());
    assert!(tables.load_whole("restricted").await["read-restrictions"].is_object());
    let whole = async |table: &str| {
        let answer = tables.load(table, None).await;
        assert_eq!(answer.status(), 200);
        answer.bytes().await.unwrap();
    };
    compare(async || whole("restricted").await, async || whole("open").await)
        .await
        .print("loadTable", ["restricted", "unrestricted"], "at most 1.1");
    let tag = tables.load("restricted", None).await.headers()[ETAG]
        .to_str()
        .unwrap()
        .to_owned();
    compare(
        async || assert_eq!(tables.load("restricted", Some(&tag)).await.status(), 304),
        async || whole("restricted").await,
    )
    .await
    .print("loadTable", ["304", "200"], "below 1");
    tables.scene.server.stop().await;
}
