// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Errors of binding.

use super::{Category, StageError};
use crate::limits;

/// Why a well-typed rule has no result for this subject and schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BindError {
    #[error("no subject is known for this request")]
    NoSubject,
    #[error("the groups of the metalake could not be looked up")]
    GroupsUnknown,
    #[error("the groups of the subject could not be looked up")]
    MembershipUnknown,
    #[error("the subject is in groups that the metalake does not have; the two lookups disagree")]
    InconsistentGroups,
    #[error("the metalake has no group `{0}`")]
    UnknownGroup(String),
    #[error("the table has no column `{0}`")]
    NoColumn(String),
    #[error("the table has more than one column `{0}`")]
    AmbiguousColumn(String),
    #[error("column `{0}` has no field id that is positive and used once")]
    UnusableFieldId(String),
    #[error("the table has no column with field id {0}")]
    NoField(i32),
    #[error("column `{name}` is of type {field_type}, which has no value predicates")]
    UnsupportedType { name: String, field_type: String },
    #[error(
        "column `{name}` is of type {field_type}; only a string column can be compared with `session_user()`"
    )]
    UserNeedsString { name: String, field_type: String },
    #[error("column `{0}` is required, so a null test says nothing")]
    NullTestOnRequired(String),
    #[error("{literal} is not a value of column `{name}` of type {field_type}: {reason}")]
    Literal {
        literal: String,
        name: String,
        field_type: String,
        reason: &'static str,
    },
    #[error("action `{action}` does not apply to column `{name}`: {reason}")]
    ActionNotApplicable {
        action: &'static str,
        name: String,
        reason: String,
    },
    #[error("a mask condition reads a column")]
    ColumnInMaskCondition,
    #[error("the rule is a `{0}` rule and cannot be bound as the other kind")]
    OtherHead(&'static str),
    #[error("the predicate is nested {0} deep; at most {max} are allowed", max = limits::DEPTH)]
    TooDeep(usize),
}

impl StageError for BindError {
    fn category(&self) -> Category {
        match self {
            Self::NoSubject
            | Self::GroupsUnknown
            | Self::MembershipUnknown
            | Self::InconsistentGroups
            | Self::UnknownGroup(_) => Category::Context,
            Self::NoColumn(_)
            | Self::AmbiguousColumn(_)
            | Self::UnusableFieldId(_)
            | Self::NoField(_)
            | Self::UnsupportedType { .. }
            | Self::UserNeedsString { .. }
            | Self::NullTestOnRequired(_) => Category::Schema,
            Self::Literal { .. } => Category::Literal,
            Self::ActionNotApplicable { .. } => Category::Action,
            Self::ColumnInMaskCondition | Self::OtherHead(_) => Category::Static,
            Self::TooDeep(_) => Category::Limit,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NoSubject => "no-subject",
            Self::GroupsUnknown => "groups-unknown",
            Self::MembershipUnknown => "membership-unknown",
            Self::InconsistentGroups => "inconsistent-groups",
            Self::UnknownGroup(_) => "unknown-group",
            Self::NoColumn(_) => "no-column",
            Self::AmbiguousColumn(_) => "ambiguous-column",
            Self::UnusableFieldId(_) => "unusable-field-id",
            Self::NoField(_) => "no-field",
            Self::UnsupportedType { .. } => "unsupported-type",
            Self::UserNeedsString { .. } => "user-needs-string",
            Self::NullTestOnRequired(_) => "null-test-on-required",
            Self::Literal { .. } => "literal-mismatch",
            Self::ActionNotApplicable { .. } => "action-not-applicable",
            Self::ColumnInMaskCondition => "column-in-bound-mask-condition",
            Self::OtherHead(_) => "other-rule-head",
            Self::TooDeep(_) => "bound-too-deep",
        }
    }
}
