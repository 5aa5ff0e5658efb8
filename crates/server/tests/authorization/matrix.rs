// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who may ask what: every persona against every mounted route, over HTTP.
//!
//! The metalake is switched off and bodies that carry no targets are malformed, so that whoever is authorized is
//! stopped right after the decision: a request that is not refused changes nothing. `+` is "not refused", `-` is 403.

use std::collections::{BTreeMap, BTreeSet};

use futures::stream::{self, StreamExt};
use lakeward_authorization::Privilege;
use lakeward_metadata::kind::ObjectKind;
use lakeward_server::http::routes::Mounted;
use lakeward_server::listing::all_routes;
use serde_json::{Value, json};

use crate::golden;
use crate::harness::{ADMIN, Server, StoreEngine};
use crate::page;
use crate::personas::{OBJECTS, Persona, kind_of, personas};
use crate::requirements::NOT_YET;

/// What makes another demand of a route: method and end of its path, what to call it, query, body.
const VARIANTS: &[(&str, &str, &str, &str, &str)] = &[
    (
        "POST",
        "/objects/{type}/{fullName}/tags",
        "adding tag g",
        "",
        r#"{"tagsToAdd": ["g"]}"#,
    ),
    (
        "POST",
        "/objects/{type}/{fullName}/policies",
        "adding policy p",
        "",
        r#"{"policiesToAdd": ["p"]}"#,
    ),
    (
        "POST",
        "/catalogs/{catalog}/testConnection",
        "with changes",
        "",
        r#"{"updates": []}"#,
    ),
    (
        "POST",
        "/read-restrictions/explain",
        "previewing policy p",
        "",
        r#"{"policies": ["p"]}"#,
    ),
    (
        "POST",
        "/read-restrictions/explain",
        "with a draft",
        "",
        r#"{"drafts": [{"name": "new", "policyType": "system_row_filter", "content": {"expression": "filter := true"}}]}"#,
    ),
    (
        "POST",
        "/read-restrictions/explain",
        "with a draft on tag g",
        "",
        r#"{"drafts": [{"name": "new", "policyType": "system_row_filter", "content": {"expression": "filter := true"},
            "tags": [{"tag": "g"}]}]}"#,
    ),
    (
        "POST",
        "/read-restrictions/explain",
        "with a draft in place of policy p",
        "",
        r#"{"drafts": [{"name": "p", "policyType": "system_row_filter", "content": {"expression": "filter := true"}}]}"#,
    ),
    ("POST", "/access/explain", "about oneself", "", "{}"),
    (
        "POST",
        "/access/explain",
        "about another",
        "",
        r#"{"user": "somebody"}"#,
    ),
    (
        "POST",
        "/read-restrictions/impact",
        "of policy p",
        "",
        r#"{"policy": "p"}"#,
    ),
    (
        "POST",
        "/read-restrictions/impact",
        "of a draft",
        "",
        r#"{"policy": "new", "drafts": [
            {"name": "new", "policyType": "system_row_filter", "content": {"expression": "filter := true"}}]}"#,
    ),
    (
        "POST",
        "/read-restrictions/impact",
        "of tag g",
        "",
        r#"{"tag": "g"}"#,
    ),
    (
        "POST",
        "/read-restrictions/impact",
        "of tag g on table c.s.t",
        "",
        r#"{"tag": "g", "object": {"type": "table", "fullName": "c.s.t"}}"#,
    ),
    (
        "POST",
        "/jobs/runs",
        "of template j",
        "",
        r#"{"jobTemplateName": "j"}"#,
    ),
    (
        "GET",
        "/schemas/{schema}/tables/{table}",
        "to modify",
        "?privileges=MODIFY_TABLE",
        "",
    ),
    (
        "PUT",
        "/schemas/{schema}/tables/{table}",
        "to schema s2",
        "",
        r#"{"updates": [{"@type": "rename", "newName": "t", "newSchemaName": "s2"}]}"#,
    ),
    (
        "POST",
        "/namespaces/{namespace}/tables/{table}",
        "creating",
        "",
        r#"{"requirements": [{"type": "assert-create"}], "updates": []}"#,
    ),
    (
        "POST",
        "/transactions/commit",
        "to t",
        "",
        r#"{"table-changes": [{"identifier": {"namespace": ["s"], "name": "t"}}]}"#,
    ),
    (
        "POST",
        "/transactions/commit",
        "to t and creating s2.x",
        "",
        r#"{"table-changes": [{"identifier": {"namespace": ["s"], "name": "t"}}, {"identifier": {"namespace": ["s2"],
            "name": "x"}, "requirements": [{"type": "assert-create"}]}]}"#,
    ),
    (
        "POST",
        "/tables/rename",
        "within namespace s",
        "",
        r#"{"source": {"namespace": ["s"], "name": "t"}, "destination": {"namespace": ["s"], "name": "x"}}"#,
    ),
    (
        "POST",
        "/tables/rename",
        "to namespace s2",
        "",
        r#"{"source": {"namespace": ["s"], "name": "t"}, "destination": {"namespace": ["s2"], "name": "x"}}"#,
    ),
    (
        "POST",
        "/views/rename",
        "within namespace s",
        "",
        r#"{"source": {"namespace": ["s"], "name": "v"}, "destination": {"namespace": ["s"], "name": "x"}}"#,
    ),
    (
        "POST",
        "/views/rename",
        "to namespace s2",
        "",
        r#"{"source": {"namespace": ["s"], "name": "v"}, "destination": {"namespace": ["s2"], "name": "x"}}"#,
    ),
];

