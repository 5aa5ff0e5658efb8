// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The ways in which one statement is run.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arrow::array::{ArrayRef, Float64Array, Int64Array, StringArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use arrow::record_batch::RecordBatch;
use lakeward_reader::session::Session;
use lakeward_reader::session::resources::{Limit, ResourceSettings, Resources, Share, SpillSettings};
use lakeward_reader::session::spill_folder::SpillFolder;
use tempfile::TempDir;

use crate::choices::Choices;

/// How a statement is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// At once, with plenty of memory.
    Plain,
    /// Prepared while nothing is restricted, and run with its values as parameters under the restrictions of the case.
    Prepared,
    /// With so little memory that what is sorted goes to the disk, and what cannot go there is refused.
    Short,
    /// Given up before its rows have come.
    Cancelled,
}

impl Way {
    /// Mostly plain.
    pub(crate) fn of(choices: &mut Choices) -> Self {
        match choices.weighted(&[56, 20, 18, 6]) {
            0 => Self::Plain,
            1 => Self::Prepared,
            2 => Self::Short,
            _ => Self::Cancelled,
        }
    }

    /// Its name in a report.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plain => "run at once",
            Self::Prepared => "run with parameters, prepared under another policy",
            Self::Short => "run in little memory",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Memory of one query that has little, from what refuses much to what suffices for most of the small tables.
const LITTLE: [usize; 4] = [4 * 1024, 8 * 1024, 16 * 1024, 48 * 1024];
const PLENTY: usize = 1 << 30;

/// Little memory and a folder for what does not fit, of one user.
pub(crate) struct Disk {
    resources: Resources,
    folder: PathBuf,
    _parent: TempDir,
}

impl Disk {
    /// With one of several small memories.
    pub(crate) fn new(number: usize) -> Self {
        let little = LITTLE[number % LITTLE.len()];
        let parent = tempfile::tempdir().unwrap();
        let limit = |bytes, setting| Limit { bytes, setting };
        let folder = SpillFolder::create(&parent.path().join("spilled")).unwrap();
        let path = folder.path().to_owned();
        let resources = Resources::new(ResourceSettings {
            memory: limit(PLENTY, "--memory"),
            memory_per_user: limit(PLENTY, "--memory-per-user"),
            memory_per_query: limit(little, "--memory-per-query"),
            queries: 1,
            spill: Some(SpillSettings {
                folder,
                total: limit(PLENTY, "--spill-limit"),
                per_query: limit(PLENTY, "--spill-limit-per-query"),
            }),
        });
        Self {
            resources,
            folder: path,
            _parent: parent,
        }
    }

    pub(crate) fn share(&self, user: &str) -> Share {
        self.resources.of_user(user)
    }

    /// Bytes that were ever spilled.
    pub(crate) fn spilled(&self) -> u64 {
        self.resources.usage().spilled_in_all
    }

    /// What lies in the files of queries that run.
    pub(crate) fn content(&self) -> Vec<u8> {
        let mut content = Vec::new();
        read_below(&self.folder, &mut content);
        content
    }

    /// Waits until no query holds anything; tasks that were given up may take a moment to end. What is left then is told.
    pub(crate) async fn rest(&self) -> Option<String> {
        for _ in 0..6000 {
            let usage = self.resources.usage();
            // One file marks the folder as in use.
            let entries = self.folder.read_dir().unwrap().count() - 1;
            if (usage.queries, usage.memory_reserved, usage.spilled_files, entries) == (0, 0, 0, 0) {
                return None;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Some(format!("{:?}", self.resources.usage()))
    }
}

fn read_below(folder: &Path, content: &mut Vec<u8>) {
    // Files vanish while they are looked at.
    let Ok(entries) = folder.read_dir() else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            read_below(&path, content);
        } else if let Ok(bytes) = std::fs::read(&path) {
            content.extend(bytes);
        }
    }
}

/// What an error says when there is too little memory.
pub(crate) fn is_exhaustion(text: &str) -> bool {
    text.contains("not enough memory")
}

/// The sessions of one user: they are kept, as a pooled connection keeps them.
pub(crate) struct Asker {
    pub(crate) user: String,
    pub(crate) plain: Session,
    pub(crate) short: Session,
    pub(crate) disk: Disk,
}

/// Literals as a row of parameters.
pub(crate) fn parameters(literals: &[String]) -> Option<RecordBatch> {
    let columns = literals
        .iter()
        .enumerate()
        .map(|(at, literal)| (format!("p{at}"), parameter(literal)));
    (!literals.is_empty()).then(|| RecordBatch::try_from_iter(columns).unwrap())
}

fn parameter(literal: &str) -> ArrayRef {
    let unquoted = |text: &str| text.trim_matches('\'').replace("''", "'");
    if let Some(day) = literal.strip_prefix("date ") {
        let text = StringArray::from(vec![unquoted(day)]);
        return cast(&text, &DataType::Date32).unwrap();
    }
    if literal.starts_with('\'') {
        return Arc::new(StringArray::from(vec![unquoted(literal)]));
    }
    match literal.parse::<i64>() {
        Ok(number) => Arc::new(Int64Array::from(vec![number])),
        Err(_) => Arc::new(Float64Array::from(vec![literal.parse::<f64>().unwrap()])),
    }
}
