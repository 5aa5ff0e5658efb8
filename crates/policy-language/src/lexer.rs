// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Text to tokens (section 2).

mod text;

use crate::error::{LexError, Located, StageError};
use crate::limits;
use crate::number::Number;
use crate::source::{Source, Span};
use crate::token::{Symbol, Token, TokenKind, Word};

/// Splits the source; the last token is always [`TokenKind::End`].
///
/// # Errors
/// [`LexError`] at the first place that is no token.
pub(crate) fn tokens(source: Source<'_>) -> Result<Vec<Token>, Located<LexError>> {
    let mut cursor = Cursor::new(source.text());
    let mut tokens = Vec::new();
    loop {
        cursor.skip_while(|c| matches!(c, ' ' | '\t' | '\r' | '\n'));
        let start = cursor.position();
        let kind = match cursor.peek() {
            None => TokenKind::End,
            Some('"') => TokenKind::Text(text::string(&mut cursor)?),
            Some(c) if c == '-' || c.is_ascii_digit() => number(&mut cursor)?,
            Some(c) if is_word(c) => word(&mut cursor)?,
            Some(c) => symbol(&mut cursor, c)?,
        };
        let last = kind == TokenKind::End;
        tokens.push(Token {
            kind,
            span: cursor.since(start),
        });
        if last {
            return Ok(tokens);
        }
    }
}

/// A place in the text that only moves forward, character by character.
pub(super) struct Cursor<'text> {
    text: &'text str,
    position: usize,
}

impl<'text> Cursor<'text> {
    fn new(text: &'text str) -> Self {
        Self { text, position: 0 }
    }

    fn position(&self) -> usize {
        self.position
    }

    /// From `start` to here.
    fn since(&self, start: usize) -> Span {
        Span {
            start,
            end: self.position,
        }
    }

    fn rest(&self) -> &'text str {
        self.text.get(self.position..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.position += c.len_utf8();
        Some(c)
    }

    /// Moves over `prefix` if it is next.
    fn take(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.position += prefix.len();
        }
        found
    }

    /// Moves over characters that fulfil `belongs` and returns them.
    fn skip_while(&mut self, belongs: impl Fn(char) -> bool) -> &'text str {
        let rest = self.rest();
        let length = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.position += length;
        rest.get(..length).unwrap_or("")
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn word(cursor: &mut Cursor<'_>) -> Result<TokenKind, Located<LexError>> {
    let start = cursor.position();
    let text = cursor.skip_while(is_word);
    Word::ALL
        .into_iter()
        .find(|word| word.as_str() == text)
        .map(TokenKind::Word)
        .ok_or_else(|| LexError::UnknownWord(text.to_owned()).at(cursor.since(start)))
}

fn symbol(cursor: &mut Cursor<'_>, first: char) -> Result<TokenKind, Located<LexError>> {
    let start = cursor.position();
    if let Some(symbol) = Symbol::ALL
        .into_iter()
        .find(|symbol| cursor.take(symbol.as_str()))
    {
        return Ok(TokenKind::Symbol(symbol));
    }
    cursor.next();
    let error = if matches!(first, ':' | '=' | '!') {
        LexError::HalfSymbol(first)
    } else {
        LexError::UnexpectedCharacter(first)
    };
    Err(error.at(cursor.since(start)))
}

/// `-? (0 | [1-9][0-9]*) (\. [0-9]+)?`, ended by anything but a word character.
fn number(cursor: &mut Cursor<'_>) -> Result<TokenKind, Located<LexError>> {
    let start = cursor.position();
    let before = cursor.rest();
    cursor.take("-");
    let integer = cursor.skip_while(|c| c.is_ascii_digit());
    let mut well_formed = !integer.is_empty() && (integer == "0" || !integer.starts_with('0'));
    if cursor.take(".") {
        well_formed &= !cursor.skip_while(|c| c.is_ascii_digit()).is_empty();
    }
    if cursor.peek().is_some_and(is_word) {
        // The whole run is shown as one wrong number; it is never split into a number and a word.
        cursor.skip_while(is_word);
        well_formed = false;
    }
    let span = cursor.since(start);
    if !well_formed {
        return Err(LexError::BadNumber.at(span));
    }
    let length = span.end - span.start;
    if length > limits::NUMBER_CHARS {
        return Err(LexError::NumberTooLong(length).at(span));
    }
    Ok(TokenKind::Number(Number::new(before.get(..length).unwrap_or(""))))
}

#[cfg(test)]
mod tests;