/// One row of the matrix.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) label: String,
    method: String,
    path: String,
    body: Option<String>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_persona_against_every_route() {
    let server = Server::start(StoreEngine::Sqlite, "on").await;
    let routes = all_routes();
    let personas = personas(&held());
    let ids = prepare(&server, &personas).await;
    let asks: Vec<Ask> = routes.mounted().iter().flat_map(of_mounted).collect();
    let mut columns = vec![
        ("no identity".to_owned(), column(&server, "", &asks).await),
        ("outsider".to_owned(), column(&server, "outsider", &asks).await),
        ("suspended owner of c".to_owned(), {
            server.give(ids[0], "suspended").await;
            column(&server, "suspended", &asks).await
        }),
    ];
    server.disown(ids[0]).await;
    for (number, persona) in personas.iter().enumerate() {
        let user = format!("p{number}");
        let owned = match persona.owns {
            Some("m") => Some(server.metalake().await),
            Some(name) => OBJECTS
                .iter()
                .position(|(_, other)| *other == name)
                .map(|index| ids[index]),
            None => None,
        };
        if let Some(owned) = owned {
            server.give(owned, &user).await;
        }
        columns.push((persona.label.clone(), column(&server, &user, &asks).await));
        match (persona.owns, owned) {
            (Some("m"), Some(metalake)) => server.give(metalake, ADMIN).await,
            (_, Some(owned)) => server.disown(owned).await,
            (_, None) => {}
        }
    }
    columns.push((
        "service administrator, owner of m".to_owned(),
        column(&server, ADMIN, &asks).await,
    ));
    golden::check("matrix.golden", &text(&asks, &columns));
    golden::check_at(
        "docs/who-may-call-what.md",
        &page::page(&rows(&asks, &columns), &columns),
    );
}

/// The document says which routes there are; whoever has nothing asks each of them and gets what the matrix says.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stranger_gets_of_every_documented_route_what_the_matrix_says() {
    if golden::is_written() {
        return;
    }
    let server = Server::start(StoreEngine::Sqlite, "on").await;
    let stranger = personas(&BTreeSet::new())
        .into_iter()
        .find(|persona| persona.label == "member")
        .expect("somebody without grants");
    prepare(&server, &[stranger]).await;
    let document = server.send("", "GET", "/openapi.json", None, None).await;
    let paths = document.body["paths"].as_object().expect("paths").clone();
    let mut asks = Vec::new();
    for (template, operations) in &paths {
        for method in operations.as_object().expect("operations").keys() {
            asks.extend(asks_of(template, &method.to_ascii_uppercase()));
        }
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/authorization/matrix.golden");
    let golden = std::fs::read_to_string(file).expect("the matrix");
    for (user, label) in [("p0", "member"), ("outsider", "outsider"), ("", "no identity")] {
        let expected = golden_column(&golden, label);
        let cells = column(&server, user, &asks).await;
        let found: BTreeMap<String, char> = asks
            .iter()
            .map(|ask| ask.label.clone())
            .zip(cells.chars())
            .collect();
        let differs = |(row, cell): &(&String, &char)| expected.get(*row) != Some(*cell);
        let new: Vec<_> = found.iter().filter(differs).collect();
        let gone: Vec<_> = expected.keys().filter(|row| !found.contains_key(*row)).collect();
        assert!(
            new.is_empty() && gone.is_empty(),
            "{label}: not as in the matrix {new:?}, not in the document {gone:?}"
        );
    }
}

