// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Many clients at once: what was granted holds with the next request, what was taken away is gone with it, nothing of what
//! others change gets lost, and nobody meets a failure of the server.
//!
//! Half of the clients change something of their own and look at once whether it holds; the other half read what those
//! change. `LAKEWARD_CONCURRENCY_ROUNDS` makes it last.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::harness::{ADMIN, NONE, Server, StoreEngine};

const M: &str = "/metalakes/m";
const SCHEMA: &str = "/metalakes/m/catalogs/c/schemas/s";
/// How many clients change, and how many read.
const HALF: usize = 32;
/// How many rounds each of the changing clients makes, unless the environment says more.
const ROUNDS: usize = 1;

/// One changing client: a user, a group and a role of its own, and a table that nobody else touches.
struct Client {
    server: Arc<Server>,
    number: usize,
    table: String,
}

impl Client {
    async fn change(&self, method: &str, path: &str, body: Value) {
        // Whatever is decided while others change may be overtaken; a client of the original repeats it.
        let mut attempts = 0;
        loop {
            let answer = self.server.call(ADMIN, method, path, body.clone()).await;
            if answer.status == 200 {
                return;
            }
            attempts += 1;
            let is_overtaken = answer.status == 409 && attempts < 50;
            assert!(
                is_overtaken,
                "{method} {path}: {} {} at the attempt {attempts}",
                answer.status, answer.body
            );
        }
    }

    /// What the user of this client gets for its table; no round trip lies between a change and this question.
    async fn reads(&self, expected: u16, after: &str) {
        let path = format!("{SCHEMA}/tables/{}", self.table);
        let answer = self
            .server
            .call(&format!("u{}", self.number), "GET", &path, NONE)
            .await;
        assert_eq!(
            answer.status, expected,
            "u{} after {after}: {}",
            self.number, answer.body
        );
    }

    async fn privilege(&self, verb: &str, privilege: &str, condition: &str) {
        let path = format!(
            "{M}/permissions/roles/r{}/table/c.s.{}/{verb}",
            self.number, self.table
        );
        let body = json!({"privileges": [{"name": privilege, "condition": condition}]});
        self.change("PUT", &path, body).await;
    }

    async fn roles(&self, of: &str, verb: &str, role: &str) {
        let path = format!("{M}/permissions/{of}/{verb}");
        self.change("PUT", &path, json!({"roleNames": [role]})).await;
    }

    async fn round(&mut self, round: usize) {
        let number = self.number;
        let user = format!("users/u{number}");
        let group = format!("groups/g{number}");
        let role = format!("r{number}");
        self.reads(403, "nothing").await;
        // A privilege of a role that is held.
        self.roles(&user, "grant", &role).await;
        self.reads(403, "a role that says nothing").await;
        self.privilege("grant", "SELECT_TABLE", "ALLOW").await;
        self.reads(200, "an ALLOW").await;
        self.privilege("grant", "MODIFY_TABLE", "DENY").await;
        self.reads(200, "a DENY of the sibling").await;
        // A denial through a group.
        let no = format!("no{number}");
        self.roles(&group, "grant", &no).await;
        self.reads(200, "a denial in a group of others").await;
        let members = format!("/idp/groups/g{number}/users");
        self.change("PUT", &members, json!({"usersToAdd": [format!("u{number}")]}))
            .await;
        self.reads(403, "joining a denied group").await;
        self.change("PUT", &members, json!({"usersToRemove": [format!("u{number}")]}))
            .await;
        self.reads(200, "leaving it").await;
        self.roles(&group, "revoke", &no).await;
        // A rename keeps what is granted; a new table of the old name has nothing of it.
        let old = std::mem::replace(&mut self.table, format!("t{number}_{round}"));
        let rename = json!({"updates": [{"@type": "rename", "newName": self.table}]});
        self.change("PUT", &format!("{SCHEMA}/tables/{old}"), rename)
            .await;
        self.reads(200, "a rename").await;
        self.change("DELETE", &format!("{SCHEMA}/tables/{}", self.table), NONE)
            .await;
        self.change("POST", &format!("{SCHEMA}/tables"), table(&self.table))
            .await;
        self.reads(403, "a table of the same name").await;
        self.privilege("grant", "SELECT_TABLE", "ALLOW").await;
        self.reads(200, "another ALLOW").await;
        // What a suspended user may do.
        self.change("PUT", &format!("{M}/{user}"), json!({"enabled": false}))
            .await;
        self.reads(403, "a suspension").await;
        self.change("PUT", &format!("{M}/{user}"), json!({"enabled": true}))
            .await;
        self.reads(200, "its end").await;
        self.privilege("revoke", "SELECT_TABLE", "ALLOW").await;
        self.reads(403, "a revocation").await;
        self.roles(&user, "revoke", &role).await;
        // Something that all of them change.
        let shared = format!("{M}/permissions/roles/shared/table/c.s.{}/grant", self.table);
        let body = json!({"privileges": [{"name": "SELECT_TABLE", "condition": "ALLOW"}]});
        self.change("PUT", &shared, body).await;
        let property = json!({"updates": [{"@type": "setProperty", "property": format!("p{number}_{round}"), "value": "1"}]});
        self.change("PUT", &format!("{SCHEMA}/tables/common"), property)
            .await;
    }
}

fn table(name: &str) -> Value {
    json!({"name": name, "columns": [{"name": "id", "type": "integer", "nullable": true}], "properties": {}})
}

