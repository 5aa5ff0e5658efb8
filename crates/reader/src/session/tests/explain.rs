// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What an explanation says, and what it must not tell.

use std::sync::Arc;

use arrow::array::{Array as _, ArrayRef, Int32Array, StringArray};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::{ask, rows};
use crate::written_tables::Written;

/// A table of so many files with so many rows each.
async fn written(directory: &TempDir, files: i32, rows: i32) -> Written {
    let schema = json!({"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "x", "type": "int", "required": false},
        {"id": 2, "name": "name", "type": "string", "required": false}
    ]});
    let mut written = Written::new(directory.path(), schema, None).await;
    for file in 0..files {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int32Array::from_iter_values(
                (0..rows).map(|row| row * (file + 1)),
            )),
            Arc::new(StringArray::from_iter_values(
                (0..rows).map(|row| format!("hidden{row}")),
            )),
        ];
        written.append(columns, None).await;
    }
    written
}

fn restricted() -> Json {
    json!({
        "required-row-filter": {"type": "not-eq", "left": {"type": "reference", "id": 1},
            "right": {"type": "literal", "value": 987_654, "data-type": "int"}},
        "required-column-projections": [{"field-id": 2, "action": "mask-alphanum"}]
    })
}

/// The explanation's rows as `plan_type: plan`.
async fn explained(sql: &str, body: &str) -> Vec<(String, String)> {
    let answer = ask(sql, &[("t", body)]).await.unwrap();
    let mut found = Vec::new();
    for batch in &answer.batches {
        let text = |column: usize, row: usize| {
            let column = batch.columns().get(column).unwrap();
            let column = arrow::compute::cast(column, &arrow::datatypes::DataType::Utf8).unwrap();
            let column = column.as_any().downcast_ref::<StringArray>().unwrap();
            assert!(!column.is_null(row));
            column.value(row).to_owned()
        };
        found.extend((0..batch.num_rows()).map(|row| (text(0, row), text(1, row))));
    }
    found
}

#[tokio::test]
async fn restrictions_are_shown_and_nothing_that_they_hide() {
    let (small, large) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let small = written(&small, 1, 2).await.answer(&restricted());
    let large = written(&large, 9, 1000).await.answer(&restricted());
    for query in [
        "select name, count(*) from t where x > 5 group by name order by name limit 3",
        "select count(*) from t",
        "select max(x) from t where x = 17",
        "select a.name from t a join t b on a.name = b.name where a.x in (select x from t)",
        "select x from t for version as of 'main' where x < 3 union all select 1",
    ] {
        for format in ["", "format indent", "format tree"] {
            let sql = format!("explain {format} {query}");
            let (of_small, of_large) = (explained(&sql, &small).await, explained(&sql, &large).await);
            let (kind, text) = of_small.first().unwrap();
            assert_eq!(kind, "restrictions");
            assert!(text.contains("c.s.t") && text.contains("snapshot "), "{text}");
            assert!(text.contains("a required row filter applies"), "{text}");
            assert!(text.contains("masked columns: name (mask-alphanum)"), "{text}");
            // The plan is the same whatever the table holds.
            assert!(of_small.len() > 1, "{sql}");
            assert_eq!(of_small.get(1..), of_large.get(1..), "{sql}");
            for (_, text) in of_small.iter().chain(&of_large) {
                for secret in ["987", "hidden", "parquet", "file:", "avro", "Exact(", "Rows="] {
                    assert!(!text.contains(secret), "{sql}: {text}");
                }
            }
        }
    }
}

#[tokio::test]
async fn forms_that_show_more_are_refused() {
    let directory = TempDir::new().unwrap();
    let body = written(&directory, 1, 1).await.answer(&restricted());
    for (sql, said) in [
        ("explain analyze select 1 from t", "EXPLAIN ANALYZE"),
        ("explain verbose select 1 from t", "EXPLAIN VERBOSE"),
        (
            "explain format pgjson select 1 from t",
            "`EXPLAIN FORMAT pgjson` is not allowed",
        ),
        (
            "explain format graphviz select 1 from t",
            "`EXPLAIN FORMAT graphviz` is not allowed",
        ),
        ("explain explain select 1 from t", ""),
        ("explain insert into t values (1)", "what is no query"),
        ("explain copy t to 'x.csv'", "what is no query"),
    ] {
        let refused = ask(sql, &[("t", &body)]).await.map(|answer| answer.rows());
        let refused = refused.expect_err(sql).to_string();
        assert!(refused.contains(said), "{sql}: {refused}");
    }
}

#[tokio::test]
async fn a_table_is_described() {
    let directory = TempDir::new().unwrap();
    let body = written(&directory, 1, 1).await.answer(&restricted());
    for sql in ["describe t", "desc c.s.t"] {
        let lines = rows(sql, &[("t", &body)]).await;
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(
            lines.iter().any(|line| line.starts_with("| x | Int32 |")),
            "{lines:?}"
        );
    }
}
