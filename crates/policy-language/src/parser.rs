// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tokens to a program (section 3).

mod expression;

use std::mem;

use crate::ast::{ActionCall, Chain, Expression, ParsedRule};
use crate::error::{Located, ParseError, StageError};
use crate::source::Span;
use crate::token::{Symbol, Token, TokenKind, Word};

type Parsed<T> = Result<T, Located<ParseError>>;

/// Parses a whole program. The work and the stack it takes are bounded whatever the tokens are.
///
/// # Errors
/// [`ParseError`] at the first token that does not fit.
pub(crate) fn parse(tokens: Vec<Token>) -> Parsed<ParsedRule> {
    let mut parser = Parser::new(tokens);
    let head = parser.current.span;
    let rule = if parser.take_word(Word::Filter).is_some() {
        parser.expect_symbol(Symbol::Assign, "`:=`")?;
        ParsedRule::Filter {
            head,
            chain: parser.chain(Parser::expression)?,
        }
    } else if parser.take_word(Word::Mask).is_some() {
        parser.expect_symbol(Symbol::Assign, "`:=`")?;
        ParsedRule::Mask {
            head,
            chain: parser.chain(Parser::action_call)?,
        }
    } else {
        return Err(parser.unexpected("`filter` or `mask`"));
    };
    match parser.current.kind {
        TokenKind::End => Ok(rule),
        TokenKind::Word(_) | TokenKind::Symbol(_) | TokenKind::Text(_) | TokenKind::Number(_) => {
            Err(parser.unexpected("an operator or the end of the rule"))
        }
    }
}

struct Parser {
    current: Token,
    rest: std::vec::IntoIter<Token>,
}

impl Parser {
    fn new(tokens: Vec<Token>) -> Self {
        let mut rest = tokens.into_iter();
        let end = Token {
            kind: TokenKind::End,
            span: Span { start: 0, end: 0 },
        };
        Self {
            current: rest.next().unwrap_or(end),
            rest,
        }
    }

    /// Takes the current token; the end stays current for ever.
    fn advance(&mut self) -> Token {
        match self.rest.next() {
            Some(next) => mem::replace(&mut self.current, next),
            None => self.current.clone(),
        }
    }

    fn take_word(&mut self, word: Word) -> Option<Span> {
        (self.current.kind == TokenKind::Word(word)).then(|| self.advance().span)
    }

    fn take_symbol(&mut self, symbol: Symbol) -> Option<Span> {
        (self.current.kind == TokenKind::Symbol(symbol)).then(|| self.advance().span)
    }

    fn expect_symbol(&mut self, symbol: Symbol, expected: &'static str) -> Parsed<Span> {
        self.take_symbol(symbol).ok_or_else(|| self.unexpected(expected))
    }

    fn unexpected(&self, expected: &'static str) -> Located<ParseError> {
        ParseError::Expected {
            expected,
            found: self.current.kind.to_string(),
        }
        .at(self.current.span)
    }

    /// `R` or `R if c (else := R if c)* else := R`.
    fn chain<R>(&mut self, result: fn(&mut Self) -> Parsed<R>) -> Parsed<Chain<R, Expression>> {
        let mut branches = Vec::new();
        let mut current = result(self)?;
        while self.take_word(Word::If).is_some() {
            let condition = self.expression()?;
            if self.take_word(Word::Else).is_none() {
                return Err(if self.current.kind == TokenKind::End {
                    ParseError::MissingElse.at(self.current.span)
                } else {
                    self.unexpected("an operator or `else`")
                });
            }
            self.expect_symbol(Symbol::Assign, "`:=`")?;
            branches.push((condition, mem::replace(&mut current, result(self)?)));
        }
        Ok(Chain {
            branches,
            fallback: current,
        })
    }

    /// `action("name")`
    fn action_call(&mut self) -> Parsed<ActionCall> {
        let Some(start) = self.take_word(Word::Action) else {
            return Err(ParseError::BareMaskResult(self.current.kind.to_string()).at(self.current.span));
        };
        let (name, end) = self.text_argument()?;
        Ok(ActionCall {
            name,
            span: start.to(end),
        })
    }

    /// `("text")`; the span is that of the closing parenthesis.
    fn text_argument(&mut self) -> Parsed<(String, Span)> {
        self.expect_symbol(Symbol::OpenParenthesis, "`(`")?;
        let text = match &mut self.current.kind {
            TokenKind::Text(text) => mem::take(text),
            TokenKind::Word(_) | TokenKind::Symbol(_) | TokenKind::Number(_) | TokenKind::End => {
                return Err(self.unexpected("a name in double quotes"));
            }
        };
        self.advance();
        let end = self.expect_symbol(Symbol::CloseParenthesis, "`)`")?;
        Ok((text, end))
    }
}

#[cfg(test)]
mod tests;
