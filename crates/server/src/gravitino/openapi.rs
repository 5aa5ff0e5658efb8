// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `GET /openapi.json`: what this server serves.

use http::Method;
use lakeward_authorization::{Authorized, Requirement};
use lakeward_operations::OperationError;
use lakeward_operations::named::TheServer;
use serde_json::Value;

use crate::app::App;
use crate::http::body::NoBody;
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::routes::Routes;

/// The endpoints of this file; they lie beside `/api`.
pub fn routes() -> Routes {
    Routes::default().mount::<GetOpenApi>()
}

/// `GET /openapi.json`
#[derive(Debug)]
pub struct GetOpenApi;

impl Endpoint for GetOpenApi {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/openapi.json";
    const REQUIRES: Requirement = Requirement::Public;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = NoBody;
    type Reply = Value;

    async fn run(_: &App, _: &Request, _: Authorized<TheServer>, _: NoBody) -> Result<Value, OperationError> {
        Ok(crate::openapi::document(&crate::listing::all_routes()))
    }
}
