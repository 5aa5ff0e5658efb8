// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Decimals as text.

use proptest::prelude::*;

use super::{format_decimal, parse_decimal};

#[test]
fn writes_exactly_scale_digits() {
    for (unscaled, scale, expected) in [
        (0, 0, "0"),
        (0, 2, "0.00"),
        (5, 0, "5"),
        (5, 3, "0.005"),
        (-5, 3, "-0.005"),
        (-1250, 2, "-12.50"),
        (1, 38, "0.00000000000000000000000000000000000001"),
    ] {
        assert_eq!(format_decimal(unscaled, scale), expected);
    }
}

#[test]
fn reads_nothing_but_the_canonical_form() {
    for text in [
        "",
        "-",
        ".",
        "1",
        "1.5",
        "1.500",
        "01.50",
        "+1.50",
        "-0.00",
        " 1.50",
        "1.50 ",
        "1.5e1",
        "1,50",
        "1..50",
        "1.-5",
        "10000000.00",
        "\u{661}.50",
    ] {
        assert_eq!(parse_decimal(text, 9, 2), None, "{text}");
    }
    assert_eq!(parse_decimal("1.50", 9, 2), Some(150));
    assert_eq!(parse_decimal("1.50", 2, 2), None);
    assert_eq!(parse_decimal("1.50", 39, 2), None);
    assert_eq!(parse_decimal(&"9".repeat(38), 38, 0), Some(10_i128.pow(38) - 1));
    assert_eq!(parse_decimal(&"9".repeat(39), 38, 0), None);
    assert_eq!(parse_decimal(&"9".repeat(10_000), 38, 0), None);
}

proptest! {
    #[test]
    fn goes_both_ways(unscaled in -(10_i128.pow(38) - 1)..10_i128.pow(38), scale in 0_u8..=38) {
        prop_assert_eq!(parse_decimal(&format_decimal(unscaled, scale), 38, scale), Some(unscaled));
    }
}
