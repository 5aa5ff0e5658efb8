// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `…/schemas/{schema}/models`; their versions are in [`super::model_version`].

use http::Method;
use lakeward_authorization::{Authorized, Privilege, Requirement, Visibility};
use lakeward_gravitino_api::model::{ModelRegisterRequest, ModelResponse, ModelUpdatesRequest};
use lakeward_gravitino_api::response::{DropResponse, EntityListResponse};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::paths::{ModelPath, SchemaPath};

use super::understand::understand;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, Governance, ListEndpoint, Request};
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListModels>()
        .mount::<RegisterModel>()
        .mount::<LoadModel>()
        .mount::<AlterModel>()
        .mount::<DeleteModel>()
}

/// `GET …/models`
#[derive(Debug)]
pub struct ListModels;

impl ListEndpoint for ListModels {
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/models";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Schema);
    const SHOWS: Requirement = *Requirement::load(ObjectKind::Model);
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
        let names = app.operations.list_models(&request.call, schema, &shown).await?;
        Ok(EntityListResponse::under(
            &[&path.metalake, &path.catalog, &path.schema],
            names,
        ))
    }
}

/// `POST …/models`
#[derive(Debug)]
pub struct RegisterModel;

impl Endpoint for RegisterModel {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/models";
    const REQUIRES: Requirement = Requirement::CreateIn {
        parent: ObjectKind::Schema,
        holding: &[Privilege::RegisterModel],
    };
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = SchemaPath;
    type Body = Json<ModelRegisterRequest>;
    type Reply = ModelResponse;

    async fn run(
        app: &App,
        request: &Request,
        schema: Authorized<SchemaPath>,
        Json(body): Self::Body,
    ) -> Result<ModelResponse, OperationError> {
        let new = understand(body)?;
        let model = app.operations.register_model(&request.call, schema, new).await?;
        Ok((&model).into())
    }
}

/// `GET …/models/{model}`
#[derive(Debug)]
pub struct LoadModel;

impl Endpoint for LoadModel {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/models/{model}";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Model);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ModelPath;
    type Body = NoBody;
    type Reply = ModelResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<ModelPath>,
        _: NoBody,
    ) -> Result<ModelResponse, OperationError> {
        let model = app.operations.load_model(&request.call, path).await?;
        Ok((&model).into())
    }
}

/// `PUT …/models/{model}`
#[derive(Debug)]
pub struct AlterModel;

impl Endpoint for AlterModel {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/models/{model}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Model);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ModelPath;
    type Body = Json<ModelUpdatesRequest>;
    type Reply = ModelResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<ModelPath>,
        Json(body): Self::Body,
    ) -> Result<ModelResponse, OperationError> {
        let changes = understand(body)?;
        let model = app.operations.alter_model(&request.call, path, changes).await?;
        Ok((&model).into())
    }
}

/// `DELETE …/models/{model}`, with all its versions.
#[derive(Debug)]
pub struct DeleteModel;

impl Endpoint for DeleteModel {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/models/{model}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Model);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ModelPath;
    type Body = NoBody;
    type Reply = DropResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<ModelPath>,
        _: NoBody,
    ) -> Result<DropResponse, OperationError> {
        let deleted = app.operations.delete_model(&request.call, path).await?;
        Ok(DropResponse::of(deleted))
    }
}
