// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Sends the recorded requests, in the order in which they were recorded, to a server in this process.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::compare::{Comparison, Difference};
use super::exceptions::Exceptions;
use super::exchange::{Bindings, Exchange, Preparation};
use crate::scene::Server;

/// The parts of files in the order in which they were recorded. Setting up and asking over the Iceberg protocol took turns.
const ORDER: &[(&str, std::ops::RangeInclusive<u32>)] = &[
    ("01-metalakes", 1..=u32::MAX),
    ("02-catalogs", 1..=u32::MAX),
    ("03-schemas-filesets", 1..=u32::MAX),
    ("04-models", 1..=u32::MAX),
    ("05-tables-views-functions", 1..=u32::MAX),
    ("06-pg-topics", 1..=u32::MAX),
    ("07-users-groups-roles", 1..=u32::MAX),
    ("08-tags-policies", 1..=u32::MAX),
    ("08b-tag-values", 1..=u32::MAX),
    ("09-statistics-jobs", 1..=u32::MAX),
    ("09b-statistics", 1..=u32::MAX),
    ("09c-job-status", 1..=u32::MAX),
    ("10-irc-setup", 1..=4),
    ("11-iceberg-rest", 1..=80),
    ("10-irc-setup", 5..=6),
    ("11-iceberg-rest", 81..=u32::MAX),
    ("10-irc-setup", 7..=u32::MAX),
    ("13-authz-edges", 1..=u32::MAX),
];

/// What a replay found.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// How many exchanges were made.
    pub(super) made: usize,
    /// How many were left out because a row says so.
    pub(super) left_out: usize,
    /// Differences that no row means, a line each.
    pub(super) wrong: Vec<String>,
}

/// Replays everything.
pub(super) async fn replay(server: &Server, exceptions: &Exceptions) -> Outcome {
    let mut bindings = Bindings::default();
    // Beside the folder of the server, into which no catalog may reach.
    let root = tempfile::tempdir().unwrap();
    bindings.bind("root", root.path().to_str().unwrap());
    // Files that lay in a fileset.
    let files = root.path().join("filesets/s1/f1");
    std::fs::create_dir_all(files.join("dir")).unwrap();
    std::fs::write(files.join("hello.txt"), "hello").unwrap();
    let preparations: Vec<Preparation> = lines("prepare");
    let mut outcome = Outcome::default();
    for (file, part) in ORDER {
        for exchange in lines::<Exchange>(file) {
            if !part.contains(&exchange.n) {
                continue;
            }
            let due = |prepared: &&Preparation| prepared.file == *file && prepared.before == exchange.n;
            for preparation in preparations.iter().filter(due) {
                outcome
                    .wrong
                    .extend(prepare(server, &bindings, preparation).await);
            }
            if exceptions.is_left_out(file, exchange.n) {
                outcome.left_out += 1;
                continue;
            }
            outcome.made += 1;
            let differences = make(server, &mut bindings, &exchange).await;
            for difference in differences {
                if !exceptions.is_meant(file, exchange.n, &difference) {
                    outcome.wrong.push(format!(
                        "{file}/{:03} {} ({} {}) {}: recorded {}, ours {}",
                        exchange.n,
                        exchange.label,
                        exchange.method,
                        exchange.path,
                        difference.at,
                        difference.recorded,
                        difference.ours,
                    ));
                }
            }
        }
    }
    outcome
}

fn lines<T: DeserializeOwned>(file: &str) -> Vec<T> {
    let text = std::fs::read_to_string(fixtures().join(format!("{file}.jsonl"))).unwrap();
    let read = |(index, line): (usize, &str)| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{file}, line {}: {error}", index + 1))
    };
    text.lines().enumerate().map(read).collect()
}

/// The folder of the recordings.
pub(super) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recordings")
}

/// Makes what the recording left out, and says what came of it unless it succeeds.
async fn prepare(server: &Server, bindings: &Bindings, preparation: &Preparation) -> Option<String> {
    let body = preparation.request.as_ref().map(|body| bindings.fill_all(body));
    let path = bindings.fill(&preparation.path);
    let (status, answer) = server
        .call(&preparation.user, &preparation.method, &path, body)
        .await;
    (!(200..300).contains(&status)).then(|| format!("{preparation:?}: {status} {answer}"))
}

