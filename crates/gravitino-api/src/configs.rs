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
