// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Columns and members of columns are found by field id, whatever a file calls them and in whatever order it has them.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, Date32Array, Decimal128Array, Float32Array, Int32Array, ListArray, StringArray, StructArray,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, Field as ArrowField, Fields};
use iceberg::spec::{DataContentType, DataFileFormat, FormatVersion};
use parquet::arrow::PARQUET_FIELD_ID_META_KEY;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::{ask, rows};
use crate::written_tables::{Written, answer, listed_file, write_columns};

/// The metadata of a table with one file of these columns, and with this schema.
async fn table(directory: &TempDir, schema: Json, columns: Vec<(&str, Option<i32>, ArrayRef)>) -> Json {
    let empty = json!({"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "first", "type": "int", "required": false}]});
    let mut written = Written::of_version(directory.path(), empty, None, FormatVersion::V3).await;
    // Only for the snapshot; its file is left out.
    let none: ArrayRef = Arc::new(Int32Array::from(vec![0]));
    written.append(vec![none], None).await;
    let path = written.path("data.parquet");
    let count = u64::try_from(columns.first().unwrap().2.len()).unwrap();
    write_columns(&path, columns);
    let file = listed_file(DataContentType::Data, DataFileFormat::Parquet, &path, count)
        .build()
        .unwrap();
    let mut metadata = written.metadata_of(&[(file, 1, 0)], Vec::new()).await;
    let schemas = metadata.pointer_mut("/schemas").unwrap().as_array_mut().unwrap();
    schemas.push(json!({"type": "struct", "schema-id": 1, "fields": schema}));
    *metadata.get_mut("current-schema-id").unwrap() = json!(1);
    *metadata.get_mut("last-column-id").unwrap() = json!(100);
    metadata
}

fn texts(values: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn numbers(values: &[Option<i32>]) -> ArrayRef {
    Arc::new(Int32Array::from(values.to_vec()))
}

fn member(name: &str, id: i32, data_type: DataType) -> ArrowField {
    ArrowField::new(name, data_type, true).with_metadata(HashMap::from([(
        PARQUET_FIELD_ID_META_KEY.to_owned(),
        id.to_string(),
    )]))
}

#[tokio::test]
async fn columns_of_one_type_do_not_change_places() {
    let directory = TempDir::new().unwrap();
    // The file has them in another order and under each other's names.
    let metadata = table(
        &directory,
        json!([
            {"id": 2, "name": "secret", "type": "string", "required": false},
            {"id": 3, "name": "open", "type": "string", "required": false}
        ]),
        vec![
            ("secret", Some(3), texts(&[Some("shown")])),
            ("open", Some(2), texts(&[Some("hidden")])),
        ],
    )
    .await;
    let open = answer(&metadata, &Json::Null);
    assert_eq!(
        rows("select secret, open from t", &[("t", &open)]).await,
        ["| hidden | shown |"]
    );
    assert_eq!(
        rows("select open, secret from t", &[("t", &open)]).await,
        ["| shown | hidden |"]
    );
    let masked = answer(
        &metadata,
        &json!({"required-row-filter": {"type": "eq", "left": {"type": "reference", "id": 2},
            "right": {"type": "literal", "value": "hidden", "data-type": "string"}},
            "required-column-projections": [{"field-id": 2, "action": "mask-alphanum"}]}),
    );
    assert_eq!(
        rows("select secret, open from t", &[("t", &masked)]).await,
        ["| xxxxxx | shown |"]
    );
}

#[tokio::test]
async fn a_column_that_was_dropped_and_added_again_is_another_one() {
    let directory = TempDir::new().unwrap();
    let metadata = table(
        &directory,
        json!([
            {"id": 1, "name": "n", "type": "int", "required": false},
            {"id": 5, "name": "name", "type": "string", "required": false}
        ]),
        vec![
            ("n", Some(1), numbers(&[Some(7)])),
            ("name", Some(2), texts(&[Some("old")])),
        ],
    )
    .await;
    let open = answer(&metadata, &Json::Null);
    assert_eq!(rows("select n, name from t", &[("t", &open)]).await, ["| 7 | |"]);
    let filtered = answer(
        &metadata,
        &json!({"required-row-filter": {"type": "eq", "left": {"type": "reference", "id": 5},
            "right": {"type": "literal", "value": "old", "data-type": "string"}}}),
    );
    assert!(rows("select n from t", &[("t", &filtered)]).await.is_empty());
}

#[tokio::test]
async fn promoted_columns_have_their_old_values() {
    let directory = TempDir::new().unwrap();
    let decimals = Decimal128Array::from(vec![Some(-12_345), None])
        .with_precision_and_scale(7, 2)
        .unwrap();
    let metadata = table(
        &directory,
        json!([
            {"id": 1, "name": "n", "type": "long", "required": false},
            {"id": 2, "name": "f", "type": "double", "required": false},
            {"id": 3, "name": "d", "type": "decimal(20,2)", "required": false},
            {"id": 4, "name": "at", "type": "timestamp", "required": false},
            {"id": 5, "name": "at_ns", "type": "timestamp_ns", "required": false},
            {"id": 6, "name": "days", "type": "date", "required": false}
        ]),
        vec![
            ("d", Some(3), Arc::new(decimals)),
            ("n", Some(1), numbers(&[Some(i32::MIN), None])),
            ("f", Some(2), Arc::new(Float32Array::from(vec![Some(1.5), None]))),
            ("at", Some(4), Arc::new(Date32Array::from(vec![Some(-1), None]))),
            ("at_ns", Some(5), Arc::new(Date32Array::from(vec![Some(1), None]))),
            ("days", Some(6), Arc::new(Date32Array::from(vec![Some(1), None]))),
        ],
    )
    .await;
    let open = answer(&metadata, &Json::Null);
    let first = "| -2147483648 | 1.5 | -123.45 | 1969-12-31T00:00:00 | 1970-01-02T00:00:00 | 1970-01-02 |";
    let shown = rows("select n, f, d, at, at_ns, days from t", &[("t", &open)]).await;
    assert_eq!(shown, [first, "| | | | | | |"]);
    for (id, value, data_type) in [
        (1, json!(-2_147_483_648_i64), "long"),
        (2, json!(1.5), "double"),
        (3, json!("-123.45"), "decimal(20,2)"),
        (6, json!("1970-01-02"), "date"),
    ] {
        for (kind, expected) in [("eq", 1), ("not-eq", 1), ("lt-eq", 2), ("lt", 1), ("gt", 0)] {
            let body = answer(
                &metadata,
                &json!({"required-row-filter": {"type": kind, "left": {"type": "reference", "id": id},
                    "right": {"type": "literal", "value": value, "data-type": data_type}}}),
            );
            let shown = rows("select count(*) from t", &[("t", &body)]).await;
            assert_eq!(shown, [format!("| {expected} |")], "{kind} {data_type}");
        }
    }
}

#[tokio::test]
async fn defaults_show_and_count_in_filters_and_masks() {
    let directory = TempDir::new().unwrap();
    let metadata = table(
        &directory,
        json!([
            {"id": 1, "name": "n", "type": "int", "required": false},
            {"id": 2, "name": "answer", "type": "int", "required": true, "initial-default": 42},
            {"id": 3, "name": "word", "type": "string", "required": false, "initial-default": "abc-1"},
            {"id": 4, "name": "day", "type": "date", "required": false, "initial-default": "2020-02-29"},
            {"id": 5, "name": "price", "type": "decimal(9,2)", "required": false, "initial-default": "1.50"},
            {"id": 6, "name": "yes", "type": "boolean", "required": false, "initial-default": true},
            {"id": 7, "name": "none", "type": "long", "required": false}
        ]),
        vec![("n", Some(1), numbers(&[Some(1), Some(2)]))],
    )
    .await;
    let open = answer(&metadata, &Json::Null);
    let all = "select n, answer, word, day, price, yes, none from t";
    assert_eq!(
        rows(all, &[("t", &open)]).await,
        [
            "| 1 | 42 | abc-1 | 2020-02-29 | 1.50 | true | |",
            "| 2 | 42 | abc-1 | 2020-02-29 | 1.50 | true | |"
        ]
    );
    for (sql, expected) in [
        ("answer = 42", "| 2 |"),
        ("answer < 10", "| 0 |"),
        ("answer is null", "| 0 |"),
        ("word = 'abc-1' and yes", "| 2 |"),
        ("none is null and n = 1", "| 1 |"),
    ] {
        let sql = format!("select count(*) from t where {sql}");
        assert_eq!(rows(&sql, &[("t", &open)]).await, [expected], "{sql}");
    }
    for (kind, id, value, data_type, expected) in [
        ("eq", 2, json!(42), "int", 2),
        ("lt", 2, json!(10), "int", 0),
        ("not-eq", 2, json!(42), "int", 0),
        ("gt-eq", 3, json!("abc"), "string", 2),
        ("eq", 4, json!("2020-02-29"), "date", 2),
        ("eq", 5, json!("1.50"), "decimal(9,2)", 2),
        ("lt", 7, json!(0), "long", 2),
    ] {
        let body = answer(
            &metadata,
            &json!({"required-row-filter": {"type": kind, "left": {"type": "reference", "id": id},
                "right": {"type": "literal", "value": value, "data-type": data_type}},
                "required-column-projections": [{"field-id": 3, "action": "show-last-4"},
                    {"field-id": 4, "action": "truncate-to-year"}]}),
        );
        let shown = rows("select word, day from t", &[("t", &body)]).await;
        assert_eq!(
            shown,
            vec!["| xbc-1 | 2020-01-01 |"; expected],
            "{kind} {data_type}"
        );
    }
}

#[tokio::test]
async fn a_required_column_without_default_must_be_in_every_file() {
    let directory = TempDir::new().unwrap();
    let schema = json!([
        {"id": 1, "name": "n", "type": "int", "required": true},
        {"id": 9, "name": "must", "type": "string", "required": true}
    ]);
    let columns = vec![("n", Some(1), numbers(&[Some(1), None]))];
    let open = answer(&table(&directory, schema, columns).await, &Json::Null);
    for sql in ["select must from t", "select n from t"] {
        assert!(ask(sql, &[("t", &open)]).await.is_err(), "{sql}");
    }
}

/// As the file has them: a list of structs in a struct.
fn people() -> ArrayRef {
    let inner = Fields::from(vec![
        member("zip", 13, DataType::Utf8),
        member("gone", 14, DataType::Int32),
        member("house", 12, DataType::Int32),
    ]);
    let houses = StructArray::new(
        inner.clone(),
        vec![
            texts(&[Some("10115"), None, Some("75001")]),
            numbers(&[Some(9), Some(9), Some(9)]),
            numbers(&[Some(1), Some(2), None]),
        ],
        Some(NullBuffer::from(vec![true, true, true])),
    );
    let element = Arc::new(member("array", 11, DataType::Struct(inner)));
    let list = ListArray::new(
        Arc::clone(&element),
        OffsetBuffer::from_lengths([2, 0, 1]),
        Arc::new(houses),
        Some(NullBuffer::from(vec![true, false, true])),
    );
    let outer = Fields::from(vec![
        member("houses", 10, DataType::List(element)),
        member("name", 15, DataType::Utf8),
    ]);
    Arc::new(StructArray::new(
        outer,
        vec![Arc::new(list), texts(&[Some("Ann"), Some("Bob"), None])],
        Some(NullBuffer::from(vec![true, true, false])),
    ))
}

fn people_schema() -> Json {
    json!([
        {"id": 1, "name": "n", "type": "int", "required": false},
        {"id": 2, "name": "person", "required": false, "type": {"type": "struct", "fields": [
            {"id": 15, "name": "called", "type": "string", "required": false},
            {"id": 16, "name": "added", "type": "int", "required": false, "initial-default": 5},
            {"id": 10, "name": "homes", "required": false, "type": {"type": "list", "element-id": 11,
                "element-required": false, "element": {"type": "struct", "fields": [
                    {"id": 12, "name": "number", "type": "long", "required": false},
                    {"id": 17, "name": "gone", "type": "string", "required": false},
                    {"id": 13, "name": "zip", "type": "string", "required": false}
                ]}}}
        ]}}
    ])
}

#[tokio::test]
async fn members_follow_their_ids_through_every_change() {
    let directory = TempDir::new().unwrap();
    let columns = vec![
        ("who", Some(2), people()),
        ("n", Some(1), numbers(&[Some(1), Some(2), Some(3)])),
    ];
    let metadata = table(&directory, people_schema(), columns).await;
    let open = answer(&metadata, &Json::Null);
    assert_eq!(
        rows("select n, person from t order by n", &[("t", &open)]).await,
        [
            "| 1 | {called: Ann, added: 5, homes: [{number: 1, gone: , zip: 10115}, {number: 2, gone: , zip: }]} |",
            "| 2 | {called: Bob, added: 5, homes: } |",
            "| 3 | |",
        ]
    );
    assert_eq!(
        rows(
            "select person['homes'][1]['number'] from t where person['added'] = 5 and n = 1",
            &[("t", &open)]
        )
        .await,
        ["| 1 |"]
    );
    let governed = answer(
        &metadata,
        &json!({"required-row-filter": {"type": "not-null", "child": {"type": "reference", "id": 2}},
            "required-column-projections": [{"field-id": 1, "action": "replace-with-null"}]}),
    );
    assert_eq!(
        rows("select n, person['called'] from t", &[("t", &governed)]).await,
        ["| | Ann |", "| | Bob |"]
    );
    let fixed = answer(
        &metadata,
        &json!({"required-column-projections": [{"field-id": 2, "action": "mask-to-fixed-value"}]}),
    );
    assert_eq!(
        rows("select person from t", &[("t", &fixed)]).await,
        vec!["| {called: XXXXXXXX, added: 0, homes: []} |"; 3]
    );
}

#[tokio::test]
async fn a_name_mapping_reaches_into_nested_columns() {
    let directory = TempDir::new().unwrap();
    // The same columns without any ids.
    fn without_ids(data_type: &DataType) -> DataType {
        let plain = |field: &ArrowField| {
            ArrowField::new(field.name(), without_ids(field.data_type()), field.is_nullable())
        };
        match data_type {
            DataType::Struct(fields) => DataType::Struct(fields.iter().map(|field| plain(field)).collect()),
            DataType::List(element) => DataType::List(Arc::new(plain(element))),
            other => other.clone(),
        }
    }
    let people = people();
    let people = arrow::compute::cast(&people, &without_ids(people.data_type())).unwrap();
    let columns = vec![
        ("who", None, people),
        ("n", None, numbers(&[Some(1), Some(2), Some(3)])),
    ];
    let mut metadata = table(&directory, people_schema(), columns).await;
    let mapping = json!([
        {"field-id": 1, "names": ["n"]},
        {"field-id": 2, "names": ["person", "who"], "fields": [
            {"field-id": 15, "names": ["called", "name"]},
            {"field-id": 10, "names": ["homes", "houses"], "fields": [
                {"field-id": 11, "names": ["element"], "fields": [
                    {"field-id": 12, "names": ["number", "house"]},
                    {"field-id": 13, "names": ["zip"]}
                ]}
            ]}
        ]}
    ]);
    let properties = json!({"schema.name-mapping.default": mapping.to_string()});
    metadata
        .as_object_mut()
        .unwrap()
        .insert("properties".to_owned(), properties);
    assert_eq!(
        rows(
            "select n, person from t order by n",
            &[("t", &answer(&metadata, &Json::Null))]
        )
        .await,
        [
            "| 1 | {called: Ann, added: 5, homes: [{number: 1, gone: , zip: 10115}, {number: 2, gone: , zip: }]} |",
            "| 2 | {called: Bob, added: 5, homes: } |",
            "| 3 | |",
        ]
    );
}

#[tokio::test]
async fn data_files_of_other_formats_are_refused() {
    for format in [DataFileFormat::Avro, DataFileFormat::Orc] {
        let directory = TempDir::new().unwrap();
        let schema = json!({"type": "struct", "schema-id": 0, "fields": [
            {"id": 1, "name": "n", "type": "int", "required": false}]});
        let mut written = Written::new(directory.path(), schema, None).await;
        written.append(vec![numbers(&[Some(1)])], None).await;
        let path = written.path("other");
        std::fs::write(&path, b"Obj").unwrap();
        let file = listed_file(DataContentType::Data, format, &path, 1)
            .build()
            .unwrap();
        let body = answer(&written.metadata_with(&[(file, 1, 0)]).await, &Json::Null);
        for sql in ["select n from t", "select count(*) from t"] {
            let refused = ask(sql, &[("t", &body)]).await.map(|answer| answer.rows());
            let refused = refused.unwrap_err().to_string();
            assert!(refused.contains("only Parquet is read"), "{sql}: {refused}");
        }
    }
}
