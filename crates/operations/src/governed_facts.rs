// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Rows of the store become the facts that governance reasons about.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use lakeward_governance::effective_tag::TaggedObject;
use lakeward_governance::policy::StoredPolicy;
use lakeward_governance::resolve::{GovernanceFacts, PolicyOnTag};
use lakeward_governance::selector::{Selector, UnknownSelector};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_store::{ChainRow, PolicyFact, PolicyState, StoredSelector};
use serde_json::{Value, json};

use crate::error::OperationError;

/// What the store says of the last object of a chain, as governance takes it.
///
/// # Errors
/// [`OperationError::Internal`] when chain and facts are not of one state: an assignment that has no place must not be
/// lost.
pub(crate) fn governed_facts(
    chain: &[ChainRow],
    stored: &lakeward_store::GovernanceFacts,
    separator: &str,
) -> Result<GovernanceFacts, OperationError> {
    let objects = levels(chain, separator);
    let mut levels: Vec<TaggedObject> = objects
        .iter()
        .rev()
        .map(|object| TaggedObject {
            object: object.clone(),
            tags: Vec::new(),
        })
        .collect();
    let mut columns: BTreeMap<i32, TaggedObject> = BTreeMap::new();
    let mut tag_names: HashMap<ObjectId, &str> = HashMap::new();
    for assignment in &stored.assignments {
        tag_names.insert(assignment.tag_id, &assignment.tag_name);
        let tag = (assignment.tag_name.clone(), assignment.value.clone());
        if let Some(field) = assignment.field_id {
            let column = columns.entry(field).or_insert_with(|| TaggedObject {
                object: column(objects.last(), field),
                tags: Vec::new(),
            });
            column.tags.push(tag);
            continue;
        }
        usize::try_from(assignment.distance)
            .ok()
            .and_then(|distance| levels.get_mut(distance))
            .ok_or_else(|| OperationError::internal("a tag is assigned above the metalake"))?
            .tags
            .push(tag);
    }
    let associations = stored
        .policies
        .iter()
        .map(|fact| {
            let tag = tag_names
                .get(&fact.tag_id)
                .ok_or_else(|| OperationError::internal("a policy is on a tag that is not assigned"))?;
            Ok(PolicyOnTag {
                tag: (*tag).to_owned(),
                policy: fact.policy_name.clone(),
                selector: selector(&fact.selector),
            })
        })
        .collect::<Result<_, OperationError>>()?;
    Ok(GovernanceFacts {
        levels,
        columns,
        associations,
        policies: stored.policies.iter().filter_map(policy).collect(),
    })
}

fn policy(fact: &PolicyFact) -> Option<(String, Arc<StoredPolicy>)> {
    let policy = stored_policy(fact.policy_id, &fact.policy_name, &fact.state)?;
    Some((policy.name.clone(), policy))
}

/// A policy of a type that this version does not know is left out, so that whoever is governed by it is refused.
pub(crate) fn stored_policy(id: ObjectId, name: &str, state: &PolicyState) -> Option<Arc<StoredPolicy>> {
    Some(Arc::new(StoredPolicy {
        id: id.value(),
        name: name.to_owned(),
        policy_type: state.policy_type.parse().ok()?,
        enabled: state.is_enabled,
        revision: state.revision,
        content: state.content.as_str().into(),
    }))
}

/// The objects of a chain, the metalake first. Levels of a nested schema are joined as in full names.
pub(crate) fn levels(chain: &[ChainRow], separator: &str) -> Vec<MetadataObject> {
    let mut objects: Vec<MetadataObject> = Vec::with_capacity(chain.len());
    for row in chain {
        let kind = row.object.kind;
        let name = row.object.name.clone();
        let path = match objects.last() {
            None => vec![name],
            Some(above) if above.kind == ObjectKind::Metalake => vec![name],
            Some(above) if above.kind == ObjectKind::Schema && kind == ObjectKind::Schema => {
                let mut path = above.path.clone();
                if let Some(schema) = path.last_mut() {
                    schema.push_str(separator);
                    schema.push_str(&name);
                }
                path
            }
            Some(above) => {
                let mut path = above.path.clone();
                path.push(name);
                path
            }
        };
        objects.push(MetadataObject { kind, path });
    }
    objects
}

/// A column of a table by field id; names are for whoever has the schema.
fn column(table: Option<&MetadataObject>, field: i32) -> MetadataObject {
    let mut path = table.map(|table| table.path.clone()).unwrap_or_default();
    path.push(field.to_string());
    MetadataObject {
        kind: ObjectKind::Column,
        path,
    }
}

/// Reads a stored selector.
pub(crate) fn selector(stored: &StoredSelector) -> Result<Selector, UnknownSelector> {
    let mut members = json!({ "type": stored.selector_type });
    if let (Some(value), Value::Object(members)) = (&stored.value, &mut members) {
        members.insert("value".to_owned(), json!(value));
    }
    Selector::parse(Some(&members))
}

/// The stored form of a selector.
pub(crate) fn stored_selector(selector: &Selector) -> StoredSelector {
    match selector {
        Selector::AllValues => StoredSelector {
            selector_type: "ALL_VALUES".to_owned(),
            value: None,
        },
        Selector::TagValue(value) => StoredSelector {
            selector_type: "TAG_VALUE".to_owned(),
            value: Some(value.clone()),
        },
    }
}
