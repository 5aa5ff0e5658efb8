// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables with one file for each value, with every transform and without.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Date32Array, Int32Array, Int64Array, StringArray, TimestampMicrosecondArray};
use iceberg::spec::{Datum, Literal, PrimitiveLiteral, Struct, Transform, UnboundPartitionSpec};
use iceberg::transform::create_transform_function;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::super::rows;
use super::schema;
use crate::written_tables::Written;

/// Values of one type: for Arrow, for partitions, in the words of restrictions and in SQL.
struct Column {
    json_type: &'static str,
    transforms: Vec<Transform>,
    values: Vec<Option<Datum>>,
    array: fn(&[Option<Datum>]) -> ArrayRef,
    /// Each for restrictions, null where they cannot say it, and for SQL.
    literals: Vec<(Json, &'static str)>,
}

const OPERATORS: [(&str, &str); 6] = [
    ("eq", "="),
    ("not-eq", "<>"),
    ("lt", "<"),
    ("lt-eq", "<="),
    ("gt", ">"),
    ("gt-eq", ">="),
];

impl Column {
    /// Restrictions with every operator, also negated, and a user's conditions with every operator.
    fn asked(&self) -> Vec<(Json, String)> {
        let reference = json!({"type": "reference", "id": 2});
        let mut filters = vec![
            json!({"type": "is-null", "child": reference}),
            json!({"type": "not-null", "child": reference}),
        ];
        let (value, _) = self.literals.first().unwrap();
        if !value.is_null() {
            filters.extend(OPERATORS.map(|(kind, _)| {
                json!({"type": kind, "left": reference,
                    "right": {"type": "literal", "value": value, "data-type": self.json_type}})
            }));
            filters.push(json!({"type": "in", "child": reference,
                "values": {"type": "literals", "values": [value], "data-type": self.json_type}}));
        }
        let (_, sql) = self.literals.last().unwrap();
        let mut conditions = vec!["v is null".to_owned(), "v is not null".to_owned()];
        conditions.extend(OPERATORS.map(|(_, operator)| format!("v {operator} {sql}")));
        conditions.push(format!("v in ({sql})"));
        conditions.push(format!("v not in ({sql})"));
        let restricted = filters
            .into_iter()
            .flat_map(|filter| [json!({"type": "not", "child": filter}), filter])
            .map(|filter| (json!({"required-row-filter": filter}), String::new()));
        let wanted = conditions
            .into_iter()
            .map(|condition| (Json::Null, format!("where {condition}")));
        restricted.chain(wanted).collect()
    }
}

/// Times on both sides of the bounds of hours, days, months and years, before 1970 too.
fn times() -> Vec<i64> {
    const HOUR: i64 = 3_600_000_000;
    const DAY: i64 = 24 * HOUR;
    vec![
        -400 * DAY,
        -HOUR - 1,
        -1,
        0,
        HOUR,
        DAY,
        31 * DAY - 1,
        31 * DAY,
        365 * DAY,
    ]
}

/// The writer of the tests cannot name the folder of a zoned time before 1970 with a fraction of a second.
fn whole_second_before_1970(micros: i64) -> i64 {
    const SECOND: i64 = 1_000_000;
    if micros < 0 {
        micros.div_euclid(SECOND) * SECOND
    } else {
        micros
    }
}

fn temporal_transforms() -> Vec<Transform> {
    vec![
        Transform::Identity,
        Transform::Bucket(4),
        Transform::Year,
        Transform::Month,
        Transform::Day,
        Transform::Hour,
        Transform::Void,
    ]
}

fn int_of(datum: &Option<Datum>) -> Option<i32> {
    match datum.as_ref()?.literal() {
        PrimitiveLiteral::Int(value) => Some(*value),
        other => panic!("{other:?}"),
    }
}

fn long_of(datum: &Option<Datum>) -> Option<i64> {
    match datum.as_ref()?.literal() {
        PrimitiveLiteral::Long(value) => Some(*value),
        other => panic!("{other:?}"),
    }
}

fn columns() -> Vec<Column> {
    let some = |values: Vec<Datum>| values.into_iter().map(Some).chain([None]).collect();
    let text = |text: &str| Datum::string(text);
    vec![
        Column {
            json_type: "int",
            transforms: vec![
                Transform::Identity,
                Transform::Bucket(4),
                Transform::Truncate(10),
                Transform::Void,
            ],
            values: some([-15, -1, 0, 7, 10, 19, 20, i32::MAX].map(Datum::int).to_vec()),
            array: |values| Arc::new(values.iter().map(int_of).collect::<Int32Array>()),
            literals: vec![(json!(10), "10"), (json!(i32::MAX), "2147483647")],
        },
        Column {
            json_type: "long",
            transforms: vec![
                Transform::Identity,
                Transform::Bucket(3),
                Transform::Truncate(100),
                Transform::Void,
            ],
            values: some([-1, 0, 99, 100, 1 << 40, i64::MAX].map(Datum::long).to_vec()),
            array: |values| Arc::new(values.iter().map(long_of).collect::<Int64Array>()),
            literals: vec![(json!(99), "99"), (json!(i64::MAX), "9223372036854775807")],
        },
        Column {
            json_type: "string",
            transforms: vec![
                Transform::Identity,
                Transform::Bucket(5),
                Transform::Truncate(2),
                Transform::Void,
            ],
            values: some(
                ["", "a", "ab", "abc", "abd", "b", "émile", "éa"]
                    .map(text)
                    .to_vec(),
            ),
            array: |values| {
                let text = |datum: &Option<Datum>| match datum.as_ref()?.literal() {
                    PrimitiveLiteral::String(value) => Some(value.clone()),
                    other => panic!("{other:?}"),
                };
                Arc::new(values.iter().map(text).collect::<StringArray>())
            },
            literals: vec![(json!("abc"), "'abc'"), (json!("é"), "'é'")],
        },
        Column {
            json_type: "date",
            transforms: vec![
                Transform::Identity,
                Transform::Bucket(4),
                Transform::Year,
                Transform::Month,
                Transform::Day,
                Transform::Void,
            ],
            values: some([-400, -1, 0, 30, 31, 364, 365, 20_000].map(Datum::date).to_vec()),
            array: |values| Arc::new(values.iter().map(int_of).collect::<Date32Array>()),
            literals: vec![
                (json!("1970-01-31"), "date '1970-01-31'"),
                (json!("1971-01-01"), "date '1971-01-01'"),
            ],
        },
    ]
}

fn columns_of_times() -> Vec<Column> {
    let some = |values: Vec<Datum>| values.into_iter().map(Some).chain([None]).collect();
    vec![
        Column {
            json_type: "timestamp",
            transforms: temporal_transforms(),
            values: some(times().into_iter().map(Datum::timestamp_micros).collect()),
            array: |values| Arc::new(values.iter().map(long_of).collect::<TimestampMicrosecondArray>()),
            literals: vec![
                (
                    json!("1970-02-01T00:00:00.000000"),
                    "timestamp '1970-02-01 00:00:00'",
                ),
                (
                    json!("1969-12-31T23:59:59.999999"),
                    "timestamp '1969-12-31 23:59:59.999999'",
                ),
            ],
        },
        Column {
            json_type: "timestamptz",
            transforms: temporal_transforms(),
            values: some(
                times()
                    .into_iter()
                    .map(whole_second_before_1970)
                    .map(Datum::timestamptz_micros)
                    .collect(),
            ),
            array: |values| {
                let times: TimestampMicrosecondArray = values.iter().map(long_of).collect();
                Arc::new(times.with_timezone("+00:00"))
            },
            literals: vec![
                (Json::Null, "timestamp '1970-02-01T01:00:00+01:00'"),
                (Json::Null, "timestamp '1969-12-31T23:59:59Z'"),
            ],
        },
    ]
}

/// One file for each value, numbered.
async fn one_file_each(directory: &Path, column: &Column, transform: Option<Transform>) -> Written {
    let spec = transform.map(|transform| {
        UnboundPartitionSpec::builder()
            .add_partition_field(2, "part", transform)
            .unwrap()
            .build()
    });
    let mut written = Written::new(directory, schema(column.json_type), spec).await;
    let mut files = Vec::new();
    for (number, value) in column.values.iter().enumerate() {
        let partition = transform.map(|transform| {
            let function = create_transform_function(&transform).unwrap();
            let part = match (transform, value) {
                (Transform::Void, _) | (_, None) => None,
                (_, Some(value)) => function.transform_literal(value).unwrap(),
            };
            Struct::from_iter([part.map(|part| Literal::Primitive(part.literal().clone()))])
        });
        let number = i32::try_from(number).unwrap();
        let arrays: Vec<ArrayRef> = vec![
            Arc::new(Int32Array::from(vec![number])),
            (column.array)(std::slice::from_ref(value)),
        ];
        files.push(written.write(arrays, partition).await);
    }
    written.commit(files).await;
    written
}

#[tokio::test]
async fn transforms_of_numbers_text_and_dates_answer_as_a_table_without_partitions() {
    assert!(compared(columns()).await >= 500);
}

#[tokio::test]
async fn transforms_of_times_answer_as_a_table_without_partitions() {
    assert!(compared(columns_of_times()).await >= 250);
}

/// Compares the answers of the same rows with every transform and without, and tells how many.
async fn compared(columns: Vec<Column>) -> usize {
    let directory = TempDir::new().unwrap();
    let mut compared = 0;
    for column in columns {
        let plain = one_file_each(&directory.path().join(column.json_type), &column, None).await;
        let asked = column.asked();
        let mut expected = Vec::new();
        for (restriction, condition) in &asked {
            let sql = format!("select n, v from t {condition}");
            expected.push(rows(&sql, &[("t", &plain.answer(restriction))]).await);
        }
        let different: BTreeSet<_> = expected.iter().collect();
        assert!(different.len() >= 6, "{}: {different:?}", column.json_type);
        for transform in &column.transforms {
            let folder = format!("{}-{transform}", column.json_type);
            let parted = one_file_each(&directory.path().join(folder), &column, Some(*transform)).await;
            for ((restriction, condition), expected) in asked.iter().zip(&expected) {
                let sql = format!("select n, v from t {condition}");
                let shown = rows(&sql, &[("t", &parted.answer(restriction))]).await;
                assert_eq!(&shown, expected, "{transform} {restriction} {sql}");
                compared += 1;
            }
            // Filter and mask on the partition column itself.
            let hidden = json!({"required-row-filter": {"type": "is-null", "child": {"type": "reference", "id": 2}},
                "required-column-projections": [{"field-id": 2, "action": "mask-to-fixed-value"}]});
            for sql in [
                "select n, v from t",
                "select count(*) from t",
                "select v, count(*) from t group by v",
            ] {
                assert_eq!(
                    rows(sql, &[("t", &parted.answer(&hidden))]).await,
                    rows(sql, &[("t", &plain.answer(&hidden))]).await,
                    "{transform} {sql}"
                );
            }
        }
    }
    compared
}
