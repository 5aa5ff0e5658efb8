// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A resolution that failed: what query users may hear, and what administrators need.

use lakeward_policy_language::{Category, PolicyError};
use lakeward_read_restrictions::code::RestrictionCode;

use crate::policy_content::ContentError;

/// Why no restrictions could be resolved. The load is refused, whatever the reader is.
///
/// `Display` is the public message: it has a stable code and names no policy, tag, group or column.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "read restrictions apply to this table and cannot be resolved ({}); ask an administrator and give the request id",
    self.code()
)]
pub struct ResolutionError {
    /// The category of section 1.
    pub category: Category,
    /// What happened, with names: for administrators and the log only.
    pub detail: String,
    /// The policies concerned, by name; may be empty.
    pub policies: Vec<String>,
    /// Whether the same request may succeed later without anything being mended.
    pub transient: bool,
}

impl ResolutionError {
    /// An error that an administrator must mend.
    pub fn new(category: Category, detail: impl Into<String>) -> Self {
        Self {
            category,
            detail: detail.into(),
            policies: Vec::new(),
            transient: false,
        }
    }

    /// Tags, policies or associations could not be loaded; the lookup may pass later.
    pub fn lookup_failed(detail: impl Into<String>) -> Self {
        Self {
            transient: true,
            ..Self::new(Category::Lookup, detail)
        }
    }

    /// A policy whose content is not usable.
    pub(crate) fn content(policy: &str, error: &ContentError) -> Self {
        Self {
            policies: vec![policy.to_owned()],
            ..Self::new(
                error.category(),
                format!("policy `{policy}`: {} ({})", error, error.code()),
            )
        }
    }

    /// A policy that cannot be bound to this subject and schema.
    pub(crate) fn binding(policy: &str, error: &PolicyError) -> Self {
        Self {
            policies: vec![policy.to_owned()],
            ..Self::new(
                error.category,
                format!("policy `{policy}`: {} ({})", error, error.code),
            )
        }
    }

    /// Distinct restrictions for one place.
    pub(crate) fn conflict(place: &str, policies: Vec<String>) -> Self {
        Self {
            detail: format!(
                "{place}: policies `{}` give distinct restrictions",
                policies.join("`, `")
            ),
            policies,
            ..Self::new(Category::Conflict, "")
        }
    }

    /// The stable code for callers, as text.
    pub const fn code(&self) -> &'static str {
        self.restriction_code().as_str()
    }

    /// The stable code for callers.
    pub const fn restriction_code(&self) -> RestrictionCode {
        match self.category {
            Category::Content => RestrictionCode::Content,
            Category::Syntax => RestrictionCode::Syntax,
            Category::Limit => RestrictionCode::Limit,
            Category::Static => RestrictionCode::Static,
            Category::Action => RestrictionCode::Action,
            Category::Context => RestrictionCode::Context,
            Category::Schema => RestrictionCode::Schema,
            Category::Literal => RestrictionCode::Literal,
            Category::Lookup => RestrictionCode::Lookup,
            Category::Conflict => RestrictionCode::Conflict,
            Category::Reader => RestrictionCode::Reader,
        }
    }
}
