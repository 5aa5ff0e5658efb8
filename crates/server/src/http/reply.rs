// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What an endpoint answers.

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode, header};
use lakeward_operations::OperationError;
use serde::Serialize;

/// A value that becomes an HTTP answer. Every serializable value is 200 with JSON.
pub trait IntoReply: Send {
    /// Makes the answer.
    ///
    /// # Errors
    /// [`OperationError::Internal`] when the value cannot be written as JSON.
    fn into_reply(self) -> Result<Response<Body>, OperationError>;
}

impl<T: Serialize + Send> IntoReply for T {
    fn into_reply(self) -> Result<Response<Body>, OperationError> {
        Reply::json(&self)?.into_reply()
    }
}

/// 204 without a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoContent;

impl IntoReply for NoContent {
    fn into_reply(self) -> Result<Response<Body>, OperationError> {
        Reply::status(StatusCode::NO_CONTENT).into_reply()
    }
}

/// An answer with a status, headers and bytes of its own.
#[derive(Debug, Clone)]
pub struct Reply {
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Bytes,
}

impl Reply {
    /// An empty answer with this status.
    pub fn status(status: StatusCode) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Bytes::new(),
        }
    }

    /// 200 with `value` as `application/json`.
    ///
    /// # Errors
    /// [`OperationError::Internal`] when it cannot be written.
    pub fn json<T: Serialize>(value: &T) -> Result<Self, OperationError> {
        let body = serde_json::to_vec(value).map_err(OperationError::internal)?;
        Ok(Self::bytes("application/json", body.into()))
    }

    /// 200 with these bytes.
    pub fn bytes(content_type: &'static str, body: Bytes) -> Self {
        Self {
            status: StatusCode::OK,
            headers: vec![(header::CONTENT_TYPE, HeaderValue::from_static(content_type))],
            body,
        }
    }

    /// The same with another status.
    #[must_use]
    pub fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// The same with one header more; a value that is no header text is an internal error.
    ///
    /// # Errors
    /// [`OperationError::Internal`].
    pub fn with_header(mut self, name: HeaderName, value: &str) -> Result<Self, OperationError> {
        let value = HeaderValue::from_str(value).map_err(OperationError::internal)?;
        self.headers.retain(|(known, _)| *known != name);
        self.headers.push((name, value));
        Ok(self)
    }
}

impl IntoReply for Reply {
    fn into_reply(self) -> Result<Response<Body>, OperationError> {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = self.status;
        response.headers_mut().extend(self.headers);
        Ok(response)
    }
}
