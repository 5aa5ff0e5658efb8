// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Schemas.

use lakeward_metadata::Properties;
use lakeward_metadata::schema::{NewSchema, Schema, SchemaChange};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::audit::AuditDto;
use crate::request::{RequestError, not_blank};
use crate::update::{remove_property, set_property, updates};

/// `POST …/schemas`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct SchemaCreateRequest {
    /// Its name; required.
    pub name: Option<String>,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Its settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
}

impl TryFrom<SchemaCreateRequest> for NewSchema {
    type Error = RequestError;

    fn try_from(request: SchemaCreateRequest) -> Result<Self, RequestError> {
        Ok(Self {
            name: not_blank("name", request.name)?,
            comment: request.comment,
            properties: request.properties.unwrap_or_default(),
        })
    }
}

/// `PUT …/schemas/{schema}`: `setProperty`, `removeProperty`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct SchemaUpdatesRequest {
    /// The changes; required, may be empty.
    pub updates: Option<Vec<Value>>,
}

impl TryFrom<SchemaUpdatesRequest> for Vec<SchemaChange> {
    type Error = RequestError;

    fn try_from(request: SchemaUpdatesRequest) -> Result<Self, RequestError> {
        updates(
            request.updates.as_deref(),
            |update_type, members| {
                Ok(Some(match update_type {
                    "setProperty" => {
                        let (property, value) = set_property(members)?;
                        SchemaChange::SetProperty { property, value }
                    }
                    "removeProperty" => SchemaChange::RemoveProperty(remove_property(members)?),
                    _ => return Ok(None),
                }))
            },
            "schema",
        )
    }
}

/// A schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemaDto {
    /// Its name; levels of a nested one joined by the separator.
    pub name: String,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Its settings.
    pub properties: Properties,
    /// Who made and changed it.
    pub audit: AuditDto,
}

impl From<&Schema> for SchemaDto {
    fn from(schema: &Schema) -> Self {
        Self {
            name: schema.name.clone(),
            comment: schema.comment.clone(),
            properties: schema.properties.clone(),
            audit: AuditDto::from(&schema.audit),
        }
    }
}

/// One schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemaResponse {
    /// Always 0.
    pub code: i32,
    /// The schema.
    pub schema: SchemaDto,
}

impl From<&Schema> for SchemaResponse {
    fn from(schema: &Schema) -> Self {
        Self {
            code: 0,
            schema: schema.into(),
        }
    }
}
