// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `/api/authn/me`: who the server takes the caller for, and what callers do with their own accounts.

use http::Method;
use lakeward_authorization::{Authorized, Requirement};
use lakeward_gravitino_api::identity_provider::{PasswordChange, PasswordChangeRequest};
use lakeward_gravitino_api::response::BaseResponse;
use lakeward_operations::OperationError;
use lakeward_operations::named::TheServer;
use serde::Serialize;

use crate::app::App;
use crate::gravitino::identity_provider::require_basic;
use crate::http::body::{Checked, NoBody};
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default().mount::<WhoAmI>().mount::<ChangePassword>()
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

/// `PUT /authn/me/password`: another password for the caller's own local account.
#[derive(Debug)]
pub struct ChangePassword;

impl Endpoint for ChangePassword {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/authn/me/password";
    const REQUIRES: Requirement = Requirement::Authenticated;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = Checked<PasswordChangeRequest, PasswordChange>;
    type Reply = BaseResponse;

    async fn run(
        app: &App,
        request: &Request,
        server: Authorized<TheServer>,
        Checked(change, _): Self::Body,
    ) -> Result<BaseResponse, OperationError> {
        require_basic(app)?;
        app.operations
            .change_password(&request.call, server, change.old.reveal(), change.new.reveal())
            .await?;
        Ok(BaseResponse::default())
    }
}
