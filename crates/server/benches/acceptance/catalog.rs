// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the Iceberg catalog costs: each request against the empty route of the same server, alone and with every core busy;
//! a commit of ten tables against a commit of one; and the memory of a catalog of a hundred thousand tables.
//!
//! The empty route is `/health/live`: nobody is authenticated, nothing is read, and the answer is always the same. All else
//! is asked with authorization and read restrictions on. The metadata of the tables keeps one earlier version in its log, so
//! that the last commit of a run costs what the first does.

use lakeward_metadata::kind::ObjectKind;
use reqwest::header::{ETAG, IF_NONE_MATCH};
use serde_json::{Value, json};

use crate::measure::{compare, size};
use crate::memory::{print, resident};
use crate::scene::{ALL, Scene, create};
use crate::throughput::{CONNECTIONS, Repeated, compare_rates};
use crate::writer::{Keeping, write_snapshot};

const TABLES: &str = "/iceberg/v1/c/namespaces/s/tables";
const TRANSACTION: &str = "/iceberg/v1/c/transactions/commit";
/// How many tables change together.
const TOGETHER: usize = 10;
/// How many tables one answer lists.
const PAGE: usize = 100;

/// A small table, as engines make them.
async fn add(scene: &Scene, name: &str) -> Value {
    let fields: Vec<Value> = (1..=10)
        .map(|id| json!({"id": id, "name": format!("column_{id}"), "required": false, "type": "string"}))
        .collect();
    let table = json!({"name": name, "schema": {"type": "struct", "schema-id": 0, "fields": fields},
        "properties": {"write.metadata.previous-versions-max": "1"}});
    scene.call("POST", TABLES, None, table).await
}

/// What sets a property to something new.
fn updates(number: u64) -> Value {
    json!([{"action": "set-properties", "updates": {"number": number.to_string()}}])
}

/// Requests by `root`.
#[derive(Clone)]
struct Asking {
    client: reqwest::Client,
    base: String,
}

impl Asking {
    fn get(&self, path: &str) -> reqwest::RequestBuilder {
        self.client
            .get(format!("{}{path}", self.base))
            .basic_auth("root", Some("-"))
    }

    fn post(&self, path: &str, body: &Value) -> reqwest::RequestBuilder {
        self.client
            .post(format!("{}{path}", self.base))
            .basic_auth("root", Some("-"))
            .header("Content-Type", "application/json")
            .body(body.to_string())
    }

    /// A GET that is always the same.
    fn getting(&self, path: String) -> Repeated {
        let asking = self.clone();
        Repeated::new(200, move |_, _| asking.get(&path))
    }
}

