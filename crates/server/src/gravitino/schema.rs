// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `/api/metalakes/{metalake}/catalogs/{catalog}/schemas`

use http::Method;
use lakeward_authorization::{Authorized, Privilege, Requirement, Visibility};
use lakeward_gravitino_api::response::{DropResponse, EntityListResponse};
use lakeward_gravitino_api::schema::{SchemaCreateRequest, SchemaResponse, SchemaUpdatesRequest};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::paths::SchemaPath;
use lakeward_operations::schema::SchemaParentPath;

use super::understand::understand;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, FromCall, Governance, ListEndpoint, Request};
use crate::http::parts::Parts;
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListSchemas>()
        .mount::<CreateSchema>()
        .mount::<LoadSchema>()
        .mount::<AlterSchema>()
        .mount::<DropSchema>()
}

impl FromCall<NoBody> for SchemaParentPath {
    fn from_call(_: &App, parts: &Parts, _: Option<&NoBody>) -> Result<Self, OperationError> {
        Ok(Self {
            metalake: parts.path("metalake")?.to_owned(),
            catalog: parts.path("catalog")?.to_owned(),
            parent: parts
                .query("parentSchema")
                .filter(|parent| !parent.is_empty())
                .map(str::to_owned),
        })
    }
}

impl FromCall<Json<SchemaCreateRequest>> for SchemaParentPath {
    fn from_call(
        app: &App,
        parts: &Parts,
        body: Option<&Json<SchemaCreateRequest>>,
    ) -> Result<Self, OperationError> {
        let separator = app.operations.store().schema_separator();
        let parent = body
            .and_then(|Json(body)| body.name.as_deref())
            .filter(|_| !separator.is_empty())
            .and_then(|name| name.rsplit_once(separator))
            .map(|(parent, _)| parent.to_owned());
        Ok(Self {
            metalake: parts.path("metalake")?.to_owned(),
            catalog: parts.path("catalog")?.to_owned(),
            parent,
        })
    }
}

/// `GET …/schemas?parentSchema=`
#[derive(Debug)]
pub struct ListSchemas;

impl ListEndpoint for ListSchemas {
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Catalog);
    const SHOWS: Requirement = *Requirement::load(ObjectKind::Schema);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = SchemaParentPath;
    type Reply = EntityListResponse;

    async fn run(
        app: &App,
        request: &Request,
        parent: Authorized<SchemaParentPath>,
        shown: Visibility,
    ) -> Result<EntityListResponse, OperationError> {
        let (metalake, catalog) = (parent.metalake.clone(), parent.catalog.clone());
        let names = app.operations.list_schemas(&request.call, parent, &shown).await?;
        Ok(EntityListResponse::under(&[&metalake, &catalog], names))
    }
}

/// `POST …/schemas`
#[derive(Debug)]
pub struct CreateSchema;

impl Endpoint for CreateSchema {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas";
    const REQUIRES: Requirement = Requirement::CreateIn {
        parent: ObjectKind::Catalog,
        holding: &[Privilege::CreateSchema],
    };
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = SchemaParentPath;
    type Body = Json<SchemaCreateRequest>;
    type Reply = SchemaResponse;

    async fn run(
        app: &App,
        request: &Request,
        parent: Authorized<SchemaParentPath>,
        Json(body): Self::Body,
    ) -> Result<SchemaResponse, OperationError> {
        let new = understand(body)?;
        let schema = app.operations.create_schema(&request.call, parent, new).await?;
        Ok((&schema).into())
    }
}

/// `GET …/schemas/{schema}`
#[derive(Debug)]
pub struct LoadSchema;

impl Endpoint for LoadSchema {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Schema);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = SchemaPath;
    type Body = NoBody;
    type Reply = SchemaResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<SchemaPath>,
        _: NoBody,
    ) -> Result<SchemaResponse, OperationError> {
        let schema = app.operations.load_schema(&request.call, path).await?;
        Ok((&schema).into())
    }
}

/// `PUT …/schemas/{schema}`
#[derive(Debug)]
pub struct AlterSchema;

impl Endpoint for AlterSchema {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Schema);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = SchemaPath;
    type Body = Json<SchemaUpdatesRequest>;
    type Reply = SchemaResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<SchemaPath>,
        Json(body): Self::Body,
    ) -> Result<SchemaResponse, OperationError> {
        let changes = understand(body)?;
        let schema = app.operations.alter_schema(&request.call, path, changes).await?;
        Ok((&schema).into())
    }
}

/// `DELETE …/schemas/{schema}?cascade=`
#[derive(Debug)]
pub struct DropSchema;

impl Endpoint for DropSchema {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Schema);
    const GOVERNANCE: Governance = Governance::Refuse;
    type Target = SchemaPath;
    type Body = NoBody;
    type Reply = DropResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<SchemaPath>,
        _: NoBody,
    ) -> Result<DropResponse, OperationError> {
        let cascade = request.parts.flag("cascade", false);
        let dropped = app.operations.drop_schema(&request.call, path, cascade).await?;
        Ok(DropResponse::of(dropped))
    }
}
