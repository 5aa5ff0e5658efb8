// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Values as test files write them.

use lakeward_read_restrictions::field::{Field, FieldType};
use lakeward_read_restrictions::value::Value as FieldValue;
use serde_json::{Map, Value};

/// Decimal digits that a binary64 keeps.
const EXACT_DIGITS: usize = 15;

/// What is written for a digest that nobody can know.
pub(super) const OPAQUE: &str = "opaque";

/// The values of a row in the order of the columns; a column that is not written is null.
///
/// # Errors
/// A value that is none of its column's type, and a column that the table lacks.
pub(super) fn row(written: &Map<String, Value>, fields: &[Field]) -> Result<Vec<FieldValue>, String> {
    known_columns(written, fields)?;
    fields
        .iter()
        .map(|field| {
            let value = cell(written.get(&field.name).unwrap_or(&Value::Null), field)?;
            if field.required && value.is_null() {
                return Err(format!(
                    "the column `{}` is required and has no value",
                    field.name
                ));
            }
            Ok(value)
        })
        .collect()
}

/// A value that is expected to be shown.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expected {
    Value(FieldValue),
    /// `opaque`: a digest, whatever it is. In a column of text it may be that text, too.
    Opaque,
}

/// The expected values of a row in the order of the columns.
///
/// # Errors
/// As [`row`].
pub(super) fn expected(written: &Map<String, Value>, fields: &[Field]) -> Result<Vec<Expected>, String> {
    known_columns(written, fields)?;
    fields
        .iter()
        .map(|field| match written.get(&field.name) {
            Some(Value::String(text)) if text == OPAQUE => Ok(Expected::Opaque),
            other => cell(other.unwrap_or(&Value::Null), field).map(Expected::Value),
        })
        .collect()
}

fn known_columns(written: &Map<String, Value>, fields: &[Field]) -> Result<(), String> {
    match written
        .keys()
        .find(|name| !fields.iter().any(|field| field.name == **name))
    {
        None => Ok(()),
        Some(unknown) => Err(format!("the table has no column `{unknown}`")),
    }
}

/// Iceberg's single-value JSON, and what YAML makes of unquoted text: a number for a decimal, or for text of digits an
/// error that says how to write it.
fn cell(written: &Value, field: &Field) -> Result<FieldValue, String> {
    let read = |json: &Value| {
        FieldValue::from_json(json, &field.field_type)
            .map_err(|error| format!("column `{}`: {error}", field.name))
    };
    match (&field.field_type, written) {
        (FieldType::Decimal { scale, .. }, Value::Number(number)) => {
            let text = number.to_string();
            let digits = text.bytes().filter(u8::is_ascii_digit).count();
            if number.is_f64() && digits > EXACT_DIGITS {
                return Err(format!(
                    "column `{}`: a number of so many digits is not kept exactly; write it in quotes",
                    field.name
                ));
            }
            read(&Value::String(with_scale(&text, *scale)))
        }
        (FieldType::Float | FieldType::Double, Value::String(text)) => {
            let text = match text.as_str() {
                ".nan" => "NaN",
                ".inf" => "Infinity",
                "-.inf" => "-Infinity",
                other => other,
            };
            read(&Value::from(text))
        }
        (FieldType::String, Value::Number(_) | Value::Bool(_)) => Err(format!(
            "column `{}` is text; write the value in quotes: '{written}'",
            field.name
        )),
        _ => read(written),
    }
}

/// The text of a number with as many fraction digits as the column has, where that loses nothing.
fn with_scale(number: &str, scale: u8) -> String {
    let scale = usize::from(scale);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let fraction = match fraction.trim_end_matches('0') {
        kept if kept.len() > scale => return number.to_owned(),
        kept => format!("{kept:0<scale$}"),
    };
    if scale == 0 {
        whole.to_owned()
    } else {
        format!("{whole}.{fraction}")
    }
}

/// A shown row on one line.
pub(super) fn line(values: impl IntoIterator<Item = (String, Value)>) -> String {
    Value::Object(values.into_iter().collect()).to_string()
}

#[cfg(test)]
mod tests {
    use super::with_scale;

    #[test]
    fn numbers_get_the_scale_of_their_column() {
        assert_eq!(with_scale("12.5", 2), "12.50");
        assert_eq!(with_scale("12", 2), "12.00");
        assert_eq!(with_scale("-7", 0), "-7");
        assert_eq!(with_scale("7.0", 0), "7");
        assert_eq!(with_scale("1.234", 2), "1.234");
    }
}
