// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Versions of models.

use std::collections::BTreeSet;

use lakeward_metadata::Properties;
use lakeward_metadata::model::{
    ModelVersion, ModelVersionBody, ModelVersionChange, URI_NAME_UNKNOWN, Uris, check_alias, check_uri_name,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::audit::AuditDto;
use crate::json_object::{Members, text_item};
use crate::request::RequestError;
use crate::update::{new_comment, remove_property, set_property, updates};

/// `POST …/models/{model}/versions`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct ModelVersionLinkRequest {
    /// The URI named `unknown`; it wins over one of that name among `uris`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// The URIs by name; at least one URI is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uris: Option<Uris>,
    /// Further names of the version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aliases: Option<Vec<String>>,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Its settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
}

impl TryFrom<ModelVersionLinkRequest> for ModelVersionBody {
    type Error = RequestError;

    fn try_from(request: ModelVersionLinkRequest) -> Result<Self, RequestError> {
        let mut uris = request.uris.unwrap_or_default();
        for (name, uri) in &uris {
            check_uri_name(name).map_err(|error| RequestError::invalid("uris", error))?;
            if uri.trim().is_empty() {
                return Err(RequestError::Missing(format!("uris.{name}")));
            }
        }
        match request.uri {
            Some(uri) if !uri.trim().is_empty() => {
                uris.insert(URI_NAME_UNKNOWN.to_owned(), uri);
            }
            Some(_) => return Err(RequestError::Missing("uri".to_owned())),
            None if uris.is_empty() => return Err(RequestError::Missing("uri".to_owned())),
            None => {}
        }
        let mut aliases = BTreeSet::new();
        for (position, alias) in request.aliases.unwrap_or_default().into_iter().enumerate() {
            check_alias(&alias)
                .map_err(|error| RequestError::invalid(format!("aliases[{position}]"), error))?;
            aliases.insert(alias);
        }
        Ok(Self {
            comment: request.comment,
            aliases,
            uris,
            properties: request.properties.unwrap_or_default(),
        })
    }
}

/// `PUT …/models/{model}/versions/{version}` and `PUT …/models/{model}/aliases/{alias}`: `updateComment`,
/// `setProperty`, `removeProperty`, `updateUri`, `addUri`, `removeUri`, `updateAliases`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct ModelVersionUpdatesRequest {
    /// The changes; required, may be empty.
    pub updates: Option<Vec<Value>>,
}

impl TryFrom<ModelVersionUpdatesRequest> for Vec<ModelVersionChange> {
    type Error = RequestError;

    fn try_from(request: ModelVersionUpdatesRequest) -> Result<Self, RequestError> {
        updates(request.updates.as_deref(), change, "model version")
    }
}

fn change(update_type: &str, members: Members<'_>) -> Result<Option<ModelVersionChange>, RequestError> {
    let uri_name = || {
        let name = members.required_text("uriName")?;
        check_uri_name(name).map_err(|error| RequestError::invalid(members.at("uriName"), error))?;
        Ok::<_, RequestError>(name.to_owned())
    };
    Ok(Some(match update_type {
        "updateComment" => ModelVersionChange::UpdateComment(new_comment(members)?),
        "setProperty" => {
            let (property, value) = set_property(members)?;
            ModelVersionChange::SetProperty { property, value }
        }
        "removeProperty" => ModelVersionChange::RemoveProperty(remove_property(members)?),
        "updateUri" => {
            let named = members.text("uriName")?.filter(|name| !name.trim().is_empty());
            ModelVersionChange::UpdateUri {
                name: named.unwrap_or(URI_NAME_UNKNOWN).to_owned(),
                uri: members.required_text("newUri")?.to_owned(),
            }
        }
        "addUri" => ModelVersionChange::AddUri {
            name: uri_name()?,
            uri: members.required_text("uri")?.to_owned(),
        },
        "removeUri" => ModelVersionChange::RemoveUri(members.required_text("uriName")?.to_owned()),
        "updateAliases" => {
            if members.get("aliasesToAdd").is_none() && members.get("aliasesToRemove").is_none() {
                return Err(RequestError::Missing(members.at("aliasesToAdd")));
            }
            let checked = |value: &Value, path: &str| {
                let alias = text_item(value, path)?;
                check_alias(&alias).map_err(|error| RequestError::invalid(path, error))?;
                Ok(alias)
            };
            ModelVersionChange::UpdateAliases {
                add: members.each("aliasesToAdd", checked)?.into_iter().collect(),
                remove: members.each("aliasesToRemove", text_item)?.into_iter().collect(),
            }
        }
        _ => return Ok(None),
    }))
}

/// A version of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelVersionDto {
    /// Its number.
    pub version: i64,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Further names of it, sorted.
    pub aliases: Vec<String>,
    /// The URI named `unknown`, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// The URIs by name.
    pub uris: Uris,
    /// Its settings.
    pub properties: Properties,
    /// Who linked and changed it.
    pub audit: AuditDto,
}

impl From<&ModelVersion> for ModelVersionDto {
    fn from(version: &ModelVersion) -> Self {
        let body = &version.body;
        Self {
            version: version.version,
            comment: body.comment.clone(),
            aliases: body.aliases.iter().cloned().collect(),
            uri: body.uris.get(URI_NAME_UNKNOWN).cloned(),
            uris: body.uris.clone(),
            properties: body.properties.clone(),
            audit: AuditDto::from(&version.audit),
        }
    }
}

/// One version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelVersionResponse {
    /// Always 0.
    pub code: i32,
    /// The version.
    pub model_version: ModelVersionDto,
}

impl From<&ModelVersion> for ModelVersionResponse {
    fn from(version: &ModelVersion) -> Self {
        Self {
            code: 0,
            model_version: version.into(),
        }
    }
}

/// The numbers of versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelVersionListResponse {
    /// Always 0.
    pub code: i32,
    /// The numbers, in order.
    pub versions: Vec<i64>,
}

/// Versions in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelVersionInfoListResponse {
    /// Always 0.
    pub code: i32,
    /// The versions, by number.
    pub infos: Vec<ModelVersionDto>,
}

/// One URI of a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelVersionUriResponse {
    /// Always 0.
    pub code: i32,
    /// The URI.
    pub uri: String,
}
