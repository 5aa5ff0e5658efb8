// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A literal takes its type once from its column; there is no conversion (section 6).

use lakeward_read_restrictions::field::Field;
use lakeward_read_restrictions::literal::Literal;

use super::columns::ValueType;
use super::{Binding, float, temporal};
use crate::error::{BindError, StageError};
use crate::number::Number;
use crate::typing::{SourceLiteral, SourceValue};

/// The literal as an exact value of the field's type.
pub(super) fn typed(literal: &SourceLiteral, field: &Field, value_type: ValueType) -> Binding<Literal> {
    let typed = match &literal.value {
        SourceValue::Boolean(value) => boolean(*value, value_type),
        SourceValue::Number(number) => numeric(number, value_type),
        SourceValue::Text(text) => textual(text, value_type),
    };
    typed.map_err(|reason| {
        BindError::Literal {
            literal: shown(&literal.value),
            name: field.name.clone(),
            field_type: field.field_type.to_string(),
            reason,
        }
        .at(literal.span)
    })
}

type Exact = Result<Literal, &'static str>;

fn boolean(value: bool, value_type: ValueType) -> Exact {
    match value_type {
        ValueType::Boolean => Ok(Literal::Boolean(value)),
        ValueType::Int
        | ValueType::Long
        | ValueType::Float
        | ValueType::Double
        | ValueType::Decimal { .. }
        | ValueType::Date
        | ValueType::Time
        | ValueType::Timestamp
        | ValueType::String => Err("it is a boolean"),
    }
}

fn numeric(number: &Number, value_type: ValueType) -> Exact {
    match value_type {
        ValueType::Int => {
            let value = integer(number)?;
            i32::try_from(value).map(Literal::Int).map_err(|_| OUT_OF_RANGE)
        }
        ValueType::Long => {
            let value = integer(number)?;
            i64::try_from(value).map(Literal::Long).map_err(|_| OUT_OF_RANGE)
        }
        ValueType::Float => float::single(number).map(Literal::Float).ok_or(NOT_EXACT),
        ValueType::Double => float::double(number).map(Literal::Double).ok_or(NOT_EXACT),
        ValueType::Decimal { precision, scale } => number
            .scaled(precision, scale)
            .map(|unscaled| Literal::Decimal {
                unscaled,
                precision,
                scale,
            })
            .ok_or("it has too many digits before or after the point"),
        ValueType::Boolean | ValueType::Date | ValueType::Time | ValueType::Timestamp | ValueType::String => {
            Err("it is a number")
        }
    }
}

fn textual(text: &str, value_type: ValueType) -> Exact {
    match value_type {
        ValueType::String => Ok(Literal::String(text.to_owned())),
        ValueType::Date => temporal::date(text)
            .map(Literal::Date)
            .ok_or("a date is written `YYYY-MM-DD`, years 0001 to 9999"),
        ValueType::Time => temporal::time(text)
            .map(Literal::Time)
            .ok_or("a time is written `HH:MM:SS`, optionally with `.` and one to six digits"),
        ValueType::Timestamp => temporal::timestamp(text)
            .map(Literal::Timestamp)
            .ok_or("a timestamp is written `YYYY-MM-DDTHH:MM:SS`, optionally with `.` and one to six digits, no zone"),
        ValueType::Boolean
        | ValueType::Int
        | ValueType::Long
        | ValueType::Float
        | ValueType::Double
        | ValueType::Decimal { .. } => Err("it is a string"),
    }
}

const OUT_OF_RANGE: &str = "it is out of range";
const NOT_EXACT: &str = "not every digit survives in binary; write fewer digits or an exact value";

/// The mathematical integer, when it has at most 38 digits (no integer type holds more).
fn integer(number: &Number) -> Result<i128, &'static str> {
    if !number.is_integral() {
        return Err("it has a fractional part");
    }
    number.scaled(38, 0).ok_or(OUT_OF_RANGE)
}

fn shown(value: &SourceValue) -> String {
    match value {
        SourceValue::Text(text) => format!("the string `{text}`"),
        SourceValue::Number(number) => format!("the number `{}`", number.plain()),
        SourceValue::Boolean(value) => format!("`{value}`"),
    }
}
