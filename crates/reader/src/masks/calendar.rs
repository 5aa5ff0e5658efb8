// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Truncation of dates and timestamps in the proleptic Gregorian calendar, shared by the two actions on time.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray};
use arrow::datatypes::{DataType, Date32Type, TimeUnit, TimestampMicrosecondType, TimestampNanosecondType};

use super::MaskError;

/// What a value is cut to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Period {
    /// 1 January.
    Year,
    /// The first of the month.
    Month,
}

const MICROSECONDS_PER_DAY: i64 = 86_400_000_000;
const NANOSECONDS_PER_DAY: i64 = 86_400_000_000_000;

/// Cuts every value of an array of dates or timestamps; zoned timestamps are cut in UTC. Null stays null.
pub(super) fn truncate(array: &ArrayRef, period: Period) -> Result<ArrayRef, MaskError> {
    match array.data_type() {
        DataType::Date32 => {
            let days = array.as_primitive::<Date32Type>();
            let cut: PrimitiveArray<Date32Type> = days.try_unary(|day| {
                i32::try_from(first_day(i64::from(day), period)).map_err(|_| MaskError::OutOfRange)
            })?;
            Ok(Arc::new(cut))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            truncate_ticks::<TimestampMicrosecondType>(array, MICROSECONDS_PER_DAY, period)
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            truncate_ticks::<TimestampNanosecondType>(array, NANOSECONDS_PER_DAY, period)
        }
        other => Err(MaskError::unsuited(other)),
    }
}

fn truncate_ticks<T>(array: &ArrayRef, per_day: i64, period: Period) -> Result<ArrayRef, MaskError>
where
    T: ArrowPrimitiveType<Native = i64>,
{
    let ticks = array.as_primitive::<T>();
    let cut: PrimitiveArray<T> = ticks.try_unary(|tick| {
        first_day(tick.div_euclid(per_day), period)
            .checked_mul(per_day)
            .ok_or(MaskError::OutOfRange)
    })?;
    // The zone is part of the type, not of the values.
    Ok(Arc::new(cut.with_data_type(array.data_type().clone())))
}

/// The first day of the period that `day` lies in; days count from 1970-01-01.
///
/// Years begin in March here, so that the leap day is the last of its year and months have a closed formula
/// (the civil calendar algorithms of Howard Hinnant).
fn first_day(day: i64, period: Period) -> i64 {
    const DAYS_PER_ERA: i64 = 146_097;
    const EPOCH_FROM_MARCH_0000: i64 = 719_468;
    let shifted = day + EPOCH_FROM_MARCH_0000;
    let era = shifted.div_euclid(DAYS_PER_ERA);
    let day_of_era = shifted.rem_euclid(DAYS_PER_ERA);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // 0 is March, 10 is January of the next civil year, 11 its February.
    let month = (5 * day_of_year + 2) / 153;
    let first_of_year = match period {
        Period::Month => (153 * month + 2) / 5,
        // January begins 306 days after the March before it.
        Period::Year if month >= 10 => 306,
        Period::Year => {
            // January lies in the March year before; counted from that year's begin.
            let before = year_of_era - 1;
            let start = day_before_year(before);
            return era * DAYS_PER_ERA + start + 306 - EPOCH_FROM_MARCH_0000;
        }
    };
    era * DAYS_PER_ERA + day_before_year(year_of_era) + first_of_year - EPOCH_FROM_MARCH_0000
}

/// Days of the era before its March year `year`; `year` may be -1, the last year of the era before.
fn day_before_year(year: i64) -> i64 {
    if year < 0 {
        // The last year of an era is a leap year of 366 days: it ends the 400-year cycle.
        return -366;
    }
    365 * year + year / 4 - year / 100
}
