// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Policies of a metalake. Their content depends on their type and is read by who knows the types.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::audit::AuditDto;
use crate::request::{RequestError, not_blank, required};
use crate::update::{new_comment, updates};

/// `POST …/policies`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct PolicyCreateRequest {
    /// Its name; required.
    pub name: Option<String>,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// What kind it is; required.
    pub policy_type: Option<String>,
    /// Whether it is on; absent means yes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// What it says; required.
    pub content: Option<Value>,
}

/// A policy to be created, checked as far as its type does not matter.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyToCreate {
    /// Its name. Any text that is not blank: the original keeps no rule for policies.
    pub name: String,
    /// Its comment.
    pub comment: Option<String>,
    /// What kind it is, in lower case.
    pub policy_type: String,
    /// Whether it is on.
    pub enabled: bool,
    /// What it says.
    pub content: Value,
}

impl TryFrom<PolicyCreateRequest> for PolicyToCreate {
    type Error = RequestError;

    fn try_from(request: PolicyCreateRequest) -> Result<Self, RequestError> {
        Ok(Self {
            name: not_blank("name", request.name)?,
            comment: request.comment,
            policy_type: not_blank("policyType", request.policy_type)?.to_ascii_lowercase(),
            enabled: request.enabled.unwrap_or(true),
            content: required("content", request.content)?,
        })
    }
}

/// `PUT …/policies/{policy}`: `rename`, `updateComment`, `updateContent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct PolicyUpdatesRequest {
    /// The changes; required, may be empty.
    pub updates: Option<Vec<Value>>,
}

/// One change of a policy.
#[derive(Debug, Clone, PartialEq)]
pub enum PolicyUpdate {
    /// Another name.
    Rename(String),
    /// Another comment; `None` removes it.
    UpdateComment(Option<String>),
    /// Another content, of the same type.
    UpdateContent {
        /// The type, in lower case; must be the policy's.
        policy_type: String,
        /// The content.
        content: Value,
    },
}

impl TryFrom<PolicyUpdatesRequest> for Vec<PolicyUpdate> {
    type Error = RequestError;

    fn try_from(request: PolicyUpdatesRequest) -> Result<Self, RequestError> {
        updates(
            request.updates.as_deref(),
            |update_type, members| {
                Ok(Some(match update_type {
                    "rename" => PolicyUpdate::Rename(members.required_text("newName")?.to_owned()),
                    "updateComment" => PolicyUpdate::UpdateComment(new_comment(members)?),
                    "updateContent" => PolicyUpdate::UpdateContent {
                        policy_type: members.required_text("policyType")?.to_ascii_lowercase(),
                        content: members.required("newContent")?.clone(),
                    },
                    _ => return Ok(None),
                }))
            },
            "policy",
        )
    }
}

/// `PATCH …/policies/{policy}`. The member is `enable`, unlike everywhere else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct PolicySetRequest {
    /// Whether it is to be on. The original takes an absent one for `false`; ours refuses it, since switching a
    /// restriction off by an empty body would fail open.
    pub enable: Option<bool>,
}

impl TryFrom<PolicySetRequest> for bool {
    type Error = RequestError;

    fn try_from(request: PolicySetRequest) -> Result<Self, RequestError> {
        required("enable", request.enable)
    }
}

/// A policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyDto {
    /// Its name.
    pub name: String,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// What kind it is.
    pub policy_type: String,
    /// Whether it is on.
    pub enabled: bool,
    /// What it says.
    pub content: Value,
    /// On an object: whether it comes from an ancestor. Null elsewhere, and always written.
    pub inherited: Option<bool>,
    /// Who made and changed it.
    pub audit: AuditDto,
}

/// One policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PolicyResponse {
    /// Always 0.
    pub code: i32,
    /// The policy.
    pub policy: PolicyDto,
}

/// Several policies with their details.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PolicyListResponse {
    /// Always 0.
    pub code: i32,
    /// The policies.
    pub policies: Vec<PolicyDto>,
}

/// `GET …/policies/{policy}/revisions` (ours): what a policy said from one time to the next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyRevisionDto {
    /// The revision, from 1.
    pub revision: i64,
    /// The version of the schema that the content follows.
    pub content_schema: String,
    /// What it said.
    pub content: Value,
    /// Whether it was on.
    pub enabled: bool,
    /// Who made the revision.
    pub author: String,
    /// When, as an ISO 8601 instant in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub create_time: Option<String>,
}

/// Every revision of a policy, the newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PolicyRevisionListResponse {
    /// Always 0.
    pub code: i32,
    /// The revisions.
    pub revisions: Vec<PolicyRevisionDto>,
}
