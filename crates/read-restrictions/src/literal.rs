// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Typed literals of the wire form.

use crate::field::FieldType;

/// A value of one of the ten types that have value predicates.
///
/// Floating-point literals compare by Iceberg's total order (`-0.0 < 0.0`, NaN greatest and equal to itself), so
/// they are kept as they are and never used as a key by `==`.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// `boolean`
    Boolean(bool),
    /// `int`
    Int(i32),
    /// `long`
    Long(i64),
    /// `float`, finite
    Float(f32),
    /// `double`, finite
    Double(f64),
    /// `decimal(precision,scale)`: `unscaled / 10^scale`
    Decimal {
        /// The value times `10^scale`.
        unscaled: i128,
        /// Digits in all, at most 38.
        precision: u8,
        /// Digits after the point.
        scale: u8,
    },
    /// `date`: days since 1970-01-01
    Date(i32),
    /// `time`: microseconds since midnight
    Time(i64),
    /// `timestamp`: microseconds since 1970-01-01T00:00:00, no zone
    Timestamp(i64),
    /// `string`
    String(String),
}

impl Literal {
    /// The Iceberg type of the value.
    pub fn field_type(&self) -> FieldType {
        match self {
            Self::Boolean(_) => FieldType::Boolean,
            Self::Int(_) => FieldType::Int,
            Self::Long(_) => FieldType::Long,
            Self::Float(_) => FieldType::Float,
            Self::Double(_) => FieldType::Double,
            Self::Decimal { precision, scale, .. } => FieldType::Decimal {
                precision: *precision,
                scale: *scale,
            },
            Self::Date(_) => FieldType::Date,
            Self::Time(_) => FieldType::Time,
            Self::Timestamp(_) => FieldType::Timestamp,
            Self::String(_) => FieldType::String,
        }
    }
}
