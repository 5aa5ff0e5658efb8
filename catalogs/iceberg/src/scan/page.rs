// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! One answer to a scan while it fills.

use std::collections::HashMap;

use lakeward_catalog::scan::{ScanPart, ScanTasks};
use serde_json::value::{RawValue, to_raw_value};

use super::Question;
use super::content_file::{content_file, put_statistics};
use super::deletes::Deletes;
use super::facts::evaluate;
use super::filter::Term;
use super::known::{PartitionField, exactly, fields_of, of_metrics, of_partition};
use super::outcome::Outcomes;
use crate::manifest::{Doubt, Entry, Read};

/// How many tasks one answer has.
const MAX_TASKS: usize = 5_000;
/// How many bytes of JSON one answer has before it takes no further task.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Tasks with the deletes that they refer to.
#[derive(Debug)]
pub(super) struct Page {
    question: Question,
    deletes: Deletes,
    tasks: Vec<Box<RawValue>>,
    /// What is referred to, and where in the answer it is.
    referred: Vec<Box<RawValue>>,
    places: HashMap<usize, usize>,
    bytes: usize,
}

impl Page {
    pub(super) fn new(question: Question, deletes: Deletes) -> Self {
        Self {
            question,
            deletes,
            tasks: Vec::new(),
            referred: Vec::new(),
            places: HashMap::new(),
            bytes: 0,
        }
    }

    /// Adds the tasks of a manifest without its first entries, as far as there is place: gives how many entries are done
    /// with when there is none left.
    ///
    /// # Errors
    /// For entries that cannot be followed.
    pub(super) fn add(mut self, read: &Read, skipped: usize) -> Result<(Self, Option<usize>), Doubt> {
        let fields = fields_of(&read.spec);
        for (position, entry) in read.entries.iter().enumerate().skip(skipped) {
            if !self.question.wants(entry) {
                continue;
            }
            let outcomes = self.outcomes(entry, &fields);
            if !outcomes.may_select() {
                continue;
            }
            if self.tasks.len() >= MAX_TASKS || self.bytes >= MAX_BYTES {
                return Ok((self, Some(position)));
            }
            self.push(entry, outcomes)?;
        }
        Ok((self, None))
    }

    fn outcomes(&self, entry: &Entry, fields: &[PartitionField]) -> Outcomes {
        let partition = exactly(entry.file.partition(), &entry.partition_type);
        evaluate(&self.question.filter, &|term: &Term| {
            let mut known = of_partition(term, fields, &partition);
            known.push(of_metrics(term, &entry.file));
            known
        })
    }

    fn push(&mut self, entry: &Entry, outcomes: Outcomes) -> Result<(), Doubt> {
        let mut file = content_file(entry)?;
        put_statistics(&mut file, &entry.file, &self.question.stats)?;
        let mut references = Vec::new();
        for position in self.deletes.of(entry)? {
            references.push(self.place_of(position)?);
        }
        let residual = if outcomes.select_all() {
            "true"
        } else {
            &self.question.residual
        };
        let residual = RawValue::from_string(residual.to_owned()).map_err(untold)?;
        let task = Task {
            data_file: file,
            delete_file_references: references,
            residual_filter: residual,
        };
        let task = to_raw_value(&task).map_err(untold)?;
        self.bytes = self.bytes.saturating_add(task.get().len());
        self.tasks.push(task);
        Ok(())
    }

    /// Where in the answer a file of deletes is.
    fn place_of(&mut self, position: usize) -> Result<usize, Doubt> {
        if let Some(place) = self.places.get(&position) {
            return Ok(*place);
        }
        let file = self.deletes.json(position);
        let file = file
            .ok_or_else(|| Doubt::of("a file of deletes is not there"))?
            .to_owned();
        let place = self.referred.len();
        self.bytes = self.bytes.saturating_add(file.get().len());
        self.referred.push(file);
        self.places.insert(position, place);
        Ok(place)
    }

    /// The answer.
    pub(super) fn into_tasks(self, rest: Vec<ScanPart>) -> ScanTasks {
        ScanTasks {
            tasks: self.tasks,
            deletes: self.referred,
            rest,
        }
    }
}

#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
struct Task {
    data_file: serde_json::Map<String, serde_json::Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    delete_file_references: Vec<usize>,
    residual_filter: Box<RawValue>,
}

fn untold(error: serde_json::Error) -> Doubt {
    Doubt::of(format!("a file of it cannot be told of: {error}"))
}
