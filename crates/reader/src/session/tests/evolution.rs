// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables whose schema or layout changed after their files were written.

use std::sync::Arc;

use arrow::array::{ArrayRef, Date32Array, Float64Array, Int32Array, Int64Array, StringArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use iceberg::spec::{
    DataContentType, DataFileFormat, FormatVersion, Literal, Struct, Transform, UnboundPartitionSpec,
};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::{ask, rows};
use crate::written_tables::{Written, answer, listed_file, write_columns, write_position_deletes};

fn schema() -> Json {
    json!({"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "x", "type": "int", "required": false},
        {"id": 2, "name": "name", "type": "string", "required": false}
    ]})
}

async fn written(
    directory: &TempDir,
    spec: Option<UnboundPartitionSpec>,
    partition: Option<Struct>,
) -> Written {
    let mut written = Written::new(directory.path(), schema(), spec).await;
    let columns: Vec<arrow::array::ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![7, 7])),
        Arc::new(StringArray::from(vec!["Ann", "Bob"])),
    ];
    written.append(columns, partition).await;
    written
}

fn with_schema(metadata: &Json, fields: Json) -> Json {
    let mut metadata = metadata.clone();
    let schema = json!({"type": "struct", "schema-id": 1, "fields": fields});
    metadata
        .pointer_mut("/schemas")
        .unwrap()
        .as_array_mut()
        .unwrap()
        .push(schema);
    *metadata.get_mut("current-schema-id").unwrap() = json!(1);
    *metadata.get_mut("last-column-id").unwrap() = json!(3);
    metadata
}

#[tokio::test]
async fn a_rename_and_a_new_column_show_before_the_next_snapshot() {
    let directory = TempDir::new().unwrap();
    let metadata = with_schema(
        &written(&directory, None, None).await.metadata(),
        json!([
            {"id": 2, "name": "label", "type": "string", "required": false},
            {"id": 1, "name": "x", "type": "long", "required": false},
            {"id": 3, "name": "added", "type": "string", "required": false}
        ]),
    );
    let open = answer(&metadata, &Json::Null);
    assert_eq!(
        rows("select * from t", &[("t", &open)]).await,
        ["| Ann | 7 | |", "| Bob | 7 | |"]
    );
    assert_eq!(rows("select added from t", &[("t", &open)]).await, ["| |", "| |"]);
    assert_eq!(
        rows("select count(*) from t where x = 7", &[("t", &open)]).await,
        ["| 2 |"]
    );
    // The filter is on a column that no file has; null satisfies `!=`. The mask follows the rename.
    let restrictions = json!({
        "required-row-filter": {"type": "not-eq", "left": {"type": "reference", "id": 3},
            "right": {"type": "literal", "value": "no", "data-type": "string"}},
        "required-column-projections": [{"field-id": 2, "action": "mask-alphanum"}]
    });
    let governed = answer(&metadata, &restrictions);
    assert_eq!(
        rows("select label from t", &[("t", &governed)]).await,
        ["| xxx |", "| xxx |"]
    );
    assert!(ask("select name from t", &[("t", &governed)]).await.is_err());
}

#[tokio::test]
async fn identity_partition_values_come_from_metadata() {
    let directory = TempDir::new().unwrap();
    let spec = UnboundPartitionSpec::builder()
        .add_partition_field(1, "x", Transform::Identity)
        .unwrap()
        .build();
    let partition = Struct::from_iter([Some(Literal::int(7))]);
    let written = written(&directory, Some(spec), Some(partition)).await;
    let filter = |kind: &str| {
        json!({"required-row-filter": {"type": kind, "left": {"type": "reference", "id": 1},
            "right": {"type": "literal", "value": 7, "data-type": "int"}},
            "required-column-projections": [{"field-id": 1, "action": "sha-256-global"}]})
    };
    let open = written.answer(&Json::Null);
    assert_eq!(
        rows("select x, name from t", &[("t", &open)]).await,
        ["| 7 | Ann |", "| 7 | Bob |"]
    );
    let kept = written.answer(&filter("eq"));
    assert_eq!(
        rows("select name from t", &[("t", &kept)]).await,
        ["| Ann |", "| Bob |"]
    );
    assert_eq!(
        rows("select count(distinct x), min(x) <> 7 from t", &[("t", &kept)]).await,
        ["| 1 | true |"]
    );
    let dropped = written.answer(&filter("not-eq"));
    assert!(rows("select name from t", &[("t", &dropped)]).await.is_empty());
}

