// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `POST …/objects/table/{fullName}/read-restrictions/explain` (ours): why a table is restricted for a subject.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::draft::DraftDto;

/// The question. Everything may be left out: then it is about the caller, as things are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct ExplainRequest {
    /// The subject; absent for the caller.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub user: Option<String>,
    /// The groups of the subject; absent for those that a source knows.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub groups: Option<Vec<String>>,
    /// The name of a reader entry to come through.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reader: Option<String>,
    /// The capability header that the client would send.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub capabilities: Option<String>,
    /// Disabled policies to treat as if they were enabled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub policies: Option<Vec<String>>,
    /// Policies that are not stored, or other contents of stored ones, to treat as if they were enabled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub drafts: Option<Vec<DraftDto>>,
}

/// The answer. The members of the explanation are documented with the endpoint; clients must accept more of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainResponse {
    /// Always 0.
    pub code: i32,
    /// The explanation.
    pub explanation: Map<String, Value>,
}
