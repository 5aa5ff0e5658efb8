// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `/api/idp`: the accounts and groups of the built-in identity provider. Service administrators only, in every mode.
//! Where `basic` is not configured there is nothing to manage, and every call says so.

use http::Method;
use lakeward_authorization::{Authorized, Requirement};
use lakeward_gravitino_api::identity_provider::{
    LocalGroupAddRequest, LocalGroupDto, LocalGroupResponse, LocalGroupToAdd, LocalUserAddRequest,
    LocalUserDto, LocalUserResponse, LocalUserToAdd, MembershipChange as RequestedChange, MembershipRequest,
    Password, PasswordResetRequest,
};
use lakeward_gravitino_api::response::RemoveResponse;
use lakeward_operations::OperationError;
use lakeward_operations::identity_provider::{LocalName, MembershipChange};
use lakeward_store::{IdpGroup, IdpUser};

use crate::app::App;
use crate::config::settings::AuthenticatorKind;
use crate::http::body::{Checked, NoBody};
use crate::http::endpoint::{Endpoint, FromCall, Governance, Request};
use crate::http::parts::Parts;
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .mount::<CreateLocalUser>()
        .mount::<LoadLocalUser>()
        .mount::<ResetPassword>()
        .mount::<RemoveLocalUser>()
        .mount::<CreateLocalGroup>()
        .mount::<LoadLocalGroup>()
        .mount::<RemoveLocalGroup>()
        .mount::<ChangeLocalMembership>()
}

type UserBody = Checked<LocalUserAddRequest, LocalUserToAdd>;
type PasswordBody = Checked<PasswordResetRequest, Password>;
type GroupBody = Checked<LocalGroupAddRequest, LocalGroupToAdd>;
type MembershipBody = Checked<MembershipRequest, RequestedChange>;

impl FromCall<UserBody> for LocalName {
    fn from_call(_: &App, parts: &Parts, body: Option<&UserBody>) -> Result<Self, OperationError> {
        named(parts, body.map(|Checked(body, _)| body.user.as_str()))
    }
}

impl FromCall<GroupBody> for LocalName {
    fn from_call(_: &App, parts: &Parts, body: Option<&GroupBody>) -> Result<Self, OperationError> {
        named(parts, body.map(|Checked(body, _)| body.group.as_str()))
    }
}

impl FromCall<PasswordBody> for LocalName {
    fn from_call(_: &App, parts: &Parts, _: Option<&PasswordBody>) -> Result<Self, OperationError> {
        named(parts, None)
    }
}

impl FromCall<MembershipBody> for LocalName {
    fn from_call(_: &App, parts: &Parts, _: Option<&MembershipBody>) -> Result<Self, OperationError> {
        named(parts, None)
    }
}

impl FromCall<NoBody> for LocalName {
    fn from_call(_: &App, parts: &Parts, _: Option<&NoBody>) -> Result<Self, OperationError> {
        named(parts, None)
    }
}

/// The name in the path, else the one in the body; empty when the body was malformed, which ends the request.
fn named(parts: &Parts, in_body: Option<&str>) -> Result<LocalName, OperationError> {
    let name = parts
        .optional_path("user")
        .or_else(|| parts.optional_path("group"))
        .or(in_body);
    Ok(LocalName(name.unwrap_or_default().to_owned()))
}

/// Refuses where there are no accounts of this server.
///
/// # Errors
/// [`OperationError::Unsupported`].
pub(super) fn require_basic(app: &App) -> Result<(), OperationError> {
    if app.settings.authenticators.contains(&AuthenticatorKind::Basic) {
        return Ok(());
    }
    Err(OperationError::Unsupported(
        "the built-in identity provider is off: put `basic` into `gravitino.authenticators`".to_owned(),
    ))
}

fn user_response(user: IdpUser) -> LocalUserResponse {
    LocalUserResponse {
        code: 0,
        user: LocalUserDto {
            name: user.name,
            groups: user.groups,
        },
    }
}

fn group_response(group: IdpGroup) -> LocalGroupResponse {
    LocalGroupResponse {
        code: 0,
        group: LocalGroupDto {
            name: group.name,
            comment: group.comment,
            users: group.users,
        },
    }
}

/// `POST /idp/users`
#[derive(Debug)]
pub struct CreateLocalUser;

impl Endpoint for CreateLocalUser {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/idp/users";
    const REQUIRES: Requirement = Requirement::AccountAdministrator;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = LocalName;
    type Body = UserBody;
    type Reply = LocalUserResponse;

    async fn run(
        app: &App,
        request: &Request,
        user: Authorized<LocalName>,
        Checked(body, _): UserBody,
    ) -> Result<LocalUserResponse, OperationError> {
        require_basic(app)?;
        let created = app
            .operations
            .create_local_user(&request.call, user, body.password.reveal())
            .await?;
        Ok(user_response(created))
    }
}

