// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Binary floating point: Iceberg's total order and the canonical spelling (language reference, section 6.2).

use std::cmp::Ordering;

/// The canonical spelling of a finite `double`. For a value that is not finite, which no literal holds, the text
/// is no JSON, so that nobody can read it as another value.
pub fn canonical_f64(value: f64) -> String {
    canonical(value, |text| text.parse::<f64>().is_ok_and(|read| read == value))
}

/// The canonical spelling of a finite `float`; see [`canonical_f64`].
pub fn canonical_f32(value: f32) -> String {
    canonical(f64::from(value), |text| {
        text.parse::<f32>().is_ok_and(|read| read == value)
    })
}

/// Iceberg's order of `double`: NaN is greatest and equal to itself, `-0.0` is below `0.0`.
pub fn compare_f64(left: f64, right: f64) -> Ordering {
    match (left.is_nan(), right.is_nan()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        (false, false) => left.total_cmp(&right),
    }
}

/// Iceberg's order of `float`; see [`compare_f64`].
pub fn compare_f32(left: f32, right: f32) -> Ordering {
    compare_f64(f64::from(left), f64::from(right))
}

/// The `float` that a JSON number denotes; `None` when it is out of range or lies exactly between two floats, so
/// that reading it through binary64 could have lost what was written.
pub fn narrow(value: f64) -> Option<f32> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "rounding to the nearest float is meant"
    )]
    let nearest = value as f32;
    if !nearest.is_finite() {
        return None;
    }
    let exact = f64::from(nearest);
    let neighbour = f64::from(if value > exact {
        nearest.next_up()
    } else {
        nearest.next_down()
    });
    let is_tie = value != exact && (value - exact).abs() == (neighbour - value).abs();
    (!is_tie).then_some(nearest)
}

fn canonical(value: f64, reads_back: impl Fn(&str) -> bool) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    if value.fract() == 0.0 {
        return format!("{value:.0}.0");
    }
    // Seventeen significant digits always read back.
    (0..17)
        .map(|digits| format!("{value:.digits$e}"))
        .find(|text| reads_back(text))
        .map_or_else(|| value.to_string(), |text| plain(&text))
}

/// Turns `-1.25e-3` into `-0.00125`. Only for values with a fraction, so that digits remain after the point.
fn plain(scientific: &str) -> String {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = mantissa
        .strip_prefix('-')
        .map_or(("", mantissa), |rest| ("-", rest));
    let digits = mantissa.replace('.', "");
    let digits = digits.trim_end_matches('0');
    match usize::try_from(exponent) {
        Err(_) => {
            let zeros = usize::try_from(-1 - exponent).unwrap_or(0);
            format!("{sign}0.{}{digits}", "0".repeat(zeros))
        }
        Ok(exponent) => {
            let (whole, fraction) = digits.split_at((exponent + 1).min(digits.len()));
            format!("{sign}{whole}.{fraction}")
        }
    }
}

#[cfg(test)]
mod tests;
