// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `GET /api/version`

use http::Method;
use lakeward_authorization::{Authorized, Requirement};
use lakeward_gravitino_api::version::{VersionDto, VersionResponse};
use lakeward_operations::OperationError;
use lakeward_operations::named::TheServer;

use crate::app::App;
use crate::http::body::NoBody;
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::routes::Routes;

/// The version of the protocol that is spoken. Clients refuse a server older than themselves, so it is the newest one
/// that this server was compared with.
const PROTOCOL_VERSION: &str = "2.0.0";

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default().mount::<GetVersion>()
}

/// `GET /version`
#[derive(Debug)]
pub struct GetVersion;

impl Endpoint for GetVersion {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/version";
    const REQUIRES: Requirement = Requirement::Authenticated;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = NoBody;
    type Reply = VersionResponse;

    async fn run(
        _: &App,
        _: &Request,
        _: Authorized<TheServer>,
        _: NoBody,
    ) -> Result<VersionResponse, OperationError> {
        Ok(VersionResponse {
            code: 0,
            version: VersionDto {
                version: PROTOCOL_VERSION.to_owned(),
                // The build is reproducible, so it carries neither time nor place; clients want members that parse.
                compile_date: option_env!("LAKEWARD_COMPILE_DATE")
                    .unwrap_or("01/01/2026 00:00:00")
                    .to_owned(),
                git_commit: option_env!("LAKEWARD_GIT_COMMIT")
                    .unwrap_or("0000000000000000000000000000000000000000")
                    .to_owned(),
            },
            lakeward: Some(env!("CARGO_PKG_VERSION").to_owned()),
        })
    }
}
