// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Access tokens of local accounts. Ours, not of the original.

use serde::{Deserialize, Serialize};

use crate::request::{RequestError, not_blank, required};

/// `POST /api/authn/me/tokens`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct AccessTokenRequest {
    /// What its owner calls it; required.
    pub name: Option<String>,
    /// How many seconds it is good for; required.
    pub expires_in_seconds: Option<u64>,
    /// The only metalakes that it is for.
    pub metalakes: Option<Vec<String>>,
    /// The only roles that it uses.
    pub roles: Option<Vec<String>>,
    /// Whether it is for reading only.
    #[serde(default)]
    pub read_only: bool,
}

/// A token to be made; its members are there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessTokenToMake {
    /// What its owner calls it.
    pub name: String,
    /// How many seconds it is good for.
    pub expires_in_seconds: u64,
    /// The only metalakes that it is for.
    pub metalakes: Option<Vec<String>>,
    /// The only roles that it uses.
    pub roles: Option<Vec<String>>,
    /// Whether it is for reading only.
    pub read_only: bool,
}

impl TryFrom<AccessTokenRequest> for AccessTokenToMake {
    type Error = RequestError;

    fn try_from(request: AccessTokenRequest) -> Result<Self, RequestError> {
        Ok(Self {
            name: not_blank("name", request.name)?,
            expires_in_seconds: required("expiresInSeconds", request.expires_in_seconds)?,
            metalakes: request.metalakes,
            roles: request.roles,
            read_only: request.read_only,
        })
    }
}

/// A token without its secret. Times are in UTC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AccessTokenDto {
    /// What its owner calls it.
    pub name: String,
    /// Its first letters.
    pub prefix: String,
    /// The only metalakes that it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metalakes: Option<Vec<String>>,
    /// The only roles that it uses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<String>>,
    /// Whether it is for reading only.
    pub read_only: bool,
    /// When it was made.
    pub create_time: String,
    /// From when on it is refused.
    pub expire_time: String,
}

/// A token that was made. The secret is in this answer and nowhere else.
#[derive(Clone, Serialize)]
pub struct MadeAccessTokenResponse {
    /// Always 0.
    pub code: i32,
    /// The token.
    pub token: AccessTokenDto,
    /// What is sent as `Authorization: Bearer …`.
    pub secret: String,
}

impl std::fmt::Debug for MadeAccessTokenResponse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MadeAccessTokenResponse")
            .field("token", &self.token)
            .finish_non_exhaustive()
    }
}

/// Tokens of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AccessTokenListResponse {
    /// Always 0.
    pub code: i32,
    /// The tokens, by name.
    pub tokens: Vec<AccessTokenDto>,
}
