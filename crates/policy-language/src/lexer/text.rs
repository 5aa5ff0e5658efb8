// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! String literals: JSON strings, decoded once (section 2.1).

use super::Cursor;
use crate::error::{LexError, Located, StageError};
use crate::limits;

/// Reads a string; the cursor stands at the opening quote.
pub(super) fn string(cursor: &mut Cursor<'_>) -> Result<String, Located<LexError>> {
    let start = cursor.position();
    cursor.next();
    let mut decoded = String::new();
    loop {
        let here = cursor.position();
        let c = match cursor.next() {
            None => return Err(LexError::UnclosedString.at(cursor.since(start))),
            Some('"') => return Ok(decoded),
            Some('\\') => escape(cursor, here)?,
            Some(c) if c < ' ' => return Err(LexError::RawControlCharacter.at(cursor.since(here))),
            Some(c) => c,
        };
        if c == '\0' {
            return Err(LexError::Nul.at(cursor.since(here)));
        }
        decoded.push(c);
        if decoded.len() > limits::STRING_BYTES {
            return Err(LexError::StringTooLong.at(cursor.since(start)));
        }
    }
}

/// Reads what follows a backslash; `start` is the place of the backslash.
fn escape(cursor: &mut Cursor<'_>, start: usize) -> Result<char, Located<LexError>> {
    match cursor.next() {
        Some(c @ ('"' | '\\' | '/')) => Ok(c),
        Some('b') => Ok('\u{8}'),
        Some('f') => Ok('\u{c}'),
        Some('n') => Ok('\n'),
        Some('r') => Ok('\r'),
        Some('t') => Ok('\t'),
        Some('u') => unicode(cursor, start),
        Some(_) | None => Err(LexError::BadEscape.at(cursor.since(start))),
    }
}

/// `\uXXXX`, or a pair of them for a character beyond U+FFFF.
fn unicode(cursor: &mut Cursor<'_>, start: usize) -> Result<char, Located<LexError>> {
    let first = hex4(cursor, start)?;
    let scalar = match first {
        0xD800..=0xDBFF => {
            if !cursor.take("\\u") {
                return Err(LexError::LoneSurrogate.at(cursor.since(start)));
            }
            let second = hex4(cursor, start)?;
            if !(0xDC00..=0xDFFF).contains(&second) {
                return Err(LexError::LoneSurrogate.at(cursor.since(start)));
            }
            0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00)
        }
        scalar => scalar,
    };
    char::from_u32(scalar).ok_or_else(|| LexError::LoneSurrogate.at(cursor.since(start)))
}

fn hex4(cursor: &mut Cursor<'_>, start: usize) -> Result<u32, Located<LexError>> {
    let mut value = 0;
    for _ in 0..4 {
        let digit = cursor.peek().and_then(|c| c.to_digit(16));
        match digit {
            Some(digit) => {
                cursor.next();
                value = value * 16 + digit;
            }
            None => return Err(LexError::BadEscape.at(cursor.since(start))),
        }
    }
    Ok(value)
}
