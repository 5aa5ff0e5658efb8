// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Dates and times: one spelling each, ASCII digits only (section 6).

/// Days since 1970-01-01 of `YYYY-MM-DD`, a valid proleptic Gregorian day of the years 0001 to 9999.
pub(super) fn date(text: &str) -> Option<i32> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else {
        return None;
    };
    let year = digits(&[*y1, *y2, *y3, *y4])?;
    let month = digits(&[*m1, *m2])?;
    let day = digits(&[*d1, *d2])?;
    if year == 0 || day == 0 || day > days_of_month(year, month)? {
        return None;
    }
    i32::try_from(days_since_epoch(year, month, day)).ok()
}

/// Microseconds since midnight of `HH:MM:SS` or `HH:MM:SS.f` with one to six digits.
pub(super) fn time(text: &str) -> Option<i64> {
    let (seconds, fraction) = match text.split_once('.') {
        Some((seconds, fraction)) => (seconds, Some(fraction)),
        None => (text, None),
    };
    let [h1, h2, b':', m1, m2, b':', s1, s2] = seconds.as_bytes() else {
        return None;
    };
    let hour = digits(&[*h1, *h2])?;
    let minute = digits(&[*m1, *m2])?;
    let second = digits(&[*s1, *s2])?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let micros = match fraction {
        None => 0,
        Some(fraction) if (1..=6).contains(&fraction.len()) => {
            let missing = u32::try_from(6 - fraction.len()).ok()?;
            digits(fraction.as_bytes())? * 10_i64.pow(missing)
        }
        Some(_) => return None,
    };
    Some(((hour * 60 + minute) * 60 + second) * 1_000_000 + micros)
}

/// Microseconds since 1970-01-01T00:00:00 of a date, `T` and a time; no zone.
pub(super) fn timestamp(text: &str) -> Option<i64> {
    let (day, clock) = text.split_once('T')?;
    Some(i64::from(date(day)?) * 86_400_000_000 + time(clock)?)
}

fn digits(bytes: &[u8]) -> Option<i64> {
    bytes.iter().try_fold(0_i64, |value, byte| {
        byte.is_ascii_digit()
            .then(|| value * 10 + i64::from(*byte - b'0'))
    })
}

fn days_of_month(year: i64, month: i64) -> Option<i64> {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => Some(31),
        4 | 6 | 9 | 11 => Some(30),
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => Some(29),
        2 => Some(28),
        _ => None,
    }
}

/// Counts from 1 March, so that a leap day is the last day of its year; eras have 400 years.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month <= 2 {
        (year - 1, month + 9)
    } else {
        (year, month - 3)
    };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::{date, time, timestamp};

    #[test]
    fn dates() {
        assert_eq!(date("1970-01-01"), Some(0));
        assert_eq!(date("2000-02-29"), Some(11_016));
        assert_eq!(date("0001-01-01"), Some(-719_162));
        assert_eq!(date("9999-12-31"), Some(2_932_896));
        assert_eq!(date("1969-12-31"), Some(-1));
        for wrong in [
            "1900-02-29",
            "2023-13-01",
            "2023-00-01",
            "2023-01-00",
            "0000-01-01",
            "2023-1-01",
            "20230101",
            "2023-01-01 ",
            "+2023-01-01",
            "２023-01-01",
        ] {
            assert_eq!(date(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn times() {
        assert_eq!(time("00:00:00"), Some(0));
        assert_eq!(time("23:59:59.999999"), Some(86_399_999_999));
        assert_eq!(time("01:02:03.5"), Some(3_723_500_000));
        for wrong in [
            "24:00:00",
            "23:59:60",
            "1:02:03",
            "01:02",
            "01:02:03.",
            "01:02:03.1234567",
            "01:02:03.0000000",
            "01:02:03Z",
        ] {
            assert_eq!(time(wrong), None, "{wrong}");
        }
        assert_eq!(timestamp("1970-01-02T00:00:00.000001"), Some(86_400_000_001));
        assert_eq!(timestamp("1970-01-02 00:00:00"), None);
        assert_eq!(timestamp("1970-01-02t00:00:00"), None);
    }
}
