// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tags of a metalake.

use lakeward_metadata::Properties;
use lakeward_metadata::kind::ObjectKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::audit::AuditDto;
use crate::request::{RequestError, not_blank};
use crate::update::{new_comment, remove_property, set_property, updates};

/// The longest value of a tag, in characters.
pub const MAX_TAG_VALUE_CHARS: usize = 256;

/// `POST …/tags`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct TagCreateRequest {
    /// Its name; required.
    pub name: Option<String>,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Its settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
    /// Absent: any value; empty: no value; else one of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_values: Option<Vec<String>>,
}

/// A tag to be created, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagToCreate {
    /// Its name. Any text that is not blank: the original keeps no rule for tags.
    pub name: String,
    /// Its comment.
    pub comment: Option<String>,
    /// Its settings.
    pub properties: Properties,
    /// Absent: any value; empty: no value; else one of these, each once, in the order given.
    pub allowed_values: Option<Vec<String>>,
}

impl TryFrom<TagCreateRequest> for TagToCreate {
    type Error = RequestError;

    fn try_from(request: TagCreateRequest) -> Result<Self, RequestError> {
        let allowed_values = request
            .allowed_values
            .map(|given| {
                let mut kept: Vec<String> = Vec::with_capacity(given.len());
                for (position, value) in given.into_iter().enumerate() {
                    let value = tag_value(&format!("allowedValues[{position}]"), value)?;
                    if !kept.contains(&value) {
                        kept.push(value);
                    }
                }
                Ok::<_, RequestError>(kept)
            })
            .transpose()?;
        Ok(Self {
            name: not_blank("name", request.name)?,
            comment: request.comment,
            properties: request.properties.unwrap_or_default(),
            allowed_values,
        })
    }
}

/// A value of a tag: not blank, not longer than [`MAX_TAG_VALUE_CHARS`].
pub(crate) fn tag_value(member: &str, value: String) -> Result<String, RequestError> {
    if value.chars().count() > MAX_TAG_VALUE_CHARS {
        return Err(RequestError::invalid(
            member,
            format!("a value has at most {MAX_TAG_VALUE_CHARS} characters"),
        ));
    }
    not_blank(member, Some(value))
}

/// `PUT …/tags/{tag}`: `rename`, `updateComment`, `setProperty`, `removeProperty`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct TagUpdatesRequest {
    /// The changes; required, may be empty.
    pub updates: Option<Vec<Value>>,
}

/// One change of a tag. The allowed values never change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TagUpdate {
    /// Another name.
    Rename(String),
    /// Another comment; `None` removes it.
    UpdateComment(Option<String>),
    /// Sets one property.
    SetProperty {
        /// The key.
        property: String,
        /// The value.
        value: String,
    },
    /// Removes one property.
    RemoveProperty(String),
}

impl TryFrom<TagUpdatesRequest> for Vec<TagUpdate> {
    type Error = RequestError;

    fn try_from(request: TagUpdatesRequest) -> Result<Self, RequestError> {
        updates(
            request.updates.as_deref(),
            |update_type, members| {
                Ok(Some(match update_type {
                    "rename" => TagUpdate::Rename(members.required_text("newName")?.to_owned()),
                    "updateComment" => TagUpdate::UpdateComment(new_comment(members)?),
                    "setProperty" => {
                        let (property, value) = set_property(members)?;
                        TagUpdate::SetProperty { property, value }
                    }
                    "removeProperty" => TagUpdate::RemoveProperty(remove_property(members)?),
                    _ => return Ok(None),
                }))
            },
            "tag",
        )
    }
}

/// A tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TagDto {
    /// Its name.
    pub name: String,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Its settings.
    pub properties: Properties,
    /// Absent: any value; empty: no value; else one of these.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub allowed_values: Option<Vec<String>>,
    /// On an object: the values of this assignment, empty for one without. Absent elsewhere.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub assignment_values: Option<Vec<String>>,
    /// Who made and changed it.
    pub audit: AuditDto,
    /// On an object: whether it comes from an ancestor. Null elsewhere, and always written.
    pub inherited: Option<bool>,
}

/// One tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TagResponse {
    /// Always 0.
    pub code: i32,
    /// The tag.
    pub tag: TagDto,
}

/// Several tags with their details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TagListResponse {
    /// Always 0.
    pub code: i32,
    /// The tags.
    pub tags: Vec<TagDto>,
}

/// The kinds of objects that tags may sit on, for messages.
pub fn taggable_kinds() -> String {
    ObjectKind::ALL
        .into_iter()
        .filter(|kind| kind.is_taggable())
        .map(ObjectKind::lower_case)
        .collect::<Vec<_>>()
        .join(", ")
}
