// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `…/schemas/{schema}/functions`

use http::Method;
use lakeward_authorization::{Authorized, Privilege, Requirement, Visibility};
use lakeward_gravitino_api::function::{
    FunctionDto, FunctionListResponse, FunctionRegisterRequest, FunctionResponse, FunctionUpdatesRequest,
};
use lakeward_gravitino_api::response::{DropResponse, EntityListResponse};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::paths::{FunctionPath, SchemaPath};
use serde::Serialize;

use super::understand::understand;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, Governance, ListEndpoint, Request};
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListFunctions>()
        .mount::<RegisterFunction>()
        .mount::<LoadFunction>()
        .mount::<AlterFunction>()
        .mount::<DropFunction>()
}

/// Names, or with `?details=true` the whole functions.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum FunctionList {
    /// The names.
    Names(EntityListResponse),
    /// The functions.
    Details(FunctionListResponse),
}

/// `GET …/functions?details=`
#[derive(Debug)]
pub struct ListFunctions;

impl ListEndpoint for ListFunctions {
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/functions";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Schema);
    const SHOWS: Requirement = *Requirement::load(ObjectKind::Function);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = SchemaPath;
    type Reply = FunctionList;

    async fn run(
        app: &App,
        request: &Request,
        schema: Authorized<SchemaPath>,
        shown: Visibility,
    ) -> Result<FunctionList, OperationError> {
        let operations = &app.operations;
        if request.parts.flag("details", false) {
            let functions = operations
                .list_functions_in_full(&request.call, schema, &shown)
                .await?;
            return Ok(FunctionList::Details(FunctionListResponse {
                code: 0,
                functions: functions.iter().map(FunctionDto::from).collect(),
            }));
        }
        let path = schema.get().clone();
        let names = operations.list_functions(&request.call, schema, &shown).await?;
        Ok(FunctionList::Names(EntityListResponse::under(
            &[&path.metalake, &path.catalog, &path.schema],
            names,
        )))
    }
}

/// `POST …/functions`
#[derive(Debug)]
pub struct RegisterFunction;

impl Endpoint for RegisterFunction {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/functions";
    const REQUIRES: Requirement = Requirement::CreateIn {
        parent: ObjectKind::Schema,
        holding: &[Privilege::RegisterFunction],
    };
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = SchemaPath;
    type Body = Json<FunctionRegisterRequest>;
    type Reply = FunctionResponse;

    async fn run(
        app: &App,
        request: &Request,
        schema: Authorized<SchemaPath>,
        Json(body): Self::Body,
    ) -> Result<FunctionResponse, OperationError> {
        let new = understand(body)?;
        let function = app
            .operations
            .register_function(&request.call, schema, new)
            .await?;
        Ok((&function).into())
    }
}

/// `GET …/functions/{function}`
#[derive(Debug)]
pub struct LoadFunction;

impl Endpoint for LoadFunction {
    const METHOD: Method = Method::GET;
    const PATH: &'static str =
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/functions/{function}";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Function);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = FunctionPath;
    type Body = NoBody;
    type Reply = FunctionResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<FunctionPath>,
        _: NoBody,
    ) -> Result<FunctionResponse, OperationError> {
        let function = app.operations.load_function(&request.call, path).await?;
        Ok((&function).into())
    }
}

/// `PUT …/functions/{function}`
#[derive(Debug)]
pub struct AlterFunction;

impl Endpoint for AlterFunction {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str =
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/functions/{function}";
    const REQUIRES: Requirement = Requirement::On {
        kind: ObjectKind::Function,
        holding: &[Privilege::ModifyFunction],
    };
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = FunctionPath;
    type Body = Json<FunctionUpdatesRequest>;
    type Reply = FunctionResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<FunctionPath>,
        Json(body): Self::Body,
    ) -> Result<FunctionResponse, OperationError> {
        let changes = understand(body)?;
        let function = app
            .operations
            .alter_function(&request.call, path, changes)
            .await?;
        Ok((&function).into())
    }
}

/// `DELETE …/functions/{function}`
#[derive(Debug)]
pub struct DropFunction;

impl Endpoint for DropFunction {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str =
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/functions/{function}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Function);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = FunctionPath;
    type Body = NoBody;
    type Reply = DropResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<FunctionPath>,
        _: NoBody,
    ) -> Result<DropResponse, OperationError> {
        let dropped = app.operations.drop_function(&request.call, path).await?;
        Ok(DropResponse::of(dropped))
    }
}
