// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Deleted rows: by position, by value and by deletion vector; each open and behind restrictions.

mod refused;
mod scope;

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, Int64Array, StringArray};
use iceberg::spec::{
    DataContentType, DataFile, DataFileFormat, FormatVersion, Literal, Struct, Transform,
    UnboundPartitionSpec,
};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::rows;
use crate::written_tables::{
    Written, answer, deletion_vector, listed_file, write_columns, write_position_deletes,
};

fn schema() -> Json {
    json!({"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "x", "type": "int", "required": false},
        {"id": 2, "name": "name", "type": "string", "required": false}
    ]})
}

fn columns(rows: &[(Option<i32>, &str)]) -> Vec<ArrayRef> {
    vec![
        Arc::new(rows.iter().map(|row| row.0).collect::<Int32Array>()),
        Arc::new(rows.iter().map(|row| Some(row.1)).collect::<StringArray>()),
    ]
}

/// Rows a to h in two files with sequence numbers 1 and 2, the second of row groups of two rows.
async fn written(directory: &TempDir, version: FormatVersion) -> (Written, DataFile, DataFile) {
    let mut written = Written::of_version(directory.path(), schema(), None, version)
        .await
        .with_rows_per_group(2);
    let first = [(Some(1), "a"), (None, "b"), (Some(3), "c"), (Some(1), "d")];
    let second = [(Some(1), "e"), (None, "f"), (Some(3), "g"), (Some(4), "h")];
    let first = written.append(columns(&first), None).await;
    let second = written.append(columns(&second), None).await;
    (written, first, second)
}

/// An equality delete file on some columns.
fn equality(written: &Written, name: &str, values: Vec<(&str, i32, ArrayRef)>) -> DataFile {
    let path = written.path(name);
    let ids: Vec<i32> = values.iter().map(|(_, id, _)| *id).collect();
    let count = values.first().unwrap().2.len();
    let columns = values
        .into_iter()
        .map(|(name, id, values)| (name, Some(id), values))
        .collect();
    write_columns(&path, columns);
    let rows = u64::try_from(count).unwrap();
    listed_file(
        DataContentType::EqualityDeletes,
        DataFileFormat::Parquet,
        &path,
        rows,
    )
    .equality_ids(Some(ids))
    .build()
    .unwrap()
}

fn ints(values: &[Option<i32>]) -> ArrayRef {
    Arc::new(Int32Array::from(values.to_vec()))
}

/// A deletion vector in a file of its own, with something before it.
fn vector(written: &Written, name: &str, data_file: &DataFile, positions: &[u64]) -> DataFile {
    let path = written.path(name);
    let blob = deletion_vector(positions.iter().copied());
    let mut content = b"PFA1 other blobs".to_vec();
    let offset = i64::try_from(content.len()).unwrap();
    let length = i64::try_from(blob.len()).unwrap();
    content.extend(blob);
    content.extend(b" a footer");
    std::fs::write(&path, content).unwrap();
    let rows = u64::try_from(positions.len()).unwrap();
    listed_file(
        DataContentType::PositionDeletes,
        DataFileFormat::Puffin,
        &path,
        rows,
    )
    .referenced_data_file(Some(data_file.file_path().to_owned()))
    .content_offset(Some(offset))
    .content_size_in_bytes(Some(length))
    .build()
    .unwrap()
}

/// The names of the rows that are left, open; checks that every other way to ask agrees, and that a filter and masks
/// see the same rows.
async fn left(metadata: &Json) -> String {
    let open = answer(metadata, &Json::Null);
    let names = rows("select name from t", &[("t", &open)]).await;
    let count = format!("| {} |", names.len());
    for sql in [
        "select count(*) from t",
        "select count(name) from t",
        "select count(*) from (select x, name from t)",
        "select count(*) from t where x is null or x is not null",
    ] {
        assert_eq!(rows(sql, &[("t", &open)]).await, [count.as_str()], "{sql}");
    }
    // `x != 3` keeps null; the mask reads the column, the other replaces it.
    let governed = answer(
        metadata,
        &json!({
            "required-row-filter": {"type": "not-eq", "left": {"type": "reference", "id": 1},
                "right": {"type": "literal", "value": 3, "data-type": "int"}},
            "required-column-projections": [
                {"field-id": 1, "action": "sha-256-global"},
                {"field-id": 2, "action": "show-first-4"}
            ]
        }),
    );
    let kept = rows(
        "select name from t where x is null or x is not null",
        &[("t", &governed)],
    )
    .await;
    let expected = rows("select name from t where x is null or x <> 3", &[("t", &open)]).await;
    assert_eq!(kept, expected);
    let fixed = answer(
        metadata,
        &json!({"required-column-projections": [
            {"field-id": 1, "action": "replace-with-null"}, {"field-id": 2, "action": "mask-to-fixed-value"}]}),
    );
    assert_eq!(
        rows(
            "select count(*) from (select x, name from t) where x is null",
            &[("t", &fixed)]
        )
        .await,
        [count.as_str()]
    );
    names.iter().map(|name| name.trim_matches(['|', ' '])).collect()
}

