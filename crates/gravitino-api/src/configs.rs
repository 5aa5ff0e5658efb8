// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `GET /configs`: what a client may know of the configuration, a flat object without `code`.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

/// The answer: configuration keys with typed values (boolean, number, array, text).
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct ConfigsResponse {
    /// In the order of insertion.
    pub configs: IndexMap<String, Value>,
}

/// `GET /configs/secrets/providers`, without `code`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SecretProvidersResponse {
    /// Where secrets can be kept or are referred to.
    pub providers: Vec<SecretProviderDto>,
}

/// One place for secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SecretProviderDto {
    /// Its name, as in `secretBindings`.
    pub name: String,
    /// What kind it is.
    #[serde(rename = "type")]
    pub provider_type: String,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
}
