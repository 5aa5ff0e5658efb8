// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Errors of the parser.

use super::{Category, StageError};
use crate::limits;

/// Why the tokens are no program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ParseError {
    #[error("{expected} is expected here, not {found}")]
    Expected { expected: &'static str, found: String },
    #[error("comparisons do not chain; combine two comparisons with `and`")]
    ChainedComparison,
    #[error("the result of a mask must be written `action(\"name\")`, not {0}")]
    BareMaskResult(String),
    #[error("a conditional rule must end with `else := …` without `if`, so that it is never undefined")]
    MissingElse,
    #[error("more than {max} parentheses are open", max = limits::OPEN_PARENTHESES)]
    TooManyParentheses,
    #[error("operations are nested more than {max} deep", max = limits::DEPTH)]
    TooDeep,
}

impl StageError for ParseError {
    fn category(&self) -> Category {
        match self {
            Self::TooManyParentheses | Self::TooDeep => Category::Limit,
            Self::Expected { .. } | Self::ChainedComparison | Self::BareMaskResult(_) | Self::MissingElse => {
                Category::Syntax
            }
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Expected { .. } => "unexpected-token",
            Self::ChainedComparison => "chained-comparison",
            Self::BareMaskResult(_) => "bare-mask-result",
            Self::MissingElse => "missing-else",
            Self::TooManyParentheses => "too-many-parentheses",
            Self::TooDeep => "too-deep",
        }
    }
}
