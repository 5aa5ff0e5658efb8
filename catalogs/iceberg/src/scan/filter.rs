// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Filters, bound to a schema.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};

use lakeward_read_restrictions::field::FieldType;
use serde_json::{Map, Value};

use super::literal::{Range, read};
use crate::schema::{Schema, SchemaField, SchemaType};
use crate::transform::IcebergTransform;

/// The deepest nesting of a filter.
const MAX_DEPTH: usize = 100;
/// The most predicates of a filter, and the most values of all its lists together.
const MAX_PARTS: usize = 10_000;

/// A filter whose names are fields.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Filter {
    Constant(bool),
    Not(Box<Self>),
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
    Test(Term, Test),
}

/// What is tested.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Term {
    /// The field.
    pub(super) field: i32,
    /// Its type.
    pub(super) of: FieldType,
    /// Whether it lies in another field.
    pub(super) is_nested: bool,
    /// What is applied to it before.
    pub(super) transform: IcebergTransform,
}

/// A test of a value. The negated tests of the protocol are negations of these.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Test {
    IsNull,
    IsNan,
    Compare(Comparison, Option<Range>),
    In(Vec<Option<Range>>),
    StartsWith(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
}

/// The fields of a schema by their names, for one filter.
#[derive(Debug)]
pub(super) struct Names<'a> {
    is_case_sensitive: bool,
    /// `None` where several have a name.
    by_name: HashMap<String, Option<&'a SchemaField>>,
    by_id: BTreeMap<i32, (String, &'a SchemaField)>,
    parents: BTreeMap<i32, i32>,
    predicates: Cell<usize>,
    literals: Cell<usize>,
}

impl<'a> Names<'a> {
    pub(super) fn new(schema: &'a Schema, is_case_sensitive: bool) -> Self {
        let by_id = schema.by_id();
        let mut by_name = HashMap::new();
        for (path, field) in by_id.values() {
            let name = if is_case_sensitive {
                path.clone()
            } else {
                path.to_lowercase()
            };
            by_name
                .entry(name)
                .and_modify(|found| *found = None)
                .or_insert(Some(*field));
        }
        Self {
            is_case_sensitive,
            by_name,
            parents: schema.parents(),
            by_id,
            predicates: Cell::new(0),
            literals: Cell::new(0),
        }
    }

    /// The field of a full name.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub(super) fn find(&self, name: &str) -> Result<&'a SchemaField, String> {
        let found = if self.is_case_sensitive {
            self.by_name.get(name)
        } else {
            self.by_name.get(&name.to_lowercase())
        };
        match found {
            Some(Some(field)) => Ok(*field),
            None => Err(format!("the schema has no column `{name}`")),
            Some(None) => Err(format!("the schema has more than one column `{name}`")),
        }
    }

    fn find_id(&self, id: i32) -> Result<&'a SchemaField, String> {
        let found = self.by_id.get(&id).map(|(_, field)| *field);
        found.ok_or_else(|| format!("the schema has no column with the id {id}"))
    }

    /// Whether a field lies in a struct; a part of a list or map has no one value in a row.
    fn is_nested(&self, field: &SchemaField) -> Result<bool, String> {
        let mut at = field.id;
        while let Some(parent) = self.parents.get(&at) {
            let is_struct = self
                .by_id
                .get(parent)
                .is_some_and(|(_, parent)| matches!(parent.schema_type, SchemaType::Struct(_)));
            if !is_struct {
                return Err(format!(
                    "`{}` lies in a list or map and has no one value in a row",
                    field.name
                ));
            }
            at = *parent;
        }
        Ok(self.parents.contains_key(&field.id))
    }

    fn term(&self, json: &Value) -> Result<Term, String> {
        let no_term =
            || "a predicate needs a `term`: the name of a column, a reference or a transform".to_owned();
        let of = |field: &SchemaField, transform: IcebergTransform| -> Result<Term, String> {
            if !transform.applies_to(&field.schema_type) {
                return Err(format!("`{transform}` does not apply to `{}`", field.name));
            }
            Ok(Term {
                field: field.id,
                of: field.schema_type.to_field_type(),
                is_nested: self.is_nested(field)?,
                transform,
            })
        };
        let plain = |field| match of(field, IcebergTransform::Identity) {
            // Anything can be tested for null.
            Err(_) => self.is_nested(field).map(|is_nested| Term {
                field: field.id,
                of: field.schema_type.to_field_type(),
                is_nested,
                transform: IcebergTransform::Identity,
            }),
            found => found,
        };
        if let Some(name) = json.as_str() {
            return plain(self.find(name)?);
        }
        let members = json.as_object().ok_or_else(no_term)?;
        let text = |member: &str| members.get(member).and_then(Value::as_str);
        match text("type") {
            Some("reference") => match (text("name").or_else(|| text("term")), members.get("id")) {
                (Some(name), _) => plain(self.find(name)?),
                (None, Some(id)) => plain(self.find_id(crate::schema::int32(id).ok_or_else(no_term)?)?),
                (None, None) => Err(no_term()),
            },
            Some("transform") => {
                let named = text("transform").ok_or_else(no_term)?;
                let transform =
                    IcebergTransform::parse(named).ok_or_else(|| format!("`{named}` is not a transform"))?;
                let source = self.term(members.get("term").ok_or_else(no_term)?)?;
                if source.transform != IcebergTransform::Identity {
                    return Err("a transform applies to a column".to_owned());
                }
                of(self.find_id(source.field)?, transform)
            }
            Some("apply") => Err("functions are not supported in a filter".to_owned()),
            _ => Err(no_term()),
        }
    }
}

