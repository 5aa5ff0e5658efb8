// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Effective tags and policies on tags give the selected policies (section 12, steps 1 to 3).

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use lakeward_metadata::object::MetadataObject;
use lakeward_policy_language::Category;
use lakeward_read_restrictions::field::Field;

use super::{GovernanceFacts, PolicyOnTag, ResolutionError, SelectingTag};
use crate::effective_tag::{EffectiveTag, EffectiveTags, effective_tags, with_own};
use crate::policy::{PolicyType, StoredPolicy};

/// A policy that applies, with every tag that selected it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selected {
    /// The policy.
    pub policy: Arc<StoredPolicy>,
    /// The tags by name.
    pub tags: Vec<SelectingTag>,
}

/// What was selected for a table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// Row-filter policies, by name.
    pub row_filters: Vec<Selected>,
    /// Column-mask policies per field id, by name; only fields that have any.
    pub masks: BTreeMap<i32, Vec<Selected>>,
    /// Restriction policies on effective tags that do not apply, and why. For explanations.
    pub not_selected: Vec<NotSelected>,
}

/// A restriction policy on an effective tag that does not apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotSelected {
    /// The policy's name.
    pub policy: String,
    /// The tag.
    pub tag: String,
    /// Where the effective assignment of the tag is.
    pub assigned_on: MetadataObject,
    /// Why the policy does not apply.
    pub reason: Reason,
}

/// Why a policy on an effective tag does not apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The policy is disabled.
    Disabled,
    /// The values of the assignment do not fulfil the selector.
    SelectorDoesNotMatch,
    /// A row filter on a tag that only a column has.
    RowFilterOnColumnTag,
}

impl Reason {
    /// The name in explanations.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::SelectorDoesNotMatch => "selector-does-not-match",
            Self::RowFilterOnColumnTag => "row-filter-on-column-tag",
        }
    }
}

/// Policies by name, with what was learned of each.
#[derive(Default)]
struct Matches {
    selected: BTreeMap<String, Selected>,
    not_selected: Vec<NotSelected>,
}

/// Selects the policies of a table and its top-level columns.
///
/// # Errors
/// [`ResolutionError`] of category `lookup` for a selector that is not understood on an effective tag, or a matched
/// policy that is not there.
pub fn select(facts: &GovernanceFacts, fields: &[Field]) -> Result<Selection, ResolutionError> {
    let by_tag = by_tag(&facts.associations);
    let of_table = effective_tags(&facts.levels);
    let table = matches(&of_table, &by_tag, facts)?;
    let mut selection = Selection {
        row_filters: of_type(&table, PolicyType::RowFilter),
        masks: BTreeMap::new(),
        not_selected: table.not_selected.clone(),
    };
    let inherited_masks = of_type(&table, PolicyType::ColumnMask);
    for field in fields {
        let masks = match facts.columns.get(&field.id) {
            // Most columns have no tags of their own, so they have what the table has.
            None => inherited_masks.clone(),
            Some(own) => {
                let column = matches(&with_own(own, &of_table), &by_tag, facts)?;
                note_column_filters(&column, &own.object, &mut selection);
                of_type(&column, PolicyType::ColumnMask)
            }
        };
        if !masks.is_empty() {
            selection.masks.insert(field.id, masks);
        }
    }
    Ok(selection)
}

fn by_tag(associations: &[PolicyOnTag]) -> HashMap<&str, Vec<&PolicyOnTag>> {
    let mut by_tag: HashMap<&str, Vec<&PolicyOnTag>> = HashMap::new();
    for association in associations {
        by_tag.entry(&association.tag).or_default().push(association);
    }
    by_tag
}

fn matches(
    effective: &EffectiveTags<'_>,
    by_tag: &HashMap<&str, Vec<&PolicyOnTag>>,
    facts: &GovernanceFacts,
) -> Result<Matches, ResolutionError> {
    let mut matches = Matches::default();
    for tag in effective.values() {
        for association in by_tag.get(tag.tag).into_iter().flatten() {
            let selector = association.selector.as_ref().map_err(|error| ResolutionError {
                policies: vec![association.policy.clone()],
                ..ResolutionError::new(
                    Category::Lookup,
                    format!("policy `{}` on tag `{}`: {error}", association.policy, tag.tag),
                )
            })?;
            let matched = selector.matches(&tag.values);
            let Some(policy) = facts.policies.get(&association.policy) else {
                if matched {
                    return Err(ResolutionError::new(
                        Category::Lookup,
                        format!(
                            "policy `{}` on tag `{}` cannot be loaded",
                            association.policy, tag.tag
                        ),
                    ));
                }
                continue;
            };
            if !policy.policy_type.is_restriction() {
                continue;
            }
            let reason = match (matched, policy.enabled) {
                (true, true) => None,
                (true, false) => Some(Reason::Disabled),
                (false, _) => Some(Reason::SelectorDoesNotMatch),
            };
            match reason {
                Some(reason) => matches.not_selected.push(not_selected(policy, tag, reason)),
                None => matches
                    .selected
                    .entry(policy.name.clone())
                    .or_insert_with(|| Selected {
                        policy: Arc::clone(policy),
                        tags: Vec::new(),
                    })
                    .tags
                    .push(SelectingTag {
                        tag: tag.tag.to_owned(),
                        assigned_on: tag.assigned_on.clone(),
                        values: tag.values.iter().map(|value| (*value).to_owned()).collect(),
                        selector: selector.clone(),
                    }),
            }
        }
    }
    Ok(matches)
}

fn not_selected(policy: &StoredPolicy, tag: &EffectiveTag<'_>, reason: Reason) -> NotSelected {
    NotSelected {
        policy: policy.name.clone(),
        tag: tag.tag.to_owned(),
        assigned_on: tag.assigned_on.clone(),
        reason,
    }
}

fn of_type(matches: &Matches, policy_type: PolicyType) -> Vec<Selected> {
    matches
        .selected
        .values()
        .filter(|selected| selected.policy.policy_type == policy_type)
        .cloned()
        .collect()
}

/// Explains what the column's own tags do not do: a column tag never selects a row filter.
fn note_column_filters(column: &Matches, object: &MetadataObject, selection: &mut Selection) {
    for entry in &column.not_selected {
        if entry.assigned_on == *object {
            selection.not_selected.push(entry.clone());
        }
    }
    for selected in column.selected.values() {
        if selected.policy.policy_type != PolicyType::RowFilter {
            continue;
        }
        for tag in selected.tags.iter().filter(|tag| tag.assigned_on == *object) {
            selection.not_selected.push(NotSelected {
                policy: selected.policy.name.clone(),
                tag: tag.tag.clone(),
                assigned_on: object.clone(),
                reason: Reason::RowFilterOnColumnTag,
            });
        }
    }
}
