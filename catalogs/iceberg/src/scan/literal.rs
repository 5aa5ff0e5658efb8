// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Literals of filters, as the clients of the protocol write them.
//!
//! A literal need not be a value of its column: 0.1 is no `float`, and readers round it in different ways. So a literal is a
//! range that holds whatever a reader may take it for.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Timelike};
use lakeward_read_restrictions::field::FieldType;
use lakeward_read_restrictions::temporal;
use serde_json::{Number, Value};
use uuid::Uuid;

use super::value::ScanValue;

/// Whole numbers that a `double` holds exactly go up to this one.
const EXACT_IN_DOUBLE: u64 = 1 << 53;
/// How many digits of a decimal a `double` keeps.
const EXACT_DIGITS: usize = 15;

/// The least and the greatest value that a literal may be taken for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Range {
    pub(super) least: ScanValue,
    pub(super) greatest: ScanValue,
}

impl Range {
    fn exactly(value: ScanValue) -> Self {
        Self {
            least: value.clone(),
            greatest: value,
        }
    }
}

/// Reads a literal that is compared with values of a type. `None` where readers do not agree about what it means: nothing
/// is left out for it.
///
/// # Errors
/// Why it is none of the type.
pub(super) fn read(json: &Value, of: &FieldType) -> Result<Option<Range>, String> {
    if let (FieldType::Decimal { .. }, Value::Number(number)) = (of, json)
        && number.is_f64()
        && significant_digits(number) > EXACT_DIGITS
    {
        return Err(format!(
            "{} has more than {EXACT_DIGITS} digits, which a number does not keep; send the decimal as text",
            shortened(json)
        ));
    }
    let found = match (of, json) {
        (FieldType::Boolean, Value::Bool(value)) => exact(ScanValue::Boolean(*value)),
        (FieldType::Int | FieldType::Long, Value::Number(number)) => whole(number).and_then(number_value),
        (FieldType::Float | FieldType::Double, Value::Number(number)) => {
            Some(floating(number, *of == FieldType::Float))
        }
        (FieldType::Decimal { scale, .. }, Value::String(text)) => decimal(text, *scale),
        (FieldType::Decimal { scale, .. }, Value::Number(number)) => decimal(&number.to_string(), *scale),
        (FieldType::Date, Value::Number(number)) => {
            whole(number).and_then(|days| exact(ScanValue::Date(days)))
        }
        (FieldType::Date, Value::String(text)) => date(text).and_then(|days| exact(ScanValue::Date(days))),
        (FieldType::Time, Value::Number(number)) => {
            whole(number).and_then(|micros| exact(ScanValue::Time(micros)))
        }
        (FieldType::Time, Value::String(text)) => {
            time(text).and_then(|micros| exact(ScanValue::Time(micros)))
        }
        (FieldType::Timestamp | FieldType::Timestamptz, Value::Number(number)) => {
            whole(number).and_then(|micros| exact(ScanValue::Micros(micros)))
        }
        // Some clients send microseconds here, others nanoseconds.
        (FieldType::TimestampNs | FieldType::TimestamptzNs, Value::Number(number)) => {
            whole(number).map(|_| None)
        }
        (FieldType::Timestamp | FieldType::TimestampNs, Value::String(text)) => {
            local(text).and_then(|instant| instant_value(instant, of))
        }
        (FieldType::Timestamptz | FieldType::TimestamptzNs, Value::String(text)) => {
            // Without zone it is one of UTC: so write clients that keep instants as microseconds.
            let zoned = DateTime::parse_from_rfc3339(text).ok();
            let instant = zoned.map(|instant| instant.naive_utc()).or_else(|| local(text));
            instant.and_then(|instant| instant_value(instant, of))
        }
        (FieldType::String, Value::String(text)) => exact(ScanValue::Text(text.clone())),
        (FieldType::Uuid, Value::String(text)) => {
            let uuid = Uuid::parse_str(text).ok();
            uuid.and_then(|uuid| exact(ScanValue::Uuid(uuid.as_u128())))
        }
        (FieldType::Binary | FieldType::Fixed(_), Value::String(text)) => {
            hexadecimal(text).and_then(|bytes| exact(ScanValue::Bytes(bytes)))
        }
        _ => None,
    };
    found.ok_or_else(|| format!("{} is no value of the type {of}", shortened(json)))
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the outer level says whether it is a literal of the type"
)]
fn exact(value: ScanValue) -> Option<Option<Range>> {
    Some(Some(Range::exactly(value)))
}