/// `GET /idp/users/{user}`
#[derive(Debug)]
pub struct LoadLocalUser;

impl Endpoint for LoadLocalUser {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/idp/users/{user}";
    const REQUIRES: Requirement = Requirement::AccountAdministrator;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = LocalName;
    type Body = NoBody;
    type Reply = LocalUserResponse;

    async fn run(
        app: &App,
        _: &Request,
        user: Authorized<LocalName>,
        _: NoBody,
    ) -> Result<LocalUserResponse, OperationError> {
        require_basic(app)?;
        Ok(user_response(app.operations.load_local_user(user).await?))
    }
}

/// `PUT /idp/users/{user}`: another password.
#[derive(Debug)]
pub struct ResetPassword;

impl Endpoint for ResetPassword {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/idp/users/{user}";
    const REQUIRES: Requirement = Requirement::AccountAdministrator;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = LocalName;
    type Body = PasswordBody;
    type Reply = LocalUserResponse;

    async fn run(
        app: &App,
        request: &Request,
        user: Authorized<LocalName>,
        Checked(password, _): PasswordBody,
    ) -> Result<LocalUserResponse, OperationError> {
        require_basic(app)?;
        let changed = app
            .operations
            .reset_password(&request.call, user, password.reveal())
            .await?;
        Ok(user_response(changed))
    }
}

/// `DELETE /idp/users/{user}`
#[derive(Debug)]
pub struct RemoveLocalUser;

impl Endpoint for RemoveLocalUser {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/idp/users/{user}";
    const REQUIRES: Requirement = Requirement::AccountAdministrator;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = LocalName;
    type Body = NoBody;
    type Reply = RemoveResponse;

    async fn run(
        app: &App,
        request: &Request,
        user: Authorized<LocalName>,
        _: NoBody,
    ) -> Result<RemoveResponse, OperationError> {
        require_basic(app)?;
        let removed = app.operations.remove_local_user(&request.call, user).await?;
        Ok(RemoveResponse::of(removed))
    }
}

/// `POST /idp/groups`
#[derive(Debug)]
pub struct CreateLocalGroup;

impl Endpoint for CreateLocalGroup {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/idp/groups";
    const REQUIRES: Requirement = Requirement::AccountAdministrator;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = LocalName;
    type Body = GroupBody;
    type Reply = LocalGroupResponse;

    async fn run(
        app: &App,
        request: &Request,
        group: Authorized<LocalName>,
        Checked(body, _): GroupBody,
    ) -> Result<LocalGroupResponse, OperationError> {
        require_basic(app)?;
        let created = app
            .operations
            .create_local_group(&request.call, group, body.comment.as_deref())
            .await?;
        Ok(group_response(created))
    }
}

/// `GET /idp/groups/{group}`
#[derive(Debug)]
pub struct LoadLocalGroup;

impl Endpoint for LoadLocalGroup {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/idp/groups/{group}";
    const REQUIRES: Requirement = Requirement::AccountAdministrator;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = LocalName;
    type Body = NoBody;
    type Reply = LocalGroupResponse;

    async fn run(
        app: &App,
        _: &Request,
        group: Authorized<LocalName>,
        _: NoBody,
    ) -> Result<LocalGroupResponse, OperationError> {
        require_basic(app)?;
        Ok(group_response(app.operations.load_local_group(group).await?))
    }
}

/// `DELETE /idp/groups/{group}?force=false`
#[derive(Debug)]
pub struct RemoveLocalGroup;

impl Endpoint for RemoveLocalGroup {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/idp/groups/{group}";
    const REQUIRES: Requirement = Requirement::AccountAdministrator;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = LocalName;
    type Body = NoBody;
    type Reply = RemoveResponse;

    async fn run(
        app: &App,
        request: &Request,
        group: Authorized<LocalName>,
        _: NoBody,
    ) -> Result<RemoveResponse, OperationError> {
        require_basic(app)?;
        let force = request.parts.flag("force", false);
        let removed = app
            .operations
            .remove_local_group(&request.call, group, force)
            .await?;
        Ok(RemoveResponse::of(removed))
    }
}

/// `PUT /idp/groups/{group}/users`
#[derive(Debug)]
pub struct ChangeLocalMembership;

impl Endpoint for ChangeLocalMembership {
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/idp/groups/{group}/users";
    const REQUIRES: Requirement = Requirement::AccountAdministrator;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = LocalName;
    type Body = MembershipBody;
    type Reply = LocalGroupResponse;

    async fn run(
        app: &App,
        request: &Request,
        group: Authorized<LocalName>,
        Checked(body, _): MembershipBody,
    ) -> Result<LocalGroupResponse, OperationError> {
        require_basic(app)?;
        let change = MembershipChange {
            add: body.add,
            remove: body.remove,
        };
        let changed = app
            .operations
            .change_local_membership(&request.call, group, &change)
            .await?;
        Ok(group_response(changed))
    }
}
