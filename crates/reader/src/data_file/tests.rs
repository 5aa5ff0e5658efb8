// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What is read of files, and that skipping never changes which rows are found.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int32Array, StringArray};
use arrow::datatypes::{DataType, Field as ArrowField, Int32Type, Schema as ArrowSchema};
use arrow::record_batch::RecordBatch;
use datafusion::catalog::TableProvider as _;
use datafusion::common::TableReference;
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::collect;
use datafusion::prelude::{SessionContext, col, lit};
use futures::TryStreamExt;
use iceberg::io::FileIO;
use iceberg::scan::FileScanTask;
use iceberg::spec::{DataFileFormat, NestedField, PrimitiveType, Schema, Type};
use lakeward_read_restrictions::predicate::Predicate;
use lakeward_read_restrictions::value::Value;
use parquet::arrow::{ArrowWriter, PARQUET_FIELD_ID_META_KEY};
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::{FileScan, Seen, Wanted};
use crate::barrier::Barrier;
use crate::deletes::Deletes;
use crate::load_table;
use crate::reference_arrays::{arrow_type, to_array};
use crate::restricted_table::RestrictedTable;
use crate::row_filter::RowFilter;
use crate::row_filter::tests::{predicate, reference, types, value};
use crate::salt::random_salt;
use crate::table_name::TableName;
use crate::table_version::TableVersion;
use crate::text_views::inside;
use crate::written_tables::{Written, write_position_deletes};

/// Field id of the column that numbers the rows, behind one column of every type.
const NUMBER: i32 = 11;

fn primitive(position: usize) -> PrimitiveType {
    [
        PrimitiveType::Boolean,
        PrimitiveType::Int,
        PrimitiveType::Long,
        PrimitiveType::Float,
        PrimitiveType::Double,
        PrimitiveType::Decimal {
            precision: 9,
            scale: 2,
        },
        PrimitiveType::Date,
        PrimitiveType::Time,
        PrimitiveType::Timestamp,
        PrimitiveType::String,
        PrimitiveType::Int,
    ]
    .get(position)
    .unwrap()
    .clone()
}

fn fields() -> Vec<Wanted> {
    let shown = types()
        .into_iter()
        .map(|field_type| arrow_type(&field_type).unwrap());
    let shown = shown.chain([DataType::Int32]);
    shown
        .zip(1..)
        .enumerate()
        .map(|(position, (data_type, id))| Wanted {
            field: NestedField::optional(id, format!("c{id}"), Type::Primitive(primitive(position))).into(),
            data_type: inside(&data_type),
        })
        .collect()
}

/// Row groups and pages of few rows, bounds cut to one byte, Bloom filters.
fn write(path: &Path, columns: &[Vec<Value>], dictionary: bool) {
    let rows = columns.first().map_or(0, Vec::len);
    let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(0..i32::try_from(rows).unwrap()));
    let arrays: Vec<ArrayRef> = types()
        .iter()
        .zip(columns)
        .map(|(field_type, values)| to_array(field_type, values))
        .chain([numbers])
        .collect();
    let fields: Vec<ArrowField> = arrays
        .iter()
        .zip(1..)
        .map(|(array, id)| {
            ArrowField::new(format!("c{id}"), array.data_type().clone(), true).with_metadata(HashMap::from([
                (PARQUET_FIELD_ID_META_KEY.to_owned(), id.to_string()),
            ]))
        })
        .collect();
    let schema = Arc::new(ArrowSchema::new(fields));
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(8))
        .set_data_page_row_count_limit(3)
        .set_write_batch_size(1)
        .set_statistics_truncate_length(Some(1))
        .set_column_index_truncate_length(Some(1))
        .set_bloom_filter_enabled(true)
        .set_bloom_filter_ndv(8)
        .set_dictionary_enabled(dictionary)
        .build();
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), Arc::clone(&schema), Some(properties)).unwrap();
    writer
        .write(&RecordBatch::try_new(schema, arrays).unwrap())
        .unwrap();
    writer.close().unwrap();
}