#[tokio::test]
async fn a_file_with_another_type_is_refused_unless_the_column_is_not_read() {
    let directory = TempDir::new().unwrap();
    let metadata = written(&directory, None, None).await.metadata();
    let changed = with_schema(
        &metadata,
        json!([
            {"id": 1, "name": "x", "type": "date", "required": false},
            {"id": 2, "name": "name", "type": "string", "required": false}
        ]),
    );
    let refused = ask("select x from t", &[("t", &answer(&changed, &Json::Null))])
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("cannot become"), "{refused}");
    // A fixed mask does not decode the column.
    let fixed = json!({"required-column-projections": [{"field-id": 1, "action": "mask-to-fixed-value"}]});
    let body = answer(&changed, &fixed);
    assert_eq!(
        rows("select x, name from t", &[("t", &body)]).await,
        ["| 1970-01-01 | Ann |", "| 1970-01-01 | Bob |"]
    );
    assert_eq!(rows("select x from t", &[("t", &body)]).await.len(), 2);
}

#[tokio::test]
async fn deletes_find_their_partition_after_its_column_was_widened() {
    for (narrow, wide, before, after, delete) in [
        (
            "int",
            "long",
            Literal::int(7),
            Literal::long(7),
            Arc::new(Int64Array::from(vec![7])) as ArrayRef,
        ),
        (
            "float",
            "double",
            Literal::float(7.0),
            Literal::double(7.0),
            Arc::new(Float64Array::from(vec![7.0])) as ArrayRef,
        ),
    ] {
        let directory = TempDir::new().unwrap();
        let fields = |of: &str| {
            json!([
                {"id": 1, "name": "x", "type": of, "required": false},
                {"id": 2, "name": "name", "type": "string", "required": false}
            ])
        };
        let spec = UnboundPartitionSpec::builder()
            .add_partition_field(1, "x_part", Transform::Identity)
            .unwrap()
            .build();
        let schema = json!({"type": "struct", "schema-id": 0, "fields": fields(narrow)});
        let mut written = Written::new(directory.path(), schema, Some(spec)).await;
        let stored = cast(&Int32Array::from(vec![7, 7]), &arrow_type(narrow)).unwrap();
        let names: ArrayRef = Arc::new(StringArray::from(vec!["Ann", "Bob"]));
        let data = written
            .append(vec![stored, names], Some(Struct::from_iter([Some(before)])))
            .await;
        // Since then manifests have the wide type.
        let promoted = with_schema(&written.metadata(), fields(wide));
        written.table = written.with_metadata(&promoted);
        let partition = Struct::from_iter([Some(after)]);
        let path = written.path("p.parquet");
        write_position_deletes(&path, &[(data.file_path(), 1)]);
        let positions = listed_file(
            DataContentType::PositionDeletes,
            DataFileFormat::Parquet,
            &path,
            1,
        )
        .partition(partition.clone())
        .build()
        .unwrap();
        let path = written.path("e.parquet");
        write_columns(&path, vec![("x", Some(1), delete)]);
        let values = listed_file(
            DataContentType::EqualityDeletes,
            DataFileFormat::Parquet,
            &path,
            1,
        )
        .equality_ids(Some(vec![1]))
        .partition(partition)
        .build()
        .unwrap();
        for (delete, left) in [(positions, "| Ann |"), (values, "")] {
            let body = answer(&written.metadata_with(&[(delete, 2, 0)]).await, &Json::Null);
            assert_eq!(
                rows("select name from t", &[("t", &body)]).await.join(""),
                left,
                "{narrow}"
            );
        }
    }
}

