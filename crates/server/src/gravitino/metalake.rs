// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `/api/metalakes`

use http::Method;
use lakeward_authorization::{Authorized, Requirement, Visibility};
use lakeward_gravitino_api::metalake::{
    MetalakeCreateRequest, MetalakeDto, MetalakeListResponse, MetalakeResponse, MetalakeUpdatesRequest,
    SetInUseRequest,
};
use lakeward_gravitino_api::response::{BaseResponse, DropResponse};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::named::TheServer;
use lakeward_operations::paths::MetalakePath;

use super::understand::understand;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, Governance, ListEndpoint, Request};
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListMetalakes>()
        .mount::<CreateMetalake>()
        .mount::<LoadMetalake>()
        .mount::<AlterMetalake>()
        .mount::<SetMetalakeInUse>()
        .mount::<DropMetalake>()
}

/// `GET /metalakes`
#[derive(Debug)]
pub struct ListMetalakes;

impl ListEndpoint for ListMetalakes {
    const PATH: &'static str = "/metalakes";
    const REQUIRES: Requirement = Requirement::Authenticated;
    const SHOWS: Requirement = Requirement::Member;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Reply = MetalakeListResponse;

    async fn run(
        app: &App,
        request: &Request,
        server: Authorized<TheServer>,
        shown: Visibility,
    ) -> Result<MetalakeListResponse, OperationError> {
        let metalakes = app
            .operations
            .list_metalakes(&request.call, server, &shown)
            .await?;
        Ok(MetalakeListResponse {
            code: 0,
            metalakes: metalakes.iter().map(MetalakeDto::from).collect(),
        })
    }
}

/// `POST /metalakes`
#[derive(Debug)]
pub struct CreateMetalake;

impl Endpoint for CreateMetalake {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes";
    const REQUIRES: Requirement = Requirement::ServiceAdministrator;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = Json<MetalakeCreateRequest>;
    type Reply = MetalakeResponse;

    async fn run(
        app: &App,
        request: &Request,
        server: Authorized<TheServer>,
        Json(body): Self::Body,
    ) -> Result<MetalakeResponse, OperationError> {
        let new = understand(body)?;
        let metalake = app.operations.create_metalake(&request.call, server, new).await?;
        Ok(MetalakeResponse::created(&metalake))
    }
}

/// `GET /metalakes/{metalake}`
#[derive(Debug)]
pub struct LoadMetalake;

impl Endpoint for LoadMetalake {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Metalake);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = MetalakePath;
    type Body = NoBody;
    type Reply = MetalakeResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<MetalakePath>,
        _: NoBody,
    ) -> Result<MetalakeResponse, OperationError> {
        let metalake = app.operations.load_metalake(&request.call, path).await?;
        Ok((&metalake).into())
    }
}

/// `PUT /metalakes/{metalake}`
#[derive(Debug)]
pub struct AlterMetalake;

impl Endpoint for AlterMetalake {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/metalakes/{metalake}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Metalake);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = MetalakePath;
    type Body = Json<MetalakeUpdatesRequest>;
    type Reply = MetalakeResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<MetalakePath>,
        Json(body): Self::Body,
    ) -> Result<MetalakeResponse, OperationError> {
        let changes = understand(body)?;
        let metalake = app
            .operations
            .alter_metalake(&request.call, path, changes)
            .await?;
        Ok(MetalakeResponse::altered(&metalake))
    }
}

/// `PATCH /metalakes/{metalake}`
#[derive(Debug)]
pub struct SetMetalakeInUse;

impl Endpoint for SetMetalakeInUse {
    const METHOD: Method = Method::PATCH;
    const PATH: &'static str = "/metalakes/{metalake}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Metalake);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = MetalakePath;
    type Body = Json<SetInUseRequest>;
    type Reply = BaseResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<MetalakePath>,
        Json(body): Self::Body,
    ) -> Result<BaseResponse, OperationError> {
        app.operations
            .switch_metalake(&request.call, path, body.in_use)
            .await?;
        Ok(BaseResponse::default())
    }
}

/// `DELETE /metalakes/{metalake}?force=`
#[derive(Debug)]
pub struct DropMetalake;

impl Endpoint for DropMetalake {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/metalakes/{metalake}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Metalake);
    const GOVERNANCE: Governance = Governance::Refuse;
    type Target = MetalakePath;
    type Body = NoBody;
    type Reply = DropResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<MetalakePath>,
        _: NoBody,
    ) -> Result<DropResponse, OperationError> {
        let force = request.parts.flag("force", false);
        let dropped = app.operations.drop_metalake(&request.call, path, force).await?;
        Ok(DropResponse::of(dropped))
    }
}
