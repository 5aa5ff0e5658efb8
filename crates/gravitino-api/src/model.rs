// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Models. Their versions are in [`crate::model_version`].

use lakeward_metadata::Properties;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::model::{Model, ModelChange, NewModel};
use lakeward_metadata::name::Name;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::audit::AuditDto;
use crate::json_object::Members;
use crate::request::{RequestError, name};
use crate::update::{new_comment, remove_property, set_property, updates};

/// `POST …/models`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct ModelRegisterRequest {
    /// Its name; required.
    pub name: Option<String>,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Its settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
}

impl TryFrom<ModelRegisterRequest> for NewModel {
    type Error = RequestError;

    fn try_from(request: ModelRegisterRequest) -> Result<Self, RequestError> {
        Ok(Self {
            name: name("name", ObjectKind::Model, request.name)?,
            comment: request.comment,
            properties: request.properties.unwrap_or_default(),
        })
    }
}

/// `PUT …/models/{model}`: `rename`, `updateComment`, `setProperty`, `removeProperty`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct ModelUpdatesRequest {
    /// The changes; required, may be empty.
    pub updates: Option<Vec<Value>>,
}

impl TryFrom<ModelUpdatesRequest> for Vec<ModelChange> {
    type Error = RequestError;

    fn try_from(request: ModelUpdatesRequest) -> Result<Self, RequestError> {
        updates(request.updates.as_deref(), change, "model")
    }
}

fn change(update_type: &str, members: Members<'_>) -> Result<Option<ModelChange>, RequestError> {
    Ok(Some(match update_type {
        "rename" => ModelChange::Rename(Name::parse(ObjectKind::Model, members.required_text("newName")?)?),
        "updateComment" => ModelChange::UpdateComment(new_comment(members)?),
        "setProperty" => {
            let (property, value) = set_property(members)?;
            ModelChange::SetProperty { property, value }
        }
        "removeProperty" => ModelChange::RemoveProperty(remove_property(members)?),
        _ => return Ok(None),
    }))
}

/// A model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelDto {
    /// Its name.
    pub name: String,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Its settings.
    pub properties: Properties,
    /// How many versions were ever linked.
    pub latest_version: i64,
    /// Who made and changed it.
    pub audit: AuditDto,
}

impl From<&Model> for ModelDto {
    fn from(model: &Model) -> Self {
        Self {
            name: model.name.clone(),
            comment: model.comment.clone(),
            properties: model.properties.clone(),
            latest_version: model.latest_version,
            audit: AuditDto::from(&model.audit),
        }
    }
}

/// One model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelResponse {
    /// Always 0.
    pub code: i32,
    /// The model.
    pub model: ModelDto,
}

impl From<&Model> for ModelResponse {
    fn from(model: &Model) -> Self {
        Self {
            code: 0,
            model: model.into(),
        }
    }
}
