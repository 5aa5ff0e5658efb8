// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What is refused, and how it is said.

use std::path::Path;
use std::sync::Arc;

use arrow::array::Int32Array;
use iceberg::spec::{DataContentType, DataFileFormat};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::{ask, rows};
use crate::written_tables::{Written, answer, write_position_deletes};

fn schema() -> Json {
    json!({"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "x", "type": "int", "required": false}
    ]})
}

fn keeps_nulls() -> Json {
    json!({"required-row-filter": {"type": "not-eq",
        "left": {"type": "reference", "id": 1},
        "right": {"type": "literal", "value": 99, "data-type": "int"}}})
}

async fn written(directory: &TempDir) -> Written {
    let mut written = Written::new(directory.path(), schema(), None).await;
    let values = Int32Array::from(vec![Some(1), None, Some(3), Some(4)]);
    written.append(vec![Arc::new(values)], None).await;
    written
}

#[tokio::test]
async fn only_select_runs() {
    let directory = TempDir::new().unwrap();
    let body = written(&directory).await.answer(&keeps_nulls());
    for (sql, said) in [
        ("create table u as select * from t", "`CREATE` is not allowed"),
        ("create view v as select * from t", "`CREATE` is not allowed"),
        (
            "create external table u stored as csv location '/etc/passwd'",
            "not allowed",
        ),
        ("copy t to '/tmp/lakeward-test.csv'", "`COPY` is not allowed"),
        ("insert into t values (1)", "`INSERT` is not allowed"),
        ("delete from t", "`DELETE` is not allowed"),
        ("update t set x = 1", "`UPDATE` is not allowed"),
        ("drop table t", "`DROP` is not allowed"),
        ("set datafusion.execution.batch_size = 1", "`SET` is not allowed"),
        ("show functions", "`SHOW` is not allowed"),
        ("show all", "`SHOW` is not allowed"),
        ("show create table t", "`SHOW` is not allowed"),
        ("show columns from t", "`SHOW` is not allowed"),
        ("show tables like 'x'", "without conditions"),
        ("show full tables", "without conditions"),
        ("show schemas in a.b", "without conditions"),
        ("explain analyze select * from t", "EXPLAIN ANALYZE"),
        ("select 1; select 2", "single SQL statement"),
        ("select * from '/etc/passwd'", "not found"),
        ("select * from read_csv('/etc/passwd')", "not found"),
        ("select * from \"t$files\"", "metadata tables"),
        ("select * from information_schema.tables", "not found"),
        ("select * from t for system_time as of '2020-01-01'", ""),
        ("select * from t version as of 3", ""),
        ("select * from t for version as of 3", ""),
        ("select * from t timestamp as of '2020-01-01'", ""),
        ("select * from t tablesample (10 percent)", "sample"),
        ("select * from (select 1) tablesample (10 percent)", ""),
        ("select * from t with (nolock)", ""),
        ("select * from generate_series(1, 3)", "not found"),
        ("select * from range(3)", "not found"),
        (
            "select * from table(range(3))",
            "a table function is not supported",
        ),
        (
            "select * from unnest([1, 2]) with offset",
            "`UNNEST` with numbers of its rows is not supported",
        ),
        (
            "select * from unnest([1, 2]) with ordinality",
            "`UNNEST` with numbers of its rows is not supported",
        ),
        (
            "select * from t pivot (sum(x) for x in (1, 2))",
            "`PIVOT` is not supported",
        ),
        (
            "select * from t unpivot (v for n in (x))",
            "`PIVOT` is not supported",
        ),
        (
            "select * from t match_recognize (pattern (a) define a as x = 1)",
            "`MATCH_RECOGNIZE` is not supported",
        ),
        (
            "select * from json_table('[]', '$' columns (a int path '$'))",
            "a table function is not supported",
        ),
        (
            "select * from lateral flatten(input => x)",
            "a table function is not supported",
        ),
        ("select version()", "version"),
        ("select current_user", "current_user"),
        ("select session_user", "session_user"),
        ("select current_database()", "current_database"),
        ("select pg_sleep(1)", "pg_sleep"),
        ("prepare p as select * from t", "`PREPARE` is not allowed"),
        ("execute p", "`EXECUTE` is not allowed"),
        ("explain analyze verbose select * from t", "EXPLAIN ANALYZE"),
        ("with x as (delete from t returning x) select * from x", ""),
    ] {
        let refused = ask(sql, &[("t", &body)]).await.map(|answer| answer.rows());
        let refused = refused.expect_err(sql).to_string();
        assert!(refused.contains(said), "{sql}: {refused}");
    }
}

