// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every way a request can end without the answer it asked for: refused by the transport rules, or failed as an
//! operation. The protocols' `error.rs` files turn one into bytes.

use std::time::Duration;

use http::Method;
use lakeward_operations::OperationError;
use lakeward_read_restrictions::code::RestrictionCode;

use super::idempotency::Refusal;

/// Why a request has no ordinary answer.
#[derive(Debug, Clone)]
pub enum Fault {
    /// No endpoint has this path.
    NoRoute {
        /// The path as it came.
        path: String,
    },
    /// The path exists, but not for this method.
    WrongMethod {
        /// The method that came.
        method: Method,
        /// What the path is served for; goes into the `Allow` header.
        allowed: Vec<Method>,
    },
    /// The `Accept` header asks for a version that the endpoint does not speak.
    NotAcceptable(String),
    /// The body is of a media type or encoding that is not read here.
    UnsupportedMediaType(String),
    /// The body is larger than `lakeward.server.maxBodyBytes`.
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The body did not arrive in time.
    SlowBody,
    /// The body broke off or was not valid HTTP.
    BrokenBody(String),
    /// The time limit of a request was over.
    TimedOut {
        /// The limit.
        limit: Duration,
        /// Whether a change may have been made, or may still be.
        is_outcome_unknown: bool,
    },
    /// An earlier attempt of the request was refused like this.
    Repeated(Refusal),
    /// The operation said no, or failed.
    Operation(OperationError),
}

impl From<OperationError> for Fault {
    fn from(error: OperationError) -> Self {
        Self::Operation(error)
    }
}

impl Fault {
    /// The stable code of a refusal because of read restrictions.
    pub const fn restriction_code(&self) -> Option<RestrictionCode> {
        match self {
            Self::Operation(error) => error.restriction_code(),
            Self::NoRoute { .. }
            | Self::WrongMethod { .. }
            | Self::NotAcceptable(_)
            | Self::UnsupportedMediaType(_)
            | Self::TooLarge { .. }
            | Self::SlowBody
            | Self::BrokenBody(_)
            | Self::Repeated(_)
            | Self::TimedOut { .. } => None,
        }
    }

    /// What the log should say beyond the message, if anything.
    pub fn detail(&self) -> Option<&str> {
        match self {
            Self::Operation(error) => error.detail(),
            Self::NoRoute { .. }
            | Self::WrongMethod { .. }
            | Self::NotAcceptable(_)
            | Self::UnsupportedMediaType(_)
            | Self::TooLarge { .. }
            | Self::SlowBody
            | Self::BrokenBody(_)
            | Self::Repeated(_)
            | Self::TimedOut { .. } => None,
        }
    }
}
