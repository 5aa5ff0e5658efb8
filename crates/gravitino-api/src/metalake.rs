// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Metalakes.

use lakeward_metadata::Properties;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::metalake::{IN_USE, Metalake, MetalakeChange, NewMetalake};
use lakeward_metadata::name::Name;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::audit::AuditDto;
use crate::request::{RequestError, name};
use crate::update::{new_comment, remove_property, set_property, updates};

/// `POST /api/metalakes`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct MetalakeCreateRequest {
    /// Its name; required.
    pub name: Option<String>,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Its settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
}

impl TryFrom<MetalakeCreateRequest> for NewMetalake {
    type Error = RequestError;

    fn try_from(request: MetalakeCreateRequest) -> Result<Self, RequestError> {
        Ok(Self {
            name: name("name", ObjectKind::Metalake, request.name)?,
            comment: request.comment,
            properties: without_reserved(request.properties.unwrap_or_default())?,
        })
    }
}

/// `PUT /api/metalakes/{metalake}`: `rename`, `updateComment`, `setProperty`, `removeProperty`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct MetalakeUpdatesRequest {
    /// The changes; required, may be empty.
    pub updates: Option<Vec<Value>>,
}

impl TryFrom<MetalakeUpdatesRequest> for Vec<MetalakeChange> {
    type Error = RequestError;

    fn try_from(request: MetalakeUpdatesRequest) -> Result<Self, RequestError> {
        updates(
            request.updates.as_deref(),
            |update_type, members| {
                Ok(Some(match update_type {
                    "rename" => MetalakeChange::Rename(Name::parse(
                        ObjectKind::Metalake,
                        members.required_text("newName")?,
                    )?),
                    "updateComment" => MetalakeChange::UpdateComment(new_comment(members)?),
                    "setProperty" => {
                        let (property, value) = set_property(members)?;
                        not_reserved(&property)?;
                        MetalakeChange::SetProperty { property, value }
                    }
                    "removeProperty" => {
                        let property = remove_property(members)?;
                        not_reserved(&property)?;
                        MetalakeChange::RemoveProperty(property)
                    }
                    _ => return Ok(None),
                }))
            },
            "metalake",
        )
    }
}

/// `PATCH` of a metalake or catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct SetInUseRequest {
    /// Whether it is to be in use. The original takes an absent one for `false`.
    #[serde(rename = "inUse", default)]
    pub in_use: bool,
}

/// A metalake.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetalakeDto {
    /// Its name.
    pub name: String,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Its settings; where it is loaded or listed, with `in-use`. Absent for a new one without settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
    /// Who made and changed it.
    pub audit: AuditDto,
}

impl From<&Metalake> for MetalakeDto {
    fn from(metalake: &Metalake) -> Self {
        Self {
            name: metalake.name.clone(),
            comment: metalake.comment.clone(),
            properties: Some(with_in_use(&metalake.properties, metalake.in_use)),
            audit: AuditDto::from(&metalake.audit),
        }
    }
}

impl MetalakeDto {
    /// As the original answers a change: what is stored, and `in-use` only when it is loaded.
    fn stored(metalake: &Metalake) -> Self {
        Self {
            properties: Some(metalake.properties.clone()),
            ..Self::from(metalake)
        }
    }
}

/// One metalake.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetalakeResponse {
    /// Always 0.
    pub code: i32,
    /// The metalake.
    pub metalake: MetalakeDto,
}

impl From<&Metalake> for MetalakeResponse {
    fn from(metalake: &Metalake) -> Self {
        Self {
            code: 0,
            metalake: metalake.into(),
        }
    }
}

impl MetalakeResponse {
    /// The answer to its creation.
    pub fn created(metalake: &Metalake) -> Self {
        let mut stored = MetalakeDto::stored(metalake);
        stored.properties = stored.properties.filter(|properties| !properties.is_empty());
        Self {
            code: 0,
            metalake: stored,
        }
    }

    /// The answer to an alteration.
    pub fn altered(metalake: &Metalake) -> Self {
        Self {
            code: 0,
            metalake: MetalakeDto::stored(metalake),
        }
    }
}

/// Several metalakes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetalakeListResponse {
    /// Always 0.
    pub code: i32,
    /// The metalakes.
    pub metalakes: Vec<MetalakeDto>,
}

/// Properties as answers show them: with the reserved `in-use`.
pub(crate) fn with_in_use(properties: &Properties, in_use: bool) -> Properties {
    let mut shown = properties.clone();
    shown.insert(IN_USE.to_owned(), in_use.to_string());
    shown
}

/// Refuses the property that only enabling and disabling may change.
pub(crate) fn not_reserved(property: &str) -> Result<(), RequestError> {
    if property == IN_USE {
        return Err(RequestError::invalid(
            "properties",
            format!("`{property}` is reserved: enable or disable with `PATCH` instead"),
        ));
    }
    Ok(())
}

/// Refuses properties that only the server may set.
pub(crate) fn without_reserved(properties: Properties) -> Result<Properties, RequestError> {
    properties.keys().try_for_each(|key| not_reserved(key))?;
    Ok(properties)
}
