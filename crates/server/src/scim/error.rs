// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! SCIM's form of everything that can go wrong.

use axum::body::Body;
use http::{HeaderValue, Response, StatusCode, header};
use lakeward_operations::OperationError;
use lakeward_operations::error::Mistake;
use lakeward_scim_api::ScimType;
use lakeward_scim_api::error::error_body;

use super::MEDIA_TYPE;
use crate::gravitino::error::{message_with_id, status};
use crate::http::fault::Fault;

/// The answer to a fault.
pub fn answer(fault: &Fault, request_id: &str) -> Response<Body> {
    let scim_type = if let Fault::Operation(OperationError::Invalid {
        mistake: Mistake::Directory(word),
        ..
    }) = fault
    {
        Some(*word)
    } else {
        None
    };
    let status = if matches!(fault, Fault::Operation(OperationError::Unsupported(_))) {
        StatusCode::NOT_IMPLEMENTED
    } else if scim_type == Some(ScimType::Uniqueness.as_str()) {
        StatusCode::CONFLICT
    } else {
        status(fault)
    };
    let detail = if let Fault::TooLarge { limit } = fault {
        // The limit of this protocol is not that of the server.
        format!("the body is larger than the limit of {limit} bytes")
    } else {
        message_with_id(fault, request_id)
    };
    let body = error_body(status.as_u16(), scim_type, &detail);
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    response
}
