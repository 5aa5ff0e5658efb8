// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The endpoints: as much of the Iceberg REST protocol as reading a table takes, and the cases with their answers.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path as PathOf, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use lakeward_read_restrictions::capabilities::{CAPABILITIES_HEADER, Capabilities, READ_RESTRICTIONS_V1};
use lakeward_read_restrictions::json::parse_strict;
use serde_json::{Value as Json, json};

use super::cases::{KitCase, ROW, Served};
use super::report::Report;
use super::tables::Writer;
use super::verdict::{Answer, Verdict, judge};

/// More than any right answer.
const MAXIMUM_ANSWER_BYTES: usize = 8 * 1024 * 1024;

/// The cases by name, and what was answered.
pub(in crate::conformance) struct Kit {
    cases: BTreeMap<String, Table>,
    left_out: Vec<(String, String)>,
    verdicts: Mutex<BTreeMap<String, Verdict>>,
}

struct Table {
    case: KitCase,
    /// The body of a loadTable answer.
    loaded: String,
}

impl Kit {
    /// Writes the tables.
    pub(super) async fn new(served: Served, folder: &Path) -> anyhow::Result<Self> {
        let writer = Writer::new(folder).await?;
        let mut cases = BTreeMap::new();
        for case in served.cases {
            let written = writer.write(&case).await.map_err(|error| {
                error.context(format!(
                    "the table of the case `{}` cannot be written",
                    case.name()
                ))
            })?;
            let mut loaded = json!({
                "metadata-location": written.metadata_location,
                "metadata": written.metadata,
                "config": {},
            });
            if let (Some(restrictions), Some(members)) = (&case.restrictions, loaded.as_object_mut()) {
                members.insert("read-restrictions".to_owned(), restrictions.clone());
            }
            let loaded = loaded.to_string();
            cases.insert(case.name(), Table { case, loaded });
        }
        Ok(Self {
            cases,
            left_out: served.left_out,
            verdicts: Mutex::default(),
        })
    }

    /// What has been answered so far.
    pub(in crate::conformance) fn report(&self) -> Report {
        let verdicts = self.verdicts.lock().unwrap_or_else(PoisonError::into_inner);
        let unanswered = self.cases.keys().filter(|name| !verdicts.contains_key(*name));
        Report::new(
            verdicts.values().cloned().collect(),
            unanswered.cloned().collect(),
        )
    }

    /// Takes the answer to a case; a later one stands in for an earlier one.
    fn answer(&self, case: &KitCase, answer: &Answer) -> Verdict {
        let verdict = judge(case, answer);
        let mut verdicts = self.verdicts.lock().unwrap_or_else(PoisonError::into_inner);
        verdicts.insert(verdict.case.clone(), verdict.clone());
        verdict
    }

    fn namespaces(&self) -> Vec<&'static str> {
        let mut names: Vec<&'static str> = self.cases.values().map(|table| table.case.namespace).collect();
        names.dedup();
        names
    }

    fn tables_of<'a>(&'a self, namespace: &'a str) -> impl Iterator<Item = &'a KitCase> {
        self.cases
            .values()
            .map(|table| &table.case)
            .filter(move |case| case.namespace == namespace)
    }
}

type Shared = State<Arc<Kit>>;

/// All endpoints.
pub(super) fn router(kit: Arc<Kit>) -> Router {
    Router::new()
        .route("/iceberg/v1/config", get(config))
        .route("/iceberg/v1/namespaces", get(list_namespaces))
        .route("/iceberg/v1/namespaces/{namespace}", get(load_namespace))
        .route("/iceberg/v1/namespaces/{namespace}/tables", get(list_tables))
        .route(
            "/iceberg/v1/namespaces/{namespace}/tables/{table}",
            get(load_table),
        )
        .route("/kit/cases", get(list_cases))
        .route("/kit/answers/{case}", post(take_answer))
        .route("/kit/report", get(report))
        .fallback(|| async {
            refusal(
                StatusCode::NOT_FOUND,
                "NotFoundException",
                "there is no such endpoint here",
            )
        })
        .layer(DefaultBodyLimit::max(MAXIMUM_ANSWER_BYTES))
        .with_state(kit)
}

async fn config() -> Response {
    let endpoints = [
        "GET /v1/{prefix}/namespaces",
        "GET /v1/{prefix}/namespaces/{namespace}",
        "GET /v1/{prefix}/namespaces/{namespace}/tables",
        "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}",
    ];
    ok(&json!({"defaults": {}, "overrides": {}, "endpoints": endpoints}))
}

