// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What is known of the values that some rows have in a column, and what a filter may say of such rows.

use std::cmp::Ordering;

use iceberg::spec::{Datum, PrimitiveLiteral, PrimitiveType, Transform};
use iceberg::transform::create_transform_function;
use lakeward_read_restrictions::field::FieldType;

use super::filter::{Comparison, Filter, Term, Test};
use super::literal::{Range, first_day};
use super::outcome::Outcomes;
use super::value::ScanValue;
use crate::transform::IcebergTransform;

const MICROS_PER_HOUR: i64 = 3_600_000_000;

/// What is known of the values of some rows. Whatever is not known is possible.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Facts {
    /// Whether some may be null.
    pub(super) has_null: bool,
    /// Whether some may be NaN.
    pub(super) has_nan: bool,
    /// Whether some may be neither.
    pub(super) has_value: bool,
    /// No value is less.
    pub(super) least: Option<ScanValue>,
    /// No value is greater.
    pub(super) greatest: Option<ScanValue>,
    /// The number of buckets, and the least and greatest bucket that a value is in.
    pub(super) buckets: Option<(u32, i64, i64)>,
}

impl Facts {
    /// Nothing is known.
    pub(super) const fn unknown() -> Self {
        Self {
            has_null: true,
            has_nan: true,
            has_value: true,
            least: None,
            greatest: None,
            buckets: None,
        }
    }

    /// All values are this one: a value, null (`None`), or NaN.
    pub(super) fn only(literal: Option<&PrimitiveLiteral>, of: &PrimitiveType) -> Self {
        let value = literal.and_then(|literal| ScanValue::new(literal, of));
        let facts = Self {
            has_null: literal.is_none(),
            has_nan: literal.is_some_and(is_nan),
            has_value: value.is_some(),
            ..Self::unknown()
        };
        if literal.is_some() && !facts.has_nan && value.is_none() {
            // No literal of its type.
            return Self::unknown();
        }
        facts.between(value.clone(), value)
    }

    /// The same with these bounds, unless they contradict each other.
    pub(super) fn between(self, least: Option<ScanValue>, greatest: Option<ScanValue>) -> Self {
        let is_contradiction = match (&least, &greatest) {
            (Some(least), Some(greatest)) => least.compare(greatest) == Some(Ordering::Greater),
            _ => false,
        };
        if is_contradiction {
            return self;
        }
        // Writers of floating-point bounds do not tell zeros apart.
        let signed = |bound: Option<ScanValue>, zero: f64| match bound {
            Some(ScanValue::Float(0.0)) => Some(ScanValue::Float(zero)),
            other => other,
        };
        Self {
            least: signed(least, -0.0),
            greatest: signed(greatest, 0.0),
            ..self
        }
    }

    /// What is known of a column from what is known of a transform of it.
    pub(super) fn of_source(&self, transform: IcebergTransform, source: &FieldType) -> Self {
        let nulls = Self {
            has_null: self.has_null,
            has_nan: self.has_nan,
            has_value: self.has_value,
            ..Self::unknown()
        };
        match transform {
            // Always null, whatever the column is.
            IcebergTransform::Void => Self::unknown(),
            IcebergTransform::Identity => nulls.between(self.least.clone(), self.greatest.clone()),
            IcebergTransform::Bucket(number) => Self {
                buckets: match (&self.least, &self.greatest) {
                    (Some(ScanValue::Number(least)), Some(ScanValue::Number(greatest))) => {
                        Some((number, *least, *greatest))
                    }
                    _ => None,
                },
                ..nulls
            },
            IcebergTransform::Truncate(width) => {
                let greatest = self.greatest.as_ref();
                nulls.between(
                    self.least.clone(),
                    greatest.and_then(|value| end_of_width(value, width)),
                )
            }
            IcebergTransform::Year
            | IcebergTransform::Month
            | IcebergTransform::Day
            | IcebergTransform::Hour => {
                let begin = |value: &ScanValue| {
                    let unit = whole_unit(value)?;
                    // Old writers rounded times before 1970 towards it.
                    begin_of_unit(
                        transform,
                        if unit <= 0 { unit.checked_sub(1)? } else { unit },
                        source,
                    )
                };
                let end = |value: &ScanValue| {
                    let next = begin_of_unit(transform, whole_unit(value)?.checked_add(1)?, source)?;
                    before(&next)
                };
                nulls.between(
                    self.least.as_ref().and_then(begin),
                    self.greatest.as_ref().and_then(end),
                )
            }
        }
    }

