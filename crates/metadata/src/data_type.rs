// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The types of columns, as Gravitino counts them.

use std::fmt;

use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// The most digits a decimal has.
pub const MAX_DECIMAL_PRECISION: u8 = 38;
/// The most digits after the second that a time has.
pub const MAX_TIME_PRECISION: u8 = 12;

/// A type of a column, a literal or a parameter.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataType {
    /// True or false.
    Boolean,
    /// 8 bits, signed.
    Byte,
    /// 8 bits, unsigned.
    ByteUnsigned,
    /// 16 bits, signed.
    Short,
    /// 16 bits, unsigned.
    ShortUnsigned,
    /// 32 bits, signed.
    Integer,
    /// 32 bits, unsigned.
    IntegerUnsigned,
    /// 64 bits, signed.
    Long,
    /// 64 bits, unsigned.
    LongUnsigned,
    /// IEEE binary32.
    Float,
    /// IEEE binary64.
    Double,
    /// An exact number; see [`DataType::decimal`].
    Decimal {
        /// Digits in all, 1 to 38.
        precision: u8,
        /// Digits after the point, at most the precision.
        scale: u8,
    },
    /// A day.
    Date,
    /// A time of day; the number of digits after the second where one was given.
    Time(Option<u8>),
    /// A time without a zone; digits after the second where given.
    Timestamp(Option<u8>),
    /// An instant; digits after the second where given.
    TimestampTz(Option<u8>),
    /// A span of years and months.
    IntervalYear,
    /// A span of days and seconds.
    IntervalDay,
    /// Text of any length.
    String,
    /// Text of exactly so many characters.
    Char(u32),
    /// Text of at most so many characters.
    VarChar(u32),
    /// A UUID.
    Uuid,
    /// Exactly so many bytes.
    Fixed(u32),
    /// Bytes.
    Binary,
    /// A planar shape, with its coordinate reference system where given.
    Geometry(Option<String>),
    /// A shape on the globe.
    Geography {
        /// The coordinate reference system where given.
        crs: Option<String>,
        /// The edge interpolation algorithm where given; never without `crs`.
        algorithm: Option<String>,
    },
    /// A self-describing value.
    Variant,
    /// Always null.
    Null,
    /// Named members.
    Struct(Vec<StructField>),
    /// A sequence.
    List {
        /// The type of its elements.
        element: Box<DataType>,
        /// Whether an element may be null.
        contains_null: bool,
    },
    /// Keys with values.
    Map {
        /// The type of keys, which are never null.
        key: Box<DataType>,
        /// The type of values.
        value: Box<DataType>,
        /// Whether a value may be null.
        value_contains_null: bool,
    },
    /// One of several types.
    Union(Vec<DataType>),
    /// A text that is none of the above, kept as it came.
    Unparsed(String),
    /// A type of the source that has no counterpart here, in the words of the source.
    External(String),
}

/// A member of a struct.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StructField {
    /// Its name.
    pub name: String,
    /// Its type.
    pub data_type: DataType,
    /// Whether null is allowed.
    pub nullable: bool,
    /// What people should know of it.
    pub comment: Option<String>,
}

/// Why parameters do not make a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DataTypeError {
    /// Precision or scale out of bounds.
    #[error(
        "`{0}` is not a decimal type: the precision goes from 1 to 38, the scale from 0 to the precision"
    )]
    Decimal(String),
    /// A length of nothing, or too large a one.
    #[error("`{0}` is not a type: the length goes from 1 to 2147483647")]
    Length(String),
    /// Too many digits after the second.
    #[error("`{0}` is not a type: the precision goes from 0 to 12")]
    TimePrecision(String),
}

impl DataType {
    /// A decimal with its bounds checked.
    ///
    /// # Errors
    /// [`DataTypeError::Decimal`] unless `1 <= precision <= 38` and `scale <= precision`.
    pub fn decimal(precision: u8, scale: u8) -> Result<Self, DataTypeError> {
        if (1..=MAX_DECIMAL_PRECISION).contains(&precision) && scale <= precision {
            Ok(Self::Decimal { precision, scale })
        } else {
            Err(DataTypeError::Decimal(format!("decimal({precision},{scale})")))
        }
    }

