// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `/api/metalakes/{metalake}/catalogs`

use http::Method;
use lakeward_authorization::{Authorized, Privilege, Requirement, Visibility};
use lakeward_gravitino_api::catalog::{
    CatalogCreateRequest, CatalogDto, CatalogListResponse, CatalogResponse, CatalogUpdatesRequest,
};
use lakeward_gravitino_api::metalake::SetInUseRequest;
use lakeward_gravitino_api::response::{BaseResponse, DropResponse, EntityListResponse};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::paths::{CatalogPath, MetalakePath};
use serde::Serialize;

use super::understand::understand;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, Governance, ListEndpoint, Request};
use crate::http::routes::Routes;

pub mod connection_test;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListCatalogs>()
        .mount::<CreateCatalog>()
        .mount::<LoadCatalog>()
        .mount::<AlterCatalog>()
        .mount::<SetCatalogInUse>()
        .mount::<DropCatalog>()
        .and(connection_test::routes())
}

/// Names, or with `?details=true` the whole catalogs.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum CatalogList {
    /// The names.
    Names(EntityListResponse),
    /// The catalogs.
    Details(CatalogListResponse),
}

/// `GET …/catalogs?details=`
#[derive(Debug)]
pub struct ListCatalogs;

impl ListEndpoint for ListCatalogs {
    const PATH: &'static str = "/metalakes/{metalake}/catalogs";
    const REQUIRES: Requirement = Requirement::Member;
    const SHOWS: Requirement = *Requirement::load(ObjectKind::Catalog);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = MetalakePath;
    type Reply = CatalogList;

    async fn run(
        app: &App,
        request: &Request,
        parent: Authorized<MetalakePath>,
        shown: Visibility,
    ) -> Result<CatalogList, OperationError> {
        let operations = &app.operations;
        if request.parts.flag("details", false) {
            let catalogs = operations
                .list_catalogs_in_full(&request.call, parent, &shown)
                .await?;
            return Ok(CatalogList::Details(CatalogListResponse {
                code: 0,
                catalogs: catalogs.iter().map(CatalogDto::from).collect(),
            }));
        }
        let metalake = parent.metalake.clone();
        let names = operations.list_catalogs(&request.call, parent, &shown).await?;
        Ok(CatalogList::Names(EntityListResponse::under(&[&metalake], names)))
    }
}

/// `POST …/catalogs`
#[derive(Debug)]
pub struct CreateCatalog;

impl Endpoint for CreateCatalog {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs";
    const REQUIRES: Requirement = Requirement::CreateIn {
        parent: ObjectKind::Metalake,
        holding: &[Privilege::CreateCatalog],
    };
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = MetalakePath;
    type Body = Json<CatalogCreateRequest>;
    type Reply = CatalogResponse;

    async fn run(
        app: &App,
        request: &Request,
        parent: Authorized<MetalakePath>,
        Json(body): Self::Body,
    ) -> Result<CatalogResponse, OperationError> {
        let new = understand(body)?;
        let catalog = app.operations.create_catalog(&request.call, parent, new).await?;
        Ok((&catalog).into())
    }
}

/// `GET …/catalogs/{catalog}`
#[derive(Debug)]
pub struct LoadCatalog;

impl Endpoint for LoadCatalog {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Catalog);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = CatalogPath;
    type Body = NoBody;
    type Reply = CatalogResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<CatalogPath>,
        _: NoBody,
    ) -> Result<CatalogResponse, OperationError> {
        let catalog = app.operations.load_catalog(&request.call, path).await?;
        Ok((&catalog).into())
    }
}

/// `PUT …/catalogs/{catalog}`
#[derive(Debug)]
pub struct AlterCatalog;

impl Endpoint for AlterCatalog {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Catalog);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = CatalogPath;
    type Body = Json<CatalogUpdatesRequest>;
    type Reply = CatalogResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<CatalogPath>,
        Json(body): Self::Body,
    ) -> Result<CatalogResponse, OperationError> {
        let changes = understand(body)?;
        let catalog = app.operations.alter_catalog(&request.call, path, changes).await?;
        Ok((&catalog).into())
    }
}

/// `PATCH …/catalogs/{catalog}`: an alteration, so the owner's (the original asks for no more than loading does).
#[derive(Debug)]
pub struct SetCatalogInUse;

impl Endpoint for SetCatalogInUse {
    const METHOD: Method = Method::PATCH;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Catalog);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = CatalogPath;
    type Body = Json<SetInUseRequest>;
    type Reply = BaseResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<CatalogPath>,
        Json(body): Self::Body,
    ) -> Result<BaseResponse, OperationError> {
        app.operations
            .switch_catalog(&request.call, path, body.in_use)
            .await?;
        Ok(BaseResponse::default())
    }
}

/// `DELETE …/catalogs/{catalog}?force=`
#[derive(Debug)]
pub struct DropCatalog;

impl Endpoint for DropCatalog {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Catalog);
    const GOVERNANCE: Governance = Governance::Refuse;
    type Target = CatalogPath;
    type Body = NoBody;
    type Reply = DropResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<CatalogPath>,
        _: NoBody,
    ) -> Result<DropResponse, OperationError> {
        let force = request.parts.flag("force", false);
        let dropped = app.operations.drop_catalog(&request.call, path, force).await?;
        Ok(DropResponse::of(dropped))
    }
}
