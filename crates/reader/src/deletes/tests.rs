// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which delete files apply, and what is in them.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryViewArray, Date32Array, Decimal128Array, FixedSizeBinaryArray, Float64Array, Int32Array,
    Int64Array, StringArray, StringDictionaryBuilder,
};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int32Type};
use iceberg::arrow::type_to_arrow_type;
use iceberg::spec::{NestedField, PrimitiveType, Type};
use proptest::prelude::*;

use super::equality::EqualityDeletes;
use super::vector::parse;
use crate::data_file::Wanted;
use crate::error::ReaderError;
use crate::written_tables::{deletion_vector, write_position_deletes};

fn wanted(id: i32, primitive: PrimitiveType) -> Wanted {
    let field_type = Type::Primitive(primitive);
    Wanted {
        data_type: type_to_arrow_type(&field_type).unwrap(),
        field: Arc::new(NestedField::optional(id, "c", field_type)),
    }
}

/// Rows of `data` that `deletes` name, column by column with field ids 1, 2, …
fn named(primitives: &[PrimitiveType], deletes: &[ArrayRef], data: &[ArrayRef]) -> Vec<bool> {
    let columns = primitives
        .iter()
        .zip(1..)
        .map(|(primitive, id)| wanted(id, primitive.clone()))
        .collect();
    let mut equality = EqualityDeletes::new(columns).unwrap();
    equality.add(deletes).unwrap();
    let data: HashMap<i32, ArrayRef> = (1..).zip(data.iter().cloned()).collect();
    let rows = data.get(&1).unwrap().len();
    let named = equality.named(rows, &|id| data.get(&id)).unwrap();
    named.iter().collect()
}

/// Who reads a table is told of the table, and not where its files lie; the failure of a storage has its own kind, which a
/// gateway keeps for its log.
#[tokio::test]
async fn a_delete_file_that_cannot_be_read_is_told_without_its_path() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("deletes.parquet");
    write_position_deletes(&path, &[("data.parquet", 1)]);
    let load = async || {
        super::Deletes::of_positions(std::path::Path::new("d"), &path)
            .load("d")
            .await
    };
    assert!(load().await.is_ok());
    let whole = std::fs::read(&path).unwrap();
    for change in [0, whole.len() / 2, whole.len() - 1] {
        let mut changed = whole.clone();
        changed[change..].fill(0xFF);
        std::fs::write(&path, changed).unwrap();
        let told = load().await.map(drop).unwrap_err();
        assert!(matches!(told, ReaderError::Unsupported { .. }), "{told:?}");
        let folder = directory.path().display().to_string();
        assert!(
            !told.to_string().contains(&folder) && told.to_string().contains("`t`"),
            "{told}"
        );
    }
    let deletes = super::Deletes::of_positions(std::path::Path::new("d"), &path);
    std::fs::remove_file(&path).unwrap();
    let told = deletes.load("d").await.map(drop).unwrap_err();
    assert!(matches!(told, ReaderError::Storage { .. }), "{told:?}");
}

#[test]
fn null_equals_null_and_nothing_else() {
    let ints = |values: Vec<Option<i32>>| Arc::new(Int32Array::from(values)) as ArrayRef;
    let data = ints(vec![Some(5), None, Some(6)]);
    assert_eq!(
        named(
            &[PrimitiveType::Int],
            &[ints(vec![Some(5)])],
            &[Arc::clone(&data)]
        ),
        [true, false, false]
    );
    assert_eq!(
        named(&[PrimitiveType::Int], &[ints(vec![None])], &[data]),
        [false, true, false]
    );
}

#[test]
fn all_columns_must_be_equal() {
    let ids = |values: Vec<i64>| Arc::new(Int64Array::from(values)) as ArrayRef;
    let names = |values: Vec<Option<&str>>| Arc::new(StringArray::from(values)) as ArrayRef;
    let outcome = named(
        &[PrimitiveType::Long, PrimitiveType::String],
        &[ids(vec![1, 2]), names(vec![Some("a"), None])],
        &[
            ids(vec![1, 1, 2, 2, 3]),
            names(vec![Some("a"), Some("b"), None, Some("a"), None]),
        ],
    );
    assert_eq!(outcome, [true, false, true, false, false]);
    // Two values must not run together into one.
    let outcome = named(
        &[PrimitiveType::String, PrimitiveType::String],
        &[names(vec![Some("ab")]), names(vec![Some("c")])],
        &[
            names(vec![Some("a"), Some("ab")]),
            names(vec![Some("bc"), Some("c")]),
        ],
    );
    assert_eq!(outcome, [false, true]);
}

#[test]
fn every_nan_is_the_same_and_zeros_are_not() {
    let doubles = |values: Vec<f64>| Arc::new(Float64Array::from(values)) as ArrayRef;
    let outcome = named(
        &[PrimitiveType::Double],
        &[doubles(vec![-f64::NAN, 0.0])],
        &[doubles(vec![
            f64::NAN,
            f64::from_bits(0x7ff8_0000_0000_0001),
            0.0,
            -0.0,
            f64::INFINITY,
        ])],
    );
    assert_eq!(outcome, [true, true, true, false, false]);
}

