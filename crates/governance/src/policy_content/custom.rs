// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The content of a custom policy: rules that other systems read, kept as they are.

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use lakeward_metadata::kind::ObjectKind;

use super::{ContentError, members, wrong};

/// Free rules and the object types they are for.
#[derive(Debug, Clone, PartialEq)]
pub struct CustomContent {
    /// Any JSON per name; `None` when the request had none.
    pub custom_rules: Option<Map<String, Value>>,
    /// Free properties; `None` when the request had none.
    pub properties: Option<IndexMap<String, String>>,
    /// At least one, each once.
    pub supported_object_types: Vec<ObjectKind>,
}

impl CustomContent {
    /// Reads the content.
    ///
    /// # Errors
    /// [`ContentError`] for an unknown member, a wrong type, or no object type at all.
    pub fn parse(text: &str) -> Result<Self, ContentError> {
        let mut content = Self {
            custom_rules: None,
            properties: None,
            supported_object_types: Vec::new(),
        };
        let known = &["customRules", "properties", "supportedObjectTypes"];
        for (name, value) in members(
            text,
            known,
            "`customRules`, `properties` and `supportedObjectTypes`",
        )? {
            match (name.as_str(), value) {
                (_, Value::Null) => {}
                ("customRules", Value::Object(rules)) => content.custom_rules = Some(rules),
                ("properties", value) => content.properties = Some(texts(&name, value)?),
                ("supportedObjectTypes", Value::Array(types)) => {
                    for object_type in types {
                        let kind = object_type
                            .as_str()
                            .and_then(|text| text.parse().ok())
                            .ok_or_else(|| wrong(&name, "a list of object types"))?;
                        if !content.supported_object_types.contains(&kind) {
                            content.supported_object_types.push(kind);
                        }
                    }
                }
                ("supportedObjectTypes", _) => return Err(wrong(&name, "a list of object types")),
                _ => return Err(wrong(&name, "an object")),
            }
        }
        if content.supported_object_types.is_empty() {
            return Err(wrong(
                "supportedObjectTypes",
                "a list of object types that is not empty",
            ));
        }
        Ok(content)
    }

    /// The stored form.
    pub fn to_json(&self) -> Value {
        let mut members = Map::new();
        if let Some(rules) = &self.custom_rules {
            members.insert("customRules".to_owned(), Value::Object(rules.clone()));
        }
        if let Some(properties) = &self.properties {
            members.insert("properties".to_owned(), json!(properties));
        }
        let types: Vec<String> = self
            .supported_object_types
            .iter()
            .map(|kind| kind.lower_case())
            .collect();
        members.insert("supportedObjectTypes".to_owned(), json!(types));
        Value::Object(members)
    }
}

/// An object of strings.
pub(super) fn texts(member: &str, value: Value) -> Result<IndexMap<String, String>, ContentError> {
    let Value::Object(members) = value else {
        return Err(wrong(member, "an object of strings"));
    };
    members
        .into_iter()
        .map(|(key, value)| match value {
            Value::String(text) => Ok((key, text)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                Err(wrong(member, "an object of strings"))
            }
        })
        .collect()
}
