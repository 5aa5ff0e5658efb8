// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Fields from the JSON of an Iceberg schema (Iceberg specification, appendix C).

use serde_json::{Map, Value};

use crate::field::{Field, FieldType};

/// Deeper nesting than any real schema; keeps the recursion bounded.
const MAXIMUM_DEPTH: usize = 64;

/// The JSON is not an Iceberg schema that we understand.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("table schema at `{at}`: {problem}")]
pub struct SchemaError {
    /// JSON pointer of the place.
    pub at: String,
    /// What is wrong there.
    pub problem: String,
}

/// The top-level fields of a schema, nested types included.
///
/// A field id that is missing or no 32-bit integer becomes 0, which is not usable and which every binding refuses, so that
/// a single bad column does not hide the others. Whether names and ids are unique is for who binds them.
///
/// # Errors
/// [`SchemaError`] for an unknown type, a missing member, or nesting deeper than 64 levels.
pub fn fields_from_schema(schema: &Value) -> Result<Vec<Field>, SchemaError> {
    let object = object_at(schema, "")?;
    struct_fields(object, "", MAXIMUM_DEPTH)
}

fn struct_fields(object: &Map<String, Value>, at: &str, depth: usize) -> Result<Vec<Field>, SchemaError> {
    if let Some(kind) = object.get("type")
        && kind != "struct"
    {
        return Err(error(at, "a schema must be of type `struct`"));
    }
    let Some(Value::Array(fields)) = object.get("fields") else {
        return Err(error(at, "the member `fields` must be an array"));
    };
    fields
        .iter()
        .enumerate()
        .map(|(index, field)| {
            let at = format!("{at}/fields/{index}");
            let object = object_at(field, &at)?;
            let Some(name) = object.get("name").and_then(Value::as_str) else {
                return Err(error(&at, "the member `name` must be a string"));
            };
            member_field(object, name, ["id", "type", "required"], &at, depth)
        })
        .collect()
}

/// A field out of three members of an object; the names of the members differ between structs, lists and maps.
fn member_field(
    object: &Map<String, Value>,
    name: &str,
    [id, field_type, required]: [&str; 3],
    at: &str,
    depth: usize,
) -> Result<Field, SchemaError> {
    let Some(field_type_json) = object.get(field_type) else {
        return Err(error(at, &format!("the member `{field_type}` is missing")));
    };
    // Map keys have no such member and are always required.
    let required = match object.get(required) {
        Some(Value::Bool(required)) => *required,
        None if required.is_empty() => true,
        Some(_) | None => {
            return Err(error(at, &format!("the member `{required}` must be a boolean")));
        }
    };
    Ok(Field {
        id: object
            .get(id)
            .and_then(Value::as_i64)
            .and_then(|id| i32::try_from(id).ok())
            .unwrap_or(0),
        name: name.to_owned(),
        field_type: type_from_json(field_type_json, &format!("{at}/{field_type}"), depth)?,
        required,
    })
}

fn type_from_json(json: &Value, at: &str, depth: usize) -> Result<FieldType, SchemaError> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(error(at, "nested deeper than 64 levels"));
    };
    if let Value::String(name) = json {
        return primitive(name).ok_or_else(|| error(at, &format!("unknown type `{name}`")));
    }
    let object = object_at(json, at)?;
    match object.get("type").and_then(Value::as_str) {
        Some("struct") => Ok(FieldType::Struct(struct_fields(object, at, depth)?)),
        Some("list") => Ok(FieldType::List(Box::new(member_field(
            object,
            "element",
            ["element-id", "element", "element-required"],
            at,
            depth,
        )?))),
        Some("map") => Ok(FieldType::Map {
            key: Box::new(member_field(object, "key", ["key-id", "key", ""], at, depth)?),
            value: Box::new(member_field(
                object,
                "value",
                ["value-id", "value", "value-required"],
                at,
                depth,
            )?),
        }),
        Some(other) => Err(error(at, &format!("unknown type `{other}`"))),
        None => Err(error(at, "the member `type` must be a string")),
    }
}

/// The type of a name as it stands in schemas, in any case and with blanks inside parentheses. A decimal keeps whatever
/// precision it states, also beyond 38, which has no value predicates.
pub fn primitive(name: &str) -> Option<FieldType> {
    let name = name.to_ascii_lowercase();
    let name = name.trim();
    let simple = match name {
        "boolean" => FieldType::Boolean,
        "int" => FieldType::Int,
        "long" => FieldType::Long,
        "float" => FieldType::Float,
        "double" => FieldType::Double,
        "date" => FieldType::Date,
        "time" => FieldType::Time,
        "timestamp" => FieldType::Timestamp,
        "timestamptz" => FieldType::Timestamptz,
        "timestamp_ns" => FieldType::TimestampNs,
        "timestamptz_ns" => FieldType::TimestamptzNs,
        "string" => FieldType::String,
        "uuid" => FieldType::Uuid,
        "binary" => FieldType::Binary,
        "unknown" => FieldType::Unknown,
        "variant" => FieldType::Variant,
        "geometry" => FieldType::Geometry,
        "geography" => FieldType::Geography,
        _ => return parameterized(name),
    };
    Some(simple)
}

fn parameterized(name: &str) -> Option<FieldType> {
    if let Some(length) = arguments(name, "fixed", '[', ']') {
        // Java keeps the length in 32 bits; a longer one is no type.
        return Some(FieldType::Fixed(u64::from(
            u32::try_from(number(length)?)
                .ok()
                .filter(|length| *length <= i32::MAX.unsigned_abs())?,
        )));
    }
    if let Some(arguments) = arguments(name, "decimal", '(', ')') {
        let (precision, scale) = arguments.split_once(',')?;
        return Some(FieldType::Decimal {
            precision: u8::try_from(number(precision)?)
                .ok()
                .filter(|precision| *precision > 0)?,
            scale: u8::try_from(number(scale)?).ok()?,
        });
    }
    if arguments(name, "geometry", '(', ')').is_some() {
        return Some(FieldType::Geometry);
    }
    if arguments(name, "geography", '(', ')').is_some() {
        return Some(FieldType::Geography);
    }
    None
}

/// What stands between the brackets after a type name.
fn arguments<'a>(name: &'a str, kind: &str, open: char, close: char) -> Option<&'a str> {
    name.strip_prefix(kind)?
        .trim_start()
        .strip_prefix(open)?
        .strip_suffix(close)
}

fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    let only_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    only_digits.then(|| text.parse().ok()).flatten()
}

fn object_at<'a>(json: &'a Value, at: &str) -> Result<&'a Map<String, Value>, SchemaError> {
    json.as_object()
        .ok_or_else(|| error(at, "an object was expected"))
}

fn error(at: &str, problem: &str) -> SchemaError {
    SchemaError {
        at: at.to_owned(),
        problem: problem.to_owned(),
    }
}

#[cfg(test)]
mod tests;
