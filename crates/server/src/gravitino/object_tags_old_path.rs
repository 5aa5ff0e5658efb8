// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `…/tags/{type}/{fullName}`: where the original served tags on objects before, and still does for old clients. The
//! same operations with the same requirements; the version with values never lived here.

use http::Method;
use lakeward_authorization::{Authorized, Requirement, Visibility};
use lakeward_gravitino_api::object_tag::TagNamesRequest;
use lakeward_gravitino_api::tag::TagResponse;
use lakeward_operations::OperationError;
use lakeward_operations::paths::ObjectPath;
use lakeward_operations::tag_assignment::ObjectTagsPath;

use super::object_tags::{ChangeTagsOfObject, ListTagsOfObject, LoadTagOfObject};
use crate::app::App;
use crate::http::body::{Json, NoBody, Versioned};
use crate::http::endpoint::{Endpoint, FromCall, Governance, ListEndpoint, Request};
use crate::http::parts::Parts;
use crate::http::reply::Reply;
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListTagsOfObjectAtOldPath>()
        .mount::<LoadTagOfObjectAtOldPath>()
        .mount::<ChangeTagsOfObjectAtOldPath>()
}

/// `GET …/tags/{type}/{fullName}`
#[derive(Debug)]
pub struct ListTagsOfObjectAtOldPath;

impl ListEndpoint for ListTagsOfObjectAtOldPath {
    const PATH: &'static str = "/metalakes/{metalake}/tags/{type}/{fullName}";
    const REQUIRES: Requirement = <ListTagsOfObject as ListEndpoint>::REQUIRES;
    const SHOWS: Requirement = <ListTagsOfObject as ListEndpoint>::SHOWS;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        object: Authorized<ObjectPath>,
        shown: Visibility,
    ) -> Result<Reply, OperationError> {
        ListTagsOfObject::run(app, request, object, shown).await
    }
}

/// `GET …/tags/{type}/{fullName}/{tag}`
#[derive(Debug)]
pub struct LoadTagOfObjectAtOldPath;

impl Endpoint for LoadTagOfObjectAtOldPath {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/tags/{type}/{fullName}/{tag}";
    const REQUIRES: Requirement = <LoadTagOfObject as Endpoint>::REQUIRES;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectTagsPath;
    type Body = NoBody;
    type Reply = TagResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<ObjectTagsPath>,
        body: NoBody,
    ) -> Result<TagResponse, OperationError> {
        LoadTagOfObject::run(app, request, path, body).await
    }
}

impl FromCall<Json<TagNamesRequest>> for ObjectTagsPath {
    /// The object, and every tag in the body.
    fn from_call(
        app: &App,
        parts: &Parts,
        body: Option<&Json<TagNamesRequest>>,
    ) -> Result<Self, OperationError> {
        let body = body.map(|Json(names)| Versioned::V1(names.clone()));
        Self::from_call(app, parts, body.as_ref())
    }
}

/// `POST …/tags/{type}/{fullName}?force=`
#[derive(Debug)]
pub struct ChangeTagsOfObjectAtOldPath;

impl Endpoint for ChangeTagsOfObjectAtOldPath {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/tags/{type}/{fullName}";
    const REQUIRES: Requirement = <ChangeTagsOfObject as Endpoint>::REQUIRES;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectTagsPath;
    type Body = Json<TagNamesRequest>;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<ObjectTagsPath>,
        Json(names): Self::Body,
    ) -> Result<Reply, OperationError> {
        ChangeTagsOfObject::run(app, request, path, Versioned::V1(names)).await
    }
}