    /// How a test of these values may come out.
    fn outcomes(&self, test: &Test, bucket: impl Fn(u32, &Range) -> Option<i64>) -> Outcomes {
        let either = Outcomes::TRUE.or_else(Outcomes::FALSE);
        let mut found = Outcomes::NONE;
        if self.has_null {
            found = found.or_else(match test {
                Test::IsNull => Outcomes::TRUE,
                Test::Compare(Comparison::Less | Comparison::LessOrEqual, _) => Outcomes::NULL_SELECTED,
                Test::Compare(Comparison::Equal | Comparison::Greater | Comparison::GreaterOrEqual, _)
                | Test::IsNan
                | Test::In(_)
                | Test::StartsWith(_) => Outcomes::NULL_REFUSED,
            });
        }
        if self.has_nan {
            found = found.or_else(match test {
                Test::IsNan => Outcomes::TRUE,
                Test::IsNull => Outcomes::FALSE,
                // Readers differ.
                Test::Compare(..) | Test::In(_) | Test::StartsWith(_) => either,
            });
        }
        if self.has_value {
            found = found.or_else(match test {
                Test::IsNull | Test::IsNan => Outcomes::FALSE,
                Test::Compare(comparison, Some(range)) => self.compared(*comparison, range, &bucket),
                Test::Compare(_, None) => either,
                Test::In(ranges) => {
                    let each = ranges.iter().map(|range| {
                        range
                            .as_ref()
                            .map_or(either, |range| self.compared(Comparison::Equal, range, &bucket))
                    });
                    each.fold(Outcomes::FALSE, Outcomes::or)
                }
                Test::StartsWith(prefix) => self.starting(prefix),
            });
        }
        found
    }

    fn compared(
        &self,
        comparison: Comparison,
        range: &Range,
        bucket: impl Fn(u32, &Range) -> Option<i64>,
    ) -> Outcomes {
        use Ordering::{Equal, Greater, Less};
        // Whether one may stand so to the other: yes, where nothing is known.
        let may = |one: Option<&ScanValue>, other: &ScanValue, wanted: &[Ordering]| {
            one.and_then(|one| one.compare(other))
                .is_none_or(|found| wanted.contains(&found))
        };
        let (least, greatest) = (self.least.as_ref(), self.greatest.as_ref());
        let (may_hold, may_fail) = match comparison {
            Comparison::Less => (
                may(least, &range.greatest, &[Less]),
                may(greatest, &range.least, &[Equal, Greater]),
            ),
            Comparison::LessOrEqual => (
                may(least, &range.greatest, &[Less, Equal]),
                may(greatest, &range.least, &[Greater]),
            ),
            Comparison::Greater => (
                may(greatest, &range.least, &[Greater]),
                may(least, &range.greatest, &[Less, Equal]),
            ),
            Comparison::GreaterOrEqual => (
                may(greatest, &range.least, &[Equal, Greater]),
                may(least, &range.greatest, &[Less]),
            ),
            Comparison::Equal => {
                let is_elsewhere = self.buckets.is_some_and(|(number, first, last)| {
                    bucket(number, range).is_some_and(|bucket| !(first..=last).contains(&bucket))
                });
                let is_one = |one: Option<&ScanValue>, other: &ScanValue| {
                    one.is_some_and(|one| one.compare(other) == Some(Equal))
                };
                let is_equal = is_one(least, &range.least)
                    && is_one(greatest, &range.greatest)
                    && is_one(least, &range.greatest);
                (
                    may(least, &range.greatest, &[Less, Equal])
                        && may(greatest, &range.least, &[Equal, Greater])
                        && !is_elsewhere,
                    !is_equal,
                )
            }
        };
        let holds = if may_hold { Outcomes::TRUE } else { Outcomes::NONE };
        let fails = if may_fail { Outcomes::FALSE } else { Outcomes::NONE };
        match holds.or_else(fails) {
            // Bounds that contradict themselves.
            Outcomes::NONE => Outcomes::TRUE.or_else(Outcomes::FALSE),
            found => found,
        }
    }

