// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The error body: clients choose their exception by `code` and `type`.

use serde::{Deserialize, Serialize};

/// An error body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorResponse {
    /// One of [`ErrorCode`].
    pub code: i32,
    /// The simple name of the exception of the original.
    #[serde(rename = "type")]
    pub error_type: String,
    /// What is wrong, where, and what to do.
    pub message: String,
    /// Text of the cause, then frames. The original writes its Java frames; ours is left out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stack: Option<Vec<String>>,
}

impl ErrorResponse {
    /// An error without a stack.
    pub fn new(code: ErrorCode, error_type: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code: code.value(),
            error_type: error_type.into(),
            message: message.into(),
            stack: None,
        }
    }
}

/// The families of errors. Each has one HTTP status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// The request is wrong.
    IllegalArguments,
    /// The server failed.
    Internal,
    /// It does not exist.
    NotFound,
    /// It exists already.
    AlreadyExists,
    /// It still has children.
    NonEmpty,
    /// It is not done here.
    UnsupportedOperation,
    /// A system behind the server does not answer.
    ConnectionFailed,
    /// The caller may not.
    Forbidden,
    /// The metalake or catalog is disabled.
    NotInUse,
    /// The metalake, catalog or job template is enabled, or in use.
    InUse,
    /// The caller is not known.
    Unauthorized,
    /// Another change came first.
    Conflict,
}

impl ErrorCode {
    /// The number in the body.
    pub const fn value(self) -> i32 {
        match self {
            Self::IllegalArguments => 1001,
            Self::Internal => 1002,
            Self::NotFound => 1003,
            Self::AlreadyExists => 1004,
            Self::NonEmpty => 1005,
            Self::UnsupportedOperation => 1006,
            Self::ConnectionFailed => 1007,
            Self::Forbidden => 1008,
            Self::NotInUse => 1009,
            Self::InUse => 1010,
            Self::Unauthorized => 1011,
            Self::Conflict => 1012,
        }
    }

    /// The HTTP status of the family.
    pub const fn status(self) -> u16 {
        match self {
            Self::IllegalArguments => 400,
            Self::Internal => 500,
            Self::NotFound => 404,
            Self::AlreadyExists | Self::NonEmpty | Self::NotInUse | Self::InUse | Self::Conflict => 409,
            Self::UnsupportedOperation => 405,
            Self::ConnectionFailed => 502,
            Self::Forbidden => 403,
            Self::Unauthorized => 401,
        }
    }
}
