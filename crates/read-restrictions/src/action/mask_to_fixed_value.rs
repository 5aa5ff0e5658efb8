// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `mask-to-fixed-value`.

use super::{MaskAction, NotApplicable};
use crate::error::ReaderError;
use crate::field::FieldType;
use crate::value::Value;

/// The fixed value, for null too.
pub(super) fn apply(field_type: &FieldType) -> Result<Value, ReaderError> {
    fixed_value(field_type).ok_or_else(|| {
        ReaderError::NotApplicable(NotApplicable {
            action: MaskAction::MaskToFixedValue,
            field_type: field_type.clone(),
            required: false,
        })
    })
}

/// Whether the type has a fixed value, without making one (`fixed[n]` may be long).
pub(super) fn has_fixed_value(field_type: &FieldType) -> bool {
    match field_type {
        FieldType::Geometry | FieldType::Geography | FieldType::Unknown => false,
        FieldType::Struct(fields) => fields.iter().all(|field| has_fixed_value(&field.field_type)),
        // No such type exists; a schema may state it all the same.
        FieldType::Decimal { precision, scale } => {
            *precision <= crate::decimal::MAXIMUM_PRECISION && scale <= precision
        }
        FieldType::Boolean
        | FieldType::Int
        | FieldType::Long
        | FieldType::Float
        | FieldType::Double
        | FieldType::Date
        | FieldType::Time
        | FieldType::Timestamp
        | FieldType::Timestamptz
        | FieldType::TimestampNs
        | FieldType::TimestamptzNs
        | FieldType::String
        | FieldType::Uuid
        | FieldType::Fixed(_)
        | FieldType::Binary
        | FieldType::Variant
        | FieldType::List(_)
        | FieldType::Map { .. } => true,
    }
}

/// The fixed value of a type (language reference, section 11); `None` for geometry, geography, unknown, decimals that do not
/// exist, and structs with any of these inside.
pub fn fixed_value(field_type: &FieldType) -> Option<Value> {
    if !has_fixed_value(field_type) {
        return None;
    }
    let value = match field_type {
        FieldType::Boolean => Value::Boolean(false),
        FieldType::Int => Value::Int(0),
        FieldType::Long => Value::Long(0),
        FieldType::Float => Value::Float(0.0),
        FieldType::Double => Value::Double(0.0),
        FieldType::Decimal { precision, scale } => Value::Decimal {
            unscaled: 0,
            precision: *precision,
            scale: *scale,
        },
        FieldType::Date => Value::Date(0),
        FieldType::Time => Value::Time(0),
        FieldType::Timestamp => Value::Timestamp(0),
        FieldType::Timestamptz => Value::Timestamptz(0),
        FieldType::TimestampNs => Value::TimestampNs(0),
        FieldType::TimestamptzNs => Value::TimestamptzNs(0),
        FieldType::String => Value::String("XXXXXXXX".to_owned()),
        FieldType::Uuid => Value::Uuid([0; 16]),
        FieldType::Fixed(length) => Value::Fixed(vec![0; usize::try_from(*length).ok()?]),
        FieldType::Binary => Value::Binary(Vec::new()),
        FieldType::Variant => Value::Variant(serde_json::Value::Object(serde_json::Map::new())),
        FieldType::Struct(fields) => Value::Struct(
            fields
                .iter()
                .map(|field| Some((field.id, fixed_value(&field.field_type)?)))
                .collect::<Option<_>>()?,
        ),
        FieldType::List(_) => Value::List(Vec::new()),
        FieldType::Map { .. } => Value::Map(Vec::new()),
        FieldType::Geometry | FieldType::Geography | FieldType::Unknown => return None,
    };
    Some(value)
}
