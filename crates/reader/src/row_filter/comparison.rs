// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! One column against one or several literals, two-valued.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::ops::{BitAnd, BitOr, Not};
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, BooleanArray, Date32Array, Datum, Decimal128Array,
    Float32Array, Float64Array, Int32Array, Int64Array, LargeStringArray, PrimitiveArray, Scalar,
    StringArray, StringViewArray, Time64MicrosecondArray, TimestampMicrosecondArray,
};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::kernels::cmp;
use arrow::compute::{cast, take};
use arrow::datatypes::{
    DataType, Date32Type, Decimal128Type, Int32Type, Int64Type, Time64MicrosecondType, TimeUnit,
    TimestampMicrosecondType,
};
use arrow::error::ArrowError;
use lakeward_read_restrictions::literal::Literal;
use lakeward_read_restrictions::predicate::Comparison;

use super::FilterError;

/// Which rows are null, encodings looked through.
pub(super) fn is_null(array: &ArrayRef) -> BooleanBuffer {
    match array.logical_nulls() {
        Some(nulls) => nulls.inner().not(),
        None => BooleanBuffer::new_unset(array.len()),
    }
}

/// Which rows compare so with `literal`.
pub(super) fn compare(
    array: &ArrayRef,
    field: i32,
    comparison: Comparison,
    literal: &Literal,
) -> Result<BooleanBuffer, FilterError> {
    let null_outcome = match comparison {
        Comparison::NotEq | Comparison::Lt | Comparison::LtEq => true,
        Comparison::Eq | Comparison::Gt | Comparison::GtEq => false,
    };
    through_encodings(array, null_outcome, &|plain| {
        compare_plain(plain, field, comparison, literal)
    })
}

/// Which rows equal one of `values`; null equals none.
pub(super) fn is_in(array: &ArrayRef, field: i32, values: &[Literal]) -> Result<BooleanBuffer, FilterError> {
    if values.is_empty() {
        return Ok(BooleanBuffer::new_unset(array.len()));
    }
    through_encodings(array, false, &|plain| in_plain(plain, field, values))
}

/// Evaluates on the distinct values of a dictionary and spreads the outcome over the rows.
fn through_encodings(
    array: &ArrayRef,
    null_outcome: bool,
    evaluate: &dyn Fn(&ArrayRef) -> Result<BooleanArray, FilterError>,
) -> Result<BooleanBuffer, FilterError> {
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        let outcome = two_valued(evaluate(dictionary.values())?, null_outcome);
        let spread = take(&BooleanArray::new(outcome, None), dictionary.keys(), None)?;
        return Ok(two_valued(spread.as_boolean().clone(), null_outcome));
    }
    if let DataType::RunEndEncoded(_, values) = array.data_type() {
        let plain = cast(array, values.data_type())?;
        return Ok(two_valued(evaluate(&plain)?, null_outcome));
    }
    Ok(two_valued(evaluate(array)?, null_outcome))
}

/// Gives null rows their outcome.
fn two_valued(outcome: BooleanArray, null_outcome: bool) -> BooleanBuffer {
    let (values, nulls) = outcome.into_parts();
    match nulls {
        None => values,
        Some(nulls) if null_outcome => values.bitor(&nulls.inner().not()),
        Some(nulls) => values.bitand(nulls.inner()),
    }
}

type Kernel = fn(&dyn Datum, &dyn Datum) -> Result<BooleanArray, ArrowError>;

fn kernel(comparison: Comparison) -> Kernel {
    match comparison {
        Comparison::Eq => cmp::eq,
        Comparison::NotEq => cmp::neq,
        Comparison::Lt => cmp::lt,
        Comparison::LtEq => cmp::lt_eq,
        Comparison::Gt => cmp::gt,
        Comparison::GtEq => cmp::gt_eq,
    }
}

fn holds(comparison: Comparison, ordering: Ordering) -> bool {
    match comparison {
        Comparison::Eq => ordering.is_eq(),
        Comparison::NotEq => ordering.is_ne(),
        Comparison::Lt => ordering.is_lt(),
        Comparison::LtEq => ordering.is_le(),
        Comparison::Gt => ordering.is_gt(),
        Comparison::GtEq => ordering.is_ge(),
    }
}

/// Iceberg's order: `-0.0 < 0.0`, every NaN greatest. The literal is finite.
fn order_f32(value: f32, literal: f32) -> Ordering {
    if value.is_nan() {
        Ordering::Greater
    } else {
        value.total_cmp(&literal)
    }
}

