// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a policy or a tag does to a table, for every subject at once, before it takes effect.
//!
//! Columns, literals and actions of every branch are bound against the schema. Policies that meet in one place are
//! compared for subjects that stand for all ([`subjects`]): a conflict for each of them is certain, for some of them it
//! is possible. Subjects whose groups no source knows are not among them: for them a rule that asks for a group fails
//! in any case.

mod conflicts;
mod subjects;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lakeward_metadata::object::MetadataObject;
use lakeward_policy_language::{Rule, SubjectContext};
use lakeward_read_restrictions::action::MaskAction;
use lakeward_read_restrictions::field::Field;

use crate::effective_tag::effective_tags;
use crate::readable::readable;
use crate::resolve::{GovernanceFacts, ResolutionError, RuleSource, Selected, Selection, select};

use conflicts::{Meeting, Restriction, conflict};
use subjects::Subjects;

/// The code of policies that meet in one place and differ for some subjects, or cannot be compared.
pub const POSSIBLE_CONFLICT: &str = "possible-conflict";

/// Whose effect is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Focus {
    /// That of a policy, by name.
    Policy(String),
    /// That of a tag, with the policies that it selects; only where it is assigned on this object when that is given.
    Tag {
        /// The tag.
        tag: String,
        /// The object; a column by field id.
        assigned_on: Option<MetadataObject>,
    },
}

/// What the question is about, beside the rules.
#[derive(Clone, Copy)]
pub struct ImpactInput<'a> {
    /// The facts of the table, as they would be.
    pub facts: &'a GovernanceFacts,
    /// The top-level fields of its schema.
    pub fields: &'a [Field],
    /// The groups of the metalake.
    pub groups: &'a Arc<BTreeSet<String>>,
    /// Policies that are the asker's not to see: what meets one of them is a possible conflict, whatever it says, so
    /// that nobody finds out by trying what it says.
    pub is_hidden: &'a dyn Fn(&str) -> bool,
}

/// What a policy or a tag does to one table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableImpact {
    /// Whether it filters rows.
    pub row_filter: bool,
    /// The columns that it masks or is on, in the order of the schema.
    pub columns: Vec<String>,
    /// The policies that take part, by name.
    pub policies: BTreeSet<String>,
    /// The tags that selected them, or that are asked for, with the objects that they are assigned on.
    pub tags: BTreeMap<String, BTreeSet<MetadataObject>>,
    /// Why loads would fail, what is certain first.
    pub failures: Vec<Failure>,
}

/// Why loads of a table would fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// A code of resolution errors, or [`POSSIBLE_CONFLICT`].
    pub code: &'static str,
    /// What happened, with names.
    pub detail: String,
    /// The policies that the detail speaks of.
    pub policies: Vec<String>,
    /// Whether every load would fail, or only those of some subjects.
    pub is_certain: bool,
}

impl Failure {
    fn of(error: ResolutionError) -> Self {
        Self {
            code: error.code(),
            detail: error.detail,
            policies: error.policies,
            is_certain: true,
        }
    }

    /// The message for whoever may not know more: no names.
    pub fn message(&self) -> &'static str {
        match (self.code, self.is_certain) {
            (POSSIBLE_CONFLICT, _) => {
                "another policy applies to the same place and may give another restriction"
            }
            (_, true) => "no subject could load the table",
            (_, false) => "some subjects could not load the table",
        }
    }
}

impl Focus {
    fn is_on(&self, selected: &Selected) -> bool {
        match self {
            Self::Policy(policy) => selected.policy.name == *policy,
            Self::Tag { tag, assigned_on } => selected.tags.iter().any(|by| {
                by.tag == *tag
                    && assigned_on
                        .as_ref()
                        .is_none_or(|object| by.assigned_on == *object)
            }),
        }
    }
}

/// Whether the focus reaches a table, as far as that can be told without its schema: a column that was dropped may
/// still have tags.
pub fn may_reach(facts: &GovernanceFacts, focus: &Focus) -> bool {
    let fields = facts.stand_in_fields();
    match focus {
        Focus::Policy(_) => select(facts, &fields).map_or(true, |selection| {
            let masks = selection.masks.values().flatten();
            selection
                .row_filters
                .iter()
                .chain(masks)
                .any(|selected| focus.is_on(selected))
        }),
        Focus::Tag { .. } => !tag_sites(facts, &fields, focus).is_empty(),
    }
}

