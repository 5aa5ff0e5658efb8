// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which assignments of a tag select a policy.

use std::collections::BTreeSet;

use serde_json::{Value, json};

/// The condition on a policy-on-tag relation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Selector {
    /// Every assignment of the tag, whatever its values.
    AllValues,
    /// Assignments that have exactly this value among theirs.
    TagValue(String),
}

/// A selector that this version does not understand. It is never "no match": a resolution that meets it fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the selector is not understood: {0}; known are {{\"type\":\"ALL_VALUES\"}} and {{\"type\":\"TAG_VALUE\",\"value\":…}}"
)]
pub struct UnknownSelector(pub String);

impl Selector {
    /// Reads the JSON form. Null means [`Selector::AllValues`], as does an absent selector.
    ///
    /// # Errors
    /// [`UnknownSelector`] for every other type, member or value.
    pub fn parse(selector: Option<&Value>) -> Result<Self, UnknownSelector> {
        let members = match selector {
            None | Some(Value::Null) => return Ok(Self::AllValues),
            Some(Value::Object(members)) => members,
            Some(other) => return Err(UnknownSelector(format!("`{other}` is no object"))),
        };
        let known: &[&str] = match members.get("type").and_then(Value::as_str) {
            Some("ALL_VALUES") => &["type"],
            Some("TAG_VALUE") => &["type", "value"],
            Some(other) => return Err(UnknownSelector(format!("the type `{other}` is unknown"))),
            None => return Err(UnknownSelector("it has no `type`".to_owned())),
        };
        if let Some(unknown) = members.keys().find(|member| !known.contains(&member.as_str())) {
            return Err(UnknownSelector(format!("the member `{unknown}` is unknown")));
        }
        if known.len() == 1 {
            return Ok(Self::AllValues);
        }
        match members.get("value").and_then(Value::as_str) {
            Some(value) if !value.is_empty() => Ok(Self::TagValue(value.to_owned())),
            Some(_) | None => Err(UnknownSelector(
                "`value` must be a string that is not empty".to_owned(),
            )),
        }
    }

    /// Reads the stored form: JSON text, or nothing.
    ///
    /// # Errors
    /// [`UnknownSelector`], also for text that is no JSON.
    pub fn parse_stored(text: Option<&str>) -> Result<Self, UnknownSelector> {
        match text {
            None => Ok(Self::AllValues),
            Some(text) => {
                let value: Value = serde_json::from_str(text)
                    .map_err(|error| UnknownSelector(format!("it is no json: {error}")))?;
                Self::parse(Some(&value))
            }
        }
    }

    /// The JSON form.
    pub fn to_json(&self) -> Value {
        match self {
            Self::AllValues => json!({ "type": "ALL_VALUES" }),
            Self::TagValue(value) => json!({ "type": "TAG_VALUE", "value": value }),
        }
    }

    /// Whether an assignment with these values (none: a valueless one) is selected.
    pub fn matches(&self, values: &BTreeSet<&str>) -> bool {
        match self {
            Self::AllValues => true,
            Self::TagValue(value) => values.contains(value.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Selector;

    #[test]
    fn two_forms_and_nothing_else() {
        assert_eq!(Selector::parse(None), Ok(Selector::AllValues));
        assert_eq!(Selector::parse(Some(&json!(null))), Ok(Selector::AllValues));
        for selector in [Selector::AllValues, Selector::TagValue("a".to_owned())] {
            assert_eq!(Selector::parse(Some(&selector.to_json())), Ok(selector.clone()));
            assert_eq!(
                Selector::parse_stored(Some(&selector.to_json().to_string())),
                Ok(selector)
            );
        }
        for unknown in [
            json!({}),
            json!("ALL_VALUES"),
            json!({"type": "EXPRESSION", "expression": {}}),
            json!({"type": "all_values"}),
            json!({"type": "ALL_VALUES", "value": "a"}),
            json!({"type": "TAG_VALUE"}),
            json!({"type": "TAG_VALUE", "value": ""}),
            json!({"type": "TAG_VALUE", "value": 1}),
            json!({"type": "TAG_VALUE", "value": "a", "more": 1}),
        ] {
            assert!(Selector::parse(Some(&unknown)).is_err(), "{unknown}");
        }
        assert!(Selector::parse_stored(Some("{")).is_err());
    }
}
