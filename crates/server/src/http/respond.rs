// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! From a raw request to its endpoint and back: request id, route, panics.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::body::Body;
use futures::FutureExt;
use http::{HeaderName, HeaderValue, Method, Response, header};
use lakeward_operations::OperationError;
use lakeward_operations::step::Step;

use super::answer::Incoming;
use super::connection::Connection;
use super::cross_origin;
use super::fault::Fault;
use super::parts::Parts;
use super::read_body::BodyReader;
use super::route_table::Lookup;
use super::routes::{Router, Tree};
use super::server_proof::ServerProof;
use crate::app::App;
use crate::audit::record::{Decision, Record};
use crate::authentication::Identity;
use crate::config::cross_origin::CrossOriginSettings;
use crate::config::settings::AuthenticatorKind;
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
    let challenges = challenges(&app, &head.headers);
    let tree = Tree::of_path(head.uri.path());
    let idle = app.settings.server.idle_timeout;
    let origin = head.headers.get(header::ORIGIN).cloned();
    let cross_origin = router.cross_origin();
    if let Some(mut response) =
        cross_origin.and_then(|settings| cross_origin::preflight(settings, &head.method, &head.headers))
    {
        finish(&mut response, &request_id, cross_origin, origin.as_ref());
        return response;
    }
    let proof = ServerProof::default();
    let raw = Raw {
        connection,
        head,
        body: BodyReader::new(body, idle),
        proof: proof.clone(),
    };
    let answering = AssertUnwindSafe(route(app, &router, raw, &request_id));
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
    finish(&mut response, &request_id, cross_origin, origin.as_ref());
    proof.finish(response.status(), response.headers_mut(), challenges);
    if is_head { without_body(response) } else { response }
}

/// What browsers are told with every answer: its type is what it says, and no page may frame it or learn where it was
/// asked from. `Strict-Transport-Security` is not among them: it holds for all ports of a host, and not every listener need have
/// TLS.
const FOR_BROWSERS: [(HeaderName, &str); 3] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
];

/// The headers of every answer.
fn finish(
    response: &mut Response<Body>,
    request_id: &str,
    cross_origin: Option<&CrossOriginSettings>,
    origin: Option<&HeaderValue>,
) {
    if let Some(settings) = cross_origin {
        cross_origin::admit(settings, origin, response);
    }
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(request_id) {
        headers.insert(REQUEST_ID_HEADER, value);
    }
    for (name, value) in FOR_BROWSERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// What a 401 asks for: tokens (RFC 6750) and tickets (RFC 4559), where they are read. Passwords are not asked for, since a
/// browser would ask its user.
fn challenges(app: &App, headers: &http::HeaderMap) -> impl Iterator<Item = &'static str> + use<> {
    let tickets = app.settings.kerberos.is_some().then_some("Negotiate");
    bearer_challenge(app, headers).into_iter().chain(tickets)
}

fn bearer_challenge(app: &App, headers: &http::HeaderMap) -> Option<&'static str> {
    // The reason is in the body, in the form of the protocol.
    let has_token = headers.get(header::AUTHORIZATION).is_some_and(|value| {
        let scheme = value.as_bytes().split(|byte| *byte == b' ').next();
        scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"bearer"))
    });
    if has_token && reads_tokens(app) {
        return Some("Bearer realm=\"lakeward\", error=\"invalid_token\"");
    }
    app.settings.oauth.as_ref()?;
    Some("Bearer realm=\"lakeward\"")
}

/// Tokens of an issuer, or of local accounts.
fn reads_tokens(app: &App) -> bool {
    app.settings.oauth.is_some() || app.settings.authenticators.contains(&AuthenticatorKind::Basic)
}

/// A request that has not found its endpoint yet.
struct Raw {
    connection: Connection,
    head: http::request::Parts,
    body: BodyReader,
    proof: ServerProof,
}

async fn route(app: Arc<App>, router: &Router, raw: Raw, request_id: &str) -> Response<Body> {
    let Raw {
        connection,
        head,
        body,
        proof,
    } = raw;
    let path = head.uri.path();
    let remote = connection.remote;
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
                        proof,
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
    if tree == Tree::Beside {
        return fault_answer(tree, &fault, request_id, &Asked::default());
    }
    // Who has no identity does not learn which paths exist.
    let fault = match identify(&app, tree, &head.headers, remote, request_id).await {
        Ok(identity) => {
            proof.identified(&identity);
            return fault_answer(tree, &fault, request_id, &Asked::default());
        }
        Err(fault) => fault,
    };
    let response = fault_answer(tree, &fault, request_id, &Asked::default());
    let decision = if response.status().is_client_error() {
        Decision::Refused
    } else {
        Decision::Failed
    };
    let mut record = Record::of(request_id, "NoRoute", decision);
    record.path = path;
    record.remote = remote;
    record.status = Some(response.status().as_u16());
    app.note(&record);
    response
}

/// Who asks for what is not there, within the time of a request.
async fn identify(
    app: &App,
    tree: Tree,
    headers: &http::HeaderMap,
    remote: Option<IpAddr>,
    request_id: &str,
) -> Result<Identity, Fault> {
    let now = app.operations.clock().millis();
    app.rates.count_address(remote, now)?;
    let limit = app.settings.server.request_timeout;
    let authenticated = app.authentication.authenticate_in(tree, headers, remote);
    let identified = app
        .operations
        .steps()
        .pass(Step::Identity, request_id, authenticated);
    match tokio::time::timeout(limit, identified).await {
        Ok(identified) => Ok(identified?),
        Err(_elapsed) => Err(Fault::TimedOut {
            limit,
            is_outcome_unknown: false,
        }),
    }
}

/// A fault in the form of its protocol.
pub(super) fn fault_answer(tree: Tree, fault: &Fault, request_id: &str, asked: &Asked) -> Response<Body> {
    let mut response = match tree {
        Tree::Native | Tree::Beside => crate::gravitino::error::answer(fault, request_id),
        Tree::Oauth => crate::token_exchange::error::answer(fault, request_id),
        Tree::Iceberg => crate::iceberg::error::answer(fault, request_id, asked),
        Tree::Scim => crate::scim::error::answer(fault, request_id),
    };
    if let Fault::Operation(error) = fault
        && let Some(seconds) = error.retry_after()
    {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
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
