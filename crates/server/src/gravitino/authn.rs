// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `GET /api/authn/me`: who the server takes the caller for.

use http::Method;
use lakeward_authorization::{Authorized, Requirement};
use lakeward_operations::OperationError;
use lakeward_operations::named::TheServer;
use serde::Serialize;

use crate::app::App;
use crate::http::body::NoBody;
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default().mount::<WhoAmI>()
}

/// `{"code":0,"principal":"alice"}`
#[derive(Debug, Serialize)]
pub struct PrincipalResponse {
    code: u16,
    principal: String,
}

/// `GET /authn/me`
#[derive(Debug)]
pub struct WhoAmI;

impl Endpoint for WhoAmI {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/authn/me";
    const REQUIRES: Requirement = Requirement::Authenticated;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = NoBody;
    type Reply = PrincipalResponse;

    async fn run(
        _: &App,
        request: &Request,
        _: Authorized<TheServer>,
        _: NoBody,
    ) -> Result<PrincipalResponse, OperationError> {
        Ok(PrincipalResponse {
            code: 0,
            principal: request.call.user().to_owned(),
        })
    }
}
