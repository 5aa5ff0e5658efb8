// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How much functions make of their arguments: upper bounds in bytes for one batch of rows.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type, IntervalMonthDayNanoType, IntervalUnit, TimeUnit};
use datafusion::common::Result;
use datafusion::logical_expr::ColumnarValue;

/// How much a function makes of arguments in so many rows.
pub(super) type Estimate = fn(&Arguments, usize) -> u64;

/// What a value takes beside its bytes: places and lengths.
const PER_VALUE: u64 = 16;
/// The longest character, in bytes.
const CHARACTER: u64 = 4;

/// The arguments of a call.
pub(super) struct Arguments(Vec<Argument>);

struct Argument {
    /// One row where it is the same for all.
    values: ArrayRef,
    is_same: bool,
    numbers: Option<ArrayRef>,
}

impl Arguments {
    /// Of a call.
    pub(super) fn new(given: &[ColumnarValue]) -> Result<Self> {
        let arguments = given.iter().map(|argument| {
            let values = argument.to_array(1)?;
            let numbers = values
                .data_type()
                .is_integer()
                .then(|| cast(&values, &DataType::Int64))
                .transpose()?;
            Ok(Argument {
                values,
                is_same: matches!(argument, ColumnarValue::Scalar(_)),
                numbers,
            })
        });
        Ok(Self(arguments.collect::<Result<_>>()?))
    }

    fn get(&self, argument: usize, row: usize) -> Option<(&Argument, usize)> {
        let argument = self.0.get(argument)?;
        let row = if argument.is_same { 0 } else { row };
        (row < argument.values.len() && argument.values.is_valid(row)).then_some((argument, row))
    }

    /// Bytes of a value; none of null.
    fn length(&self, argument: usize, row: usize) -> u64 {
        self.get(argument, row)
            .map_or(0, |(argument, row)| length(&argument.values, row))
    }

    fn text(&self, argument: usize, row: usize) -> &str {
        self.get(argument, row)
            .and_then(|(argument, row)| text(&argument.values, row))
            .unwrap_or_default()
    }

    /// A number that says how often or how long; none below 0.
    fn count(&self, argument: usize, row: usize) -> u64 {
        u64::try_from(self.number(argument, row).unwrap_or(0)).unwrap_or(0)
    }

    fn number(&self, argument: usize, row: usize) -> Option<i64> {
        let (argument, row) = self.get(argument, row)?;
        let numbers = argument.numbers.as_ref()?.as_primitive_opt::<Int64Type>()?;
        (row < numbers.len()).then(|| numbers.value(row))
    }

