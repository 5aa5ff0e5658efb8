// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The kit with our own reader under test, which passes, and what the kit says of others.

#[path = "../../../../reader/src/reference_arrays.rs"]
mod reference_arrays;

use std::sync::Arc;
use std::time::Duration;

use arrow::array::ArrayRef;
use arrow::record_batch::RecordBatch;
use futures::TryStreamExt as _;
use iceberg::arrow::schema_to_arrow_schema;
use lakeward_gateway::client::{GatewayClient, GatewayOptions};
use lakeward_gateway::settings::Settings;
use lakeward_gateway::start::start;
use lakeward_read_restrictions::schema::fields_from_schema;
use lakeward_read_restrictions::value::Value;
use lakeward_reader::connection::{Connection, ConnectionOptions, Credentials};
use lakeward_reader::session::{Session, SessionOptions};
use serde_json::{Map, Value as Json, json};
use url::Url;

use super::cases::{self, Expected, KitCase, ROW, Sources};
use super::verdict::{Answer, judge};
use super::{EVAL, MASKS, Serving, rows};

async fn serving(folder: &tempfile::TempDir) -> Serving {
    let loopback = "127.0.0.1:0".parse().unwrap();
    Serving::start(EVAL, MASKS, folder.path(), loopback)
        .await
        .unwrap()
}

fn served() -> Vec<KitCase> {
    let sources = Sources {
        eval: serde_json::from_str(EVAL).unwrap(),
        masks: serde_json::from_str(MASKS).unwrap(),
    };
    cases::all(&sources).unwrap().cases
}

fn texts(json: &Json) -> Vec<&str> {
    json.as_array()
        .unwrap()
        .iter()
        .map(|text| text.as_str().unwrap())
        .collect()
}

/// What is under test.
enum Reader {
    /// The library, in this process.
    Library(Session),
    /// A gateway, asked over Arrow Flight SQL.
    Gateway(GatewayClient),
}

impl Reader {
    async fn rows(&self, sql: &str) -> Result<Vec<RecordBatch>, String> {
        match self {
            Self::Library(session) => {
                let answer = session.query(sql).await.map_err(|error| error.to_string())?;
                Ok(answer.batches)
            }
            Self::Gateway(client) => {
                let answer = client.query(sql, None).await.map_err(|error| error.to_string())?;
                answer
                    .batches
                    .try_collect()
                    .await
                    .map_err(|error| error.to_string())
            }
        }
    }
}