fn arrow_type(of: &str) -> DataType {
    if of == "int" {
        DataType::Int32
    } else {
        DataType::Float32
    }
}

/// A promotion of version 3 of the table format.
#[tokio::test]
async fn dates_become_timestamps_and_those_that_do_not_fit_are_refused() {
    let directory = TempDir::new().unwrap();
    let fields = |x: &str| {
        json!([{"id": 1, "name": "x", "type": x, "required": false},
            {"id": 2, "name": "name", "type": "string", "required": false}])
    };
    let schema = json!({"type": "struct", "schema-id": 0, "fields": fields("date")});
    let mut written = Written::of_version(directory.path(), schema, None, FormatVersion::V3).await;
    let columns = |dates: Vec<Option<i32>>, names: Vec<&str>| -> Vec<ArrayRef> {
        vec![
            Arc::new(Date32Array::from(dates)),
            Arc::new(StringArray::from(names)),
        ]
    };
    written
        .append(
            columns(vec![Some(-1), Some(0), None, Some(31)], vec!["a", "b", "c", "d"]),
            None,
        )
        .await;
    let compare = |kind: &str, value: &str| {
        json!({"type": kind, "left": {"type": "reference", "id": 1},
            "right": {"type": "literal", "value": value, "data-type": "timestamp"}})
    };
    let names = async |metadata: &Json, restriction: Json, condition: &str| {
        let sql = format!("select name from t {condition}");
        let body = answer(metadata, &restriction);
        let answer = ask(&sql, &[("t", &body)]).await?;
        let text = arrow::util::pretty::pretty_format_batches(&answer.batches).unwrap();
        let text = text.to_string();
        let names = text.lines().skip(3).filter(|line| line.starts_with('|'));
        let mut names: Vec<&str> = names.map(|name| name.trim_matches(['|', ' '])).collect();
        names.sort_unstable();
        Ok::<String, crate::error::ReaderError>(names.concat())
    };
    let metadata = with_schema(&written.metadata(), fields("timestamp"));
    let open = answer(&metadata, &Json::Null);
    assert_eq!(
        rows("select x, name from t where x is not null", &[("t", &open)]).await,
        [
            "| 1969-12-31T00:00:00 | a |",
            "| 1970-01-01T00:00:00 | b |",
            "| 1970-02-01T00:00:00 | d |"
        ]
    );
    // Between two dates, and exactly on one: the stored bounds are days, what is compared are microseconds.
    for (kind, operator, value, shown) in [
        ("lt", "<", "1970-01-01T00:00:00.000001", "ab"),
        ("gt", ">", "1969-12-31T23:59:59.999999", "bd"),
        ("eq", "=", "1970-02-01T00:00:00.000000", "d"),
        ("eq", "=", "1970-02-01T00:00:00.000001", ""),
        ("gt-eq", ">=", "1970-02-01T00:00:00.000000", "d"),
        ("lt-eq", "<=", "1969-12-31T00:00:00.000000", "a"),
    ] {
        let filter = compare(kind, value);
        let wanted = format!("where x {operator} timestamp '{value}'");
        assert_eq!(
            names(&metadata, Json::Null, &wanted).await.unwrap(),
            shown,
            "{wanted}"
        );
        // What a restriction keeps of null is the language's business, not that of promotions.
        let kept = names(
            &metadata,
            json!({"required-row-filter": filter}),
            "where name <> 'c'",
        );
        assert_eq!(kept.await.unwrap(), shown, "{filter}");
        let others: String = "abd".chars().filter(|name| !shown.contains(*name)).collect();
        let negated = json!({"required-row-filter": {"type": "not", "child": filter}});
        let kept = names(&metadata, negated, "where name <> 'c'");
        assert_eq!(kept.await.unwrap(), others, "not {filter}");
    }
    let masked = answer(
        &metadata,
        &json!({"required-column-projections": [{"field-id": 1, "action": "truncate-to-year"}]}),
    );
    assert_eq!(
        rows("select x from t where name = 'd'", &[("t", &masked)]).await,
        ["| 1970-01-01T00:00:00 |"]
    );
    // The year 300,000: no timestamp of microseconds holds it.
    written
        .append(columns(vec![Some(109_000_000)], vec!["e"]), None)
        .await;
    let metadata = with_schema(&written.metadata(), fields("timestamp"));
    for (restriction, sql) in [
        (Json::Null, "select x from t"),
        (
            json!({"required-row-filter": compare("gt", "1970-01-02T00:00:00.000000")}),
            "select name from t",
        ),
        (
            json!({"required-column-projections": [{"field-id": 1, "action": "truncate-to-year"}]}),
            "select x from t",
        ),
    ] {
        let refused = ask(sql, &[("t", &answer(&metadata, &restriction))])
            .await
            .map(|answer| answer.rows())
            .unwrap_err()
            .to_string();
        assert!(refused.contains("a stored value does not fit"), "{refused}");
        assert!(!refused.contains("109000000"), "{refused}");
    }
    // Who does not read the column does not meet it.
    assert_eq!(names(&metadata, Json::Null, "").await.unwrap(), "abcde");
}

