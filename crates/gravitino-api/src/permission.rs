// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Granting roles to users and groups, and privileges to roles.

use lakeward_authorization::securable_object::{ConditionedPrivilege, SecurableObject};
use serde::{Deserialize, Serialize};

use crate::request::{RequestError, not_blank, not_empty, required};
use crate::role::{PrivilegeDto, SecurableObjectDto, privileges, securable_objects};

/// `PUT …/permissions/users/{user}/grant`, `/revoke`, and the same for groups.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct RolesRequest {
    /// The names of roles; at least one.
    pub role_names: Option<Vec<String>>,
}

impl TryFrom<RolesRequest> for Vec<String> {
    type Error = RequestError;

    fn try_from(request: RolesRequest) -> Result<Self, RequestError> {
        not_empty("roleNames", request.role_names)?
            .into_iter()
            .enumerate()
            .map(|(position, name)| not_blank(&format!("roleNames[{position}]"), Some(name)))
            .collect()
    }
}

/// `PUT …/permissions/roles/{role}/{type}/{fullName}/grant`, `/revoke`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct PrivilegesRequest {
    /// The privileges; at least one.
    pub privileges: Option<Vec<PrivilegeDto>>,
}

impl TryFrom<PrivilegesRequest> for Vec<ConditionedPrivilege> {
    type Error = RequestError;

    fn try_from(request: PrivilegesRequest) -> Result<Self, RequestError> {
        privileges(&not_empty("privileges", request.privileges)?, "privileges")
    }
}

/// `PUT …/permissions/roles/{role}`: what the role says from now on, all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct OverridePrivilegesRequest {
    /// The objects; required, may be empty.
    pub overrides: Option<Vec<SecurableObjectDto>>,
}

impl TryFrom<OverridePrivilegesRequest> for Vec<SecurableObject> {
    type Error = RequestError;

    fn try_from(request: OverridePrivilegesRequest) -> Result<Self, RequestError> {
        securable_objects(&required("overrides", request.overrides)?, "overrides")
    }
}
