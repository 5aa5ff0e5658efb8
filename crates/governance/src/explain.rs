// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The same values as a resolution, told in full: for people who may see policies.

use std::collections::BTreeMap;

use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_policy_language::Outcome;
use lakeward_read_restrictions::field::Field;
use serde_json::{Map, Value, json};

use crate::preview::DRAFT;
use crate::readable::readable;
use crate::resolve::{Contribution, Evaluated, Resolution, ResolutionError, Selected, SelectingTag};

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

    /// Whether any policy was selected.
    pub fn selects(&self) -> bool {
        self.evaluated.as_ref().is_some_and(|evaluated| {
            !evaluated.selection.row_filters.is_empty() || !evaluated.selection.masks.is_empty()
        })
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
            told.insert("conflicts".to_owned(), teller.conflicts(evaluated));
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
        let selected = &evaluated.selection.row_filters;
        selected
            .iter()
            .zip(&evaluated.row_filters)
            .map(|(selected, result)| {
                self.contribution(selected, result, |predicate| {
                    let wire = serde_json::from_str::<Value>(&predicate.wire_json()).unwrap_or(Value::Null);
                    vec![
                        ("predicate", json!(readable(predicate, self.fields))),
                        ("wire", wire),
                    ]
                })
            })
            .collect()
    }

    fn masks(&self, evaluated: &Evaluated) -> Value {
        evaluated
            .selection
            .masks
            .iter()
            .map(|(field, selected)| {
                let results = evaluated.masks.get(field).map(Vec::as_slice).unwrap_or_default();
                let masks: Vec<Value> = selected
                    .iter()
                    .zip(results)
                    .map(|(selected, result)| {
                        self.contribution(selected, result, |action| {
                            vec![("action", json!(action.as_str()))]
                        })
                    })
                    .collect();
                json!({ "field-id": field, "column": self.column(*field), "masks": masks })
            })
            .collect()
    }

    /// A selected policy with what selected it, and its result or why it has none.
    fn contribution<T>(
        &self,
        selected: &Selected,
        result: &Result<Contribution<T>, ResolutionError>,
        value: impl Fn(&T) -> Vec<(&'static str, Value)>,
    ) -> Value {
        let policy = &selected.policy;
        let is_draft = policy.id == DRAFT;
        let mut told = Map::new();
        told.insert("policy".to_owned(), self.name(NameKind::Policy, &policy.name));
        told.insert("draft".to_owned(), json!(is_draft));
        let revision = if is_draft {
            Value::Null
        } else {
            json!(policy.revision)
        };
        told.insert("revision".to_owned(), revision);
        told.insert("selected-by".to_owned(), self.tags(&selected.tags));
        match result {
            Ok(contribution) => {
                told.insert("branches".to_owned(), branches(&contribution.branches));
                for (member, told_value) in value(&contribution.value) {
                    told.insert(member.to_owned(), told_value);
                }
                told.insert("signature".to_owned(), json!(contribution.signature));
            }
            Err(error) => {
                told.insert("error".to_owned(), self.error(error));
            }
        }
        Value::Object(told)
    }

    /// Every place where policies give distinct restrictions, with the policies by restriction. The first of them is
    /// the error of the whole.
    fn conflicts(&self, evaluated: &Evaluated) -> Value {
        let mut told = Vec::new();
        if let Some(restrictions) = self.distinct(&evaluated.row_filters) {
            told.push(json!({ "place": "row-filter", "restrictions": restrictions }));
        }
        for (field, masks) in &evaluated.masks {
            if let Some(restrictions) = self.distinct(masks) {
                told.push(json!({
                    "place": "column",
                    "field-id": field,
                    "column": self.column(*field),
                    "restrictions": restrictions,
                }));
            }
        }
        Value::Array(told)
    }

    /// The policies by signature, when there is more than one signature.
    fn distinct<T>(&self, results: &[Result<Contribution<T>, ResolutionError>]) -> Option<Value> {
        let mut by_signature: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        for contribution in results.iter().flatten() {
            by_signature
                .entry(&contribution.signature)
                .or_default()
                .push(self.name(NameKind::Policy, &contribution.policy));
        }
        (by_signature.len() > 1).then(|| {
            by_signature
                .into_iter()
                .map(|(signature, policies)| json!({ "signature": signature, "policies": policies }))
                .collect()
        })
    }

    /// The name of a column of the schema.
    fn column(&self, field: i32) -> Option<&str> {
        let column = self.fields.iter().find(|known| known.id == field);
        column.map(|column| column.name.as_str())
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
