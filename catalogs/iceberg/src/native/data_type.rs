// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Gravitino types and Iceberg types.

use lakeward_metadata::data_type::{DataType, StructField};
use lakeward_read_restrictions::field::FieldType;
use serde_json::{Map, Value, json};

use crate::schema::{SchemaField, SchemaType};

/// Digits after the second that Iceberg's times have; with `_ns` types nine.
const MICROSECONDS: u8 = 6;
const NANOSECONDS: u8 = 9;

/// Makes Iceberg's JSON of a type. Ids of parts are taken from `next_id`, breadth first within each struct.
///
/// # Errors
/// Which type Iceberg does not have, and where.
pub(crate) fn to_iceberg(
    data_type: &DataType,
    of: &str,
    next_id: &mut dyn FnMut() -> i32,
) -> Result<Value, String> {
    let simple = match data_type {
        DataType::Boolean => "boolean".to_owned(),
        DataType::Integer => "int".to_owned(),
        DataType::Long => "long".to_owned(),
        DataType::Float => "float".to_owned(),
        DataType::Double => "double".to_owned(),
        DataType::Decimal { precision, scale } => format!("decimal({precision},{scale})"),
        DataType::Date => "date".to_owned(),
        DataType::Time(None | Some(MICROSECONDS)) => "time".to_owned(),
        DataType::Timestamp(None | Some(MICROSECONDS)) => "timestamp".to_owned(),
        DataType::Timestamp(Some(NANOSECONDS)) => "timestamp_ns".to_owned(),
        DataType::TimestampTz(None | Some(MICROSECONDS)) => "timestamptz".to_owned(),
        DataType::TimestampTz(Some(NANOSECONDS)) => "timestamptz_ns".to_owned(),
        DataType::String => "string".to_owned(),
        DataType::Uuid => "uuid".to_owned(),
        DataType::Fixed(length) => format!("fixed[{length}]"),
        DataType::Binary => "binary".to_owned(),
        DataType::Variant => "variant".to_owned(),
        DataType::Null => "unknown".to_owned(),
        DataType::Geometry(None) => "geometry".to_owned(),
        DataType::Geometry(Some(crs)) => format!("geometry({crs})"),
        DataType::Geography { crs: None, .. } => "geography".to_owned(),
        DataType::Geography {
            crs: Some(crs),
            algorithm: None,
        } => format!("geography({crs})"),
        DataType::Geography {
            crs: Some(crs),
            algorithm: Some(algorithm),
        } => format!("geography({crs}, {algorithm})"),
        DataType::Struct(fields) => return struct_to_iceberg(fields, of, next_id),
        DataType::List {
            element,
            contains_null,
        } => {
            let id = next_id();
            return Ok(json!({
                "type": "list",
                "element-id": id,
                "element": to_iceberg(element, of, next_id)?,
                "element-required": !contains_null,
            }));
        }
        DataType::Map {
            key,
            value,
            value_contains_null,
        } => {
            let (key_id, value_id) = (next_id(), next_id());
            return Ok(json!({
                "type": "map",
                "key-id": key_id,
                "key": to_iceberg(key, of, next_id)?,
                "value-id": value_id,
                "value": to_iceberg(value, of, next_id)?,
                "value-required": !value_contains_null,
            }));
        }
        DataType::Byte
        | DataType::ByteUnsigned
        | DataType::Short
        | DataType::ShortUnsigned
        | DataType::IntegerUnsigned
        | DataType::LongUnsigned
        | DataType::Time(Some(_))
        | DataType::Timestamp(Some(_))
        | DataType::TimestampTz(Some(_))
        | DataType::IntervalYear
        | DataType::IntervalDay
        | DataType::Char(_)
        | DataType::VarChar(_)
        | DataType::Union(_)
        | DataType::Unparsed(_)
        | DataType::External(_) => {
            return Err(format!("Iceberg has no type for `{data_type}` of column `{of}`"));
        }
    };
    Ok(Value::String(simple))
}

