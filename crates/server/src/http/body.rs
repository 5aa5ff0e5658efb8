// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What an endpoint takes as body.

use std::marker::PhantomData;

use bytes::Bytes;
use http::HeaderMap;
use lakeward_gravitino_api::request::RequestError;
use lakeward_operations::OperationError;
use serde::de::DeserializeOwned;

use super::fault::Fault;
use super::media;
use super::strict_json;

/// A body type of an endpoint.
pub trait FromBody: Sized + Send + Sync + 'static {
    /// Whether the body is read at all; one that is not is drained and ignored.
    const READ: bool = true;

    /// Reads the whole body.
    ///
    /// # Errors
    /// [`Fault`] for a wrong media type or a malformed text.
    fn from_body(headers: &HeaderMap, bytes: Bytes) -> Result<Self, Fault>;
}

/// No body: whatever is sent is ignored, as the original does for GET and DELETE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoBody;

impl FromBody for NoBody {
    const READ: bool = false;

    fn from_body(_: &HeaderMap, _: Bytes) -> Result<Self, Fault> {
        Ok(Self)
    }
}

/// A required JSON body, read strictly ([`strict_json`]). Unknown members are refused by `T` itself
/// (`#[serde(deny_unknown_fields)]`).
#[derive(Debug, Clone)]
pub struct Json<T>(pub T);

impl<T: DeserializeOwned + Send + Sync + 'static> FromBody for Json<T> {
    fn from_body(headers: &HeaderMap, bytes: Bytes) -> Result<Self, Fault> {
        if bytes.is_empty() {
            return Err(OperationError::invalid("the request needs a JSON body").into());
        }
        media::check_json_body(headers)?;
        parse(&bytes).map(Self)
    }
}

/// A JSON body of the native protocol whose validation into domain values is part of reading it: `R` is what is sent,
/// `T` what it means.
#[derive(Debug, Clone)]
pub struct Checked<R, T>(pub T, pub PhantomData<fn() -> R>);

impl<R, T> FromBody for Checked<R, T>
where
    R: DeserializeOwned + Send + Sync + 'static,
    T: TryFrom<R, Error = RequestError> + Send + Sync + 'static,
{
    fn from_body(headers: &HeaderMap, bytes: Bytes) -> Result<Self, Fault> {
        let Json(raw) = Json::<R>::from_body(headers, bytes)?;
        let value = T::try_from(raw).map_err(crate::gravitino::body_error::body_error)?;
        Ok(Self(value, PhantomData))
    }
}

/// A JSON body that may be left out.
#[derive(Debug, Clone)]
pub struct OptionalJson<T>(pub Option<T>);

impl<T: DeserializeOwned + Send + Sync + 'static> FromBody for OptionalJson<T> {
    fn from_body(headers: &HeaderMap, bytes: Bytes) -> Result<Self, Fault> {
        if bytes.is_empty() {
            return Ok(Self(None));
        }
        media::check_json_body(headers)?;
        parse(&bytes).map(|value| Self(Some(value)))
    }
}

/// A JSON body whose form depends on the version of its media type: `application/vnd.gravitino.v2+json` is `V2`,
/// everything else `V1`.
#[derive(Debug, Clone)]
pub enum Versioned<V1, V2> {
    /// The body of `application/json` and version 1.
    V1(V1),
    /// The body of version 2.
    V2(V2),
}

impl<V1, V2> FromBody for Versioned<V1, V2>
where
    V1: DeserializeOwned + Send + Sync + 'static,
    V2: DeserializeOwned + Send + Sync + 'static,
{
    fn from_body(headers: &HeaderMap, bytes: Bytes) -> Result<Self, Fault> {
        if bytes.is_empty() {
            return Err(OperationError::invalid("the request needs a JSON body").into());
        }
        media::check_json_body(headers)?;
        match media::content_version(headers) {
            Some(2) => parse(&bytes).map(Self::V2),
            Some(_) | None => parse(&bytes).map(Self::V1),
        }
    }
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Fault> {
    strict_json::parse(bytes).map_err(|error| OperationError::invalid(error.to_string()).into())
}
