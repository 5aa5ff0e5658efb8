// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `…/schemas/{schema}/views`

use http::Method;
use lakeward_authorization::{Authorized, Privilege, Requirement, Visibility};
use lakeward_gravitino_api::response::{DropResponse, EntityListResponse};
use lakeward_gravitino_api::view::{ViewCreateRequest, ViewResponse, ViewUpdatesRequest};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::paths::{SchemaPath, ViewPath};

use super::understand::understand;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, Governance, ListEndpoint, Request};
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListViews>()
        .mount::<CreateView>()
        .mount::<LoadView>()
        .mount::<AlterView>()
        .mount::<DropView>()
}

/// `GET …/views`
#[derive(Debug)]
pub struct ListViews;

impl ListEndpoint for ListViews {
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/views";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Schema);
    const SHOWS: Requirement = *Requirement::load(ObjectKind::View);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = SchemaPath;
    type Reply = EntityListResponse;

    async fn run(
        app: &App,
        request: &Request,
        schema: Authorized<SchemaPath>,
        shown: Visibility,
    ) -> Result<EntityListResponse, OperationError> {
        let path = schema.get().clone();
        let names = app.operations.list_views(&request.call, schema, &shown).await?;
        Ok(EntityListResponse::under(
            &[&path.metalake, &path.catalog, &path.schema],
            names,
        ))
    }
}

/// `POST …/views`
#[derive(Debug)]
pub struct CreateView;

impl Endpoint for CreateView {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/views";
    const REQUIRES: Requirement = Requirement::CreateIn {
        parent: ObjectKind::Schema,
        holding: &[Privilege::CreateView],
    };
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = SchemaPath;
    type Body = Json<ViewCreateRequest>;
    type Reply = ViewResponse;

    async fn run(
        app: &App,
        request: &Request,
        schema: Authorized<SchemaPath>,
        Json(body): Self::Body,
    ) -> Result<ViewResponse, OperationError> {
        let new = understand(body)?;
        let view = app.operations.create_view(&request.call, schema, new).await?;
        Ok((&view).into())
    }
}

/// `GET …/views/{view}`
#[derive(Debug)]
pub struct LoadView;

impl Endpoint for LoadView {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/views/{view}";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::View);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ViewPath;
    type Body = NoBody;
    type Reply = ViewResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<ViewPath>,
        _: NoBody,
    ) -> Result<ViewResponse, OperationError> {
        let view = app.operations.load_view(&request.call, path).await?;
        Ok((&view).into())
    }
}

/// `PUT …/views/{view}`. A rename changes the name in the schema, and no more.
#[derive(Debug)]
pub struct AlterView;

impl Endpoint for AlterView {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/views/{view}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::View);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ViewPath;
    type Body = Json<ViewUpdatesRequest>;
    type Reply = ViewResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<ViewPath>,
        Json(body): Self::Body,
    ) -> Result<ViewResponse, OperationError> {
        let changes = understand(body)?;
        let view = app.operations.alter_view(&request.call, path, changes).await?;
        Ok((&view).into())
    }
}

/// `DELETE …/views/{view}`
#[derive(Debug)]
pub struct DropView;

impl Endpoint for DropView {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/views/{view}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::View);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ViewPath;
    type Body = NoBody;
    type Reply = DropResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<ViewPath>,
        _: NoBody,
    ) -> Result<DropResponse, OperationError> {
        let dropped = app.operations.drop_view(&request.call, path).await?;
        Ok(DropResponse::of(dropped))
    }
}
