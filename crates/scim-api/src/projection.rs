// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which attributes an answer has: `attributes` and `excludedAttributes` (RFC 7644, section 3.9).

use serde_json::Value;

use crate::Attributes;
use crate::schema::{Named, ResourceType, resolve};

/// What was asked for; by default everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Projection {
    /// Only these, by name; none is all.
    pub attributes: Vec<String>,
    /// All but these.
    pub excluded: Vec<String>,
}

impl Projection {
    /// Whether an attribute can be part of the answer.
    pub fn shows(&self, of: ResourceType, name: &str) -> bool {
        let named = |list: &[String], whole: bool| {
            list.iter().any(|asked| match resolve(of, asked) {
                Named::Attribute(attribute) => attribute.name == name,
                Named::Part(attribute, _) => !whole && attribute.name == name,
                Named::NotKept | Named::Unknown => false,
            })
        };
        (self.attributes.is_empty() || named(&self.attributes, false)) && !named(&self.excluded, true)
    }

    /// A resource with what was asked for. Names of no attribute choose nothing.
    pub fn of(&self, of: ResourceType, resource: Attributes) -> Attributes {
        let mut chosen = Attributes::new();
        for (name, value) in resource {
            let attribute = crate::schema::find(of.attributes(), &name);
            if attribute.is_some_and(|attribute| attribute.always) {
                chosen.insert(name, value);
            } else if self.shows(of, &name) {
                let value = self.parts(of, &name, value);
                chosen.insert(name, value);
            }
        }
        chosen
    }

    /// A value with the parts that were asked for.
    fn parts(&self, of: ResourceType, name: &str, value: Value) -> Value {
        let parts_of = |list: &[String]| -> Vec<&'static str> {
            let parts = list.iter().filter_map(|asked| match resolve(of, asked) {
                Named::Part(attribute, part) if attribute.name == name => Some(part.name),
                Named::Part(..) | Named::Attribute(_) | Named::NotKept | Named::Unknown => None,
            });
            parts.collect()
        };
        let whole = self
            .attributes
            .iter()
            .any(|asked| matches!(resolve(of, asked), Named::Attribute(attribute) if attribute.name == name));
        let only = if whole {
            Vec::new()
        } else {
            parts_of(&self.attributes)
        };
        let without = parts_of(&self.excluded);
        let kept = |part: &str| (only.is_empty() || only.contains(&part)) && !without.contains(&part);
        let chosen = |value: Value| match value {
            Value::Object(parts) => Value::Object(parts.into_iter().filter(|(part, _)| kept(part)).collect()),
            other
            @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => other,
        };
        match value {
            Value::Array(values) => values.into_iter().map(chosen).collect(),
            other @ (Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Object(_)) => chosen(other),
        }
    }
}

/// The names in a text, with commas between them.
pub fn names(text: &str) -> Vec<String> {
    let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(attributes: &str, excluded: &str, expected: &Value) {
        let projection = Projection {
            attributes: names(attributes),
            excluded: names(excluded),
        };
        let Value::Object(user) = json!({
            "schemas": ["u"], "id": "1", "userName": "ann", "name": {"familyName": "A", "givenName": "B"},
            "emails": [{"value": "x", "type": "work"}], "meta": {"version": "v"},
        }) else {
            return;
        };
        let chosen = Value::Object(projection.of(ResourceType::User, user));
        assert_eq!(chosen, *expected, "{attributes} / {excluded}");
    }

    #[test]
    fn what_was_asked_for_and_what_is_always_there() {
        let all = json!({
            "schemas": ["u"], "id": "1", "userName": "ann", "name": {"familyName": "A", "givenName": "B"},
            "emails": [{"value": "x", "type": "work"}], "meta": {"version": "v"},
        });
        check("", "", &all);
        check(
            "USERNAME, nothing",
            "",
            &json!({"schemas": ["u"], "id": "1", "userName": "ann"}),
        );
        check(
            "name.familyName,emails.value",
            "",
            &json!({"schemas": ["u"], "id": "1", "name": {"familyName": "A"}, "emails": [{"value": "x"}]}),
        );
        check(
            "",
            "id,schemas,userName,name.givenName,emails,meta",
            &json!({"schemas": ["u"], "id": "1", "name": {"familyName": "A"}}),
        );
        check(
            "name,name.givenName",
            "",
            &json!({"schemas": ["u"], "id": "1", "name": {"familyName": "A", "givenName": "B"}}),
        );
        check("userName", "userName", &json!({"schemas": ["u"], "id": "1"}));
    }
}
