// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Errors of the token endpoint in the form of RFC 6749, section 5.2.

use axum::body::Body;
use http::{HeaderValue, Response, StatusCode, header};
use lakeward_operations::OperationError;
use lakeward_operations::error::Mistake;
use serde_json::json;

use crate::gravitino::error::{message_with_id, status};
use crate::http::fault::Fault;

/// The answer to a fault.
pub fn answer(fault: &Fault, request_id: &str) -> Response<Body> {
    let status = status(fault);
    let (status, error) = classify(fault, status);
    let body = json!({"error": error, "error_description": message_with_id(fault, request_id)});
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn of_mistake(mistake: &Mistake) -> &'static str {
    if *mistake == Mistake::GrantType {
        "unsupported_grant_type"
    } else if *mistake == Mistake::Scope {
        "invalid_scope"
    } else if *mistake == Mistake::Target {
        "invalid_target"
    } else {
        "invalid_request"
    }
}

fn classify(fault: &Fault, status: StatusCode) -> (StatusCode, &'static str) {
    if let Fault::Operation(error) = fault {
        if matches!(
            error,
            OperationError::Unauthenticated(_) | OperationError::TokenExpired(_)
        ) {
            return (StatusCode::UNAUTHORIZED, "invalid_client");
        }
        if matches!(error, OperationError::Forbidden(_)) {
            return (StatusCode::BAD_REQUEST, "unauthorized_client");
        }
        if let OperationError::Invalid { mistake, .. } = error {
            return (StatusCode::BAD_REQUEST, of_mistake(mistake));
        }
    }
    let error = match status {
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => "temporarily_unavailable",
        status if status.is_client_error() => "invalid_request",
        _ => "server_error",
    };
    (status, error)
}
