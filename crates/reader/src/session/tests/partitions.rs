// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Partitioned tables answer as those without partitions, whatever is skipped.

mod transforms;

use std::sync::Arc;

use arrow::array::{ArrayRef, Decimal128Array, Int32Array, StringArray};
use iceberg::spec::{
    DataContentType, DataFile, DataFileFormat, Datum, Literal, Struct, Transform, UnboundPartitionSpec,
};
use iceberg::transform::create_transform_function;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::rows;
use crate::written_tables::{Written, answer, listed_file, write_columns};

fn schema(json_type: &str) -> Json {
    json!({"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "n", "type": "int", "required": false},
        {"id": 2, "name": "v", "type": json_type, "required": false}
    ]})
}

#[tokio::test]
async fn decimals_follow_their_partitions() {
    let directory = TempDir::new().unwrap();
    let schema = schema("decimal(9,2)");
    for transform in [Transform::Identity, Transform::Bucket(3), Transform::Truncate(50)] {
        let spec = UnboundPartitionSpec::builder()
            .add_partition_field(2, "part", transform)
            .unwrap()
            .build();
        let folder = directory.path().join(transform.to_string());
        let mut written = Written::new(&folder, schema.clone(), Some(spec)).await;
        let values = [
            ("0.01", 1_i128),
            ("0.49", 49),
            ("0.50", 50),
            ("-0.01", -1),
            ("123.45", 12_345),
        ];
        for (number, (text, unscaled)) in values.into_iter().enumerate() {
            let datum = Datum::decimal_from_str(text).unwrap();
            let part = create_transform_function(&transform)
                .unwrap()
                .transform_literal(&datum)
                .unwrap();
            let partition = Struct::from_iter([part.map(|part| Literal::Primitive(part.literal().clone()))]);
            let value = Decimal128Array::from(vec![unscaled])
                .with_precision_and_scale(9, 2)
                .unwrap();
            let number = i32::try_from(number).unwrap();
            let arrays: Vec<ArrayRef> = vec![Arc::new(Int32Array::from(vec![number])), Arc::new(value)];
            written.append(arrays, Some(partition)).await;
        }
        let filter = json!({"required-row-filter": {"type": "lt-eq", "left": {"type": "reference", "id": 2},
            "right": {"type": "literal", "value": "0.49", "data-type": "decimal(9,2)"}}});
        assert_eq!(
            rows("select n, v from t", &[("t", &written.answer(&filter))]).await,
            ["| 0 | 0.01 |", "| 1 | 0.49 |", "| 3 | -0.01 |"],
            "{transform}"
        );
    }
}

/// Files as Hive leaves them: without field ids, and without the columns of their partition.
#[tokio::test]
async fn imported_files_get_columns_from_partitions_and_names_from_the_mapping() {
    let directory = TempDir::new().unwrap();
    let spec = UnboundPartitionSpec::builder()
        .add_partition_field(2, "v", Transform::Identity)
        .unwrap()
        .build();
    let mut written = Written::new(directory.path(), schema("string"), Some(spec)).await;
    let part = |text: Option<&str>| Struct::from_iter([text.map(Literal::string)]);
    let full: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![1])),
        Arc::new(StringArray::from(vec!["a"])),
    ];
    written.append(full, Some(part(Some("a")))).await;
    let imported = |name: &str, value: Option<&str>, numbers: Vec<i32>| -> DataFile {
        let path = written.path(name);
        let rows = u64::try_from(numbers.len()).unwrap();
        write_columns(
            &path,
            vec![("old_n", None, Arc::new(Int32Array::from(numbers)) as ArrayRef)],
        );
        listed_file(DataContentType::Data, DataFileFormat::Parquet, &path, rows)
            .partition(part(value))
            .build()
            .unwrap()
    };
    let files = [
        (imported("h1.parquet", Some("b"), vec![2, 3]), 2, 0),
        (imported("h2.parquet", None, vec![4]), 2, 0),
    ];
    let mut metadata = written.metadata_with(&files).await;
    let refused = super::ask("select n from t", &[("t", &answer(&metadata, &Json::Null))]).await;
    let refused = refused.map(|answer| answer.rows()).unwrap_err().to_string();
    assert!(refused.contains("schema.name-mapping.default"), "{refused}");
    let mapping = json!([{"field-id": 1, "names": ["n", "old_n"]}, {"field-id": 2, "names": ["v"]}]);
    let properties = json!({"schema.name-mapping.default": mapping.to_string()});
    metadata
        .as_object_mut()
        .unwrap()
        .insert("properties".to_owned(), properties);
    let all = ["| 1 | a |", "| 2 | b |", "| 3 | b |", "| 4 | |"];
    let open = answer(&metadata, &Json::Null);
    assert_eq!(rows("select n, v from t", &[("t", &open)]).await, all);
    assert_eq!(
        rows("select n, v from t where v = 'b'", &[("t", &open)]).await,
        all[1..3]
    );
    let filter = |kind: &str| {
        json!({"required-row-filter": {"type": kind, "left": {"type": "reference", "id": 2},
            "right": {"type": "literal", "value": "b", "data-type": "string"}},
            "required-column-projections": [{"field-id": 2, "action": "show-first-4"},
                {"field-id": 1, "action": "sha-256-global"}]})
    };
    for (kind, expected) in [
        ("eq", ["| b |", "| b |"]),
        ("lt", ["| a |", "| |"]),
        ("not-eq", ["| a |", "| |"]),
    ] {
        let body = answer(&metadata, &filter(kind));
        assert_eq!(rows("select v from t", &[("t", &body)]).await, expected, "{kind}");
    }
}

