// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Column names to field ids (section 7.2).

use lakeward_read_restrictions::field::{Field, FieldType};

use super::Binding;
use crate::error::{BindError, StageError};
use crate::typing::Column;

/// The types that have value predicates.
#[derive(Clone, Copy)]
pub(super) enum ValueType {
    Boolean,
    Int,
    Long,
    Float,
    Double,
    /// At most 38 digits.
    Decimal {
        precision: u8,
        scale: u8,
    },
    Date,
    Time,
    Timestamp,
    String,
}

fn value_type(field_type: &FieldType) -> Option<ValueType> {
    match field_type {
        FieldType::Boolean => Some(ValueType::Boolean),
        FieldType::Int => Some(ValueType::Int),
        FieldType::Long => Some(ValueType::Long),
        FieldType::Float => Some(ValueType::Float),
        FieldType::Double => Some(ValueType::Double),
        FieldType::Decimal { precision, scale } => {
            (1..=38).contains(precision).then_some(ValueType::Decimal {
                precision: *precision,
                scale: *scale,
            })
        }
        FieldType::Date => Some(ValueType::Date),
        FieldType::Time => Some(ValueType::Time),
        FieldType::Timestamp => Some(ValueType::Timestamp),
        FieldType::String => Some(ValueType::String),
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

/// The top-level fields of the table's schema. Nested fields are never searched and dots mean nothing.
pub(super) struct Columns<'request>(&'request [Field]);

impl<'request> Columns<'request> {
    pub(super) fn new(fields: &'request [Field]) -> Self {
        Self(fields)
    }

    /// The one field with exactly this name.
    pub(super) fn named(&self, column: &Column) -> Binding<&'request Field> {
        let mut found = self.0.iter().filter(|field| field.name == column.name);
        let error = match (found.next(), found.next()) {
            (None, _) => BindError::NoColumn(column.name.clone()),
            (Some(_), Some(_)) => BindError::AmbiguousColumn(column.name.clone()),
            (Some(field), None) if self.is_usable(field) => return Ok(field),
            (Some(_), None) => BindError::UnusableFieldId(column.name.clone()),
        };
        Err(error.at(column.span))
    }

    /// The one field with exactly this name, if its type has value predicates (section 6).
    pub(super) fn with_values(&self, column: &Column) -> Binding<(&'request Field, ValueType)> {
        let field = self.named(column)?;
        let value_type = value_type(&field.field_type).ok_or_else(|| {
            BindError::UnsupportedType {
                name: field.name.clone(),
                field_type: field.field_type.to_string(),
            }
            .at(column.span)
        })?;
        Ok((field, value_type))
    }

    /// The one field with this id, for a mask.
    pub(super) fn with_id(&self, id: i32) -> Result<&'request Field, BindError> {
        let field = self
            .0
            .iter()
            .find(|field| field.id == id)
            .ok_or(BindError::NoField(id))?;
        if !self.is_usable(field) {
            return Err(BindError::UnusableFieldId(field.name.clone()));
        }
        Ok(field)
    }

    /// Whether the field's id is positive and no other top-level field has it.
    fn is_usable(&self, field: &Field) -> bool {
        field.id > 0 && self.0.iter().filter(|other| other.id == field.id).count() == 1
    }
}
