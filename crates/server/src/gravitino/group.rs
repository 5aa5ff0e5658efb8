// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Groups of a metalake.

use http::Method;
use lakeward_authorization::{Authorized, Privilege, Requirement, Visibility};
use lakeward_gravitino_api::group::{
    GroupAddRequest, GroupDto, GroupListResponse, GroupResponse, GroupToAdd,
};
use lakeward_gravitino_api::response::{NameListResponse, RemoveResponse};
use lakeward_operations::OperationError;
use lakeward_operations::group::Group;
use lakeward_operations::paths::{MetalakePath, PrincipalPath};
use lakeward_store::NewGroup;

use super::understand::understand;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, Governance, ListEndpoint, Request};
use crate::http::reply::Reply;
use crate::http::routes::Routes;

const MANAGE: Requirement = Requirement::Holds(&[Privilege::ManageGroups]);
const READ: Requirement = Requirement::Any(&[MANAGE, Requirement::Named]);

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListGroups>()
        .mount::<AddGroup>()
        .mount::<LoadGroup>()
        .mount::<RemoveGroup>()
}

fn group_dto(group: Group) -> GroupDto {
    GroupDto {
        id: group.id.value(),
        name: group.name,
        external_id: group.external_id,
        audit: (&group.audit).into(),
        roles: group.roles,
    }
}

/// One group.
pub(super) fn group_response(group: Group) -> GroupResponse {
    GroupResponse {
        code: 0,
        group: group_dto(group),
    }
}

/// `GET …/groups`, names or with `?details=true` all of it.
#[derive(Debug)]
pub struct ListGroups;

impl ListEndpoint for ListGroups {
    const PATH: &'static str = "/metalakes/{metalake}/groups";
    const REQUIRES: Requirement = Requirement::Member;
    const SHOWS: Requirement = READ;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = MetalakePath;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        metalake: Authorized<MetalakePath>,
        shown: Visibility,
    ) -> Result<Reply, OperationError> {
        if request.parts.flag("details", false) {
            let groups = app
                .operations
                .list_groups(&request.call, metalake, &shown)
                .await?;
            return Reply::json(&GroupListResponse {
                code: 0,
                groups: groups.into_iter().map(group_dto).collect(),
            });
        }
        let names = app
            .operations
            .list_group_names(&request.call, metalake, &shown)
            .await?;
        Reply::json(&NameListResponse::of(names))
    }
}

/// `POST …/groups`
#[derive(Debug)]
pub struct AddGroup;

impl Endpoint for AddGroup {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/groups";
    const REQUIRES: Requirement = MANAGE;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = MetalakePath;
    type Body = Json<GroupAddRequest>;
    type Reply = GroupResponse;

    async fn run(
        app: &App,
        request: &Request,
        metalake: Authorized<MetalakePath>,
        Json(body): Self::Body,
    ) -> Result<GroupResponse, OperationError> {
        let group = understand::<_, GroupToAdd>(body)?;
        let new = NewGroup {
            name: group.name,
            external_id: group.external_id,
        };
        Ok(group_response(
            app.operations.add_group(&request.call, metalake, new).await?,
        ))
    }
}

/// `GET …/groups/{group}`
#[derive(Debug)]
pub struct LoadGroup;

impl Endpoint for LoadGroup {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/groups/{group}";
    const REQUIRES: Requirement = READ;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = PrincipalPath;
    type Body = NoBody;
    type Reply = GroupResponse;

    async fn run(
        app: &App,
        request: &Request,
        group: Authorized<PrincipalPath>,
        _: NoBody,
    ) -> Result<GroupResponse, OperationError> {
        Ok(group_response(
            app.operations.load_group(&request.call, group).await?,
        ))
    }
}

/// `DELETE …/groups/{group}`
#[derive(Debug)]
pub struct RemoveGroup;

impl Endpoint for RemoveGroup {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/metalakes/{metalake}/groups/{group}";
    const REQUIRES: Requirement = MANAGE;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = PrincipalPath;
    type Body = NoBody;
    type Reply = RemoveResponse;

    async fn run(
        app: &App,
        request: &Request,
        group: Authorized<PrincipalPath>,
        _: NoBody,
    ) -> Result<RemoveResponse, OperationError> {
        Ok(RemoveResponse::of(
            app.operations.remove_group(&request.call, group).await?,
        ))
    }
}
