// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! SCIM 2.0 below `/scim/v2`: identity providers push users and groups. Provisioners only, in every mode. Where it is
//! switched off every call says so with 501.

use http::{HeaderName, StatusCode, header};
use lakeward_operations::OperationError;
use lakeward_operations::error::Mistake;
use lakeward_scim_api::projection::{Projection, names};
use lakeward_scim_api::{Attributes, ScimError};
use serde_json::Value;

use crate::app::App;
use crate::http::endpoint::Request;
use crate::http::parts::Parts;
use crate::http::reply::Reply;
use crate::http::routes::Routes;

mod body;
mod discovery;
pub mod error;
mod resource;
mod search;

/// The media type of every body.
const MEDIA_TYPE: &str = "application/scim+json";

/// Every endpoint of the protocol.
pub fn routes() -> Routes {
    discovery::routes()
        .and(search::routes())
        .and(resource::routes::<lakeward_metadata::directory::DirectoryUser>())
        .and(resource::routes::<lakeward_metadata::directory::DirectoryGroup>())
}

/// A mistake in the words of the domain, with its `scimType`.
fn wrong(error: ScimError) -> OperationError {
    OperationError::mistake(Mistake::Directory(error.kind.as_str()), error.detail)
}

/// Refuses where it is switched off.
fn require_enabled(app: &App) -> Result<(), OperationError> {
    if app.settings.scim.enabled {
        return Ok(());
    }
    Err(OperationError::Unsupported(
        "users and groups cannot be pushed to this server: set `lakeward.scim.enabled = true`".to_owned(),
    ))
}

/// The address of the protocol as the client sees it.
fn base(app: &App, parts: &Parts) -> String {
    let host = parts
        .headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let server = match (&app.settings.scim.base_url, host) {
        (Some(url), _) => url.clone(),
        (None, Some(host)) => format!("http://{host}"),
        (None, None) => String::new(),
    };
    format!("{server}/scim/v2")
}

/// What the query says of the attributes of the answer.
fn projection(request: &Request) -> Projection {
    let named = |wanted: &str| {
        let mut queries = request.parts.queries().iter();
        let found = queries.find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.map(|(_, value)| names(value)).unwrap_or_default()
    };
    Projection {
        attributes: named("attributes"),
        excluded: named("excludedAttributes"),
    }
}

/// 200 with a body of the protocol.
fn reply(value: &Value) -> Result<Reply, OperationError> {
    let bytes = serde_json::to_vec(value).map_err(OperationError::internal)?;
    Ok(Reply::bytes(MEDIA_TYPE, bytes.into()))
}

/// A resource with its entity tag and its place.
fn resource_reply(
    status: StatusCode,
    whole: &Attributes,
    chosen: Attributes,
) -> Result<Reply, OperationError> {
    let mut answer = reply(&Value::Object(chosen))?.with_status(status);
    let headers: [(HeaderName, &str); 2] = [(header::ETAG, "version"), (header::LOCATION, "location")];
    for (name, part) in headers {
        let value = whole
            .get("meta")
            .and_then(|meta| meta.get(part))
            .and_then(Value::as_str);
        if let Some(value) = value.filter(|_| name == header::ETAG || status == StatusCode::CREATED) {
            answer = answer.with_header(name, value)?;
        }
    }
    Ok(answer)
}
