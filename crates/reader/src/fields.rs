// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Iceberg schemas in the words of read restrictions.

use iceberg::spec::{NestedField, PrimitiveType, Schema, Type};
use lakeward_read_restrictions::field::{Field, FieldType};

/// The top-level fields of a schema, in order.
pub(crate) fn fields_of(schema: &Schema) -> Vec<Field> {
    schema
        .as_struct()
        .fields()
        .iter()
        .map(|field| field_of(field))
        .collect()
}

fn field_of(field: &NestedField) -> Field {
    Field {
        id: field.id,
        name: field.name.clone(),
        field_type: field_type_of(&field.field_type),
        required: field.required,
    }
}

fn field_type_of(field_type: &Type) -> FieldType {
    match field_type {
        Type::Primitive(primitive) => primitive_type_of(primitive),
        Type::Struct(members) => {
            FieldType::Struct(members.fields().iter().map(|field| field_of(field)).collect())
        }
        Type::List(list) => FieldType::List(Box::new(field_of(&list.element_field))),
        Type::Map(map) => FieldType::Map {
            key: Box::new(field_of(&map.key_field)),
            value: Box::new(field_of(&map.value_field)),
        },
    }
}

fn primitive_type_of(primitive: &PrimitiveType) -> FieldType {
    match primitive {
        PrimitiveType::Boolean => FieldType::Boolean,
        PrimitiveType::Int => FieldType::Int,
        PrimitiveType::Long => FieldType::Long,
        PrimitiveType::Float => FieldType::Float,
        PrimitiveType::Double => FieldType::Double,
        PrimitiveType::Decimal { precision, scale } => FieldType::Decimal {
            // Both are at most 38; a value that does not fit makes a type that no literal equals.
            precision: u8::try_from(*precision).unwrap_or(u8::MAX),
            scale: u8::try_from(*scale).unwrap_or(u8::MAX),
        },
        PrimitiveType::Date => FieldType::Date,
        PrimitiveType::Time => FieldType::Time,
        PrimitiveType::Timestamp => FieldType::Timestamp,
        PrimitiveType::Timestamptz => FieldType::Timestamptz,
        PrimitiveType::TimestampNs => FieldType::TimestampNs,
        PrimitiveType::TimestamptzNs => FieldType::TimestamptzNs,
        PrimitiveType::String => FieldType::String,
        PrimitiveType::Uuid => FieldType::Uuid,
        PrimitiveType::Fixed(length) => FieldType::Fixed(*length),
        PrimitiveType::Binary => FieldType::Binary,
    }
}
