// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The cases of `eval.json`, `masks.json`, `capabilities.json` and `cache.json`. `LAKEWARD_CONFORMANCE` names another
//! directory of fixtures.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use std::collections::HashMap;
use std::path::PathBuf;

use lakeward_read_restrictions::action::{MaskAction, QuerySalt};
use lakeward_read_restrictions::admission::{NotAdmitted, Trust, TrustedReader, Ungoverned, admit};
use lakeward_read_restrictions::cache_identity::CacheIdentity;
use lakeward_read_restrictions::capabilities::Capabilities;
use lakeward_read_restrictions::error::ReaderError;
use lakeward_read_restrictions::evaluate::evaluate;
use lakeward_read_restrictions::field::Field;
use lakeward_read_restrictions::json::parse_strict;
use lakeward_read_restrictions::predicate::Predicate;
use lakeward_read_restrictions::restrictions::ReadRestrictions;
use lakeward_read_restrictions::schema::fields_from_schema;
use lakeward_read_restrictions::value::Value;
use serde_json::{Map, Value as Json, json};

/// Runs every case of a file and reports all failures together. The answer is compared as text, so that `-0.0` and `0.0` differ.
fn run(file: &str, case: impl Fn(&Json, &Json) -> Json) {
    let directory = std::env::var("LAKEWARD_CONFORMANCE").map_or_else(
        |_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/conformance"),
        PathBuf::from,
    );
    let text = std::fs::read_to_string(directory.join(file)).unwrap();
    let fixtures = parse_strict(&text).unwrap();
    let cases = fixtures["cases"].as_array().unwrap();
    assert!(!cases.is_empty());
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|fixture| {
            let actual = case(&fixtures, fixture).to_string();
            let expected = fixture["expect"].to_string();
            (actual != expected).then(|| format!("{}: expected {expected}, got {actual}", fixture["id"]))
        })
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {} failed:\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
}

fn reader_error(_: ReaderError) -> Json {
    json!({"error": "reader"})
}

fn salt(fixture: &Json) -> Option<QuerySalt> {
    let bytes = hex::decode(fixture.get("salt")?.as_str()?).unwrap();
    QuerySalt::new(bytes).ok()
}

type Row = HashMap<i32, Value>;

fn rows(fixture: &Json, fields: &[Field]) -> Vec<Row> {
    let read = |row: &Json| {
        fields
            .iter()
            .map(|field| {
                let json = row.get(&field.name).unwrap_or(&Json::Null);
                (field.id, Value::from_json(json, &field.field_type).unwrap())
            })
            .collect()
    };
    fixture["rows"].as_array().unwrap().iter().map(read).collect()
}

fn kept(filter: Option<&Predicate>, row: &Row) -> Result<bool, ReaderError> {
    match filter {
        None => Ok(true),
        Some(filter) => evaluate(filter, &|id| row.get(&id).unwrap_or(&Value::Null)),
    }
}

fn evaluate_case(fixture: &Json, fields: &[Field]) -> Result<Json, ReaderError> {
    let rows = rows(fixture, fields);
    if let Some(filter) = fixture.get("filter") {
        let restrictions = ReadRestrictions::parse(&json!({"required-row-filter": filter}), fields)?;
        let filter = restrictions.row_filter().map(|filter| filter.predicate());
        let mut indexes = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            if kept(filter, row)? {
                indexes.push(index);
            }
        }
        return Ok(json!({"kept": indexes}));
    }
    let restrictions = ReadRestrictions::parse(&fixture["restrictions"], fields)?;
    let projected: Option<Vec<&str>> = fixture.get("projected").map(|names| {
        names
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap())
            .collect()
    });
    let salt = salt(fixture);
    let mut shown = Vec::new();
    for (row, json) in rows.iter().zip(fixture["rows"].as_array().unwrap()) {
        if !kept(restrictions.row_filter().map(|filter| filter.predicate()), row)? {
            continue;
        }
        let mut members = Map::new();
        for field in fields {
            let is_read = projected.as_ref().map_or_else(
                || json.get(&field.name).is_some(),
                |names| names.contains(&field.name.as_str()),
            );
            if !is_read {
                continue;
            }
            let value = match restrictions.action_of(field.id) {
                None => row[&field.id].clone(),
                Some(action) => action.apply(&field.field_type, &row[&field.id], salt.as_ref())?,
            };
            members.insert(field.name.clone(), value.to_json());
        }
        shown.push(Json::Object(members));
    }
    Ok(json!({"rows": shown}))
}