#[test]
fn every_primitive_type_compares() {
    let cases: Vec<(PrimitiveType, ArrayRef)> = vec![
        (
            PrimitiveType::Date,
            Arc::new(Date32Array::from(vec![Some(1), None, Some(2)])),
        ),
        (
            PrimitiveType::Decimal {
                precision: 38,
                scale: 2,
            },
            Arc::new(
                Decimal128Array::from(vec![Some(i128::MAX / 2), None, Some(-1)])
                    .with_precision_and_scale(38, 2)
                    .unwrap(),
            ),
        ),
        (
            PrimitiveType::Uuid,
            Arc::new(
                FixedSizeBinaryArray::try_from_sparse_iter_with_size(
                    [Some([1_u8; 16]), None, Some([2; 16])].into_iter(),
                    16,
                )
                .unwrap(),
            ),
        ),
        (
            PrimitiveType::Binary,
            Arc::new(arrow::array::LargeBinaryArray::from(vec![
                Some(&b"a"[..]),
                None,
                Some(b""),
            ])),
        ),
    ];
    for (primitive, data) in cases {
        for row in 0..3 {
            let one = data.slice(row, 1);
            let expected: Vec<bool> = (0..3).map(|at| at == row).collect();
            assert_eq!(
                named(std::slice::from_ref(&primitive), &[one], &[Arc::clone(&data)]),
                expected
            );
        }
    }
}

#[test]
fn encodings_of_the_data_do_not_matter() {
    let deletes: ArrayRef = Arc::new(StringArray::from(vec![Some("b"), None]));
    let mut dictionary = StringDictionaryBuilder::<Int32Type>::new();
    for value in [Some("a"), Some("b"), None, Some("b")] {
        dictionary.append_option(value);
    }
    let dictionary: ArrayRef = Arc::new(dictionary.finish());
    let views = cast(&dictionary, &DataType::Utf8View).unwrap();
    for data in [dictionary, views] {
        assert_eq!(
            named(&[PrimitiveType::String], &[Arc::clone(&deletes)], &[data]),
            [false, true, true, true]
        );
    }
    let bytes: ArrayRef = Arc::new(arrow::array::LargeBinaryArray::from(vec![&b"b"[..]]));
    let views: ArrayRef = Arc::new(BinaryViewArray::from(vec![&b"a"[..], b"b"]));
    assert_eq!(named(&[PrimitiveType::Binary], &[bytes], &[views]), [false, true]);
    // Read as it was when the query asks for an older schema; the file compares the widened column.
    let longs: ArrayRef = Arc::new(Int64Array::from(vec![7]));
    let ints: ArrayRef = Arc::new(Int32Array::from(vec![7, 8]));
    assert_eq!(named(&[PrimitiveType::Long], &[longs], &[ints]), [true, false]);
}

proptest! {
    #[test]
    fn vectors_hold_what_was_written(
        positions in proptest::collection::btree_set(
            prop_oneof![0_u64..200_000, (1_u64 << 32)..(1 << 32) + 100_000, 0..1_u64 << 40],
            0..300,
        ),
        full in any::<bool>(),
    ) {
        let mut positions = positions;
        if full {
            positions.extend(1_000..80_000);
        }
        let blob = deletion_vector(positions.iter().copied());
        let read: Vec<u64> = parse(&blob).unwrap().into_iter().collect();
        prop_assert_eq!(read, positions.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn a_damaged_vector_is_refused(at in any::<prop::sample::Index>(), bit in 0..8_u32, cut in any::<prop::sample::Index>()) {
        let blob = deletion_vector([1, 5, 70_000, 1 << 33]);
        let mut damaged = blob.clone();
        *damaged.get_mut(at.index(blob.len())).unwrap() ^= 1 << bit;
        prop_assert!(parse(&damaged).is_err());
        prop_assert!(parse(blob.get(..cut.index(blob.len())).unwrap()).is_err());
    }
}

#[test]
fn a_vector_with_anything_behind_it_or_another_magic_is_refused() {
    let rewritten = |change: &dyn Fn(&mut Vec<u8>)| {
        let blob = deletion_vector([3]);
        let mut content = blob.get(4..blob.len() - 4).unwrap().to_vec();
        change(&mut content);
        let mut blob = u32::try_from(content.len()).unwrap().to_be_bytes().to_vec();
        let checksum = crc32fast::hash(&content);
        blob.extend(content);
        blob.extend(checksum.to_be_bytes());
        parse(&blob).map(|positions| positions.len())
    };
    assert_eq!(rewritten(&|_| {}), Ok(1));
    assert!(
        rewritten(&|content| content.push(0))
            .unwrap_err()
            .contains("followed")
    );
    assert!(
        rewritten(&|content| *content.first_mut().unwrap() = 0)
            .unwrap_err()
            .contains("begin")
    );
    assert!(
        rewritten(&|content| content.truncate(10))
            .unwrap_err()
            .contains("Roaring")
    );
}

#[test]
fn rows_of_any_row_group_are_cut_out_of_long_runs_of_deleted_ones() {
    // Full containers of 65,536 rows: millions of rows in a few hundred bytes once they are stored as runs.
    let mut bitmap = roaring::RoaringTreemap::new();
    bitmap.insert_range(10..4_194_304);
    bitmap.insert_range((1 << 40)..(1 << 40) + 4);
    let selection = |first, rows| crate::data_file::not_deleted(&bitmap, first, rows);
    let counts = |first, rows| {
        selection(first, rows).map(|selection| {
            let selectors: Vec<_> = selection.iter().map(|one| (one.skip, one.row_count)).collect();
            selectors
        })
    };
    assert_eq!(counts(0, 10), None);
    assert_eq!(counts(0, 12), Some(vec![(false, 10), (true, 2)]));
    assert_eq!(counts(12, 1_000_000), Some(vec![(true, 1_000_000)]));
    assert_eq!(counts(4_194_303, 3), Some(vec![(true, 1), (false, 2)]));
    assert_eq!(counts(5_000_000, 100), None);
    assert_eq!(
        counts((1 << 40) - 1, 6),
        Some(vec![(false, 1), (true, 4), (false, 1)])
    );
}
