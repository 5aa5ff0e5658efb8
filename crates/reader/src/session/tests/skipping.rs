// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Files and row groups are skipped only where that cannot be seen in the answer.
//!
//! A file that is gone cannot be read: a query that still answers has skipped it.

use std::sync::Arc;

use arrow::array::{Float64Array, Int32Array, StringArray};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::{ask, rows};
use crate::written_tables::Written;

fn schema() -> Json {
    json!({"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "x", "type": "int", "required": false},
        {"id": 2, "name": "name", "type": "string", "required": false},
        {"id": 3, "name": "score", "type": "double", "required": false}
    ]})
}

fn comparison(kind: &str, field: i32, value: Json, data_type: &str) -> Json {
    json!({"type": kind, "left": {"type": "reference", "id": field},
        "right": {"type": "literal", "value": value, "data-type": data_type}})
}

type Row = (Option<i32>, &'static str, Option<f64>);

async fn append(written: &mut Written, rows: &[Row]) -> String {
    let file = written
        .append(
            vec![
                Arc::new(rows.iter().map(|row| row.0).collect::<Int32Array>()),
                Arc::new(rows.iter().map(|row| Some(row.1)).collect::<StringArray>()),
                Arc::new(rows.iter().map(|row| row.2).collect::<Float64Array>()),
            ],
            None,
        )
        .await;
    file.file_path().trim_start_matches("file://").to_owned()
}

#[tokio::test]
async fn rows_with_null_survive_every_level() {
    let directory = TempDir::new().unwrap();
    let mut written = Written::new(directory.path(), schema(), None).await;
    append(&mut written, &[(Some(5), "a", None), (None, "b", None)]).await;
    append(&mut written, &[(None, "c", None), (None, "d", None)]).await;
    append(&mut written, &[(Some(50), "e", None), (None, "f", None)]).await;
    let names = ["| a |", "| b |", "| c |", "| d |", "| e |", "| f |"];
    let not_five = [1, 2, 3, 4, 5].map(|at| names[at]);
    let below_ten = [0, 1, 2, 3, 5].map(|at| names[at]);
    for (filter, expected) in [
        (comparison("lt", 1, json!(10), "int"), &below_ten),
        (comparison("lt-eq", 1, json!(10), "int"), &below_ten),
        (
            json!({"type": "not", "child": comparison("gt-eq", 1, json!(10), "int")}),
            &below_ten,
        ),
        (comparison("not-eq", 1, json!(5), "int"), &not_five),
        (
            json!({"type": "not", "child": comparison("eq", 1, json!(5), "int")}),
            &not_five,
        ),
    ] {
        let body = written.answer(&json!({"required-row-filter": filter}));
        assert_eq!(
            &rows("select name from t", &[("t", &body)]).await,
            expected,
            "{filter}"
        );
    }
}

#[tokio::test]
async fn nan_and_infinity_survive() {
    let directory = TempDir::new().unwrap();
    let mut written = Written::new(directory.path(), schema(), None).await;
    append(
        &mut written,
        &[(None, "one", Some(1.0)), (None, "nan", Some(f64::NAN))],
    )
    .await;
    append(&mut written, &[(None, "zero", Some(-0.0))]).await;
    let greater = json!({"required-row-filter": comparison("gt", 3, json!(5.0), "double")});
    let shown = rows("select name from t", &[("t", &written.answer(&greater))]).await;
    assert_eq!(shown, ["| nan |"]);
    let less = json!({"required-row-filter": comparison("lt", 3, json!(0.0), "double")});
    let shown = rows("select name from t", &[("t", &written.answer(&less))]).await;
    assert_eq!(shown, ["| zero |"]);
}

#[tokio::test]
async fn the_required_filter_and_unmasked_columns_skip_files_and_masked_ones_do_not() {
    let directory = TempDir::new().unwrap();
    let mut written = Written::new(directory.path(), schema(), None).await;
    append(&mut written, &[(Some(1), "a", Some(1.0))]).await;
    let gone = append(&mut written, &[(Some(100), "z", Some(9.0))]).await;
    std::fs::remove_file(gone).unwrap();
    let open = written.answer(&Json::Null);
    let masked = written.answer(&json!({"required-column-projections": [
        {"field-id": 2, "action": "mask-alphanum"}]}));
    let filtered = written.answer(&json!({"required-row-filter": comparison("lt", 1, json!(10), "int")}));

    assert!(ask("select x from t", &[("t", &open)]).await.is_err());
    assert_eq!(rows("select x from t", &[("t", &filtered)]).await, ["| 1 |"]);
    for body in [&open, &masked] {
        assert_eq!(
            rows("select x from t where x < 10", &[("t", body)]).await,
            ["| 1 |"]
        );
        assert_eq!(
            rows("select x from t where x = 1 and x is not null", &[("t", body)]).await,
            ["| 1 |"]
        );
    }
    assert_eq!(
        rows("select x from t where name < 'f'", &[("t", &open)]).await,
        ["| 1 |"]
    );
    // By its original value the second file could be skipped; that would tell the value.
    assert!(
        ask("select x from t where name < 'f'", &[("t", &masked)])
            .await
            .is_err()
    );
}

#[tokio::test]
async fn row_groups_are_skipped_without_losing_rows() {
    let directory = TempDir::new().unwrap();
    let mut written = Written::new(directory.path(), schema(), None)
        .await
        .with_rows_per_group(10);
    let many: Vec<Row> = (0..100)
        .map(|at| (if at % 7 == 0 { None } else { Some(at) }, "n", Some(0.5)))
        .collect();
    append(&mut written, &many).await;
    let filtered = written.answer(&json!({"required-row-filter": comparison("lt", 1, json!(25), "int")}));
    // 25 values below 25 of which 4 are null, and 11 nulls from 28 on.
    assert_eq!(
        rows("select count(*) from t", &[("t", &filtered)]).await,
        ["| 36 |"]
    );
    let open = written.answer(&Json::Null);
    assert_eq!(
        rows("select count(*) from t where x >= 91", &[("t", &open)]).await,
        ["| 7 |"]
    );
    assert_eq!(
        rows("select count(*) from t where x = 33 or x = 77", &[("t", &open)]).await,
        ["| 1 |"]
    );
    assert_eq!(
        rows("select sum(x) from t where x between 38 and 41", &[("t", &open)]).await,
        ["| 158 |"]
    );
}
