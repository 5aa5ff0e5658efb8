// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The filter against the reference, and what may be skipped against the filter.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, DictionaryArray, Int32Array, RunArray, UInt64Array};
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::Int32Type;
use lakeward_read_restrictions::evaluate::evaluate;
use lakeward_read_restrictions::field::FieldType;
use lakeward_read_restrictions::literal::Literal;
use lakeward_read_restrictions::predicate::{Comparison, Predicate};
use lakeward_read_restrictions::value::Value;
use proptest::prelude::*;

use super::RowFilter;
use super::pruning::{ColumnStatistics, may_match};
use crate::reference_arrays::to_array;

/// Every type that literals compare with, as field 1, 2, …
pub(crate) fn types() -> Vec<FieldType> {
    vec![
        FieldType::Boolean,
        FieldType::Int,
        FieldType::Long,
        FieldType::Float,
        FieldType::Double,
        FieldType::Decimal {
            precision: 9,
            scale: 2,
        },
        FieldType::Date,
        FieldType::Time,
        FieldType::Timestamp,
        FieldType::String,
    ]
}

fn literal(field_type: &FieldType) -> BoxedStrategy<Literal> {
    match field_type {
        FieldType::Boolean => any::<bool>().prop_map(Literal::Boolean).boxed(),
        FieldType::Int => (-3..3_i32).prop_map(Literal::Int).boxed(),
        FieldType::Long => (-3..3_i64).prop_map(Literal::Long).boxed(),
        FieldType::Float => proptest::sample::select(vec![-1.5_f32, -0.0, 0.0, 2.0, f32::MAX, f32::MIN])
            .prop_map(Literal::Float)
            .boxed(),
        FieldType::Double => proptest::sample::select(vec![-1.5_f64, -0.0, 0.0, 2.0, f64::MAX, f64::MIN])
            .prop_map(Literal::Double)
            .boxed(),
        FieldType::Decimal { precision, scale } => {
            let (precision, scale) = (*precision, *scale);
            (-3..3_i128)
                .prop_map(move |unscaled| Literal::Decimal {
                    unscaled,
                    precision,
                    scale,
                })
                .boxed()
        }
        FieldType::Date => (-3..3_i32).prop_map(Literal::Date).boxed(),
        FieldType::Time => (0..4_i64).prop_map(Literal::Time).boxed(),
        FieldType::Timestamp => (-3..3_i64).prop_map(Literal::Timestamp).boxed(),
        FieldType::String => proptest::sample::select(vec!["", "a", "A", "ab", "é", "\u{ffff}", "😀"])
            .prop_map(|text| Literal::String(text.to_owned()))
            .boxed(),
        other => panic!("no literal of {other}"),
    }
}

pub(crate) fn value(field_type: &FieldType) -> BoxedStrategy<Value> {
    let known = literal(field_type).prop_map(|literal| match literal {
        Literal::Boolean(value) => Value::Boolean(value),
        Literal::Int(value) => Value::Int(value),
        Literal::Long(value) => Value::Long(value),
        Literal::Float(value) => Value::Float(value),
        Literal::Double(value) => Value::Double(value),
        Literal::Decimal {
            unscaled,
            precision,
            scale,
        } => Value::Decimal {
            unscaled,
            precision,
            scale,
        },
        Literal::Date(value) => Value::Date(value),
        Literal::Time(value) => Value::Time(value),
        Literal::Timestamp(value) => Value::Timestamp(value),
        Literal::String(value) => Value::String(value),
    });
    let special = match field_type {
        FieldType::Float => proptest::sample::select(vec![
            Value::Float(f32::NAN),
            Value::Float(-f32::NAN),
            Value::Float(f32::INFINITY),
            Value::Float(f32::NEG_INFINITY),
        ])
        .boxed(),
        FieldType::Double => proptest::sample::select(vec![
            Value::Double(f64::NAN),
            Value::Double(-f64::NAN),
            Value::Double(f64::INFINITY),
            Value::Double(f64::NEG_INFINITY),
        ])
        .boxed(),
        _ => Just(Value::Null).boxed(),
    };
    prop_oneof![1 => Just(Value::Null), 3 => known, 1 => special].boxed()
}

