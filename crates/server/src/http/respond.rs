// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! From a raw request to its endpoint and back: request id, route, panics, one log line.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use futures::FutureExt;
use http::{HeaderName, HeaderValue, Method, Response, StatusCode, header};
use lakeward_operations::OperationError;

use super::answer::Incoming;
use super::connection::Connection;
use super::fault::Fault;
use super::metrics::Metrics;
use super::parts::Parts;
use super::read_body::BodyReader;
use super::route_table::Lookup;
use super::routes::{Router, Tree};
use crate::app::App;
use crate::iceberg::error::Asked;

/// On every answer.
pub const REQUEST_ID_HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// Answers one request of any listener. Never fails and never panics.
pub async fn respond(
    app: Arc<App>,
    router: Arc<Router>,
    connection: Connection,
    request: http::Request<Body>,
) -> Response<Body> {
    let (head, body) = request.into_parts();
    let request_id = request_id(&head.headers);
    let is_head = head.method == Method::HEAD;
    let challenge = challenge(&app, &head.headers);
    let tree = Tree::of_path(head.uri.path());
    let idle = app.settings.server.idle_timeout;
    let answering = AssertUnwindSafe(route(app, &router, connection, head, body, &request_id, idle));
    let mut response = match answering.catch_unwind().await {
        Ok(response) => response,
        Err(_panic) => {
            tracing::error!(request_id, "an endpoint panicked");
            fault_answer(
                tree,
                &Fault::Operation(OperationError::internal("panic")),
                &request_id,
                &Asked::default(),
            )
        }
    };
    if let Ok(value) = HeaderValue::from_str(&request_id) {
        response.headers_mut().insert(REQUEST_ID_HEADER, value);
    }
    response.headers_mut().insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    if response.status() == StatusCode::UNAUTHORIZED
        && let Some(challenge) = challenge
    {
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    }
    if is_head { without_body(response) } else { response }
}

/// What a 401 asks for (RFC 6750), where tokens are read. No other scheme is asked for, since a browser would ask its user
/// for a password.
fn challenge(app: &App, headers: &http::HeaderMap) -> Option<&'static str> {
    app.settings.oauth.as_ref()?;
    // The reason is in the body, in the form of the protocol.
    let has_token = headers.get(header::AUTHORIZATION).is_some_and(|value| {
        let scheme = value.as_bytes().split(|byte| *byte == b' ').next();
        scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"bearer"))
    });
    Some(if has_token {
        "Bearer realm=\"lakeward\", error=\"invalid_token\""
    } else {
        "Bearer realm=\"lakeward\""
    })
}

async fn route(
    app: Arc<App>,
    router: &Router,
    connection: Connection,
    head: http::request::Parts,
    body: Body,
    request_id: &str,
    idle: Duration,
) -> Response<Body> {
    let path = head.uri.path();
    let body = BodyReader::new(body, idle);
    let fault = match router.lookup(&head.method, path) {
        Lookup::Found { value, parameters } => {
            match Parts::new(parameters, head.uri.query(), head.headers, path) {
                Ok(parts) => {
                    let incoming = Incoming {
                        mounted: value.clone(),
                        method: head.method,
                        parts,
                        body,
                        connection,
                        request_id: request_id.to_owned(),
                    };
                    return (value.run)(app, incoming).await;
                }
                Err(error) => {
                    return fault_answer(
                        value.tree,
                        &Fault::Operation(error),
                        request_id,
                        &Asked::default(),
                    );
                }
            }
        }
        Lookup::WrongMethod(allowed) => Fault::WrongMethod {
            method: head.method.clone(),
            allowed,
        },
        Lookup::Nothing => Fault::NoRoute {
            path: path.to_owned(),
        },
    };
    let tree = Tree::of_path(path);
    // Who has no identity does not learn which paths exist.
    if tree != Tree::Beside
        && let Err(error) = app.authentication.authenticate(&head.headers).await
    {
        return fault_answer(tree, &Fault::Operation(error), request_id, &Asked::default());
    }
    fault_answer(tree, &fault, request_id, &Asked::default())
}

