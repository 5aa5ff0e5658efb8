// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The parameters of a token endpoint: a form in the body (RFC 6749, section 3.2).

use bytes::Bytes;
use http::{HeaderMap, header};
use lakeward_operations::OperationError;
use url::form_urlencoded;

use crate::http::body::FromBody;
use crate::http::fault::Fault;

const FORM: &str = "application/x-www-form-urlencoded";

/// See the module. Its values are secrets, so it is never shown.
#[derive(Clone)]
pub struct Form(Vec<(String, String)>);

impl FromBody for Form {
    fn from_body(headers: &HeaderMap, bytes: Bytes) -> Result<Self, Fault> {
        let kind = headers.get(header::CONTENT_TYPE).map(|value| value.as_bytes());
        let kind = kind.and_then(|value| value.split(|byte| *byte == b';').next());
        if !kind.is_some_and(|kind| kind.trim_ascii().eq_ignore_ascii_case(FORM.as_bytes())) {
            return Err(Fault::UnsupportedMediaType(format!(
                "the parameters must be sent as `{FORM}` in the body"
            )));
        }
        Ok(Self(form_urlencoded::parse(&bytes).into_owned().collect()))
    }
}

impl Form {
    /// The values of a parameter that may be given more than once.
    pub(super) fn all(&self, name: &str) -> Vec<String> {
        let of_name = self
            .0
            .iter()
            .filter(|(key, value)| key == name && !value.is_empty());
        of_name.map(|(_, value)| value.clone()).collect()
    }

    /// A parameter; one without a value is as good as left out.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] for one that is there more than once.
    pub(super) fn optional(&self, name: &str) -> Result<Option<String>, OperationError> {
        let mut values = self.all(name);
        let value = values.pop();
        if values.is_empty() {
            return Ok(value);
        }
        Err(OperationError::invalid(format!(
            "`{name}` is there more than once"
        )))
    }

    /// A parameter that must be there.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] for one that is missing or there more than once.
    pub(super) fn required(&self, name: &str) -> Result<String, OperationError> {
        self.optional(name)?
            .ok_or_else(|| OperationError::invalid(format!("`{name}` is required")))
    }
}
