// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Decimals as text: exactly `scale` digits after the point (language reference, section 6).

/// The most digits of a decimal.
pub const MAXIMUM_PRECISION: u8 = 38;

/// `unscaled / 10^scale` with exactly `scale` digits after the point, no point for scale 0.
pub fn format_decimal(unscaled: i128, scale: u8) -> String {
    let scale = usize::from(scale);
    let sign = if unscaled < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", unscaled.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    if fraction.is_empty() {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}.{fraction}")
    }
}

/// The unscaled value of a decimal in exactly the form of [`format_decimal`] with at most `precision` digits;
/// `None` for every other text.
pub fn parse_decimal(text: &str, precision: u8, scale: u8) -> Option<i128> {
    if precision > MAXIMUM_PRECISION {
        return None;
    }
    let digits: String = text.chars().filter(|character| *character != '.').collect();
    // Longer than any decimal, so that the conversion below is never asked for more than it holds.
    if digits.len() > usize::from(MAXIMUM_PRECISION) + 2 {
        return None;
    }
    let unscaled: i128 = digits.parse().ok()?;
    let fits = unscaled.unsigned_abs() < 10_u128.pow(u32::from(precision));
    (fits && format_decimal(unscaled, scale) == text).then_some(unscaled)
}

#[cfg(test)]
mod tests;
