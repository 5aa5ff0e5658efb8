// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Static checks: a program becomes a typed rule (sections 4 and 5).

mod comparison;
mod depth;

use lakeward_read_restrictions::action::MaskAction;
use lakeward_read_restrictions::predicate::Comparison;

use crate::ast::{ActionCall, Chain, Expression, Node, ParsedRule, RuleHead};
use crate::error::{Located, StageError, TypeError};
use crate::limits;
use crate::number::Number;
use crate::source::Span;

type Typed<T> = Result<T, Located<TypeError>>;

/// A rule whose every branch is well-typed, whether or not it can be selected.
#[derive(Debug)]
pub(crate) enum TypedRule {
    Filter(Chain<Test, Test>),
    /// No condition contains a column.
    Mask(Chain<MaskAction, Test>),
}

/// A Boolean expression of a permitted shape; columns stand left of their comparison.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Test {
    Constant(bool),
    Member {
        group: String,
        span: Span,
    },
    UserEquals {
        text: String,
        negated: bool,
    },
    UserIn(Vec<String>),
    ColumnNull {
        column: Column,
        negated: bool,
    },
    ColumnUser {
        column: Column,
        negated: bool,
    },
    ColumnCompare {
        column: Column,
        comparison: Comparison,
        literal: SourceLiteral,
    },
    ColumnIn {
        column: Column,
        values: Vec<SourceLiteral>,
    },
    Not(Box<Self>),
    And(Vec<Self>),
    Or(Vec<Self>),
}

/// A column reference.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// A literal that waits for the type of its column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SourceLiteral {
    pub(crate) value: SourceValue,
    pub(crate) span: Span,
}

/// The three kinds of literal that compare with a column's value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SourceValue {
    Text(String),
    Number(Number),
    Boolean(bool),
}

impl Test {
    /// Whether the test, or a part of it, reads a column.
    pub(crate) fn reads_column(&self) -> bool {
        match self {
            Self::Constant(_) | Self::Member { .. } | Self::UserEquals { .. } | Self::UserIn(_) => false,
            Self::ColumnNull { .. }
            | Self::ColumnUser { .. }
            | Self::ColumnCompare { .. }
            | Self::ColumnIn { .. } => true,
            Self::Not(child) => child.reads_column(),
            Self::And(children) | Self::Or(children) => children.iter().any(Self::reads_column),
        }
    }
}

/// Checks a program against the head that its policy type asks for.
///
/// # Errors
/// [`TypeError`] at the smallest expression that is wrong.
pub(crate) fn check(parsed: &ParsedRule, wanted: RuleHead) -> Typed<TypedRule> {
    check_size(parsed)?;
    match (parsed, wanted) {
        (ParsedRule::Filter { chain, head }, RuleHead::Filter) => {
            let chain = typed_chain(chain, boolean, boolean)?;
            let deepest = depth::deepest_predicate(&chain);
            if deepest > limits::DEPTH {
                return Err(TypeError::LoweredTooDeep(deepest).at(*head));
            }
            Ok(TypedRule::Filter(chain))
        }
        (ParsedRule::Mask { chain, .. }, RuleHead::Mask) => {
            Ok(TypedRule::Mask(typed_chain(chain, action, context_only)?))
        }
        (ParsedRule::Filter { head, .. }, RuleHead::Mask) => {
            Err(wrong_head(RuleHead::Mask, RuleHead::Filter, *head))
        }
        (ParsedRule::Mask { head, .. }, RuleHead::Filter) => {
            Err(wrong_head(RuleHead::Filter, RuleHead::Mask, *head))
        }
    }
}

fn wrong_head(wanted: RuleHead, found: RuleHead, head: Span) -> Located<TypeError> {
    TypeError::WrongHead {
        wanted: wanted.as_str(),
        found: found.as_str(),
    }
    .at(head)
}

/// Nodes and elements, over the whole program and as written.
fn check_size(parsed: &ParsedRule) -> Typed<()> {
    let expressions = parsed.expressions();
    let (ParsedRule::Filter { head, .. } | ParsedRule::Mask { head, .. }) = parsed;
    let nodes: usize = expressions.iter().map(|expression| expression.nodes()).sum();
    if nodes > limits::NODES {
        return Err(TypeError::TooManyNodes(nodes).at(*head));
    }
    let elements: usize = expressions.iter().map(|expression| expression.elements()).sum();
    if elements > limits::ELEMENTS {
        return Err(TypeError::TooManyElements(elements).at(*head));
    }
    Ok(())
}

fn typed_chain<R, T>(
    chain: &Chain<R, Expression>,
    result: impl Fn(&R) -> Typed<T>,
    condition: impl Fn(&Expression) -> Typed<Test>,
) -> Typed<Chain<T, Test>> {
    let mut branches = Vec::with_capacity(chain.branches.len());
    for (parsed_condition, parsed_result) in &chain.branches {
        branches.push((condition(parsed_condition)?, result(parsed_result)?));
    }
    Ok(Chain {
        branches,
        fallback: result(&chain.fallback)?,
    })
}

fn action(call: &ActionCall) -> Typed<MaskAction> {
    MaskAction::from_name(&call.name).ok_or_else(|| TypeError::UnknownAction(call.name.clone()).at(call.span))
}

fn context_only(condition: &Expression) -> Typed<Test> {
    let test = boolean(condition)?;
    if test.reads_column() {
        return Err(TypeError::ColumnInMaskCondition.at(condition.span));
    }
    Ok(test)
}

/// Only constants, memberships, permitted comparisons and combinations of them are Boolean.
fn boolean(expression: &Expression) -> Typed<Test> {
    match &expression.node {
        Node::Boolean(value) => Ok(Test::Constant(*value)),
        Node::GroupMember(group) if group.is_empty() => Err(TypeError::EmptyGroupName.at(expression.span)),
        Node::GroupMember(group) => Ok(Test::Member {
            group: group.clone(),
            span: expression.span,
        }),
        Node::Compare { operator, operands } => {
            comparison::typed(*operator, &operands.0, &operands.1, expression.span)
        }
        Node::Not(child) => Ok(Test::Not(Box::new(boolean(child)?))),
        Node::And(children) => Ok(Test::And(children.iter().map(boolean).collect::<Typed<_>>()?)),
        Node::Or(children) => Ok(Test::Or(children.iter().map(boolean).collect::<Typed<_>>()?)),
        Node::Column(_)
        | Node::SessionUser
        | Node::Text(_)
        | Node::Number(_)
        | Node::Null
        | Node::Array(_) => Err(TypeError::NotBoolean(comparison::kind(expression)).at(expression.span)),
    }
}
