// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Users of a metalake, singly and in bulk.

use serde::{Deserialize, Serialize};

use crate::audit::AuditDto;
use crate::request::{RequestError, not_blank};

/// `POST …/users`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct UserAddRequest {
    /// The name; required.
    pub name: Option<String>,
    /// The id in an identity system beside; not blank where given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// Whether the user may act; absent means yes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
}

/// A user to be added, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserToAdd {
    /// The name.
    pub name: String,
    /// The id in an identity system beside.
    pub external_id: Option<String>,
    /// Whether the user may act.
    pub enabled: bool,
}

impl TryFrom<UserAddRequest> for UserToAdd {
    type Error = RequestError;

    fn try_from(request: UserAddRequest) -> Result<Self, RequestError> {
        Ok(Self {
            name: not_blank("name", request.name)?,
            external_id: optional_not_blank("externalId", request.external_id)?,
            enabled: request.enabled.unwrap_or(true),
        })
    }
}

/// A text that may be absent, but not blank.
pub(crate) fn optional_not_blank(
    member: &str,
    value: Option<String>,
) -> Result<Option<String>, RequestError> {
    match value {
        Some(text) if text.trim().is_empty() => {
            Err(RequestError::invalid(member, "leave it out rather than blank"))
        }
        other => Ok(other),
    }
}

/// `PUT …/users/{user}` (ours): suspends a user, or lets them act again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct UserUpdateRequest {
    /// Whether the user may act.
    pub enabled: bool,
}

/// A user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UserDto {
    /// The number the server gave.
    pub id: i64,
    /// The name.
    pub name: String,
    /// The id in an identity system beside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// Whether the user may act.
    pub enabled: bool,
    /// Who added and changed it.
    pub audit: AuditDto,
    /// The names of the roles held.
    pub roles: Vec<String>,
}

/// One user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserResponse {
    /// Always 0.
    pub code: i32,
    /// The user.
    pub user: UserDto,
}

/// Several users with their details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserListResponse {
    /// Always 0.
    pub code: i32,
    /// The users.
    pub users: Vec<UserDto>,
}

/// `POST /api/bulk/metalakes/{metalake}/users/add`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct UsersAddRequest {
    /// The users; required.
    pub users: Option<Vec<UserAddRequest>>,
}

/// `POST /api/bulk/metalakes/{metalake}/users/remove`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct UsersRemoveRequest {
    /// The names; required.
    pub names: Option<Vec<String>>,
}

/// Why one item of a bulk request failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BulkErrorDto {
    /// The place in the request, from 0.
    pub index: usize,
    /// The name of the item.
    pub name: String,
    /// As in an error body.
    pub code: i32,
    /// As in an error body.
    #[serde(rename = "type")]
    pub error_type: String,
    /// As in an error body.
    pub message: String,
}

/// The count of a bulk request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BulkSummaryDto {
    /// Items in the request.
    pub total: usize,
    /// Done.
    pub succeeded: usize,
    /// Not done.
    pub failed: usize,
}

/// The answer to a bulk addition; status 200 even where items failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsersAddResponse {
    /// Always 0.
    pub code: i32,
    /// The users added.
    pub users: Vec<UserDto>,
    /// What failed.
    pub errors: Vec<BulkErrorDto>,
    /// The count.
    pub summary: BulkSummaryDto,
}

/// The answer to a bulk removal; status 200 even where items failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsersRemoveResponse {
    /// Always 0.
    pub code: i32,
    /// The names removed.
    pub names: Vec<String>,
    /// What failed.
    pub errors: Vec<BulkErrorDto>,
    /// The count.
    pub summary: BulkSummaryDto,
}