/// One column of the golden matrix: what each request gets.
fn golden_column(golden: &str, label: &str) -> BTreeMap<String, char> {
    let heads = golden.lines().filter_map(|line| line.strip_prefix("# "));
    let number = heads
        .filter_map(|head| head.trim_start().split_once(' '))
        .filter_map(|(number, name)| Some((number.parse::<usize>().ok()?, name)))
        .find(|(_, name)| *name == label)
        .map(|(number, _)| number - 1)
        .expect("a column of that name");
    golden
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(' '))
        .map(|(cells, row)| (row.to_owned(), cells.chars().nth(number).expect("a cell")))
        .collect()
}

/// The privileges that personas hold: those of kinds that are served.
fn held() -> BTreeSet<Privilege> {
    let all = Privilege::ALL.iter().copied();
    all.filter(|privilege| !privilege.is_alias() && !NOT_YET.contains(privilege))
        .collect()
}

/// Makes the tree, the users and their roles; then switches the metalake off. Gives the ids of the objects.
async fn prepare(server: &Server, personas: &[Persona]) -> Vec<lakeward_metadata::id::ObjectId> {
    let ids = server.insert(OBJECTS).await;
    let users =
        std::iter::once("suspended".to_owned()).chain((0..personas.len()).map(|number| format!("p{number}")));
    for user in users {
        let enabled = user != "suspended";
        let body = json!({"name": user, "enabled": enabled});
        server
            .call(ADMIN, "POST", "/metalakes/m/users", body)
            .await
            .is(200);
    }
    for (number, persona) in personas.iter().enumerate() {
        let mut roles = Vec::new();
        for (suffix, condition, pairs) in [("a", "ALLOW", &persona.allowed), ("d", "DENY", &persona.denied)] {
            if pairs.is_empty() {
                continue;
            }
            let name = format!("p{number}{suffix}");
            let body = json!({"name": name, "securableObjects": securable_objects(pairs, condition)});
            server
                .call(ADMIN, "POST", "/metalakes/m/roles", body)
                .await
                .is(200);
            roles.push(name);
        }
        if !roles.is_empty() {
            let path = format!("/metalakes/m/permissions/users/p{number}/grant");
            server
                .call(ADMIN, "PUT", &path, json!({"roleNames": roles}))
                .await
                .is(200);
        }
    }
    server
        .call(ADMIN, "PATCH", "/metalakes/m", json!({"inUse": false}))
        .await
        .is(200);
    ids
}

fn securable_objects(pairs: &[(Privilege, &str)], condition: &str) -> Vec<Value> {
    let names: BTreeSet<&str> = pairs.iter().map(|(_, name)| *name).collect();
    let said = |name: &str| {
        let privileges: Vec<Value> = pairs
            .iter()
            .filter(|(_, other)| *other == name)
            .map(|(privilege, _)| json!({"name": privilege.as_str(), "condition": condition}))
            .collect();
        json!({"type": kind_of(name).as_str(), "fullName": name, "privileges": privileges})
    };
    names.into_iter().map(said).collect()
}

fn of_mounted(mounted: &Mounted) -> Vec<Ask> {
    let template = format!("{}{}", mounted.tree.base(), mounted.path);
    asks_of(&template, mounted.method.as_str())
}

