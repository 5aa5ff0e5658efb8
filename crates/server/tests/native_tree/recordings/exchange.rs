// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! One recorded exchange, as `fixtures/recordings` keeps it; and what stands for values that every run makes anew.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// A request, and what the original answered.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exchange {
    /// Its number in its file.
    pub(super) n: u32,
    /// What it was recorded for.
    pub(super) label: String,
    pub(super) method: String,
    pub(super) path: String,
    /// Who asks, by `simple`; nobody where it is absent.
    pub(super) user: Option<String>,
    /// Headers beyond the usual ones.
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
    /// The body as JSON.
    pub(super) request: Option<Value>,
    /// The body as text, where it is no JSON.
    pub(super) text: Option<String>,
    pub(super) status: u16,
    /// The entity tag, where a later request names it.
    pub(super) etag: Option<String>,
    /// The media type of the answer, where it is not `application/json`.
    pub(super) media: Option<String>,
    /// The body of the answer without messages; absent where the original sent none.
    pub(super) answer: Option<Value>,
}

/// Something that the recording left out and that a later exchange needs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Preparation {
    /// The file of the exchange that it comes before, and its number.
    pub(super) file: String,
    pub(super) before: u32,
    pub(super) user: String,
    pub(super) method: String,
    pub(super) path: String,
    pub(super) request: Option<Value>,
}

/// What stands in recordings for values that each run makes anew: `${name}`.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    values: BTreeMap<String, String>,
}

impl Bindings {
    pub(super) fn bind(&mut self, name: &str, value: &str) {
        self.values.insert(name.to_owned(), value.to_owned());
    }

    /// The name, where the whole text is one that has no value yet.
    pub(super) fn unbound<'a>(&self, text: &'a str) -> Option<&'a str> {
        let name = text.strip_prefix("${")?.strip_suffix('}')?;
        (!name.contains('$') && !self.values.contains_key(name)).then_some(name)
    }

    /// The text with the values that are known.
    pub(super) fn fill(&self, text: &str) -> String {
        let mut filled = text.to_owned();
        for (name, value) in &self.values {
            filled = filled.replace(&format!("${{{name}}}"), value);
        }
        filled
    }

    /// [`Bindings::fill`] in every text of a value, names of members included.
    pub(super) fn fill_all(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill(text)),
            Value::Array(items) => items.iter().map(|item| self.fill_all(item)).collect(),
            Value::Object(members) => members
                .iter()
                .map(|(name, value)| (self.fill(name), self.fill_all(value)))
                .collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }
}
