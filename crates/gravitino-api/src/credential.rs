// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Credentials of an object.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One credential.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CredentialDto {
    /// Its type, for instance `s3-token`.
    pub credential_type: String,
    /// When it ends, in epoch milliseconds; 0 for never.
    pub expire_time_in_ms: i64,
    /// What it consists of.
    pub credential_info: BTreeMap<String, String>,
}

/// Answer of `GET …/credentials`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CredentialListResponse {
    /// Always 0.
    pub code: i32,
    /// The credentials.
    pub credentials: Vec<CredentialDto>,
}
