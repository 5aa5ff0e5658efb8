// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Redaction of text, shared by the three actions on strings.
//!
//! Works on whole value buffers: one pass over all bytes of a batch while it is ASCII, code point by code point
//! otherwise. Both give the same characters.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, GenericStringArray, GenericStringBuilder, OffsetSizeTrait};
use arrow::buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow::compute::cast;
use arrow::datatypes::DataType;

use super::MaskError;

/// Which code points of a value stay as they are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kept {
    /// None.
    Nothing,
    /// So many at the beginning.
    First(usize),
    /// So many at the end.
    Last(usize),
}

/// What stands for one ASCII character: digits become `n`, six marks stay, all else becomes `x`.
const fn redacted_byte(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => b'n',
        b'(' | b')' | b',' | b'.' | b'-' | b'@' => byte,
        _ => b'x',
    }
}

/// What stands for one code point. Everything outside ASCII becomes `x`, digits of other scripts included.
const fn redacted(character: char) -> char {
    match character {
        '0'..='9' => 'n',
        '(' | ')' | ',' | '.' | '-' | '@' => character,
        _ => 'x',
    }
}

/// Redacts every value of an array of strings; null stays null.
pub(super) fn redact(array: &ArrayRef, kept: Kept) -> Result<ArrayRef, MaskError> {
    match array.data_type() {
        DataType::Utf8 => Ok(Arc::new(redact_strings(array.as_string::<i32>(), kept)?)),
        DataType::LargeUtf8 => Ok(Arc::new(redact_strings(array.as_string::<i64>(), kept)?)),
        DataType::Utf8View => redact(&cast(array, &DataType::LargeUtf8)?, kept),
        other => Err(MaskError::unsuited(other)),
    }
}

fn redact_strings<O: OffsetSizeTrait>(
    array: &GenericStringArray<O>,
    kept: Kept,
) -> Result<GenericStringArray<O>, MaskError> {
    let offsets = array.value_offsets();
    let (Some(first), Some(last)) = (offsets.first(), offsets.last()) else {
        return Ok(array.clone());
    };
    match array.value_data().get(first.as_usize()..last.as_usize()) {
        Some(bytes) if bytes.is_ascii() => redact_ascii(array, bytes, kept),
        _ => Ok(redact_unicode(array, kept)),
    }
}

/// Every output character has the length of its input character, so the offsets stay.
fn redact_ascii<O: OffsetSizeTrait>(
    array: &GenericStringArray<O>,
    bytes: &[u8],
    kept: Kept,
) -> Result<GenericStringArray<O>, MaskError> {
    let base = array.value_offsets().first().copied().unwrap_or_default();
    let offsets = if base == O::default() {
        array.offsets().clone()
    } else {
        let moved: Vec<O> = array
            .value_offsets()
            .iter()
            .map(|offset| *offset - base)
            .collect();
        OffsetBuffer::new(ScalarBuffer::from(moved))
    };
    let mut output: Vec<u8> = bytes.iter().map(|byte| redacted_byte(*byte)).collect();
    let count = match kept {
        Kept::Nothing => 0,
        Kept::First(count) | Kept::Last(count) => count,
    };
    if count > 0 {
        for (start, end) in offsets.iter().zip(offsets.iter().skip(1)) {
            let (start, end) = (start.as_usize(), end.as_usize());
            let range = match kept {
                Kept::Last(count) => end.saturating_sub(count).max(start)..end,
                Kept::First(_) | Kept::Nothing => start..end.min(start + count),
            };
            if let (Some(target), Some(original)) = (output.get_mut(range.clone()), bytes.get(range)) {
                target.copy_from_slice(original);
            }
        }
    }
    Ok(GenericStringArray::try_new(
        offsets,
        Buffer::from_vec(output),
        array.nulls().cloned(),
    )?)
}

fn redact_unicode<O: OffsetSizeTrait>(array: &GenericStringArray<O>, kept: Kept) -> GenericStringArray<O> {
    let mut output = GenericStringBuilder::<O>::with_capacity(array.len(), array.value_data().len());
    let mut text = String::new();
    for value in array {
        match value {
            None => output.append_null(),
            Some(value) => {
                text.clear();
                redact_value(value, kept, &mut text);
                output.append_value(&text);
            }
        }
    }
    output.finish()
}

fn redact_value(value: &str, kept: Kept, output: &mut String) {
    let (before, middle, after) = match kept {
        Kept::Nothing => ("", value, ""),
        Kept::First(count) => {
            let end = value
                .char_indices()
                .nth(count)
                .map_or(value.len(), |(position, _)| position);
            let (head, tail) = value.split_at_checked(end).unwrap_or((value, ""));
            (head, tail, "")
        }
        Kept::Last(count) => {
            let start = value
                .char_indices()
                .rev()
                .nth(count.saturating_sub(1))
                .map_or(0, |(position, _)| position);
            let (head, tail) = value.split_at_checked(start).unwrap_or(("", value));
            ("", head, tail)
        }
    };
    output.push_str(before);
    output.extend(middle.chars().map(redacted));
    output.push_str(after);
}
