// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A refusal tells a stranger nothing: whatever is asked about something that is hidden is answered as if it were not
//! there: the same status, headers and body, but for the names that the caller itself gave and the request's id.

use lakeward_server::listing::all_routes;
use serde_json::{Value, json};

use crate::harness::{ADMIN, Raw, Server, StoreEngine, grant, role, speaks_of};
use crate::on_each_store;

/// What exists and is hidden, and what does not exist: names of the same length, by the parameter of a path.
const NAMES: &[(&[&str], &str, &str)] = &[
    (&["catalog", "prefix"], "cat_hid", "cat_abs"),
    (&["schema", "namespace"], "sch_hid", "sch_abs"),
    (&["table"], "tab_hid", "tab_abs"),
    (&["view"], "viw_hid", "viw_abs"),
    (&["tag"], "tag_hid", "tag_abs"),
    (&["policy"], "pol_hid", "pol_abs"),
    (&["role"], "rol_hid", "rol_abs"),
    (&["jobTemplate"], "job_hid", "job_abs"),
    (&["user"], "usr_hid", "usr_abs"),
    (&["group"], "grp_hid", "grp_abs"),
];

/// The objects that `{type}/{fullName}` may name.
const OBJECTS: &[(&str, &str)] = &[
    ("catalog", "cat_hid"),
    ("schema", "cat_hid.sch_hid"),
    ("table", "cat_hid.sch_hid.tab_hid"),
    ("view", "cat_hid.sch_hid.viw_hid"),
    ("column", "cat_hid.sch_hid.tab_hid.id"),
    ("tag", "tag_hid"),
    ("policy", "pol_hid"),
    ("role", "rol_hid"),
    ("job_template", "job_hid"),
];