fn leaf() -> BoxedStrategy<Predicate> {
    let comparisons = vec![
        Comparison::Eq,
        Comparison::NotEq,
        Comparison::Lt,
        Comparison::LtEq,
        Comparison::Gt,
        Comparison::GtEq,
    ];
    proptest::sample::select(types().into_iter().zip(1..).collect::<Vec<_>>())
        .prop_flat_map(move |(field_type, field)| {
            let compare = (
                proptest::sample::select(comparisons.clone()),
                literal(&field_type),
            )
                .prop_map(move |(comparison, literal)| Predicate::Compare {
                    comparison,
                    field,
                    literal,
                });
            let among = proptest::collection::vec(literal(&field_type), 0..4)
                .prop_map(move |values| Predicate::In { field, values });
            prop_oneof![
                4 => compare,
                2 => among,
                1 => Just(Predicate::IsNull { field }),
                1 => Just(Predicate::NotNull { field }),
                1 => any::<bool>().prop_map(Predicate::Constant),
            ]
        })
        .boxed()
}

pub(crate) fn predicate() -> impl Strategy<Value = Predicate> {
    leaf().prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|child| Predicate::Not(Box::new(child))),
            proptest::collection::vec(inner.clone(), 2..4).prop_map(Predicate::And),
            proptest::collection::vec(inner, 2..4).prop_map(Predicate::Or),
        ]
    })
}

fn rows() -> impl Strategy<Value = Vec<Vec<Value>>> {
    (0..24_usize).prop_flat_map(|rows| {
        types()
            .iter()
            .map(|field_type| proptest::collection::vec(value(field_type), rows))
            .collect::<Vec<_>>()
    })
}

pub(crate) fn reference(predicate: &Predicate, columns: &[Vec<Value>], row: usize) -> bool {
    let value_of = |field: i32| {
        let column = columns.get(usize::try_from(field - 1).unwrap()).unwrap();
        column.get(row).unwrap()
    };
    evaluate(predicate, &value_of).unwrap()
}

fn kept(predicate: &Predicate, columns: &HashMap<i32, ArrayRef>, rows: usize) -> Vec<bool> {
    RowFilter::new(predicate.clone())
        .keep(rows, &|field| columns.get(&field))
        .unwrap()
        .iter()
        .collect()
}

/// Field id to array, as it comes from a file.
fn arrays(columns: &[Vec<Value>], encode: &dyn Fn(ArrayRef) -> ArrayRef) -> HashMap<i32, ArrayRef> {
    types()
        .iter()
        .zip(columns)
        .zip(1..)
        .map(|((field_type, values), field)| (field, encode(to_array(field_type, values))))
        .collect()
}

fn as_dictionary(plain: ArrayRef) -> ArrayRef {
    let keys: Int32Array = (0..i32::try_from(plain.len()).unwrap())
        .rev()
        .collect::<Vec<_>>()
        .into();
    let backwards = arrow::compute::take(&plain, &keys, None).unwrap();
    Arc::new(DictionaryArray::new(keys, backwards))
}

fn as_runs(plain: ArrayRef) -> ArrayRef {
    let ends: Int32Array = (1..=i32::try_from(plain.len()).unwrap())
        .collect::<Vec<_>>()
        .into();
    Arc::new(RunArray::<Int32Type>::try_new(&ends, &plain).unwrap())
}

