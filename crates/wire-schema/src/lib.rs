// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tells tests whether JSON has the form that our own JSON Schemas state (`fixtures/*.schema.json`).
//!
//! It knows the keywords of draft 2020-12 that those schemas use and refuses a schema with any other, so that nothing is
//! passed over. The known validators were not taken because their dependencies switch on features under which the query
//! engine would be built once more; the end-to-end tests hold the same schemas and fixtures against one of them, in Python.

mod schema;

use std::sync::LazyLock;

use serde_json::Value;

pub use schema::{Schema, SchemaError};

static READ_RESTRICTIONS: LazyLock<Result<Schema, SchemaError>> =
    LazyLock::new(|| Schema::parse(include_str!("../../../fixtures/read-restrictions.schema.json")));

/// What is wrong with the form of a `read-restrictions` object; nothing when it may be sent.
pub fn read_restrictions_problems(restrictions: &Value) -> Vec<String> {
    match READ_RESTRICTIONS.as_ref() {
        Ok(schema) => schema.problems(restrictions),
        Err(error) => vec![format!("`read-restrictions.schema.json`: {error}")],
    }
}

/// What is wrong with any member `read-restrictions` anywhere in an answer. `null` is no object and no problem.
pub fn answer_problems(answer: &Value) -> Vec<String> {
    match answer {
        Value::Object(members) => members
            .iter()
            .flat_map(|(name, member)| {
                let mut problems = answer_problems(member);
                if name == "read-restrictions" && !member.is_null() {
                    problems.extend(read_restrictions_problems(member));
                }
                problems
            })
            .collect(),
        Value::Array(elements) => elements.iter().flat_map(answer_problems).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::answer_problems;

    #[test]
    fn finds_wrong_members_at_any_depth() {
        let right =
            json!({"read-restrictions": {"required-row-filter": false}, "a": {"read-restrictions": null}});
        assert!(answer_problems(&right).is_empty());
        for wrong in [
            json!([{"a": {"read-restrictions": {"required-row-filter": "false"}}}]),
            json!({"read-restrictions": []}),
            json!({"read-restrictions": {"required-row-filter": {"type": "eq", "term": "a", "value": 1}}}),
        ] {
            assert!(!answer_problems(&wrong).is_empty(), "{wrong}");
        }
    }
}