#[tokio::test]
async fn files_of_several_specs_each_follow_their_own() {
    let directory = TempDir::new().unwrap();
    let spec = UnboundPartitionSpec::builder()
        .add_partition_field(2, "v", Transform::Identity)
        .unwrap()
        .build();
    let mut written = Written::new(directory.path(), schema("string"), Some(spec)).await;
    let full = |number: i32, text: &str| -> Vec<ArrayRef> {
        vec![
            Arc::new(Int32Array::from(vec![number])),
            Arc::new(StringArray::from(vec![text])),
        ]
    };
    written
        .append(
            full(1, "a"),
            Some(Struct::from_iter([Some(Literal::string("a"))])),
        )
        .await;
    let mut metadata = written.metadata();
    let specs = metadata
        .pointer_mut("/partition-specs")
        .unwrap()
        .as_array_mut()
        .unwrap();
    specs.push(json!({"spec-id": 1, "fields": [
        {"source-id": 2, "field-id": 1000, "name": "v_void", "transform": "void"},
        {"source-id": 1, "field-id": 1001, "name": "n_bucket", "transform": "bucket[4]"}]}));
    specs.push(json!({"spec-id": 2, "fields": []}));
    *metadata.get_mut("last-partition-id").unwrap() = json!(1001);
    written.table = written.with_metadata(&metadata);
    let write = |name: &str, number: i32, text: &str| {
        let path = written.path(name);
        let columns = full(number, text);
        let mut columns = columns.into_iter();
        let (n, v) = (columns.next().unwrap(), columns.next().unwrap());
        write_columns(&path, vec![("v", Some(2), v), ("n", Some(1), n)]);
        listed_file(DataContentType::Data, DataFileFormat::Parquet, &path, 1)
    };
    let bucket = create_transform_function(&Transform::Bucket(4)).unwrap();
    let bucket = bucket.transform_literal(&Datum::int(2)).unwrap().unwrap();
    let in_bucket = Struct::from_iter([None, Some(Literal::Primitive(bucket.literal().clone()))]);
    let files = [
        (
            write("s1.parquet", 2, "b")
                .partition(in_bucket)
                .partition_spec_id(1)
                .build()
                .unwrap(),
            2,
            1,
        ),
        (
            write("s2.parquet", 3, "c").partition_spec_id(2).build().unwrap(),
            2,
            2,
        ),
    ];
    let metadata = written.metadata_with(&files).await;
    let open = answer(&metadata, &Json::Null);
    let all = ["| 1 | a |", "| 2 | b |", "| 3 | c |"];
    assert_eq!(rows("select n, v from t", &[("t", &open)]).await, all);
    for (at, sql) in ["v = 'a'", "n = 2", "v = 'c'"].into_iter().enumerate() {
        assert_eq!(
            rows(&format!("select n, v from t where {sql}"), &[("t", &open)]).await,
            [all[at]],
            "{sql}"
        );
    }
    let filtered = answer(
        &metadata,
        &json!({"required-row-filter": {"type": "gt", "left": {"type": "reference", "id": 2},
            "right": {"type": "literal", "value": "a", "data-type": "string"}}}),
    );
    assert_eq!(rows("select n, v from t", &[("t", &filtered)]).await, all[1..]);
}