async fn prepare(engine: StoreEngine) -> Server {
    let server = Server::start(engine, "accounts").await;
    let make = async |path: &str, body: Value| server.call(ADMIN, "POST", path, body).await.is(200);
    let catalog =
        json!({"name": "c", "type": "relational", "provider": "lakehouse-iceberg", "properties": {}});
    make(&format!("{M}/catalogs"), catalog).await;
    make(&format!("{M}/catalogs/c/schemas"), json!({"name": "s"})).await;
    make(&format!("{SCHEMA}/tables"), table("common")).await;
    let speaks = |privileges: &[(&str, &str)], kind: &str, name: &str| {
        let privileges: Vec<Value> = privileges
            .iter()
            .map(|(name, condition)| json!({"name": name, "condition": condition}))
            .collect();
        json!([{"type": kind, "fullName": name, "privileges": privileges}])
    };
    let way = speaks(
        &[("USE_CATALOG", "ALLOW"), ("USE_SCHEMA", "ALLOW")],
        "METALAKE",
        "m",
    );
    make(
        &format!("{M}/roles"),
        json!({"name": "way", "securableObjects": way}),
    )
    .await;
    make(
        &format!("{M}/roles"),
        json!({"name": "shared", "securableObjects": []}),
    )
    .await;
    for number in 0..HALF {
        let user = format!("u{number}");
        server.account(&user).await;
        make(&format!("{M}/users"), json!({"name": user})).await;
        make("/idp/groups", json!({"group": format!("g{number}")})).await;
        make(&format!("{M}/groups"), json!({"name": format!("g{number}")})).await;
        make(
            &format!("{M}/roles"),
            json!({"name": format!("r{number}"), "securableObjects": []}),
        )
        .await;
        let no = speaks(&[("SELECT_TABLE", "DENY")], "SCHEMA", "c.s");
        make(
            &format!("{M}/roles"),
            json!({"name": format!("no{number}"), "securableObjects": no}),
        )
        .await;
        make(&format!("{SCHEMA}/tables"), table(&format!("t{number}"))).await;
        let path = format!("{M}/permissions/users/{user}/grant");
        server
            .call(ADMIN, "PUT", &path, json!({"roleNames": ["way"]}))
            .await
            .is(200);
    }
    server
}

/// Reads whatever there is until the others are done; every answer is one, none is a failure.
async fn read(server: Arc<Server>, number: usize, is_done: Arc<AtomicBool>, answers: Arc<AtomicUsize>) {
    let user = format!("u{number}");
    let mut turn = number;
    while !is_done.load(Ordering::Relaxed) {
        turn += 1;
        let path = match turn % 4 {
            0 => format!("{SCHEMA}/tables"),
            1 => format!("{SCHEMA}/tables/t{}", turn % HALF),
            2 => format!("{M}/roles"),
            _ => format!("{M}/users/{user}/access"),
        };
        let answer = server.call(&user, "GET", &path, NONE).await;
        assert!(
            [200, 403, 404].contains(&answer.status),
            "{user} {path}: {} {}",
            answer.status,
            answer.body
        );
        answers.fetch_add(1, Ordering::Relaxed);
    }
}

mod changes_hold_at_once_for_everybody {
    use super::StoreEngine;

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn on_sqlite() {
        super::changes_hold_at_once_for_everybody(StoreEngine::Sqlite).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn on_postgresql() {
        if let Some(engine) = StoreEngine::postgres() {
            super::changes_hold_at_once_for_everybody(engine).await;
        }
    }
}

async fn changes_hold_at_once_for_everybody(engine: StoreEngine) {
    let rounds =
        std::env::var("LAKEWARD_CONCURRENCY_ROUNDS").map_or(ROUNDS, |text| text.parse().expect("a number"));
    let server = Arc::new(prepare(engine).await);
    let is_done = Arc::new(AtomicBool::new(false));
    let answers = Arc::new(AtomicUsize::new(0));
    let readers: Vec<_> = (0..HALF)
        .map(|number| {
            tokio::spawn(read(
                Arc::clone(&server),
                number,
                Arc::clone(&is_done),
                Arc::clone(&answers),
            ))
        })
        .collect();
    let changing: Vec<_> = (0..HALF)
        .map(|number| {
            let mut client = Client {
                server: Arc::clone(&server),
                number,
                table: format!("t{number}"),
            };
            tokio::spawn(async move {
                for round in 0..rounds {
                    client.round(round).await;
                }
                client.table
            })
        })
        .collect();
    let mut tables = Vec::new();
    for client in changing {
        tables.push(client.await.expect("every change holds"));
    }
    is_done.store(true, Ordering::Relaxed);
    for reader in readers {
        reader.await.expect("no failures");
    }
    assert!(answers.load(Ordering::Relaxed) > HALF);
    // Nothing that somebody added to what all of them changed is lost.
    let shared = server
        .call(ADMIN, "GET", &format!("{M}/roles/shared"), NONE)
        .await
        .is(200)
        .body;
    let said = shared["role"]["securableObjects"]
        .as_array()
        .expect("objects")
        .clone();
    let mut named: Vec<&str> = said
        .iter()
        .filter_map(|object| object["fullName"].as_str())
        .collect();
    named.sort_unstable();
    let mut expected: Vec<String> = tables.iter().map(|table| format!("c.s.{table}")).collect();
    expected.sort_unstable();
    assert_eq!(named, expected);
    let common = server
        .call(ADMIN, "GET", &format!("{SCHEMA}/tables/common"), NONE)
        .await
        .is(200)
        .body;
    let properties = common["table"]["properties"]
        .as_object()
        .expect("properties")
        .clone();
    for number in 0..HALF {
        for round in 0..rounds {
            let property = format!("p{number}_{round}");
            assert!(properties.contains_key(&property), "{property} is lost");
        }
    }
}