/// The requests that a route stands for: with each kind of object that it can name, and with each body that matters.
fn asks_of(template: &str, method: &str) -> Vec<Ask> {
    let objects: Vec<(ObjectKind, &str)> = if template.contains("{type}") {
        std::iter::once((ObjectKind::Metalake, "m"))
            .chain(OBJECTS.iter().copied())
            .collect()
    } else {
        vec![(ObjectKind::Table, "c.s.t")]
    };
    let reads = method == "GET" || method == "HEAD";
    let mut asks = Vec::new();
    for (kind, name) in objects {
        let path = fill(template, kind, name);
        let mut ask = |label: &str, query: &str, body: Option<&str>| {
            let object = if template.contains("{type}") {
                path.as_str()
            } else {
                template
            };
            asks.push(Ask {
                label: format!("{object} {method}{label}"),
                method: method.to_owned(),
                path: format!("{path}{query}"),
                body: body.map(str::to_owned),
            });
        };
        ask("", "", (!reads).then_some("{"));
        for (of_method, end, label, query, body) in VARIANTS {
            if method == *of_method && template.ends_with(end) {
                ask(&format!(" ({label})"), query, (!body.is_empty()).then_some(body));
            }
        }
    }
    asks
}

/// Puts names for the parameters of a path.
fn fill(template: &str, kind: ObjectKind, name: &str) -> String {
    let segment = |segment: &str| {
        match segment {
            "{metalake}" => "m",
            "{catalog}" | "{prefix}" => "c",
            "{schema}" | "{namespace}" => "s",
            "{table}" => "t",
            "{view}" => "v",
            "{model}" => "n",
            "{function}" => "f",
            "{version}" => "0",
            "{fileset}" => "fs",
            "{tag}" => "g",
            "{policy}" => "p",
            "{role}" => "r",
            "{jobTemplate}" => "j",
            "{job}" => "job-1",
            "{user}" => "somebody",
            "{group}" => "some group",
            "{type}" => kind.as_str(),
            "{fullName}" => name,
            parameter if parameter.starts_with('{') => "x",
            literal => literal,
        }
        .replace(' ', "%20")
    };
    template.split('/').map(segment).collect::<Vec<_>>().join("/")
}

/// Whether an answer with status 200 says that nothing was done: there was nothing to remove, or an error is inside.
fn did_nothing(body: &Value) -> bool {
    body["code"].as_i64().is_some_and(|code| code != 0)
        || [&body["removed"], &body["dropped"]].contains(&&json!(false))
}

/// What one caller gets for each request.
async fn column(server: &Server, user: &str, asks: &[Ask]) -> String {
    let answers = stream::iter(asks)
        .map(|ask| async move {
            let answer = server
                .send(user, &ask.method, &ask.path, ask.body.clone(), None)
                .await;
            let changes = ask.method != "GET"
                && ask.method != "HEAD"
                && answer.status < 300
                && !did_nothing(&answer.body);
            assert!(
                !changes,
                "{} as `{user}` was meant to change nothing: {:?}",
                ask.label, answer
            );
            match answer.status {
                401 => '?',
                403 => '-',
                _ => '+',
            }
        })
        .buffered(4);
    answers.collect().await
}

fn text(asks: &[Ask], columns: &[(String, String)]) -> String {
    let mut lines = vec![
        "# Who may ask what. One column per persona, in this order; + is allowed, - is 403, ? is 401."
            .to_owned(),
        "# U is USE_CATALOG and USE_SCHEMA on the metalake. Written by UPDATE_EXPECT=1.".to_owned(),
    ];
    for (number, (label, _)) in columns.iter().enumerate() {
        lines.push(format!("# {:3} {label}", number + 1));
    }
    lines.extend(
        rows(asks, columns)
            .into_iter()
            .map(|(label, cells)| format!("{cells} {label}")),
    );
    lines.join("\n") + "\n"
}

/// Each request with its cell of every column, in the order of the requests' names.
fn rows(asks: &[Ask], columns: &[(String, String)]) -> Vec<(String, String)> {
    let mut rows: Vec<(String, String)> = asks
        .iter()
        .enumerate()
        .map(|(row, ask)| {
            let cells = columns.iter().filter_map(|(_, cells)| cells.chars().nth(row));
            (ask.label.clone(), cells.collect())
        })
        .collect();
    rows.sort();
    rows
}
