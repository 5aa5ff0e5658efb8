// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Typed literals of the wire form.

use serde_json::Value as Json;

use crate::field::FieldType;
use crate::{decimal, float, temporal};

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

/// A JSON value that is not exactly a literal of the type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{json} is not a literal of type {field_type} in its canonical form")]
pub struct LiteralError {
    /// The JSON, shortened.
    pub json: String,
    /// The type.
    pub field_type: FieldType,
}

impl Literal {
    /// Reads the value of a typed wire literal. Accepts the closed profile only: a boolean; an integer in range; a number with
    /// a fraction or an exponent for floating point; decimals, dates, times and timestamps exactly as
    /// they are written canonically.
    ///
    /// # Errors
    /// [`LiteralError`] for anything else, and for every type that has no value predicates.
    pub fn from_wire(json: &Json, field_type: &FieldType) -> Result<Self, LiteralError> {
        Self::read(json, field_type).ok_or_else(|| LiteralError {
            json: shorten(json),
            field_type: field_type.clone(),
        })
    }

    fn read(json: &Json, field_type: &FieldType) -> Option<Self> {
        match field_type {
            FieldType::Boolean => json.as_bool().map(Self::Boolean),
            FieldType::Int => json.as_i64()?.try_into().ok().map(Self::Int),
            FieldType::Long => json.as_i64().map(Self::Long),
            FieldType::Float => float::narrow(fractional(json)?).map(Self::Float),
            FieldType::Double => fractional(json).map(Self::Double),
            FieldType::Decimal { precision, scale } => {
                let unscaled = decimal::parse_decimal(json.as_str()?, *precision, *scale)?;
                Some(Self::Decimal {
                    unscaled,
                    precision: *precision,
                    scale: *scale,
                })
            }
            FieldType::Date => temporal::parse_date(json.as_str()?).map(Self::Date),
            FieldType::Time => {
                let text = json.as_str()?;
                temporal::parse_time(text)
                    .filter(|micros| temporal::format_time(*micros) == text)
                    .map(Self::Time)
            }
            FieldType::Timestamp => {
                let text = json.as_str()?;
                temporal::parse_timestamp(text)
                    .filter(|micros| temporal::format_timestamp(*micros) == text)
                    .map(Self::Timestamp)
            }
            FieldType::String => json.as_str().map(|text| Self::String(text.to_owned())),
            FieldType::Timestamptz
            | FieldType::TimestampNs
            | FieldType::TimestamptzNs
            | FieldType::Uuid
            | FieldType::Fixed(_)
            | FieldType::Binary
            | FieldType::Unknown
            | FieldType::Variant
            | FieldType::Geometry
            | FieldType::Geography
            | FieldType::Struct(_)
            | FieldType::List(_)
            | FieldType::Map { .. } => None,
        }
    }
}

/// A JSON number that was written with a fraction or an exponent, and is finite.
fn fractional(json: &Json) -> Option<f64> {
    match json {
        Json::Number(number) if number.is_f64() => number.as_f64().filter(|value| value.is_finite()),
        Json::Number(_) | Json::Null | Json::Bool(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => {
            None
        }
    }
}

/// The text of a JSON value for an error message, cut to a readable length.
pub(crate) fn shorten(json: &Json) -> String {
    const LONGEST: usize = 80;
    let text = json.to_string();
    match text.char_indices().nth(LONGEST) {
        None => text,
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests;