/// What a reader returns of a table, as an answer.
async fn read(reader: &Reader, case: &Json, loaded: &Json) -> Json {
    let columns = texts(&case["columns"]);
    let quoted: Vec<String> = columns.iter().map(|name| format!("\"{name}\"")).collect();
    let (namespace, table) = (
        case["namespace"].as_str().unwrap(),
        case["table"].as_str().unwrap(),
    );
    let sql = format!(
        "SELECT {} FROM kit.\"{namespace}\".\"{table}\"",
        quoted.join(", ")
    );
    let batches = match reader.rows(&sql).await {
        Ok(batches) => batches,
        Err(reason) => return json!({"refused": true, "reason": reason}),
    };
    let fields = fields_from_schema(&loaded["metadata"]["schemas"][0]).unwrap();
    let mut rows = Vec::new();
    for batch in &batches {
        for number in 0..batch.num_rows() {
            let mut row = Map::new();
            for (name, array) in columns.iter().zip(batch.columns()) {
                let field = fields.iter().find(|field| field.name == *name).unwrap();
                let value = reference_arrays::to_value(&field.field_type, array, number);
                row.insert((*name).to_owned(), value.to_json());
            }
            rows.push(Json::Object(row));
        }
    }
    json!({"rows": rows})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn our_reader_passes_every_case() {
    let folder = tempfile::tempdir().unwrap();
    let serving = serving(&folder).await;
    let connection = Connection::new(ConnectionOptions {
        iceberg: Url::parse(&format!("http://{}/iceberg", serving.address)).unwrap(),
        credentials: Credentials::None,
        identity: None,
        timeout: Duration::from_secs(60),
    })
    .unwrap();
    let session = Session::new(connection, SessionOptions::default());
    passes_every_case(serving, &Reader::Library(session)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn our_gateway_passes_every_case() {
    let folder = tempfile::tempdir().unwrap();
    let serving = serving(&folder).await;
    let server = Url::parse(&format!("http://{}/iceberg", serving.address)).unwrap();
    let gateway = start(Settings {
        listen: "127.0.0.1:0".parse().unwrap(),
        catalogs: vec!["kit".to_owned()],
        ..Settings::new(server)
    })
    .await
    .unwrap();
    let client = GatewayClient::connect(GatewayOptions {
        gateway: Url::parse(&gateway.url()).unwrap(),
        credentials: Credentials::None,
        authority: None,
    })
    .await
    .unwrap();
    passes_every_case(serving, &Reader::Gateway(client)).await;
    gateway.stop().await;
}

/// Reads the table of each case and gives the kit what came of it.
async fn passes_every_case(serving: Serving, reader: &Reader) {
    let root = format!("http://{}", serving.address);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let get = async |path: &str| -> Json {
        let request = client
            .get(format!("{root}{path}"))
            .header("Accept", "application/json")
            .header("X-Gravitino-Client-Capabilities", "read-restrictions.v1");
        request.send().await.unwrap().json().await.unwrap()
    };
    let listed = get("/kit/cases").await;
    let listed = listed["cases"].as_array().unwrap();
    assert!(listed.len() > 200, "{}", listed.len());
    let mut refused = 0;
    for case in listed {
        let (namespace, table) = (
            case["namespace"].as_str().unwrap(),
            case["table"].as_str().unwrap(),
        );
        let loaded = get(&format!("/iceberg/v1/namespaces/{namespace}/tables/{table}")).await;
        let answer = read(reader, case, &loaded).await;
        if answer.get("refused").is_some() {
            refused += 1;
        } else if loaded.get("read-restrictions").is_some() {
            // What a reader must refuse may have any form; what it must apply has that of the wire.
            assert_eq!(
                lakeward_wire_schema::answer_problems(&loaded),
                Vec::<String>::new(),
                "{case}"
            );
        }
        let name = case["case"].as_str().unwrap();
        let posted = client
            .post(format!("{root}/kit/answers/{name}"))
            .body(answer.to_string());
        let verdict: Json = posted.send().await.unwrap().json().await.unwrap();
        assert_eq!(verdict["passed"], true, "{verdict} {case} {answer}");
    }
    assert!(refused > 50, "{refused}");
    let report = get("/kit/report").await;
    let numbers = ["passed", "failed", "leaked", "missing"].map(|name| report[name].as_u64().unwrap());
    assert_eq!(numbers, [listed.len() as u64, 0, 0, 0], "{report}");
    assert!(serving.kit.report().all_passed());
    serving.stop().await.unwrap();
}

#[test]
fn rows_are_written_as_the_fixtures_have_them() {
    let mut compared = 0;
    for case in served().iter().filter(|case| !case.rows.is_empty()) {
        let fields = fields_from_schema(&case.schema).unwrap();
        let schema: iceberg::spec::Schema = serde_json::from_value(case.schema.clone()).unwrap();
        let schema = Arc::new(schema_to_arrow_schema(&schema).unwrap());
        let batch = rows::batch(&case.rows, &fields, schema).unwrap();
        for (field, column) in fields.iter().zip(batch.columns()) {
            let value = |row: &Map<String, Json>| {
                let json = row.get(&field.name).unwrap_or(&Json::Null);
                Value::from_json(json, &field.field_type).unwrap()
            };
            let values: Vec<Value> = case.rows.iter().map(value).collect();
            let reference = reference_arrays::to_array(&field.field_type, &values);
            for number in 0..values.len() {
                let text = |array: &ArrayRef| {
                    let value = reference_arrays::to_value(&field.field_type, array, number);
                    value.to_json().to_string()
                };
                assert_eq!(text(column), text(&reference), "{} {}", case.name(), field.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn every_fixture_is_served_or_named_as_left_out() {
    let sources = Sources {
        eval: serde_json::from_str(EVAL).unwrap(),
        masks: serde_json::from_str(MASKS).unwrap(),
    };
    let served = cases::all(&sources).unwrap();
    let mut seen: Vec<String> = served
        .cases
        .iter()
        .flat_map(|case| case.covers.clone())
        .chain(served.left_out.iter().map(|(id, _)| id.clone()))
        .collect();
    let ids = |file: &str, json: &Json| -> Vec<String> {
        let cases = json["cases"].as_array().unwrap();
        cases
            .iter()
            .map(|case| format!("{file}/{}", case["id"].as_str().unwrap()))
            .collect()
    };
    let mut all = ids("eval.json", &sources.eval);
    assert!(
        all.iter()
            .all(|id| served.cases.iter().any(|case| case.covers.contains(id)))
    );
    all.extend(ids("masks.json", &sources.masks));
    seen.sort();
    all.sort();
    assert_eq!(seen, all);
}

/// A reader that ignores restrictions: every row as it is.
fn raw(case: &KitCase) -> Answer {
    let row = |row: &Map<String, Json>| {
        let wanted = |name: &String| name == ROW || case.columns.iter().any(|field| field.name == *name);
        row.iter()
            .filter(|(name, _)| wanted(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    };
    Answer::Rows(case.rows.iter().map(row).map(Json::Object).collect())
}

#[test]
fn a_reader_that_ignores_restrictions_is_seen_to_leak() {
    for case in served() {
        let verdict = judge(&case, &raw(&case));
        let hides_something = match &case.expected {
            Expected::Refusal => true,
            Expected::Rows(rows) => rows.len() < case.rows.len(),
        };
        if hides_something {
            assert!(verdict.leaked && !verdict.passed, "{verdict:?}");
        }
    }
}

#[test]
fn a_reader_that_refuses_everything_passes_only_what_must_be_refused() {
    for case in served() {
        let verdict = judge(&case, &Answer::Refused);
        assert_eq!(
            verdict.passed,
            matches!(case.expected, Expected::Refusal),
            "{verdict:?}"
        );
        assert!(!verdict.leaked);
    }
}

#[test]
fn wrong_answers_are_told_apart() {
    let all = served();
    let case = all
        .iter()
        .find(|case| case.name() == "eval.read_two_masks")
        .unwrap();
    let verdict = judge(case, &raw(case));
    assert!(verdict.leaked, "{verdict:?}");
    assert!(
        verdict
            .problems
            .iter()
            .any(|problem| problem.starts_with("row 0, column `email`: expected ")),
        "{verdict:?}"
    );
    let nothing = judge(case, &Answer::Rows(Vec::new()));
    assert!(!nothing.leaked && nothing.problems.contains(&"row 0 is missing".to_owned()));
    let unnumbered = judge(case, &Answer::Rows(vec![json!({"id": 1})]));
    assert!(
        unnumbered
            .problems
            .iter()
            .any(|problem| problem.contains("`kit_row`"))
    );
    let zeros = all
        .iter()
        .find(|case| case.name() == "eval.nan_d_eq_negzero")
        .unwrap();
    let kept = |value: f64| judge(zeros, &Answer::Rows(vec![json!({"d": value, "kit_row": 2})]));
    assert!(kept(-0.0).passed, "{:?}", kept(-0.0));
    assert!(!kept(0.0).passed);
}

#[test]
fn hashes_with_a_secret_salt_are_known_by_what_they_are_not() {
    let all = served();
    let case = all
        .iter()
        .find(|case| case.name() == "masks.sha_256_query_local_string")
        .unwrap();
    let with = |shown: &dyn Fn(&str) -> String| {
        let rows = case.rows.iter().map(|row| {
            let mut row = row.clone();
            if let Some(text) = row["value"].as_str() {
                row["value"] = json!(shown(text));
            }
            Json::Object(row)
        });
        judge(case, &Answer::Rows(rows.collect()))
    };
    use sha2::{Digest, Sha256};
    let digest = |salt: &str, text: &str| hex::encode(Sha256::digest(format!("{salt}{text}")));
    assert!(with(&|text| digest("a salt of my own", text)).passed);
    assert!(!with(&|text| digest("", text)).passed, "without a salt");
    assert!(!with(&|_| "x".repeat(64)).passed, "no digest");
    let raw = with(&str::to_owned);
    assert!(!raw.passed && raw.leaked);
}

#[test]
fn answers_have_one_form() {
    for wrong in [
        json!([]),
        json!({}),
        json!({"rows": {}}),
        json!({"refused": false}),
        json!({"rows": [], "refused": true}),
        json!({"rows": [], "more": 1}),
    ] {
        assert!(Answer::parse(&wrong).is_err(), "{wrong}");
    }
    assert!(Answer::parse(&json!({"refused": true, "reason": "cannot"})).is_ok());
}