fn scan(filter: Option<&Predicate>, pruning: Option<&Predicate>, deletes: Deletes) -> Arc<FileScan> {
    Arc::new(FileScan {
        table: "t".to_owned(),
        file_io: FileIO::new_with_fs(),
        fields: fields(),
        filter: filter.map(|filter| RowFilter::new(filter.clone())),
        pruning: pruning.cloned(),
        untrusted: BTreeSet::new(),
        dictionaries: BTreeSet::from([10]),
        deletes,
        seen: Seen::default(),
    })
}

/// The numbers of the rows that are found, when the file is read in `parts` of bytes.
async fn found(scan: &Arc<FileScan>, filter: &Predicate, path: &Path, parts: u64) -> Vec<i32> {
    let size = std::fs::metadata(path).unwrap().len();
    let mut field_ids: Vec<i32> = RowFilter::new(filter.clone()).fields().into_iter().collect();
    field_ids.push(NUMBER);
    let mut numbers = Vec::new();
    for part in 0..parts {
        let (start, end) = (size * part / parts, size * (part + 1) / parts);
        let task = FileScanTask::builder()
            .with_file_size_in_bytes(size)
            .with_start(start)
            .with_length(end - start)
            .with_data_file_path(path.display().to_string())
            .with_data_file_format(DataFileFormat::Parquet)
            .with_schema(Arc::new(Schema::builder().build().unwrap()))
            .with_project_field_ids(field_ids.clone())
            .with_case_sensitive(true)
            .build();
        let batches: Vec<_> = Arc::clone(scan)
            .open(task, 5)
            .await
            .unwrap()
            .try_collect()
            .await
            .unwrap();
        for originals in batches {
            let rows = originals.rows;
            let column = |id: i32| {
                rows.columns()
                    .get(field_ids.iter().position(|known| *known == id).unwrap())
            };
            let kept = RowFilter::new(filter.clone())
                .keep(rows.num_rows(), &column)
                .unwrap();
            assert!(!originals.filtered || kept.count_set_bits() == rows.num_rows());
            let shown = rows.columns().last().unwrap().as_primitive::<Int32Type>();
            numbers.extend(
                shown
                    .values()
                    .iter()
                    .zip(&kept)
                    .filter(|(_, kept)| *kept)
                    .map(|(number, _)| *number),
            );
        }
    }
    numbers.sort_unstable();
    numbers
}

fn columns() -> impl Strategy<Value = Vec<Vec<Value>>> {
    (0..40_usize).prop_flat_map(|rows| {
        types()
            .iter()
            .map(|field_type| proptest::collection::vec(value(field_type), rows))
            .collect::<Vec<_>>()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn skipping_and_filtering_early_find_what_the_reference_finds(
        filter in predicate(),
        columns in columns(),
        sorted in any::<bool>(),
        dictionary in any::<bool>(),
        deleted in proptest::collection::btree_set(0_usize..40, 0..6),
        parts in 1_u64..5,
    ) {
        let mut columns = columns;
        if sorted {
            // So that row groups and pages have narrow bounds.
            for (column, field_type) in columns.iter_mut().zip(types()) {
                let order = arrow::compute::sort_to_indices(&to_array(&field_type, column), None, None).unwrap();
                *column = order.values().iter().map(|at| column[usize::try_from(*at).unwrap()].clone()).collect();
            }
        }
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("data.parquet");
        write(&path, &columns, dictionary);
        let rows = columns.first().unwrap().len();
        let named = path.display().to_string();
        let positions: Vec<(&str, i64)> = deleted.iter().map(|at| (named.as_str(), i64::try_from(*at).unwrap())).collect();
        let deletes = directory.path().join("deletes.parquet");
        write_position_deletes(&deletes, &positions);
        let expected: Vec<i32> = (0..rows)
            .filter(|row| !deleted.contains(row) && reference(&filter, &columns, *row))
            .map(|row| i32::try_from(row).unwrap())
            .collect();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        // Not skipping, skipping only, filtering only, and both.
        for (early, pruning) in [(false, false), (false, true), (true, false), (true, true)] {
            let scan = scan(early.then_some(&filter), pruning.then_some(&filter), Deletes::of_positions(&path, &deletes));
            let shown = runtime.block_on(found(&scan, &filter, &path, parts));
            prop_assert_eq!(&shown, &expected, "early {} pruning {}", early, pruning);
        }
    }
}

const ROWS: i32 = 20_000;

/// A number, a long text that no two rows share, and a short one.
async fn written(directory: &TempDir) -> Written {
    let schema = json!({"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "x", "type": "int", "required": false},
        {"id": 2, "name": "secret", "type": "string", "required": false},
        {"id": 3, "name": "kind", "type": "string", "required": false}
    ]});
    let mut written = Written::new(directory.path(), schema, None)
        .await
        .with_pages_of(500);
    let secret = |row: i32| {
        let mixed = i64::from(row).wrapping_mul(6_364_136_223_846_793_005);
        format!("{mixed:x}{:x}{:x}", mixed.rotate_left(17), mixed.rotate_left(43))
    };
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from_iter_values(0..ROWS)),
        Arc::new(StringArray::from_iter_values((0..ROWS).map(secret))),
        Arc::new(StringArray::from_iter_values(
            (0..ROWS).map(|row| format!("kind {}", row % 5)),
        )),
    ];
    written.append(columns, None).await;
    written
}

