// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Text forms of types.

use super::{DataType, DataTypeError};

fn check(text: &str, expected: DataType, canonical: &str) {
    let parsed = DataType::parse(text);
    assert_eq!(parsed.as_ref(), Ok(&expected), "{text}");
    assert_eq!(expected.simple_text().as_deref(), Some(canonical), "{text}");
}

fn check_refused(text: &str, expected: DataTypeError) {
    assert_eq!(DataType::parse(text), Err(expected), "{text}");
}

#[test]
fn every_simple_text_is_read_and_written_back() {
    for text in [
        "boolean",
        "byte",
        "byte unsigned",
        "short",
        "short unsigned",
        "integer",
        "integer unsigned",
        "long",
        "long unsigned",
        "float",
        "double",
        "date",
        "time",
        "time(6)",
        "timestamp",
        "timestamp(9)",
        "timestamp_tz",
        "timestamp_tz(6)",
        "interval_year",
        "interval_day",
        "string",
        "uuid",
        "binary",
        "variant",
        "null",
        "decimal(10,2)",
        "char(8)",
        "varchar(20)",
        "fixed(16)",
        "geometry",
        "geometry(srid:3857)",
        "geography",
        "geography(OGC:CRS84)",
        "geography(OGC:CRS84,karney)",
    ] {
        let parsed = DataType::parse(text);
        assert_eq!(
            parsed.ok().and_then(|parsed| parsed.simple_text()).as_deref(),
            Some(text)
        );
    }
}

#[test]
fn case_and_blanks_do_not_matter() {
    check(
        "DECIMAL( 10 , 2 )",
        DataType::Decimal {
            precision: 10,
            scale: 2,
        },
        "decimal(10,2)",
    );
    check("Timestamp_TZ", DataType::TimestampTz(None), "timestamp_tz");
    check("VARCHAR(3)", DataType::VarChar(3), "varchar(3)");
}

#[test]
fn parameters_out_of_bounds_are_refused() {
    check_refused(
        "decimal(39,2)",
        DataTypeError::Decimal("decimal(39,2)".to_owned()),
    );
    check_refused("decimal(0,0)", DataTypeError::Decimal("decimal(0,0)".to_owned()));
    check_refused("decimal(5,6)", DataTypeError::Decimal("decimal(5,6)".to_owned()));
    check_refused(
        "decimal(999,6)",
        DataTypeError::Decimal("decimal(999,6)".to_owned()),
    );
    check_refused("char(0)", DataTypeError::Length("char(0)".to_owned()));
    check_refused(
        "fixed(2147483648)",
        DataTypeError::Length("fixed(2147483648)".to_owned()),
    );
    check_refused("time(13)", DataTypeError::TimePrecision("time(13)".to_owned()));
}

#[test]
fn what_has_the_form_of_no_type_is_kept_unparsed() {
    for text in [
        "wombat",
        "weird(3)",
        "decimal(10)",
        "varchar",
        "char(x)",
        "time()",
        "geography()",
        "",
    ] {
        assert_eq!(DataType::parse(text), Ok(DataType::Unparsed(text.to_owned())));
    }
}

#[test]
fn messages_show_nested_types() {
    let nested = DataType::Map {
        key: Box::new(DataType::String),
        value: Box::new(DataType::List {
            element: Box::new(DataType::Long),
            contains_null: true,
        }),
        value_contains_null: true,
    };
    assert_eq!(nested.to_string(), "map<string,list<long>>");
    assert_eq!(nested.simple_text(), None);
}
