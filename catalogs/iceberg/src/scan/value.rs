// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Values of files, partitions and filters in one form, so that they can be compared whatever wrote them.

use std::cmp::Ordering;

use iceberg::spec::{Datum, PrimitiveLiteral, PrimitiveType};

/// A value that is not null and not NaN. Those of types that may be widened into each other have one form.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ScanValue {
    Boolean(bool),
    /// `int` and `long`
    Number(i64),
    /// `float` and `double`
    Float(f64),
    /// `decimal`; the scale of a column never changes.
    Decimal(i128, u32),
    /// Days since 1970-01-01.
    Date(i64),
    /// Microseconds since midnight.
    Time(i64),
    /// Microseconds since 1970-01-01, with and without zone.
    Micros(i64),
    /// Nanoseconds since 1970-01-01, with and without zone.
    Nanos(i64),
    Text(String),
    /// `binary` and `fixed`
    Bytes(Vec<u8>),
    Uuid(u128),
}

impl ScanValue {
    /// The value of a literal; `None` for NaN, and for a literal that is not of the type.
    pub(super) fn new(literal: &PrimitiveLiteral, of: &PrimitiveType) -> Option<Self> {
        Some(match (of, literal) {
            (PrimitiveType::Boolean, PrimitiveLiteral::Boolean(value)) => Self::Boolean(*value),
            (PrimitiveType::Int, PrimitiveLiteral::Int(value)) => Self::Number(i64::from(*value)),
            (PrimitiveType::Long, PrimitiveLiteral::Long(value)) => Self::Number(*value),
            (PrimitiveType::Float, PrimitiveLiteral::Float(value)) if !value.is_nan() => {
                Self::Float(f64::from(value.0))
            }
            (PrimitiveType::Double, PrimitiveLiteral::Double(value)) if !value.is_nan() => {
                Self::Float(value.0)
            }
            (PrimitiveType::Decimal { scale, .. }, PrimitiveLiteral::Int128(value)) => {
                Self::Decimal(*value, *scale)
            }
            (PrimitiveType::Date, PrimitiveLiteral::Int(value)) => Self::Date(i64::from(*value)),
            (PrimitiveType::Time, PrimitiveLiteral::Long(value)) => Self::Time(*value),
            (PrimitiveType::Timestamp | PrimitiveType::Timestamptz, PrimitiveLiteral::Long(value)) => {
                Self::Micros(*value)
            }
            (PrimitiveType::TimestampNs | PrimitiveType::TimestamptzNs, PrimitiveLiteral::Long(value)) => {
                Self::Nanos(*value)
            }
            (PrimitiveType::String, PrimitiveLiteral::String(value)) => Self::Text(value.clone()),
            (PrimitiveType::Fixed(_) | PrimitiveType::Binary, PrimitiveLiteral::Binary(value)) => {
                Self::Bytes(value.clone())
            }
            (PrimitiveType::Uuid, PrimitiveLiteral::UInt128(value)) => Self::Uuid(*value),
            _ => return None,
        })
    }

    /// The value of a bound.
    pub(super) fn of_datum(datum: &Datum) -> Option<Self> {
        Self::new(datum.literal(), datum.data_type())
    }

    /// How two values stand to each other. `None` where that is not certain: values of different types, and UUIDs, which
    /// writers order in different ways.
    pub(super) fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Boolean(one), Self::Boolean(other)) => Some(one.cmp(other)),
            (Self::Number(one), Self::Number(other))
            | (Self::Date(one), Self::Date(other))
            | (Self::Time(one), Self::Time(other))
            | (Self::Micros(one), Self::Micros(other))
            | (Self::Nanos(one), Self::Nanos(other)) => Some(one.cmp(other)),
            (Self::Float(one), Self::Float(other)) => Some(one.total_cmp(other)),
            (Self::Decimal(one, scale), Self::Decimal(other, as_well)) if scale == as_well => {
                Some(one.cmp(other))
            }
            (Self::Text(one), Self::Text(other)) => Some(one.cmp(other)),
            (Self::Bytes(one), Self::Bytes(other)) => Some(one.cmp(other)),
            (Self::Uuid(one), Self::Uuid(other)) => (one == other).then_some(Ordering::Equal),
            _ => None,
        }
    }
}
