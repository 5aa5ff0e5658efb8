// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Errors of the lexer.

use super::{Category, StageError};
use crate::limits;

/// Why the text is no sequence of tokens.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LexError {
    #[error("the rule has {0} bytes; at most {max} are allowed", max = limits::SOURCE_BYTES)]
    SourceTooLong(usize),
    #[error("`{}` cannot stand outside a string", .0.escape_debug())]
    UnexpectedCharacter(char),
    #[error("`{0}` is not a word of the language; a column is written `col(\"{0}\")`")]
    UnknownWord(String),
    #[error("`{0}` is no operator; the operators are `:=` `==` `!=` `<` `<=` `>` `>=`")]
    HalfSymbol(char),
    #[error("a string is not closed; it must end with a double quote")]
    UnclosedString,
    #[error("a control character must be escaped inside a string, for instance as `\\n` or `\\u000a`")]
    RawControlCharacter,
    #[error(
        "this is no escape of a JSON string; allowed are `\\\"` `\\\\` `\\/` `\\b` `\\f` `\\n` `\\r` `\\t` and `\\u` with four hex digits"
    )]
    BadEscape,
    #[error("half of a surrogate pair is no character; write both halves, high before low")]
    LoneSurrogate,
    #[error("a string must not contain U+0000")]
    Nul,
    #[error("the string has more than {max} bytes", max = limits::STRING_BYTES)]
    StringTooLong,
    #[error(
        "this is no number; write digits without leading zeros or `+`, optionally with `.` and digits, no exponent, and end it before letters"
    )]
    BadNumber,
    #[error("the number has {0} characters; at most {max} are allowed", max = limits::NUMBER_CHARS)]
    NumberTooLong(usize),
}

impl StageError for LexError {
    fn category(&self) -> Category {
        match self {
            Self::SourceTooLong(_) | Self::StringTooLong | Self::NumberTooLong(_) => Category::Limit,
            Self::UnexpectedCharacter(_)
            | Self::UnknownWord(_)
            | Self::HalfSymbol(_)
            | Self::UnclosedString
            | Self::RawControlCharacter
            | Self::BadEscape
            | Self::LoneSurrogate
            | Self::Nul
            | Self::BadNumber => Category::Syntax,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::SourceTooLong(_) => "source-too-long",
            Self::UnexpectedCharacter(_) => "unexpected-character",
            Self::UnknownWord(_) => "unknown-word",
            Self::HalfSymbol(_) => "half-symbol",
            Self::UnclosedString => "unclosed-string",
            Self::RawControlCharacter => "raw-control-character",
            Self::BadEscape => "bad-escape",
            Self::LoneSurrogate => "lone-surrogate",
            Self::Nul => "nul-character",
            Self::StringTooLong => "string-too-long",
            Self::BadNumber => "bad-number",
            Self::NumberTooLong(_) => "number-too-long",
        }
    }
}
