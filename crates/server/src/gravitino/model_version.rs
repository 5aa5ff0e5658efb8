// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `…/models/{model}/versions` and `…/models/{model}/aliases`: the same versions, named by number and by alias.

use http::Method;
use lakeward_authorization::{Authorized, Privilege, Requirement};
use lakeward_gravitino_api::model_version::{
    ModelVersionDto, ModelVersionInfoListResponse, ModelVersionLinkRequest, ModelVersionListResponse,
    ModelVersionResponse, ModelVersionUpdatesRequest, ModelVersionUriResponse,
};
use lakeward_gravitino_api::response::{BaseResponse, DropResponse};
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::model::ModelVersionName;
use lakeward_operations::OperationError;
use lakeward_operations::error::Noun;
use lakeward_operations::paths::ModelPath;
use serde::Serialize;

use super::understand::understand;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .mount::<ListModelVersions>()
        .mount::<LinkModelVersion>()
        .mount::<LoadModelVersion>()
        .mount::<LoadModelVersionByAlias>()
        .mount::<AlterModelVersion>()
        .mount::<AlterModelVersionByAlias>()
        .mount::<DeleteModelVersion>()
        .mount::<DeleteModelVersionByAlias>()
        .mount::<ModelVersionUri>()
        .mount::<ModelVersionUriByAlias>()
}

/// The version that the path names, by number or by alias. What is no number names no version, as in the original.
fn named(request: &Request) -> Result<ModelVersionName, OperationError> {
    if let Some(alias) = request.parts.optional_path("alias") {
        return Ok(ModelVersionName::Alias(alias.to_owned()));
    }
    let version = request.parts.path("version")?;
    match version.parse::<i64>() {
        Ok(number) => Ok(ModelVersionName::Number(number)),
        Err(_) => Err(OperationError::not_found(Noun::ModelVersion, version)),
    }
}

/// Numbers, or with `?details=true` the whole versions.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ModelVersionList {
    /// The numbers.
    Numbers(ModelVersionListResponse),
    /// The versions.
    Details(ModelVersionInfoListResponse),
}

/// `GET …/models/{model}/versions?details=`
#[derive(Debug)]
pub struct ListModelVersions;

impl Endpoint for ListModelVersions {
    const METHOD: Method = Method::GET;
    const PATH: &'static str =
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/models/{model}/versions";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Model);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ModelPath;
    type Body = NoBody;
    type Reply = ModelVersionList;

    async fn run(
        app: &App,
        request: &Request,
        model: Authorized<ModelPath>,
        _: NoBody,
    ) -> Result<ModelVersionList, OperationError> {
        let operations = &app.operations;
        if request.parts.flag("details", false) {
            let versions = operations
                .list_model_versions_in_full(&request.call, model)
                .await?;
            return Ok(ModelVersionList::Details(ModelVersionInfoListResponse {
                code: 0,
                infos: versions.iter().map(ModelVersionDto::from).collect(),
            }));
        }
        let versions = operations.list_model_versions(&request.call, model).await?;
        Ok(ModelVersionList::Numbers(ModelVersionListResponse {
            code: 0,
            versions,
        }))
    }
}

/// `POST …/models/{model}/versions`
#[derive(Debug)]
pub struct LinkModelVersion;

impl Endpoint for LinkModelVersion {
    const METHOD: Method = Method::POST;
    const PATH: &'static str =
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/models/{model}/versions";
    const REQUIRES: Requirement = Requirement::On {
        kind: ObjectKind::Model,
        holding: &[Privilege::LinkModelVersion],
    };
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ModelPath;
    type Body = Json<ModelVersionLinkRequest>;
    type Reply = BaseResponse;

    async fn run(
        app: &App,
        request: &Request,
        model: Authorized<ModelPath>,
        Json(body): Self::Body,
    ) -> Result<BaseResponse, OperationError> {
        let body = understand(body)?;
        app.operations
            .link_model_version(&request.call, model, &body)
            .await?;
        Ok(BaseResponse::default())
    }
}

/// `GET …/models/{model}/versions/{version}`
#[derive(Debug)]
pub struct LoadModelVersion;

impl Endpoint for LoadModelVersion {
    const METHOD: Method = Method::GET;
    const PATH: &'static str =
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/models/{model}/versions/{version}";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Model);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ModelPath;
    type Body = NoBody;
    type Reply = ModelVersionResponse;

    async fn run(
        app: &App,
        request: &Request,
        model: Authorized<ModelPath>,
        _: NoBody,
    ) -> Result<ModelVersionResponse, OperationError> {
        load(app, request, model).await
    }
}

/// `PUT …/models/{model}/versions/{version}`
#[derive(Debug)]
pub struct AlterModelVersion;

impl Endpoint for AlterModelVersion {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str =
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/models/{model}/versions/{version}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Model);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ModelPath;
    type Body = Json<ModelVersionUpdatesRequest>;
    type Reply = ModelVersionResponse;

    async fn run(
        app: &App,
        request: &Request,
        model: Authorized<ModelPath>,
        Json(body): Self::Body,
    ) -> Result<ModelVersionResponse, OperationError> {
        alter(app, request, model, body).await
    }
}

