// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The one form of a predicate (section 8): equal for any order of commutative operands, and idempotent.
//!
//! It folds constants and double negations, splices nested `and` and `or`, and sorts and deduplicates their operands
//! and the values of `in` by the bytes of the wire form. It does nothing else: no De Morgan, no absorption, no
//! complement, no merging of ranges, so an author finds the rule again.

use lakeward_read_restrictions::literal::Literal;
use lakeward_read_restrictions::predicate::{Comparison, Predicate};

/// Brings a bound predicate into canonical form, bottom-up.
pub fn canonical(predicate: Predicate) -> Predicate {
    match predicate {
        Predicate::Constant(_)
        | Predicate::IsNull { .. }
        | Predicate::NotNull { .. }
        | Predicate::Compare { .. } => predicate,
        Predicate::In { field, values } => membership(field, values),
        Predicate::Not(child) => match canonical(*child) {
            Predicate::Constant(value) => Predicate::Constant(!value),
            Predicate::Not(inner) => *inner,
            child @ (Predicate::IsNull { .. }
            | Predicate::NotNull { .. }
            | Predicate::Compare { .. }
            | Predicate::In { .. }
            | Predicate::And(_)
            | Predicate::Or(_)) => Predicate::Not(Box::new(child)),
        },
        Predicate::And(children) => {
            let mut kept = Vec::with_capacity(children.len());
            for child in children.into_iter().map(canonical) {
                match child {
                    Predicate::Constant(false) => return Predicate::Constant(false),
                    Predicate::Constant(true) => {}
                    Predicate::And(inner) => kept.extend(inner),
                    Predicate::IsNull { .. }
                    | Predicate::NotNull { .. }
                    | Predicate::Compare { .. }
                    | Predicate::In { .. }
                    | Predicate::Not(_)
                    | Predicate::Or(_) => kept.push(child),
                }
            }
            single_or(sorted(kept), true, Predicate::And)
        }
        Predicate::Or(children) => {
            let mut kept = Vec::with_capacity(children.len());
            for child in children.into_iter().map(canonical) {
                match child {
                    Predicate::Constant(true) => return Predicate::Constant(true),
                    Predicate::Constant(false) => {}
                    Predicate::Or(inner) => kept.extend(inner),
                    Predicate::IsNull { .. }
                    | Predicate::NotNull { .. }
                    | Predicate::Compare { .. }
                    | Predicate::In { .. }
                    | Predicate::Not(_)
                    | Predicate::And(_) => kept.push(child),
                }
            }
            single_or(sorted(kept), false, Predicate::Or)
        }
    }
}

/// How deep operations nest, counted on the variadic form (section 5).
pub fn depth(predicate: &Predicate) -> usize {
    match predicate {
        Predicate::Constant(_)
        | Predicate::IsNull { .. }
        | Predicate::NotNull { .. }
        | Predicate::Compare { .. }
        | Predicate::In { .. } => 1,
        Predicate::Not(child) => 1 + depth(child),
        Predicate::And(children) | Predicate::Or(children) => {
            1 + children.iter().map(depth).max().unwrap_or(0)
        }
    }
}

/// One distinct value is an equality. An empty list, which the language cannot write and another server might send, keeps no
/// row and is `false`, as it is written.
fn membership(field: i32, values: Vec<Literal>) -> Predicate {
    let mut keyed: Vec<(String, Literal)> = values
        .into_iter()
        .map(|value| (value.value_json(), value))
        .collect();
    keyed.sort_by(|left, right| left.0.cmp(&right.0));
    keyed.dedup_by(|left, right| left.0 == right.0);
    let mut values: Vec<Literal> = keyed.into_iter().map(|(_, value)| value).collect();
    match (values.len(), values.pop()) {
        (1, Some(literal)) => Predicate::Compare {
            comparison: Comparison::Eq,
            field,
            literal,
        },
        (_, None) => Predicate::Constant(false),
        (_, Some(last)) => {
            values.push(last);
            Predicate::In { field, values }
        }
    }
}

/// Sorts canonical operands by their wire bytes and drops repeated ones.
fn sorted(children: Vec<Predicate>) -> Vec<Predicate> {
    let mut keyed: Vec<(String, Predicate)> = children
        .into_iter()
        .map(|child| (child.wire_json(), child))
        .collect();
    keyed.sort_by(|left, right| left.0.cmp(&right.0));
    keyed.dedup_by(|left, right| left.0 == right.0);
    keyed.into_iter().map(|(_, child)| child).collect()
}

fn single_or(mut children: Vec<Predicate>, empty: bool, join: fn(Vec<Predicate>) -> Predicate) -> Predicate {
    match (children.len(), children.pop()) {
        (_, None) => Predicate::Constant(empty),
        (1, Some(child)) => child,
        (_, Some(last)) => {
            children.push(last);
            join(children)
        }
    }
}