    /// Reads the text form. Case does not matter, blanks around parameters neither. A text that has the form of no
    /// type is [`DataType::Unparsed`], as in Gravitino; whether that can be stored is for the provider to say.
    ///
    /// # Errors
    /// [`DataTypeError`] when the text has the form of a type, with parameters out of its bounds.
    pub fn parse(text: &str) -> Result<Self, DataTypeError> {
        let trimmed = text.trim();
        if let Some(simple) = Self::without_parameters(&trimmed.to_ascii_lowercase()) {
            return Ok(simple);
        }
        let unparsed = || Ok(Self::Unparsed(text.to_owned()));
        let Some((name, rest)) = trimmed.split_once('(') else {
            return unparsed();
        };
        let Some(inner) = rest.strip_suffix(')') else {
            return unparsed();
        };
        let parameters: Vec<&str> = inner.split(',').map(str::trim).collect();
        match (
            name.trim_end().to_ascii_lowercase().as_str(),
            parameters.as_slice(),
        ) {
            ("decimal", [precision, scale]) if digits(precision) && digits(scale) => {
                match (precision.parse(), scale.parse()) {
                    (Ok(precision), Ok(scale)) => Self::decimal(precision, scale),
                    _ => Err(DataTypeError::Decimal(text.to_owned())),
                }
            }
            ("char", [length]) if digits(length) => positive(text, length).map(Self::Char),
            ("varchar", [length]) if digits(length) => positive(text, length).map(Self::VarChar),
            ("fixed", [length]) if digits(length) => positive(text, length).map(Self::Fixed),
            ("time", [precision]) if digits(precision) => {
                time_precision(text, precision).map(|digits| Self::Time(Some(digits)))
            }
            ("timestamp", [precision]) if digits(precision) => {
                time_precision(text, precision).map(|digits| Self::Timestamp(Some(digits)))
            }
            ("timestamp_tz", [precision]) if digits(precision) => {
                time_precision(text, precision).map(|digits| Self::TimestampTz(Some(digits)))
            }
            ("geometry", [crs]) if !crs.is_empty() => Ok(Self::Geometry(Some((*crs).to_owned()))),
            ("geography", [crs]) if !crs.is_empty() => Ok(Self::Geography {
                crs: Some((*crs).to_owned()),
                algorithm: None,
            }),
            ("geography", [crs, algorithm]) if !crs.is_empty() && !algorithm.is_empty() => {
                Ok(Self::Geography {
                    crs: Some((*crs).to_owned()),
                    algorithm: Some(algorithm.to_ascii_lowercase()),
                })
            }
            _ => unparsed(),
        }
    }

    fn without_parameters(lower: &str) -> Option<Self> {
        Some(match lower {
            "boolean" => Self::Boolean,
            "byte" => Self::Byte,
            "byte unsigned" => Self::ByteUnsigned,
            "short" => Self::Short,
            "short unsigned" => Self::ShortUnsigned,
            "integer" => Self::Integer,
            "integer unsigned" => Self::IntegerUnsigned,
            "long" => Self::Long,
            "long unsigned" => Self::LongUnsigned,
            "float" => Self::Float,
            "double" => Self::Double,
            "date" => Self::Date,
            "time" => Self::Time(None),
            "timestamp" => Self::Timestamp(None),
            "timestamp_tz" => Self::TimestampTz(None),
            "interval_year" => Self::IntervalYear,
            "interval_day" => Self::IntervalDay,
            "string" => Self::String,
            "uuid" => Self::Uuid,
            "binary" => Self::Binary,
            "geometry" => Self::Geometry(None),
            "geography" => Self::Geography {
                crs: None,
                algorithm: None,
            },
            "variant" => Self::Variant,
            "null" => Self::Null,
            _ => return None,
        })
    }