fn order_f64(value: f64, literal: f64) -> Ordering {
    if value.is_nan() {
        Ordering::Greater
    } else {
        value.total_cmp(&literal)
    }
}

fn compare_plain(
    array: &ArrayRef,
    field: i32,
    comparison: Comparison,
    literal: &Literal,
) -> Result<BooleanArray, FilterError> {
    // Floating point has an order of its own; all else follows the kernels.
    match literal {
        Literal::Float(literal) => {
            let values: &Float32Array = array
                .as_primitive_opt()
                .ok_or_else(|| wrong_type(array, field, "float"))?;
            return Ok(BooleanArray::from_unary(values, |value| {
                holds(comparison, order_f32(value, *literal))
            }));
        }
        Literal::Double(literal) => {
            let values: &Float64Array = array
                .as_primitive_opt()
                .ok_or_else(|| wrong_type(array, field, "double"))?;
            return Ok(BooleanArray::from_unary(values, |value| {
                holds(comparison, order_f64(value, *literal))
            }));
        }
        Literal::Boolean(_)
        | Literal::Int(_)
        | Literal::Long(_)
        | Literal::Decimal { .. }
        | Literal::Date(_)
        | Literal::Time(_)
        | Literal::Timestamp(_)
        | Literal::String(_) => {}
    }
    let scalar = scalar_like(array, field, literal)?;
    Ok(kernel(comparison)(array, &scalar)?)
}

/// The literal as a scalar of exactly the array's type.
fn scalar_like(array: &ArrayRef, field: i32, literal: &Literal) -> Result<Scalar<ArrayRef>, FilterError> {
    let found = array.data_type();
    let one: ArrayRef = match (literal, found) {
        (Literal::Boolean(value), DataType::Boolean) => Arc::new(BooleanArray::from(vec![*value])),
        (Literal::Int(value), DataType::Int32) => Arc::new(Int32Array::from(vec![*value])),
        (Literal::Long(value), DataType::Int64) => Arc::new(Int64Array::from(vec![*value])),
        (
            Literal::Decimal {
                unscaled,
                precision,
                scale,
            },
            DataType::Decimal128(column_precision, column_scale),
        ) if precision == column_precision && i16::from(*scale) == i16::from(*column_scale) => {
            Arc::new(Decimal128Array::from(vec![*unscaled]).with_data_type(found.clone()))
        }
        (Literal::Date(value), DataType::Date32) => Arc::new(Date32Array::from(vec![*value])),
        (Literal::Time(value), DataType::Time64(TimeUnit::Microsecond)) => {
            Arc::new(Time64MicrosecondArray::from(vec![*value]))
        }
        (Literal::Timestamp(value), DataType::Timestamp(TimeUnit::Microsecond, None)) => {
            Arc::new(TimestampMicrosecondArray::from(vec![*value]))
        }
        (Literal::String(value), DataType::Utf8) => Arc::new(StringArray::from(vec![value.as_str()])),
        (Literal::String(value), DataType::LargeUtf8) => {
            Arc::new(LargeStringArray::from(vec![value.as_str()]))
        }
        (Literal::String(value), DataType::Utf8View) => Arc::new(StringViewArray::from(vec![value.as_str()])),
        _ => return Err(wrong_type(array, field, &literal.field_type().to_string())),
    };
    Ok(Scalar::new(one))
}

fn wrong_type(array: &ArrayRef, field: i32, expected: &str) -> FilterError {
    FilterError::WrongType {
        field,
        expected: expected.to_owned(),
        found: array.data_type().to_string(),
    }
}

