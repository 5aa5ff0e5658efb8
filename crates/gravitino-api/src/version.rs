// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `GET /api/version`.

use serde::{Deserialize, Serialize};

/// What the server says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VersionDto {
    /// The version of the protocol; clients refuse to talk to one older than their own.
    pub version: String,
    /// `dd/MM/yyyy HH:mm:ss`.
    pub compile_date: String,
    /// The commit it was built from.
    pub git_commit: String,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionResponse {
    /// Always 0.
    pub code: i32,
    /// The version.
    pub version: VersionDto,
    /// The version of Lakeward itself; clients of the original ignore it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lakeward: Option<String>,
}