/// What the focus does to one table.
pub fn table_impact(input: ImpactInput<'_>, focus: &Focus, rules: &impl RuleSource) -> TableImpact {
    let selection = match select(input.facts, input.fields) {
        Ok(selection) => selection,
        Err(error) => {
            return TableImpact {
                failures: vec![Failure::of(error)],
                ..TableImpact::default()
            };
        }
    };
    let mut impact = reach(&selection, input, focus);
    let mut parsed = Parsed {
        rules,
        known: BTreeMap::new(),
    };
    filters(&selection, input, focus, &mut parsed, &mut impact.failures);
    masks(&selection, input, focus, &mut parsed, &mut impact.failures);
    // Stable, so that what is equally certain stays in the order of places.
    impact.failures.sort_by_key(|failure| !failure.is_certain);
    impact
}

fn reach(selection: &Selection, input: ImpactInput<'_>, focus: &Focus) -> TableImpact {
    let mut impact = TableImpact::default();
    let mut note = |selected: &Selected| {
        let is_on = focus.is_on(selected);
        if is_on {
            impact.policies.insert(selected.policy.name.clone());
            for by in &selected.tags {
                let sites = impact.tags.entry(by.tag.clone()).or_default();
                sites.insert(by.assigned_on.clone());
            }
        }
        is_on
    };
    // Every one is noted, not only the first.
    let row_filter = selection
        .row_filters
        .iter()
        .filter(|selected| note(selected))
        .count()
        > 0;
    let mut columns = tagged_columns(input.facts, input.fields, focus);
    for (field, selected) in &selection.masks {
        if selected.iter().filter(|selected| note(selected)).count() > 0 {
            columns.insert(*field);
        }
    }
    let named = input.fields.iter().filter(|field| columns.contains(&field.id));
    impact.columns = named.map(|field| field.name.clone()).collect();
    impact.row_filter = row_filter;
    if let Focus::Tag { tag, .. } = focus {
        let sites = tag_sites(input.facts, input.fields, focus);
        if !sites.is_empty() {
            impact.tags.entry(tag.clone()).or_default().extend(sites);
        }
    }
    impact
}

impl TableImpact {
    /// Whether the table is reached at all.
    pub fn is_reached(&self) -> bool {
        !self.policies.is_empty() || !self.tags.is_empty() || !self.failures.is_empty()
    }
}

/// Where the tag of the focus is assigned, as far as it is effective for the table or is on a column.
fn tag_sites(facts: &GovernanceFacts, fields: &[Field], focus: &Focus) -> BTreeSet<MetadataObject> {
    let Focus::Tag { tag, assigned_on } = focus else {
        return BTreeSet::new();
    };
    let of_table = effective_tags(&facts.levels);
    let of_table = of_table.get(tag.as_str()).map(|effective| effective.assigned_on);
    let columns = fields.iter().filter_map(|field| facts.columns.get(&field.id));
    let of_columns = columns
        .filter(|own| own.tags.iter().any(|(known, _)| known == tag))
        .map(|own| &own.object);
    of_table
        .into_iter()
        .chain(of_columns)
        .filter(|object| assigned_on.as_ref().is_none_or(|wanted| wanted == *object))
        .cloned()
        .collect()
}

/// The columns that have the tag of the focus on themselves.
fn tagged_columns(facts: &GovernanceFacts, fields: &[Field], focus: &Focus) -> BTreeSet<i32> {
    let sites = tag_sites(facts, fields, focus);
    let is_site = |field: &&Field| {
        facts
            .columns
            .get(&field.id)
            .is_some_and(|own| sites.contains(&own.object))
    };
    fields.iter().filter(is_site).map(|field| field.id).collect()
}

/// Rules that were asked for, each once.
struct Parsed<'a, R> {
    rules: &'a R,
    known: BTreeMap<String, Result<Arc<Rule>, ResolutionError>>,
}

impl<R: RuleSource> Parsed<'_, R> {
    fn rule(&mut self, selected: &Selected) -> Result<Arc<Rule>, ResolutionError> {
        let policy = &selected.policy;
        if let Some(known) = self.known.get(&policy.name) {
            return known.clone();
        }
        let rule = self
            .rules
            .rule(policy)
            .map_err(|error| ResolutionError::content(&policy.name, &error));
        self.known.insert(policy.name.clone(), rule.clone());
        rule
    }
}

fn filters(
    selection: &Selection,
    input: ImpactInput<'_>,
    focus: &Focus,
    parsed: &mut Parsed<'_, impl RuleSource>,
    failures: &mut Vec<Failure>,
) {
    let mut meeting = Meeting::default();
    for selected in &selection.row_filters {
        let bound = parsed.rule(selected).and_then(|rule| {
            // Every branch is bound, whoever the subject is.
            rule.bind_filter(&anybody(input.groups), input.fields)
                .map_err(|error| ResolutionError::binding(&selected.policy.name, &error))?;
            Ok(rule)
        });
        match bound {
            Ok(rule) => meeting.add(selected, rule, focus.is_on(selected), input.is_hidden),
            Err(error) if focus.is_on(selected) => failures.push(Failure::of(error)),
            Err(_) => {}
        }
    }
    let result = |rule: &Rule, subject: &SubjectContext| {
        let bound = rule.bind_filter(subject, input.fields).ok()?;
        Some(Restriction {
            wire: bound.value.wire_json(),
            readable: readable(&bound.value, input.fields),
        })
    };
    failures.extend(conflict("row filter", &meeting, input.groups, result));
}

