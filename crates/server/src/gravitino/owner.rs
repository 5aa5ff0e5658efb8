// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Owners of objects.

use http::Method;
use lakeward_authorization::{Authorized, Requirement};
use lakeward_gravitino_api::owner::{OwnerResponse, OwnerSetRequest};
use lakeward_gravitino_api::response::SetResponse;
use lakeward_operations::OperationError;
use lakeward_operations::paths::ObjectPath;

use super::understand::understand;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default().mount::<LoadOwner>().mount::<SetOwner>()
}

/// `GET …/owners/{type}/{fullName}`
#[derive(Debug)]
pub struct LoadOwner;

impl Endpoint for LoadOwner {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/owners/{type}/{fullName}";
    const REQUIRES: Requirement = Requirement::AccessTo;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Body = NoBody;
    type Reply = OwnerResponse;

    async fn run(
        app: &App,
        request: &Request,
        object: Authorized<ObjectPath>,
        _: NoBody,
    ) -> Result<OwnerResponse, OperationError> {
        let owner = app.operations.load_owner(&request.call, object).await?;
        Ok(OwnerResponse::from(owner.as_ref()))
    }
}

/// `PUT …/owners/{type}/{fullName}`
#[derive(Debug)]
pub struct SetOwner;

impl Endpoint for SetOwner {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/metalakes/{metalake}/owners/{type}/{fullName}";
    const REQUIRES: Requirement = Requirement::SetOwner;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Body = Json<OwnerSetRequest>;
    type Reply = SetResponse;

    async fn run(
        app: &App,
        request: &Request,
        object: Authorized<ObjectPath>,
        Json(body): Self::Body,
    ) -> Result<SetResponse, OperationError> {
        let owner = understand(body)?;
        app.operations.set_owner(&request.call, object, owner).await?;
        Ok(SetResponse::done())
    }
}
