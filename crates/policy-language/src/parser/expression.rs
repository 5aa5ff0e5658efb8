// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Expressions, with a stack of our own: 16 KiB of `(` or `not` must not exhaust the thread's.

use std::mem;

use super::{Parsed, Parser};
use crate::ast::{Expression, Node, Operator};
use crate::error::{ParseError, StageError};
use crate::limits;
use crate::source::Span;
use crate::token::{Symbol, TokenKind, Word};

/// What is known between one open parenthesis (or the start) and the current token.
#[derive(Default)]
struct Frame {
    /// The parenthesis that opened this frame; `None` for the outermost.
    open: Option<Span>,
    /// Finished operands of `or`.
    disjuncts: Vec<Expression>,
    /// Finished operands of the current `and`.
    conjuncts: Vec<Expression>,
    /// `not`s that wait for their operand, outermost first.
    nots: Vec<Span>,
    /// A comparison that waits for its right side.
    comparison: Option<(Expression, Operator)>,
}

impl Parser {
    /// `expr` of section 3.
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        let mut outer: Vec<Frame> = Vec::new();
        let mut frame = Frame::default();
        loop {
            // Here an operand is due.
            if frame.comparison.is_none()
                && let Some(not) = self.take_word(Word::Not)
            {
                frame.nots.push(not);
                if frame.nots.len() >= limits::DEPTH {
                    return Err(ParseError::TooDeep.at(not));
                }
                continue;
            }
            if let Some(open) = self.take_symbol(Symbol::OpenParenthesis) {
                if outer.len() >= limits::OPEN_PARENTHESES {
                    return Err(ParseError::TooManyParentheses.at(open));
                }
                let inner = Frame {
                    open: Some(open),
                    ..Frame::default()
                };
                outer.push(mem::replace(&mut frame, inner));
                continue;
            }
            let mut value = self.primary()?;
            // Here an operator is due, or the end of this frame.
            loop {
                if let Some((left, operator)) = frame.comparison.take() {
                    if self.comparison_operator().is_some() {
                        return Err(ParseError::ChainedComparison.at(self.current.span));
                    }
                    value = compare(left, operator, value);
                } else if let Some(operator) = self.comparison_operator() {
                    self.advance();
                    frame.comparison = Some((value, operator));
                    break;
                }
                for not in mem::take(&mut frame.nots).into_iter().rev() {
                    value = negate(not, value)?;
                }
                frame.conjuncts.push(value);
                if self.take_word(Word::And).is_some() {
                    break;
                }
                frame
                    .disjuncts
                    .push(join(mem::take(&mut frame.conjuncts), Junction::And)?);
                if self.take_word(Word::Or).is_some() {
                    break;
                }
                let complete = join(mem::take(&mut frame.disjuncts), Junction::Or)?;
                let (Some(open), Some(enclosing)) = (frame.open, outer.pop()) else {
                    return Ok(complete);
                };
                let close = self.expect_symbol(Symbol::CloseParenthesis, "an operator or `)`")?;
                frame = enclosing;
                value = Expression {
                    span: open.to(close),
                    ..complete
                };
            }
        }
    }

    /// A primary without parentheses.
    fn primary(&mut self) -> Parsed<Expression> {
        let start = self.current.span;
        if self.take_word(Word::Col).is_some() {
            let (name, end) = self.text_argument()?;
            return Ok(Expression::value(Node::Column(name), start.to(end)));
        }
        if self.take_word(Word::IsGroupMember).is_some() {
            let (name, end) = self.text_argument()?;
            return Ok(Expression::value(Node::GroupMember(name), start.to(end)));
        }
        if self.take_word(Word::SessionUser).is_some() {
            self.expect_symbol(Symbol::OpenParenthesis, "`(`")?;
            let end = self.expect_symbol(Symbol::CloseParenthesis, "`)`")?;
            return Ok(Expression::value(Node::SessionUser, start.to(end)));
        }
        if self.take_symbol(Symbol::OpenBracket).is_some() {
            return self.array(start);
        }
        self.literal("a condition or a value")
    }

    /// The elements and the closing bracket.
    fn array(&mut self, start: Span) -> Parsed<Expression> {
        let mut elements = vec![self.literal("a literal")?];
        while self.take_symbol(Symbol::Comma).is_some() {
            elements.push(self.literal("a literal")?);
        }
        let end = self.expect_symbol(Symbol::CloseBracket, "`,` or `]`")?;
        Ok(Expression::value(Node::Array(elements), start.to(end)))
    }

    fn literal(&mut self, expected: &'static str) -> Parsed<Expression> {
        let node = match &self.current.kind {
            TokenKind::Text(text) => Node::Text(text.clone()),
            TokenKind::Number(number) => Node::Number(number.clone()),
            TokenKind::Word(Word::True) => Node::Boolean(true),
            TokenKind::Word(Word::False) => Node::Boolean(false),
            TokenKind::Word(Word::Null) => Node::Null,
            TokenKind::Word(_) | TokenKind::Symbol(_) | TokenKind::End => {
                return Err(self.unexpected(expected));
            }
        };
        let span = self.advance().span;
        Ok(Expression::value(node, span))
    }

    /// The comparison operator that is current, without taking it.
    fn comparison_operator(&self) -> Option<Operator> {
        match self.current.kind {
            TokenKind::Symbol(Symbol::Equal) => Some(Operator::Equal),
            TokenKind::Symbol(Symbol::NotEqual) => Some(Operator::NotEqual),
            TokenKind::Symbol(Symbol::Less) => Some(Operator::Less),
            TokenKind::Symbol(Symbol::LessOrEqual) => Some(Operator::LessOrEqual),
            TokenKind::Symbol(Symbol::Greater) => Some(Operator::Greater),
            TokenKind::Symbol(Symbol::GreaterOrEqual) => Some(Operator::GreaterOrEqual),
            TokenKind::Word(Word::In) => Some(Operator::In),
            TokenKind::Symbol(_)
            | TokenKind::Word(_)
            | TokenKind::Text(_)
            | TokenKind::Number(_)
            | TokenKind::End => None,
        }
    }
}

