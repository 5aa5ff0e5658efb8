// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Fields of an Iceberg schema, as far as restrictions speak of them.

use std::fmt;

/// The type of an Iceberg field (Iceberg specification, "Schemas and Data Types"; format versions 1 to 3).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FieldType {
    /// `boolean`
    Boolean,
    /// `int`, 32 bits signed
    Int,
    /// `long`, 64 bits signed
    Long,
    /// `float`, IEEE binary32
    Float,
    /// `double`, IEEE binary64
    Double,
    /// `decimal(P,S)`; `1 <= precision <= 38` in every valid schema. A schema that states more keeps it here, and no value
    /// predicate and no fixed value exists for it.
    Decimal {
        /// Digits in all.
        precision: u8,
        /// Digits after the point.
        scale: u8,
    },
    /// `date`, days since 1970-01-01
    Date,
    /// `time`, microseconds since midnight
    Time,
    /// `timestamp`, microseconds without a zone
    Timestamp,
    /// `timestamptz`, microseconds in UTC
    Timestamptz,
    /// `timestamp_ns`, nanoseconds without a zone
    TimestampNs,
    /// `timestamptz_ns`, nanoseconds in UTC
    TimestamptzNs,
    /// `string`, UTF-8
    String,
    /// `uuid`
    Uuid,
    /// `fixed[L]`, L bytes
    Fixed(u64),
    /// `binary`
    Binary,
    /// `unknown`: always null
    Unknown,
    /// `variant`
    Variant,
    /// `geometry`, with or without a coordinate reference system
    Geometry,
    /// `geography`, with or without a coordinate reference system and algorithm
    Geography,
    /// `struct`
    Struct(Vec<Field>),
    /// `list`
    List(Box<Field>),
    /// `map`
    Map {
        /// The key, always required.
        key: Box<Field>,
        /// The value.
        value: Box<Field>,
    },
}

/// One field: a column of a table, or a member of a nested type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Field {
    /// The field id, as the schema states it. A usable id is positive.
    pub id: i32,
    /// The exact name; never normalized.
    pub name: String,
    /// The type.
    pub field_type: FieldType,
    /// Whether null is forbidden.
    pub required: bool,
}

impl fmt::Display for FieldType {
    /// The name in Iceberg's spelling: `decimal(9,2)` without blanks, nested types by their kind alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean => f.write_str("boolean"),
            Self::Int => f.write_str("int"),
            Self::Long => f.write_str("long"),
            Self::Float => f.write_str("float"),
            Self::Double => f.write_str("double"),
            Self::Decimal { precision, scale } => write!(f, "decimal({precision},{scale})"),
            Self::Date => f.write_str("date"),
            Self::Time => f.write_str("time"),
            Self::Timestamp => f.write_str("timestamp"),
            Self::Timestamptz => f.write_str("timestamptz"),
            Self::TimestampNs => f.write_str("timestamp_ns"),
            Self::TimestamptzNs => f.write_str("timestamptz_ns"),
            Self::String => f.write_str("string"),
            Self::Uuid => f.write_str("uuid"),
            Self::Fixed(length) => write!(f, "fixed[{length}]"),
            Self::Binary => f.write_str("binary"),
            Self::Unknown => f.write_str("unknown"),
            Self::Variant => f.write_str("variant"),
            Self::Geometry => f.write_str("geometry"),
            Self::Geography => f.write_str("geography"),
            Self::Struct(_) => f.write_str("struct"),
            Self::List(_) => f.write_str("list"),
            Self::Map { .. } => f.write_str("map"),
        }
    }
}