/// Bodies that name objects, by the end of the path; other requests come without a readable body.
const BODIES: &[(&str, &str, &str)] = &[
    ("POST", "/tags", r#"{"tagsToAdd": ["tag_hid"]}"#),
    ("POST", "/policies", r#"{"policiesToAdd": ["pol_hid"]}"#),
    ("POST", "/read-restrictions/impact", r#"{"tag": "tag_hid"}"#),
    ("POST", "/read-restrictions/impact", r#"{"policy": "pol_hid"}"#),
    (
        "POST",
        "/read-restrictions/explain",
        r#"{"policies": ["pol_hid"]}"#,
    ),
    ("POST", "/access/explain", "{}"),
    ("POST", "/access/explain", r#"{"operation": "setOwner"}"#),
    ("POST", "/access/explain", r#"{"user": "usr_hid"}"#),
    (
        "POST",
        "/tables/rename",
        r#"{"source": {"namespace": ["sch_hid"], "name": "tab_hid"}, "destination": {"namespace": ["sch_hid"], "name": "x"}}"#,
    ),
    (
        "POST",
        "/views/rename",
        r#"{"source": {"namespace": ["sch_hid"], "name": "viw_hid"}, "destination": {"namespace": ["sch_hid"], "name": "x"}}"#,
    ),
    (
        "POST",
        "/transactions/commit",
        r#"{"table-changes": [{"identifier": {"namespace": ["sch_hid"], "name": "tab_hid"}, "requirements": [], "updates": []}]}"#,
    ),
    (
        "PUT",
        "/tables/{table}",
        r#"{"updates": [{"@type": "updateComment", "newComment": "x"}]}"#,
    ),
    (
        "PUT",
        "/schemas/{schema}",
        r#"{"updates": [{"@type": "setProperty", "property": "a", "value": "b"}]}"#,
    ),
    (
        "PUT",
        "/owners/{type}/{fullName}",
        r#"{"name": "usr_hid", "type": "USER"}"#,
    ),
    ("PUT", "/grant", r#"{"roleNames": ["rol_hid"]}"#),
    ("POST", "/catalogs/{catalog}/testConnection", ""),
];

/// A request that names something hidden, and the same that names something absent.
#[derive(Debug)]
struct Pair {
    method: String,
    hidden: (String, String),
    absent: (String, String),
    /// The names that differ, hidden and absent.
    names: Vec<(&'static str, &'static str)>,
}

/// Every request of every route that names something below the metalake, where what is named last is absent, and where
/// all of it is.
fn pairs() -> Vec<Pair> {
    let mut pairs = Vec::new();
    for mounted in all_routes().mounted() {
        let template = format!("{}{}", mounted.tree.base(), mounted.path);
        let objects: Vec<(&str, &str)> = if template.contains("{type}") {
            OBJECTS.to_vec()
        } else {
            vec![("table", "cat_hid.sch_hid.tab_hid")]
        };
        let method = mounted.method.to_string();
        let mut bodies: Vec<&str> = BODIES
            .iter()
            .filter(|(of, end, _)| *of == method && template.ends_with(end))
            .map(|(_, _, body)| *body)
            .collect();
        let is_read = method == "GET" || method == "HEAD";
        bodies.push(if is_read { "" } else { "{" });
        for (kind, name) in objects {
            let path = fill(&template, kind, name);
            for body in &bodies {
                let named: Vec<(&'static str, &'static str)> = NAMES
                    .iter()
                    .map(|(_, hidden, absent)| (*hidden, *absent))
                    .filter(|(hidden, _)| path.contains(hidden) || body.contains(hidden))
                    .collect();
                // The last name alone, and all of them.
                let last = |text: &str| named.iter().copied().max_by_key(|(hidden, _)| text.rfind(hidden));
                let text = if named.iter().any(|(hidden, _)| body.contains(hidden)) {
                    body
                } else {
                    path.as_str()
                };
                let Some(last) = last(text) else { continue };
                for names in [vec![last], named.clone()] {
                    let swap = |text: &str| {
                        names.iter().fold(text.to_owned(), |text, (hidden, absent)| {
                            text.replace(hidden, absent)
                        })
                    };
                    pairs.push(Pair {
                        method: method.clone(),
                        hidden: (path.clone(), (*body).to_owned()),
                        absent: (swap(&path), swap(body)),
                        names,
                    });
                }
            }
        }
    }
    pairs
}

fn fill(template: &str, kind: &str, name: &str) -> String {
    let segment = |segment: &str| -> String {
        let Some(parameter) = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
            return segment.to_owned();
        };
        let named = NAMES
            .iter()
            .find(|(parameters, _, _)| parameters.contains(&parameter));
        match (parameter, named) {
            ("metalake", _) => "m".to_owned(),
            ("type", _) => kind.to_owned(),
            ("fullName", _) => name.to_owned(),
            (_, Some((_, hidden, _))) => (*hidden).to_owned(),
            (_, None) => "x".to_owned(),
        }
    };
    template.split('/').map(segment).collect::<Vec<_>>().join("/")
}

/// Makes everything that is hidden.
async fn prepare(engine: StoreEngine) -> Server {
    let server = Server::start(engine, "on").await;
    let make = async |path: &str, body: Value| {
        server
            .call(ADMIN, "POST", &format!("/metalakes/m/{path}"), body)
            .await
            .is(200)
    };
    for user in ["usr_hid", "stranger", "walker", "denied"] {
        make("users", json!({"name": user})).await;
    }
    make("groups", json!({"name": "grp_hid"})).await;
    let catalog =
        json!({"name": "cat_hid", "type": "relational", "provider": "lakehouse-iceberg", "properties": {}});
    make("catalogs", catalog).await;
    make("catalogs/cat_hid/schemas", json!({"name": "sch_hid"})).await;
    let column = json!({"name": "id", "type": "integer", "nullable": true});
    let table = json!({"name": "tab_hid", "columns": [column], "properties": {}});
    make("catalogs/cat_hid/schemas/sch_hid/tables", table).await;
    let view = json!({"name": "viw_hid", "columns": [{"name": "id", "type": "integer", "nullable": true}],
        "representations": [{"type": "sql", "dialect": "spark", "sql": "SELECT 1 AS id"}]});
    make("catalogs/cat_hid/schemas/sch_hid/views", view).await;
    make("tags", json!({"name": "tag_hid"})).await;
    let content = json!({"customRules": {}, "properties": {}, "supportedObjectTypes": ["table"]});
    let policy = json!({"name": "pol_hid", "policyType": "custom", "enabled": true, "content": content});
    make("policies", policy).await;
    let template = json!({"name": "job_hid", "jobType": "shell", "executable": "file:///srv/ok.sh"});
    make("jobs/templates", json!({"jobTemplate": template})).await;
    role(
        &server,
        "rol_hid",
        json!([speaks_of("CATALOG", "cat_hid", &["USE_CATALOG"])]),
    )
    .await;
    role(
        &server,
        "way",
        json!([speaks_of("METALAKE", "m", &["USE_CATALOG", "USE_SCHEMA"])]),
    )
    .await;
    let denials = json!([
        speaks_of(
            "TABLE",
            "cat_hid.sch_hid.tab_hid",
            &["DENY SELECT_TABLE", "DENY MODIFY_TABLE", "DENY MANAGE_GRANTS"]
        ),
        speaks_of("TAG", "tag_hid", &["DENY APPLY_TAG"]),
    ]);
    role(&server, "denials", denials).await;
    grant(&server, "walker", &["way"]).await;
    grant(&server, "denied", &["way", "denials"]).await;
    server
}

/// What of an answer must not depend on what is hidden.
fn comparable(raw: Raw, names: &[(&str, &str)]) -> (u16, Vec<(String, String)>, String) {
    let text = names
        .iter()
        .fold(raw.text, |text, (hidden, absent)| text.replace(absent, hidden));
    let headers = raw
        .headers
        .iter()
        .filter(|(name, _)| !["x-request-id", "date"].contains(&name.as_str()))
        .map(|(name, value)| {
            (
                name.to_string(),
                String::from_utf8_lossy(value.as_bytes()).into_owned(),
            )
        })
        .collect();
    (raw.status, headers, text)
}

on_each_store!(what_is_hidden_is_answered_as_what_is_absent);

async fn what_is_hidden_is_answered_as_what_is_absent(engine: StoreEngine) {
    let server = prepare(engine).await;
    let pairs = pairs();
    assert!(pairs.len() > 100, "{} requests", pairs.len());
    let mut differences = Vec::new();
    for user in ["outsider", "stranger", "walker", "denied"] {
        for pair in &pairs {
            // Who walks freely sees catalogs and schemas, and asks only about what is in them.
            let walks = ["walker", "denied"].contains(&user);
            let sees = |name: &str| walks && (name.starts_with("cat") || name.starts_with("sch"));
            if pair.names.iter().any(|(hidden, _)| sees(hidden)) {
                continue;
            }
            let ask = async |(path, body): &(String, String)| {
                let body = (!body.is_empty()).then_some(body.as_str());
                server.raw(user, &pair.method, path, body).await
            };
            let hidden = ask(&pair.hidden).await;
            assert!(hidden.status < 500, "{pair:?}: {}", hidden.text);
            let is_change = !["GET", "HEAD", "POST"].contains(&pair.method.as_str());
            assert!(
                !(is_change && hidden.status < 300),
                "{user} changes something: {pair:?}"
            );
            let hidden = comparable(hidden, &pair.names);
            let absent = comparable(ask(&pair.absent).await, &pair.names);
            if hidden != absent {
                differences.push(format!(
                    "{user} {} {} {}\n  hidden {hidden:?}\n  absent {absent:?}",
                    pair.method, pair.absent.0, pair.absent.1
                ));
            }
        }
    }
    assert!(
        differences.is_empty(),
        "{} differences:\n{}",
        differences.len(),
        differences.join("\n")
    );
}

/// Names of another length would make answers of another length, and equal requests would prove nothing.
#[test]
fn pairs_differ_in_names_alone() {
    for pair in &pairs() {
        assert_eq!(pair.hidden.0.len(), pair.absent.0.len(), "{pair:?}");
        assert_ne!(
            (&pair.hidden.0, &pair.hidden.1),
            (&pair.absent.0, &pair.absent.1),
            "{pair:?}"
        );
    }
}