/// `DELETE …/models/{model}/versions/{version}`
#[derive(Debug)]
pub struct DeleteModelVersion;

impl Endpoint for DeleteModelVersion {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str =
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/models/{model}/versions/{version}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Model);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ModelPath;
    type Body = NoBody;
    type Reply = DropResponse;

    async fn run(
        app: &App,
        request: &Request,
        model: Authorized<ModelPath>,
        _: NoBody,
    ) -> Result<DropResponse, OperationError> {
        delete(app, request, model).await
    }
}

/// `GET …/models/{model}/versions/{version}/uri?uriName=`
#[derive(Debug)]
pub struct ModelVersionUri;

impl Endpoint for ModelVersionUri {
    const METHOD: Method = Method::GET;
    const PATH: &'static str =
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/models/{model}/versions/{version}/uri";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Model);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ModelPath;
    type Body = NoBody;
    type Reply = ModelVersionUriResponse;

    async fn run(
        app: &App,
        request: &Request,
        model: Authorized<ModelPath>,
        _: NoBody,
    ) -> Result<ModelVersionUriResponse, OperationError> {
        uri(app, request, model).await
    }
}

/// `GET …/models/{model}/aliases/{alias}`
#[derive(Debug)]
pub struct LoadModelVersionByAlias;

impl Endpoint for LoadModelVersionByAlias {
    const METHOD: Method = Method::GET;
    const PATH: &'static str =
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/models/{model}/aliases/{alias}";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Model);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ModelPath;
    type Body = NoBody;
    type Reply = ModelVersionResponse;

    async fn run(
        app: &App,
        request: &Request,
        model: Authorized<ModelPath>,
        _: NoBody,
    ) -> Result<ModelVersionResponse, OperationError> {
        load(app, request, model).await
    }
}

/// `PUT …/models/{model}/aliases/{alias}`
#[derive(Debug)]
pub struct AlterModelVersionByAlias;

impl Endpoint for AlterModelVersionByAlias {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str =
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/models/{model}/aliases/{alias}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Model);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ModelPath;
    type Body = Json<ModelVersionUpdatesRequest>;
    type Reply = ModelVersionResponse;

    async fn run(
        app: &App,
        request: &Request,
        model: Authorized<ModelPath>,
        Json(body): Self::Body,
    ) -> Result<ModelVersionResponse, OperationError> {
        alter(app, request, model, body).await
    }
}

/// `DELETE …/models/{model}/aliases/{alias}`
#[derive(Debug)]
pub struct DeleteModelVersionByAlias;

impl Endpoint for DeleteModelVersionByAlias {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str =
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/models/{model}/aliases/{alias}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Model);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ModelPath;
    type Body = NoBody;
    type Reply = DropResponse;

    async fn run(
        app: &App,
        request: &Request,
        model: Authorized<ModelPath>,
        _: NoBody,
    ) -> Result<DropResponse, OperationError> {
        delete(app, request, model).await
    }
}

/// `GET …/models/{model}/aliases/{alias}/uri?uriName=`
#[derive(Debug)]
pub struct ModelVersionUriByAlias;

impl Endpoint for ModelVersionUriByAlias {
    const METHOD: Method = Method::GET;
    const PATH: &'static str =
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/models/{model}/aliases/{alias}/uri";
    const REQUIRES: Requirement = *Requirement::load(ObjectKind::Model);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ModelPath;
    type Body = NoBody;
    type Reply = ModelVersionUriResponse;

    async fn run(
        app: &App,
        request: &Request,
        model: Authorized<ModelPath>,
        _: NoBody,
    ) -> Result<ModelVersionUriResponse, OperationError> {
        uri(app, request, model).await
    }
}

async fn load(
    app: &App,
    request: &Request,
    model: Authorized<ModelPath>,
) -> Result<ModelVersionResponse, OperationError> {
    let name = named(request)?;
    let version = app
        .operations
        .load_model_version(&request.call, model, &name)
        .await?;
    Ok((&version).into())
}

async fn alter(
    app: &App,
    request: &Request,
    model: Authorized<ModelPath>,
    body: ModelVersionUpdatesRequest,
) -> Result<ModelVersionResponse, OperationError> {
    let changes = understand(body)?;
    let name = named(request)?;
    let version = app
        .operations
        .alter_model_version(&request.call, model, &name, changes)
        .await?;
    Ok((&version).into())
}

async fn delete(
    app: &App,
    request: &Request,
    model: Authorized<ModelPath>,
) -> Result<DropResponse, OperationError> {
    let name = named(request)?;
    let deleted = app
        .operations
        .delete_model_version(&request.call, model, &name)
        .await?;
    Ok(DropResponse::of(deleted))
}

async fn uri(
    app: &App,
    request: &Request,
    model: Authorized<ModelPath>,
) -> Result<ModelVersionUriResponse, OperationError> {
    let name = named(request)?;
    let uri_name = request.parts.query("uriName").filter(|name| !name.is_empty());
    let uri = app
        .operations
        .model_version_uri(&request.call, model, &name, uri_name)
        .await?;
    Ok(ModelVersionUriResponse { code: 0, uri })
}