fn in_plain(array: &ArrayRef, field: i32, values: &[Literal]) -> Result<BooleanArray, FilterError> {
    // Checks each value against the column, so that a list of another type fails and never matches by accident.
    for value in values {
        match value {
            Literal::Float(_) | Literal::Double(_) => {}
            Literal::Boolean(_)
            | Literal::Int(_)
            | Literal::Long(_)
            | Literal::Decimal { .. }
            | Literal::Date(_)
            | Literal::Time(_)
            | Literal::Timestamp(_)
            | Literal::String(_) => {
                scalar_like(array, field, value)?;
            }
        }
    }
    let expected = || {
        values
            .first()
            .map_or_else(String::new, |value| value.field_type().to_string())
    };
    Ok(match array.data_type() {
        DataType::Boolean => {
            let wanted: HashSet<bool> = values
                .iter()
                .filter_map(|value| {
                    if let Literal::Boolean(value) = value {
                        Some(*value)
                    } else {
                        None
                    }
                })
                .collect();
            let booleans = array.as_boolean();
            let outcome = booleans
                .iter()
                .map(|value| value.is_some_and(|value| wanted.contains(&value)));
            BooleanArray::new(BooleanBuffer::from_iter(outcome), None)
        }
        DataType::Int32 => members::<Int32Type>(array, values, |value| {
            if let Literal::Int(value) = value {
                Some(*value)
            } else {
                None
            }
        }),
        DataType::Int64 => members::<Int64Type>(array, values, |value| {
            if let Literal::Long(value) = value {
                Some(*value)
            } else {
                None
            }
        }),
        DataType::Decimal128(..) => members::<Decimal128Type>(array, values, |value| {
            if let Literal::Decimal { unscaled, .. } = value {
                Some(*unscaled)
            } else {
                None
            }
        }),
        DataType::Date32 => members::<Date32Type>(array, values, |value| {
            if let Literal::Date(value) = value {
                Some(*value)
            } else {
                None
            }
        }),
        DataType::Time64(TimeUnit::Microsecond) => members::<Time64MicrosecondType>(array, values, |value| {
            if let Literal::Time(value) = value {
                Some(*value)
            } else {
                None
            }
        }),
        DataType::Timestamp(TimeUnit::Microsecond, None) => {
            members::<TimestampMicrosecondType>(array, values, |value| {
                if let Literal::Timestamp(value) = value {
                    Some(*value)
                } else {
                    None
                }
            })
        }
        DataType::Float32 => {
            let wanted = all(array, field, values, |value| {
                if let Literal::Float(value) = value {
                    Some(value.to_bits())
                } else {
                    None
                }
            })?;
            let column: &Float32Array = array.as_primitive();
            BooleanArray::from_unary(column, |value| wanted.contains(&value.to_bits()))
        }
        DataType::Float64 => {
            let wanted = all(array, field, values, |value| {
                if let Literal::Double(value) = value {
                    Some(value.to_bits())
                } else {
                    None
                }
            })?;
            let column: &Float64Array = array.as_primitive();
            BooleanArray::from_unary(column, |value| wanted.contains(&value.to_bits()))
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            let wanted: HashSet<&str> = values
                .iter()
                .filter_map(|value| {
                    if let Literal::String(value) = value {
                        Some(value.as_str())
                    } else {
                        None
                    }
                })
                .collect();
            match array.data_type() {
                DataType::Utf8 => among(array.as_string::<i32>().iter(), &wanted, array.nulls()),
                DataType::LargeUtf8 => among(array.as_string::<i64>().iter(), &wanted, array.nulls()),
                _ => among(array.as_string_view().iter(), &wanted, array.nulls()),
            }
        }
        _ => return Err(wrong_type(array, field, &expected())),
    })
}

/// The values as keys of a set; one of another type fails.
fn all<K: std::hash::Hash + Eq>(
    array: &ArrayRef,
    field: i32,
    values: &[Literal],
    key: impl Fn(&Literal) -> Option<K>,
) -> Result<HashSet<K>, FilterError> {
    values
        .iter()
        .map(|value| key(value).ok_or_else(|| wrong_type(array, field, &value.field_type().to_string())))
        .collect()
}

/// Lists are short (at most 256 in an authored rule), so a sorted list is searched.
fn members<T>(
    array: &ArrayRef,
    values: &[Literal],
    key: impl Fn(&Literal) -> Option<T::Native>,
) -> BooleanArray
where
    T: ArrowPrimitiveType,
    T::Native: Ord,
{
    let mut wanted: Vec<T::Native> = values.iter().filter_map(key).collect();
    wanted.sort_unstable();
    let column: &PrimitiveArray<T> = array.as_primitive();
    BooleanArray::from_unary(column, |value| wanted.binary_search(&value).is_ok())
}

fn among<'a>(
    column: impl Iterator<Item = Option<&'a str>>,
    wanted: &HashSet<&str>,
    nulls: Option<&NullBuffer>,
) -> BooleanArray {
    let outcome = column.map(|value| value.is_some_and(|value| wanted.contains(value)));
    BooleanArray::new(BooleanBuffer::from_iter(outcome), nulls.cloned())
}
