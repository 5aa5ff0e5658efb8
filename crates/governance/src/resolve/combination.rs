// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Selected policies are bound, signed, deduplicated and compared (section 12, steps 4 to 7).

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use lakeward_policy_language::{Category, Rule};
use lakeward_read_restrictions::action::MaskAction;
use lakeward_read_restrictions::predicate::Predicate;
use lakeward_read_restrictions::restrictions::{ReadRestrictions, RequiredColumnProjection};
use lakeward_read_restrictions::signature::{column_mask_signature, row_filter_signature};

use super::selection::{Selected, Selection, select};
use super::{Contribution, Provenance, Resolution, ResolutionError, ResolutionInput, RuleSource};

/// Every selected policy with its result or its error, before anything is combined: what an explanation shows.
#[derive(Debug, Clone)]
pub struct Evaluated {
    /// What was selected and what was not.
    pub selection: Selection,
    /// Row filters in the order of the selection.
    pub row_filters: Vec<Result<Contribution<Predicate>, ResolutionError>>,
    /// Masks per field id in the order of the selection.
    pub masks: BTreeMap<i32, Vec<Result<Contribution<MaskAction>, ResolutionError>>>,
}

/// Resolves the restrictions of one table for one subject.
///
/// # Errors
/// [`ResolutionError`]; there is no result that leaves a doubtful restriction out.
pub fn resolve(input: ResolutionInput<'_>, rules: &impl RuleSource) -> Result<Resolution, ResolutionError> {
    evaluate(input, rules)?.combine()
}

/// Selects and binds, keeping the error of each policy apart.
///
/// # Errors
/// [`ResolutionError`] of category `lookup` when it is not even known which policies apply.
pub fn evaluate(input: ResolutionInput<'_>, rules: &impl RuleSource) -> Result<Evaluated, ResolutionError> {
    let facts = input
        .facts
        .ok_or_else(|| ResolutionError::lookup_failed("tags and policies could not be loaded"))?;
    let selection = select(facts, input.fields)?;
    // One mask policy may apply to hundreds of columns; it is looked up once.
    let mut parsed: HashMap<String, Result<Arc<Rule>, ResolutionError>> = HashMap::new();
    let mut rule = |selected: &Selected| -> Result<Arc<Rule>, ResolutionError> {
        let policy = &selected.policy;
        parsed
            .entry(policy.name.clone())
            .or_insert_with(|| {
                rules
                    .rule(policy)
                    .map_err(|error| ResolutionError::content(&policy.name, &error))
            })
            .clone()
    };
    let row_filters = selection
        .row_filters
        .iter()
        .map(|selected| {
            let bound = rule(selected)?
                .bind_filter(input.subject, input.fields)
                .map_err(|error| ResolutionError::binding(&selected.policy.name, &error))?;
            let signature = row_filter_signature(&bound.value);
            Ok(contribution(selected, bound, signature))
        })
        .collect();
    let masks = selection
        .masks
        .iter()
        .map(|(field, selected)| {
            let of_field = selected
                .iter()
                .map(|selected| {
                    let bound = rule(selected)?
                        .bind_mask(input.subject, input.fields, *field)
                        .map_err(|error| ResolutionError::binding(&selected.policy.name, &error))?;
                    let signature = column_mask_signature(*field, bound.value);
                    Ok(contribution(selected, bound, signature))
                })
                .collect();
            (*field, of_field)
        })
        .collect();
    Ok(Evaluated {
        selection,
        row_filters,
        masks,
    })
}

fn contribution<T>(
    selected: &Selected,
    bound: lakeward_policy_language::Bound<T>,
    signature: String,
) -> Contribution<T> {
    Contribution {
        policy: selected.policy.name.clone(),
        revision: selected.policy.revision,
        tags: selected.tags.clone(),
        value: bound.value,
        branches: bound.branches,
        signature,
    }
}

impl Evaluated {
    /// Combines what was evaluated.
    ///
    /// # Errors
    /// The first error of a policy, or a conflict.
    pub fn combine(self) -> Result<Resolution, ResolutionError> {
        let row_filter = self.row_filters.into_iter().collect::<Result<Vec<_>, _>>()?;
        let mut columns = BTreeMap::new();
        for (field, masks) in self.masks {
            columns.insert(field, masks.into_iter().collect::<Result<Vec<_>, _>>()?);
        }
        check_equal("row filter", &row_filter)?;
        for (field, masks) in &columns {
            check_equal(&format!("mask of field {field}"), masks)?;
        }
        let filter = row_filter.first().map(|contribution| contribution.value.clone());
        let omitted = if filter == Some(Predicate::Constant(true)) {
            row_filter
                .iter()
                .map(|contribution| contribution.policy.clone())
                .collect()
        } else {
            Vec::new()
        };
        let projections = columns.iter().filter_map(|(field, masks)| {
            masks.first().map(|contribution| RequiredColumnProjection {
                field_id: *field,
                action: contribution.value,
            })
        });
        let restrictions = ReadRestrictions::combine(filter, projections)
            .map_err(|error| ResolutionError::new(Category::Conflict, error.to_string()))?;
        Ok(Resolution {
            restrictions,
            provenance: Provenance { row_filter, columns },
            omitted,
        })
    }
}

/// Distinct signatures in one place are a conflict, whatever they imply.
fn check_equal<T>(place: &str, contributions: &[Contribution<T>]) -> Result<(), ResolutionError> {
    let Some((first, others)) = contributions.split_first() else {
        return Ok(());
    };
    if others.iter().all(|other| other.signature == first.signature) {
        return Ok(());
    }
    Err(ResolutionError::conflict(
        place,
        contributions
            .iter()
            .map(|contribution| contribution.policy.clone())
            .collect(),
    ))
}