fn significant_digits(number: &Number) -> usize {
    let text = number.to_string();
    let digits: String = text
        .chars()
        .take_while(|letter| !matches!(letter, 'e' | 'E'))
        .filter(char::is_ascii_digit)
        .collect();
    digits.trim_matches('0').len()
}

fn number_value(number: i64) -> Option<Option<Range>> {
    exact(ScanValue::Number(number))
}

fn whole(number: &Number) -> Option<i64> {
    number.as_i64()
}

/// A number for a `float` or `double`. Zeros of either sign are one for some readers and two for others, and some readers
/// compare a `float` with the literal while others round the literal first.
fn floating(number: &Number, is_single: bool) -> Option<Range> {
    let is_exact = number
        .as_i64()
        .is_none_or(|whole| whole.unsigned_abs() <= EXACT_IN_DOUBLE)
        && number.as_u64().is_none_or(|whole| whole <= EXACT_IN_DOUBLE);
    let value = number.as_f64().filter(|_| is_exact)?;
    let rounded = if is_single {
        f64::from(single(value))
    } else {
        value
    };
    let (least, greatest) = if value == 0.0 || rounded == 0.0 {
        (value.min(rounded).min(-0.0), value.max(rounded).max(0.0))
    } else {
        (value.min(rounded), value.max(rounded))
    };
    let signed = |value: f64, zero: f64| ScanValue::Float(if value == 0.0 { zero } else { value });
    Some(Range {
        least: signed(least, -0.0),
        greatest: signed(greatest, 0.0),
    })
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "rounding to the nearest `float` is what is wanted"
)]
fn single(value: f64) -> f32 {
    value as f32
}

/// A decimal text; one with more digits than the column lies between two of its values.
fn decimal(text: &str, scale: u8) -> Option<Option<Range>> {
    if text.contains(['e', 'E']) {
        return text.parse::<f64>().ok().map(|_| None);
    }
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let scale = usize::from(scale);
    let kept: String = fraction
        .chars()
        .chain(std::iter::repeat('0'))
        .take(scale)
        .collect();
    let is_exact = fraction.bytes().skip(scale).all(|byte| byte == b'0');
    let Ok(magnitude) = format!("{whole}{kept}").parse::<i128>() else {
        return Some(None);
    };
    let Some(beyond) = magnitude.checked_add(i128::from(!is_exact)) else {
        return Some(None);
    };
    let (least, greatest) = if is_negative {
        (-beyond, -magnitude)
    } else {
        (magnitude, beyond)
    };
    let value = |unscaled| {
        u32::try_from(scale)
            .map(|scale| ScanValue::Decimal(unscaled, scale))
            .ok()
    };
    Some(Some(Range {
        least: value(least)?,
        greatest: value(greatest)?,
    }))
}

fn date(text: &str) -> Option<i64> {
    let date = text.parse::<NaiveDate>().ok()?;
    Some(date.signed_duration_since(NaiveDate::default()).num_days())
}

fn time(text: &str) -> Option<i64> {
    let time = NaiveTime::parse_from_str(text, "%H:%M:%S%.f")
        .or_else(|_| NaiveTime::parse_from_str(text, "%H:%M"))
        .ok()?;
    Some(i64::from(time.num_seconds_from_midnight()) * 1_000_000 + i64::from(time.nanosecond() / 1_000))
}

fn local(text: &str) -> Option<NaiveDateTime> {
    NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f")
        .or_else(|_| NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M"))
        .ok()
}

/// An instant as a value of a type; one with more digits than the type lies between two of its values.
fn instant_value(instant: NaiveDateTime, of: &FieldType) -> Option<Option<Range>> {
    let since = instant.and_utc();
    if matches!(of, FieldType::TimestampNs | FieldType::TimestamptzNs) {
        // Beyond the year 2262 there are no nanoseconds of 64 bits.
        return Some(
            since
                .timestamp_nanos_opt()
                .map(|nanos| Range::exactly(ScanValue::Nanos(nanos))),
        );
    }
    let micros = since.timestamp_micros();
    let more = i64::from(!since.timestamp_subsec_nanos().is_multiple_of(1_000));
    Some(Some(Range {
        least: ScanValue::Micros(micros),
        greatest: ScanValue::Micros(micros.saturating_add(more)),
    }))
}

/// Bytes as two digits each, of either case.
fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
    };
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    digits
        .chunks_exact(2)
        .map(|pair| match pair {
            [high, low] => Some(digit(*high)? * 16 + digit(*low)?),
            _ => None,
        })
        .collect()
}

fn shortened(json: &Value) -> String {
    let text = json.to_string();
    if text.chars().count() <= 60 {
        return format!("`{text}`");
    }
    let start: String = text.chars().take(60).collect();
    format!("`{start}…`")
}