#[tokio::test]
async fn without_deletes_all_are_there() {
    let directory = TempDir::new().unwrap();
    let (written, ..) = written(&directory, FormatVersion::V2).await;
    assert_eq!(left(&written.metadata()).await, "abcdefgh");
}

#[tokio::test]
async fn a_value_deletes_strictly_older_rows_and_null_deletes_null() {
    let directory = TempDir::new().unwrap();
    let (written, ..) = written(&directory, FormatVersion::V2).await;
    for (values, sequence, expected) in [
        (vec![Some(1)], 3, "bcfgh"),
        (vec![Some(1)], 2, "bcefgh"),
        (vec![Some(1)], 1, "abcdefgh"),
        (vec![None], 3, "acdegh"),
        (vec![None], 2, "acdefgh"),
        (vec![Some(9)], 3, "abcdefgh"),
        (vec![Some(1), None, Some(3), Some(4)], 3, ""),
    ] {
        let delete = equality(&written, "e.parquet", vec![("x", 1, ints(&values))]);
        let metadata = written.metadata_with(&[(delete, sequence, 0)]).await;
        assert_eq!(left(&metadata).await, expected, "{values:?} at {sequence}");
    }
}

#[tokio::test]
async fn several_delete_files_and_columns_add_up() {
    let directory = TempDir::new().unwrap();
    let (written, _, second) = written(&directory, FormatVersion::V2).await;
    let one = equality(&written, "e1.parquet", vec![("x", 1, ints(&[Some(3)]))]);
    let names: ArrayRef = Arc::new(StringArray::from(vec!["a", "f", "h"]));
    // The name that the column had when the file was written is of no interest.
    let both = equality(
        &written,
        "e2.parquet",
        vec![("label", 2, names), ("y", 1, ints(&[Some(1), None, Some(5)]))],
    );
    let path = written.path("p.parquet");
    write_position_deletes(&path, &[(second.file_path(), 3), ("elsewhere", 0)]);
    let positions = listed_file(
        DataContentType::PositionDeletes,
        DataFileFormat::Parquet,
        &path,
        2,
    )
    .build()
    .unwrap();
    let metadata = written
        .metadata_with(&[(one, 2, 0), (both, 3, 0), (positions, 2, 0)])
        .await;
    // c by one, a and f by both, h by its position.
    assert_eq!(left(&metadata).await, "bdeg");
}

#[tokio::test]
async fn positions_of_several_files_and_row_groups() {
    let directory = TempDir::new().unwrap();
    let (written, first, second) = written(&directory, FormatVersion::V2).await;
    let path = written.path("p.parquet");
    write_position_deletes(
        &path,
        &[
            (first.file_path(), 0),
            (first.file_path(), 3),
            (second.file_path(), 2),
            (second.file_path(), 2),
            (second.file_path(), 70),
        ],
    );
    let file = |referenced: Option<&DataFile>| {
        listed_file(
            DataContentType::PositionDeletes,
            DataFileFormat::Parquet,
            &path,
            5,
        )
        .referenced_data_file(referenced.map(|file| file.file_path().to_owned()))
        .build()
        .unwrap()
    };
    for (file, sequence, expected) in [
        (file(None), 2, "bcefh"),
        // Rows written after the deletes are not touched.
        (file(None), 1, "bcefgh"),
        (file(Some(&second)), 2, "abcdefh"),
    ] {
        let metadata = written.metadata_with(&[(file, sequence, 0)]).await;
        assert_eq!(left(&metadata).await, expected);
    }
}

#[tokio::test]
async fn a_deletion_vector_stands_for_all_position_deletes_of_its_file() {
    let directory = TempDir::new().unwrap();
    let (written, first, second) = written(&directory, FormatVersion::V3).await;
    let path = written.path("p.parquet");
    write_position_deletes(&path, &[(first.file_path(), 0), (second.file_path(), 0)]);
    let positions = listed_file(
        DataContentType::PositionDeletes,
        DataFileFormat::Parquet,
        &path,
        2,
    )
    .build()
    .unwrap();
    let by_value = equality(&written, "e.parquet", vec![("x", 1, ints(&[Some(4)]))]);
    let vector = vector(&written, "v.puffin", &first, &[1, 3]);
    let metadata = written
        .metadata_with(&[(positions.clone(), 2, 0), (vector.clone(), 2, 0)])
        .await;
    assert_eq!(left(&metadata).await, "acfgh");
    // Equality deletes hold beside it.
    let metadata = written
        .metadata_with(&[(positions, 2, 0), (vector, 2, 0), (by_value, 3, 0)])
        .await;
    assert_eq!(left(&metadata).await, "acfg");
}
