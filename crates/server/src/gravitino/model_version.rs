// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `…/models/{model}/versions` and `…/models/{model}/aliases`: the same versions, named by number and by alias.

use std::marker::PhantomData;

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
        .mount::<LoadModelVersion<ByNumber>>()
        .mount::<LoadModelVersion<ByAlias>>()
        .mount::<AlterModelVersion<ByNumber>>()
        .mount::<AlterModelVersion<ByAlias>>()
        .mount::<DeleteModelVersion<ByNumber>>()
        .mount::<DeleteModelVersion<ByAlias>>()
        .mount::<ModelVersionUri<ByNumber>>()
        .mount::<ModelVersionUri<ByAlias>>()
}

/// How a path names a version of a model.
pub trait NamesVersion: std::fmt::Debug + Send + Sync + 'static {
    /// The path of the version.
    const PATH: &'static str;
    /// The path of the URI to fetch.
    const URI_PATH: &'static str;
    /// The names of the operations: load, alter, delete, URI.
    const OPERATIONS: [&'static str; 4];

    /// The version that the request names.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for what can be the name of none.
    fn named(request: &Request) -> Result<ModelVersionName, OperationError>;
}

/// `…/models/{model}/versions/{version}`
#[derive(Debug)]
pub struct ByNumber;

impl NamesVersion for ByNumber {
    const PATH: &'static str =
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/models/{model}/versions/{version}";
    const URI_PATH: &'static str =
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/models/{model}/versions/{version}/uri";
    const OPERATIONS: [&'static str; 4] = [
        "LoadModelVersion",
        "AlterModelVersion",
        "DeleteModelVersion",
        "ModelVersionUri",
    ];

    /// What is no number names no version, as in the original.
    fn named(request: &Request) -> Result<ModelVersionName, OperationError> {
        let version = request.parts.path("version")?;
        match version.parse::<i64>() {
            Ok(number) => Ok(ModelVersionName::Number(number)),
            Err(_) => Err(OperationError::not_found(Noun::ModelVersion, version)),
        }
    }
}

/// `…/models/{model}/aliases/{alias}`
#[derive(Debug)]
pub struct ByAlias;

impl NamesVersion for ByAlias {
    const PATH: &'static str =
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/models/{model}/aliases/{alias}";
    const URI_PATH: &'static str =
        "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/models/{model}/aliases/{alias}/uri";
    const OPERATIONS: [&'static str; 4] = [
        "LoadModelVersionByAlias",
        "AlterModelVersionByAlias",
        "DeleteModelVersionByAlias",
        "ModelVersionUriByAlias",
    ];

    fn named(request: &Request) -> Result<ModelVersionName, OperationError> {
        Ok(ModelVersionName::Alias(request.parts.path("alias")?.to_owned()))
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

/// `GET` of a version.
#[derive(Debug)]
pub struct LoadModelVersion<N>(PhantomData<N>);

impl<N: NamesVersion> Endpoint for LoadModelVersion<N> {
    const OPERATION: Option<&'static str> = Some(N::OPERATIONS[0]);
    const METHOD: Method = Method::GET;
    const PATH: &'static str = N::PATH;
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
        let name = N::named(request)?;
        let version = app
            .operations
            .load_model_version(&request.call, model, &name)
            .await?;
        Ok((&version).into())
    }
}

/// `PUT` of a version.
#[derive(Debug)]
pub struct AlterModelVersion<N>(PhantomData<N>);

impl<N: NamesVersion> Endpoint for AlterModelVersion<N> {
    const OPERATION: Option<&'static str> = Some(N::OPERATIONS[1]);
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = N::PATH;
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
        let changes = understand(body)?;
        let name = N::named(request)?;
        let version = app
            .operations
            .alter_model_version(&request.call, model, &name, changes)
            .await?;
        Ok((&version).into())
    }
}

/// `DELETE` of a version.
#[derive(Debug)]
pub struct DeleteModelVersion<N>(PhantomData<N>);

impl<N: NamesVersion> Endpoint for DeleteModelVersion<N> {
    const OPERATION: Option<&'static str> = Some(N::OPERATIONS[2]);
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = N::PATH;
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
        let name = N::named(request)?;
        let deleted = app
            .operations
            .delete_model_version(&request.call, model, &name)
            .await?;
        Ok(DropResponse::of(deleted))
    }
}

/// `GET` of the URI of a version: `…/uri?uriName=`
#[derive(Debug)]
pub struct ModelVersionUri<N>(PhantomData<N>);

impl<N: NamesVersion> Endpoint for ModelVersionUri<N> {
    const OPERATION: Option<&'static str> = Some(N::OPERATIONS[3]);
    const METHOD: Method = Method::GET;
    const PATH: &'static str = N::URI_PATH;
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
        let name = N::named(request)?;
        let uri_name = request.parts.query("uriName").filter(|name| !name.is_empty());
        let uri = app
            .operations
            .model_version_uri(&request.call, model, &name, uri_name)
            .await?;
        Ok(ModelVersionUriResponse { code: 0, uri })
    }
}
