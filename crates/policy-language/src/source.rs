// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The text of a rule and places in it.

use crate::error::{LexError, Located, StageError};
use crate::limits;

/// A range of bytes of the source. Both ends are character boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte; equals `start` at the end of the text.
    pub end: usize,
}

impl Span {
    /// From the start of `self` to the end of `last`.
    pub(crate) fn to(self, last: Self) -> Self {
        Self {
            start: self.start,
            end: last.end,
        }
    }
}

/// A text that is not too long to be a program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'text>(&'text str);

impl<'text> Source<'text> {
    /// Checks the length, before anything else looks at the text.
    pub(crate) fn new(text: &'text str) -> Result<Self, Located<LexError>> {
        if text.len() > limits::SOURCE_BYTES {
            let mut start = limits::SOURCE_BYTES;
            while !text.is_char_boundary(start) {
                start -= 1;
            }
            return Err(LexError::SourceTooLong(text.len()).at(Span {
                start,
                end: text.len(),
            }));
        }
        Ok(Self(text))
    }

    /// The text.
    pub(crate) fn text(self) -> &'text str {
        self.0
    }
}

/// Line and column of a byte offset, both from 1; the column counts characters.
pub(crate) fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.matches('\n').count() + 1;
    let column = before.get(line_start..).unwrap_or("").chars().count() + 1;
    (line, column)
}
