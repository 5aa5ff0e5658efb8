// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The recorded matrix of the original over HTTP: each caller makes each operation, and is let through or refused as
//! recorded. As in the matrix of our own (`matrix`) the metalake is switched off and bodies are malformed, so that
//! whoever is let through changes nothing.

use std::collections::BTreeMap;

use futures::stream::{self, StreamExt};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use serde_json::json;

use crate::harness::{ADMIN, Server, StoreEngine, grant, role, speaks_of};
use crate::recording::{self, Cell, Comparison};

const OPERATIONS: &str = include_str!("../../../../fixtures/authorization/operations.tsv");

/// The objects that the recording names; parents come first. What was dropped in it is called `other`.
const OBJECTS: &[(ObjectKind, &str)] = &[
    (ObjectKind::Catalog, "files"),
    (ObjectKind::Schema, "files.s1"),
    (ObjectKind::Schema, "files.other"),
    (ObjectKind::Fileset, "files.s1.f1"),
    (ObjectKind::Fileset, "files.s1.other"),
    (ObjectKind::Catalog, "ice"),
    (ObjectKind::Schema, "ice.db1"),
    (ObjectKind::Schema, "ice.other"),
    (ObjectKind::Table, "ice.db1.t1"),
    (ObjectKind::Table, "ice.db1.other"),
    (ObjectKind::View, "ice.db1.vfix"),
    (ObjectKind::View, "ice.db1.other_view"),
    (ObjectKind::Function, "ice.db1.add_one"),
    (ObjectKind::Function, "ice.db1.other_function"),
    (ObjectKind::Catalog, "models"),
    (ObjectKind::Schema, "models.s1"),
    (ObjectKind::Model, "models.s1.m1"),
    (ObjectKind::Model, "models.s1.other"),
    (ObjectKind::Catalog, "kaf"),
    (ObjectKind::Schema, "kaf.default"),
    (ObjectKind::Topic, "kaf.default.t1"),
    (ObjectKind::Topic, "kaf.default.other"),
    (ObjectKind::Catalog, "other"),
    (ObjectKind::Tag, "pii"),
    (ObjectKind::Tag, "other_tag"),
    (ObjectKind::Policy, "ret"),
    (ObjectKind::Policy, "other_policy"),
    (ObjectKind::Role, "reader"),
    (ObjectKind::Role, "other_role"),
    (ObjectKind::JobTemplate, "ok"),
    (ObjectKind::JobTemplate, "other_template"),
];

/// One operation: method, path below the metalake, body.
type Operation = (&'static str, &'static str, &'static str);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_are_those_of_the_original_but_for_listed_differences() {
    let server = Server::start(StoreEngine::Sqlite, "on").await;
    let ids = server.insert(OBJECTS).await;
    let operations: BTreeMap<&str, Operation> = recording::rows(OPERATIONS)
        .map(|row| (row[0], (row[1], row[2], row[3])))
        .collect();
    let cells = recording::cells();
    let callers: Vec<&[Cell]> = cells
        .chunk_by(|one, other| one.persona == other.persona)
        .collect();
    for (number, caller) in callers.iter().enumerate() {
        enter(&server, &format!("p{number}"), caller[0].holds).await;
    }
    let body = json!({"inUse": false});
    server.call(ADMIN, "PATCH", "/metalakes/m", body).await.is(200);
    let mut comparison = Comparison::default();
    for (number, caller) in callers.iter().enumerate() {
        let user = format!("p{number}");
        let owned = owned(caller[0].holds, &ids);
        match owned {
            Owned::Nothing => {}
            Owned::Metalake => server.give(server.metalake().await, &user).await,
            Owned::Object(id) => server.give(id, &user).await,
        }
        let answers: Vec<bool> = stream::iter(caller.iter())
            .map(|cell| is_let_through(&server, &user, operations[cell.operation.as_str()]))
            .buffered(4)
            .collect()
            .await;
        for (cell, ours) in caller.iter().zip(answers) {
            comparison.add(cell, ours);
        }
        match owned {
            Owned::Nothing => {}
            Owned::Metalake => server.give(server.metalake().await, ADMIN).await,
            Owned::Object(id) => server.disown(id).await,
        }
    }
    comparison.end();
}

/// What a caller owns.
#[derive(Debug, Clone, Copy)]
enum Owned {
    Nothing,
    Metalake,
    Object(ObjectId),
}

fn owned(holds: &str, ids: &[ObjectId]) -> Owned {
    match holds.split(", ").find_map(|part| part.strip_prefix("own ")) {
        None => Owned::Nothing,
        Some("m") => Owned::Metalake,
        Some(name) => {
            let index = OBJECTS.iter().position(|(_, other)| *other == name);
            Owned::Object(ids[index.expect("an object of the recording")])
        }
    }
}

/// Adds a user and a role for each thing that it holds.
async fn enter(server: &Server, user: &str, holds: &str) {
    let body = json!({"name": user});
    server
        .call(ADMIN, "POST", "/metalakes/m/users", body)
        .await
        .is(200);
    let said = holds.split(", ").filter_map(|part| part.split_once('@'));
    let mut roles = Vec::new();
    for (number, (privilege, name)) in said.enumerate() {
        let kind = OBJECTS.iter().find(|(_, other)| *other == name);
        let kind = kind.map_or(ObjectKind::Metalake, |(kind, _)| *kind);
        let of_user = format!("{user}_{number}");
        role(
            server,
            &of_user,
            json!([speaks_of(kind.as_str(), name, &[privilege])]),
        )
        .await;
        roles.push(of_user);
    }
    if !roles.is_empty() {
        grant(
            server,
            user,
            &roles.iter().map(String::as_str).collect::<Vec<_>>(),
        )
        .await;
    }
}

async fn is_let_through(server: &Server, user: &str, (method, path, body): Operation) -> bool {
    let path = format!("/api/metalakes/m{path}");
    let body = (!body.is_empty()).then(|| body.to_owned());
    let answer = server.send(user, method, &path, body, None).await;
    let refused = answer.status == 403;
    let nothing = answer.body["dropped"] == json!(false) || answer.body["removed"] == json!(false);
    assert!(
        method == "GET" || answer.status >= 400 || nothing,
        "{method} {path} as `{user}` was meant to change nothing: {answer:?}"
    );
    assert!(
        answer.status != 401 && answer.status < 500,
        "{method} {path}: {answer:?}"
    );
    !refused
}
