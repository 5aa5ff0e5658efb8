// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Owners of objects.

use lakeward_metadata::principal::{Principal, PrincipalKind};
use serde::{Deserialize, Serialize};

use crate::request::{RequestError, not_blank};

/// `PUT …/owners/{type}/{fullName}`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct OwnerSetRequest {
    /// The user or group; required.
    pub name: Option<String>,
    /// `user` or `group`; required.
    #[serde(rename = "type")]
    pub owner_type: Option<String>,
}

impl TryFrom<OwnerSetRequest> for Principal {
    type Error = RequestError;

    fn try_from(request: OwnerSetRequest) -> Result<Self, RequestError> {
        let owner_type = not_blank("type", request.owner_type)?;
        let kind = match owner_type.to_ascii_lowercase().as_str() {
            "user" => PrincipalKind::User,
            "group" => PrincipalKind::Group,
            _ => {
                return Err(RequestError::invalid(
                    "type",
                    format!("`{owner_type}` is not a type of owner: `user` or `group`"),
                ));
            }
        };
        Ok(Self {
            kind,
            name: not_blank("name", request.name)?,
        })
    }
}

/// An owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerDto {
    /// The user or group.
    pub name: String,
    /// `user` or `group`.
    #[serde(rename = "type")]
    pub owner_type: String,
}

impl From<&Principal> for OwnerDto {
    fn from(principal: &Principal) -> Self {
        Self {
            name: principal.name.clone(),
            owner_type: match principal.kind {
                PrincipalKind::User => "user".to_owned(),
                PrincipalKind::Group => "group".to_owned(),
            },
        }
    }
}

/// The owner of an object; the member is left out where there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerResponse {
    /// Always 0.
    pub code: i32,
    /// The owner.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub owner: Option<OwnerDto>,
}

impl From<Option<&Principal>> for OwnerResponse {
    fn from(owner: Option<&Principal>) -> Self {
        Self {
            code: 0,
            owner: owner.map(OwnerDto::from),
        }
    }
}
