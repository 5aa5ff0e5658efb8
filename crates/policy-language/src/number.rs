// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Exact decimal numbers, as they were written.

/// A number literal: an exact decimal, never a binary approximation.
///
/// Two spellings of one value are equal (`1.50` and `1.5`); `-0` keeps its sign, because floating-point columns
/// tell it from `0`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Number {
    negative: bool,
    /// Digits before the point, without leading zeros: empty for a value below one.
    integer: String,
    /// Digits after the point, without trailing zeros.
    fraction: String,
}

impl Number {
    /// Takes a text of the form `-?digits(.digits)?`; the lexer has checked the form.
    pub(crate) fn new(text: &str) -> Self {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let (integer, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        Self {
            negative,
            integer: integer.trim_start_matches('0').to_owned(),
            fraction: fraction.trim_end_matches('0').to_owned(),
        }
    }

    /// Whether a minus sign was written.
    pub(crate) fn is_negative(&self) -> bool {
        self.negative
    }

    /// Whether the value has no fractional part.
    pub(crate) fn is_integral(&self) -> bool {
        self.fraction.is_empty()
    }

    /// Plain notation: no leading zeros but one before the point, no trailing fractional zeros.
    pub(crate) fn plain(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        let integer = if self.integer.is_empty() {
            "0"
        } else {
            &self.integer
        };
        if self.fraction.is_empty() {
            format!("{sign}{integer}")
        } else {
            format!("{sign}{integer}.{}", self.fraction)
        }
    }

    /// The digits from the first non-zero one to the last of the plain notation, and the power of ten of the
    /// first. `None` for zero.
    pub(crate) fn significant(&self) -> Option<(String, i64)> {
        let all = format!("{}{}", self.integer, self.fraction);
        let significant = all.trim_start_matches('0');
        if significant.is_empty() {
            return None;
        }
        let leading_zeros = i64::try_from(all.len() - significant.len()).ok()?;
        let integer_digits = i64::try_from(self.integer.len()).ok()?;
        Some((significant.to_owned(), integer_digits - 1 - leading_zeros))
    }

    /// The value times `10^scale`, when that is an integer of at most `precision` digits (at most 38).
    pub(crate) fn scaled(&self, precision: u8, scale: u8) -> Option<i128> {
        let missing = usize::from(scale).checked_sub(self.fraction.len())?;
        let digits = format!("{}{}{}", self.integer, self.fraction, "0".repeat(missing));
        let digits = digits.trim_start_matches('0');
        if digits.len() > usize::from(precision) {
            return None;
        }
        let magnitude: i128 = if digits.is_empty() {
            0
        } else {
            digits.parse().ok()?
        };
        Some(if self.negative { -magnitude } else { magnitude })
    }
}

#[cfg(test)]
mod tests {
    use super::Number;

    #[test]
    fn spellings_of_one_value_are_one_number() {
        assert_eq!(Number::new("1.50"), Number::new("1.5"));
        assert_eq!(Number::new("7.00"), Number::new("7"));
        assert_ne!(Number::new("-0"), Number::new("0"));
        assert_eq!(Number::new("-0.0").plain(), "-0");
        assert_eq!(Number::new("0.0500").plain(), "0.05");
    }

    #[test]
    fn significant_digits_keep_integer_zeros() {
        assert_eq!(Number::new("1200").significant().unwrap(), ("1200".into(), 3));
        assert_eq!(Number::new("0.0012").significant().unwrap(), ("12".into(), -3));
        assert_eq!(Number::new("-1.5").significant().unwrap(), ("15".into(), 0));
        assert_eq!(Number::new("0.0").significant(), None);
    }

    #[test]
    fn scaling_is_exact() {
        assert_eq!(Number::new("1.500").scaled(9, 2), Some(150));
        assert_eq!(Number::new("1.505").scaled(9, 2), None);
        assert_eq!(Number::new("-0").scaled(9, 2), Some(0));
        assert_eq!(Number::new("10000000").scaled(9, 2), None);
        assert_eq!(Number::new("0.01").scaled(2, 2), Some(1));
        assert_eq!(Number::new("1").scaled(38, 38), None);
    }
}
