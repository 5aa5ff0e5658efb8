// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The project's own fixtures pass, and failures are told.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Value, json};

use super::kit::KIT_VERSION;
use super::report::{CaseReport, FileReport, same};
use super::{RUNNERS, run_file, run_files};

fn fixtures() -> PathBuf {
    std::env::var_os("LAKEWARD_CONFORMANCE").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/conformance"),
        PathBuf::from,
    )
}

#[test]
fn every_fixture_passes() {
    for (name, runner) in RUNNERS {
        let report = run_file(name, &fixtures().join(name), runner).unwrap();
        let failed: Vec<&CaseReport> = report.failed().collect();
        assert!(failed.is_empty(), "{name}: {failed:#?}");
    }
}

#[test]
fn failures_and_broken_fixtures_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let run = || run_files(directory.path(), true);
    assert!(run().is_err(), "an empty folder proves nothing");
    let cases = json!({"cases": [
        {"id": "right", "action": "mask-alphanum", "type": "string", "input": "a1", "expect": {"output": "xn"}},
        {"id": "wrong", "action": "mask-alphanum", "type": "string", "input": "a1", "expect": {"output": "xx"}},
        {"id": "broken", "action": "mask-alphanum", "type": "nope", "expect": {"output": "xx"}},
        {"action": "mask-alphanum", "type": "string"},
    ]});
    let path = directory.path().join("masks.json");
    std::fs::write(&path, cases.to_string()).unwrap();
    let report = run_file("masks.json", &path, super::masks::run).unwrap();
    let failed: Vec<&str> = report.failed().map(|case| case.id.as_str()).collect();
    assert_eq!(failed, ["wrong", "broken", "#3"]);
    assert_eq!(
        format!("{:?}", run().unwrap()),
        format!("{:?}", ExitCode::FAILURE)
    );
    std::fs::write(&path, r#"{"cases":[]}"#).unwrap();
    assert!(run().is_err());
}

#[test]
fn reports_have_the_promised_form() {
    let report = FileReport {
        file: "masks.json",
        cases: vec![CaseReport {
            id: "one".to_owned(),
            passed: false,
            expect: json!({"output": -0.0}),
            actual: json!({"output": 0.0}),
        }],
    };
    let mut lines = Vec::new();
    report.write_lines(&mut lines).unwrap();
    assert_eq!(
        String::from_utf8(lines).unwrap(),
        "{\"file\":\"masks.json\",\"id\":\"one\",\"passed\":false,\"expect\":{\"output\":-0.0},\"actual\":{\"output\":0.0}}\n"
    );
    let mut text = Vec::new();
    report.write_text(&mut text).unwrap();
    assert!(
        String::from_utf8(text)
            .unwrap()
            .starts_with("masks.json: 0 passed, 1 failed\n  failed one\n")
    );
}

#[test]
fn answers_are_compared_exactly() {
    let check = |expect: Value, actual: Value, expected: bool| assert_eq!(same(&expect, &actual), expected);
    check(json!({"a": 1, "b": [null]}), json!({"b": [null], "a": 1}), true);
    check(json!(-0.0), json!(0.0), false);
    check(json!(1), json!(1.0), false);
    check(json!([1]), json!([1, 2]), false);
    check(json!({"a": 1}), json!({"a": 1, "b": 2}), false);
}

#[test]
fn the_version_is_that_of_the_fixtures() {
    let kit: Value = serde_json::from_str(include_str!("../../../../fixtures/conformance-kit.json")).unwrap();
    assert_eq!(kit.get("kit-version"), Some(&json!(KIT_VERSION)));
}
