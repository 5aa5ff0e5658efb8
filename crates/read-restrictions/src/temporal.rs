// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Dates, times and timestamps as text and as counts (language reference, section 6; Iceberg specification, "JSON
//! single-value serialization"). Proleptic Gregorian calendar, no leap seconds.

/// Microseconds of a day.
pub const MICROS_PER_DAY: i64 = 86_400_000_000;
/// Nanoseconds of a day.
pub const NANOS_PER_DAY: i64 = 86_400_000_000_000;

const MICRO_DIGITS: usize = 6;
const NANO_DIGITS: usize = 9;

/// Days from 1970-01-01 to a day of the proleptic Gregorian calendar; months and days count from 1.
pub fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    // Years start in March here, so that the leap day is the last one.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Year, month and day of a number of days since 1970-01-01.
pub fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// `YYYY-MM-DD`, years 0001 to 9999, as days since 1970-01-01.
pub fn parse_date(text: &str) -> Option<i32> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes.get(4) != Some(&b'-') || bytes.get(7) != Some(&b'-') {
        return None;
    }
    let year = digits(bytes.get(0..4)?)?;
    let month = digits(bytes.get(5..7)?)?;
    let day = digits(bytes.get(8..10)?)?;
    if year < 1 || !(1..=12).contains(&month) || day < 1 {
        return None;
    }
    let days = days_from_civil(year, month, day);
    // A day that the month does not have comes back as another one.
    (civil_from_days(days) == (year, month, day))
        .then(|| i32::try_from(days).ok())
        .flatten()
}

/// `YYYY-MM-DD`; years outside 0000 to 9999 carry a sign.
pub fn format_date(days: i32) -> String {
    format_days(i64::from(days))
}

/// `HH:MM:SS` or `HH:MM:SS.f` with one to six digits, as microseconds since midnight.
pub fn parse_time(text: &str) -> Option<i64> {
    parse_clock(text, MICRO_DIGITS)
}

/// `HH:MM:SS.ffffff`.
pub fn format_time(micros: i64) -> String {
    format_clock(micros, MICRO_DIGITS)
}

/// A date, `T` and a time of [`parse_time`], as microseconds since 1970-01-01T00:00:00.
pub fn parse_timestamp(text: &str) -> Option<i64> {
    parse_instant(text, MICRO_DIGITS, MICROS_PER_DAY)
}

/// `YYYY-MM-DDTHH:MM:SS.ffffff`.
pub fn format_timestamp(micros: i64) -> String {
    format_instant(micros, MICRO_DIGITS, MICROS_PER_DAY)
}

/// As [`parse_timestamp`] with up to nine digits, as nanoseconds.
pub fn parse_timestamp_ns(text: &str) -> Option<i64> {
    parse_instant(text, NANO_DIGITS, NANOS_PER_DAY)
}

/// `YYYY-MM-DDTHH:MM:SS.fffffffff`.
pub fn format_timestamp_ns(nanos: i64) -> String {
    format_instant(nanos, NANO_DIGITS, NANOS_PER_DAY)
}

/// The number that ASCII digits denote; `None` for anything else.
fn digits(bytes: &[u8]) -> Option<i64> {
    bytes.iter().try_fold(0_i64, |number, byte| {
        byte.is_ascii_digit()
            .then(|| number.checked_mul(10)?.checked_add(i64::from(*byte - b'0')))
            .flatten()
    })
}

fn parse_clock(text: &str, unit_digits: usize) -> Option<i64> {
    let bytes = text.as_bytes();
    let (clock, fraction) = match bytes.iter().position(|byte| *byte == b'.') {
        None => (bytes, None),
        Some(at) => (bytes.get(..at)?, Some(bytes.get(at + 1..)?)),
    };
    if clock.len() != 8 || clock.get(2) != Some(&b':') || clock.get(5) != Some(&b':') {
        return None;
    }
    let hours = digits(clock.get(0..2)?)?;
    let minutes = digits(clock.get(3..5)?)?;
    let seconds = digits(clock.get(6..8)?)?;
    if hours > 23 || minutes > 59 || seconds > 59 {
        return None;
    }
    let fraction = match fraction {
        None => 0,
        Some(fraction) if (1..=unit_digits).contains(&fraction.len()) => {
            digits(fraction)? * power_of_ten(unit_digits - fraction.len())
        }
        Some(_) => return None,
    };
    Some((hours * 3_600 + minutes * 60 + seconds) * power_of_ten(unit_digits) + fraction)
}

fn format_clock(units: i64, unit_digits: usize) -> String {
    let per_second = power_of_ten(unit_digits);
    let (seconds, fraction) = (units.div_euclid(per_second), units.rem_euclid(per_second));
    format!(
        "{:02}:{:02}:{:02}.{fraction:0unit_digits$}",
        seconds / 3_600,
        seconds / 60 % 60,
        seconds % 60
    )
}

fn parse_instant(text: &str, unit_digits: usize, per_day: i64) -> Option<i64> {
    let (date, clock) = text.split_once('T')?;
    let day_start = i64::from(parse_date(date)?).checked_mul(per_day);
    let clock = parse_clock(clock, unit_digits)?;
    match day_start {
        Some(day_start) => day_start.checked_add(clock),
        // The first representable day may start before the range while the instant lies within it.
        None => (i64::from(parse_date(date)?) + 1)
            .checked_mul(per_day)?
            .checked_sub(per_day - clock),
    }
}

fn format_instant(units: i64, unit_digits: usize, per_day: i64) -> String {
    let days = format_days(units.div_euclid(per_day));
    let clock = format_clock(units.rem_euclid(per_day), unit_digits);
    format!("{days}T{clock}")
}

fn format_days(days: i64) -> String {
    let (year, month, day) = civil_from_days(days);
    if (0..=9_999).contains(&year) {
        format!("{year:04}-{month:02}-{day:02}")
    } else {
        format!("{year:+05}-{month:02}-{day:02}")
    }
}

fn power_of_ten(exponent: usize) -> i64 {
    u32::try_from(exponent).map_or(i64::MAX, |exponent| 10_i64.saturating_pow(exponent))
}

#[cfg(test)]
mod tests;
