// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Errors: one enum per stage inside, one [`PolicyError`] with code and place outside.

mod bind;
mod lex;
mod parse;
mod typing;

use std::fmt;

pub(crate) use bind::BindError;
pub(crate) use lex::LexError;
pub(crate) use parse::ParseError;
pub(crate) use typing::TypeError;

use crate::source::{Span, position};

/// The closed list of error categories (section 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// Policy content is not exactly `{"expression": <string>}`.
    Content,
    /// The text is not a program.
    Syntax,
    /// A limit is exceeded.
    Limit,
    /// The program is not well-typed.
    Static,
    /// An unknown action, or one that does not apply to the field.
    Action,
    /// The subject or its groups are missing or doubtful.
    Context,
    /// A column is missing, ambiguous or unusable.
    Schema,
    /// A literal cannot be typed exactly as the column's type.
    Literal,
    /// Tags, associations, selectors or policies cannot be loaded or understood.
    Lookup,
    /// More than one distinct filter for a table, or mask for a field.
    Conflict,
    /// The reader cannot apply a restriction completely.
    Reader,
}

impl Category {
    /// The stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Syntax => "syntax",
            Self::Limit => "limit",
            Self::Static => "static",
            Self::Action => "action",
            Self::Context => "context",
            Self::Schema => "schema",
            Self::Literal => "literal",
            Self::Lookup => "lookup",
            Self::Conflict => "conflict",
            Self::Reader => "reader",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What every stage's errors can say of themselves.
pub(crate) trait StageError: fmt::Display + Sized {
    /// The category of section 1.
    fn category(&self) -> Category;
    /// A stable code, unique over all stages.
    fn code(&self) -> &'static str;
    /// Puts the error at a place.
    fn at(self, span: Span) -> Located<Self> {
        Located { error: self, span }
    }
}

/// An error of one stage and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Located<E> {
    pub(crate) error: E,
    pub(crate) span: Span,
}

/// Why a rule was refused, for the people who write policies.
///
/// The message may quote names of the rule (columns, groups); it is not for query users.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (line {line}, column {column})")]
pub struct PolicyError {
    /// The category of section 1.
    pub category: Category,
    /// A stable code within the language, for instance `unknown-word`.
    pub code: &'static str,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong and what to do, in lower case.
    pub message: String,
    /// The bytes of the source that are meant.
    pub span: Span,
}

impl PolicyError {
    /// Adds line and column to an error of a stage.
    pub(crate) fn new<E: StageError>(text: &str, located: &Located<E>) -> Self {
        let (line, column) = position(text, located.span.start);
        Self {
            category: located.error.category(),
            code: located.error.code(),
            line,
            column,
            message: located.error.to_string(),
            span: located.span,
        }
    }

    /// The error with the line of `source` it is in and carets under the place.
    ///
    /// `source` must be the text that was checked; with another text the carets may be at a wrong place.
    pub fn render(&self, source: &str) -> String {
        let line = source.split('\n').nth(self.line - 1).unwrap_or("");
        let line = line.strip_suffix('\r').unwrap_or(line);
        // A tab must stay a tab below it, or the carets drift.
        let padding: String = line
            .chars()
            .take(self.column - 1)
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        let rest_of_line = line.chars().count().saturating_sub(self.column - 1);
        let spanned = source
            .get(self.span.start..self.span.end)
            .map_or(1, |text| text.chars().count());
        let carets = "^".repeat(spanned.min(rest_of_line).max(1));
        let number = self.line.to_string();
        let gutter = " ".repeat(number.len());
        format!(
            "error[{category}/{code}]: {message}\n{gutter}--> {number}:{column}\n{gutter} |\n{number} | {line}\n{gutter} | {padding}{carets}",
            category = self.category,
            code = self.code,
            message = self.message,
            column = self.column,
        )
    }
}

#[cfg(test)]
mod tests;
