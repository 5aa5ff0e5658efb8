// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Policies: types, stored form, changes.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use lakeward_policy_language::RuleHead;

/// The version of the content of restriction policies, stored beside each revision and never inside the content.
pub const RESTRICTION_CONTENT_SCHEMA: &str = "read-restrictions-content 1";

/// What kind of policy it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PolicyType {
    /// `custom`: rules that other systems read.
    Custom,
    /// `system_iceberg_compaction`: when tables are to be compacted.
    IcebergCompaction,
    /// `system_row_filter`: which rows of a table are visible.
    RowFilter,
    /// `system_column_mask`: what is shown of a column.
    ColumnMask,
}

/// A text that names no type of policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown policy type `{0}`; known are `custom`, `system_iceberg_compaction`, `system_row_filter` and `system_column_mask`"
)]
pub struct UnknownPolicyType(pub String);

impl PolicyType {
    /// Every type.
    pub const ALL: [Self; 4] = [
        Self::Custom,
        Self::IcebergCompaction,
        Self::RowFilter,
        Self::ColumnMask,
    ];

    /// The name in requests and answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Custom => "custom",
            Self::IcebergCompaction => "system_iceberg_compaction",
            Self::RowFilter => "system_row_filter",
            Self::ColumnMask => "system_column_mask",
        }
    }

    /// The rule head of a restriction policy; `None` for the other types.
    pub const fn rule_head(self) -> Option<RuleHead> {
        match self {
            Self::RowFilter => Some(RuleHead::Filter),
            Self::ColumnMask => Some(RuleHead::Mask),
            Self::Custom | Self::IcebergCompaction => None,
        }
    }

    /// Whether policies of this type restrict what readers see. Those are selected by tags alone.
    pub const fn is_restriction(self) -> bool {
        self.rule_head().is_some()
    }

    /// The version that is stored beside the content of a revision.
    pub const fn content_schema(self) -> Option<&'static str> {
        match self {
            Self::RowFilter | Self::ColumnMask => Some(RESTRICTION_CONTENT_SCHEMA),
            Self::Custom | Self::IcebergCompaction => None,
        }
    }
}

impl fmt::Display for PolicyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for PolicyType {
    type Err = UnknownPolicyType;

    /// Exact names only.
    fn from_str(text: &str) -> Result<Self, UnknownPolicyType> {
        Self::ALL
            .into_iter()
            .find(|known| known.as_str() == text)
            .ok_or_else(|| UnknownPolicyType(text.to_owned()))
    }
}

/// A policy as a resolution needs it: one revision, its content not yet parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPolicy {
    /// The stable id of the policy.
    pub id: i64,
    /// The name.
    pub name: String,
    /// The type.
    pub policy_type: PolicyType,
    /// Whether the policy takes effect.
    pub enabled: bool,
    /// The revision of content and state; together with `id` it identifies the content for ever.
    pub revision: i64,
    /// The content as JSON text.
    pub content: Arc<str>,
}

/// One change of a policy.
#[derive(Debug, Clone, PartialEq)]
pub enum PolicyChange {
    /// Another name; associations stay.
    Rename(String),
    /// Another comment; `None` removes it.
    UpdateComment(Option<String>),
    /// Another content of the same type.
    UpdateContent {
        /// The type the caller believes the policy has; it must be so.
        policy_type: PolicyType,
        /// The new content.
        content: crate::policy_content::PolicyContent,
    },
}
