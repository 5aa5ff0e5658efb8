// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Filters (RFC 7644, section 3.4.2.2): read once against the table of attributes, then asked of resources.
//!
//! What the standard leaves open: `ne` is what `eq` is not, also where there is no value. Of several values one that fits
//! suffices. A complex attribute with several values is compared by its `value`. `eq null` means that there is none.

use std::cmp::Ordering;

use lakeward_metadata::instant::instant_of;
use serde_json::Value;

use crate::Attributes;
use crate::schema::{Attribute, ResourceType, Type};

mod parser;

#[cfg(test)]
mod tests;

pub use parser::{MAX_DEPTH, MAX_FILTER_BYTES, MAX_TERMS};
pub(crate) use parser::{Parser, brackets, truth};

/// A condition on a resource, or on one value of a complex attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// Both.
    And(Box<Self>, Box<Self>),
    /// One of them, or both.
    Or(Box<Self>, Box<Self>),
    /// Not.
    Not(Box<Self>),
    /// There is a value.
    Present(Path),
    /// A value compares so.
    Compare(Path, Operator, Literal),
    /// One value of a complex attribute fulfils all of it by itself.
    Within(&'static Attribute, Box<Self>),
}

/// What is looked at: an attribute, or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Path {
    /// The attribute.
    pub attribute: &'static Attribute,
    /// The part of it.
    pub part: Option<&'static Attribute>,
}

/// How values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Contains.
    Co,
    /// Starts with.
    Sw,
    /// Ends with.
    Ew,
    /// Greater, or later.
    Gt,
    /// Greater or equal.
    Ge,
    /// Less, or earlier.
    Lt,
    /// Less or equal.
    Le,
}

/// What is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Literal {
    /// No value.
    Null,
    /// A truth value.
    Boolean(bool),
    /// A text, in lower case where case does not count.
    Text(String),
    /// An instant in epoch milliseconds.
    Time(i64),
}

impl Filter {
    /// Reads a filter on resources of a type.
    ///
    /// # Errors
    /// `invalidFilter`, with what is wrong and where.
    pub fn parse(of: ResourceType, text: &str) -> Result<Self, crate::ScimError> {
        Parser::new(text)?.whole(of.attributes(), Some(of))
    }

    /// Whether it is true of a resource, or of the parts of one value.
    pub fn matches(&self, resource: &Attributes) -> bool {
        match self {
            Self::And(left, right) => left.matches(resource) && right.matches(resource),
            Self::Or(left, right) => left.matches(resource) || right.matches(resource),
            Self::Not(inner) => !inner.matches(resource),
            Self::Present(path) => path.values(resource).iter().any(|value| is_present(value)),
            Self::Compare(path, operator, literal) => compare(*path, *operator, literal, resource),
            Self::Within(attribute, inner) => resource
                .get(attribute.name)
                .map(values_of)
                .unwrap_or_default()
                .iter()
                .any(|value| value.as_object().is_some_and(|parts| inner.matches(parts))),
        }
    }

    /// The text that a top-level attribute must equal for the filter to be true, if it says so: what a store can look up.
    pub fn required(&self, name: &str) -> Option<&str> {
        match self {
            Self::And(left, right) => left.required(name).or_else(|| right.required(name)),
            Self::Compare(path, Operator::Eq, Literal::Text(text))
                if path.part.is_none() && path.attribute.name == name =>
            {
                Some(text)
            }
            Self::Compare(..) | Self::Or(..) | Self::Not(_) | Self::Present(_) | Self::Within(..) => None,
        }
    }

    /// Whether an attribute must be known to answer.
    pub fn looks_at(&self, name: &str) -> bool {
        match self {
            Self::And(left, right) | Self::Or(left, right) => left.looks_at(name) || right.looks_at(name),
            Self::Not(inner) => inner.looks_at(name),
            Self::Present(path) | Self::Compare(path, _, _) => path.attribute.name == name,
            Self::Within(attribute, _) => attribute.name == name,
        }
    }

