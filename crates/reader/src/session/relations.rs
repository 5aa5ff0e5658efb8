// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What may stand behind `FROM`.
//!
//! The engine passes over decorations of a table that it does not know, such as a sample or a version. An answer
//! that silently means something else than was asked is refused instead.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{Statement, TableFactor, Visit, Visitor};

use crate::error::ReaderError;

/// Refuses decorated tables anywhere in a statement.
pub(super) fn only_plain_tables(statement: &Statement) -> Result<(), ReaderError> {
    match statement.visit(&mut PlainTables) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(what) => Err(ReaderError::Statement(format!(
            "{what} is not supported; name the table alone"
        ))),
    }
}

struct PlainTables;

impl Visitor for PlainTables {
    type Break = &'static str;

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<&'static str> {
        if let TableFactor::Derived { sample: Some(_), .. } = factor {
            return ControlFlow::Break("a sample");
        }
        let TableFactor::Table {
            version,
            sample,
            with_hints,
            partitions,
            index_hints,
            json_path,
            ..
        } = factor
        else {
            return ControlFlow::Continue(());
        };
        if version.is_some() {
            return ControlFlow::Break("time travel");
        }
        if sample.is_some() {
            return ControlFlow::Break("a sample");
        }
        if !partitions.is_empty() {
            return ControlFlow::Break("a partition of a table");
        }
        if !with_hints.is_empty() || !index_hints.is_empty() || json_path.is_some() {
            return ControlFlow::Break("a hint or path behind a table");
        }
        ControlFlow::Continue(())
    }
}
