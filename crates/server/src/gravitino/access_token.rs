// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `/api/authn/me/tokens` and `/api/idp/users/{user}/tokens`: the access tokens that people make for their programs.
//! Ours, not of the original.

use std::time::Duration;

use chrono::{DateTime, SecondsFormat};
use http::{Method, header};
use lakeward_authorization::{Authorized, Requirement};
use lakeward_gravitino_api::access_token::{
    AccessTokenDto, AccessTokenListResponse, AccessTokenRequest, AccessTokenToMake, MadeAccessTokenResponse,
};
use lakeward_gravitino_api::response::RemoveResponse;
use lakeward_operations::OperationError;
use lakeward_operations::access_token::{AccessTokenName, NewAccessToken};
use lakeward_operations::identity_provider::LocalName;
use lakeward_operations::named::TheServer;
use lakeward_store::AccessToken;

use super::identity_provider::require_basic;
use crate::app::App;
use crate::http::body::{Checked, NoBody};
use crate::http::endpoint::{Endpoint, FromPath, Governance, Request};
use crate::http::parts::Parts;
use crate::http::reply::Reply;
use crate::http::routes::Routes;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default()
        .mount::<CreateAccessToken>()
        .mount::<ListAccessTokens>()
        .mount::<RemoveAccessToken>()
        .mount::<ListAccessTokensOfUser>()
        .mount::<RemoveAccessTokenOfUser>()
}

impl FromPath for AccessTokenName {
    fn from_path(parts: &Parts) -> Result<Self, OperationError> {
        Ok(Self {
            user: parts.optional_path("user").map(str::to_owned),
            name: parts.path("token")?.to_owned(),
        })
    }
}

fn dto(token: AccessToken) -> AccessTokenDto {
    let time = |millis| {
        DateTime::from_timestamp_millis(millis)
            .unwrap_or_default()
            .to_rfc3339_opts(SecondsFormat::Millis, true)
    };
    AccessTokenDto {
        name: token.name,
        prefix: token.prefix,
        metalakes: token.metalakes,
        roles: token.roles,
        read_only: token.is_read_only,
        create_time: time(token.created_at),
        expire_time: time(token.expires_at),
    }
}

fn list(tokens: Vec<AccessToken>) -> AccessTokenListResponse {
    AccessTokenListResponse {
        code: 0,
        tokens: tokens.into_iter().map(dto).collect(),
    }
}

/// `POST /authn/me/tokens`
#[derive(Debug)]
pub struct CreateAccessToken;

impl Endpoint for CreateAccessToken {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/authn/me/tokens";
    const REQUIRES: Requirement = Requirement::Authenticated;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = Checked<AccessTokenRequest, AccessTokenToMake>;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        server: Authorized<TheServer>,
        Checked(body, _): Self::Body,
    ) -> Result<Reply, OperationError> {
        require_basic(app)?;
        let new = NewAccessToken {
            name: body.name,
            lifetime: Duration::from_secs(body.expires_in_seconds),
            metalakes: body.metalakes,
            roles: body.roles,
            is_read_only: body.read_only,
        };
        let (token, secret) = app
            .operations
            .create_access_token(&request.call, server, new)
            .await?;
        let made = MadeAccessTokenResponse {
            code: 0,
            token: dto(token),
            secret,
        };
        Reply::json(&made)?.with_header(header::CACHE_CONTROL, "no-store")
    }
}

/// `GET /authn/me/tokens`
#[derive(Debug)]
pub struct ListAccessTokens;

impl Endpoint for ListAccessTokens {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/authn/me/tokens";
    const REQUIRES: Requirement = Requirement::Authenticated;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = NoBody;
    type Reply = AccessTokenListResponse;

    async fn run(
        app: &App,
        request: &Request,
        server: Authorized<TheServer>,
        _: NoBody,
    ) -> Result<AccessTokenListResponse, OperationError> {
        require_basic(app)?;
        let tokens = app.operations.own_access_tokens(&request.call, server).await?;
        Ok(list(tokens))
    }
}

/// `DELETE /authn/me/tokens/{token}`
#[derive(Debug)]
pub struct RemoveAccessToken;

impl Endpoint for RemoveAccessToken {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/authn/me/tokens/{token}";
    const REQUIRES: Requirement = Requirement::Authenticated;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = AccessTokenName;
    type Body = NoBody;
    type Reply = RemoveResponse;

    async fn run(
        app: &App,
        request: &Request,
        token: Authorized<AccessTokenName>,
        _: NoBody,
    ) -> Result<RemoveResponse, OperationError> {
        require_basic(app)?;
        let removed = app.operations.remove_access_token(&request.call, token).await?;
        Ok(RemoveResponse::of(removed))
    }
}

/// `GET /idp/users/{user}/tokens`
#[derive(Debug)]
pub struct ListAccessTokensOfUser;

impl Endpoint for ListAccessTokensOfUser {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/idp/users/{user}/tokens";
    const REQUIRES: Requirement = Requirement::AccountAdministrator;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = LocalName;
    type Body = NoBody;
    type Reply = AccessTokenListResponse;

    async fn run(
        app: &App,
        _: &Request,
        user: Authorized<LocalName>,
        _: NoBody,
    ) -> Result<AccessTokenListResponse, OperationError> {
        require_basic(app)?;
        Ok(list(app.operations.access_tokens_of(user).await?))
    }
}

/// `DELETE /idp/users/{user}/tokens/{token}`
#[derive(Debug)]
pub struct RemoveAccessTokenOfUser;

impl Endpoint for RemoveAccessTokenOfUser {
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/idp/users/{user}/tokens/{token}";
    const REQUIRES: Requirement = Requirement::AccountAdministrator;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = AccessTokenName;
    type Body = NoBody;
    type Reply = RemoveResponse;

    async fn run(
        app: &App,
        request: &Request,
        token: Authorized<AccessTokenName>,
        _: NoBody,
    ) -> Result<RemoveResponse, OperationError> {
        require_basic(app)?;
        let removed = app.operations.remove_access_token(&request.call, token).await?;
        Ok(RemoveResponse::of(removed))
    }
}
