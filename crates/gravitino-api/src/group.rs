// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Groups of a metalake.

use serde::{Deserialize, Serialize};

use crate::audit::AuditDto;
use crate::request::{RequestError, not_blank};
use crate::user::optional_not_blank;

/// `POST …/groups`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct GroupAddRequest {
    /// The name; required.
    pub name: Option<String>,
    /// The id in an identity system beside; not blank where given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
}

/// A group to be added, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupToAdd {
    /// The name.
    pub name: String,
    /// The id in an identity system beside.
    pub external_id: Option<String>,
}

impl TryFrom<GroupAddRequest> for GroupToAdd {
    type Error = RequestError;

    fn try_from(request: GroupAddRequest) -> Result<Self, RequestError> {
        Ok(Self {
            name: not_blank("name", request.name)?,
            external_id: optional_not_blank("externalId", request.external_id)?,
        })
    }
}

/// A group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupDto {
    /// The number the server gave.
    pub id: i64,
    /// The name.
    pub name: String,
    /// The id in an identity system beside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// Who added and changed it.
    pub audit: AuditDto,
    /// The names of the roles held.
    pub roles: Vec<String>,
}

/// One group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupResponse {
    /// Always 0.
    pub code: i32,
    /// The group.
    pub group: GroupDto,
}

/// Several groups with their details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupListResponse {
    /// Always 0.
    pub code: i32,
    /// The groups.
    pub groups: Vec<GroupDto>,
}
