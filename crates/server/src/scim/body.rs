// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Bodies of SCIM: JSON of a bounded size, read strictly.

use bytes::Bytes;
use http::HeaderMap;
use lakeward_operations::OperationError;
use lakeward_operations::error::Mistake;
use lakeward_scim_api::ScimType;
use serde_json::Value;

use super::MEDIA_TYPE;
use crate::http::body::FromBody;
use crate::http::fault::Fault;
use crate::http::media;
use crate::http::strict_json;

/// The largest body in bytes; a group of 10,000 members takes about half of it.
const MAX_BODY_BYTES: usize = 1 << 20;

/// A JSON body as `application/scim+json` or `application/json`.
#[derive(Debug, Clone)]
pub(super) struct ScimBody(pub(super) Value);

impl FromBody for ScimBody {
    fn from_body(headers: &HeaderMap, bytes: Bytes) -> Result<Self, Fault> {
        let syntax = |detail: String| {
            OperationError::mistake(Mistake::Directory(ScimType::InvalidSyntax.as_str()), detail)
        };
        if bytes.len() > MAX_BODY_BYTES {
            return Err(Fault::TooLarge {
                limit: MAX_BODY_BYTES as u64,
            });
        }
        if bytes.is_empty() {
            return Err(syntax("the request needs a JSON body".to_owned()).into());
        }
        media::check_body_of(headers, MEDIA_TYPE)?;
        let value = strict_json::parse(&bytes).map_err(|error| syntax(error.to_string()))?;
        Ok(Self(value))
    }
}