fn struct_to_iceberg(
    fields: &[StructField],
    of: &str,
    next_id: &mut dyn FnMut() -> i32,
) -> Result<Value, String> {
    let ids: Vec<i32> = fields.iter().map(|_| next_id()).collect();
    let mut members = Vec::with_capacity(fields.len());
    for (field, id) in fields.iter().zip(ids) {
        let path = format!("{of}.{}", field.name);
        members.push(field_to_iceberg(
            id,
            &field.name,
            !field.nullable,
            to_iceberg(&field.data_type, &path, next_id)?,
            field.comment.as_deref(),
        ));
    }
    Ok(json!({ "type": "struct", "fields": members }))
}

/// Makes Iceberg's JSON of a field.
pub(crate) fn field_to_iceberg(
    id: i32,
    name: &str,
    required: bool,
    field_type: Value,
    doc: Option<&str>,
) -> Value {
    let mut members = Map::new();
    members.insert("id".to_owned(), id.into());
    members.insert("name".to_owned(), name.into());
    members.insert("required".to_owned(), required.into());
    members.insert("type".to_owned(), field_type);
    if let Some(doc) = doc {
        members.insert("doc".to_owned(), doc.into());
    }
    Value::Object(members)
}

/// The Gravitino type of an Iceberg type.
pub(crate) fn from_iceberg(schema_type: &SchemaType) -> DataType {
    match schema_type {
        SchemaType::Struct(fields) => DataType::Struct(fields.iter().map(member_from_iceberg).collect()),
        SchemaType::List(element) => DataType::List {
            element: Box::new(from_iceberg(&element.schema_type)),
            contains_null: !element.required,
        },
        SchemaType::Map(key, value) => DataType::Map {
            key: Box::new(from_iceberg(&key.schema_type)),
            value: Box::new(from_iceberg(&value.schema_type)),
            value_contains_null: !value.required,
        },
        SchemaType::Primitive { field_type, text } => match field_type {
            FieldType::Boolean => DataType::Boolean,
            FieldType::Int => DataType::Integer,
            FieldType::Long => DataType::Long,
            FieldType::Float => DataType::Float,
            FieldType::Double => DataType::Double,
            FieldType::Decimal { precision, scale } => DataType::Decimal {
                precision: *precision,
                scale: *scale,
            },
            FieldType::Date => DataType::Date,
            FieldType::Time => DataType::Time(Some(MICROSECONDS)),
            FieldType::Timestamp => DataType::Timestamp(Some(MICROSECONDS)),
            FieldType::Timestamptz => DataType::TimestampTz(Some(MICROSECONDS)),
            FieldType::TimestampNs => DataType::Timestamp(Some(NANOSECONDS)),
            FieldType::TimestamptzNs => DataType::TimestampTz(Some(NANOSECONDS)),
            FieldType::String => DataType::String,
            FieldType::Uuid => DataType::Uuid,
            FieldType::Fixed(length) => match u32::try_from(*length) {
                Ok(length) => DataType::Fixed(length),
                Err(_) => DataType::External(text.clone()),
            },
            FieldType::Binary => DataType::Binary,
            FieldType::Unknown => DataType::Null,
            FieldType::Variant => DataType::Variant,
            FieldType::Geometry | FieldType::Geography => {
                DataType::parse(text).unwrap_or_else(|_| DataType::External(text.clone()))
            }
            // Nested types are never primitives.
            FieldType::Struct(_) | FieldType::List(_) | FieldType::Map { .. } => {
                DataType::External(text.clone())
            }
        },
    }
}

fn member_from_iceberg(field: &SchemaField) -> StructField {
    StructField {
        name: field.name.clone(),
        data_type: from_iceberg(&field.schema_type),
        nullable: !field.required,
        comment: field.doc.clone(),
    }
}
