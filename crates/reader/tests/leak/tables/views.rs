// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A view of each table: fewer columns in another order. Its rows are those that the asker may see of the table.

use lakeward_read_restrictions::field::FieldType;
use serde_json::{Value as Json, json};

use super::Version;

pub(super) fn name_of(table: &str) -> String {
    format!("{table}_view")
}

/// The version of a table that its view shows, and the answer of a server for the view.
pub(super) fn of(table: &str, current: &Version) -> (Version, Json) {
    let columns: Vec<usize> = (0..current.fields.len())
        .rev()
        .filter(|at| is_portable(&current.fields[*at].field_type))
        .collect();
    let fields: Vec<_> = columns.iter().map(|at| current.fields[*at].clone()).collect();
    let rows = current
        .rows
        .iter()
        .map(|row| columns.iter().map(|at| row[*at].clone()).collect())
        .collect();
    let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    let sql = format!("SELECT {} FROM {table}", names.join(", "));
    let schema: Vec<Json> = fields
        .iter()
        .enumerate()
        .map(|(id, field)| {
            json!({"id": id, "name": field.name, "type": field.field_type.to_string(), "required": false})
        })
        .collect();
    let answer = json!({
        "metadata-location": "file:///v.json",
        "metadata": {
            "view-uuid": "fa6506c3-7681-40c8-86dc-e36561f83385", "format-version": 1, "location": "file:///v",
            "current-version-id": 1, "properties": {}, "version-log": [],
            "schemas": [{"type": "struct", "schema-id": 1, "fields": schema}],
            "versions": [{
                "version-id": 1, "schema-id": 1, "timestamp-ms": 1, "summary": {}, "default-namespace": ["s"],
                "representations": [{"type": "sql", "dialect": "spark", "sql": sql}]
            }]
        },
        "config": {}
    });
    let version = Version {
        asked: name_of(table),
        snapshot: None,
        view_of: Some(columns),
        fields,
        rows,
    };
    (version, answer)
}

/// Types that mean the same in the dialect of views.
fn is_portable(field_type: &FieldType) -> bool {
    matches!(
        field_type,
        FieldType::Int
            | FieldType::Long
            | FieldType::String
            | FieldType::Date
            | FieldType::Boolean
            | FieldType::Double
            | FieldType::Decimal { .. }
    )
}
