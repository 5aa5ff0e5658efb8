// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What is wrong with a request, and the body that says so (RFC 7644, section 3.12).

use serde_json::{Value, json};

/// The URN of an error body.
const ERROR: &str = "urn:ietf:params:scim:api:messages:2.0:Error";

/// The family of a mistake, which clients branch on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScimType {
    /// The filter breaks its grammar, or asks what cannot be asked of an attribute.
    InvalidFilter,
    /// More is asked for than one answer holds.
    TooMany,
    /// Somebody else has the name or the external id.
    Uniqueness,
    /// An attribute that cannot be written is written, or one that must stay is taken away.
    Mutability,
    /// The body has not the form of its message.
    InvalidSyntax,
    /// The path of a change breaks its grammar, or names no attribute.
    InvalidPath,
    /// The path of a change finds nothing that could be changed.
    NoTarget,
    /// A value is missing, or is none that the attribute can have.
    InvalidValue,
}

impl ScimType {
    /// The word of the protocol.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidFilter => "invalidFilter",
            Self::TooMany => "tooMany",
            Self::Uniqueness => "uniqueness",
            Self::Mutability => "mutability",
            Self::InvalidSyntax => "invalidSyntax",
            Self::InvalidPath => "invalidPath",
            Self::NoTarget => "noTarget",
            Self::InvalidValue => "invalidValue",
        }
    }
}

/// A request that cannot be done as it is; 400.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct ScimError {
    /// The family.
    pub kind: ScimType,
    /// What is wrong, where, and what to do.
    pub detail: String,
}

impl ScimError {
    /// A mistake of this family.
    pub fn new(kind: ScimType, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
        }
    }
}

/// The body of an answer with an error status.
pub fn error_body(status: u16, scim_type: Option<&str>, detail: &str) -> Value {
    let mut body = json!({"schemas": [ERROR], "status": status.to_string(), "detail": detail});
    if let (Some(scim_type), Some(members)) = (scim_type, body.as_object_mut()) {
        members.insert("scimType".to_owned(), json!(scim_type));
    }
    body
}
