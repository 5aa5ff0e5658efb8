// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Stored values as those of the wider type that the table has by now.

use std::sync::Arc;

use arrow::array::{ArrayRef, ArrowNativeTypeOp, AsArray, Int64Array};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, Date32Type, TimeUnit};
use arrow::error::ArrowError;

const SECONDS_PER_DAY: i64 = 86_400;

/// The values as `data_type`, none of them changed. The types are such that [`readable_as`](super::readable_as) allows.
///
/// # Errors
/// A value does not fit. Its message may hold the value, which must not be shown: the row may be a hidden one.
pub(crate) fn widened(stored: &ArrayRef, data_type: &DataType) -> Result<ArrayRef, ArrowError> {
    let strict = CastOptions {
        safe: false,
        ..CastOptions::default()
    };
    match (stored.as_primitive_opt::<Date32Type>(), data_type) {
        // Arrow's own cast lets days that are too many overflow into another time.
        (Some(dates), DataType::Timestamp(unit, _)) => {
            let per_day = SECONDS_PER_DAY
                * match unit {
                    TimeUnit::Second => 1,
                    TimeUnit::Millisecond => 1_000,
                    TimeUnit::Microsecond => 1_000_000,
                    TimeUnit::Nanosecond => 1_000_000_000,
                };
            let times: Int64Array = dates.try_unary(|days| i64::from(days).mul_checked(per_day))?;
            cast_with_options(&(Arc::new(times) as ArrayRef), data_type, &strict)
        }
        _ => cast_with_options(stored, data_type, &strict),
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, Date32Array, TimestampMicrosecondArray, TimestampNanosecondArray};

    use super::*;

    #[test]
    fn dates_become_times_unless_they_are_too_far_away() {
        let dates = |days: Vec<Option<i32>>| Arc::new(Date32Array::from(days)) as ArrayRef;
        let micros = DataType::Timestamp(TimeUnit::Microsecond, None);
        let nanos = DataType::Timestamp(TimeUnit::Nanosecond, None);
        let some = dates(vec![Some(-1), None, Some(2)]);
        let expected =
            TimestampMicrosecondArray::from(vec![Some(-86_400_000_000), None, Some(172_800_000_000)]);
        assert_eq!(
            widened(&some, &micros)
                .unwrap()
                .as_ref()
                .as_primitive::<arrow::datatypes::TimestampMicrosecondType>(),
            &expected
        );
        // 2262-04-11 is the last whole day of nanoseconds, 106,751,991 that of microseconds.
        let last = TimestampNanosecondArray::from(vec![106_751 * 86_400_000_000_000]);
        assert_eq!(
            widened(&dates(vec![Some(106_751)]), &nanos).unwrap().to_data(),
            last.to_data()
        );
        for (days, data_type) in [
            (106_752, &nanos),
            (-106_752, &nanos),
            (2_932_896, &nanos),
            (106_751_992, &micros),
            (i32::MIN, &micros),
        ] {
            assert!(widened(&dates(vec![Some(days)]), data_type).is_err(), "{days}");
        }
        assert!(widened(&dates(vec![Some(106_751_991)]), &micros).is_ok());
    }
}
