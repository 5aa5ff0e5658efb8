// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Spelling and order.

use std::cmp::Ordering;

use proptest::prelude::*;

use super::{canonical_f32, canonical_f64, compare_f64, narrow};

#[test]
fn spells_plainly_and_always_with_a_fraction() {
    for (value, expected) in [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (-2.5, "-2.5"),
        (0.1, "0.1"),
        (1e-7, "0.0000001"),
        (1.25e-3, "0.00125"),
        (123_456.75, "123456.75"),
        (1e22, "10000000000000000000000.0"),
        (9_007_199_254_740_993.0, "9007199254740992.0"),
    ] {
        assert_eq!(canonical_f64(value), expected);
    }
    assert_eq!(canonical_f32(0.1), "0.1");
    assert_eq!(canonical_f32(16_777_216.0), "16777216.0");
    assert_eq!(canonical_f64(f64::MIN_POSITIVE).len(), 2 + 307 + 17);
    assert!(canonical_f64(5e-324).ends_with("05"));
}

#[test]
fn orders_as_iceberg() {
    let ascending = [f64::NEG_INFINITY, -1.0, -0.0, 0.0, 1.0, f64::INFINITY, f64::NAN];
    for (at, left) in ascending.iter().enumerate() {
        for (other, right) in ascending.iter().enumerate() {
            assert_eq!(compare_f64(*left, *right), at.cmp(&other));
        }
    }
    assert_eq!(compare_f64(-f64::NAN, f64::NAN), Ordering::Equal);
    assert_eq!(compare_f64(-f64::NAN, f64::INFINITY), Ordering::Greater);
}

#[test]
fn narrows_only_what_is_not_between_two_floats() {
    assert_eq!(narrow(0.1), Some(0.1));
    assert_eq!(narrow(16_777_217.0), None);
    assert_eq!(narrow(-16_777_217.0), None);
    assert_eq!(narrow(1e39), None);
    assert_eq!(narrow(f64::NAN), None);
    assert!(narrow(-0.0).is_some_and(|zero| zero.is_sign_negative()));
}

proptest! {
    #[test]
    fn doubles_read_back(bits in any::<u64>()) {
        let value = f64::from_bits(bits);
        prop_assume!(value.is_finite());
        let text = canonical_f64(value);
        prop_assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(bits));
        prop_assert!(text.contains('.') && !text.contains('e'));
        let json = crate::json::parse_strict(&text).unwrap_or_default();
        prop_assert_eq!(json.as_f64().map(f64::to_bits), Some(bits));
    }

    #[test]
    fn floats_read_back_through_doubles(bits in any::<u32>()) {
        let value = f32::from_bits(bits);
        prop_assume!(value.is_finite());
        let text = canonical_f32(value);
        prop_assert_eq!(text.parse::<f32>().map(f32::to_bits), Ok(bits));
        let double: f64 = text.parse().unwrap_or(f64::NAN);
        prop_assert_eq!(narrow(double).map(f32::to_bits), Some(bits));
    }
}
