// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! One value of any Iceberg type, and its JSON form (Iceberg specification, "JSON single-value serialization").

mod read;
mod write;

use crate::field::FieldType;

/// One value, null included.
///
/// Floating-point values are kept as they are; they compare by Iceberg's total order in
/// [`crate::evaluate`], never by `==`.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// `boolean`
    Boolean(bool),
    /// `int`
    Int(i32),
    /// `long`
    Long(i64),
    /// `float`, NaN and infinities included
    Float(f32),
    /// `double`, NaN and infinities included
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
    /// `timestamptz`: microseconds since 1970-01-01T00:00:00+00:00
    Timestamptz(i64),
    /// `timestamp_ns`: nanoseconds since 1970-01-01T00:00:00, no zone
    TimestampNs(i64),
    /// `timestamptz_ns`: nanoseconds since 1970-01-01T00:00:00+00:00
    TimestamptzNs(i64),
    /// `string`
    String(String),
    /// `uuid`, most significant byte first
    Uuid([u8; 16]),
    /// `fixed[L]`
    Fixed(Vec<u8>),
    /// `binary`
    Binary(Vec<u8>),
    /// `variant`, as JSON
    Variant(serde_json::Value),
    /// `geometry` or `geography`, as well-known text; nothing here looks inside
    WellKnownText(String),
    /// `struct`: members by field id, in the order of the type
    Struct(Vec<(i32, Value)>),
    /// `list`
    List(Vec<Value>),
    /// `map`
    Map(Vec<(Value, Value)>),
}

/// A JSON value that is no value of the type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a value of type {field_type}: {problem}")]
pub struct ValueError {
    /// The JSON, shortened.
    pub text: String,
    /// The type it was read as.
    pub field_type: FieldType,
    /// What is wrong.
    pub problem: String,
}

impl Value {
    /// Whether there is no value.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

#[cfg(test)]
mod tests;