#[tokio::test]
async fn a_sorted_table_answers_as_one_that_is_not() {
    let directory = TempDir::new().unwrap();
    let mut written = Written::new(directory.path(), schema(), None).await;
    let columns = |numbers: Vec<Option<i32>>, names: Vec<&str>| -> Vec<ArrayRef> {
        vec![
            Arc::new(Int32Array::from(numbers)),
            Arc::new(StringArray::from(names)),
        ]
    };
    // The metadata claims an order that only the first of the files has.
    written
        .append(
            columns(vec![None, Some(1), Some(2), Some(9)], vec!["a", "b", "c", "d"]),
            None,
        )
        .await;
    written
        .append(columns(vec![Some(7), None, Some(-3)], vec!["e", "f", "g"]), None)
        .await;
    let unsorted = written.metadata();
    let mut sorted = unsorted.clone();
    let order = json!({"order-id": 1, "fields": [
        {"source-id": 1, "transform": "identity", "direction": "asc", "null-order": "nulls-first"},
        {"source-id": 2, "transform": "truncate[2]", "direction": "desc", "null-order": "nulls-last"}]});
    let orders = sorted
        .pointer_mut("/sort-orders")
        .unwrap()
        .as_array_mut()
        .unwrap();
    orders.push(order);
    *sorted.get_mut("default-sort-order-id").unwrap() = json!(1);
    let governed = json!({
        "required-row-filter": {"type": "not-eq", "left": {"type": "reference", "id": 1},
            "right": {"type": "literal", "value": 2, "data-type": "int"}},
        "required-column-projections": [{"field-id": 1, "action": "replace-with-null"}]});
    for restriction in [Json::Null, governed] {
        for sql in [
            "select x, name from t",
            "select x, name from t order by x nulls first, name",
            "select x, name from t order by x desc nulls last, name limit 3",
            "select min(x), max(x), count(*) from t",
            "select x, row_number() over (order by x, name) from t",
            "select name from t where x > 1",
        ] {
            assert_eq!(
                rows(sql, &[("t", &answer(&sorted, &restriction))]).await,
                rows(sql, &[("t", &answer(&unsorted, &restriction))]).await,
                "{sql} {restriction}"
            );
        }
    }
    assert_eq!(
        rows(
            "select name from t order by x, name limit 2",
            &[("t", &answer(&sorted, &Json::Null))]
        )
        .await,
        ["| g |", "| b |"]
    );
}
