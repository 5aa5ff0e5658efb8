// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a policy says, typed per policy type. Content is checked when it is saved and again when it is used.

mod compaction;
mod custom;
mod expression;

use serde_json::Value;

use lakeward_metadata::kind::ObjectKind;
use lakeward_policy_language::{Category, PolicyError};

use crate::policy::PolicyType;

pub use compaction::CompactionContent;
pub use custom::CustomContent;
pub use expression::ExpressionContent;

/// The content of one policy revision.
#[derive(Debug, Clone, PartialEq)]
pub enum PolicyContent {
    /// Of a `custom` policy.
    Custom(CustomContent),
    /// Of a `system_iceberg_compaction` policy.
    IcebergCompaction(CompactionContent),
    /// Of a `system_row_filter` policy; parsed and well-typed.
    RowFilter(ExpressionContent),
    /// Of a `system_column_mask` policy; parsed and well-typed.
    ColumnMask(ExpressionContent),
}

/// Why a content is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContentError {
    /// The text is no JSON.
    #[error("the content is no json: {0}")]
    NotJson(String),
    /// The content is not an object.
    #[error("the content must be an object")]
    NotAnObject,
    /// A member is missing.
    #[error("the content needs the member `{0}`")]
    Missing(&'static str),
    /// A member has another type or value than it may have.
    #[error("the member `{member}` of the content must be {expected}")]
    Member {
        /// The member.
        member: String,
        /// What it must be.
        expected: &'static str,
    },
    /// A member that is reserved: a later version may give it a meaning, so it is not passed over.
    #[error(
        "the member `{0}` of the content is reserved for a later version and is not accepted; only {1} may be given"
    )]
    Reserved(String, &'static str),
    /// A member is there twice.
    #[error("the member `{0}` of the content is repeated")]
    Repeated(String),
    /// The expression is refused.
    #[error("{0}")]
    Expression(#[from] PolicyError),
}

impl ContentError {
    /// The category of section 1.
    pub fn category(&self) -> Category {
        match self {
            Self::NotJson(_)
            | Self::NotAnObject
            | Self::Missing(_)
            | Self::Member { .. }
            | Self::Reserved(..)
            | Self::Repeated(_) => Category::Content,
            Self::Expression(error) => error.category,
        }
    }

    /// A stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotJson(_) => "content-not-json",
            Self::NotAnObject => "content-not-an-object",
            Self::Missing(_) => "content-member-missing",
            Self::Member { .. } => "content-member-type",
            Self::Reserved(..) => "content-member-reserved",
            Self::Repeated(_) => "content-member-repeated",
            Self::Expression(error) => error.code,
        }
    }
}

impl PolicyContent {
    /// Reads the JSON text of a content.
    ///
    /// # Errors
    /// [`ContentError`]; unknown members are refused, never passed over.
    pub fn parse(policy_type: PolicyType, text: &str) -> Result<Self, ContentError> {
        match policy_type {
            PolicyType::Custom => CustomContent::parse(text).map(Self::Custom),
            PolicyType::IcebergCompaction => CompactionContent::parse(text).map(Self::IcebergCompaction),
            PolicyType::RowFilter => ExpressionContent::parse(policy_type, text).map(Self::RowFilter),
            PolicyType::ColumnMask => ExpressionContent::parse(policy_type, text).map(Self::ColumnMask),
        }
    }

    /// The type of policy whose content this is.
    pub fn policy_type(&self) -> PolicyType {
        match self {
            Self::Custom(_) => PolicyType::Custom,
            Self::IcebergCompaction(_) => PolicyType::IcebergCompaction,
            Self::RowFilter(_) => PolicyType::RowFilter,
            Self::ColumnMask(_) => PolicyType::ColumnMask,
        }
    }

    /// The content as it is stored and answered.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Custom(content) => content.to_json(),
            Self::IcebergCompaction(content) => content.to_json(),
            Self::RowFilter(content) | Self::ColumnMask(content) => content.to_json(),
        }
    }

    /// Whether a restriction policy with this content leaves everybody everything.
    pub fn restricts_nobody(&self) -> bool {
        match self {
            Self::Custom(_) | Self::IcebergCompaction(_) => true,
            Self::RowFilter(content) | Self::ColumnMask(content) => content.rule.restricts_nobody(),
        }
    }

    /// Object types that the policy speaks of. Restriction policies are never attached to objects directly.
    pub fn supported_object_types(&self) -> Vec<ObjectKind> {
        match self {
            Self::Custom(content) => content.supported_object_types.clone(),
            Self::IcebergCompaction(_) => vec![ObjectKind::Catalog, ObjectKind::Schema, ObjectKind::Table],
            Self::RowFilter(_) | Self::ColumnMask(_) => Vec::new(),
        }
    }
}

/// Reads an object of known members; repeated and unknown members are errors even where JSON libraries forgive them.
fn members(
    text: &str,
    known: &'static [&'static str],
    only: &'static str,
) -> Result<Vec<(String, Value)>, ContentError> {
    let members = match serde_json::from_str::<expression::Members>(text) {
        Ok(expression::Members(members)) => members,
        Err(error) if error.is_data() => return Err(ContentError::NotAnObject),
        Err(error) => return Err(ContentError::NotJson(error.to_string())),
    };
    for (at, (name, _)) in members.iter().enumerate() {
        if !known.contains(&name.as_str()) {
            return Err(ContentError::Reserved(name.clone(), only));
        }
        if members.iter().take(at).any(|(earlier, _)| earlier == name) {
            return Err(ContentError::Repeated(name.clone()));
        }
    }
    Ok(members)
}

fn wrong(member: &str, expected: &'static str) -> ContentError {
    ContentError::Member {
        member: member.to_owned(),
        expected,
    }
}

#[cfg(test)]
mod tests;
