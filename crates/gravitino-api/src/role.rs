// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Roles and what they say of objects.

use lakeward_authorization::securable_object::{ConditionedPrivilege, SecurableObject};
use lakeward_metadata::Properties;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::name::Name;
use lakeward_metadata::object::MetadataObject;
use serde::{Deserialize, Serialize};

use crate::audit::AuditDto;
use crate::request::{RequestError, name, not_blank, required};

/// One privilege with its condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct PrivilegeDto {
    /// The privilege; lower case in answers.
    pub name: Option<String>,
    /// `allow` or `deny`.
    pub condition: Option<String>,
}

impl From<&ConditionedPrivilege> for PrivilegeDto {
    fn from(given: &ConditionedPrivilege) -> Self {
        Self {
            name: Some(given.privilege.lower_case()),
            condition: Some(given.condition.lower_case().to_owned()),
        }
    }
}

/// Reads privileges; `path` is where the list stands in the request.
///
/// # Errors
/// [`RequestError`] for a privilege or condition that does not exist.
pub(crate) fn privileges(
    given: &[PrivilegeDto],
    path: &str,
) -> Result<Vec<ConditionedPrivilege>, RequestError> {
    given
        .iter()
        .enumerate()
        .map(|(position, privilege)| {
            let at = |member: &str| format!("{path}[{position}].{member}");
            Ok(ConditionedPrivilege {
                privilege: not_blank(&at("name"), privilege.name.clone())?
                    .parse()
                    .map_err(|error| RequestError::invalid(at("name"), error))?,
                condition: not_blank(&at("condition"), privilege.condition.clone())?
                    .parse()
                    .map_err(|error| RequestError::invalid(at("condition"), error))?,
            })
        })
        .collect()
}

/// An object and what a role says of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct SecurableObjectDto {
    /// The type of the object; lower case in answers.
    #[serde(rename = "type")]
    pub object_type: Option<String>,
    /// What is said; not empty.
    pub privileges: Option<Vec<PrivilegeDto>>,
    /// The dotted name, without the metalake.
    pub full_name: Option<String>,
}

impl From<&SecurableObject> for SecurableObjectDto {
    fn from(securable: &SecurableObject) -> Self {
        Self {
            object_type: Some(securable.object().kind.lower_case()),
            privileges: Some(securable.privileges().iter().map(PrivilegeDto::from).collect()),
            full_name: Some(securable.object().full_name()),
        }
    }
}

/// Reads objects with privileges; `path` is where the list stands in the request.
///
/// # Errors
/// [`RequestError`] for unknown types and privileges, illegal full names, privileges that do not bind to the type,
/// contradictions, and the same object twice.
pub fn securable_objects(
    given: &[SecurableObjectDto],
    path: &str,
) -> Result<Vec<SecurableObject>, RequestError> {
    let mut read: Vec<SecurableObject> = Vec::with_capacity(given.len());
    for (position, securable) in given.iter().enumerate() {
        let at = |member: &str| format!("{path}[{position}].{member}");
        let kind: ObjectKind = not_blank(&at("type"), securable.object_type.clone())?
            .parse()
            .map_err(|error| RequestError::invalid(at("type"), error))?;
        let full_name = not_blank(&at("fullName"), securable.full_name.clone())?;
        let object = MetadataObject::parse(kind, &full_name)
            .map_err(|error| RequestError::invalid(at("fullName"), error))?;
        if read.iter().any(|earlier| *earlier.object() == object) {
            return Err(RequestError::invalid(
                at("fullName"),
                format!("{object} is given twice"),
            ));
        }
        let said = required(&at("privileges"), securable.privileges.as_deref())?;
        read.push(SecurableObject::new(
            object,
            privileges(said, &at("privileges"))?,
        )?);
    }
    Ok(read)
}

/// `POST …/roles`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct RoleCreateRequest {
    /// Its name; required.
    pub name: Option<String>,
    /// Its settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
    /// What it says; required, may be empty.
    pub securable_objects: Option<Vec<SecurableObjectDto>>,
}

/// A role to be created, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleToCreate {
    /// Its name.
    pub name: Name,
    /// Its settings.
    pub properties: Properties,
    /// What it says.
    pub securable_objects: Vec<SecurableObject>,
}

impl TryFrom<RoleCreateRequest> for RoleToCreate {
    type Error = RequestError;

    fn try_from(request: RoleCreateRequest) -> Result<Self, RequestError> {
        let objects = required("securableObjects", request.securable_objects)?;
        Ok(Self {
            name: name("name", ObjectKind::Role, request.name)?,
            properties: request.properties.unwrap_or_default(),
            securable_objects: securable_objects(&objects, "securableObjects")?,
        })
    }
}

/// A role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RoleDto {
    /// Its name.
    pub name: String,
    /// Who made and changed it.
    pub audit: AuditDto,
    /// Its settings; left out where there are none.
    #[serde(skip_serializing_if = "Properties::is_empty", default)]
    pub properties: Properties,
    /// What it says.
    pub securable_objects: Vec<SecurableObjectDto>,
}

/// One role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleResponse {
    /// Always 0.
    pub code: i32,
    /// The role.
    pub role: RoleDto,
}

/// Several roles with their details (ours: the original lists names only).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleListResponse {
    /// Always 0.
    pub code: i32,
    /// The roles.
    pub roles: Vec<RoleDto>,
}

/// Whether a role was deleted; both members say the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleDeleteResponse {
    /// Always 0.
    pub code: i32,
    /// `false` where there was none.
    pub dropped: bool,
    /// The same.
    pub deleted: bool,
}

impl RoleDeleteResponse {
    /// The answer.
    pub const fn of(deleted: bool) -> Self {
        Self {
            code: 0,
            dropped: deleted,
            deleted,
        }
    }
}
