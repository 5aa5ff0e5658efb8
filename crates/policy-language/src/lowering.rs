// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! An `if`/`else` chain becomes one predicate or one action (section 7.4).

use lakeward_read_restrictions::action::MaskAction;
use lakeward_read_restrictions::predicate::Predicate;

use crate::binding::{Bound, BoundRule, Outcome};
use crate::canonical::canonical;

/// `or( and(c1, r1), and(not c1, c2, r2), …, and(not c1, not c2, …, fallback) )`, canonical.
///
/// Conditions that are constant for this subject select instead of being combined; canonicalization of the whole
/// form would fold them to the same result.
pub(crate) fn lower(rule: BoundRule) -> Bound<Predicate> {
    let BoundRule(chain) = rule;
    let mut disjuncts = Vec::new();
    let mut negations: Vec<Predicate> = Vec::new();
    let mut branches = Vec::with_capacity(chain.branches.len() + 1);
    let mut rest = Some(chain.fallback);
    for (condition, result) in chain.branches {
        if rest.is_none() {
            branches.push(Outcome::NotReached);
            continue;
        }
        match condition {
            Predicate::Constant(false) => branches.push(Outcome::NotSelected),
            Predicate::Constant(true) => {
                branches.push(Outcome::Selected);
                disjuncts.push(conjunction(&negations, [result]));
                rest = None;
            }
            Predicate::IsNull { .. }
            | Predicate::NotNull { .. }
            | Predicate::Compare { .. }
            | Predicate::In { .. }
            | Predicate::Not(_)
            | Predicate::And(_)
            | Predicate::Or(_) => {
                branches.push(Outcome::ByRow);
                disjuncts.push(conjunction(&negations, [condition.clone(), result]));
                negations.push(Predicate::Not(Box::new(condition)));
            }
        }
    }
    match rest {
        None => branches.push(Outcome::NotReached),
        Some(fallback) => {
            branches.push(Outcome::Selected);
            disjuncts.push(conjunction(&negations, [fallback]));
        }
    }
    Bound {
        value: canonical(Predicate::Or(disjuncts)),
        branches,
    }
}

fn conjunction<const N: usize>(negations: &[Predicate], last: [Predicate; N]) -> Predicate {
    Predicate::And(negations.iter().cloned().chain(last).collect())
}

/// The first action whose condition holds, else the fallback.
pub(crate) fn select(conditions: Vec<(bool, MaskAction)>, fallback: MaskAction) -> Bound<MaskAction> {
    let mut branches = Vec::with_capacity(conditions.len() + 1);
    let mut selected = None;
    for (holds, action) in conditions {
        branches.push(match (selected, holds) {
            (Some(_), _) => Outcome::NotReached,
            (None, false) => Outcome::NotSelected,
            (None, true) => {
                selected = Some(action);
                Outcome::Selected
            }
        });
    }
    branches.push(if selected.is_some() {
        Outcome::NotReached
    } else {
        Outcome::Selected
    });
    Bound {
        value: selected.unwrap_or(fallback),
        branches,
    }
}
