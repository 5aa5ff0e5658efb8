// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Queries that the engine or the planner of files took badly, found by the leak suite.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, StringArray, StructArray};
use arrow::datatypes::DataType;
use iceberg::arrow::schema_to_arrow_schema;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::{ask, rows};
use crate::written_tables::Written;

/// Field ids differ from table to table, also of members.
fn schema(first: i32) -> Json {
    json!({"type": "struct", "schema-id": 0, "fields": [
        {"id": first, "name": "x", "type": "int", "required": false},
        {"id": first + 1, "name": "name", "type": "string", "required": false},
        {"id": first + 2, "name": "place", "required": false, "type": {"type": "struct", "fields": [
            {"id": first + 3, "name": "a", "type": "int", "required": false}
        ]}}
    ]})
}

/// Two rows, of which the second has no place.
async fn written(directory: &TempDir, name: &str, first: i32) -> Written {
    let folder = directory.path().join(name);
    let mut written = Written::new(&folder, schema(first), None).await;
    let arrow = schema_to_arrow_schema(written.table.metadata().current_schema()).unwrap();
    let DataType::Struct(members) = arrow.field(2).data_type().clone() else {
        panic!("{arrow}");
    };
    let inner: ArrayRef = Arc::new(Int32Array::from(vec![Some(3), None]));
    let place = StructArray::new(members, vec![inner], Some(vec![true, false].into()));
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![1, 2])),
        Arc::new(StringArray::from(vec!["Ann", "Bob"])),
        Arc::new(place),
    ];
    written.append(columns, None).await;
    written
}

#[tokio::test]
async fn a_filter_may_ask_whether_a_nested_column_is_null() {
    let directory = TempDir::new().unwrap();
    let written = written(&directory, "t", 1).await;
    let place = written
        .table
        .metadata()
        .current_schema()
        .field_id_by_name("place");
    for (kind, kept) in [("is-null", "| Bob |"), ("not-null", "| Ann |")] {
        let filter =
            json!({"required-row-filter": {"type": kind, "child": {"type": "reference", "id": place}}});
        let body = written.answer(&filter);
        assert_eq!(rows("select name from t", &[("t", &body)]).await, [kept]);
    }
}

#[tokio::test]
async fn columns_of_tables_with_other_field_ids_unite() {
    let directory = TempDir::new().unwrap();
    let one = written(&directory, "t", 1).await;
    // The other table has one more column before those that unite, so that all ids differ.
    let mut wider = schema(2);
    let fields = wider.get_mut("fields").unwrap().as_array_mut().unwrap();
    fields.insert(
        0,
        json!({"id": 1, "name": "more", "type": "int", "required": false}),
    );
    let other = Written::new(&directory.path().join("u"), wider, None).await;
    let (one, other) = (one.answer(&Json::Null), other.answer(&Json::Null));
    let tables = [("t", one.as_str()), ("u", other.as_str())];
    for column in ["x", "place"] {
        for operator in ["union all", "union", "except"] {
            let sql = format!("select {column} from t {operator} select {column} from u");
            let answer = ask(&sql, &tables).await.map(|answer| answer.rows());
            assert_eq!(answer.ok(), Some(2), "{sql}");
        }
    }
    let sql = "select distinct coalesce(t.x, u.x) c from t full join u on t.x = u.x union select u.x from u";
    assert_eq!(rows(sql, &tables).await, ["| 1 |", "| 2 |"]);
}

#[tokio::test]
async fn what_breaks_the_engine_is_an_error() {
    let directory = TempDir::new().unwrap();
    let body = written(&directory, "t", 1).await.answer(&Json::Null);
    // A text and a pattern of two Arrow types: the engine takes one for the other. Once it does not, the query answers.
    let sql = "select name ~ arrow_cast('A.*', 'Utf8') from t where 'x' ~ arrow_cast(name, 'Utf8')";
    match ask(sql, &[("t", &body)]).await {
        Ok(answer) => assert_eq!(answer.rows(), 0),
        Err(cause) => assert!(!cause.to_string().contains("Ann"), "{cause}"),
    }
}

/// `FilterPushdown` of the engine's physical plans told such columns apart by name, and filtered the other side.
#[tokio::test]
async fn columns_of_one_name_on_both_sides_of_a_join_are_not_mistaken_for_each_other() {
    let directory = TempDir::new().unwrap();
    let written = written(&directory, "t", 1).await;
    let body = written.answer(&json!({}));
    let one = "(values ('abc', 1), ('b', 2), ('x', 3), ('y', 4), ('z', 5)) as one(name, x)";
    let few = "(values ('aq', 7), ('bq', 8)) as few(name, x)";
    for (join, condition) in [
        ("one right join few", "contains(one.name, 'q')"),
        ("few left join one", "contains(one.name, 'q')"),
        ("few left join one", "not contains(one.name, 'q')"),
        ("one left join few", "contains(few.name, 'q')"),
    ] {
        let from = join.replacen("one", one, 1).replacen("few", few, 1);
        let sql = format!("select count(*) as n from {from} on one.name = few.name where {condition}");
        assert_eq!(rows(&sql, &[("t", &body)]).await, ["| 0 |"], "{sql}");
    }
    let sql = format!(
        "select max(t.x) as m from t right join {few} on t.name = few.name where contains(t.name, 'q')"
    );
    assert_eq!(rows(&sql, &[("t", &body)]).await, ["| |"], "{sql}");
}
