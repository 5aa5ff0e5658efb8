// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A typed rule, a subject and a schema become a bound rule, and that becomes one result (section 7).

mod columns;
mod float;
mod literal;
mod subject;
mod temporal;

use lakeward_read_restrictions::action::MaskAction;
use lakeward_read_restrictions::field::{Field, FieldType};
use lakeward_read_restrictions::literal::Literal;
use lakeward_read_restrictions::predicate::{Comparison, Predicate};

use crate::ast::Chain;
use crate::canonical::{canonical, depth};
use crate::context::SubjectContext;
use crate::error::{BindError, Located, StageError};
use crate::limits;
use crate::lowering;
use crate::source::Span;
use crate::typing::{Test, TypedRule};

use columns::Columns;
use subject::BoundSubject;

type Binding<T> = Result<T, Located<BindError>>;

/// A result and how the rule came to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound<T> {
    /// The canonical predicate or the selected action.
    pub value: T,
    /// What became of each branch, in the order of the text; the last one is the fallback (or the only result).
    pub branches: Vec<Outcome>,
}

/// What became of one branch for this subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Its condition does not hold for this subject.
    NotSelected,
    /// It is a part of the predicate: which branch applies is decided row by row.
    ByRow,
    /// It gives the whole result, or the result of all rows that no earlier branch takes.
    Selected,
    /// An earlier branch applies to every row.
    NotReached,
}

impl Outcome {
    /// The name in explanations.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotSelected => "not-selected",
            Self::ByRow => "by-row",
            Self::Selected => "selected",
            Self::NotReached => "not-reached",
        }
    }
}

/// A filter whose every name and literal is bound; conditions and results are canonical.
pub(crate) struct BoundRule(pub(crate) Chain<Predicate, Predicate>);

/// Binds and lowers a filter.
pub(crate) fn bind_filter(
    rule: &TypedRule,
    subject: &SubjectContext,
    fields: &[Field],
) -> Binding<Bound<Predicate>> {
    let chain = match rule {
        TypedRule::Filter(chain) => chain,
        TypedRule::Mask(_) => return Err(BindError::OtherHead("mask").at(START)),
    };
    let binder = Binder {
        subject: BoundSubject::new(subject).map_err(|error| error.at(START))?,
        columns: Columns::new(fields),
    };
    let mut branches = Vec::with_capacity(chain.branches.len());
    for (condition, result) in &chain.branches {
        branches.push((
            canonical(binder.test(condition)?),
            canonical(binder.test(result)?),
        ));
    }
    let bound = lowering::lower(BoundRule(Chain {
        branches,
        fallback: canonical(binder.test(&chain.fallback)?),
    }));
    let deep = depth(&bound.value);
    if deep > limits::DEPTH {
        return Err(BindError::TooDeep(deep).at(START));
    }
    Ok(bound)
}

/// Binds every condition of a mask and selects an action, whether or not it applies to a field.
pub(crate) fn bind_action(
    rule: &TypedRule,
    subject: &SubjectContext,
    fields: &[Field],
) -> Binding<Bound<MaskAction>> {
    let chain = match rule {
        TypedRule::Mask(chain) => chain,
        TypedRule::Filter(_) => return Err(BindError::OtherHead("filter").at(START)),
    };
    let binder = Binder {
        subject: BoundSubject::new(subject).map_err(|error| error.at(START))?,
        columns: Columns::new(fields),
    };
    let mut branches = Vec::with_capacity(chain.branches.len());
    for (condition, action) in &chain.branches {
        match canonical(binder.test(condition)?) {
            Predicate::Constant(holds) => branches.push((holds, *action)),
            // Typing refuses columns here; if that ever failed, the load must fail, not guess.
            Predicate::IsNull { .. }
            | Predicate::NotNull { .. }
            | Predicate::Compare { .. }
            | Predicate::In { .. }
            | Predicate::Not(_)
            | Predicate::And(_)
            | Predicate::Or(_) => return Err(BindError::ColumnInMaskCondition.at(START)),
        }
    }
    Ok(lowering::select(branches, chain.fallback))
}

/// Selects an action for a field.
pub(crate) fn bind_mask(
    rule: &TypedRule,
    subject: &SubjectContext,
    fields: &[Field],
    field_id: i32,
) -> Binding<Bound<MaskAction>> {
    let bound = bind_action(rule, subject, fields)?;
    let field = Columns::new(fields)
        .with_id(field_id)
        .map_err(|error| error.at(START))?;
    bound.value.applies_to(field).map_err(|reason| {
        BindError::ActionNotApplicable {
            action: bound.value.as_str(),
            name: field.name.clone(),
            reason: reason.to_string(),
        }
        .at(START)
    })?;
    Ok(bound)
}

/// The place of errors that concern the whole rule.
const START: Span = Span { start: 0, end: 0 };

struct Binder<'request> {
    subject: BoundSubject<'request>,
    columns: Columns<'request>,
}

impl Binder<'_> {
    /// Binds eagerly: every part, also one that will fold away.
    fn test(&self, test: &Test) -> Binding<Predicate> {
        Ok(match test {
            Test::Constant(value) => Predicate::Constant(*value),
            Test::Member { group, span } => {
                Predicate::Constant(self.subject.is_member(group).map_err(|error| error.at(*span))?)
            }
            Test::UserEquals { text, negated } => {
                Predicate::Constant((self.subject.user() == text) != *negated)
            }
            Test::UserIn(texts) => Predicate::Constant(texts.iter().any(|text| text == self.subject.user())),
            Test::ColumnNull { column, negated } => {
                let field = self.columns.named(column)?;
                if field.required {
                    return Err(BindError::NullTestOnRequired(field.name.clone()).at(column.span));
                }
                if *negated {
                    Predicate::NotNull { field: field.id }
                } else {
                    Predicate::IsNull { field: field.id }
                }
            }
            Test::ColumnUser { column, negated } => {
                let field = self.columns.named(column)?;
                if field.field_type != FieldType::String {
                    return Err(BindError::UserNeedsString {
                        name: field.name.clone(),
                        field_type: field.field_type.to_string(),
                    }
                    .at(column.span));
                }
                Predicate::Compare {
                    comparison: if *negated {
                        Comparison::NotEq
                    } else {
                        Comparison::Eq
                    },
                    field: field.id,
                    literal: Literal::String(self.subject.user().to_owned()),
                }
            }
            Test::ColumnCompare {
                column,
                comparison,
                literal,
            } => {
                let (field, value_type) = self.columns.with_values(column)?;
                Predicate::Compare {
                    comparison: *comparison,
                    field: field.id,
                    literal: literal::typed(literal, field, value_type)?,
                }
            }
            Test::ColumnIn { column, values } => {
                let (field, value_type) = self.columns.with_values(column)?;
                Predicate::In {
                    field: field.id,
                    values: values
                        .iter()
                        .map(|value| literal::typed(value, field, value_type))
                        .collect::<Binding<_>>()?,
                }
            }
            Test::Not(child) => Predicate::Not(Box::new(self.test(child)?)),
            Test::And(children) => Predicate::And(self.tests(children)?),
            Test::Or(children) => Predicate::Or(self.tests(children)?),
        })
    }

    fn tests(&self, tests: &[Test]) -> Binding<Vec<Predicate>> {
        tests.iter().map(|test| self.test(test)).collect()
    }
}
