// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the reader under test has come to so far.

use std::fmt::Write as _;

use serde::Serialize;

use super::verdict::Verdict;
use crate::conformance::kit::{KIT_VERSION, revision_line};
use lakeward_read_restrictions::specification::SPECIFICATION_REVISION;

/// All cases, with what was answered.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::conformance) struct Report {
    kit_version: &'static str,
    specification_revision: &'static str,
    pub(super) passed: usize,
    pub(super) failed: usize,
    /// Failed cases in which a hidden row or value was returned.
    pub(super) leaked: usize,
    /// Cases without an answer.
    pub(super) missing: usize,
    verdicts: Vec<Verdict>,
    unanswered: Vec<String>,
}

impl Report {
    pub(super) fn new(verdicts: Vec<Verdict>, unanswered: Vec<String>) -> Self {
        let count = |wanted: fn(&Verdict) -> bool| verdicts.iter().filter(|verdict| wanted(verdict)).count();
        Self {
            kit_version: KIT_VERSION,
            specification_revision: SPECIFICATION_REVISION,
            passed: count(|verdict| verdict.passed),
            failed: count(|verdict| !verdict.passed),
            leaked: count(|verdict| verdict.leaked),
            missing: unanswered.len(),
            verdicts,
            unanswered,
        }
    }

    /// Whether every case was answered, and rightly.
    pub(in crate::conformance) fn all_passed(&self) -> bool {
        self.failed == 0 && self.missing == 0
    }

    /// For people: the numbers, then what is wrong.
    pub(in crate::conformance) fn text(&self) -> String {
        let mut text = format!(
            "{}\n{} passed, {} failed, {} of them showing what is hidden, {} missing\n",
            revision_line(),
            self.passed,
            self.failed,
            self.leaked,
            self.missing
        );
        for verdict in self.verdicts.iter().filter(|verdict| !verdict.passed) {
            let leak = if verdict.leaked {
                " (shows what is hidden)"
            } else {
                ""
            };
            let _ = writeln!(text, "failed {}{leak}", verdict.case);
            for problem in &verdict.problems {
                let _ = writeln!(text, "    {problem}");
            }
        }
        for case in &self.unanswered {
            let _ = writeln!(text, "missing {case}");
        }
        text
    }
}
