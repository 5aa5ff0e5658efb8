// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Objects named by type and full name.

use lakeward_metadata::object::MetadataObject;
use serde::{Deserialize, Serialize};

/// An object, as lists of tagged or governed objects show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MetadataObjectDto {
    /// The type in lower case.
    #[serde(rename = "type")]
    pub object_type: String,
    /// The dotted name without the metalake.
    pub full_name: String,
}

impl From<&MetadataObject> for MetadataObjectDto {
    fn from(object: &MetadataObject) -> Self {
        Self {
            object_type: object.kind.lower_case(),
            full_name: object.full_name(),
        }
    }
}

/// `GET …/tags/{tag}/objects`, `GET …/policies/{policy}/objects`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MetadataObjectListResponse {
    /// Always 0.
    pub code: i32,
    /// The objects.
    pub metadata_objects: Vec<MetadataObjectDto>,
}

impl<'a> FromIterator<&'a MetadataObject> for MetadataObjectListResponse {
    fn from_iter<I: IntoIterator<Item = &'a MetadataObject>>(objects: I) -> Self {
        Self {
            code: 0,
            metadata_objects: objects.into_iter().map(MetadataObjectDto::from).collect(),
        }
    }
}