    /// A place on a line of numbers, days or times, or a distance on it, in the same unit.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "types are an open set of another crate; series are of these"
    )]
    fn place(&self, argument: usize, row: usize) -> Option<f64> {
        const DAY: f64 = 86_400e9;
        if let Some(number) = self.number(argument, row) {
            return Some(as_float(number));
        }
        let (argument, row) = self.get(argument, row)?;
        let unit = match argument.values.data_type() {
            DataType::Date32 => DAY,
            DataType::Date64 | DataType::Timestamp(TimeUnit::Millisecond, _) => 1e6,
            DataType::Timestamp(TimeUnit::Second, _) => 1e9,
            DataType::Timestamp(TimeUnit::Microsecond, _) => 1e3,
            DataType::Timestamp(TimeUnit::Nanosecond, _) => 1.0,
            DataType::Interval(IntervalUnit::MonthDayNano) => {
                let interval = argument
                    .values
                    .as_primitive_opt::<IntervalMonthDayNanoType>()?
                    .value(row);
                let days = f64::from(interval.months) * 28.0 + f64::from(interval.days);
                return Some(days * DAY + as_float(interval.nanoseconds));
            }
            _ => return None,
        };
        let value = argument.values.slice(row, 1);
        let value = match value.data_type() {
            // Days are 32 bits.
            DataType::Date32 => cast(&cast(&value, &DataType::Int32).ok()?, &DataType::Int64),
            _ => cast(&value, &DataType::Int64),
        };
        let value = value.ok()?;
        let value = value.as_primitive_opt::<Int64Type>()?;
        (!value.is_empty()).then(|| as_float(value.value(0)) * unit)
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "an estimate does not need the last digits"
)]
fn as_float(number: i64) -> f64 {
    number as f64
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "types are an open set of another crate; all others are measured as a whole"
)]
fn length(values: &ArrayRef, row: usize) -> u64 {
    let bytes = match values.data_type() {
        DataType::Utf8 => usize::try_from(values.as_string::<i32>().value_length(row)).unwrap_or(0),
        DataType::LargeUtf8 => usize::try_from(values.as_string::<i64>().value_length(row)).unwrap_or(0),
        DataType::Utf8View => values.as_string_view().value(row).len(),
        DataType::Binary => usize::try_from(values.as_binary::<i32>().value_length(row)).unwrap_or(0),
        DataType::LargeBinary => usize::try_from(values.as_binary::<i64>().value_length(row)).unwrap_or(0),
        DataType::BinaryView => values.as_binary_view().value(row).len(),
        other if other.is_primitive() => 16,
        DataType::Boolean | DataType::Null => 1,
        DataType::List(_) => elements(&values.as_list::<i32>().value(row)),
        DataType::LargeList(_) => elements(&values.as_list::<i64>().value(row)),
        _ => values
            .slice(row, 1)
            .to_data()
            .get_slice_memory_size()
            .unwrap_or(usize::MAX),
    };
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// Bytes of all elements of a list.
fn elements(list: &ArrayRef) -> usize {
    if list.data_type().is_primitive() {
        return list.len().saturating_mul(16);
    }
    let lengths = (0..list.len())
        .filter(|at| list.is_valid(*at))
        .map(|at| usize::try_from(length(list, at)).unwrap_or(usize::MAX));
    lengths.fold(list.len().saturating_mul(16), usize::saturating_add)
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "types are an open set of another crate; there are three of texts"
)]
fn text(values: &ArrayRef, row: usize) -> Option<&str> {
    match values.data_type() {
        DataType::Utf8 => Some(values.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => Some(values.as_string::<i64>().value(row)),
        DataType::Utf8View => Some(values.as_string_view().value(row)),
        _ => None,
    }
}

fn sum(rows: usize, of_row: impl Fn(usize) -> u64) -> u64 {
    (0..rows).map(of_row).fold(0, u64::saturating_add)
}

/// The first, as often as the second says.
pub(super) fn repeated(given: &Arguments, rows: usize) -> u64 {
    sum(rows, |row| {
        let each = given.length(0, row).saturating_add(PER_VALUE);
        each.saturating_mul(given.count(1, row))
    })
}

/// The first, a text, as often as the second says.
pub(super) fn repeated_text(given: &Arguments, rows: usize) -> u64 {
    sum(rows, |row| {
        given.length(0, row).saturating_mul(given.count(1, row))
    })
}

/// Characters as many as the second says.
pub(super) fn padded(given: &Arguments, rows: usize) -> u64 {
    sum(rows, |row| given.count(1, row).saturating_mul(CHARACTER))
}

/// Elements as many as the second says, the third where there were none.
pub(super) fn resized(given: &Arguments, rows: usize) -> u64 {
    sum(rows, |row| {
        let each = given.length(2, row).saturating_add(PER_VALUE);
        each.saturating_mul(given.count(1, row))
            .saturating_add(given.length(0, row))
    })
}

/// All of them.
pub(super) fn together(given: &Arguments, rows: usize) -> u64 {
    sum(rows, |row| {
        (0..given.0.len())
            .map(|argument| given.length(argument, row))
            .fold(PER_VALUE, u64::saturating_add)
    })
}

/// All of them, and the first between them.
pub(super) fn joined(given: &Arguments, rows: usize) -> u64 {
    let parts = u64::try_from(given.0.len()).unwrap_or(u64::MAX);
    let between = sum(rows, |row| given.length(0, row).saturating_mul(parts));
    together(given, rows).saturating_add(between)
}

/// The first, with the third wherever the second was.
pub(super) fn replaced(given: &Arguments, rows: usize) -> u64 {
    sum(rows, |row| {
        let (text, found, other) = (given.text(0, row), given.text(1, row), given.length(2, row));
        let length = given.length(0, row);
        if other <= given.length(1, row) {
            return length;
        }
        let places = text.matches(found).count();
        let places = u64::try_from(places).unwrap_or(u64::MAX);
        places.saturating_mul(other).saturating_add(length)
    })
}

/// The first, with the third once or wherever the second matches. The third can repeat what was matched.
pub(super) fn replaced_by_expression(given: &Arguments, rows: usize) -> u64 {
    sum(rows, |row| {
        let (length, other) = (given.length(0, row), given.length(2, row));
        let everywhere = given.text(3, row).contains('g');
        let repeats = given.text(2, row).contains(['\\', '$']);
        let most = if everywhere || repeats {
            other.saturating_mul(length.saturating_add(1))
        } else {
            other
        };
        most.saturating_add(length)
    })
}

/// Each character of the first as another.
pub(super) fn translated(given: &Arguments, rows: usize) -> u64 {
    sum(rows, |row| given.length(0, row).saturating_mul(CHARACTER))
}

/// Each character of the first as a text of its own.
pub(super) fn split(given: &Arguments, rows: usize) -> u64 {
    sum(rows, |row| given.length(0, row).saturating_mul(PER_VALUE + 1))
}

/// The elements of the first as text, and the second between them; the third for those that are null.
pub(super) fn listed(given: &Arguments, rows: usize) -> u64 {
    sum(rows, |row| {
        // Every element is counted with as many bytes at least.
        let length = given.length(0, row);
        let each = given.length(1, row).saturating_add(given.length(2, row));
        (length / PER_VALUE)
            .saturating_mul(each)
            .saturating_add(length.saturating_mul(4))
    })
}

/// From one place to another by steps.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float becomes the nearest number that there is, and what is none becomes 0"
)]
pub(super) fn series(given: &Arguments, rows: usize) -> u64 {
    sum(rows, |row| {
        let (begin, end, step) = match given.0.len() {
            1 => (Some(0.0), given.place(0, row), Some(1.0)),
            2 => (given.place(0, row), given.place(1, row), Some(1.0)),
            _ => (given.place(0, row), given.place(1, row), given.place(2, row)),
        };
        let (Some(begin), Some(end), Some(step)) = (begin, end, step) else {
            return 0;
        };
        // Wrong directions give none, which an estimate need not know.
        let count = ((end - begin) / step).abs() + 1.0;
        (count * 16.0) as u64
    })
}
