// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `POST …/objects/{type}/{fullName}/access/explain` and `GET …/users/{user}/access` (ours): why somebody may do
//! something, and what somebody may do.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::metadata_object::MetadataObjectDto;

/// The question. Everything may be left out: then it is whether the caller may load the object.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct AccessExplainRequest {
    /// The subject; absent for the caller.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub user: Option<String>,
    /// The groups of the subject; absent for those that a source knows.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub groups: Option<Vec<String>>,
    /// The name of an operation as refusals and the audit log give it; absent for loading the object.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub operation: Option<String>,
    /// The tags, policies or job template used on the object, for operations that use some.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub instruments: Option<Vec<MetadataObjectDto>>,
}

/// The answer. The members of the explanation are documented with the endpoint; clients must accept more of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AccessExplainResponse {
    /// Always 0.
    pub code: i32,
    /// The explanation.
    pub explanation: Map<String, Value>,
}

/// A page of what a user may do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccessListResponse {
    /// Always 0.
    pub code: i32,
    /// The user, with its groups and where they are known from.
    pub subject: Value,
    /// The objects of which something is said.
    pub access: Vec<AccessItemDto>,
    /// For the next page; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub next_page_token: Option<String>,
    /// The counters of the state that the page is of.
    pub revision: Value,
}

/// What a user may do at one object and, unless more is said there, below it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccessItemDto {
    /// The object.
    pub object: MetadataObjectDto,
    /// The user, or the group by which the user owns it: `type`, and `name` where it may be told.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub owner: Option<Value>,
    /// Whether the user owns something above it.
    pub owned_above: bool,
    /// What roles say of it: `privilege`, `condition`, `object`, `role`, and `through` whom the role is held.
    pub says: Vec<Value>,
    /// The privileges that are effective here, by what is said here and above.
    pub effective: Vec<String>,
    /// The privileges that are denied here or above.
    pub denied: Vec<String>,
    /// The privileges that are missing on the way here; without them nothing of it can be used.
    pub missing: Vec<String>,
}
