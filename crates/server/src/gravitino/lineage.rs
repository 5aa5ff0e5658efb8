// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `POST /api/lineage`: run events of OpenLineage.

use http::{Method, StatusCode};
use lakeward_authorization::{Authorized, Requirement};
use lakeward_gravitino_api::error::{ErrorCode, ErrorResponse};
use lakeward_gravitino_api::lineage::{LineageRequest, RunEvent};
use lakeward_operations::OperationError;
use lakeward_operations::named::TheServer;

use super::understand::understand;
use crate::app::App;
use crate::http::body::Json;
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::reply::Reply;
use crate::http::routes::Routes;
use crate::lineage::{MAX_EVENT_BYTES, MAX_QUEUED_BYTES, NotTaken};

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default().mount::<ReceiveRunEvent>()
}

/// `POST /lineage`
#[derive(Debug)]
pub struct ReceiveRunEvent;

impl Endpoint for ReceiveRunEvent {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/lineage";
    const REQUIRES: Requirement = Requirement::Authenticated;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = Json<LineageRequest>;
    type Reply = Reply;

    async fn run(
        app: &App,
        _: &Request,
        _: Authorized<TheServer>,
        Json(body): Self::Body,
    ) -> Result<Reply, OperationError> {
        let RunEvent(event) = understand(body)?;
        let (status, code, kind, message) = match app.lineage.accept(&event) {
            Ok(()) => return Ok(Reply::status(StatusCode::CREATED)),
            Err(NotTaken::TooLarge) => (
                StatusCode::PAYLOAD_TOO_LARGE,
                ErrorCode::IllegalArguments,
                "IllegalArgumentException",
                format!("a run event has at most {MAX_EVENT_BYTES} bytes"),
            ),
            Err(NotTaken::QueueFull) => (
                StatusCode::TOO_MANY_REQUESTS,
                ErrorCode::Internal,
                "TooManyRequestsException",
                format!(
                    "as many run events wait as this server takes (`gravitino.lineage.queueCapacity`, and \
                     {MAX_QUEUED_BYTES} bytes); send it again later"
                ),
            ),
        };
        let body = ErrorResponse::new(code, kind, message);
        Ok(Reply::json(&body)?.with_status(status))
    }
}