#[tokio::test]
async fn names_need_three_parts_and_metadata_tables_do_not_exist() {
    use crate::table_name::TableName;
    use datafusion::common::TableReference;
    let resolve = |text: &str| {
        TableName::resolve(&TableReference::parse_str(text), None, None)
            .map(|name| name.to_string())
            .map_err(|cause| cause.to_string())
    };
    assert_eq!(resolve("c.s.t").unwrap(), "c.s.t");
    assert!(resolve("s.t").unwrap_err().contains("does not say its catalog"));
    assert!(resolve("t").unwrap_err().contains("does not say its schema"));
    assert!(resolve("c.s.t$files").unwrap_err().contains("metadata tables"));
    assert!(resolve("c.s.t@branch").unwrap_err().contains("metadata tables"));
    let nested = TableName::resolve(&TableReference::full("c", "a.b", "t"), None, None).unwrap();
    assert_eq!(nested.namespace, ["a", "b"]);
}

#[tokio::test]
async fn unknown_content_is_refused() {
    let directory = TempDir::new().unwrap();
    let written = written(&directory).await;
    for (restrictions, said) in [
        (json!({"required-cell-filter": {}}), "required-cell-filter"),
        (
            json!({"required-column-projections": [{"field-id": 1, "action": "scramble"}]}),
            "scramble",
        ),
        (
            json!({"required-column-projections": [{"field-id": 7, "action": "replace-with-null"}]}),
            "7",
        ),
        (
            json!({"required-column-projections": [{"field-id": 1, "action": "show-last-4"}]}),
            "show-last-4",
        ),
        (
            json!({"required-row-filter": {"type": "starts-with"}}),
            "starts-with",
        ),
    ] {
        let refused = ask("select 1 from t", &[("t", &written.answer(&restrictions))])
            .await
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains(said) && refused.contains("not read"),
            "{refused}"
        );
    }
    let body = written
        .answer(&Json::Null)
        .replacen('{', "{\"required-secrets\":1,", 1);
    let refused = ask("select 1 from t", &[("t", &body)])
        .await
        .unwrap_err()
        .to_string();
    assert!(refused.contains("required-secrets"), "{refused}");
    let twice = written
        .answer(&keeps_nulls())
        .replacen('{', "{\"read-restrictions\":null,", 1);
    let refused = ask("select 1 from t", &[("t", &twice)])
        .await
        .unwrap_err()
        .to_string();
    assert!(refused.contains("duplicate"), "{refused}");
}

#[tokio::test]
async fn position_deletes_are_applied() {
    let directory = TempDir::new().unwrap();
    let mut written = Written::new(directory.path(), schema(), None).await;
    let values = Int32Array::from(vec![Some(1), None, Some(3), Some(99)]);
    let file = written.append(vec![Arc::new(values)], None).await;
    let location = written.table.metadata().location().to_owned();
    let path = Path::new(location.trim_start_matches("file://")).join("data/deletes.parquet");
    write_position_deletes(&path, &[(file.file_path(), 0)]);
    let path = path.to_str().unwrap();

    let deleted = written
        .metadata_with_deletes(DataContentType::PositionDeletes, DataFileFormat::Parquet, path)
        .await;
    let body = answer(&deleted, &keeps_nulls());
    assert_eq!(rows("select x from t", &[("t", &body)]).await, ["| 3 |", "| |"]);
    assert_eq!(rows("select count(*) from t", &[("t", &body)]).await, ["| 2 |"]);
    // Counting without reading must not count deleted rows either.
    let ungoverned = answer(&deleted, &Json::Null);
    assert_eq!(
        rows("select count(*) from t", &[("t", &ungoverned)]).await,
        ["| 3 |"]
    );
}

#[tokio::test]
async fn a_table_is_not_read_from_files_of_another() {
    let directory = TempDir::new().unwrap();
    let written = written(&directory).await;
    let location = written.table.metadata().location().to_owned();
    // Another table's manifest list; and an own one that leads to another table's data files.
    for elsewhere in [format!("{location}2"), format!("{location}/metadata")] {
        let mut metadata = written.metadata();
        *metadata.get_mut("location").unwrap() = json!(elsewhere);
        for sql in ["select x from t", "select count(*) from t"] {
            let refused = ask(sql, &[("t", &answer(&metadata, &Json::Null))])
                .await
                .unwrap_err()
                .to_string();
            assert!(refused.contains("does not lie below"), "{sql}: {refused}");
        }
    }
}