    fn starting(&self, prefix: &str) -> Outcomes {
        let text = |bound: &Option<ScanValue>| match bound {
            Some(ScanValue::Text(text)) => Some(text.clone()),
            _ => None,
        };
        let (least, greatest) = (text(&self.least), text(&self.greatest));
        let is_below = greatest.as_deref().is_some_and(|greatest| greatest < prefix);
        let is_above = least
            .as_deref()
            .is_some_and(|least| least > prefix && !least.starts_with(prefix));
        let starts = |bound: Option<String>| bound.is_some_and(|bound| bound.starts_with(prefix));
        if is_below || is_above {
            Outcomes::FALSE
        } else if starts(least) && starts(greatest) {
            Outcomes::TRUE
        } else {
            Outcomes::TRUE.or_else(Outcomes::FALSE)
        }
    }
}

/// How a filter may come out for rows of which `facts` tells what is known, from any number of sources.
pub(super) fn evaluate(filter: &Filter, facts: &impl Fn(&Term) -> Vec<Facts>) -> Outcomes {
    match filter {
        Filter::Constant(true) => Outcomes::TRUE,
        Filter::Constant(false) => Outcomes::FALSE,
        Filter::Not(child) => !evaluate(child, facts),
        Filter::And(left, right) => evaluate(left, facts).and(evaluate(right, facts)),
        Filter::Or(left, right) => evaluate(left, facts).or(evaluate(right, facts)),
        Filter::Test(term, test) => facts(term)
            .into_iter()
            .map(|known| {
                let has_nan = known.has_nan && matches!(term.result(), FieldType::Float | FieldType::Double);
                let known = Facts { has_nan, ..known };
                known.outcomes(test, |number, range| bucket_of(number, range, &term.of))
            })
            .fold(Outcomes::ANY, Outcomes::and_also),
    }
}

fn is_nan(literal: &PrimitiveLiteral) -> bool {
    matches!(literal, PrimitiveLiteral::Float(value) if value.is_nan())
        || matches!(literal, PrimitiveLiteral::Double(value) if value.is_nan())
}

/// The bucket of a literal, where it is one value.
fn bucket_of(number: u32, range: &Range, of: &FieldType) -> Option<i64> {
    if range.least.compare(&range.greatest) != Some(Ordering::Equal) {
        return None;
    }
    let datum = match (&range.least, of) {
        // Integers of either width are in the same bucket.
        (ScanValue::Number(value), _) => Datum::long(*value),
        (ScanValue::Date(value), _) => Datum::date(i32::try_from(*value).ok()?),
        (ScanValue::Time(value), _) => Datum::time_micros(*value).ok()?,
        (ScanValue::Micros(value), _) => Datum::timestamp_micros(*value),
        // The library takes the microsecond towards zero instead of the one before.
        (ScanValue::Nanos(value), _) if *value < 0 && value % 1_000 != 0 => return None,
        (ScanValue::Nanos(value), _) => Datum::timestamp_nanos(*value),
        (ScanValue::Text(value), _) => Datum::string(value),
        (ScanValue::Uuid(value), _) => Datum::uuid(uuid::Uuid::from_u128(*value)),
        (ScanValue::Bytes(value), FieldType::Binary) => Datum::binary(value.iter().copied()),
        (ScanValue::Bytes(value), FieldType::Fixed(length))
            if u64::try_from(value.len()).ok() == Some(*length) =>
        {
            Datum::fixed(value.iter().copied())
        }
        _ => return None,
    };
    let function = create_transform_function(&Transform::Bucket(number)).ok()?;
    let found = function.transform_literal(&datum).ok()??;
    let PrimitiveLiteral::Int(bucket) = found.literal() else {
        return None;
    };
    Some(i64::from(*bucket))
}

/// The number of a year, month, day or hour since 1970.
fn whole_unit(value: &ScanValue) -> Option<i64> {
    let (ScanValue::Number(unit) | ScanValue::Date(unit)) = value else {
        return None;
    };
    Some(*unit)
}

