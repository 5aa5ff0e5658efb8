// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Types: texts for simple ones, objects for nested, unparsed and external ones.

use lakeward_metadata::data_type::{DataType, StructField};
use serde_json::{Map, Value, json};

use crate::json_object::{Members, kind};
use crate::request::RequestError;

/// Writes a type.
pub fn to_json(data_type: &DataType) -> Value {
    if let Some(text) = data_type.simple_text() {
        return Value::String(text);
    }
    match data_type {
        DataType::Struct(fields) => json!({
            "type": "struct",
            "fields": fields.iter().map(struct_field_to_json).collect::<Vec<_>>(),
        }),
        DataType::List {
            element,
            contains_null,
        } => json!({
            "type": "list",
            "containsNull": contains_null,
            "elementType": to_json(element),
        }),
        DataType::Map {
            key,
            value,
            value_contains_null,
        } => json!({
            "type": "map",
            "valueContainsNull": value_contains_null,
            "keyType": to_json(key),
            "valueType": to_json(value),
        }),
        DataType::Union(members) => json!({
            "type": "union",
            "types": members.iter().map(to_json).collect::<Vec<_>>(),
        }),
        DataType::Unparsed(text) => json!({"type": "unparsed", "unparsedType": text}),
        DataType::External(text) => json!({"type": "external", "catalogString": text}),
        // Written above: every other type has a text. The display form is the same text.
        DataType::Boolean
        | DataType::Byte
        | DataType::ByteUnsigned
        | DataType::Short
        | DataType::ShortUnsigned
        | DataType::Integer
        | DataType::IntegerUnsigned
        | DataType::Long
        | DataType::LongUnsigned
        | DataType::Float
        | DataType::Double
        | DataType::Decimal { .. }
        | DataType::Date
        | DataType::Time(_)
        | DataType::Timestamp(_)
        | DataType::TimestampTz(_)
        | DataType::IntervalYear
        | DataType::IntervalDay
        | DataType::String
        | DataType::Char(_)
        | DataType::VarChar(_)
        | DataType::Uuid
        | DataType::Fixed(_)
        | DataType::Binary
        | DataType::Geometry(_)
        | DataType::Geography { .. }
        | DataType::Variant
        | DataType::Null => Value::String(data_type.to_string()),
    }
}

fn struct_field_to_json(field: &StructField) -> Value {
    let mut object = Map::new();
    object.insert("name".to_owned(), Value::String(field.name.clone()));
    object.insert("type".to_owned(), to_json(&field.data_type));
    object.insert("nullable".to_owned(), Value::Bool(field.nullable));
    if let Some(comment) = &field.comment {
        object.insert("comment".to_owned(), Value::String(comment.clone()));
    }
    Value::Object(object)
}

/// Reads a type; `path` is where it stands in the request.
///
/// # Errors
/// [`RequestError`] for a value that is neither text nor object, parameters out of bounds, unknown kinds of object
/// and unknown or missing members.
pub fn from_json(value: &Value, path: &str) -> Result<DataType, RequestError> {
    match value {
        Value::String(text) => DataType::parse(text).map_err(|error| RequestError::invalid(path, error)),
        Value::Object(_) => nested(value, path),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => Err(RequestError::invalid(
            path,
            format!(
                "{} is given, the text or object of a type is expected",
                kind(value)
            ),
        )),
    }
}

fn nested(value: &Value, path: &str) -> Result<DataType, RequestError> {
    let members = Members::of(value, path)?;
    let member = |name: &str| from_json(members.required(name)?, &members.at(name));
    match members.required_text("type")?.to_ascii_lowercase().as_str() {
        "struct" => {
            members.only(&["type", "fields"])?;
            members.required("fields")?;
            Ok(DataType::Struct(members.each("fields", struct_field)?))
        }
        "list" => {
            members.only(&["type", "elementType", "containsNull"])?;
            Ok(DataType::List {
                element: Box::new(member("elementType")?),
                contains_null: members.boolean("containsNull")?.unwrap_or(true),
            })
        }
        "map" => {
            members.only(&["type", "keyType", "valueType", "valueContainsNull"])?;
            Ok(DataType::Map {
                key: Box::new(member("keyType")?),
                value: Box::new(member("valueType")?),
                value_contains_null: members.boolean("valueContainsNull")?.unwrap_or(true),
            })
        }
        "union" => {
            members.only(&["type", "types"])?;
            members.required("types")?;
            Ok(DataType::Union(members.each("types", from_json)?))
        }
        "unparsed" => {
            members.only(&["type", "unparsedType"])?;
            Ok(DataType::Unparsed(
                members.required_text("unparsedType")?.to_owned(),
            ))
        }
        "external" => {
            members.only(&["type", "catalogString"])?;
            Ok(DataType::External(
                members.required_text("catalogString")?.to_owned(),
            ))
        }
        other => Err(RequestError::invalid(
            members.at("type"),
            format!(
                "`{other}` is not a type written as an object: struct, list, map, union, unparsed or external"
            ),
        )),
    }
}

fn struct_field(value: &Value, path: &str) -> Result<StructField, RequestError> {
    let members = Members::of(value, path)?.only(&["name", "type", "nullable", "comment"])?;
    Ok(StructField {
        name: members.required_text("name")?.to_owned(),
        data_type: from_json(members.required("type")?, &members.at("type"))?,
        nullable: members.boolean("nullable")?.unwrap_or(true),
        comment: members.text("comment")?.map(str::to_owned),
    })
}
