// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! From JSON to a value.

use serde_json::{Map, Value as Json};

use super::{Value, ValueError};
use crate::field::{Field, FieldType};
use crate::literal::shorten;
use crate::{decimal, float, temporal};

impl Value {
    /// Reads the single-value JSON form of a type. `null` is a value of every type. Times and timestamps may have fewer
    /// fraction digits than their precision; `"NaN"`, `"Infinity"` and `"-Infinity"` are floating-point values; hexadecimal
    /// digits may be of either case; a struct member that is absent is null.
    ///
    /// # Errors
    /// [`ValueError`] for anything that is no value of the type.
    pub fn from_json(json: &Json, field_type: &FieldType) -> Result<Self, ValueError> {
        if json.is_null() {
            return Ok(Self::Null);
        }
        match field_type {
            FieldType::Struct(fields) => read_struct(json, field_type, fields),
            FieldType::List(element) => match json {
                Json::Array(elements) => elements
                    .iter()
                    .map(|json| Self::from_json(json, &element.field_type))
                    .collect::<Result<_, _>>()
                    .map(Self::List),
                Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Object(_) => {
                    Err(error(json, field_type, "an array was expected"))
                }
            },
            FieldType::Map { key, value } => read_map(json, field_type, key, value),
            FieldType::Variant => Ok(Self::Variant(json.clone())),
            FieldType::Unknown => Err(error(json, field_type, "only null was expected")),
            FieldType::Boolean
            | FieldType::Int
            | FieldType::Long
            | FieldType::Float
            | FieldType::Double
            | FieldType::Decimal { .. }
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
            | FieldType::Geometry
            | FieldType::Geography => read_primitive(json, field_type)
                .ok_or_else(|| error(json, field_type, "not in the single-value form")),
        }
    }
}

fn read_primitive(json: &Json, field_type: &FieldType) -> Option<Value> {
    match field_type {
        FieldType::Boolean => json.as_bool().map(Value::Boolean),
        FieldType::Int => json.as_i64()?.try_into().ok().map(Value::Int),
        FieldType::Long => json.as_i64().map(Value::Long),
        FieldType::Float => read_float(json).map(|value| {
            // Not finite values and values between two floats are read all the same: rows are data, not restrictions.
            #[expect(clippy::cast_possible_truncation, reason = "the nearest float is meant")]
            let nearest = value as f32;
            Value::Float(float::narrow(value).unwrap_or(nearest))
        }),
        FieldType::Double => read_float(json).map(Value::Double),
        FieldType::Decimal { precision, scale } => {
            let unscaled = decimal::parse_decimal(json.as_str()?, *precision, *scale)?;
            Some(Value::Decimal {
                unscaled,
                precision: *precision,
                scale: *scale,
            })
        }
        FieldType::Date => temporal::parse_date(json.as_str()?).map(Value::Date),
        FieldType::Time => temporal::parse_time(json.as_str()?).map(Value::Time),
        FieldType::Timestamp => temporal::parse_timestamp(json.as_str()?).map(Value::Timestamp),
        FieldType::Timestamptz => temporal::parse_timestamp(in_utc(json)?).map(Value::Timestamptz),
        FieldType::TimestampNs => temporal::parse_timestamp_ns(json.as_str()?).map(Value::TimestampNs),
        FieldType::TimestamptzNs => temporal::parse_timestamp_ns(in_utc(json)?).map(Value::TimestamptzNs),
        FieldType::String => json.as_str().map(|text| Value::String(text.to_owned())),
        FieldType::Uuid => read_uuid(json.as_str()?).map(Value::Uuid),
        FieldType::Fixed(length) => {
            let bytes = hex::decode(json.as_str()?).ok()?;
            (u64::try_from(bytes.len()).ok()? == *length).then_some(Value::Fixed(bytes))
        }
        FieldType::Binary => hex::decode(json.as_str()?).ok().map(Value::Binary),
        FieldType::Geometry | FieldType::Geography => {
            json.as_str().map(|text| Value::WellKnownText(text.to_owned()))
        }
        FieldType::Unknown
        | FieldType::Variant
        | FieldType::Struct(_)
        | FieldType::List(_)
        | FieldType::Map { .. } => None,
    }
}

fn read_float(json: &Json) -> Option<f64> {
    match json.as_str() {
        None => json.as_f64(),
        Some("NaN") => Some(f64::NAN),
        Some("Infinity") => Some(f64::INFINITY),
        Some("-Infinity") => Some(f64::NEG_INFINITY),
        Some(_) => None,
    }
}

/// The text before the offset of UTC, the only one that the form has.
fn in_utc(json: &Json) -> Option<&str> {
    json.as_str()?.strip_suffix("+00:00")
}

fn read_uuid(text: &str) -> Option<[u8; 16]> {
    let dashes: Vec<usize> = text.match_indices('-').map(|(at, _)| at).collect();
    if dashes != [8, 13, 18, 23] {
        return None;
    }
    hex::decode(text.replace('-', "")).ok()?.try_into().ok()
}

fn read_struct(json: &Json, field_type: &FieldType, fields: &[Field]) -> Result<Value, ValueError> {
    let Json::Object(members) = json else {
        return Err(error(json, field_type, "an object was expected"));
    };
    if let Some(unknown) = unknown_member(members, fields) {
        return Err(error(
            json,
            field_type,
            &format!("no field has the id `{unknown}`"),
        ));
    }
    fields
        .iter()
        .map(|field| {
            let member = members.get(&field.id.to_string()).unwrap_or(&Json::Null);
            Ok((field.id, Value::from_json(member, &field.field_type)?))
        })
        .collect::<Result<_, _>>()
        .map(Value::Struct)
}

fn unknown_member<'a>(members: &'a Map<String, Json>, fields: &[Field]) -> Option<&'a String> {
    members
        .keys()
        .find(|name| !fields.iter().any(|field| field.id.to_string() == **name))
}

fn read_map(json: &Json, field_type: &FieldType, key: &Field, value: &Field) -> Result<Value, ValueError> {
    let (Some(Json::Array(keys)), Some(Json::Array(values))) = (json.get("keys"), json.get("values")) else {
        return Err(error(json, field_type, "`keys` and `values` must be arrays"));
    };
    if keys.len() != values.len() {
        return Err(error(
            json,
            field_type,
            "`keys` and `values` must be equally long",
        ));
    }
    keys.iter()
        .zip(values)
        .map(|(key_json, value_json)| {
            Ok((
                Value::from_json(key_json, &key.field_type)?,
                Value::from_json(value_json, &value.field_type)?,
            ))
        })
        .collect::<Result<_, _>>()
        .map(Value::Map)
}

fn error(json: &Json, field_type: &FieldType, problem: &str) -> ValueError {
    ValueError {
        text: shorten(json),
        field_type: field_type.clone(),
        problem: problem.to_owned(),
    }
}
