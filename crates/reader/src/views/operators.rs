// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which types an operator of a view may meet, so that every dialect computes the same.
//!
//! - Floating point is passed on, added and averaged, but neither compared nor grouped: dialects differ in NaN and -0.
//! - Integers are not added: dialects differ in what happens when the result does not fit.
//! - Nothing is compared with something of another kind: dialects convert differently.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "types and operators are open sets of other crates; what is not named here is refused"
)]

use arrow::datatypes::DataType;

/// Kinds of values that are compared with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `NULL` without a type.
    Null,
    Boolean,
    /// Integers and decimals.
    Exact,
    Float,
    Text,
    Date,
    /// Compared with the very same type only.
    Timestamp,
    /// Passed on only.
    Other,
}

impl Kind {
    pub(crate) fn of(data_type: &DataType) -> Self {
        match data_type {
            DataType::Null => Self::Null,
            DataType::Boolean => Self::Boolean,
            DataType::Int32 | DataType::Int64 | DataType::Decimal128(_, _) => Self::Exact,
            DataType::Float32 | DataType::Float64 => Self::Float,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Self::Text,
            DataType::Date32 => Self::Date,
            DataType::Timestamp(_, _) => Self::Timestamp,
            _ => Self::Other,
        }
    }
}

/// Whether values of both types may be compared for equality.
pub(crate) fn comparable(left: &DataType, right: &DataType) -> Result<(), String> {
    let refused = || Err(format!("a comparison of {left} with {right}"));
    match (Kind::of(left), Kind::of(right)) {
        (Kind::Float | Kind::Other, _) | (_, Kind::Float | Kind::Other) => refused(),
        (Kind::Null, _) | (_, Kind::Null) => Ok(()),
        (Kind::Timestamp, Kind::Timestamp) if left == right => Ok(()),
        (Kind::Timestamp, _) | (_, Kind::Timestamp) => refused(),
        (one, other) if one == other => Ok(()),
        (_, _) => refused(),
    }
}

/// Whether values of both types may be results of one expression, of `CASE` or `UNION` for instance.
pub(crate) fn alike(left: &DataType, right: &DataType) -> Result<(), String> {
    match (Kind::of(left), Kind::of(right)) {
        (_, _) if left == right => Ok(()),
        (Kind::Null, _) | (_, Kind::Null) => Ok(()),
        (Kind::Exact, Kind::Exact) | (Kind::Text, Kind::Text) => Ok(()),
        (_, _) => Err(format!("{left} beside {right} in one column")),
    }
}

/// Whether rows may be grouped, joined or made distinct by such a value.
pub(crate) fn groupable(data_type: &DataType) -> Result<(), String> {
    comparable(data_type, data_type)
        .map_err(|_| format!("grouping or comparing by a column of type {data_type}"))
}

/// Whether values may be put in order.
pub(crate) fn orderable(data_type: &DataType, text_by_code_points: bool) -> Result<(), String> {
    groupable(data_type)?;
    if Kind::of(data_type) == Kind::Text && !text_by_code_points {
        return Err("an order of text, which depends on the database's language there,".to_owned());
    }
    Ok(())
}

/// Whether `+`, `-` or `*` gives the same everywhere.
pub(crate) fn computable(left: &DataType, right: &DataType, multiplied: bool) -> Result<(), String> {
    if left == right && *left == DataType::Float64 {
        return Ok(());
    }
    let (Some((p1, s1)), Some((p2, s2))) = (digits(left), digits(right)) else {
        return Err(format!("arithmetic of {left} and {right}"));
    };
    let decimal = |data_type: &DataType| matches!(data_type, DataType::Decimal128(_, _));
    if !decimal(left) && !decimal(right) {
        return Err("arithmetic of integers, which dialects do differently where the result does not fit; cast one to a decimal type".to_owned());
    }
    let needed = if multiplied {
        p1 + p2 + 1
    } else {
        s1.max(s2) + (p1 - s1).max(p2 - s2) + 1
    };
    if needed > 38 {
        return Err("arithmetic of decimals that takes more than 38 digits".to_owned());
    }
    Ok(())
}

/// Precision and scale of exact numbers.
fn digits(data_type: &DataType) -> Option<(i32, i32)> {
    match data_type {
        DataType::Int32 => Some((10, 0)),
        DataType::Int64 => Some((20, 0)),
        DataType::Decimal128(precision, scale) => Some((i32::from(*precision), i32::from(*scale))),
        _ => None,
    }
}

/// Whether a cast that a view writes gives the same everywhere.
pub(crate) fn castable(from: &DataType, to: &DataType) -> Result<(), String> {
    let same = match (from, to) {
        (from, to) if from == to => true,
        (DataType::Null, _)
        | (DataType::Int32, DataType::Int64 | DataType::Float64)
        | (DataType::Float32, DataType::Float64)
        | (DataType::Int32 | DataType::Int64 | DataType::Date32, DataType::Utf8 | DataType::Utf8View) => true,
        (from, DataType::Decimal128(precision, scale)) => digits(from).is_some_and(|(p, s)| {
            let (precision, scale) = (i32::from(*precision), i32::from(*scale));
            // A 64-bit integer has 19 digits; the engine reserves 20.
            let p = if *from == DataType::Int64 { 19 } else { p };
            scale >= s && precision - scale >= p - s
        }),
        (from, to) => Kind::of(from) == Kind::Text && Kind::of(to) == Kind::Text,
    };
    if same {
        Ok(())
    } else {
        Err(format!("a cast from {from} to {to}"))
    }
}

/// Whether an aggregate gives the same everywhere.
pub(crate) fn aggregable(name: &str, data_type: &DataType, text_by_code_points: bool) -> Result<(), String> {
    let refused = || Err(format!("`{name}` of {data_type}"));
    match (name, data_type) {
        ("count", _) => Ok(()),
        ("min" | "max", _) => orderable(data_type, text_by_code_points),
        ("sum" | "avg", DataType::Int32 | DataType::Float64) => Ok(()),
        // A sum has ten digits more.
        ("sum", DataType::Decimal128(precision, _)) if *precision <= 28 => Ok(()),
        ("sum", DataType::Int64) => {
            Err("`sum` of 64-bit integers, which may not fit; cast to `DECIMAL(28, 0)`".to_owned())
        }
        (_, _) => refused(),
    }
}