impl Term {
    /// The type of what is tested.
    pub(super) fn result(&self) -> FieldType {
        match self.transform {
            IcebergTransform::Identity | IcebergTransform::Void | IcebergTransform::Truncate(_) => {
                self.of.clone()
            }
            IcebergTransform::Year
            | IcebergTransform::Month
            | IcebergTransform::Hour
            | IcebergTransform::Bucket(_) => FieldType::Int,
            IcebergTransform::Day => FieldType::Date,
        }
    }
}

/// Reads a filter of the protocol.
///
/// # Errors
/// What is wrong with it: a column that is not there, a literal of another type, an unknown form.
pub(super) fn bind(json: &Value, names: &Names<'_>) -> Result<Filter, String> {
    bind_at(json, names, 0)
}

fn bind_at(json: &Value, names: &Names<'_>, depth: usize) -> Result<Filter, String> {
    if depth > MAX_DEPTH {
        return Err(format!("the filter nests deeper than {MAX_DEPTH} levels"));
    }
    if let Some(constant) = json.as_bool() {
        return Ok(Filter::Constant(constant));
    }
    let members = json
        .as_object()
        .ok_or("an expression is `true`, `false` or an object")?;
    let of = members.get("type").and_then(Value::as_str);
    let of = of
        .ok_or("an expression has a `type`")?
        .to_ascii_lowercase()
        .replace('_', "-");
    let part = |member: &str| {
        let part = members
            .get(member)
            .ok_or_else(|| format!("`{of}` needs the member `{member}`"))?;
        bind_at(part, names, depth + 1).map(Box::new)
    };
    match of.as_str() {
        "true" => Ok(Filter::Constant(true)),
        "false" => Ok(Filter::Constant(false)),
        "literal" => {
            let constant = members.get("value").and_then(Value::as_bool);
            constant
                .map(Filter::Constant)
                .ok_or_else(|| "a literal is no predicate".to_owned())
        }
        "not" => Ok(Filter::Not(part("child")?)),
        "and" => Ok(Filter::And(part("left")?, part("right")?)),
        "or" => Ok(Filter::Or(part("left")?, part("right")?)),
        _ => predicate(&of, members, names),
    }
}

/// Counts parts of a filter.
fn count(so_far: &Cell<usize>, more: usize, what: &str) -> Result<(), String> {
    so_far.set(so_far.get().saturating_add(more));
    if so_far.get() > MAX_PARTS {
        return Err(format!("a filter has at most {MAX_PARTS} {what}"));
    }
    Ok(())
}

fn predicate(of: &str, members: &Map<String, Value>, names: &Names<'_>) -> Result<Filter, String> {
    count(&names.predicates, 1, "predicates")?;
    let operand = ["term", "child", "left"]
        .into_iter()
        .find_map(|member| members.get(member));
    let known = |test: fn() -> Test| Some(Operator::Unary(test));
    let operator = match of.trim_start_matches("not-") {
        "null" | "is-null" => known(|| Test::IsNull),
        "nan" | "is-nan" => known(|| Test::IsNan),
        "lt" => Some(Operator::Compare(Comparison::Less)),
        "lt-eq" => Some(Operator::Compare(Comparison::LessOrEqual)),
        "gt" => Some(Operator::Compare(Comparison::Greater)),
        "gt-eq" => Some(Operator::Compare(Comparison::GreaterOrEqual)),
        "eq" => Some(Operator::Compare(Comparison::Equal)),
        "in" => Some(Operator::In),
        "starts-with" => Some(Operator::StartsWith),
        _ => None,
    };
    let is_negated = of.starts_with("not-");
    let may_be_negated = ["not-null", "not-nan", "not-eq", "not-in", "not-starts-with"].contains(&of);
    let operator = operator
        .filter(|_| (is_negated && may_be_negated) || (!is_negated && !["null", "nan"].contains(&of)))
        .ok_or_else(|| format!("`{of}` is not the type of an expression"))?;
    let term = names.term(operand.ok_or_else(|| format!("`{of}` needs the member `term`"))?)?;
    let value = || {
        let value = members.get("value").or_else(|| members.get("right"));
        value.ok_or_else(|| format!("`{of}` needs the member `value`"))
    };
    let test = match operator {
        Operator::Unary(test) => {
            let test = test();
            if test == Test::IsNan && !matches!(term.result(), FieldType::Float | FieldType::Double) {
                return Err(format!("`{of}` is for floating-point columns"));
            }
            test
        }
        Operator::Compare(comparison) => Test::Compare(comparison, read(literal(value()?)?, &term.result())?),
        Operator::In => {
            let values = members
                .get("values")
                .map(|values| values.get("values").unwrap_or(values));
            let values = values.and_then(Value::as_array);
            let values = values.ok_or_else(|| format!("`{of}` needs the list `values`"))?;
            count(&names.literals, values.len(), "values in its lists")?;
            let of = term.result();
            let ranges = values.iter().map(|value| read(literal(value)?, &of));
            Test::In(ranges.collect::<Result<_, String>>()?)
        }
        Operator::StartsWith => match (literal(value()?)?, term.result()) {
            (Value::String(prefix), FieldType::String) => Test::StartsWith(prefix.clone()),
            _ => return Err(format!("`{of}` is for columns of type string, with a text")),
        },
    };
    let filter = Filter::Test(term, test);
    Ok(if is_negated {
        Filter::Not(Box::new(filter))
    } else {
        filter
    })
}

enum Operator {
    Unary(fn() -> Test),
    Compare(Comparison),
    In,
    StartsWith,
}

/// The value of a literal, which may be wrapped.
fn literal(json: &Value) -> Result<&Value, String> {
    match json.get("type").and_then(Value::as_str) {
        None => Ok(json),
        Some("literal") => json
            .get("value")
            .ok_or_else(|| "a literal needs the member `value`".to_owned()),
        Some(other) => Err(format!("`{other}` is no literal")),
    }
}
