// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Whether an answer is the recorded one: the same members, the same JSON types, the same values where they are not
//! generated. All differences are found at once.

use serde_json::Value;

use super::exchange::Bindings;

/// Where an answer is not what was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference {
    /// `answer` for status, code and type; `media`; or the pointer to a value of the body.
    pub(super) at: String,
    pub(super) recorded: String,
    pub(super) ours: String,
}

/// What stands for a member that is not there.
const ABSENT: &str = "absent";

/// Members whose items come in no order: the original's is that of its database.
const SETS: &[&str] = &[
    "names",
    "identifiers",
    "metalakes",
    "catalogs",
    "users",
    "groups",
    "roles",
    "tags",
    "policies",
    "functions",
    "jobs",
    "jobTemplates",
    "infos",
    "statistics",
    "metadataObjects",
    "securableObjects",
    "privileges",
    "supportedObjectTypes",
    "aliases",
    "namespaces",
    "endpoints",
    "checks",
    "updated",
    "removed",
    "missing",
    "versions",
    "partitionStatistics",
];

/// Compares bodies, and binds what is met for the first time.
#[derive(Debug)]
pub(super) struct Comparison<'a> {
    pub(super) bindings: &'a mut Bindings,
    pub(super) differences: Vec<Difference>,
}

impl Comparison<'_> {
    pub(super) fn note(&mut self, at: &str, recorded: impl Into<String>, ours: impl Into<String>) {
        self.differences.push(Difference {
            at: at.to_owned(),
            recorded: recorded.into(),
            ours: ours.into(),
        });
    }

    /// Compares two values at a pointer.
    pub(super) fn value(&mut self, at: &str, recorded: &Value, ours: &Value) {
        match (recorded, ours) {
            (Value::Object(recorded), Value::Object(ours)) => {
                for (name, recorded) in recorded {
                    let name = self.bindings.fill(name);
                    let at = below(at, &name);
                    match ours.get(&name) {
                        Some(ours) => self.value(&at, recorded, ours),
                        None => self.note(&at, recorded.to_string(), ABSENT),
                    }
                }
                let known: Vec<String> = recorded.keys().map(|name| self.bindings.fill(name)).collect();
                for (name, ours) in ours.iter().filter(|(name, _)| !known.contains(name)) {
                    self.note(&below(at, name), ABSENT, ours.to_string());
                }
            }
            (Value::Array(recorded), Value::Array(ours)) => {
                let is_set = at.rsplit('/').next().is_some_and(|name| SETS.contains(&name));
                if is_set {
                    self.set(at, recorded, ours);
                } else {
                    self.list(at, recorded, ours);
                }
            }
            (Value::String(recorded), ours) => self.text(at, recorded, ours),
            (recorded, ours) if recorded == ours => {}
            (recorded, ours) => self.note(at, recorded.to_string(), ours.to_string()),
        }
    }

    fn text(&mut self, at: &str, recorded: &str, ours: &Value) {
        let is_right = match (recorded, ours) {
            ("<number>", ours) => ours.is_number(),
            ("<text>", ours) => ours.as_str().is_some_and(|ours| !ours.is_empty()),
            ("<time>", ours) => ours
                .as_str()
                .is_some_and(|ours| chrono::DateTime::parse_from_rfc3339(ours).is_ok()),
            (recorded, Value::String(ours)) => match self.bindings.unbound(recorded) {
                Some(name) => {
                    let name = name.to_owned();
                    self.bindings.bind(&name, ours);
                    true
                }
                None => location(&self.bindings.fill(recorded)) == location(ours),
            },
            (_, Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                false
            }
        };
        if !is_right {
            self.note(at, recorded, ours.to_string());
        }
    }

    fn list(&mut self, at: &str, recorded: &[Value], ours: &[Value]) {
        for (index, recorded) in recorded.iter().enumerate() {
            let at = format!("{at}/{index}");
            match ours.get(index) {
                Some(ours) => self.value(&at, recorded, ours),
                None => self.note(&at, recorded.to_string(), ABSENT),
            }
        }
        for (index, ours) in ours.iter().enumerate().skip(recorded.len()) {
            self.note(&format!("{at}/{index}"), ABSENT, ours.to_string());
        }
    }

    /// Finds for each recorded item the one of ours with its name, and names what is left by its own name.
    fn set(&mut self, at: &str, recorded: &[Value], ours: &[Value]) {
        let mut left: Vec<&Value> = ours.iter().collect();
        for recorded in recorded {
            let wanted = self.bindings.fill_all(&key(recorded));
            match left.iter().position(|ours| key(ours) == wanted) {
                Some(index) => {
                    let ours = left.swap_remove(index);
                    self.value(&below(at, &short(&wanted)), recorded, ours);
                }
                None => self.note(&below(at, &short(&wanted)), recorded.to_string(), ABSENT),
            }
        }
        for ours in left {
            self.note(&below(at, &short(&key(ours))), ABSENT, ours.to_string());
        }
    }
}

/// What tells an item of a set from the others.
fn key(item: &Value) -> Value {
    let name = [
        "name",
        "fullName",
        "jobId",
        "version",
        "partitionName",
        "version-id",
    ]
    .into_iter()
    .find_map(|member| item.get(member));
    name.unwrap_or(item).clone()
}

/// The pointer to a member, as RFC 6901 spells it.
fn below(at: &str, name: &str) -> String {
    format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn short(key: &Value) -> String {
    key.as_str().map_or_else(|| key.to_string(), str::to_owned)
}

/// `file:/x` and `file:///x` are one location, spelled in two ways.
fn location(text: &str) -> String {
    text.replace("file:///", "file:/")
}
