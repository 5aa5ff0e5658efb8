// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The recorded matrix of the original, cell by cell, and how answers of ours are compared with it: where we mean to
//! differ, the difference is listed with its reason, and an unlisted one fails.

use std::collections::{BTreeMap, BTreeSet};

const RECORDED: &str = include_str!("../../../../fixtures/authorization/recorded-matrix.csv");
const PERSONAS: &str = include_str!("../../../../fixtures/authorization/personas.tsv");
const DIFFERENCES: &str = include_str!("../../../../fixtures/authorization/differences.tsv");

/// What one caller was answered to one operation.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    /// The caller's name in the recording.
    pub(crate) persona: String,
    /// What the caller holds, as `Persona::parse` reads it.
    pub(crate) holds: &'static str,
    /// The operation's name in the recording.
    pub(crate) operation: String,
    /// Whether the original allowed it.
    pub(crate) allowed: bool,
}

/// Every cell that was recorded, caller by caller.
pub(crate) fn cells() -> Vec<Cell> {
    let holds: BTreeMap<&str, &'static str> = rows(PERSONAS).map(|row| (row[0], row[1])).collect();
    let mut lines = RECORDED.lines().map(split);
    let header = lines.next().expect("header");
    let mut cells = Vec::new();
    for line in lines {
        for (operation, cell) in header.iter().zip(&line).skip(1) {
            let allowed = match cell.get(..3) {
                Some("200") => true,
                Some("403") => false,
                _ => continue,
            };
            cells.push(Cell {
                persona: line[0].clone(),
                holds: holds[line[0].as_str()],
                operation: operation.clone(),
                allowed,
            });
        }
    }
    cells
}

/// The rows of a table of the fixtures below its head.
pub(crate) fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().skip(1).map(|line| line.split('\t').collect())
}

/// Answers of ours beside the recorded ones.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    compared: usize,
    used: BTreeSet<usize>,
    wrong: Vec<String>,
}

impl Comparison {
    /// Takes our answer to a cell.
    pub(crate) fn add(&mut self, cell: &Cell, ours: bool) {
        self.compared += 1;
        if ours == cell.allowed {
            return;
        }
        let status = if ours { "200" } else { "403" };
        let meant = rows(DIFFERENCES)
            .position(|row| row[0] == cell.operation && cell.persona.contains(row[1]) && row[2] == status);
        match meant {
            Some(index) => {
                self.used.insert(index);
            }
            None => self.wrong.push(format!(
                "{} / {}: recorded {}, ours {ours}",
                cell.persona, cell.operation, cell.allowed
            )),
        }
    }

    /// Fails for differences that are not listed, for listed ones that do not occur, and for too few cells.
    pub(crate) fn end(self) {
        let (wrong, compared) = (&self.wrong, self.compared);
        assert!(
            wrong.is_empty(),
            "{} of {compared} differ:\n{}",
            wrong.len(),
            wrong.join("\n")
        );
        assert!(compared > 5000, "only {compared} cells were compared");
        assert_eq!(
            self.used.len(),
            rows(DIFFERENCES).count(),
            "a listed difference no longer occurs: {:?}",
            self.used
        );
    }
}

/// Cells of one line; names with commas are quoted.
fn split(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for character in line.chars() {
        match character {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            character => cells.last_mut().expect("one").push(character),
        }
    }
    cells
}
