// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Policies associated with objects directly.

use serde::{Deserialize, Serialize};

use crate::object_tag::{NamesChange, names_change};
use crate::request::RequestError;

/// `POST …/objects/{type}/{fullName}/policies`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct PolicyNamesRequest {
    /// Policies to add.
    pub policies_to_add: Option<Vec<String>>,
    /// Policies to remove.
    pub policies_to_remove: Option<Vec<String>>,
}

impl TryFrom<PolicyNamesRequest> for NamesChange {
    type Error = RequestError;

    fn try_from(request: PolicyNamesRequest) -> Result<Self, RequestError> {
        names_change(
            ("policiesToAdd", request.policies_to_add),
            ("policiesToRemove", request.policies_to_remove),
        )
    }
}
