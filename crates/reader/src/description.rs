// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a tool is told of a table's columns before it reads any: as its user sees them, from the metadata alone.

use arrow::datatypes::{DataType, FieldRef, SchemaRef};
use iceberg::spec::{PrimitiveType, Schema, Type};
use lakeward_read_restrictions::restrictions::ReadRestrictions;

/// A table or view as one user sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// The columns in order.
    pub columns: Vec<ColumnDescription>,
    /// Names of the columns whose values tell rows apart: Iceberg's identifier fields at the top level, in the order of
    /// the columns. Nobody enforces that they do.
    pub identifier: Vec<String>,
}

/// A column as one user sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnDescription {
    /// Name, type and whether null is possible, as a query gives them.
    pub field: FieldRef,
    /// The type in the words of SQL.
    pub sql_type: String,
    /// What its owner wrote about it.
    pub comment: Option<String>,
    /// The mask that the user's values go through, by its name in the protocol.
    pub mask: Option<String>,
}

impl Description {
    /// Of a table: `arrow` is the shape in which its rows are shown.
    pub(crate) fn of_table(schema: &Schema, arrow: &SchemaRef, restrictions: &ReadRestrictions) -> Self {
        let columns = schema
            .as_struct()
            .fields()
            .iter()
            .zip(arrow.fields())
            .map(|(field, arrow)| ColumnDescription {
                field: FieldRef::clone(arrow),
                sql_type: match field.field_type.as_ref() {
                    // In Arrow it is sixteen bytes like any others.
                    Type::Primitive(PrimitiveType::Uuid) => "UUID".to_owned(),
                    Type::Primitive(_) | Type::Struct(_) | Type::List(_) | Type::Map(_) => {
                        sql_type(arrow.data_type())
                    }
                },
                comment: field.doc.clone(),
                mask: restrictions.action_of(field.id).map(|action| action.to_string()),
            })
            .collect();
        let identifier = schema
            .as_struct()
            .fields()
            .iter()
            .filter(|field| schema.identifier_field_ids().any(|id| id == field.id))
            .map(|field| field.name.clone())
            .collect();
        Self { columns, identifier }
    }

    /// Of a query's rows, a view's for instance.
    pub(crate) fn of_rows(schema: &SchemaRef) -> Self {
        let columns = schema
            .fields()
            .iter()
            .map(|field| ColumnDescription {
                field: FieldRef::clone(field),
                sql_type: sql_type(field.data_type()),
                comment: None,
                mask: None,
            })
            .collect();
        Self {
            columns,
            identifier: Vec::new(),
        }
    }
}

/// The word of SQL for an Arrow type; for types without one, Arrow's own.
pub fn sql_type(data_type: &DataType) -> String {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "an open set of another crate; what SQL has no word for keeps its own"
    )]
    match data_type {
        DataType::Boolean => "BOOLEAN",
        DataType::Int8 => "TINYINT",
        DataType::Int16 => "SMALLINT",
        DataType::Int32 => "INTEGER",
        DataType::Int64 => "BIGINT",
        DataType::UInt8 => "TINYINT UNSIGNED",
        DataType::UInt16 => "SMALLINT UNSIGNED",
        DataType::UInt32 => "INTEGER UNSIGNED",
        DataType::UInt64 => "BIGINT UNSIGNED",
        DataType::Float32 => "REAL",
        DataType::Float64 => "DOUBLE",
        DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => "DECIMAL",
        DataType::Date32 | DataType::Date64 => "DATE",
        DataType::Time32(_) | DataType::Time64(_) => "TIME",
        DataType::Timestamp(_, None) => "TIMESTAMP",
        DataType::Timestamp(_, Some(_)) => "TIMESTAMP WITH TIME ZONE",
        DataType::Interval(_) | DataType::Duration(_) => "INTERVAL",
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "VARCHAR",
        DataType::FixedSizeBinary(_) => "BINARY",
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => "BYTEA",
        DataType::List(_)
        | DataType::LargeList(_)
        | DataType::FixedSizeList(..)
        | DataType::ListView(_)
        | DataType::LargeListView(_) => "ARRAY",
        DataType::Struct(_) => "STRUCT",
        DataType::Map(..) => "MAP",
        DataType::Dictionary(_, values) => return sql_type(values),
        DataType::RunEndEncoded(_, values) => return sql_type(values.data_type()),
        other => return other.to_string(),
    }
    .to_owned()
}
