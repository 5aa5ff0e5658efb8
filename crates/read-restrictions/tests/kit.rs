// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The fixtures as a kit: every file has the form that is documented, and is the one that the kit's version names.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::collections::BTreeSet;
use std::path::PathBuf;

use lakeward_read_restrictions::specification::SPECIFICATION_REVISION;
use lakeward_wire_schema::Schema;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures")
        .join(name)
}

fn json(name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path(name)).unwrap()).unwrap()
}

fn schema() -> Schema {
    Schema::parse(&std::fs::read_to_string(path("conformance.schema.json")).unwrap()).unwrap()
}

#[test]
fn every_fixture_file_has_the_documented_form() {
    let schema = schema();
    for entry in std::fs::read_dir(path("conformance")).unwrap() {
        let file = entry.unwrap().path();
        let kind = file.file_stem().unwrap().to_str().unwrap();
        let content = json(&format!("conformance/{kind}.json"));
        let problems = schema.problems_by(kind, &content).unwrap();
        assert!(problems.is_empty(), "{kind}: {problems:#?}");
        let cases = content["cases"].as_array().unwrap();
        let ids: BTreeSet<&str> = cases.iter().map(|case| case["id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), cases.len(), "{kind}: an id is used twice");
        for case in cases {
            for (member, group) in [("schema", "schemas"), ("context", "contexts")] {
                if let Some(name) = case.get(member).and_then(Value::as_str) {
                    assert!(
                        content[group].get(name).is_some(),
                        "{kind}/{}: no {member} `{name}`",
                        case["id"]
                    );
                }
            }
        }
    }
}

#[test]
fn a_fixture_of_another_form_is_refused() {
    let mut content = json("conformance/masks.json");
    let schema = schema();
    assert!(schema.problems(&content).is_empty());
    content["cases"][0]["inptu"] = json!(1);
    assert!(!schema.problems(&content).is_empty());
}

/// Whoever changes a fixture names a new version of the kit (docs/conformance-kit.md says which).
#[test]
fn the_version_of_the_kit_names_these_very_files() {
    let kit = json("conformance-kit.json");
    assert_eq!(kit["specification-revision"], SPECIFICATION_REVISION);
    let files: serde_json::Map<String, Value> = std::fs::read_dir(path("conformance"))
        .unwrap()
        .map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let bytes = std::fs::read(path("conformance").join(&name)).unwrap();
            let content: Value = serde_json::from_slice(&bytes).unwrap();
            let cases = content["cases"].as_array().unwrap().len();
            let digest = hex::encode(Sha256::digest(&bytes));
            (name, json!({"cases": cases, "sha-256": digest}))
        })
        .collect();
    assert_eq!(kit["files"], Value::Object(files));
}
