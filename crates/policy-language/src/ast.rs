// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The program as written: the tree of section 3, with places, before any check of its meaning.

use crate::number::Number;
use crate::source::Span;

/// Which kind of rule a program is, and which one a policy type asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RuleHead {
    /// `filter := …`, the rule of a row-filter policy.
    Filter,
    /// `mask := …`, the rule of a column-mask policy.
    Mask,
}

impl RuleHead {
    /// The word before `:=`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Filter => "filter",
            Self::Mask => "mask",
        }
    }
}

/// An `if`/`else` chain: the first branch whose condition holds gives its result, else the fallback.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chain<Result, Condition> {
    pub(crate) branches: Vec<(Condition, Result)>,
    pub(crate) fallback: Result,
}

/// A program that fits the grammar.
#[derive(Debug)]
pub(crate) enum ParsedRule {
    Filter {
        head: Span,
        chain: Chain<Expression, Expression>,
    },
    Mask {
        head: Span,
        chain: Chain<ActionCall, Expression>,
    },
}

/// `action("name")`, the name not yet looked up.
#[derive(Debug)]
pub(crate) struct ActionCall {
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// A node of the tree. Parentheses leave no node; `and` and `or` are variadic and never directly inside their own
/// kind.
#[derive(Debug)]
pub(crate) struct Expression {
    pub(crate) node: Node,
    pub(crate) span: Span,
    /// Depth in operations, counted as section 5 says. A value counts as one.
    pub(crate) depth: usize,
}

/// What an expression is.
#[derive(Debug)]
pub(crate) enum Node {
    Column(String),
    SessionUser,
    GroupMember(String),
    Text(String),
    Number(Number),
    Boolean(bool),
    Null,
    /// Never empty; elements are literals.
    Array(Vec<Expression>),
    Compare {
        operator: Operator,
        operands: Box<(Expression, Expression)>,
    },
    Not(Box<Expression>),
    And(Vec<Expression>),
    Or(Vec<Expression>),
}

/// The operators between two primaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
}

impl Operator {
    /// The text in a program.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::In => "in",
        }
    }
}

impl Expression {
    /// An expression without operations.
    pub(crate) fn value(node: Node, span: Span) -> Self {
        Self { node, span, depth: 1 }
    }

    /// Nodes as section 5 counts them: array elements are not nodes.
    pub(crate) fn nodes(&self) -> usize {
        match &self.node {
            Node::Column(_)
            | Node::SessionUser
            | Node::GroupMember(_)
            | Node::Text(_)
            | Node::Number(_)
            | Node::Boolean(_)
            | Node::Null
            | Node::Array(_) => 1,
            Node::Compare { operands, .. } => 1 + operands.0.nodes() + operands.1.nodes(),
            Node::Not(child) => 1 + child.nodes(),
            Node::And(children) | Node::Or(children) => 1 + children.iter().map(Self::nodes).sum::<usize>(),
        }
    }

    /// Array elements in all, as written.
    pub(crate) fn elements(&self) -> usize {
        match &self.node {
            Node::Column(_)
            | Node::SessionUser
            | Node::GroupMember(_)
            | Node::Text(_)
            | Node::Number(_)
            | Node::Boolean(_)
            | Node::Null => 0,
            Node::Array(elements) => elements.len(),
            Node::Compare { operands, .. } => operands.0.elements() + operands.1.elements(),
            Node::Not(child) => child.elements(),
            Node::And(children) | Node::Or(children) => children.iter().map(Self::elements).sum(),
        }
    }
}

impl ParsedRule {
    /// All results of a filter and all conditions of either kind.
    pub(crate) fn expressions(&self) -> Vec<&Expression> {
        match self {
            Self::Filter { chain, .. } => chain
                .branches
                .iter()
                .flat_map(|(condition, result)| [condition, result])
                .chain([&chain.fallback])
                .collect(),
            Self::Mask { chain, .. } => chain.branches.iter().map(|(condition, _)| condition).collect(),
        }
    }
}