/// The days that a month or year since 1970 begins with.
pub(super) fn first_day(years: i64, months: i64) -> Option<i64> {
    let months = years.checked_mul(12)?.checked_add(months)?;
    let year = months.div_euclid(12).checked_add(1970)?;
    // As far as dates of 32 bits go; the calculation must not overflow.
    let in_reach = (-6_000_000..=6_000_000).contains(&year);
    in_reach.then(|| temporal::days_from_civil(year, months.rem_euclid(12) + 1, 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn range(json: &Value, of: &FieldType) -> (ScanValue, ScanValue) {
        let range = read(json, of).unwrap().unwrap();
        (range.least, range.greatest)
    }

    #[test]
    fn literals_are_what_clients_write() {
        let one = |json: Value, of: FieldType, expected: ScanValue| {
            assert_eq!(range(&json, &of), (expected.clone(), expected), "{json} {of}");
        };
        let micros = 1_577_836_800_000_000;
        one(json!(5), FieldType::Long, ScanValue::Number(5));
        one(json!("1970-01-11"), FieldType::Date, ScanValue::Date(10));
        one(json!(10), FieldType::Date, ScanValue::Date(10));
        one(json!("00:00:01.5"), FieldType::Time, ScanValue::Time(1_500_000));
        one(
            json!("2020-01-01T00:00:00"),
            FieldType::Timestamp,
            ScanValue::Micros(micros),
        );
        one(
            json!("2020-01-01T02:00:00+02:00"),
            FieldType::Timestamptz,
            ScanValue::Micros(micros),
        );
        one(
            json!("2020-01-01T00:00:00"),
            FieldType::Timestamptz,
            ScanValue::Micros(micros),
        );
        one(
            json!("2020-01-01T00:00:00"),
            FieldType::TimestampNs,
            ScanValue::Nanos(micros * 1_000),
        );
        one(json!("0aFF"), FieldType::Binary, ScanValue::Bytes(vec![10, 255]));
        let decimal = FieldType::Decimal {
            precision: 9,
            scale: 2,
        };
        one(json!("-1.5"), decimal.clone(), ScanValue::Decimal(-150, 2));
        one(json!(12.5), decimal.clone(), ScanValue::Decimal(1250, 2));
        assert_eq!(
            range(&json!("-1.555"), &decimal),
            (ScanValue::Decimal(-156, 2), ScanValue::Decimal(-155, 2))
        );
    }

    #[test]
    fn what_readers_round_is_a_range() {
        let (least, greatest) = range(&json!(0.1), &FieldType::Float);
        assert_eq!(least, ScanValue::Float(0.1));
        assert_eq!(greatest, ScanValue::Float(f64::from(0.1_f32)));
        for zero in [json!(0.0), json!(-0.0), json!(0)] {
            let (least, greatest) = range(&zero, &FieldType::Double);
            assert!(
                matches!((least, greatest), (ScanValue::Float(least), ScanValue::Float(greatest))
                if least.is_sign_negative() && greatest.is_sign_positive())
            );
        }
        assert_eq!(read(&json!(i64::MAX), &FieldType::Double), Ok(None));
        assert_eq!(read(&json!(1), &FieldType::TimestampNs), Ok(None));
        assert_eq!(
            read(
                &json!(1e30),
                &FieldType::Decimal {
                    precision: 9,
                    scale: 2
                }
            ),
            Ok(None)
        );
    }

    #[test]
    fn others_are_refused() {
        for (json, of) in [
            (json!("5"), FieldType::Int),
            (json!(5.5), FieldType::Int),
            (json!(1), FieldType::Boolean),
            (json!(null), FieldType::String),
            (json!("x"), FieldType::Date),
            (json!("2020-01-01T00:00:00Z"), FieldType::Timestamp),
            (json!("abc"), FieldType::Binary),
            (
                json!("1.2.3"),
                FieldType::Decimal {
                    precision: 9,
                    scale: 2,
                },
            ),
            (
                json!(12_345_678.123_456_79),
                FieldType::Decimal {
                    precision: 38,
                    scale: 9,
                },
            ),
            (json!([1]), FieldType::Int),
            (json!("a"), FieldType::Uuid),
        ] {
            assert!(read(&json, &of).is_err(), "{json} {of}");
        }
    }

    #[test]
    fn months_begin_where_they_do() {
        assert_eq!(first_day(0, 1), Some(31));
        assert_eq!(first_day(-1, 0), Some(-365));
        assert_eq!(first_day(0, -1), Some(-31));
        assert_eq!(first_day(i64::MAX, 1), None);
    }
}