fn compare(left: Expression, operator: Operator, right: Expression) -> Expression {
    let span = left.span.to(right.span);
    Expression::value(
        Node::Compare {
            operator,
            operands: Box::new((left, right)),
        },
        span,
    )
}

fn negate(not: Span, child: Expression) -> Parsed<Expression> {
    within_depth(Expression {
        span: not.to(child.span),
        depth: child.depth + 1,
        node: Node::Not(Box::new(child)),
    })
}

#[derive(Clone, Copy)]
enum Junction {
    And,
    Or,
}

/// One operand stays itself; more become one node, with operands of the same kind spliced in.
fn join(mut operands: Vec<Expression>, junction: Junction) -> Parsed<Expression> {
    let (first, last) = match (operands.first(), operands.last()) {
        (Some(first), Some(last)) if operands.len() > 1 => (first.span, last.span),
        // The callers push before they join, so there is exactly one.
        _ => {
            return operands.pop().ok_or_else(|| {
                ParseError::Expected {
                    expected: "a condition",
                    found: "nothing".to_owned(),
                }
                .at(Span { start: 0, end: 0 })
            });
        }
    };
    let mut spliced = Vec::with_capacity(operands.len());
    for operand in operands {
        match (operand.node, junction) {
            (Node::And(children), Junction::And) | (Node::Or(children), Junction::Or) => {
                spliced.extend(children)
            }
            (node, Junction::And | Junction::Or) => spliced.push(Expression { node, ..operand }),
        }
    }
    let depth = 1 + spliced.iter().map(|child| child.depth).max().unwrap_or(0);
    within_depth(Expression {
        node: match junction {
            Junction::And => Node::And(spliced),
            Junction::Or => Node::Or(spliced),
        },
        span: first.to(last),
        depth,
    })
}

/// Refuses early, so that no tree is ever deeper than the limit and walks over it may recurse.
fn within_depth(expression: Expression) -> Parsed<Expression> {
    if expression.depth > limits::DEPTH {
        return Err(ParseError::TooDeep.at(expression.span));
    }
    Ok(expression)
}
