// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Facts as they would be: policies enabled, drafts stored, a tag assigned. Nothing is stored; an evaluation of such
//! facts is what a load would get afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_policy_language::Rule;

use crate::effective_tag::TaggedObject;
use crate::policy::{PolicyType, StoredPolicy};
use crate::policy_content::{ContentError, ExpressionContent};
use crate::resolve::{GovernanceFacts, PolicyOnTag, RuleSource};
use crate::selector::Selector;

/// The id of a policy that is stored nowhere. Stored ids are positive.
pub(crate) const DRAFT: i64 = 0;

/// A restriction policy that is not stored, or another content of one that is.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The name. That of a stored policy: the draft stands in for its content and keeps its tags.
    pub name: String,
    /// The type.
    pub policy_type: PolicyType,
    /// The checked rule.
    pub rule: Arc<Rule>,
    /// The tags it is put on, beside those of the policy it stands in for.
    pub tags: Vec<(String, Selector)>,
}

/// An assignment of a tag as it would be, in place of whatever the object has of this tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntendedAssignment {
    /// The object; a column by field id.
    pub object: MetadataObject,
    /// The tag.
    pub tag: String,
    /// The values; none for an assignment without.
    pub values: Vec<String>,
}

/// What would be different.
#[derive(Debug, Clone, Default)]
pub struct Preview {
    /// Policies that count as enabled.
    pub enabled: BTreeSet<String>,
    /// Drafts; they count as enabled.
    pub drafts: Vec<Draft>,
    /// Stored policies that facts may lack because none of their tags is on the object yet.
    pub policies: Vec<Arc<StoredPolicy>>,
    /// Policies on tags, each in place of the relation of the same two.
    pub associations: Vec<PolicyOnTag>,
    /// An assignment.
    pub assignment: Option<IntendedAssignment>,
}

impl Draft {
    /// Checks the content of a draft.
    ///
    /// # Errors
    /// [`ContentError`] with line, column and cause.
    pub fn parse(
        name: impl Into<String>,
        policy_type: PolicyType,
        content: &str,
        tags: Vec<(String, Selector)>,
    ) -> Result<Self, ContentError> {
        Ok(Self {
            name: name.into(),
            policy_type,
            rule: ExpressionContent::parse(policy_type, content)?.rule,
            tags,
        })
    }

    fn stored(&self) -> Arc<StoredPolicy> {
        Arc::new(StoredPolicy {
            id: DRAFT,
            name: self.name.clone(),
            policy_type: self.policy_type,
            enabled: true,
            revision: 0,
            content: Arc::from(""),
        })
    }
}

impl Preview {
    /// Whether nothing would be different.
    pub fn is_nothing(&self) -> bool {
        self.enabled.is_empty()
            && self.drafts.is_empty()
            && self.policies.is_empty()
            && self.associations.is_empty()
            && self.assignment.is_none()
    }

    /// The draft of this name.
    pub fn draft(&self, name: &str) -> Option<&Draft> {
        self.drafts.iter().find(|draft| draft.name == name)
    }

    /// The facts of one table as they would be.
    pub fn apply(&self, facts: &GovernanceFacts) -> GovernanceFacts {
        let mut facts = facts.clone();
        if let Some(assignment) = &self.assignment {
            assign(&mut facts, assignment);
        }
        for policy in &self.policies {
            facts
                .policies
                .entry(policy.name.clone())
                .or_insert_with(|| Arc::clone(policy));
        }
        for association in &self.associations {
            associate(&mut facts, association.clone());
        }
        for draft in &self.drafts {
            facts.policies.insert(draft.name.clone(), draft.stored());
            for (tag, selector) in &draft.tags {
                let association = PolicyOnTag {
                    tag: tag.clone(),
                    policy: draft.name.clone(),
                    selector: Ok(selector.clone()),
                };
                associate(&mut facts, association);
            }
        }
        for name in &self.enabled {
            if let Some(policy) = facts.policies.get_mut(name).filter(|policy| !policy.enabled) {
                *policy = Arc::new(StoredPolicy {
                    enabled: true,
                    ..StoredPolicy::clone(policy)
                });
            }
        }
        facts
    }

    /// The rules of the drafts, and all others from `stored`.
    pub fn rules<'a, S>(&'a self, stored: &'a S) -> PreviewRules<'a, S> {
        PreviewRules {
            preview: self,
            stored,
        }
    }

    /// Those of `names` that are on no tag of the object of these facts, its ancestors or its columns.
    pub fn unused<'a>(
        &self,
        facts: &GovernanceFacts,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Vec<&'a str> {
        let tags: BTreeSet<&str> = facts
            .levels
            .iter()
            .chain(facts.columns.values())
            .flat_map(|level| level.tags.iter().map(|(tag, _)| tag.as_str()))
            .collect();
        let is_used = |name: &str| {
            facts
                .associations
                .iter()
                .any(|on_tag| on_tag.policy == name && tags.contains(on_tag.tag.as_str()))
        };
        names.into_iter().filter(|name| !is_used(name)).collect()
    }
}

/// Rules of stored policies, and of drafts that were checked already.
#[derive(Debug, Clone, Copy)]
pub struct PreviewRules<'a, S> {
    preview: &'a Preview,
    stored: &'a S,
}

impl<S: RuleSource> RuleSource for PreviewRules<'_, S> {
    fn rule(&self, policy: &StoredPolicy) -> Result<Arc<Rule>, ContentError> {
        if policy.id == DRAFT
            && let Some(draft) = self.preview.draft(&policy.name)
        {
            return Ok(Arc::clone(&draft.rule));
        }
        self.stored.rule(policy)
    }
}

fn associate(facts: &mut GovernanceFacts, association: PolicyOnTag) {
    facts
        .associations
        .retain(|known| known.tag != association.tag || known.policy != association.policy);
    facts.associations.push(association);
}

/// Puts the assignment where the object is in the facts; nothing happens where it is not above or on the table.
fn assign(facts: &mut GovernanceFacts, assignment: &IntendedAssignment) {
    let IntendedAssignment { object, tag, values } = assignment;
    let level = if object.kind == ObjectKind::Column {
        column(&mut facts.columns, object, facts.levels.first())
    } else {
        facts.levels.iter_mut().find(|level| level.object == *object)
    };
    let Some(level) = level else { return };
    level.tags.retain(|(known, _)| known != tag);
    if values.is_empty() {
        level.tags.push((tag.clone(), None));
    }
    for value in values {
        level.tags.push((tag.clone(), Some(value.clone())));
    }
}

/// The entry of a column of the table of these facts; made when the column has no tags yet.
fn column<'a>(
    columns: &'a mut BTreeMap<i32, TaggedObject>,
    object: &MetadataObject,
    table: Option<&TaggedObject>,
) -> Option<&'a mut TaggedObject> {
    let (field, above) = object.path.split_last()?;
    if table?.object.path != above {
        return None;
    }
    let field: i32 = field.parse().ok()?;
    Some(columns.entry(field).or_insert_with(|| TaggedObject {
        object: object.clone(),
        tags: Vec::new(),
    }))
}

#[cfg(test)]
mod tests;
