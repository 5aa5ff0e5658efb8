// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Credentials of objects.

use http::Method;
use lakeward_authorization::{Authorized, Requirement};
use lakeward_gravitino_api::credential::CredentialListResponse;
use lakeward_operations::OperationError;
use lakeward_operations::paths::ObjectPath;

use crate::app::App;
use crate::http::body::NoBody;
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default().mount::<ListCredentials>()
}

/// `GET …/objects/{type}/{fullName}/credentials`
#[derive(Debug)]
pub struct ListCredentials;

impl Endpoint for ListCredentials {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/objects/{type}/{fullName}/credentials";
    const REQUIRES: Requirement = Requirement::AccessTo;
    const GOVERNANCE: Governance = Governance::Refuse;
    type Target = ObjectPath;
    type Body = NoBody;
    type Reply = CredentialListResponse;

    async fn run(
        app: &App,
        request: &Request,
        object: Authorized<ObjectPath>,
        _: NoBody,
    ) -> Result<CredentialListResponse, OperationError> {
        app.operations
            .require_no_credentials(&request.call, object)
            .await?;
        Ok(CredentialListResponse::default())
    }
}