/// Makes an exchange and says where the answer differs.
async fn make(server: &Server, bindings: &mut Bindings, exchange: &Exchange) -> Vec<Difference> {
    let is_iceberg = exchange.path.starts_with("/iceberg/");
    let mut request = server.request(&exchange.method, &bindings.fill(&exchange.path));
    if let Some(user) = &exchange.user {
        request = request.basic_auth(user, Some("x"));
    }
    if !exchange.headers.contains_key("Accept") {
        let usual = if is_iceberg {
            "application/json"
        } else {
            "application/vnd.gravitino.v1+json"
        };
        request = request.header("Accept", usual);
    }
    if exchange.request.is_some() && !exchange.headers.contains_key("Content-Type") {
        request = request.header("Content-Type", "application/json");
    }
    for (name, value) in exchange.headers.iter().filter(|(_, value)| !value.is_empty()) {
        request = request.header(name, bindings.fill(value));
    }
    if let Some(body) = &exchange.request {
        request = request.body(bindings.fill_all(body).to_string());
    } else if let Some(text) = &exchange.text {
        request = request.body(text.clone());
    }
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    let header = |name: &str| {
        let value = response.headers().get(name)?;
        Some(value.to_str().unwrap().to_owned())
    };
    let media = header("content-type").unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().to_owned();
    if let (Some(recorded), Some(tag)) = (&exchange.etag, header("etag"))
        && let Some(name) = bindings.unbound(recorded)
    {
        let name = name.to_owned();
        bindings.bind(&name, &tag);
    }
    let text = response.text().await.unwrap();
    let ours = serde_json::from_str::<Value>(&text).unwrap_or(Value::Null);
    crate::wire_schema::check(&ours);
    let mut comparison = Comparison {
        bindings,
        differences: Vec::new(),
    };
    let recorded = outcome(exchange.status, exchange.answer.as_ref().unwrap_or(&Value::Null));
    let answered = outcome(status, &ours);
    // The original's framework refuses some requests without a body; ours says why.
    let is_silent = exchange.answer.is_none() && exchange.status >= 400 && exchange.status == status;
    if recorded != answered && !is_silent {
        comparison.note("answer", recorded, answered);
        return comparison.differences;
    }
    let Some(answer) = &exchange.answer else {
        return comparison.differences;
    };
    let usual = "application/json";
    if media != exchange.media.as_deref().unwrap_or(usual) {
        comparison.note("media", exchange.media.as_deref().unwrap_or(usual), media);
    }
    comparison.value("", answer, &without_messages(ours));
    comparison.differences
}

/// Status, code and type.
fn outcome(status: u16, body: &Value) -> String {
    let error = body.get("error").unwrap_or(body);
    let code = match error.get("code").and_then(Value::as_u64) {
        Some(code) if code != 0 && code != u64::from(status) => format!(" {code}"),
        Some(_) | None => String::new(),
    };
    let kind = match error.get("type").and_then(Value::as_str) {
        Some(kind) if status >= 400 || !code.is_empty() => format!(" {kind}"),
        Some(_) | None => String::new(),
    };
    format!("{status}{code}{kind}")
}

/// Takes messages and stacks out of errors. A message must be there, and its words are ours.
fn without_messages(mut body: Value) -> Value {
    fn take(value: &mut Value) {
        match value {
            Value::Object(members) => {
                if members.contains_key("code") && members.contains_key("message") {
                    let message = members.remove("message");
                    let is_there = message
                        .as_ref()
                        .and_then(Value::as_str)
                        .is_some_and(|text| !text.is_empty());
                    assert!(is_there, "an error says nothing: {message:?}");
                    members.remove("stack");
                }
                members.values_mut().for_each(take);
            }
            Value::Array(items) => items.iter_mut().for_each(take),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    take(&mut body);
    body
}
