// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Granting roles to users and groups, and privileges to roles.

use http::Method;
use lakeward_authorization::securable_object::{ConditionedPrivilege, SecurableObject};
use lakeward_authorization::{Authorized, Privilege, Requirement};
use lakeward_gravitino_api::group::GroupResponse;
use lakeward_gravitino_api::permission::{OverridePrivilegesRequest, PrivilegesRequest, RolesRequest};
use lakeward_gravitino_api::role::RoleResponse;
use lakeward_gravitino_api::user::UserResponse;
use lakeward_operations::OperationError;
use lakeward_operations::paths::{ObjectPath, PrincipalPath};
use lakeward_operations::permission::{Grant, PrivilegesPath};

use super::group::group_response;
use super::role::role_response;
use super::understand::understand;
use super::user::user_response;
use crate::app::App;
use crate::http::body::Json;
use crate::http::endpoint::{Endpoint, FromPath, Governance, Request};
use crate::http::parts::Parts;
use crate::http::routes::Routes;

const GRANT_ROLES: Requirement = Requirement::Holds(&[Privilege::ManageGrants]);

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .mount::<GrantRolesToUser>()
        .mount::<RevokeRolesFromUser>()
        .mount::<GrantRolesToGroup>()
        .mount::<RevokeRolesFromGroup>()
        .mount::<GrantPrivileges>()
        .mount::<RevokePrivileges>()
        .mount::<OverridePrivileges>()
}

impl FromPath for PrivilegesPath {
    /// From `…/roles/{role}/{type}/{fullName}`.
    fn from_path(parts: &Parts) -> Result<Self, OperationError> {
        let ObjectPath { metalake, object } = ObjectPath::from_path(parts)?;
        Ok(Self {
            metalake,
            role: parts.path("role")?.to_owned(),
            object,
        })
    }
}

fn role_names(body: RolesRequest) -> Result<Vec<String>, OperationError> {
    understand(body)
}

fn privileges(body: PrivilegesRequest) -> Result<Vec<ConditionedPrivilege>, OperationError> {
    understand(body)
}

/// `PUT …/permissions/users/{user}/grant`
#[derive(Debug)]
pub struct GrantRolesToUser;

impl Endpoint for GrantRolesToUser {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/metalakes/{metalake}/permissions/users/{user}/grant";
    const REQUIRES: Requirement = GRANT_ROLES;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = PrincipalPath;
    type Body = Json<RolesRequest>;
    type Reply = UserResponse;

    async fn run(
        app: &App,
        request: &Request,
        user: Authorized<PrincipalPath>,
        Json(body): Self::Body,
    ) -> Result<UserResponse, OperationError> {
        let names = role_names(body)?;
        let user = app
            .operations
            .change_roles_of_user(&request.call, user, Grant::Give, &names)
            .await?;
        Ok(user_response(user))
    }
}

/// `PUT …/permissions/users/{user}/revoke`
#[derive(Debug)]
pub struct RevokeRolesFromUser;

impl Endpoint for RevokeRolesFromUser {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/metalakes/{metalake}/permissions/users/{user}/revoke";
    const REQUIRES: Requirement = GRANT_ROLES;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = PrincipalPath;
    type Body = Json<RolesRequest>;
    type Reply = UserResponse;

    async fn run(
        app: &App,
        request: &Request,
        user: Authorized<PrincipalPath>,
        Json(body): Self::Body,
    ) -> Result<UserResponse, OperationError> {
        let names = role_names(body)?;
        let user = app
            .operations
            .change_roles_of_user(&request.call, user, Grant::Take, &names)
            .await?;
        Ok(user_response(user))
    }
}

/// `PUT …/permissions/groups/{group}/grant`
#[derive(Debug)]
pub struct GrantRolesToGroup;

impl Endpoint for GrantRolesToGroup {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/metalakes/{metalake}/permissions/groups/{group}/grant";
    const REQUIRES: Requirement = GRANT_ROLES;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = PrincipalPath;
    type Body = Json<RolesRequest>;
    type Reply = GroupResponse;

    async fn run(
        app: &App,
        request: &Request,
        group: Authorized<PrincipalPath>,
        Json(body): Self::Body,
    ) -> Result<GroupResponse, OperationError> {
        let names = role_names(body)?;
        let group = app
            .operations
            .change_roles_of_group(&request.call, group, Grant::Give, &names)
            .await?;
        Ok(group_response(group))
    }
}

/// `PUT …/permissions/groups/{group}/revoke`
#[derive(Debug)]
pub struct RevokeRolesFromGroup;

impl Endpoint for RevokeRolesFromGroup {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/metalakes/{metalake}/permissions/groups/{group}/revoke";
    const REQUIRES: Requirement = GRANT_ROLES;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = PrincipalPath;
    type Body = Json<RolesRequest>;
    type Reply = GroupResponse;

    async fn run(
        app: &App,
        request: &Request,
        group: Authorized<PrincipalPath>,
        Json(body): Self::Body,
    ) -> Result<GroupResponse, OperationError> {
        let names = role_names(body)?;
        let group = app
            .operations
            .change_roles_of_group(&request.call, group, Grant::Take, &names)
            .await?;
        Ok(group_response(group))
    }
}

/// `PUT …/permissions/roles/{role}/{type}/{fullName}/grant`
#[derive(Debug)]
pub struct GrantPrivileges;

impl Endpoint for GrantPrivileges {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/metalakes/{metalake}/permissions/roles/{role}/{type}/{fullName}/grant";
    const REQUIRES: Requirement = Requirement::ManageGrants;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = PrivilegesPath;
    type Body = Json<PrivilegesRequest>;
    type Reply = RoleResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<PrivilegesPath>,
        Json(body): Self::Body,
    ) -> Result<RoleResponse, OperationError> {
        let given = privileges(body)?;
        Ok(role_response(
            app.operations
                .grant_privileges(&request.call, path, given)
                .await?,
        ))
    }
}

/// `PUT …/permissions/roles/{role}/{type}/{fullName}/revoke`
#[derive(Debug)]
pub struct RevokePrivileges;

impl Endpoint for RevokePrivileges {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/metalakes/{metalake}/permissions/roles/{role}/{type}/{fullName}/revoke";
    const REQUIRES: Requirement = Requirement::ManageGrants;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = PrivilegesPath;
    type Body = Json<PrivilegesRequest>;
    type Reply = RoleResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<PrivilegesPath>,
        Json(body): Self::Body,
    ) -> Result<RoleResponse, OperationError> {
        let taken = privileges(body)?;
        Ok(role_response(
            app.operations
                .revoke_privileges(&request.call, path, &taken)
                .await?,
        ))
    }
}

/// `PUT …/permissions/roles/{role}`: what the role says from now on, all of it.
#[derive(Debug)]
pub struct OverridePrivileges;

impl Endpoint for OverridePrivileges {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/metalakes/{metalake}/permissions/roles/{role}";
    const REQUIRES: Requirement = GRANT_ROLES;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = ObjectPath;
    type Body = Json<OverridePrivilegesRequest>;
    type Reply = RoleResponse;

    async fn run(
        app: &App,
        request: &Request,
        role: Authorized<ObjectPath>,
        Json(body): Self::Body,
    ) -> Result<RoleResponse, OperationError> {
        let objects = understand::<_, Vec<SecurableObject>>(body)?;
        Ok(role_response(
            app.operations
                .override_privileges(&request.call, role, &objects)
                .await?,
        ))
    }
}
