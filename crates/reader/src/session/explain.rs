// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `EXPLAIN`: what the engine would do, and what is enforced on each table.
//!
//! A plan must not tell what the barrier hides: how many files a table has, which of them a filter leaves, what a
//! filter compares with. So nothing is planned of files ([`Explaining`]), and the plan is the same for any data; of a
//! filter is said only that there is one. Actual figures (`ANALYZE`) and forms that nobody looked through are refused.

use std::sync::Arc;

use arrow::array::StringArray;
use arrow::datatypes::SchemaRef as ArrowSchemaRef;
use arrow::record_batch::RecordBatch;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::sql::parser::ExplainStatement;
use futures::{StreamExt as _, stream};

use super::TableUse;
use crate::error::ReaderError;
use crate::table_version::TableVersion;

/// Set in an engine whose plans are only shown: tables plan no files then.
#[derive(Debug)]
pub(crate) struct Explaining;

/// Refuses forms of `EXPLAIN` that show more than a plan.
pub(super) fn only_plans(explain: &ExplainStatement) -> Result<(), ReaderError> {
    let refused = |what: &str| {
        Err(ReaderError::Statement(format!(
            "{what} is not allowed; `EXPLAIN` and `EXPLAIN FORMAT TREE` show the plan"
        )))
    };
    if explain.analyze {
        return refused("`EXPLAIN ANALYZE`, which would show how many hidden rows were read,");
    }
    if explain.verbose {
        return refused("`EXPLAIN VERBOSE`, which shows inner states of the engine,");
    }
    match explain.format.as_deref().map(str::to_ascii_lowercase).as_deref() {
        None | Some("indent" | "tree") => Ok(()),
        Some(other) => refused(&format!("`EXPLAIN FORMAT {other}`")),
    }
}

/// The rows of an explanation with what is enforced before them.
pub(super) fn with_restrictions(
    rows: SendableRecordBatchStream,
    tables: &[TableUse],
) -> Result<SendableRecordBatchStream, ReaderError> {
    let schema: ArrowSchemaRef = rows.schema();
    let lines: Vec<String> = tables.iter().map(line).collect();
    let lines = if lines.is_empty() {
        "no table is read".to_owned()
    } else {
        lines.join("\n")
    };
    let first = RecordBatch::try_new(
        Arc::clone(&schema),
        vec![
            Arc::new(StringArray::from(vec!["restrictions"])),
            Arc::new(StringArray::from(vec![lines])),
        ],
    )
    .map_err(|cause| ReaderError::Query(cause.to_string()))?;
    let rows = stream::once(std::future::ready(Ok(first))).chain(rows);
    Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
}

/// What is enforced on a table, in one line.
fn line(used: &TableUse) -> String {
    let state = match (&used.version, used.snapshot) {
        (_, None) => "no snapshot".to_owned(),
        (TableVersion::Current, Some(id)) => format!("snapshot {id}"),
        (version, Some(id)) => format!("{version}: snapshot {id}"),
    };
    let filter = if used.filtered {
        "a required row filter applies"
    } else {
        "all rows"
    };
    let masks: Vec<String> = used
        .masks
        .iter()
        .map(|(column, action)| format!("{column} ({action})"))
        .collect();
    let masks = if masks.is_empty() {
        "no masked columns".to_owned()
    } else {
        format!("masked columns: {}", masks.join(", "))
    };
    format!("{} ({state}): {filter}; {masks}", used.name)
}
