// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What came of the cases of one file.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

/// One case.
#[derive(Debug)]
pub(super) struct CaseReport {
    pub(super) id: String,
    pub(super) passed: bool,
    pub(super) expect: Value,
    pub(super) actual: Value,
}

/// All cases of one file.
#[derive(Debug)]
pub(super) struct FileReport {
    pub(super) file: &'static str,
    pub(super) cases: Vec<CaseReport>,
}

/// The line of one case with `--json`.
#[derive(Serialize)]
struct Line<'a> {
    file: &'static str,
    id: &'a str,
    passed: bool,
    expect: &'a Value,
    actual: &'a Value,
}

impl FileReport {
    pub(super) fn failed(&self) -> impl Iterator<Item = &CaseReport> {
        self.cases.iter().filter(|case| !case.passed)
    }

    /// One line of JSON per case.
    pub(super) fn write_lines(&self, out: &mut impl Write) -> io::Result<()> {
        for case in &self.cases {
            let line = Line {
                file: self.file,
                id: &case.id,
                passed: case.passed,
                expect: &case.expect,
                actual: &case.actual,
            };
            serde_json::to_writer(&mut *out, &line)?;
            writeln!(out)?;
        }
        Ok(())
    }

    /// For people: how many passed and failed, then the failed ones.
    pub(super) fn write_text(&self, out: &mut impl Write) -> io::Result<()> {
        let failed = self.failed().count();
        let passed = self.cases.len() - failed;
        writeln!(out, "{}: {passed} passed, {failed} failed", self.file)?;
        for case in self.failed() {
            writeln!(out, "  failed {}", case.id)?;
            writeln!(out, "    expect {}", case.expect)?;
            writeln!(out, "    actual {}", case.actual)?;
        }
        Ok(())
    }
}

/// Whether two answers are the same. The order of members does not count here (`bind.rs`, whose answers are canonical, looks
/// at it itself); numbers are compared by their text, so that `-0.0`, `0.0` and `0` all differ.
pub(super) fn same(expect: &Value, actual: &Value) -> bool {
    match (expect, actual) {
        (Value::Number(expect), Value::Number(actual)) => expect.to_string() == actual.to_string(),
        (Value::Array(expect), Value::Array(actual)) => {
            expect.len() == actual.len()
                && expect
                    .iter()
                    .zip(actual)
                    .all(|(expect, actual)| same(expect, actual))
        }
        (Value::Object(expect), Value::Object(actual)) => {
            expect.len() == actual.len()
                && expect
                    .iter()
                    .all(|(name, expect)| actual.get(name).is_some_and(|actual| same(expect, actual)))
        }
        (
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_),
            _,
        ) => expect == actual,
    }
}
