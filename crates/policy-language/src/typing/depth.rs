// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How deep the predicate can become that some subject gets (section 5, choice 13).
//!
//! A context-only condition selects and is not part of the predicate. So for each branch that a subject may end in,
//! the row-dependent branches before it are lowered with that branch's result as their fallback, Boolean literals and
//! double negations fold, and the depth of what is left is measured.

use super::Test;
use crate::ast::Chain;

/// A predicate of which only the nesting matters.
#[derive(Clone)]
enum Shape {
    Constant(bool),
    /// Anything that is neither constant when written nor a combination.
    Atom,
    Not(Box<Self>),
    And(Vec<Self>),
    Or(Vec<Self>),
}

/// The largest depth over all subjects.
pub(super) fn deepest_predicate(chain: &Chain<Test, Test>) -> usize {
    let mut deepest = 0;
    // The lowered row-dependent branches so far, and the negations of their conditions.
    let mut disjuncts: Vec<Shape> = Vec::new();
    let mut negations: Vec<Shape> = Vec::new();
    let mut measure = |disjuncts: &[Shape], negations: &[Shape], result: &Test| {
        let mut all = disjuncts.to_vec();
        all.push(conjunction(negations.iter().cloned().chain([shape(result)])));
        deepest = deepest.max(disjunction(all).depth());
    };
    for (condition, result) in &chain.branches {
        let condition_shape = shape(condition);
        if condition.reads_column() {
            disjuncts.push(conjunction(
                negations
                    .iter()
                    .cloned()
                    .chain([condition_shape.clone(), shape(result)]),
            ));
            negations.push(negation(condition_shape));
            continue;
        }
        match condition_shape {
            Shape::Constant(false) => {}
            Shape::Constant(true) => {
                measure(&disjuncts, &negations, result);
                return deepest;
            }
            Shape::Atom | Shape::Not(_) | Shape::And(_) | Shape::Or(_) => {
                measure(&disjuncts, &negations, result)
            }
        }
    }
    measure(&disjuncts, &negations, &chain.fallback);
    deepest
}

fn shape(test: &Test) -> Shape {
    match test {
        Test::Constant(value) => Shape::Constant(*value),
        Test::Member { .. }
        | Test::UserEquals { .. }
        | Test::UserIn(_)
        | Test::ColumnNull { .. }
        | Test::ColumnUser { .. }
        | Test::ColumnCompare { .. }
        | Test::ColumnIn { .. } => Shape::Atom,
        Test::Not(child) => negation(shape(child)),
        Test::And(children) => conjunction(children.iter().map(shape)),
        Test::Or(children) => disjunction(children.iter().map(shape)),
    }
}

fn negation(child: Shape) -> Shape {
    match child {
        Shape::Constant(value) => Shape::Constant(!value),
        Shape::Not(inner) => *inner,
        Shape::Atom | Shape::And(_) | Shape::Or(_) => Shape::Not(Box::new(child)),
    }
}

fn conjunction(children: impl IntoIterator<Item = Shape>) -> Shape {
    let mut kept = Vec::new();
    for child in children {
        match child {
            Shape::Constant(false) => return Shape::Constant(false),
            Shape::Constant(true) => {}
            Shape::And(inner) => kept.extend(inner),
            Shape::Atom | Shape::Not(_) | Shape::Or(_) => kept.push(child),
        }
    }
    single_or(kept, true, Shape::And)
}

fn disjunction(children: impl IntoIterator<Item = Shape>) -> Shape {
    let mut kept = Vec::new();
    for child in children {
        match child {
            Shape::Constant(true) => return Shape::Constant(true),
            Shape::Constant(false) => {}
            Shape::Or(inner) => kept.extend(inner),
            Shape::Atom | Shape::Not(_) | Shape::And(_) => kept.push(child),
        }
    }
    single_or(kept, false, Shape::Or)
}

fn single_or(mut kept: Vec<Shape>, empty: bool, join: fn(Vec<Shape>) -> Shape) -> Shape {
    match kept.len() {
        0 => Shape::Constant(empty),
        1 => kept.pop().unwrap_or(Shape::Constant(empty)),
        _ => join(kept),
    }
}

impl Shape {
    fn depth(&self) -> usize {
        match self {
            Self::Constant(_) | Self::Atom => 1,
            Self::Not(child) => 1 + child.depth(),
            Self::And(children) | Self::Or(children) => {
                1 + children.iter().map(Self::depth).max().unwrap_or(0)
            }
        }
    }
}
