// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The same values as a resolution, told in full: for people who may see policies.

use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_policy_language::Outcome;
use lakeward_read_restrictions::field::Field;
use serde_json::{Map, Value, json};

use crate::readable::readable;
use crate::resolve::{Contribution, Evaluated, Resolution, ResolutionError, SelectingTag};

/// Why a table is restricted for a subject, or why its restrictions cannot be resolved.
#[derive(Debug, Clone)]
pub struct Explanation {
    evaluated: Option<Evaluated>,
    outcome: Result<Resolution, ResolutionError>,
}

impl Explanation {
    /// Combines what was evaluated and keeps both.
    pub fn new(evaluated: Result<Evaluated, ResolutionError>) -> Self {
        match evaluated {
            Ok(evaluated) => Self {
                outcome: evaluated.clone().combine(),
                evaluated: Some(evaluated),
            },
            Err(error) => Self {
                evaluated: None,
                outcome: Err(error),
            },
        }
    }

    /// The resolution, or why there is none.
    pub fn outcome(&self) -> Result<&Resolution, &ResolutionError> {
        self.outcome.as_ref()
    }

    /// The explanation as JSON. `shows` decides which names of policies and tags the asker may see; others become
    /// null, and details that quote them are left out.
    pub fn to_json(&self, fields: &[Field], shows: &dyn Fn(NameKind, &str) -> bool) -> Value {
        let teller = Teller { fields, shows };
        let mut told = Map::new();
        match &self.outcome {
            Ok(resolution) => {
                let restrictions = &resolution.restrictions;
                told.insert("restricted".to_owned(), json!(restrictions.is_active()));
                told.insert(
                    "read-restrictions".to_owned(),
                    if restrictions.is_active() {
                        restrictions.to_json()
                    } else {
                        Value::Null
                    },
                );
                told.insert("signature".to_owned(), json!(restrictions.signature()));
                told.insert("omitted".to_owned(), teller.omitted(resolution));
            }
            Err(error) => {
                told.insert("error".to_owned(), teller.error(error));
            }
        }
        if let Some(evaluated) = &self.evaluated {
            told.insert("row-filter".to_owned(), teller.row_filters(evaluated));
            told.insert("columns".to_owned(), teller.masks(evaluated));
            told.insert("not-selected".to_owned(), teller.not_selected(evaluated));
        }
        Value::Object(told)
    }
}

/// What a name in an explanation names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameKind {
    /// A policy.
    Policy,
    /// A tag.
    Tag,
}

struct Teller<'a> {
    fields: &'a [Field],
    shows: &'a dyn Fn(NameKind, &str) -> bool,
}

impl Teller<'_> {
    fn name(&self, kind: NameKind, name: &str) -> Value {
        if (self.shows)(kind, name) {
            json!(name)
        } else {
            Value::Null
        }
    }

    fn omitted(&self, resolution: &Resolution) -> Value {
        resolution
            .omitted
            .iter()
            .map(|policy| {
                json!({ "policy": self.name(NameKind::Policy, policy), "reason": "the filter is true for this subject" })
            })
            .collect()
    }

    fn error(&self, error: &ResolutionError) -> Value {
        let visible = error
            .policies
            .iter()
            .all(|policy| (self.shows)(NameKind::Policy, policy));
        json!({
            "code": error.code(),
            "message": error.to_string(),
            "detail": if visible && !error.policies.is_empty() { json!(error.detail) } else { Value::Null },
            "policies": error.policies.iter().map(|policy| self.name(NameKind::Policy, policy)).collect::<Vec<_>>(),
            "transient": error.transient,
        })
    }

    fn row_filters(&self, evaluated: &Evaluated) -> Value {
        evaluated
            .row_filters
            .iter()
            .map(|result| match result {
                Ok(contribution) => self.contribution(contribution, |value| {
                    let wire = serde_json::from_str::<Value>(&value.wire_json()).unwrap_or(Value::Null);
                    vec![("predicate", json!(readable(value, self.fields))), ("wire", wire)]
                }),
                Err(error) => json!({ "error": self.error(error) }),
            })
            .collect()
    }

    fn masks(&self, evaluated: &Evaluated) -> Value {
        evaluated
            .masks
            .iter()
            .map(|(field, results)| {
                let name = self
                    .fields
                    .iter()
                    .find(|known| known.id == *field)
                    .map(|known| known.name.as_str());
                let masks: Vec<Value> = results
                    .iter()
                    .map(|result| match result {
                        Ok(contribution) => {
                            self.contribution(contribution, |action| vec![("action", json!(action.as_str()))])
                        }
                        Err(error) => json!({ "error": self.error(error) }),
                    })
                    .collect();
                json!({ "field-id": field, "column": name, "masks": masks })
            })
            .collect()
    }

    fn contribution<T>(
        &self,
        contribution: &Contribution<T>,
        value: impl Fn(&T) -> Vec<(&'static str, Value)>,
    ) -> Value {
        let mut told = Map::new();
        told.insert(
            "policy".to_owned(),
            self.name(NameKind::Policy, &contribution.policy),
        );
        told.insert("revision".to_owned(), json!(contribution.revision));
        told.insert("selected-by".to_owned(), self.tags(&contribution.tags));
        told.insert("branches".to_owned(), branches(&contribution.branches));
        for (member, told_value) in value(&contribution.value) {
            told.insert(member.to_owned(), told_value);
        }
        told.insert("signature".to_owned(), json!(contribution.signature));
        Value::Object(told)
    }

    fn tags(&self, tags: &[SelectingTag]) -> Value {
        tags.iter()
            .map(|tag| {
                if !(self.shows)(NameKind::Tag, &tag.tag) {
                    return json!({ "tag": null });
                }
                json!({
                    "tag": tag.tag,
                    "values": tag.values,
                    "assigned-on": self.object(&tag.assigned_on),
                    "selector": tag.selector.to_json(),
                })
            })
            .collect()
    }

    /// An object by its full name; a column that is known by field id gets its present name.
    fn object(&self, object: &MetadataObject) -> Value {
        let mut path = object.path.clone();
        if object.kind == ObjectKind::Column
            && let Some(last) = path.last_mut()
            && let Some(field) = self.fields.iter().find(|field| field.id.to_string() == *last)
        {
            last.clone_from(&field.name);
        }
        json!({ "type": object.kind.lower_case(), "fullName": path.join(".") })
    }

    fn not_selected(&self, evaluated: &Evaluated) -> Value {
        evaluated
            .selection
            .not_selected
            .iter()
            .filter(|entry| {
                (self.shows)(NameKind::Policy, &entry.policy) && (self.shows)(NameKind::Tag, &entry.tag)
            })
            .map(|entry| {
                json!({
                    "policy": entry.policy,
                    "tag": entry.tag,
                    "assigned-on": self.object(&entry.assigned_on),
                    "reason": entry.reason.as_str(),
                })
            })
            .collect()
    }
}

fn branches(outcomes: &[Outcome]) -> Value {
    outcomes.iter().map(|outcome| json!(outcome.as_str())).collect()
}