/// The first value of a unit, in values of a type.
fn begin_of_unit(transform: IcebergTransform, unit: i64, of: &FieldType) -> Option<ScanValue> {
    let hours = match transform {
        IcebergTransform::Year => first_day(unit, 0)?.checked_mul(24)?,
        IcebergTransform::Month => first_day(0, unit)?.checked_mul(24)?,
        IcebergTransform::Day => unit.checked_mul(24)?,
        IcebergTransform::Hour => unit,
        IcebergTransform::Identity
        | IcebergTransform::Void
        | IcebergTransform::Bucket(_)
        | IcebergTransform::Truncate(_) => return None,
    };
    let micros = || hours.checked_mul(MICROS_PER_HOUR);
    if *of == FieldType::Date {
        Some(ScanValue::Date(hours / 24))
    } else if matches!(of, FieldType::Timestamp | FieldType::Timestamptz) {
        Some(ScanValue::Micros(micros()?))
    } else if matches!(of, FieldType::TimestampNs | FieldType::TimestamptzNs) {
        Some(ScanValue::Nanos(micros()?.checked_mul(1_000)?))
    } else {
        None
    }
}

/// The value before another.
fn before(value: &ScanValue) -> Option<ScanValue> {
    match value {
        ScanValue::Date(value) => Some(ScanValue::Date(value.checked_sub(1)?)),
        ScanValue::Micros(value) => Some(ScanValue::Micros(value.checked_sub(1)?)),
        ScanValue::Nanos(value) => Some(ScanValue::Nanos(value.checked_sub(1)?)),
        ScanValue::Boolean(_)
        | ScanValue::Number(_)
        | ScanValue::Float(_)
        | ScanValue::Decimal(..)
        | ScanValue::Time(_)
        | ScanValue::Text(_)
        | ScanValue::Bytes(_)
        | ScanValue::Uuid(_) => None,
    }
}

/// A value that none is greater than of those that a width truncates to `value`.
fn end_of_width(value: &ScanValue, width: u32) -> Option<ScanValue> {
    match value {
        ScanValue::Number(value) => Some(ScanValue::Number(value.checked_add(i64::from(width) - 1)?)),
        ScanValue::Decimal(value, scale) => Some(ScanValue::Decimal(
            value.checked_add(i128::from(width) - 1)?,
            *scale,
        )),
        ScanValue::Text(value) => {
            let mut letters: Vec<char> = value.chars().collect();
            while let Some(last) = letters.pop() {
                // The letters that are none lie between.
                let next = if last == '\u{d7ff}' {
                    Some('\u{e000}')
                } else {
                    char::from_u32(u32::from(last) + 1)
                };
                if let Some(next) = next {
                    letters.push(next);
                    return Some(ScanValue::Text(letters.into_iter().collect()));
                }
            }
            None
        }
        ScanValue::Bytes(value) => {
            let mut bytes = value.clone();
            while let Some(last) = bytes.pop() {
                if let Some(next) = last.checked_add(1) {
                    bytes.push(next);
                    return Some(ScanValue::Bytes(bytes));
                }
            }
            None
        }
        ScanValue::Boolean(_)
        | ScanValue::Float(_)
        | ScanValue::Date(_)
        | ScanValue::Time(_)
        | ScanValue::Micros(_)
        | ScanValue::Nanos(_)
        | ScanValue::Uuid(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nanoseconds_before_1970_have_no_bucket_where_the_library_rounds_the_other_way() {
        let bucket = |value: ScanValue, of: FieldType| {
            let range = Range {
                least: value.clone(),
                greatest: value,
            };
            bucket_of(1_000_000, &range, &of)
        };
        let nanos = |value: i64| bucket(ScanValue::Nanos(value), FieldType::TimestampNs);
        let micros = |value: i64| bucket(ScanValue::Micros(value), FieldType::Timestamp);
        assert_eq!(nanos(-1), None);
        assert_eq!(nanos(-1_999), None);
        assert_eq!(nanos(-2_000), micros(-2));
        assert_eq!(nanos(1_999), micros(1));
    }
}
