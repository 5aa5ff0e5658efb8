// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Deleted rows: by position, by value and by deletion vector; each open and behind restrictions.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, Int64Array, StringArray};
use iceberg::spec::{
    DataContentType, DataFile, DataFileFormat, FormatVersion, Literal, Struct, Transform,
    UnboundPartitionSpec,
};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::{ask, rows};
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

#[tokio::test]
async fn what_is_wrong_with_a_deletion_vector_is_refused() {
    let directory = TempDir::new().unwrap();
    let (written, first, second) = written(&directory, FormatVersion::V3).await;
    let good = vector(&written, "v.puffin", &first, &[1, 3]);
    let refused = async |deletes: &[(DataFile, i64, i32)]| {
        let metadata = written.metadata_with(deletes).await;
        let body = answer(&metadata, &Json::Null);
        ask("select x from t", &[("t", &body)])
            .await
            .map(|answer| answer.rows())
            .unwrap_err()
            .to_string()
    };
    let again = vector(&written, "v2.puffin", &first, &[0]);
    let said = refused(&[(good.clone(), 2, 0), (again, 2, 0)]).await;
    assert!(said.contains("two deletion vectors"), "{said}");
    let newer = vector(&written, "v3.puffin", &second, &[0]);
    let said = refused(&[(newer, 1, 0)]).await;
    assert!(said.contains("older than its data file"), "{said}");
    let path = written.path("v.puffin");
    let changed = |rows: u64, offset: i64, length: i64| {
        listed_file(
            DataContentType::PositionDeletes,
            DataFileFormat::Puffin,
            &path,
            rows,
        )
        .referenced_data_file(Some(first.file_path().to_owned()))
        .content_offset(Some(offset))
        .content_size_in_bytes(Some(length))
        .build()
        .unwrap()
    };
    let (offset, length) = (
        good.content_offset().unwrap(),
        good.content_size_in_bytes().unwrap(),
    );
    for (file, said) in [
        (changed(3, offset, length), "not as many rows"),
        (changed(2, offset, length - 1), "deletion vector"),
        (changed(2, offset + 1, length), "deletion vector"),
        (changed(2, offset, 1_000_000), "does not lie inside"),
        (changed(2, -1, length), "negative"),
    ] {
        let refusal = refused(&[(file, 2, 0)]).await;
        assert!(refusal.contains(said), "{refusal}");
    }
    let nowhere = listed_file(DataContentType::PositionDeletes, DataFileFormat::Puffin, &path, 2)
        .build()
        .unwrap();
    let said = refused(&[(nowhere, 2, 0)]).await;
    assert!(said.contains("does not say its data file"), "{said}");
    std::fs::remove_file(&path).unwrap();
    refused(&[(good, 2, 0)]).await;
}

