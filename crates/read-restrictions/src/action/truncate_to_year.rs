// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `truncate-to-year`.

use super::MaskAction;
use crate::error::ReaderError;
use crate::temporal::{MICROS_PER_DAY, NANOS_PER_DAY, civil_from_days, days_from_civil};
use crate::value::Value;

/// The first of January, midnight; null stays null.
pub(super) fn apply(value: &Value) -> Result<Value, ReaderError> {
    truncate(MaskAction::TruncateToYear, value, |days| {
        let (year, _, _) = civil_from_days(days);
        days_from_civil(year, 1, 1)
    })
}

/// Moves a date or timestamp to midnight of an earlier day; zoned ones are in UTC already.
pub(super) fn truncate(
    action: MaskAction,
    value: &Value,
    first_day: impl Fn(i64) -> i64,
) -> Result<Value, ReaderError> {
    let instant = |units: i64, per_day: i64| {
        first_day(units.div_euclid(per_day))
            .checked_mul(per_day)
            .ok_or(ReaderError::OutOfRange { action })
    };
    match value {
        Value::Null => Ok(Value::Null),
        Value::Date(days) => i32::try_from(first_day(i64::from(*days)))
            .map(Value::Date)
            .map_err(|_| ReaderError::OutOfRange { action }),
        Value::Timestamp(micros) => instant(*micros, MICROS_PER_DAY).map(Value::Timestamp),
        Value::Timestamptz(micros) => instant(*micros, MICROS_PER_DAY).map(Value::Timestamptz),
        Value::TimestampNs(nanos) => instant(*nanos, NANOS_PER_DAY).map(Value::TimestampNs),
        Value::TimestamptzNs(nanos) => instant(*nanos, NANOS_PER_DAY).map(Value::TimestamptzNs),
        Value::Boolean(_)
        | Value::Int(_)
        | Value::Long(_)
        | Value::Float(_)
        | Value::Double(_)
        | Value::Decimal { .. }
        | Value::Time(_)
        | Value::String(_)
        | Value::Uuid(_)
        | Value::Fixed(_)
        | Value::Binary(_)
        | Value::Variant(_)
        | Value::WellKnownText(_)
        | Value::Struct(_)
        | Value::List(_)
        | Value::Map(_) => Err(ReaderError::MaskedValueType { action }),
    }
}
