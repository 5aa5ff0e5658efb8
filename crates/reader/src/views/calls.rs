// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The form of casts, dates and calls of functions in a view that is expanded.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the syntax of the parser is an open set; what is not named here is refused"
)]

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    DataType, DuplicateTreatment, ExactNumberInfo, Function, FunctionArg, FunctionArgExpr,
    FunctionArgumentList, FunctionArguments, Value,
};

use super::subset::{Checked, absent, refuse};

/// Types whose name says the same everywhere. A length would be passed over here and cuts text elsewhere.
pub(super) fn cast_target(data_type: &DataType) -> Checked {
    match data_type {
        DataType::Int(None)
        | DataType::Integer(None)
        | DataType::BigInt(None)
        | DataType::Double(ExactNumberInfo::None)
        | DataType::DoublePrecision
        | DataType::Decimal(ExactNumberInfo::PrecisionAndScale(..))
        | DataType::Numeric(ExactNumberInfo::PrecisionAndScale(..))
        | DataType::String(None)
        | DataType::Text
        | DataType::Varchar(None)
        | DataType::Boolean
        | DataType::Date => ControlFlow::Continue(()),
        other => refuse(format!("a cast to `{other}`")),
    }
}

/// `DATE '2026-01-31'` and no other form.
pub(super) fn iso_date(literal: &Value) -> Checked {
    let is_date = match literal {
        Value::SingleQuotedString(text) => {
            text.len() == 10
                && text.bytes().enumerate().all(|(position, byte)| match position {
                    4 | 7 => byte == b'-',
                    _ => byte.is_ascii_digit(),
                })
        }
        _ => false,
    };
    absent(!is_date, "a date that is not written like '2026-01-31'")
}

/// Functions that mean the same everywhere, for the types that [`super::meaning`] allows.
const FUNCTIONS: [&str; 12] = [
    "avg",
    "char_length",
    "character_length",
    "coalesce",
    "count",
    "length",
    "max",
    "min",
    "nullif",
    "substr",
    "substring",
    "sum",
];

pub(super) fn called(function: &Function) -> Checked {
    let Function {
        name,
        uses_odbc_syntax,
        parameters,
        args,
        filter,
        null_treatment,
        over,
        within_group,
    } = function;
    let lower = name.to_string().to_ascii_lowercase();
    absent(
        !FUNCTIONS.contains(&lower.as_str()),
        &format!("the function `{name}`"),
    )?;
    absent(over.is_some(), "a window function")?;
    absent(
        *uses_odbc_syntax || *parameters != FunctionArguments::None || null_treatment.is_some(),
        &format!("a modifier of `{name}`"),
    )?;
    absent(
        !within_group.is_empty() || filter.is_some(),
        &format!("`WITHIN GROUP` or `FILTER` of `{name}`"),
    )?;
    let FunctionArguments::List(FunctionArgumentList {
        duplicate_treatment,
        args,
        clauses,
    }) = args
    else {
        return refuse(format!("the arguments of `{name}`"));
    };
    absent(
        !clauses.is_empty(),
        &format!("what stands in the brackets of `{name}`"),
    )?;
    absent(
        matches!(duplicate_treatment, Some(DuplicateTreatment::Distinct)) && lower != "count",
        &format!("`DISTINCT` in `{name}`"),
    )?;
    for arg in args {
        let known = match arg {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(_)) => true,
            FunctionArg::Unnamed(FunctionArgExpr::Wildcard) => {
                lower == "count" && duplicate_treatment.is_none()
            }
            _ => false,
        };
        absent(!known, &format!("an argument of `{name}`"))?;
    }
    absent(lower == "count" && args.len() != 1, "`count` of several columns")
}