    /// The canonical text of a type that has one; `None` for struct, list, map, union, unparsed and external, which
    /// a protocol writes as objects.
    pub fn simple_text(&self) -> Option<String> {
        let with_precision = |name: &str, precision: &Option<u8>| match precision {
            Some(digits) => format!("{name}({digits})"),
            None => name.to_owned(),
        };
        Some(match self {
            Self::Boolean => "boolean".to_owned(),
            Self::Byte => "byte".to_owned(),
            Self::ByteUnsigned => "byte unsigned".to_owned(),
            Self::Short => "short".to_owned(),
            Self::ShortUnsigned => "short unsigned".to_owned(),
            Self::Integer => "integer".to_owned(),
            Self::IntegerUnsigned => "integer unsigned".to_owned(),
            Self::Long => "long".to_owned(),
            Self::LongUnsigned => "long unsigned".to_owned(),
            Self::Float => "float".to_owned(),
            Self::Double => "double".to_owned(),
            Self::Decimal { precision, scale } => format!("decimal({precision},{scale})"),
            Self::Date => "date".to_owned(),
            Self::Time(precision) => with_precision("time", precision),
            Self::Timestamp(precision) => with_precision("timestamp", precision),
            Self::TimestampTz(precision) => with_precision("timestamp_tz", precision),
            Self::IntervalYear => "interval_year".to_owned(),
            Self::IntervalDay => "interval_day".to_owned(),
            Self::String => "string".to_owned(),
            Self::Char(length) => format!("char({length})"),
            Self::VarChar(length) => format!("varchar({length})"),
            Self::Uuid => "uuid".to_owned(),
            Self::Fixed(length) => format!("fixed({length})"),
            Self::Binary => "binary".to_owned(),
            Self::Geometry(None) => "geometry".to_owned(),
            Self::Geometry(Some(crs)) => format!("geometry({crs})"),
            Self::Geography { crs: None, .. } => "geography".to_owned(),
            Self::Geography {
                crs: Some(crs),
                algorithm: None,
            } => format!("geography({crs})"),
            Self::Geography {
                crs: Some(crs),
                algorithm: Some(algorithm),
            } => format!("geography({crs},{algorithm})"),
            Self::Variant => "variant".to_owned(),
            Self::Null => "null".to_owned(),
            Self::Struct(_)
            | Self::List { .. }
            | Self::Map { .. }
            | Self::Union(_)
            | Self::Unparsed(_)
            | Self::External(_) => return None,
        })
    }
}

impl fmt::Display for DataType {
    /// For messages: the canonical text, nested types with their members.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(text) = self.simple_text() {
            return f.write_str(&text);
        }
        match self {
            Self::Struct(fields) => {
                f.write_str("struct<")?;
                for (position, field) in fields.iter().enumerate() {
                    let comma = if position == 0 { "" } else { "," };
                    write!(f, "{comma}{}:{}", field.name, field.data_type)?;
                }
                f.write_str(">")
            }
            Self::List { element, .. } => write!(f, "list<{element}>"),
            Self::Map { key, value, .. } => write!(f, "map<{key},{value}>"),
            Self::Union(members) => {
                f.write_str("union<")?;
                for (position, member) in members.iter().enumerate() {
                    let comma = if position == 0 { "" } else { "," };
                    write!(f, "{comma}{member}")?;
                }
                f.write_str(">")
            }
            Self::Unparsed(text) => write!(f, "unparsed({text})"),
            Self::External(text) => write!(f, "external({text})"),
            Self::Boolean
            | Self::Byte
            | Self::ByteUnsigned
            | Self::Short
            | Self::ShortUnsigned
            | Self::Integer
            | Self::IntegerUnsigned
            | Self::Long
            | Self::LongUnsigned
            | Self::Float
            | Self::Double
            | Self::Decimal { .. }
            | Self::Date
            | Self::Time(_)
            | Self::Timestamp(_)
            | Self::TimestampTz(_)
            | Self::IntervalYear
            | Self::IntervalDay
            | Self::String
            | Self::Char(_)
            | Self::VarChar(_)
            | Self::Uuid
            | Self::Fixed(_)
            | Self::Binary
            | Self::Geometry(_)
            | Self::Geography { .. }
            | Self::Variant
            | Self::Null => Ok(()),
        }
    }
}

/// Only decimal digits, at least one: anything else makes the text no type at all.
fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn positive(whole: &str, length: &str) -> Result<u32, DataTypeError> {
    match length.parse::<u32>() {
        Ok(length) if length >= 1 && i32::try_from(length).is_ok() => Ok(length),
        _ => Err(DataTypeError::Length(whole.to_owned())),
    }
}

fn time_precision(whole: &str, precision: &str) -> Result<u8, DataTypeError> {
    match precision.parse::<u8>() {
        Ok(precision) if precision <= MAX_TIME_PRECISION => Ok(precision),
        _ => Err(DataTypeError::TimePrecision(whole.to_owned())),
    }
}
