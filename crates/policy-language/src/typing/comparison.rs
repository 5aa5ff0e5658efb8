// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which operands may be compared (the table of section 4).

use lakeward_read_restrictions::predicate::Comparison;

use super::{Column, SourceLiteral, SourceValue, Test, Typed};
use crate::ast::{Expression, Node, Operator};
use crate::error::{StageError, TypeError};
use crate::source::Span;

/// Types one comparison; the column goes left and the operator is mirrored where needed.
pub(super) fn typed(operator: Operator, left: &Expression, right: &Expression, span: Span) -> Typed<Test> {
    let shape = || {
        TypeError::Shape {
            left: kind(left),
            operator: operator.as_str(),
            right: kind(right),
        }
        .at(span)
    };
    let Some(comparison) = comparison(operator) else {
        return membership(left, right)?.ok_or_else(shape);
    };
    let typed = match (&left.node, &right.node) {
        (Node::Column(_), _) => column(column_of(left)?, comparison, right),
        (_, Node::Column(_)) => column(column_of(right)?, mirrored(comparison), left),
        (Node::SessionUser, Node::Text(text)) | (Node::Text(text), Node::SessionUser) => equality(comparison)
            .map(|negated| Test::UserEquals {
                text: text.clone(),
                negated,
            }),
        _ => None,
    };
    typed.ok_or_else(shape)
}

/// A column against `other`; `None` if that is no permitted shape.
fn column(column: Column, comparison: Comparison, other: &Expression) -> Option<Test> {
    let literal = |value| {
        Some(Test::ColumnCompare {
            comparison,
            literal: SourceLiteral {
                value,
                span: other.span,
            },
            column: column.clone(),
        })
    };
    match &other.node {
        Node::Text(text) => literal(SourceValue::Text(text.clone())),
        Node::Number(number) => literal(SourceValue::Number(number.clone())),
        Node::Boolean(value) => {
            equality(comparison)?;
            literal(SourceValue::Boolean(*value))
        }
        Node::Null => equality(comparison).map(|negated| Test::ColumnNull {
            column: column.clone(),
            negated,
        }),
        Node::SessionUser => equality(comparison).map(|negated| Test::ColumnUser {
            column: column.clone(),
            negated,
        }),
        Node::Column(_)
        | Node::GroupMember(_)
        | Node::Array(_)
        | Node::Compare { .. }
        | Node::Not(_)
        | Node::And(_)
        | Node::Or(_) => None,
    }
}

/// `in`: a column or the user on the left, an array of one kind on the right.
fn membership(left: &Expression, right: &Expression) -> Typed<Option<Test>> {
    let Node::Array(elements) = &right.node else {
        return Ok(None);
    };
    if !matches!(left.node, Node::Column(_) | Node::SessionUser) {
        return Ok(None);
    }
    let values = elements.iter().map(element).collect::<Typed<Vec<_>>>()?;
    if let Some((first, others)) = values.split_first() {
        let kind = std::mem::discriminant(&first.value);
        if let Some(other) = others
            .iter()
            .find(|other| std::mem::discriminant(&other.value) != kind)
        {
            return Err(TypeError::MixedArray.at(other.span));
        }
    }
    if matches!(left.node, Node::Column(_)) {
        return Ok(Some(Test::ColumnIn {
            column: column_of(left)?,
            values,
        }));
    }
    let mut texts = Vec::with_capacity(values.len());
    for literal in values {
        match literal.value {
            SourceValue::Text(text) => texts.push(text),
            SourceValue::Number(_) | SourceValue::Boolean(_) => {
                return Err(TypeError::UserInNonTexts.at(literal.span));
            }
        }
    }
    Ok(Some(Test::UserIn(texts)))
}

fn element(element: &Expression) -> Typed<SourceLiteral> {
    let value = match &element.node {
        Node::Text(text) => SourceValue::Text(text.clone()),
        Node::Number(number) => SourceValue::Number(number.clone()),
        Node::Boolean(value) => SourceValue::Boolean(*value),
        Node::Null
        | Node::Column(_)
        | Node::SessionUser
        | Node::GroupMember(_)
        | Node::Array(_)
        | Node::Compare { .. }
        | Node::Not(_)
        | Node::And(_)
        | Node::Or(_) => return Err(TypeError::NullInArray.at(element.span)),
    };
    Ok(SourceLiteral {
        value,
        span: element.span,
    })
}

/// The column that `expression` is; callers have looked at the node.
fn column_of(expression: &Expression) -> Typed<Column> {
    match &expression.node {
        Node::Column(name) if !name.is_empty() => Ok(Column {
            name: name.clone(),
            span: expression.span,
        }),
        Node::Column(_)
        | Node::SessionUser
        | Node::GroupMember(_)
        | Node::Text(_)
        | Node::Number(_)
        | Node::Boolean(_)
        | Node::Null
        | Node::Array(_)
        | Node::Compare { .. }
        | Node::Not(_)
        | Node::And(_)
        | Node::Or(_) => Err(TypeError::EmptyColumnName.at(expression.span)),
    }
}

fn comparison(operator: Operator) -> Option<Comparison> {
    match operator {
        Operator::Equal => Some(Comparison::Eq),
        Operator::NotEqual => Some(Comparison::NotEq),
        Operator::Less => Some(Comparison::Lt),
        Operator::LessOrEqual => Some(Comparison::LtEq),
        Operator::Greater => Some(Comparison::Gt),
        Operator::GreaterOrEqual => Some(Comparison::GtEq),
        Operator::In => None,
    }
}

/// The comparison that says the same with its sides exchanged.
fn mirrored(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Eq => Comparison::Eq,
        Comparison::NotEq => Comparison::NotEq,
        Comparison::Lt => Comparison::Gt,
        Comparison::LtEq => Comparison::GtEq,
        Comparison::Gt => Comparison::Lt,
        Comparison::GtEq => Comparison::LtEq,
    }
}

/// Whether `==` (false) or `!=` (true); `None` for an ordering.
fn equality(comparison: Comparison) -> Option<bool> {
    match comparison {
        Comparison::Eq => Some(false),
        Comparison::NotEq => Some(true),
        Comparison::Lt | Comparison::LtEq | Comparison::Gt | Comparison::GtEq => None,
    }
}

/// How messages call an expression.
pub(super) fn kind(expression: &Expression) -> &'static str {
    match &expression.node {
        Node::Column(_) => "a column",
        Node::SessionUser => "`session_user()`",
        Node::GroupMember(_) => "`is_group_member(…)`",
        Node::Text(_) => "a string",
        Node::Number(_) => "a number",
        Node::Boolean(_) => "a boolean",
        Node::Null => "`null`",
        Node::Array(_) => "an array",
        Node::Compare { .. } | Node::Not(_) | Node::And(_) | Node::Or(_) => "a condition",
    }
}
