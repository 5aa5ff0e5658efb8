// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The predicates of the closed profile.

use serde_json::Value;

use super::FieldsById;
use super::object::Object;
use crate::error::ReaderError;
use crate::field::Field;
use crate::literal::Literal;
use crate::predicate::{Comparison, Predicate};

/// More levels of binary nodes than any lowered policy can have (depth 8, some 17,000 nodes).
const MAXIMUM_DEPTH: usize = 128;

/// Reads a predicate; nested `and`s and `or`s are spliced into one variadic node.
pub(super) fn parse(json: &Value, at: &str, fields: &FieldsById<'_>) -> Result<Predicate, ReaderError> {
    parse_node(json, at, fields, MAXIMUM_DEPTH)
}

fn parse_node(
    json: &Value,
    at: &str,
    fields: &FieldsById<'_>,
    depth: usize,
) -> Result<Predicate, ReaderError> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(ReaderError::TooDeep {
            at: at.to_owned(),
            limit: MAXIMUM_DEPTH,
        });
    };
    if let Value::Bool(value) = json {
        return Ok(Predicate::Constant(*value));
    }
    let object = Object::new(json, at)?;
    let child = |member: &str| parse_node(object.require(member)?, &format!("{at}/{member}"), fields, depth);
    let name = object.require_text("type")?;
    match name {
        "and" => {
            object.only(&["type", "left", "right"])?;
            Ok(splice_and(child("left")?, child("right")?))
        }
        "or" => {
            object.only(&["type", "left", "right"])?;
            Ok(splice_or(child("left")?, child("right")?))
        }
        "not" => {
            object.only(&["type", "child"])?;
            Ok(Predicate::Not(Box::new(child("child")?)))
        }
        "is-null" => {
            object.only(&["type", "child"])?;
            let field = reference(&object, "child", at, fields)?.id;
            Ok(Predicate::IsNull { field })
        }
        "not-null" => {
            object.only(&["type", "child"])?;
            let field = reference(&object, "child", at, fields)?.id;
            Ok(Predicate::NotNull { field })
        }
        "in" => {
            object.only(&["type", "child", "values"])?;
            let field = reference(&object, "child", at, fields)?;
            let values = literals(object.require("values")?, &format!("{at}/values"), field)?;
            Ok(Predicate::In {
                field: field.id,
                values,
            })
        }
        _ => {
            let Some(comparison) = Comparison::from_name(name) else {
                return Err(malformed(at, format!("unknown predicate `{name}`")));
            };
            object.only(&["type", "left", "right"])?;
            let field = reference(&object, "left", at, fields)?;
            let literal = literal(object.require("right")?, &format!("{at}/right"), field)?;
            Ok(Predicate::Compare {
                comparison,
                field: field.id,
                literal,
            })
        }
    }
}

/// A reference by field id; one by name is refused, since names move.
fn reference<'a>(
    object: &Object<'_>,
    member: &str,
    at: &str,
    fields: &FieldsById<'a>,
) -> Result<&'a Field, ReaderError> {
    let at = format!("{at}/{member}");
    let reference = Object::new(object.require(member)?, &at)?;
    reference.only(&["type", "id"])?;
    if reference.require_text("type")? != "reference" {
        return Err(malformed(&at, "a reference by field id was expected".to_owned()));
    }
    fields.find(reference.require("id")?, &at)
}

fn literal(json: &Value, at: &str, field: &Field) -> Result<Literal, ReaderError> {
    let object = Object::new(json, at)?;
    object.only(&["type", "value", "data-type"])?;
    if object.require_text("type")? != "literal" {
        return Err(malformed(at, "a typed literal was expected".to_owned()));
    }
    check_data_type(&object, at, field)?;
    typed(object.require("value")?, at, field)
}

fn literals(json: &Value, at: &str, field: &Field) -> Result<Vec<Literal>, ReaderError> {
    let object = Object::new(json, at)?;
    object.only(&["type", "values", "data-type"])?;
    if object.require_text("type")? != "literals" {
        return Err(malformed(at, "typed literals were expected".to_owned()));
    }
    check_data_type(&object, at, field)?;
    let Value::Array(values) = object.require("values")? else {
        return Err(malformed(at, "the member `values` must be an array".to_owned()));
    };
    values.iter().map(|value| typed(value, at, field)).collect()
}

/// The stated type must be the field's, in the one spelling of the wire.
fn check_data_type(object: &Object<'_>, at: &str, field: &Field) -> Result<(), ReaderError> {
    let stated = object.require_text("data-type")?;
    let expected = field.field_type.to_string();
    if stated == expected {
        return Ok(());
    }
    Err(ReaderError::Literal {
        at: at.to_owned(),
        problem: format!("a literal of type `{stated}` for a field of type {expected}"),
    })
}

fn typed(json: &Value, at: &str, field: &Field) -> Result<Literal, ReaderError> {
    Literal::from_wire(json, &field.field_type).map_err(|error| ReaderError::Literal {
        at: at.to_owned(),
        problem: error.to_string(),
    })
}

fn splice_and(left: Predicate, right: Predicate) -> Predicate {
    let mut children = Vec::new();
    for child in [left, right] {
        if let Predicate::And(inner) = child {
            children.extend(inner);
        } else {
            children.push(child);
        }
    }
    Predicate::And(children)
}

fn splice_or(left: Predicate, right: Predicate) -> Predicate {
    let mut children = Vec::new();
    for child in [left, right] {
        if let Predicate::Or(inner) = child {
            children.extend(inner);
        } else {
            children.push(child);
        }
    }
    Predicate::Or(children)
}

fn malformed(at: &str, problem: String) -> ReaderError {
    ReaderError::Malformed {
        at: at.to_owned(),
        problem,
    }
}