#[tokio::test]
async fn other_broken_foreign_and_missing_delete_files_are_refused() {
    let directory = TempDir::new().unwrap();
    let (written, first, _) = written(&directory, FormatVersion::V2).await;
    let refused = async |file: DataFile| {
        let metadata = written.metadata_with(&[(file, 3, 0)]).await;
        let body = answer(&metadata, &Json::Null);
        for sql in ["select x from t", "select count(*) from t"] {
            let refusal = ask(sql, &[("t", &body)]).await.map(|answer| answer.rows());
            assert!(refusal.is_err(), "{sql}: {refusal:?}");
        }
        ask("select x from t", &[("t", &body)])
            .await
            .unwrap_err()
            .to_string()
    };
    let path = written.path("d.parquet");
    for content in [DataContentType::PositionDeletes, DataContentType::EqualityDeletes] {
        let file = |path: &str, format| {
            listed_file(content, format, path, 1)
                .equality_ids((content == DataContentType::EqualityDeletes).then(|| vec![1]))
                .build()
                .unwrap()
        };
        for format in [DataFileFormat::Avro, DataFileFormat::Orc] {
            let said = refused(file(&path, format)).await;
            assert!(said.contains("delete files in the format"), "{said}");
        }
        refused(file(&written.path("missing.parquet"), DataFileFormat::Parquet)).await;
        let elsewhere = directory.path().join("elsewhere.parquet");
        write_position_deletes(&elsewhere, &[(first.file_path(), 0)]);
        let said = refused(file(elsewhere.to_str().unwrap(), DataFileFormat::Parquet)).await;
        assert!(said.contains("does not lie below"), "{said}");
        std::fs::write(&path, b"PAR1 no Parquet at all PAR1").unwrap();
        let said = refused(file(&path, DataFileFormat::Parquet)).await;
        assert!(said.contains("d.parquet"), "{said}");
        // A Parquet file of other columns.
        write_columns(&path, vec![("other", Some(77), ints(&[Some(1)]))]);
        let said = refused(file(&path, DataFileFormat::Parquet)).await;
        assert!(said.contains("has not one column with field id"), "{said}");
        let texts: ArrayRef = Arc::new(StringArray::from(vec!["1"]));
        write_columns(
            &path,
            vec![
                ("x", Some(1), Arc::clone(&texts)),
                ("file_path", Some(2_147_483_546), Arc::clone(&texts)),
                ("pos", Some(2_147_483_545), texts),
            ],
        );
        let said = refused(file(&path, DataFileFormat::Parquet)).await;
        assert!(said.contains("cannot become"), "{said}");
    }
    write_position_deletes(&path, &[(first.file_path(), -1)]);
    let below = listed_file(
        DataContentType::PositionDeletes,
        DataFileFormat::Parquet,
        &path,
        1,
    );
    let said = refused(below.build().unwrap()).await;
    assert!(said.contains("below 0"), "{said}");
    for (ids, said) in [(None, "does not say which columns"), (Some(vec![8]), "field 8")] {
        let mut file = listed_file(
            DataContentType::EqualityDeletes,
            DataFileFormat::Parquet,
            &path,
            1,
        );
        let refusal = refused(file.equality_ids(ids).build().unwrap()).await;
        assert!(refusal.contains(said), "{refusal}");
    }
}

#[tokio::test]
async fn deletes_of_a_partition_stay_in_it_and_global_ones_do_not() {
    let directory = TempDir::new().unwrap();
    let spec = UnboundPartitionSpec::builder()
        .add_partition_field(2, "name_part", Transform::Identity)
        .unwrap()
        .build();
    let mut written = Written::new(directory.path(), schema(), Some(spec)).await;
    let part = |name: &str| Struct::from_iter([Some(Literal::string(name))]);
    let a = written
        .append(columns(&[(Some(1), "a"), (Some(2), "a")]), Some(part("a")))
        .await;
    let b = written
        .append(columns(&[(Some(1), "b"), (Some(2), "b")]), Some(part("b")))
        .await;
    let in_part = |file: DataFile, name: &str| {
        let mut builder = listed_file(
            file.content_type(),
            file.file_format(),
            file.file_path(),
            file.record_count(),
        );
        builder
            .equality_ids(file.equality_ids())
            .partition(part(name))
            .build()
            .unwrap()
    };
    let one = equality(&written, "e.parquet", vec![("x", 1, ints(&[Some(1)]))]);
    let path = written.path("p.parquet");
    write_position_deletes(&path, &[(a.file_path(), 1), (b.file_path(), 1)]);
    let positions = listed_file(
        DataContentType::PositionDeletes,
        DataFileFormat::Parquet,
        &path,
        2,
    )
    .build()
    .unwrap();
    let count = async |deletes: &[(DataFile, i64, i32)]| {
        let body = answer(&written.metadata_with(deletes).await, &Json::Null);
        rows("select name, x from t", &[("t", &body)]).await.join("")
    };
    assert_eq!(
        count(&[(in_part(one.clone(), "a"), 3, 0)]).await,
        "| a | 2 || b | 1 || b | 2 |"
    );
    assert_eq!(
        count(&[(in_part(positions, "b"), 3, 0)]).await,
        "| a | 1 || a | 2 || b | 1 |"
    );
    // With an unpartitioned spec of the same table they are global.
    let mut metadata = written.metadata();
    metadata
        .pointer_mut("/partition-specs")
        .unwrap()
        .as_array_mut()
        .unwrap()
        .push(json!({"spec-id": 1, "fields": []}));
    written.table = written.with_metadata(&metadata);
    let one = {
        let mut builder = listed_file(one.content_type(), one.file_format(), one.file_path(), 1);
        builder
            .equality_ids(one.equality_ids())
            .partition_spec_id(1)
            .build()
            .unwrap()
    };
    let body = answer(&written.metadata_with(&[(one, 3, 1)]).await, &Json::Null);
    assert_eq!(
        rows("select name, x from t", &[("t", &body)]).await,
        ["| a | 2 |", "| b | 2 |"]
    );
}

