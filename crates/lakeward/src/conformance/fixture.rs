// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the cases of several files share: named schemas and subject contexts, and typed access to members.

use std::collections::BTreeSet;
use std::sync::Arc;

use lakeward_policy_language::SubjectContext;
use lakeward_read_restrictions::field::Field;
use lakeward_read_restrictions::schema::fields_from_schema;
use serde_json::{Value, json};

/// One fixture file.
pub(super) struct Fixtures(Value);

impl Fixtures {
    pub(super) fn new(json: Value) -> Self {
        Self(json)
    }

    /// The cases; `None` without any.
    pub(super) fn cases(&self) -> Option<&[Value]> {
        let cases = self.0.get("cases")?.as_array()?;
        (!cases.is_empty()).then_some(cases)
    }

    /// The fields of the schema that a case names.
    pub(super) fn fields(&self, case: &Value) -> Result<Vec<Field>, String> {
        fields_from_schema(self.schema(case)?).map_err(|error| error.to_string())
    }

    /// The schema that a case names, as it is written.
    pub(super) fn schema(&self, case: &Value) -> Result<&Value, String> {
        self.named("schemas", case, "schema")
    }

    /// The subject that a case names.
    pub(super) fn subject(&self, case: &Value) -> Result<SubjectContext, String> {
        let context = self.named("contexts", case, "context")?;
        let set = |member: &str| -> Result<Option<BTreeSet<String>>, String> {
            match context.get(member) {
                None | Some(Value::Null) => Ok(None),
                Some(_) => texts(context, member).map(|names| Some(names.into_iter().collect())),
            }
        };
        Ok(SubjectContext {
            user: context.get("user").and_then(Value::as_str).map(str::to_owned),
            groups: set("groups")?.map(Arc::new),
            member_of: set("user_groups")?,
        })
    }

    fn named(&self, group: &str, case: &Value, member: &str) -> Result<&Value, String> {
        let name = text(case, member)?;
        self.0
            .get(group)
            .and_then(|group| group.get(name))
            .ok_or_else(|| format!("`{group}` has no `{name}`"))
    }
}

/// A member.
pub(super) fn member<'a>(json: &'a Value, name: &str) -> Result<&'a Value, String> {
    json.get(name)
        .ok_or_else(|| format!("the member `{name}` is missing"))
}

/// A member that is a string.
pub(super) fn text<'a>(json: &'a Value, name: &str) -> Result<&'a str, String> {
    member(json, name)?
        .as_str()
        .ok_or_else(|| format!("the member `{name}` is no string"))
}

/// A member that is an array.
pub(super) fn array<'a>(json: &'a Value, name: &str) -> Result<&'a [Value], String> {
    match member(json, name)?.as_array() {
        Some(elements) => Ok(elements),
        None => Err(format!("the member `{name}` is no array")),
    }
}

/// A member that is an array of strings.
pub(super) fn texts(json: &Value, name: &str) -> Result<Vec<String>, String> {
    array(json, name)?
        .iter()
        .map(|element| element.as_str().map(str::to_owned))
        .collect::<Option<_>>()
        .ok_or_else(|| format!("the member `{name}` is no array of strings"))
}

/// The answer of a case that fails as it should.
pub(super) fn error(category: &str) -> Value {
    json!({"error": category})
}
