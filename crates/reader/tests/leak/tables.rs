// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The tables: what is in them, and how it lies in files.
//!
//! Texts, numbers and dates that a policy may hide occur once in all tables, so that one of them in the wrong place
//! tells where it came from. Values are made by fixed seeds: the seed of a run decides the queries, not the tables.

mod content;
mod views;
mod writer;

use std::path::Path;

use lakeward_read_restrictions::field::{Field, FieldType};
use lakeward_read_restrictions::value::Value;
use serde_json::Value as Json;

/// Values of the fields in their order.
pub(crate) type Row = Vec<Value>;

/// What a table shows at one snapshot.
#[derive(Debug, Clone)]
pub(crate) struct Version {
    /// What stands in place of the table's name to ask for it; empty for the current one.
    pub(crate) asked: String,
    /// The snapshot, unless it is the current one.
    pub(crate) snapshot: Option<i64>,
    /// For a view of the current version, the positions of its columns there.
    pub(crate) view_of: Option<Vec<usize>>,
    /// The fields of that snapshot's schema, of the table's for the current one, or of the view.
    pub(crate) fields: Vec<Field>,
    /// The rows that are not deleted.
    pub(crate) rows: Vec<Row>,
}

/// One table.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    /// Its name in SQL.
    pub(crate) name: &'static str,
    /// The metadata that a server answers.
    pub(crate) metadata: Json,
    /// The answer for the view of the table.
    pub(crate) view: Json,
    /// The current version first.
    pub(crate) versions: Vec<Version>,
}

impl Table {
    /// What is shown without asking for a version.
    pub(crate) fn current(&self) -> &Version {
        &self.versions[0]
    }

    /// What the view is called.
    pub(crate) fn view_name(&self) -> String {
        views::name_of(self.name)
    }
}

/// Writes all tables below a folder.
pub(crate) async fn all(folder: &Path) -> Vec<Table> {
    let mut tables = Vec::new();
    for plan in content::plans() {
        tables.push(writer::write(folder, plan).await);
    }
    tables
}

/// One file of a table under construction.
pub(crate) struct FilePlan {
    pub(crate) rows: Vec<Row>,
    /// Positions that a delete file removes.
    pub(crate) deleted: Vec<usize>,
}

/// How a column is partitioned: its id and the name of the transform.
pub(crate) type PartitionPlan = (i32, &'static str, iceberg::spec::Transform);

/// A table before it is written.
pub(crate) struct Plan {
    pub(crate) name: &'static str,
    /// The schema of the first files.
    pub(crate) schema: Json,
    pub(crate) partition: Vec<PartitionPlan>,
    pub(crate) rows_per_group: usize,
    pub(crate) files: Vec<FilePlan>,
    /// What happens to the schema after the first files.
    pub(crate) evolution: Option<Evolution>,
}

/// A change of the schema: one more optional column, files with it, and then a schema that says everything anew.
pub(crate) struct Evolution {
    /// Name of the added text column.
    pub(crate) added: &'static str,
    /// Files written after it was added; their rows have one more value.
    pub(crate) files: Vec<FilePlan>,
    /// The fields of the last schema, in which columns are renamed, reordered and promoted.
    pub(crate) fields: Json,
    /// For each field of the last schema the position in the rows of the later files.
    pub(crate) order: Vec<usize>,
}

/// The value in the type that a promoted column has.
pub(crate) fn promoted(value: Value, field_type: &FieldType) -> Value {
    match (value, field_type) {
        (Value::Int(value), FieldType::Long) => Value::Long(i64::from(value)),
        (Value::Float(value), FieldType::Double) => Value::Double(f64::from(value)),
        (Value::Decimal { unscaled, scale, .. }, FieldType::Decimal { precision, .. }) => Value::Decimal {
            unscaled,
            precision: *precision,
            scale,
        },
        (value, _) => value,
    }
}
