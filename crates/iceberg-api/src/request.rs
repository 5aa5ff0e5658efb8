// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Reading request bodies.

use serde::de::DeserializeOwned;

/// A body that is not the request it should be. The message says where and what; it belongs into a 400 answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// No JSON, a wrong type, an unknown, missing or repeated member, or a value that is refused.
    #[error("malformed request body: {0}")]
    Body(String),
    /// A query parameter that is refused.
    #[error("invalid query parameter `{name}`: {problem}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// What is wrong and what is expected.
        problem: String,
    },
    /// A path segment that names no namespace.
    #[error("invalid namespace `{text}`: {problem}")]
    Namespace {
        /// The segment as received.
        text: String,
        /// What is wrong.
        problem: &'static str,
    },
}

/// Reads a request body, which is always an object (serde alone would take an array of the members too).
///
/// # Errors
/// [`RequestError::Body`] with line and column.
pub fn parse_body<T: DeserializeOwned>(body: &[u8]) -> Result<T, RequestError> {
    let text = body.trim_ascii_start();
    if !text.is_empty() && !text.starts_with(b"{") {
        return Err(RequestError::Body("an object was expected".to_owned()));
    }
    serde_json::from_slice(body).map_err(|error| RequestError::Body(error.to_string()))
}