/// What became of a request, for its answer and its log line.
pub(super) struct Outcome {
    pub(super) user: String,
    tree: Tree,
    asked: Asked,
    operation: &'static str,
    method: Method,
    path: String,
    remote: Option<std::net::IpAddr>,
    request_id: String,
    started: Instant,
}

impl Outcome {
    pub(super) fn new(incoming: &Incoming) -> Self {
        Self {
            user: String::new(),
            tree: incoming.mounted.tree,
            asked: match incoming.mounted.tree {
                Tree::Iceberg => Asked::of(&incoming.parts),
                Tree::Native | Tree::Beside => Asked::default(),
            },
            operation: incoming.mounted.operation,
            method: incoming.method.clone(),
            path: incoming.parts.raw_path.clone(),
            remote: incoming.connection.remote,
            request_id: incoming.request_id.clone(),
            started: Instant::now(),
        }
    }

    pub(super) fn finish(self, metrics: &Metrics, result: Result<Response<Body>, Fault>) -> Response<Body> {
        let (response, message, detail) = match result {
            Ok(response) => (response, None, None),
            Err(fault) => {
                let fault = self.asked.see(fault);
                let message = crate::gravitino::error::message(&fault);
                let detail = fault.detail().map(str::to_owned);
                (
                    fault_answer(self.tree, &fault, &self.request_id, &self.asked),
                    Some(message),
                    detail,
                )
            }
        };
        metrics.count(self.operation, response.status(), self.started.elapsed());
        self.log(response.status(), message.as_deref(), detail.as_deref());
        response
    }

    /// One line in the audit per change and per refusal, one in the trace per read; the cause of a failure beside.
    fn log(&self, status: StatusCode, message: Option<&str>, detail: Option<&str>) {
        let is_read = self.method == Method::GET || self.method == Method::HEAD;
        let is_refusal = matches!(
            status,
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::NOT_ACCEPTABLE
        );
        let micros = u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX);
        if is_read && !is_refusal {
            tracing::debug!(
                target: "request",
                request_id = self.request_id, user = self.user, operation = self.operation,
                method = %self.method, path = self.path, status = status.as_u16(), micros,
            );
        } else {
            tracing::info!(
                target: "audit",
                request_id = self.request_id, user = self.user, operation = self.operation,
                method = %self.method, path = self.path, remote = ?self.remote, status = status.as_u16(),
                reason = message, micros,
            );
        }
        if let Some(detail) = detail {
            tracing::error!(
                request_id = self.request_id,
                status = status.as_u16(),
                detail,
                "a request failed"
            );
        }
    }
}

/// A fault in the form of its protocol.
fn fault_answer(tree: Tree, fault: &Fault, request_id: &str, asked: &Asked) -> Response<Body> {
    let mut response = match tree {
        Tree::Native | Tree::Beside => crate::gravitino::error::answer(fault, request_id),
        Tree::Iceberg => crate::iceberg::error::answer(fault, request_id, asked),
    };
    if let Fault::WrongMethod { allowed, .. } = fault {
        let names: Vec<&str> = allowed.iter().map(Method::as_str).collect();
        if let Ok(value) = HeaderValue::from_str(&names.join(", ")) {
            response.headers_mut().insert(header::ALLOW, value);
        }
    }
    response
}

/// The client's own id where it is a harmless token, else a new one.
fn request_id(headers: &http::HeaderMap) -> String {
    let harmless = |text: &&str| {
        (1..=64).contains(&text.len())
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
    };
    headers
        .get(REQUEST_ID_HEADER)
        .and_then(|value| value.to_str().ok())
        .filter(harmless)
        .map_or_else(|| uuid::Uuid::now_v7().to_string(), str::to_owned)
}

/// HEAD: the headers of GET, with the length that its body would have.
fn without_body(response: Response<Body>) -> Response<Body> {
    let (mut head, body) = response.into_parts();
    let length = axum::body::HttpBody::size_hint(&body).exact();
    if let Some(length) = length.filter(|length| *length > 0) {
        head.headers
            .insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    Response::from_parts(head, Body::empty())
}

#[cfg(test)]
mod tests;
