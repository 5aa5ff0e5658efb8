// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which rows delete files reach: those of their partition, or of all; and which fields they mean.

use super::*;

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