/// Rows and bytes of data files that a scan of these columns reads.
async fn read(body: &str, columns: &[usize], filters: &[Expr]) -> (usize, u64) {
    let name = TableName::resolve(&TableReference::full("c", "s", "t"), None, None).unwrap();
    let loaded = load_table::parse(&name, body).unwrap();
    let table = RestrictedTable::new("t", loaded, &TableVersion::Current, random_salt().unwrap()).unwrap();
    let context = SessionContext::new();
    let plan = table
        .scan(&context.state(), Some(&columns.to_vec()), filters, None)
        .await
        .unwrap();
    let rows = collect(Arc::clone(&plan), context.task_ctx()).await.unwrap();
    let barrier = plan.as_any().downcast_ref::<Barrier>().unwrap();
    (rows.iter().map(RecordBatch::num_rows).sum(), barrier.bytes_read())
}

#[tokio::test]
async fn a_column_that_does_not_show_its_values_is_not_read() {
    let directory = TempDir::new().unwrap();
    let written = written(&directory).await;
    let open = written.answer(&Json::Null);
    let rows = usize::try_from(ROWS).unwrap();
    let (_, number) = read(&open, &[0], &[]).await;
    let (_, both) = read(&open, &[0, 1], &[]).await;
    // Most of the file is the secret.
    assert!(both > 5 * number, "{both} {number}");
    for action in ["mask-to-fixed-value", "replace-with-null"] {
        let body =
            written.answer(&json!({"required-column-projections": [{"field-id": 2, "action": action}]}));
        assert_eq!(read(&body, &[0, 1], &[]).await, (rows, number), "{action}");
        // With nothing else to show not even the file is opened.
        assert_eq!(read(&body, &[1], &[]).await, (rows, 0), "{action}");
    }
    let shown = written.answer(&json!({"required-column-projections": [
        {"field-id": 2, "action": "sha-256-global"}]}));
    assert_eq!(read(&shown, &[0, 1], &[]).await, (rows, both));
}

#[tokio::test]
async fn pages_without_rows_of_use_are_not_read() {
    let directory = TempDir::new().unwrap();
    let written = written(&directory).await;
    let open = written.answer(&Json::Null);
    let (all, whole) = read(&open, &[0, 1], &[]).await;
    let (rows, bytes) = read(&open, &[0, 1], &[col("x").lt(lit(700))]).await;
    // Two pages of 500 rows; the filter itself runs above the scan.
    assert_eq!(rows, 1000);
    assert!(all == 20_000 && bytes * 5 < whole, "{bytes} {whole}");
    // A required filter skips too, and then filters.
    let few = written.answer(&json!({"required-row-filter": {"type": "gt-eq",
        "left": {"type": "reference", "id": 1},
        "right": {"type": "literal", "value": 19_990, "data-type": "int"}}}));
    let (rows, bytes) = read(&few, &[0, 1], &[]).await;
    assert_eq!(rows, 10);
    assert!(bytes * 5 < whole, "{bytes} {whole}");
    // By the original of a masked column nothing is skipped.
    let masked = written.answer(&json!({"required-column-projections": [
        {"field-id": 1, "action": "sha-256-global"}]}));
    let (rows, bytes) = read(&masked, &[0, 1], &[col("x").lt(lit(700))]).await;
    assert_eq!((rows, bytes), (20_000, whole));
}
