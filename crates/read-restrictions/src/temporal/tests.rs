// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The calendar and its texts.

use proptest::prelude::*;

use super::{
    civil_from_days, days_from_civil, format_date, format_time, format_timestamp, format_timestamp_ns,
    parse_date, parse_time, parse_timestamp, parse_timestamp_ns,
};

#[test]
fn dates() {
    for (text, days) in [
        ("1970-01-01", Some(0)),
        ("1969-12-31", Some(-1)),
        ("2000-02-29", Some(11_016)),
        ("0001-01-01", Some(-719_162)),
        ("9999-12-31", Some(2_932_896)),
        ("1900-02-29", None),
        ("2023-02-29", None),
        ("2023-00-10", None),
        ("2023-13-10", None),
        ("2023-10-00", None),
        ("2023-04-31", None),
        ("0000-01-01", None),
        ("2023-1-01", None),
        ("20230101", None),
        ("2023-01-01 ", None),
        ("+2023-01-01", None),
        ("２023-01-01", None),
        ("", None),
    ] {
        assert_eq!(parse_date(text), days, "{text}");
    }
    assert_eq!(format_date(2_932_897), "+10000-01-01");
    assert_eq!(format_date(-719_529), "-0001-12-31");
    assert_eq!(format_date(i32::MAX), "+5881580-07-11");
}

#[test]
fn times() {
    for (text, micros) in [
        ("00:00:00", Some(0)),
        ("23:59:59.999999", Some(86_399_999_999)),
        ("00:00:00.5", Some(500_000)),
        ("24:00:00", None),
        ("23:60:00", None),
        ("23:59:60", None),
        ("00:00", None),
        ("00:00:00.", None),
        ("00:00:00.0000000", None),
        ("00:00:00,5", None),
        ("0:00:00", None),
    ] {
        assert_eq!(parse_time(text), micros, "{text}");
    }
    assert_eq!(format_time(3_723_000_004), "01:02:03.000004");
}

#[test]
fn timestamps() {
    assert_eq!(parse_timestamp("1970-01-01T00:00:00.000001"), Some(1));
    assert_eq!(parse_timestamp("1969-12-31T23:59:59.999999"), Some(-1));
    for text in [
        "1970-01-01 00:00:00",
        "1970-01-01t00:00:00",
        "1970-01-01T00:00:00Z",
        "1970-01-01T00:00:00+00:00",
        "1970-01-01",
    ] {
        assert_eq!(parse_timestamp(text), None, "{text}");
    }
    assert_eq!(
        parse_timestamp_ns("1677-09-21T00:12:43.145224192"),
        Some(i64::MIN)
    );
    assert_eq!(parse_timestamp_ns("1677-09-21T00:12:43.145224191"), None);
    assert_eq!(
        parse_timestamp_ns("2262-04-11T23:47:16.854775807"),
        Some(i64::MAX)
    );
    assert_eq!(parse_timestamp_ns("2262-04-11T23:47:16.854775808"), None);
    assert_eq!(parse_timestamp_ns("9999-01-01T00:00:00"), None);
    assert_eq!(format_timestamp_ns(i64::MIN), "1677-09-21T00:12:43.145224192");
}

proptest! {
    #[test]
    fn days_go_both_ways(days in i64::from(i32::MIN)..i64::from(i32::MAX)) {
        let (year, month, day) = civil_from_days(days);
        prop_assert_eq!(days_from_civil(year, month, day), days);
        let (next_year, next_month, next_day) = civil_from_days(days + 1);
        prop_assert!((year, month, day) < (next_year, next_month, next_day));
    }

    #[test]
    fn texts_go_both_ways(micros in -62_135_596_800_000_000_i64..253_402_300_799_999_999, nanos in any::<i64>()) {
        prop_assert_eq!(parse_timestamp(&format_timestamp(micros)), Some(micros));
        prop_assert_eq!(parse_timestamp_ns(&format_timestamp_ns(nanos)), Some(nanos));
        let time = micros.rem_euclid(86_400_000_000);
        prop_assert_eq!(parse_time(&format_time(time)), Some(time));
    }

    #[test]
    fn never_panics(text in "\\PC{0,30}") {
        let _ = (parse_date(&text), parse_time(&text), parse_timestamp(&text), parse_timestamp_ns(&text));
    }

    #[test]
    fn writes_every_instant(units in any::<i64>(), days in any::<i32>()) {
        let _ = (format_timestamp(units), format_timestamp_ns(units), format_date(days));
    }
}