#[tokio::test]
async fn deletes_follow_the_schema_by_field_id() {
    let directory = TempDir::new().unwrap();
    let (written, ..) = written(&directory, FormatVersion::V3).await;
    let evolved = |metadata: &Json, fields: Json| {
        let mut metadata = metadata.clone();
        let schemas = metadata.pointer_mut("/schemas").unwrap().as_array_mut().unwrap();
        schemas.push(json!({"type": "struct", "schema-id": 1, "fields": fields}));
        *metadata.get_mut("current-schema-id").unwrap() = json!(1);
        *metadata.get_mut("last-column-id").unwrap() = json!(9);
        metadata
    };
    let names = async |metadata: &Json, column: &str| {
        let body = answer(metadata, &Json::Null);
        rows(&format!("select {column} from t"), &[("t", &body)])
            .await
            .join("")
    };
    let ints = equality(&written, "e.parquet", vec![("x", 1, ints(&[Some(1), None]))]);
    let metadata = written.metadata_with(&[(ints, 3, 0)]).await;
    // Renamed and widened; another column has the old name.
    let renamed = evolved(
        &metadata,
        json!([
            {"id": 2, "name": "label", "type": "string", "required": false},
            {"id": 1, "name": "number", "type": "long", "required": false},
            {"id": 3, "name": "x", "type": "int", "required": false}
        ]),
    );
    assert_eq!(names(&renamed, "label").await, "| c || g || h |");
    assert_eq!(names(&renamed, "number").await, "| 3 || 3 || 4 |");
    // Dropped: it still counts.
    let dropped = evolved(
        &metadata,
        json!([{"id": 2, "name": "name", "type": "string", "required": false}]),
    );
    assert_eq!(names(&dropped, "name").await, "| c || g || h |");
    assert_eq!(names(&dropped, "count(*)").await, "| 3 |");
    let masked = answer(
        &dropped,
        &json!({"required-column-projections": [{"field-id": 2, "action": "mask-alphanum"}]}),
    );
    assert_eq!(
        rows("select count(*), max(name) from t", &[("t", &masked)]).await,
        ["| 3 | x |"]
    );
    // Written after the widening; and a column that no data file has, with and without a default.
    let wide: ArrayRef = Arc::new(Int64Array::from(vec![4, 1 << 40]));
    let widened = equality(&written, "e.parquet", vec![("x", 1, wide)]);
    let none: ArrayRef = Arc::new(Int32Array::from(vec![None]));
    let default: ArrayRef = Arc::new(Int32Array::from(vec![42]));
    let fields = json!([
        {"id": 1, "name": "x", "type": "long", "required": false},
        {"id": 2, "name": "name", "type": "string", "required": false},
        {"id": 4, "name": "added", "type": "int", "required": false},
        {"id": 5, "name": "defaulted", "type": "int", "required": false, "initial-default": 42}
    ]);
    let metadata = written.metadata_with(&[(widened, 3, 0)]).await;
    assert_eq!(
        names(&evolved(&metadata, fields.clone()), "name").await,
        "| a || b || c || d || e || f || g |"
    );
    for (id, values, expected) in [
        (4, Arc::clone(&none), ""),
        (4, Arc::clone(&default), "| 8 |"),
        (5, none, "| 8 |"),
        (5, default, ""),
    ] {
        let delete = equality(&written, "e.parquet", vec![("added", id, values)]);
        // The column must be one of the table when planning reads the delete file.
        let metadata = evolved(&written.metadata_with(&[(delete, 3, 0)]).await, fields.clone());
        let shown = names(&metadata, "count(*)").await;
        let expected = if expected.is_empty() { "| 0 |" } else { expected };
        assert_eq!(shown, expected, "field {id}");
    }
}
