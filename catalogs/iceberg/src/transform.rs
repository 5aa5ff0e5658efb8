// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Transforms of partition and sort fields.

use std::fmt;

use lakeward_read_restrictions::field::FieldType;

use crate::schema::SchemaType;

/// A transform of the Iceberg specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IcebergTransform {
    Identity,
    Void,
    Year,
    Month,
    Day,
    Hour,
    Bucket(u32),
    Truncate(u32),
}

impl IcebergTransform {
    /// Reads a transform; `None` for anything that the specification does not have.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let width = |prefix: &str| -> Option<u32> {
            let number: u32 = text
                .strip_prefix(prefix)?
                .strip_suffix(']')?
                .trim()
                .parse()
                .ok()?;
            (number > 0 && i32::try_from(number).is_ok()).then_some(number)
        };
        match text.to_ascii_lowercase().as_str() {
            "identity" => Some(Self::Identity),
            "void" => Some(Self::Void),
            "year" => Some(Self::Year),
            "month" => Some(Self::Month),
            "day" => Some(Self::Day),
            "hour" => Some(Self::Hour),
            _ => width("bucket[")
                .map(Self::Bucket)
                .or_else(|| width("truncate[").map(Self::Truncate)),
        }
    }

    /// Whether the transform can be applied to values of a type.
    pub(crate) fn applies_to(self, source: &SchemaType) -> bool {
        let SchemaType::Primitive { field_type, .. } = source else {
            return self == Self::Void;
        };
        let is_day = *field_type == FieldType::Date;
        let is_instant = matches!(
            field_type,
            FieldType::Timestamp | FieldType::Timestamptz | FieldType::TimestampNs | FieldType::TimestamptzNs
        );
        match self {
            Self::Void => true,
            Self::Identity => !matches!(
                field_type,
                FieldType::Variant | FieldType::Geometry | FieldType::Geography
            ),
            Self::Year | Self::Month | Self::Day => is_day || is_instant,
            Self::Hour => is_instant,
            Self::Bucket(_) => {
                is_day
                    || is_instant
                    || matches!(
                        field_type,
                        FieldType::Int
                            | FieldType::Long
                            | FieldType::Decimal { .. }
                            | FieldType::Time
                            | FieldType::String
                            | FieldType::Uuid
                            | FieldType::Fixed(_)
                            | FieldType::Binary
                    )
            }
            Self::Truncate(_) => matches!(
                field_type,
                FieldType::Int
                    | FieldType::Long
                    | FieldType::Decimal { .. }
                    | FieldType::String
                    | FieldType::Binary
            ),
        }
    }

    /// The name that a partition field of this transform gets when its maker gives none.
    pub(crate) fn default_name(self, column: &str) -> String {
        match self {
            Self::Identity => column.to_owned(),
            Self::Void => format!("{column}_null"),
            Self::Year => format!("{column}_year"),
            Self::Month => format!("{column}_month"),
            Self::Day => format!("{column}_day"),
            Self::Hour => format!("{column}_hour"),
            Self::Bucket(_) => format!("{column}_bucket"),
            Self::Truncate(_) => format!("{column}_trunc"),
        }
    }
}

impl fmt::Display for IcebergTransform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identity => f.write_str("identity"),
            Self::Void => f.write_str("void"),
            Self::Year => f.write_str("year"),
            Self::Month => f.write_str("month"),
            Self::Day => f.write_str("day"),
            Self::Hour => f.write_str("hour"),
            Self::Bucket(number) => write!(f, "bucket[{number}]"),
            Self::Truncate(width) => write!(f, "truncate[{width}]"),
        }
    }
}