fn masks(
    selection: &Selection,
    input: ImpactInput<'_>,
    focus: &Focus,
    parsed: &mut Parsed<'_, impl RuleSource>,
    failures: &mut Vec<Failure>,
) {
    // Where a tag above selects masks, all columns have the same: each set is compared once.
    // The same policies may be on one column by what is asked for and on another without it.
    let mut compared: BTreeSet<(bool, Vec<&str>)> = BTreeSet::new();
    let mut unfit: BTreeMap<&str, Vec<Failure>> = BTreeMap::new();
    let mut actions: BTreeMap<&str, Vec<SubjectContext>> = BTreeMap::new();
    for (field, of_field) in &selection.masks {
        let mut meeting = Meeting::default();
        for selected in of_field {
            let name = selected.policy.name.as_str();
            let is_on = focus.is_on(selected);
            let rule = match parsed.rule(selected) {
                Ok(rule) => rule,
                Err(error) if is_on => {
                    unfit.entry(name).or_default().push(Failure::of(error));
                    continue;
                }
                Err(_) => continue,
            };
            if is_on {
                let subjects = actions
                    .entry(name)
                    .or_insert_with(|| one_per_action(&rule, input.groups));
                unfit
                    .entry(name)
                    .or_default()
                    .extend(unfitting(name, &rule, subjects, input.fields, *field));
            }
            meeting.add(selected, rule, is_on, input.is_hidden);
        }
        let names: Vec<&str> = of_field
            .iter()
            .map(|selected| selected.policy.name.as_str())
            .collect();
        if !compared.insert((meeting.is_on, names)) {
            continue;
        }
        let column = input.fields.iter().find(|known| known.id == *field);
        let place = column.map_or_else(
            || format!("mask of field {field}"),
            |column| format!("mask of column `{}`", column.name),
        );
        let result = |rule: &Rule, subject: &SubjectContext| {
            let action = rule.bind_action(subject).ok()?.value.as_str();
            Some(Restriction {
                wire: action.to_owned(),
                readable: action.to_owned(),
            })
        };
        failures.extend(conflict(&place, &meeting, input.groups, result));
    }
    for of_policy in unfit.into_values() {
        failures.extend(summary(of_policy));
    }
}

/// Somebody whose groups are known and none.
fn anybody(groups: &Arc<BTreeSet<String>>) -> SubjectContext {
    SubjectContext {
        user: Some("somebody".to_owned()),
        groups: Some(Arc::clone(groups)),
        member_of: Some(BTreeSet::new()),
    }
}

/// A subject for each action that a mask may give. A rule that tells too many subjects apart is asked for one.
fn one_per_action(rule: &Rule, groups: &Arc<BTreeSet<String>>) -> Vec<SubjectContext> {
    let Some(subjects) = Subjects::of([rule], groups) else {
        return vec![anybody(groups)];
    };
    let mut kept: BTreeMap<Option<MaskAction>, SubjectContext> = BTreeMap::new();
    for subject in subjects.contexts {
        let action = rule.bind_action(&subject).ok().map(|bound| bound.value);
        kept.entry(action).or_insert(subject);
    }
    kept.into_values().collect()
}

/// Why a mask does not fit a field, if it does not for some of these subjects.
fn unfitting(
    policy: &str,
    rule: &Rule,
    subjects: &[SubjectContext],
    fields: &[Field],
    field: i32,
) -> Option<Failure> {
    let errors: Vec<ResolutionError> = subjects
        .iter()
        .filter_map(|subject| rule.bind_mask(subject, fields, field).err())
        .map(|error| ResolutionError::binding(policy, &error))
        .collect();
    let is_certain = errors.len() == subjects.len();
    errors.into_iter().next().map(|error| Failure {
        is_certain,
        ..Failure::of(error)
    })
}

/// One failure for all columns that a mask does not fit: the first that is certain, else the first.
fn summary(mut failures: Vec<Failure>) -> Option<Failure> {
    failures.sort_by_key(|failure| !failure.is_certain);
    let more = failures.len().saturating_sub(1);
    let mut first = failures.into_iter().next()?;
    if more > 0 {
        first.detail = format!(
            "{}; and it fails for {more} more column{}",
            first.detail,
            if more == 1 { "" } else { "s" }
        );
    }
    Some(first)
}

#[cfg(test)]
mod tests;
