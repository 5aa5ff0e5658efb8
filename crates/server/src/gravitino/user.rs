// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Users of a metalake.

use http::Method;
use lakeward_authorization::{Authorized, Privilege, Requirement, Visibility};
use lakeward_gravitino_api::response::{NameListResponse, RemoveResponse};
use lakeward_gravitino_api::user::{
    UserAddRequest, UserDto, UserListResponse, UserResponse, UserToAdd, UserUpdateRequest,
};
use lakeward_operations::OperationError;
use lakeward_operations::paths::{MetalakePath, PrincipalPath};
use lakeward_operations::user::User;
use lakeward_store::NewUser;

use super::understand::understand;
use crate::app::App;
use crate::http::body::{Json, NoBody};
use crate::http::endpoint::{Endpoint, Governance, ListEndpoint, Request};
use crate::http::reply::Reply;
use crate::http::routes::Routes;

const MANAGE: Requirement = Requirement::Holds(&[Privilege::ManageUsers]);
const READ: Requirement = Requirement::Any(&[MANAGE, Requirement::Named]);

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .list::<ListUsers>()
        .mount::<AddUser>()
        .mount::<LoadUser>()
        .mount::<SetUserEnabled>()
        .mount::<RemoveUser>()
}

/// How a user is written.
pub(super) fn user_dto(user: User) -> UserDto {
    UserDto {
        id: user.id.value(),
        name: user.name,
        external_id: user.external_id,
        enabled: user.enabled,
        audit: (&user.audit).into(),
        roles: user.roles,
    }
}

/// One user.
pub(super) fn user_response(user: User) -> UserResponse {
    UserResponse {
        code: 0,
        user: user_dto(user),
    }
}

/// Reads a user to be added.
pub(super) fn new_user(request: UserAddRequest) -> Result<NewUser, OperationError> {
    let user = understand::<_, UserToAdd>(request)?;
    Ok(NewUser {
        name: user.name,
        external_id: user.external_id,
        is_enabled: user.enabled,
    })
}

/// `GET …/users`, names or with `?details=true` all of it.
#[derive(Debug)]
pub struct ListUsers;

impl ListEndpoint for ListUsers {
    const PATH: &'static str = "/metalakes/{metalake}/users";
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
            let users = app.operations.list_users(&request.call, metalake, &shown).await?;
            return Reply::json(&UserListResponse {
                code: 0,
                users: users.into_iter().map(user_dto).collect(),
            });
        }
        let names = app
            .operations
            .list_user_names(&request.call, metalake, &shown)
            .await?;
        Reply::json(&NameListResponse::of(names))
    }
}

/// `POST …/users`
#[derive(Debug)]
pub struct AddUser;

impl Endpoint for AddUser {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/users";
    const REQUIRES: Requirement = MANAGE;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = MetalakePath;
    type Body = Json<UserAddRequest>;
    type Reply = UserResponse;

    async fn run(
        app: &App,
        request: &Request,
        metalake: Authorized<MetalakePath>,
        Json(body): Self::Body,
    ) -> Result<UserResponse, OperationError> {
        let new = new_user(body)?;
        Ok(user_response(
            app.operations.add_user(&request.call, metalake, new).await?,
        ))
    }
}

/// `GET …/users/{user}`
#[derive(Debug)]
pub struct LoadUser;

impl Endpoint for LoadUser {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/users/{user}";
    const REQUIRES: Requirement = READ;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = PrincipalPath;
    type Body = NoBody;
    type Reply = UserResponse;

    async fn run(
        app: &App,
        request: &Request,
        user: Authorized<PrincipalPath>,
        _: NoBody,
    ) -> Result<UserResponse, OperationError> {
        Ok(user_response(
            app.operations.load_user(&request.call, user).await?,
        ))
    }
}

/// `PUT …/users/{user}` (ours): suspends a user, or lets it act again.
#[derive(Debug)]
pub struct SetUserEnabled;

impl Endpoint for SetUserEnabled {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/metalakes/{metalake}/users/{user}";
    const REQUIRES: Requirement = MANAGE;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = PrincipalPath;
    type Body = Json<UserUpdateRequest>;
    type Reply = UserResponse;

    async fn run(
        app: &App,
        request: &Request,
        user: Authorized<PrincipalPath>,
        Json(body): Self::Body,
    ) -> Result<UserResponse, OperationError> {
        let user = app
            .operations
            .set_user_enabled(&request.call, user, body.enabled)
            .await?;
        Ok(user_response(user))
    }
}

/// `DELETE …/users/{user}`
#[derive(Debug)]
pub struct RemoveUser;

impl Endpoint for RemoveUser {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/metalakes/{metalake}/users/{user}";
    const REQUIRES: Requirement = MANAGE;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = PrincipalPath;
    type Body = NoBody;
    type Reply = RemoveResponse;

    async fn run(
        app: &App,
        request: &Request,
        user: Authorized<PrincipalPath>,
        _: NoBody,
    ) -> Result<RemoveResponse, OperationError> {
        Ok(RemoveResponse::of(
            app.operations.remove_user(&request.call, user).await?,
        ))
    }
}
