// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tags on objects. Version 1 of the request names tags; version 2 (`application/vnd.gravitino.v2+json`) gives values.

use serde::{Deserialize, Serialize};

use crate::request::{RequestError, not_blank};
use crate::tag::tag_value;

/// `POST …/objects/{type}/{fullName}/tags`, version 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct TagNamesRequest {
    /// Tags to add.
    pub tags_to_add: Option<Vec<String>>,
    /// Tags to remove, with all their values.
    pub tags_to_remove: Option<Vec<String>>,
}

/// Names to add and to remove; a name in both lists was taken out of both.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamesChange {
    /// To add, each once.
    pub add: Vec<String>,
    /// To remove, each once.
    pub remove: Vec<String>,
}

/// Reads two lists of names.
pub(crate) fn names_change(
    add: (&str, Option<Vec<String>>),
    remove: (&str, Option<Vec<String>>),
) -> Result<NamesChange, RequestError> {
    if add.1.is_none() && remove.1.is_none() {
        return Err(RequestError::Missing(format!("{}` or `{}", add.0, remove.0)));
    }
    let read = |(member, list): (&str, Option<Vec<String>>)| {
        let mut kept: Vec<String> = Vec::new();
        for (position, name) in list.unwrap_or_default().into_iter().enumerate() {
            let name = not_blank(&format!("{member}[{position}]"), Some(name))?;
            if !kept.contains(&name) {
                kept.push(name);
            }
        }
        Ok::<_, RequestError>(kept)
    };
    let (to_add, to_remove) = (read(add)?, read(remove)?);
    let only_in = |list: &[String], other: &[String]| {
        list.iter()
            .filter(|name| !other.contains(name))
            .cloned()
            .collect::<Vec<_>>()
    };
    Ok(NamesChange {
        add: only_in(&to_add, &to_remove),
        remove: only_in(&to_remove, &to_add),
    })
}

impl TryFrom<TagNamesRequest> for NamesChange {
    type Error = RequestError;

    fn try_from(request: TagNamesRequest) -> Result<Self, RequestError> {
        names_change(
            ("tagsToAdd", request.tags_to_add),
            ("tagsToRemove", request.tags_to_remove),
        )
    }
}

/// A tag with at most one value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct TagValueDto {
    /// The tag; required.
    pub name: Option<String>,
    /// The value; absent for an assignment without one, not empty where given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub value: Option<String>,
}

/// `POST …/objects/{type}/{fullName}/tags`, version 2.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct TagValuesRequest {
    /// Pairs to add.
    pub tags_to_add: Option<Vec<TagValueDto>>,
    /// Pairs to remove.
    pub tags_to_remove: Option<Vec<TagValueDto>>,
}

/// A tag and one value of it, or none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TagAndValue {
    /// The tag.
    pub name: String,
    /// The value.
    pub value: Option<String>,
}

/// Pairs to add and to remove; no pair is in both.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValuesChange {
    /// To add, each once.
    pub add: Vec<TagAndValue>,
    /// To remove, each once.
    pub remove: Vec<TagAndValue>,
}

impl TryFrom<TagValuesRequest> for ValuesChange {
    type Error = RequestError;

    fn try_from(request: TagValuesRequest) -> Result<Self, RequestError> {
        let add = pairs("tagsToAdd", request.tags_to_add)?;
        let remove = pairs("tagsToRemove", request.tags_to_remove)?;
        if add.is_empty() && remove.is_empty() {
            return Err(RequestError::Missing("tagsToAdd` or `tagsToRemove".to_owned()));
        }
        if let Some(both) = add.iter().find(|pair| remove.contains(pair)) {
            return Err(RequestError::invalid(
                "tagsToRemove",
                format!("the same value of the tag `{}` is to be added", both.name),
            ));
        }
        Ok(Self { add, remove })
    }
}

fn pairs(member: &str, given: Option<Vec<TagValueDto>>) -> Result<Vec<TagAndValue>, RequestError> {
    let mut kept: Vec<TagAndValue> = Vec::new();
    for (position, pair) in given.unwrap_or_default().into_iter().enumerate() {
        let at = |name: &str| format!("{member}[{position}].{name}");
        let pair = TagAndValue {
            name: not_blank(&at("name"), pair.name)?,
            value: pair
                .value
                .map(|value| tag_value(&at("value"), value))
                .transpose()?,
        };
        let mixed = kept
            .iter()
            .any(|earlier| earlier.name == pair.name && earlier.value.is_some() != pair.value.is_some());
        if mixed {
            return Err(RequestError::invalid(
                at("value"),
                format!("the tag `{}` is given both with and without a value", pair.name),
            ));
        }
        if !kept.contains(&pair) {
            kept.push(pair);
        }
    }
    Ok(kept)
}
