// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tokens (section 2).

use std::fmt;

use crate::number::Number;
use crate::source::Span;

/// One token and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// What a token is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A keyword or the name of a built-in function.
    Word(Word),
    /// A symbol.
    Symbol(Symbol),
    /// A string literal, decoded.
    Text(String),
    /// A number literal.
    Number(Number),
    /// The end of the source.
    End,
}

/// The closed list of words; everything else that looks like a word is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    Filter,
    Mask,
    If,
    Else,
    And,
    Or,
    Not,
    In,
    True,
    False,
    Null,
    Col,
    SessionUser,
    IsGroupMember,
    Action,
}

impl Word {
    /// Every word, keywords first.
    pub(crate) const ALL: [Self; 15] = [
        Self::Filter,
        Self::Mask,
        Self::If,
        Self::Else,
        Self::And,
        Self::Or,
        Self::Not,
        Self::In,
        Self::True,
        Self::False,
        Self::Null,
        Self::Col,
        Self::SessionUser,
        Self::IsGroupMember,
        Self::Action,
    ];

    /// The text in a program.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Filter => "filter",
            Self::Mask => "mask",
            Self::If => "if",
            Self::Else => "else",
            Self::And => "and",
            Self::Or => "or",
            Self::Not => "not",
            Self::In => "in",
            Self::True => "true",
            Self::False => "false",
            Self::Null => "null",
            Self::Col => "col",
            Self::SessionUser => "session_user",
            Self::IsGroupMember => "is_group_member",
            Self::Action => "action",
        }
    }
}

/// The closed list of symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Symbol {
    Assign,
    Equal,
    NotEqual,
    LessOrEqual,
    GreaterOrEqual,
    Less,
    Greater,
    OpenParenthesis,
    CloseParenthesis,
    OpenBracket,
    CloseBracket,
    Comma,
}

impl Symbol {
    /// Every symbol; a longer one before its prefix.
    pub(crate) const ALL: [Self; 12] = [
        Self::Assign,
        Self::Equal,
        Self::NotEqual,
        Self::LessOrEqual,
        Self::GreaterOrEqual,
        Self::Less,
        Self::Greater,
        Self::OpenParenthesis,
        Self::CloseParenthesis,
        Self::OpenBracket,
        Self::CloseBracket,
        Self::Comma,
    ];

    /// The text in a program.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Assign => ":=",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::LessOrEqual => "<=",
            Self::GreaterOrEqual => ">=",
            Self::Less => "<",
            Self::Greater => ">",
            Self::OpenParenthesis => "(",
            Self::CloseParenthesis => ")",
            Self::OpenBracket => "[",
            Self::CloseBracket => "]",
            Self::Comma => ",",
        }
    }
}

impl fmt::Display for TokenKind {
    /// How error messages name the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => write!(f, "`{}`", word.as_str()),
            Self::Symbol(symbol) => write!(f, "`{}`", symbol.as_str()),
            Self::Text(_) => f.write_str("a string"),
            Self::Number(_) => f.write_str("a number"),
            Self::End => f.write_str("the end of the rule"),
        }
    }
}
