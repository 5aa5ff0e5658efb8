// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Plans as people read them.

use std::collections::{BTreeMap, BTreeSet};

use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use serde_json::json;

use super::describe;
use crate::policy::plan::{Plan, Surplus};
use crate::policy::state::{Policy, State, Tag};

fn state(expression: &str, enabled: bool, selects: Option<&str>, values: &[&str]) -> State {
    let schema = MetadataObject::parse(ObjectKind::Schema, "lake.sales").unwrap();
    State {
        policies: BTreeMap::from([(
            "own".to_owned(),
            Policy {
                policy_type: "system_row_filter".to_owned(),
                comment: None,
                enabled,
                content: json!({ "expression": expression }),
                on: BTreeMap::from([("access".to_owned(), selects.map(str::to_owned))]),
            },
        )]),
        tags: BTreeMap::from([(
            "access".to_owned(),
            Tag {
                assigned: BTreeMap::from([(
                    schema,
                    values
                        .iter()
                        .map(|value| (*value).to_owned())
                        .collect::<BTreeSet<_>>(),
                )]),
                ..Tag::default()
            },
        )]),
    }
}

#[track_caller]
fn check(now: &State, wanted: &State, expected: &str) {
    let plan = Plan::new(now, wanted, Surplus::Keep);
    assert_eq!(describe(&plan, &[]), expected);
}

#[test]
fn everything_new() {
    check(
        &State::default(),
        &state(
            "filter := true if is_group_member(\"a\")\nelse := false",
            true,
            Some("strict"),
            &["strict"],
        ),
        "\
+ create tag access
+ create policy own (system_row_filter), disabled
      + filter := true if is_group_member(\"a\")
      + else := false
+ put policy own on tag access where the value is strict
+ assign access=strict to schema lake.sales
~ enable policy own
5 changes
",
    );
}

#[test]
fn what_widens_is_marked() {
    check(
        &state("filter := false", true, Some("strict"), &["strict"]),
        &state("filter := true", false, None, &["lax", "other"]),
        "\
~ change policy own on tag access: for every value, until now where the value is strict
~ change access=strict to access=[lax, other, strict] on schema lake.sales
~ change access=[lax, other, strict] to access=[lax, other] on schema lake.sales
- disable policy own
      ! takes own from schema lake.sales (needs --force)
~ alter policy own: content
      - filter := false
      + filter := true
5 changes, 1 of them taking restrictions away
",
    );
}

#[test]
fn what_the_directory_does_not_have_stays() {
    check(
        &state("filter := false", true, None, &[]),
        &State::default(),
        "  stays: policy own (not in the directory; --prune removes it)
  stays: tag access (not in the directory; --prune removes it)
nothing to do
",
    );
}

/// A server that answers calls by its own state, and lets somebody else come first once.
struct Rival {
    /// `METHOD /path` of the changes, in order.
    changes: Vec<String>,
    policy: Option<serde_json::Value>,
    is_on_tag: bool,
}

impl Rival {
    fn answer(&mut self, method: &str, path: &str, body: &serde_json::Value) -> (u16, serde_json::Value) {
        let path = path.trim_start_matches("/api/metalakes/m/");
        if method != "GET" {
            self.changes.push(format!("{method} {path}"));
        }
        let policy = |enabled| {
            json!({"name": "own", "policyType": "system_row_filter", "enabled": enabled,
                "content": {"expression": "filter := false"}})
        };
        match (method, path) {
            ("GET", "policies?details=true") => {
                (200, json!({"policies": self.policy.iter().collect::<Vec<_>>()}))
            }
            ("GET", "policies/own/tags?details=true") => {
                let on = json!({"policy": "own", "tag": "t", "selector": {"type": "ALL_VALUES"}});
                (
                    200,
                    json!({"associations": self.is_on_tag.then_some(on).into_iter().collect::<Vec<_>>()}),
                )
            }
            ("GET", "tags?details=true") => (200, json!({"tags": [{"name": "t", "properties": {}}]})),
            ("GET", "tags/t/objects") => (200, json!({"metadataObjects": []})),
            ("POST", "policies") => {
                assert_eq!(body["enabled"], json!(false), "nothing is made enabled");
                self.policy = Some(policy(false));
                (
                    409,
                    json!({"type": "PolicyAlreadyExistsException", "message": "policy `own` exists"}),
                )
            }
            ("PUT", "tags/t/policies/own") => {
                self.is_on_tag = true;
                (200, json!({}))
            }
            ("PATCH", "policies/own") => {
                self.policy = Some(policy(true));
                (200, json!({}))
            }
            other => panic!("{other:?}"),
        }
    }

    /// Serves one connection after the other until the listener goes.
    async fn serve(rival: std::sync::Arc<std::sync::Mutex<Self>>, listener: tokio::net::TcpListener) {
        use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};

        while let Ok((stream, _)) = listener.accept().await {
            let mut stream = tokio::io::BufStream::new(stream);
            let mut line = String::new();
            stream.read_line(&mut line).await.unwrap();
            let mut length = 0;
            loop {
                let mut header = String::new();
                stream.read_line(&mut header).await.unwrap();
                if header.trim().is_empty() {
                    break;
                }
                if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
            }
            let mut body = vec![0; length];
            stream.read_exact(&mut body).await.unwrap();
            let mut words = line.split(' ');
            let (method, path) = (words.next().unwrap(), words.next().unwrap());
            let body = serde_json::from_slice(&body).unwrap_or_default();
            let (status, answer) = rival.lock().unwrap().answer(method, path, &body);
            let answer = answer.to_string();
            let head = format!(
                "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                answer.len()
            );
            stream.write_all(head.as_bytes()).await.unwrap();
            stream.write_all(answer.as_bytes()).await.unwrap();
            stream.flush().await.unwrap();
        }
    }
}

#[derive(Debug, clap::Parser)]
struct CommandLine {
    #[command(flatten)]
    arguments: super::Arguments,
}

#[tokio::test]
async fn somebody_else_came_first_and_the_plan_is_made_anew() {
    use clap::Parser;

    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.yaml"), "tag: t\n").unwrap();
    std::fs::write(
        folder.path().join("own.yaml"),
        "policy: own\ntype: system_row_filter\nenabled: true\ntags: [{tag: t}]\nexpression: 'filter := false'\n",
    )
    .unwrap();
    let rival = std::sync::Arc::new(std::sync::Mutex::new(Rival {
        changes: Vec::new(),
        policy: None,
        is_on_tag: false,
    }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let serving = tokio::spawn(Rival::serve(std::sync::Arc::clone(&rival), listener));
    let folder = folder.path().to_str().unwrap();
    let command = CommandLine::parse_from([
        "apply",
        folder,
        "--server",
        &address,
        "--metalake",
        "m",
        "--user",
        "ann",
    ]);
    let code = super::run(&command.arguments).await.unwrap();
    assert_eq!(code, std::process::ExitCode::SUCCESS);
    serving.abort();
    assert_eq!(
        rival.lock().unwrap().changes,
        ["POST policies", "PUT tags/t/policies/own", "PATCH policies/own"]
    );
}