    /// The parts that a value must have for the filter to be true, where it says nothing but that: what is added where
    /// `emails[type eq "work"]` finds none.
    pub(crate) fn as_value(&self) -> Option<Attributes> {
        match self {
            Self::And(left, right) => {
                let mut value = left.as_value()?;
                value.extend(right.as_value()?);
                Some(value)
            }
            Self::Compare(path, Operator::Eq, literal) if path.part.is_none() => {
                let value = match literal {
                    Literal::Text(text) => Value::from(text.as_str()),
                    Literal::Boolean(truth) => Value::from(*truth),
                    Literal::Null | Literal::Time(_) => return None,
                };
                Some(Attributes::from_iter([(path.attribute.name.to_owned(), value)]))
            }
            Self::Compare(..) | Self::Or(..) | Self::Not(_) | Self::Present(_) | Self::Within(..) => None,
        }
    }
}

impl Path {
    /// What is compared: the part, else the `value` of a complex attribute, else the attribute.
    pub(crate) fn compared(&self) -> &'static Attribute {
        match (self.part, self.attribute.kind) {
            (Some(part), _) => part,
            (None, Type::Complex(parts)) => crate::schema::find(parts, "value").unwrap_or(self.attribute),
            (None, Type::Text { .. } | Type::Boolean | Type::Time | Type::Reference) => self.attribute,
        }
    }

    /// Its values in a resource.
    fn values<'a>(&self, resource: &'a Attributes) -> Vec<&'a Value> {
        let whole = resource
            .get(self.attribute.name)
            .map(values_of)
            .unwrap_or_default();
        match self.part {
            None => whole,
            Some(part) => whole
                .into_iter()
                .filter_map(|value| value.get(part.name))
                .collect(),
        }
    }

    /// The same for a comparison.
    fn compared_values<'a>(&self, resource: &'a Attributes) -> Vec<&'a Value> {
        let compared = Self {
            attribute: self.attribute,
            part: (self.compared() != self.attribute).then_some(self.compared()),
        };
        compared.values(resource)
    }
}

fn values_of(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(values) => values.iter().collect(),
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_)) => {
            vec![other]
        }
    }
}

fn is_present(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(values) => values.iter().any(is_present),
        Value::Object(parts) => parts.values().any(is_present),
        Value::Bool(_) | Value::Number(_) => true,
    }
}

fn compare(path: Path, operator: Operator, literal: &Literal, resource: &Attributes) -> bool {
    if operator == Operator::Ne {
        return !compare(path, Operator::Eq, literal, resource);
    }
    let values = path.compared_values(resource);
    if *literal == Literal::Null {
        return !values.into_iter().any(is_present);
    }
    let case_exact = match path.compared().kind {
        Type::Text { case_exact } => case_exact,
        Type::Reference => true,
        Type::Boolean | Type::Time | Type::Complex(_) => false,
    };
    values.into_iter().any(|value| match (value, literal) {
        (Value::Bool(value), Literal::Boolean(wanted)) => operator == Operator::Eq && value == wanted,
        (Value::String(value), Literal::Time(wanted)) => {
            instant_of(value).is_some_and(|value| holds(operator, value.cmp(wanted)))
        }
        (Value::String(value), Literal::Text(wanted)) => {
            let value = if case_exact {
                value.clone()
            } else {
                value.to_lowercase()
            };
            match operator {
                Operator::Co => value.contains(wanted),
                Operator::Sw => value.starts_with(wanted),
                Operator::Ew => value.ends_with(wanted),
                Operator::Eq | Operator::Ne | Operator::Gt | Operator::Ge | Operator::Lt | Operator::Le => {
                    holds(operator, value.as_str().cmp(wanted))
                }
            }
        }
        _ => false,
    })
}

/// Whether an order of value and literal fulfils an operator of order.
fn holds(operator: Operator, order: Ordering) -> bool {
    match operator {
        Operator::Eq => order.is_eq(),
        Operator::Ne => order.is_ne(),
        Operator::Gt => order.is_gt(),
        Operator::Ge => order.is_ge(),
        Operator::Lt => order.is_lt(),
        Operator::Le => order.is_le(),
        Operator::Co | Operator::Sw | Operator::Ew => false,
    }
}
