// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Columns whose value a table's metadata gives: identity partitions, and fields that a file does not have.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BooleanArray, Decimal128Array, FixedSizeBinaryArray, Float32Array, Float64Array,
    Int32Array, Int64Array, LargeBinaryArray, StringArray, UInt32Array, new_null_array,
};
use arrow::compute::{CastOptions, cast_with_options, take};
use arrow::datatypes::DataType;
use iceberg::spec::{Literal, NestedField, PrimitiveLiteral};

/// The same value in every row.
#[derive(Debug, Clone)]
pub(super) struct Constant {
    /// So many rows of it as most batches have.
    rows: ArrayRef,
    one: ArrayRef,
}

impl Constant {
    /// A literal as a column of a type; `None` for what no column of that type holds.
    pub(super) fn new(literal: Option<&Literal>, data_type: &DataType, rows: usize) -> Option<Self> {
        let one = match literal {
            None => new_null_array(data_type, 1),
            Some(Literal::Primitive(literal)) => one(literal, data_type)?,
            Some(Literal::Struct(_) | Literal::List(_) | Literal::Map(_)) => return None,
        };
        let rows = repeated(&one, rows)?;
        Some(Self { rows, one })
    }

    /// What a file without the field shows: the initial default, else null.
    pub(super) fn of_missing(field: &NestedField, data_type: &DataType, rows: usize) -> Option<Self> {
        Self::new(field.initial_default.as_ref(), data_type, rows)
    }

    pub(super) fn column(&self, rows: usize) -> Option<ArrayRef> {
        if rows <= self.rows.len() {
            Some(self.rows.slice(0, rows))
        } else {
            repeated(&self.one, rows)
        }
    }
}

fn repeated(one: &ArrayRef, rows: usize) -> Option<ArrayRef> {
    if one.null_count() == one.len() {
        return Some(new_null_array(one.data_type(), rows));
    }
    take(one, &UInt32Array::from(vec![0; rows]), None).ok()
}

fn one(literal: &PrimitiveLiteral, data_type: &DataType) -> Option<ArrayRef> {
    let natural: ArrayRef = match (literal, data_type) {
        (PrimitiveLiteral::Boolean(value), _) => Arc::new(BooleanArray::from(vec![*value])),
        (PrimitiveLiteral::Int(value), _) => Arc::new(Int32Array::from(vec![*value])),
        (PrimitiveLiteral::Long(value), _) => Arc::new(Int64Array::from(vec![*value])),
        (PrimitiveLiteral::Float(value), _) => Arc::new(Float32Array::from(vec![value.into_inner()])),
        (PrimitiveLiteral::Double(value), _) => Arc::new(Float64Array::from(vec![value.into_inner()])),
        (PrimitiveLiteral::String(value), _) => Arc::new(StringArray::from(vec![value.as_str()])),
        (PrimitiveLiteral::Binary(bytes), DataType::FixedSizeBinary(_)) => fixed(bytes)?,
        (PrimitiveLiteral::Binary(bytes), _) => Arc::new(LargeBinaryArray::from(vec![bytes.as_slice()])),
        (PrimitiveLiteral::UInt128(value), _) => fixed(&value.to_be_bytes())?,
        (PrimitiveLiteral::Int128(value), DataType::Decimal128(..)) => {
            Arc::new(Decimal128Array::from(vec![*value]).with_data_type(data_type.clone()))
        }
        (PrimitiveLiteral::Int128(_) | PrimitiveLiteral::AboveMax | PrimitiveLiteral::BelowMin, _) => {
            return None;
        }
    };
    let fits = match natural.data_type() {
        DataType::Int32 => matches!(data_type, DataType::Int32 | DataType::Int64 | DataType::Date32),
        DataType::Int64 => matches!(
            data_type,
            DataType::Int64 | DataType::Time64(_) | DataType::Timestamp(..)
        ),
        DataType::Float32 => matches!(data_type, DataType::Float32 | DataType::Float64),
        DataType::Utf8 => matches!(data_type, DataType::Utf8 | DataType::Utf8View),
        DataType::LargeBinary => matches!(data_type, DataType::LargeBinary | DataType::BinaryView),
        natural => natural == data_type,
    };
    let strict = CastOptions {
        safe: false,
        ..CastOptions::default()
    };
    fits.then(|| cast_with_options(&natural, data_type, &strict).ok())?
}

fn fixed(bytes: &[u8]) -> Option<ArrayRef> {
    let values = FixedSizeBinaryArray::try_from_iter(std::iter::once(bytes)).ok()?;
    Some(Arc::new(values))
}
