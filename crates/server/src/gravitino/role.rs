// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Roles of a metalake, and the roles that speak of an object.

use http::Method;
use lakeward_authorization::role::Role;
use lakeward_authorization::{Authorized, Privilege, Requirement, Visibility};
use lakeward_gravitino_api::response::NameListResponse;
use lakeward_gravitino_api::role::{
    RoleCreateRequest, RoleDeleteResponse, RoleDto, RoleListResponse, RoleResponse, RoleToCreate,
    SecurableObjectDto,
};
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;
use lakeward_operations::paths::{MetalakePath, ObjectPath};
use lakeward_operations::role::NewRole;

use super::understand::understand;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, Governance, ListEndpoint, Request};
use crate::http::reply::Reply;
use crate::http::routes::Routes;

const READ: Requirement = *Requirement::load(ObjectKind::Role);

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListRoles>()
        .mount::<CreateRole>()
        .mount::<LoadRole>()
        .mount::<DeleteRole>()
        .list::<ListRolesOfObject>()
}

fn role_dto(role: Role) -> RoleDto {
    RoleDto {
        name: role.name,
        audit: (&role.audit).into(),
        properties: role.properties,
        securable_objects: role
            .securable_objects
            .iter()
            .map(SecurableObjectDto::from)
            .collect(),
    }
}

/// One role.
pub(super) fn role_response(role: Role) -> RoleResponse {
    RoleResponse {
        code: 0,
        role: role_dto(role),
    }
}

/// `GET …/roles`, names or with `?details=true` all of it.
#[derive(Debug)]
pub struct ListRoles;

impl ListEndpoint for ListRoles {
    const PATH: &'static str = "/metalakes/{metalake}/roles";
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
            let roles = app.operations.list_roles(&request.call, metalake, &shown).await?;
            return Reply::json(&RoleListResponse {
                code: 0,
                roles: roles.into_iter().map(role_dto).collect(),
            });
        }
        let names = app
            .operations
            .list_role_names(&request.call, metalake, &shown)
            .await?;
        Reply::json(&NameListResponse::of(names))
    }
}

/// `POST …/roles`
#[derive(Debug)]
pub struct CreateRole;

impl Endpoint for CreateRole {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/roles";
    const REQUIRES: Requirement = Requirement::Holds(&[Privilege::CreateRole]);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = MetalakePath;
    type Body = Json<RoleCreateRequest>;
    type Reply = RoleResponse;

    async fn run(
        app: &App,
        request: &Request,
        metalake: Authorized<MetalakePath>,
        Json(body): Self::Body,
    ) -> Result<RoleResponse, OperationError> {
        let role = understand::<_, RoleToCreate>(body)?;
        let new = NewRole {
            name: role.name,
            properties: role.properties,
            securable_objects: role.securable_objects,
        };
        Ok(role_response(
            app.operations.create_role(&request.call, metalake, new).await?,
        ))
    }
}

/// `GET …/roles/{role}`
#[derive(Debug)]
pub struct LoadRole;

impl Endpoint for LoadRole {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/roles/{role}";
    const REQUIRES: Requirement = READ;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Body = NoBody;
    type Reply = RoleResponse;

    async fn run(
        app: &App,
        request: &Request,
        role: Authorized<ObjectPath>,
        _: NoBody,
    ) -> Result<RoleResponse, OperationError> {
        Ok(role_response(
            app.operations.load_role(&request.call, role).await?,
        ))
    }
}

/// `DELETE …/roles/{role}`
#[derive(Debug)]
pub struct DeleteRole;

impl Endpoint for DeleteRole {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/metalakes/{metalake}/roles/{role}";
    const REQUIRES: Requirement = Requirement::Owner(ObjectKind::Role);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Body = NoBody;
    type Reply = RoleDeleteResponse;

    async fn run(
        app: &App,
        request: &Request,
        role: Authorized<ObjectPath>,
        _: NoBody,
    ) -> Result<RoleDeleteResponse, OperationError> {
        Ok(RoleDeleteResponse::of(
            app.operations.delete_role(&request.call, role).await?,
        ))
    }
}

/// `GET …/objects/{type}/{fullName}/roles`
#[derive(Debug)]
pub struct ListRolesOfObject;

impl ListEndpoint for ListRolesOfObject {
    const PATH: &'static str = "/metalakes/{metalake}/objects/{type}/{fullName}/roles";
    const REQUIRES: Requirement = Requirement::AccessTo;
    const SHOWS: Requirement = READ;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Reply = NameListResponse;

    async fn run(
        app: &App,
        request: &Request,
        object: Authorized<ObjectPath>,
        shown: Visibility,
    ) -> Result<NameListResponse, OperationError> {
        let names = app
            .operations
            .list_roles_of_object(&request.call, object, &shown)
            .await?;
        Ok(NameListResponse::of(names))
    }
}
