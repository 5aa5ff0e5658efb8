// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Redaction of text, shared by the three actions on strings.
//!
//! Works on whole value buffers: one pass over all bytes of a batch while it is ASCII, code point by code point
//! otherwise. Both give the same characters.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, GenericStringArray, OffsetSizeTrait, StringViewArray};
use arrow::buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
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
fn redacted(character: char) -> u8 {
    u8::try_from(character)
        .ok()
        .filter(u8::is_ascii)
        .map_or(b'x', redacted_byte)
}

/// Redacts every value of an array of strings; null stays null.
pub(super) fn redact(array: &ArrayRef, kept: Kept) -> Result<ArrayRef, MaskError> {
    match array.data_type() {
        DataType::Utf8 => {
            let redacted = redact_strings(array.as_string::<i32>(), kept)?;
            Ok(Arc::new(redacted))
        }
        DataType::LargeUtf8 => Ok(Arc::new(redact_strings(array.as_string::<i64>(), kept)?)),
        DataType::Utf8View => {
            let text = array.as_string_view();
            let gathered = Gathered::<i64>::of(text.iter(), text.len(), text.total_bytes_len());
            let redacted = gathered.redact(text.iter(), text.nulls().cloned(), kept)?;
            Ok(Arc::new(StringViewArray::from(&redacted)))
        }
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
    // The values of a slice lie between its first and its last offset.
    let (base, range) = (*first, first.as_usize()..last.as_usize());
    let gathered = Gathered {
        bytes: array.value_data().get(range).unwrap_or_default().to_vec(),
        offsets: offsets.iter().map(|offset| *offset - base).collect(),
    };
    gathered.redact(array.iter(), array.nulls().cloned(), kept)
}

/// All values of a column one behind the other, as they are or redacted.
struct Gathered<O> {
    bytes: Vec<u8>,
    offsets: Vec<O>,
}

impl<O: OffsetSizeTrait> Gathered<O> {
    fn with_capacity(rows: usize, bytes: usize) -> Self {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(O::default());
        Self {
            bytes: Vec::with_capacity(bytes),
            offsets,
        }
    }

    fn of<'a>(values: impl Iterator<Item = Option<&'a str>>, rows: usize, bytes: usize) -> Self {
        let mut gathered = Self::with_capacity(rows, bytes);
        for value in values {
            gathered
                .bytes
                .extend_from_slice(value.unwrap_or_default().as_bytes());
            gathered.end_value();
        }
        gathered
    }

    /// No redacted value is longer than its original, so the end of one fits where those of originals did.
    fn end_value(&mut self) {
        self.offsets.push(O::usize_as(self.bytes.len()));
    }

    fn redact<'a>(
        self,
        values: impl Iterator<Item = Option<&'a str>>,
        nulls: Option<NullBuffer>,
        kept: Kept,
    ) -> Result<GenericStringArray<O>, MaskError> {
        let Self { bytes, offsets } = if self.bytes.is_ascii() {
            self.redact_ascii(values, kept)
        } else {
            let (rows, bytes) = (self.offsets.len(), self.bytes.len());
            Self::redact_unicode(values, kept, rows, bytes)
        };
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        Ok(GenericStringArray::try_new(
            offsets,
            Buffer::from_vec(bytes),
            nulls,
        )?)
    }

    /// Every output character has the length of its input character, so the offsets stay.
    fn redact_ascii<'a>(mut self, values: impl Iterator<Item = Option<&'a str>>, kept: Kept) -> Self {
        for byte in &mut self.bytes {
            *byte = redacted_byte(*byte);
        }
        let (Kept::First(count) | Kept::Last(count)) = kept else {
            return self;
        };
        for (start, value) in self.offsets.iter().zip(values) {
            let value = value.unwrap_or_default().as_bytes();
            let shown = count.min(value.len());
            let from = match kept {
                Kept::Last(_) => value.len() - shown,
                Kept::First(_) | Kept::Nothing => 0,
            };
            let at = start.as_usize() + from;
            if let (Some(target), Some(original)) =
                (self.bytes.get_mut(at..at + shown), value.get(from..from + shown))
            {
                target.copy_from_slice(original);
            }
        }
        self
    }

    fn redact_unicode<'a>(
        values: impl Iterator<Item = Option<&'a str>>,
        kept: Kept,
        rows: usize,
        bytes: usize,
    ) -> Self {
        let mut output = Self::with_capacity(rows, bytes);
        for value in values {
            redact_value(value.unwrap_or_default(), kept, &mut output.bytes);
            output.end_value();
        }
        output
    }
}

fn redact_value(value: &str, kept: Kept, output: &mut Vec<u8>) {
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
    output.extend_from_slice(before.as_bytes());
    if middle.is_ascii() {
        output.extend(middle.bytes().map(redacted_byte));
    } else {
        output.extend(middle.chars().map(redacted));
    }
    output.extend_from_slice(after.as_bytes());
}