pub(crate) async fn run() {
    let scene = Scene::start(true).await;
    scene.tree().await;
    let asking = Asking {
        client: scene.client.clone(),
        base: format!("http://{}", scene.server.native_addr),
    };
    let made = add(&scene, "small").await["metadata"].clone();
    let commit = write_snapshot(&made, 1, "append", Keeping::Everything, None).await;
    scene.call("POST", &format!("{TABLES}/small"), None, commit).await;
    // Each connection commits to a table of its own: what is measured is the server, not the lost races.
    for number in 0..CONNECTIONS.max(PAGE) {
        add(&scene, &format!("t{number}")).await;
    }
    let small = format!("{TABLES}/small");
    let loaded = asking.get(&small).send().await.unwrap();
    let tag = loaded.headers()[ETAG].clone();

    let empty = {
        let (client, url) = (
            scene.client.clone(),
            format!("http://{}/health/live", scene.server.native_addr),
        );
        Repeated::new(200, move |_, _| client.get(&url))
    };
    let one = {
        let asking = asking.clone();
        Repeated::new(200, move |connection, number| {
            let commit = json!({"requirements": [], "updates": updates(number)});
            asking.post(&format!("{TABLES}/t{connection}"), &commit)
        })
    };
    let (get, plan) = (asking.clone(), asking.clone());
    let (unchanged, planned) = (small.clone(), format!("{small}/plan"));
    let requests = [
        ("loadTable", asking.getting(small)),
        (
            "loadTable answered 304",
            Repeated::new(304, move |_, _| {
                get.get(&unchanged).header(IF_NONE_MATCH, tag.clone())
            }),
        ),
        ("commit", one.clone()),
        (
            "list of a page of 100 tables",
            asking.getting(format!("{TABLES}?pageToken=&pageSize={PAGE}")),
        ),
        (
            "plan of a table of one file",
            Repeated::new(200, move |_, _| plan.post(&planned, &json!({}))),
        ),
    ];
    for (name, asked) in &requests {
        compare(async || asked.ask(0).await, async || empty.ask(0).await)
            .await
            .print(name, ["asked", "empty route"], "none, stated");
    }
    let together = Repeated::new(204, move |_, number| {
        let changes: Vec<Value> = (0..TOGETHER)
            .map(|table| {
                let identifier = json!({"namespace": ["s"], "name": format!("t{table}")});
                json!({"identifier": identifier, "requirements": [], "updates": updates(number)})
            })
            .collect();
        asking.post(TRANSACTION, &json!({"table-changes": changes}))
    });
    compare(async || together.ask(0).await, async || one.ask(TOGETHER).await)
        .await
        .print(
            "commit of several tables",
            [&format!("{TOGETHER} together"), "one alone"],
            "at most 2",
        );
    for (name, asked) in &requests {
        compare_rates(name, asked, &empty).await;
    }
    scene.server.stop().await;
}

/// The growth of a server that lists all tables of a catalog of a hundred thousand and loads a thousand of them.
pub(crate) async fn run_memory() {
    let many = size(100_000);
    let scene = Scene::start(true).await;
    let (metalake, _, schema) = scene.tree().await;
    add(&scene, "first").await;
    let store = scene.server.app.operations.store();
    let first = {
        let mut snapshot = store.snapshot().await.unwrap();
        let row = snapshot.child(schema, ObjectKind::Table, "first").await.unwrap();
        snapshot
            .table_pointer(row.unwrap().object.id)
            .await
            .unwrap()
            .unwrap()
    };
    let before_rows = resident();
    let mut write = store.write(metalake, ALL, "root").await.unwrap();
    for number in 0..many {
        let name = format!("table_{number:06}");
        let table = create(&mut write, schema, ObjectKind::Table, &name).await;
        // They share a file, which is held once: documents that were read are in a cache of bounded size.
        write
            .set_table_pointer(
                table,
                &first.metadata_location,
                &first.table_uuid,
                first.metadata_digest.as_deref().unwrap(),
            )
            .await
            .unwrap();
    }
    write.commit().await.unwrap();
    let before = resident();
    let base = format!("http://{}{TABLES}", scene.server.native_addr);
    let loaded = many / 100;
    // Once for what an answer needs while it is made, once more for what stays.
    for _ in 0..2 {
        list_all(&scene, &base, many + 1).await;
        for number in 0..loaded {
            let table = format!("{base}/table_{:06}", number * 100);
            scene.get(&table, "root").await;
        }
    }
    let after = resident();
    print(
        &format!("{many} tables of a catalog, all listed and {loaded} loaded"),
        many,
        before,
        after,
    );
    print("the same from before their creation", many, before_rows, after);
    scene.server.stop().await;
}

/// Lists page by page.
async fn list_all(scene: &Scene, base: &str, expected: usize) {
    let mut token = String::new();
    let mut listed = 0;
    loop {
        let query = [("pageSize", "1000"), ("pageToken", token.as_str())];
        let request = scene.client.get(base).query(&query);
        let answer = request.basic_auth("root", Some("-")).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        let page: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
        listed += page["identifiers"].as_array().unwrap().len();
        match page["next-page-token"].as_str() {
            Some(next) => next.clone_into(&mut token),
            None => break,
        }
    }
    assert_eq!(listed, expected);
}