fn statistics(field_type: &FieldType, groups: &[&[Value]]) -> ColumnStatistics {
    let orders = |left: &Value, right: &Value| {
        // By the reference itself: `left < right` for a non-null pair.
        let one = to_array(field_type, &[left.clone(), right.clone()]);
        let ranks = arrow::compute::rank(&one, None).unwrap();
        ranks.first().cmp(&ranks.last())
    };
    let bound = |greatest: bool| {
        let bounds: Vec<Value> = groups
            .iter()
            .map(|group| {
                let present = group.iter().filter(|value| !value.is_null());
                let found = if greatest {
                    present.max_by(|left, right| orders(left, right))
                } else {
                    present.min_by(|left, right| orders(left, right))
                };
                found.cloned().unwrap_or(Value::Null)
            })
            .collect();
        to_array(field_type, &bounds)
    };
    let nulls = groups
        .iter()
        .map(|group| u64::try_from(group.iter().filter(|value| value.is_null()).count()).unwrap());
    ColumnStatistics {
        minimums: bound(false),
        maximums: bound(true),
        nulls: UInt64Array::from_iter_values(nulls),
    }
}

fn groups_of_use<'a>(
    predicate: &Predicate,
    groups: usize,
    known: &dyn Fn(i32) -> Option<&'a ColumnStatistics>,
) -> BooleanBuffer {
    may_match(
        predicate,
        &BooleanBuffer::new_set(groups),
        &BooleanBuffer::new_unset(groups),
        &|field, test| known(field)?.may_fulfil(field, test),
    )
}

proptest! {
    #[test]
    fn keeps_what_the_reference_keeps(predicate in predicate(), columns in rows()) {
        let count = columns.first().unwrap().len();
        let expected: Vec<bool> = (0..count).map(|row| reference(&predicate, &columns, row)).collect();
        prop_assert_eq!(&kept(&predicate, &arrays(&columns, &|plain| plain), count), &expected);
        prop_assert_eq!(&kept(&predicate, &arrays(&columns, &as_dictionary), count), &expected);
        prop_assert_eq!(&kept(&predicate, &arrays(&columns, &as_runs), count), &expected);
    }

    #[test]
    fn never_skips_a_group_with_a_kept_row(predicate in predicate(), columns in rows()) {
        let count = columns.first().unwrap().len();
        let size = 3;
        let groups = count.div_ceil(size);
        let all: HashMap<i32, ColumnStatistics> = types()
            .iter()
            .zip(&columns)
            .zip(1..)
            .map(|((field_type, values), field)| {
                let parts: Vec<&[Value]> = values.chunks(size).collect();
                (field, statistics(field_type, &parts))
            })
            .collect();
        let possible = groups_of_use(&predicate, groups, &|field| all.get(&field));
        for row in 0..count {
            if reference(&predicate, &columns, row) {
                prop_assert!(possible.value(row / size), "row {} of {:?}", row, predicate);
            }
        }
        // Without statistics nothing but a constant is skipped.
        let blind = groups_of_use(&predicate, groups, &|_| None);
        for row in 0..count {
            if reference(&predicate, &columns, row) {
                prop_assert!(blind.value(row / size));
            }
        }
    }
}

#[test]
fn skips_groups_that_cannot_match() {
    let known = statistics(
        &FieldType::Int,
        &[
            &[Value::Int(1), Value::Int(2)],
            &[Value::Int(10), Value::Null],
            &[Value::Int(20), Value::Int(30)],
        ],
    );
    let check = |comparison, literal, expected: [bool; 3]| {
        let predicate = Predicate::Compare {
            comparison,
            field: 1,
            literal: Literal::Int(literal),
        };
        let possible = groups_of_use(&predicate, 3, &|_| Some(&known));
        assert_eq!(possible.iter().collect::<Vec<_>>(), expected);
    };
    check(Comparison::Lt, 5, [true, true, false]);
    check(Comparison::Gt, 25, [false, false, true]);
    check(Comparison::Eq, 2, [true, false, false]);
    check(Comparison::NotEq, 2, [true, true, true]);
}

#[test]
fn another_type_than_the_literal_fails() {
    let columns: HashMap<i32, ArrayRef> = HashMap::from([(1, to_array(&FieldType::Long, &[Value::Long(1)]))]);
    let filter = RowFilter::new(Predicate::Compare {
        comparison: Comparison::Eq,
        field: 1,
        literal: Literal::Int(1),
    });
    assert!(filter.keep(1, &|field| columns.get(&field)).is_err());
    assert!(filter.keep(1, &|_| None).is_err());
}