#[test]
fn filters_and_reads() {
    run("eval.json", |fixtures, fixture| {
        let fields = fields_from_schema(&fixtures["schemas"][fixture["schema"].as_str().unwrap()]).unwrap();
        evaluate_case(fixture, &fields).unwrap_or_else(reader_error)
    });
}

fn masked_field(fixture: &Json) -> Field {
    let schema = json!({"type": "struct", "fields": [
        {"id": 1, "name": "c", "type": fixture["type"], "required": fixture.get("required").unwrap_or(&Json::Bool(false))},
    ]});
    fields_from_schema(&schema).unwrap().remove(0)
}

#[test]
fn masks() {
    run("masks.json", |_, fixture| {
        let field = masked_field(fixture);
        let Some(action) = MaskAction::from_name(fixture["action"].as_str().unwrap()) else {
            return json!({"error": "action"});
        };
        if action.applies_to(&field).is_err() {
            return json!({"error": "action"});
        }
        let Some(input) = fixture.get("input") else {
            return json!({"applicable": true});
        };
        let value = Value::from_json(input, &field.field_type).unwrap();
        match action.apply(&field.field_type, &value, salt(fixture).as_ref()) {
            Ok(output) => json!({"output": output.to_json()}),
            Err(error) => reader_error(error),
        }
    });
}

#[test]
fn capability_headers() {
    run("capabilities.json", |_, fixture| {
        let lines: Vec<&[u8]> = fixture["headers"]
            .as_array()
            .map(|lines| {
                lines
                    .iter()
                    .map(|line| line.as_str().unwrap().as_bytes())
                    .collect()
            })
            .unwrap_or_default();
        let capabilities = Capabilities::parse(&lines);
        let trusted = Trust::Trusted(TrustedReader {
            name: "reader".to_owned(),
            revision: 1,
        });
        let active = ReadRestrictions::combine(Some(Predicate::Constant(false)), []).unwrap();
        let status = |restrictions: &ReadRestrictions, trust: &Trust| match admit(
            Ungoverned::new(()),
            restrictions.clone(),
            &capabilities,
            trust,
        ) {
            Ok(governed) => {
                assert_eq!(governed.restrictions().is_some(), restrictions.is_active());
                200
            }
            Err(NotAdmitted::NotAcceptable) => 406,
            Err(NotAdmitted::UntrustedReader | NotAdmitted::Distrusted(_)) => 403,
        };
        json!({
            "declared": capabilities.declared().collect::<Vec<_>>(),
            "active_trusted": status(&active, &trusted),
            "active_untrusted": status(&active, &Trust::Untrusted),
            "inactive": status(&ReadRestrictions::none(), &Trust::Untrusted),
        })
    });
}

fn etag(part: &Json) -> String {
    let reader = part["reader"].as_str().map(|reader| {
        let (name, revision) = reader.rsplit_once('@').unwrap();
        (name, revision.parse().unwrap())
    });
    CacheIdentity {
        metadata: &[part["metadata"].as_str().unwrap()],
        subject: part["subject"].as_str(),
        groups: None,
        identity_revision: part["identity-revision"].as_i64().unwrap(),
        policy_revision: part["policy-revision"].as_i64().unwrap(),
        tag_revision: part["tag-revision"].as_i64().unwrap(),
        schema_revision: part["schema-revision"].as_i64().unwrap(),
        restriction_signature: part["restriction-signature"].as_str(),
        capability: part["capability"].as_str(),
        reader,
    }
    .etag()
}

#[test]
fn cache_identities() {
    run(
        "cache.json",
        |_, fixture| json!({"reusable": etag(&fixture["base"]) == etag(&fixture["other"])}),
    );
}
