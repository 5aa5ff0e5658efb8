// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A tag and the objects that it is on, as one file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use lakeward_governance::tag::{AllowedValues, check_value};
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use serde::{Deserialize, Serialize};
use serde_saphyr::Spanned;

use crate::policy::malformed::Malformed;
use crate::policy::state::Tag;

/// The file of one tag.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct TagFile {
    pub(crate) tag: Spanned<String>,
    #[serde(default)]
    comment: Option<String>,
    #[serde(default)]
    properties: BTreeMap<String, String>,
    #[serde(default)]
    allowed_values: Option<Spanned<Vec<String>>>,
    #[serde(default)]
    assigned: Vec<Spanned<Assigned>>,
}

/// An object that has the tag.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Assigned {
    /// `catalog`, `schema`, `table`, `column`, …
    #[serde(rename = "type")]
    kind: String,
    /// Its full name.
    name: String,
    /// None for an assignment without a value.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) values: BTreeSet<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Written<'a> {
    tag: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<&'a str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    properties: &'a BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_values: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    assigned: Vec<Assigned>,
}

/// A tag as YAML, always the same for the same tag.
///
/// # Errors
/// When the tag has text that YAML cannot hold.
pub(crate) fn write(name: &str, tag: &Tag) -> anyhow::Result<String> {
    let assigned = tag.assigned.iter().map(|(object, values)| Assigned {
        kind: object.kind.lower_case(),
        name: object.full_name(),
        values: values.clone(),
    });
    Ok(serde_saphyr::to_string(&Written {
        tag: name,
        comment: tag.comment.as_deref(),
        properties: &tag.properties,
        allowed_values: tag.allowed_values.as_deref(),
        assigned: assigned.collect(),
    })?)
}

impl Assigned {
    /// The object.
    fn object(&self) -> Result<MetadataObject, String> {
        let kind: ObjectKind = self.kind.parse().map_err(|error| format!("{error}"))?;
        if !kind.is_taggable() {
            return Err(format!("a {} takes no tags", kind.lower_case()));
        }
        MetadataObject::parse(kind, &self.name).map_err(|error| error.to_string())
    }
}

impl TagFile {
    /// The tag, everything checked that can be without a server.
    pub(crate) fn checked(&self, path: &Path) -> Result<Tag, Malformed> {
        if self.tag.value.trim().is_empty() {
            return Err(Malformed::at(path, &self.tag, "a tag needs a name"));
        }
        let allowed = AllowedValues::new(self.allowed_values.as_ref().map(|values| values.value.clone()))
            .map_err(|error| Malformed::at(path, &self.tag, error.to_string()))?;
        let mut assigned = BTreeMap::new();
        for entry in &self.assigned {
            let wrong = |problem: String| Malformed::at(path, entry, problem);
            let object = entry.value.object().map_err(wrong)?;
            if entry.value.values.is_empty() {
                allowed
                    .check(&self.tag.value, None)
                    .map_err(|error| wrong(error.to_string()))?;
            }
            for value in &entry.value.values {
                check_value(value, "values")
                    .and_then(|()| allowed.check(&self.tag.value, Some(value)))
                    .map_err(|error| wrong(error.to_string()))?;
            }
            let name = object.to_string();
            if assigned.insert(object, entry.value.values.clone()).is_some() {
                return Err(wrong(format!("{name} is there twice")));
            }
        }
        Ok(Tag {
            comment: self.comment.clone().filter(|comment| !comment.is_empty()),
            properties: self.properties.clone(),
            allowed_values: allowed.as_list().map(<[String]>::to_vec),
            assigned,
        })
    }
}
