// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Views as a server over HTTP gives them, through whole queries.

mod constructs;
mod isolation;
mod listing;
mod server;

use std::sync::Arc;

use arrow::array::{
    ArrayRef, Date32Array, Decimal128Array, Float64Array, Int32Array, Int64Array, StringArray,
};
use arrow::util::pretty::pretty_format_batches;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use self::server::Server;
use crate::session::Session;
use crate::written_tables::Written;

/// Rows: 1 Ann, 2 Bob, 3 null.
async fn people(directory: &TempDir) -> Written {
    let schema = json!({"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "x", "type": "int", "required": false},
        {"id": 2, "name": "name", "type": "string", "required": false},
        {"id": 3, "name": "customerId", "type": "long", "required": false},
        {"id": 4, "name": "price", "type": "decimal(10, 2)", "required": false},
        {"id": 5, "name": "ratio", "type": "double", "required": false},
        {"id": 6, "name": "day", "type": "date", "required": false}
    ]});
    let mut written = Written::new(directory.path(), schema, None).await;
    let price = Decimal128Array::from(vec![150, 250, 350])
        .with_precision_and_scale(10, 2)
        .unwrap();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![1, 2, 3])),
        Arc::new(StringArray::from(vec![Some("Ann"), Some("Bob"), None])),
        Arc::new(Int64Array::from(vec![10, 20, 30])),
        Arc::new(price),
        Arc::new(Float64Array::from(vec![0.5, 1.5, 2.5])),
        Arc::new(Date32Array::from(vec![0, 31, 59])),
    ];
    written.append(columns, None).await;
    written
}

/// Hides the row of Ann and masks names.
fn restricted() -> Json {
    json!({
        "required-row-filter": {"type": "not-eq", "left": {"type": "reference", "id": 1},
            "right": {"type": "literal", "value": 1, "data-type": "int"}},
        "required-column-projections": [{"field-id": 2, "action": "mask-alphanum"}]
    })
}

/// `LoadViewResult` of a view with these columns, `name type`, and this SQL in each dialect.
fn view(columns: &[(&str, &str)], representations: &[(&str, &str)]) -> Json {
    let fields: Vec<Json> = columns
        .iter()
        .enumerate()
        .map(|(id, (name, data_type))| json!({"id": id, "name": name, "type": data_type, "required": false}))
        .collect();
    let representations: Vec<Json> = representations
        .iter()
        .map(|(dialect, sql)| json!({"type": "sql", "dialect": dialect, "sql": sql}))
        .collect();
    json!({
        "metadata-location": "file:///v.json",
        "metadata": {
            "view-uuid": "fa6506c3-7681-40c8-86dc-e36561f83385", "format-version": 1, "location": "file:///v",
            "current-version-id": 2, "properties": {},
            "schemas": [
                {"type": "struct", "schema-id": 1, "fields": []},
                {"type": "struct", "schema-id": 4, "fields": fields}
            ],
            "versions": [
                {"version-id": 1, "schema-id": 1, "timestamp-ms": 1, "summary": {}, "default-namespace": [],
                    "representations": [{"type": "sql", "dialect": "spark", "sql": "old"}]},
                {"version-id": 2, "schema-id": 4, "timestamp-ms": 2, "summary": {}, "default-catalog": null,
                    "default-namespace": ["s"], "representations": representations}
            ],
            "version-log": []
        },
        "config": {}
    })
}

/// A server with the table `t`, as it is given to somebody restricted, and these views.
async fn serving(directory: &TempDir, views: &[(&str, Json)]) -> Server {
    let mut server = Server::new();
    server.table("t", &people(directory).await.answer(&restricted()));
    for (name, view) in views {
        server.view(name, &view.to_string());
    }
    server.start().await
}

/// The rows as text, sorted.
async fn rows(session: &Session, sql: &str) -> Result<Vec<String>, String> {
    let answer = session.query(sql).await.map_err(|cause| cause.to_string())?;
    let text = pretty_format_batches(&answer.batches).unwrap().to_string();
    let mut lines: Vec<String> = text
        .lines()
        .skip(3)
        .filter(|line| line.starts_with('|'))
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    lines.sort();
    Ok(lines)
}
