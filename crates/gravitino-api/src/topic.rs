// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Topics.

use lakeward_metadata::Properties;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::topic::{NewTopic, Topic, TopicChange};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::audit::AuditDto;
use crate::json_object::Members;
use crate::request::{RequestError, name};
use crate::update::{new_comment, remove_property, set_property, updates};

/// `POST …/topics`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct TopicCreateRequest {
    /// Its name; required.
    pub name: Option<String>,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Its settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
}

impl TryFrom<TopicCreateRequest> for NewTopic {
    type Error = RequestError;

    fn try_from(request: TopicCreateRequest) -> Result<Self, RequestError> {
        Ok(Self {
            name: name("name", ObjectKind::Topic, request.name)?,
            comment: request.comment,
            properties: request.properties.unwrap_or_default(),
        })
    }
}

/// `PUT …/topics/{topic}`: `updateComment`, `setProperty`, `removeProperty`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct TopicUpdatesRequest {
    /// The changes; required, may be empty.
    pub updates: Option<Vec<Value>>,
}

impl TryFrom<TopicUpdatesRequest> for Vec<TopicChange> {
    type Error = RequestError;

    fn try_from(request: TopicUpdatesRequest) -> Result<Self, RequestError> {
        updates(request.updates.as_deref(), change, "topic")
    }
}

fn change(update_type: &str, members: Members<'_>) -> Result<Option<TopicChange>, RequestError> {
    Ok(Some(match update_type {
        "updateComment" => TopicChange::UpdateComment(new_comment(members)?),
        "setProperty" => {
            let (property, value) = set_property(members)?;
            TopicChange::SetProperty { property, value }
        }
        "removeProperty" => TopicChange::RemoveProperty(remove_property(members)?),
        _ => return Ok(None),
    }))
}

/// A topic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopicDto {
    /// Its name.
    pub name: String,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Its settings, those included that the messaging system chose.
    pub properties: Properties,
    /// Who made and changed it.
    pub audit: AuditDto,
}

impl From<&Topic> for TopicDto {
    fn from(topic: &Topic) -> Self {
        Self {
            name: topic.name.clone(),
            comment: topic.comment.clone(),
            properties: topic.properties.clone(),
            audit: AuditDto::from(&topic.audit),
        }
    }
}

/// One topic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopicResponse {
    /// Always 0.
    pub code: i32,
    /// The topic.
    pub topic: TopicDto,
}

impl From<&Topic> for TopicResponse {
    fn from(topic: &Topic) -> Self {
        Self {
            code: 0,
            topic: topic.into(),
        }
    }
}
