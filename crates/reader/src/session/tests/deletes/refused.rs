// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Delete files that are not what they should be, and those that do not fit into memory.

use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use iceberg::spec::{DataContentType, DataFile, DataFileFormat, FormatVersion};
use serde_json::Value as Json;
use tempfile::TempDir;

use super::super::{ask, start};
use super::{equality, ints, vector, written};
use crate::error::ReaderError;
use crate::session::resources::{Limit, ResourceSettings, Resources};
use crate::written_tables::{answer, listed_file, write_columns, write_position_deletes};

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

/// Resources of which one query may use so much, and no disk.
fn resources(per_query: usize) -> Resources {
    let limit = |bytes, setting| Limit { bytes, setting };
    Resources::new(ResourceSettings {
        memory: limit(1 << 30, "--memory"),
        memory_per_user: limit(1 << 30, "--memory-per-user"),
        memory_per_query: limit(per_query, "--memory-per-query"),
        queries: 1,
        spill: None,
    })
}

#[tokio::test]
async fn deletes_that_do_not_fit_into_the_memory_of_a_query_are_refused_by_its_limit() {
    const DELETES: i32 = 50_000;
    let directory = TempDir::new().unwrap();
    let (v2, first, _) = written(&directory, FormatVersion::V2).await;
    let path = v2.path("p.parquet");
    let positions: Vec<_> = (4..i64::from(DELETES))
        .map(|at| (first.file_path(), at))
        .collect();
    write_position_deletes(&path, &positions);
    let rows = u64::try_from(positions.len()).unwrap();
    let by_position = listed_file(
        DataContentType::PositionDeletes,
        DataFileFormat::Parquet,
        &path,
        rows,
    );
    let others = (1_000..1_000 + DELETES).map(Some).collect::<Vec<_>>();
    let by_value = equality(&v2, "e.parquet", vec![("x", 1, ints(&others))]);
    let below = TempDir::new().unwrap();
    let (v3, first, _) = written(&below, FormatVersion::V3).await;
    let vector = vector(
        &v3,
        "v.puffin",
        &first,
        &(4..100_000).step_by(2).collect::<Vec<u64>>(),
    );
    for metadata in [
        v2.metadata_with(&[(by_position.build().unwrap(), 3, 0)]).await,
        v2.metadata_with(&[(by_value, 3, 0)]).await,
        v3.metadata_with(&[(vector, 3, 0)]).await,
    ] {
        let body = answer(&metadata, &Json::Null);
        let run = async |bytes| {
            let resources = resources(bytes);
            let share = Some(resources.of_user("ann"));
            let answer = start("select name from t", &[("t", &body)], share)
                .await?
                .collect(None)
                .await?;
            // Whoever has the rows holds no memory for deletes any more.
            assert_eq!(resources.usage().memory_reserved, 0);
            Ok::<usize, ReaderError>(answer.rows())
        };
        assert_eq!(run(64 << 20).await.unwrap(), 8);
        let refused = run(10_000).await.unwrap_err();
        assert!(
            matches!(refused.root(), ReaderError::Exhausted(text) if text.contains("--memory-per-query")),
            "{refused:?}"
        );
    }
}