async fn list_namespaces(State(kit): Shared) -> Response {
    let names: Vec<[&str; 1]> = kit.namespaces().into_iter().map(|name| [name]).collect();
    ok(&json!({"namespaces": names}))
}

async fn load_namespace(State(kit): Shared, PathOf(namespace): PathOf<String>) -> Response {
    if kit.tables_of(&namespace).next().is_none() {
        return no_namespace();
    }
    ok(&json!({"namespace": [namespace], "properties": {}}))
}

async fn list_tables(State(kit): Shared, PathOf(namespace): PathOf<String>) -> Response {
    let tables: Vec<Json> = kit
        .tables_of(&namespace)
        .map(|case| json!({"namespace": [namespace], "name": case.table}))
        .collect();
    if tables.is_empty() {
        return no_namespace();
    }
    ok(&json!({"identifiers": tables}))
}

/// A restricted table is loaded only by a client that declares to understand restrictions (language reference, section 13).
/// Who the client is does not matter here: whether it can be trusted is what is being found out.
async fn load_table(
    State(kit): Shared,
    PathOf((namespace, table)): PathOf<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let Some(found) = kit.cases.get(&format!("{namespace}.{table}")) else {
        return refusal(
            StatusCode::NOT_FOUND,
            "NoSuchTableException",
            "there is no such table",
        );
    };
    let lines: Vec<&[u8]> = headers
        .get_all(CAPABILITIES_HEADER)
        .iter()
        .map(|value| value.as_bytes())
        .collect();
    let is_restricted = found
        .case
        .restrictions
        .as_ref()
        .is_some_and(|restrictions| *restrictions != json!({}));
    if is_restricted && !Capabilities::parse(&lines).understands_read_restrictions() {
        let message = format!(
            "read restrictions apply to this table; send `{CAPABILITIES_HEADER}: {READ_RESTRICTIONS_V1}` if you enforce them"
        );
        return refusal(StatusCode::NOT_ACCEPTABLE, "ReadRestrictionException", &message);
    }
    ([(header::CONTENT_TYPE, "application/json")], found.loaded.clone()).into_response()
}

async fn list_cases(State(kit): Shared) -> Response {
    let cases: Vec<Json> = kit
        .cases
        .iter()
        .map(|(name, table)| {
            let case = &table.case;
            let columns: Vec<&str> = case
                .columns
                .iter()
                .map(|field| field.name.as_str())
                .chain([ROW])
                .collect();
            json!({"case": name, "namespace": case.namespace, "table": case.table, "columns": columns,
                "reason": case.reason, "covers": case.covers})
        })
        .collect();
    let left_out: Vec<Json> = kit
        .left_out
        .iter()
        .map(|(id, why)| json!({"covers": id, "why": why}))
        .collect();
    ok(&json!({"cases": cases, "left-out": left_out}))
}

async fn take_answer(State(kit): Shared, PathOf(case): PathOf<String>, body: String) -> Response {
    let Some(table) = kit.cases.get(&case) else {
        return refusal(
            StatusCode::NOT_FOUND,
            "NotFoundException",
            "there is no such case; GET /kit/cases lists them",
        );
    };
    let answer = parse_strict(&body)
        .map_err(|error| error.to_string())
        .and_then(|json| Answer::parse(&json));
    match answer {
        Ok(answer) => ok(&json!(kit.answer(&table.case, &answer))),
        Err(problem) => refusal(StatusCode::BAD_REQUEST, "BadRequestException", &problem),
    }
}

/// As JSON for whoever asks for it, else as text.
async fn report(State(kit): Shared, headers: HeaderMap) -> Response {
    let report = kit.report();
    let wants_json = headers
        .get(header::ACCEPT)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|accepted| accepted.contains("application/json"));
    if wants_json {
        ok(&json!(report))
    } else {
        report.text().into_response()
    }
}

fn ok(body: &Json) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

fn no_namespace() -> Response {
    refusal(
        StatusCode::NOT_FOUND,
        "NoSuchNamespaceException",
        "there is no such namespace",
    )
}

fn refusal(status: StatusCode, kind: &str, message: &str) -> Response {
    let body = json!({"error": {"message": message, "type": kind, "code": status.as_u16()}});
    (
        status,
        [(header::CONTENT_TYPE, "application/json")],
        body.to_string(),
    )
        .into_response()
}
