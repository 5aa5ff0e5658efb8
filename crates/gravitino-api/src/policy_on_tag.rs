// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Policies bound to tags, with the selector that says for which values.

use serde::{Deserialize, Serialize};

use crate::request::{RequestError, required};
use crate::tag::tag_value;

/// For which values of the tag a policy applies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct SelectorDto {
    /// `ALL_VALUES` or `TAG_VALUE`, in any case.
    #[serde(rename = "type")]
    pub selector_type: String,
    /// The value; with `TAG_VALUE` only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub value: Option<String>,
}

/// A selector, checked: `None` selects every value, and an assignment without one.
pub type SelectedValue = Option<String>;

impl SelectorDto {
    /// The selector of every value (`None`) or of one.
    pub fn of(selected: Option<&str>) -> Self {
        match selected {
            None => Self {
                selector_type: "ALL_VALUES".to_owned(),
                value: None,
            },
            Some(value) => Self {
                selector_type: "TAG_VALUE".to_owned(),
                value: Some(value.to_owned()),
            },
        }
    }

    /// The value selected, `None` for every value.
    ///
    /// # Errors
    /// [`RequestError`] for an unknown type, a value where there can be none, and no value where one is needed.
    pub fn selected(self) -> Result<SelectedValue, RequestError> {
        match self.selector_type.to_ascii_uppercase().as_str() {
            "ALL_VALUES" => match self.value {
                None => Ok(None),
                Some(_) => Err(RequestError::invalid(
                    "selector.value",
                    "`ALL_VALUES` takes no value; select one with `TAG_VALUE`",
                )),
            },
            "TAG_VALUE" => {
                let value = required("selector.value", self.value)?;
                Ok(Some(tag_value("selector.value", value)?))
            }
            _ => Err(RequestError::invalid(
                "selector.type",
                format!(
                    "`{}` is not a selector: `ALL_VALUES` or `TAG_VALUE`",
                    self.selector_type
                ),
            )),
        }
    }
}

/// `PUT …/tags/{tag}/policies/{policy}`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct PolicyOnTagRequest {
    /// Absent or null: every value.
    #[serde(default)]
    pub selector: Option<SelectorDto>,
}

impl TryFrom<PolicyOnTagRequest> for SelectedValue {
    type Error = RequestError;

    fn try_from(request: PolicyOnTagRequest) -> Result<Self, RequestError> {
        request.selector.map_or(Ok(None), SelectorDto::selected)
    }
}

/// One relation between a policy and a tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyOnTagDto {
    /// The policy.
    pub policy: String,
    /// The tag.
    pub tag: String,
    /// For which values.
    pub selector: SelectorDto,
}

/// One relation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyOnTagResponse {
    /// Always 0.
    pub code: i32,
    /// The relation; its members stand beside `code`.
    #[serde(flatten)]
    pub association: PolicyOnTagDto,
}

/// The relations of a tag or of a policy, with details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyOnTagListResponse {
    /// Always 0.
    pub code: i32,
    /// The relations.
    pub associations: Vec<PolicyOnTagDto>,
}
