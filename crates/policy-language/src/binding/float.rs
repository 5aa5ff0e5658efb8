// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Binary floating point without silent loss (section 6.1).
//!
//! A literal is accepted when every digit that was written survives: rounding the exact binary value back to as many
//! digits gives the literal again. So integers must be exact, `0.1` is fine, and a long fraction is refused rather
//! than rounded. The shortest decimal that reads back as the value is accepted too, because that is what tools print.

use std::fmt::{Display, LowerExp};
use std::str::FromStr;

use crate::number::Number;

/// The `float` that the number denotes.
pub(super) fn single(number: &Number) -> Option<f32> {
    exact::<f32>(number, |value| value.is_finite(), |value| value == 0.0)
}

/// The `double` that the number denotes.
pub(super) fn double(number: &Number) -> Option<f64> {
    exact::<f64>(number, |value| value.is_finite(), |value| value == 0.0)
}

fn exact<F>(number: &Number, is_finite: fn(F) -> bool, is_zero: fn(F) -> bool) -> Option<F>
where
    F: Copy + FromStr + Display + LowerExp,
{
    let plain = number.plain();
    // Rust parses to the nearest value, ties to even, and keeps the sign of zero.
    let value: F = plain.parse().ok()?;
    if !is_finite(value) {
        return None;
    }
    let Some((digits, exponent)) = number.significant() else {
        return Some(value);
    };
    if is_zero(value) {
        return None;
    }
    if is_same(
        &format!("{value:.*e}", digits.len() - 1),
        number.is_negative(),
        &digits,
        exponent,
    ) {
        return Some(value);
    }
    // Display prints the shortest digits in plain notation.
    (!number.is_integral() && format!("{value}") == plain).then_some(value)
}

/// Whether a text of the form `-?d(.d*)?e-?n` denotes the given digits and exponent.
fn is_same(scientific: &str, negative: bool, digits: &str, exponent: i64) -> bool {
    let Some((mantissa, power)) = scientific.split_once('e') else {
        return false;
    };
    let (is_negative, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => (true, mantissa),
        None => (false, mantissa),
    };
    is_negative == negative
        && power.parse() == Ok(exponent)
        && mantissa.chars().filter(|c| *c != '.').eq(digits.chars())
}

#[cfg(test)]
mod tests {
    use super::{double, single};
    use crate::number::Number;

    fn f(text: &str) -> Option<f32> {
        single(&Number::new(text))
    }

    fn d(text: &str) -> Option<f64> {
        double(&Number::new(text))
    }

    #[test]
    fn integers_must_be_exact() {
        assert_eq!(f("16777216"), Some(16_777_216.0));
        assert_eq!(f("16777217"), None);
        assert_eq!(d("9007199254740992"), Some(9_007_199_254_740_992.0));
        assert_eq!(d("9007199254740993"), None);
        assert_eq!(d(&format!("1{}", "0".repeat(22))), Some(1e22));
        assert_eq!(d(&format!("1{}", "0".repeat(23))), None);
        assert_eq!(f(&format!("1{}", "0".repeat(39))), None);
    }

    #[test]
    fn written_digits_survive() {
        assert_eq!(d("0.1"), Some(0.1));
        assert_eq!(d("0.100"), Some(0.1));
        assert_eq!(f("0.123456789"), None);
        assert_eq!(d("0.1000000000000000055511151231257827"), Some(0.1));
        assert_eq!(d("0.10000000000000001"), Some(0.1));
        assert_eq!(d("-1.5"), Some(-1.5));
    }

    #[test]
    fn the_shortest_spelling_of_a_value_is_accepted() {
        for value in [0.1_f64, 1.0 / 3.0, 5e-324, f64::MIN_POSITIVE, 123.456e-20] {
            assert_eq!(d(&format!("{value}")), Some(value), "{value}");
        }
    }

    #[test]
    fn zeros_keep_their_sign_and_underflow_is_refused() {
        assert!(d("-0.0").is_some_and(|zero| zero == 0.0 && zero.is_sign_negative()));
        assert!(f("0").is_some_and(|zero| zero == 0.0 && zero.is_sign_positive()));
        assert_eq!(f(&format!("0.{}1", "0".repeat(60))), None);
    }
}
