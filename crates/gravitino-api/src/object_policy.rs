// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Policies of objects: associated directly, inherited, or selected by tags.

use serde::{Deserialize, Serialize};

use crate::metadata_object::MetadataObjectDto;
use crate::object_tag::{NamesChange, names_change};
use crate::policy::PolicyDto;
use crate::policy_on_tag::SelectorDto;
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

/// A policy of an object. The member `origins` is ours; the original knows no tags that select policies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObjectPolicyDto {
    /// The policy; its members stand beside `origins`.
    #[serde(flatten)]
    pub policy: PolicyDto,
    /// Every way it came, the nearest first.
    pub origins: Vec<OriginDto>,
}

/// How a policy came to an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum OriginDto {
    /// Associated with the object itself.
    Direct,
    /// Associated with an ancestor.
    Inherited {
        /// The nearest such ancestor.
        from: MetadataObjectDto,
    },
    /// Selected by an effective tag.
    Tag {
        /// The tag; null for one that the caller may not see.
        tag: Option<String>,
        /// Where its nearest assignment is; null with the tag.
        assigned_on: Option<MetadataObjectDto>,
        /// For which values; null with the tag.
        selector: Option<SelectorDto>,
    },
}

/// One policy of an object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObjectPolicyResponse {
    /// Always 0.
    pub code: i32,
    /// The policy.
    pub policy: ObjectPolicyDto,
}

/// Several policies of an object with their details.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObjectPolicyListResponse {
    /// Always 0.
    pub code: i32,
    /// The policies.
    pub policies: Vec<ObjectPolicyDto>,
}
