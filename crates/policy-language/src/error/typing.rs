// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Errors of the static checks.

use super::{Category, StageError};
use crate::limits;

/// Why a program is not well-typed or too large.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TypeError {
    #[error("a policy of this type needs a rule that starts with `{wanted} :=`, not `{found} :=`")]
    WrongHead {
        wanted: &'static str,
        found: &'static str,
    },
    #[error("a condition is expected here, not {0}{hint}", hint = if *.0 == "a column" { "; compare the column, for instance with `== true`" } else { "" })]
    NotBoolean(&'static str),
    #[error("{left} `{operator}` {right} is not a comparison of the language")]
    Shape {
        left: &'static str,
        operator: &'static str,
        right: &'static str,
    },
    #[error("the values of an array must be of one kind: all strings, all numbers or all booleans")]
    MixedArray,
    #[error("an array must not contain `null`; test it with `== null`")]
    NullInArray,
    #[error("`session_user()` is a string; the array must contain strings")]
    UserInNonTexts,
    #[error("the name of a column must not be empty")]
    EmptyColumnName,
    #[error("the name of a group must not be empty")]
    EmptyGroupName,
    #[error("a condition of a mask must not read a column: one action is chosen for the whole column")]
    ColumnInMaskCondition,
    #[error("`{0}` is not a mask action; the actions are {actions}", actions = known_actions())]
    UnknownAction(String),
    #[error("the rule has {0} nodes; at most {max} are allowed", max = limits::NODES)]
    TooManyNodes(usize),
    #[error("the arrays of the rule have {0} values; at most {max} are allowed", max = limits::ELEMENTS)]
    TooManyElements(usize),
    #[error(
        "for some subject the conditions and results combine to a predicate nested {0} deep; at most {max} are allowed",
        max = limits::DEPTH
    )]
    LoweredTooDeep(usize),
}

fn known_actions() -> String {
    let names: Vec<String> = lakeward_read_restrictions::action::MaskAction::ALL
        .iter()
        .map(|action| format!("`{}`", action.as_str()))
        .collect();
    names.join(", ")
}

impl StageError for TypeError {
    fn category(&self) -> Category {
        match self {
            Self::WrongHead { .. }
            | Self::NotBoolean(_)
            | Self::Shape { .. }
            | Self::MixedArray
            | Self::NullInArray
            | Self::UserInNonTexts
            | Self::EmptyColumnName
            | Self::EmptyGroupName
            | Self::ColumnInMaskCondition => Category::Static,
            Self::UnknownAction(_) => Category::Action,
            Self::TooManyNodes(_) | Self::TooManyElements(_) | Self::LoweredTooDeep(_) => Category::Limit,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::WrongHead { .. } => "wrong-rule-head",
            Self::NotBoolean(_) => "not-boolean",
            Self::Shape { .. } => "operand-shape",
            Self::MixedArray => "mixed-array",
            Self::NullInArray => "null-in-array",
            Self::UserInNonTexts => "array-of-non-strings",
            Self::EmptyColumnName => "empty-column-name",
            Self::EmptyGroupName => "empty-group-name",
            Self::ColumnInMaskCondition => "column-in-mask-condition",
            Self::UnknownAction(_) => "unknown-action",
            Self::TooManyNodes(_) => "too-many-nodes",
            Self::TooManyElements(_) => "too-many-elements",
            Self::LoweredTooDeep(_) => "lowered-too-deep",
        }
    }
}
