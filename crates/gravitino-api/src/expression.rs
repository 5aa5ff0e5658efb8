// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Expressions: literals, fields, functions, unparsed texts.

use lakeward_metadata::expression::{Expression, LiteralValue};
use serde_json::{Value, json};

use crate::data_type;
use crate::json_object::{Members, field_path};
use crate::request::RequestError;

/// The text that stands for SQL null, beside the type `null`.
const NULL_TEXT: &str = "NULL";

/// Writes an expression.
pub fn to_json(expression: &Expression) -> Value {
    match expression {
        Expression::Literal(literal) => literal_to_json(literal),
        Expression::Field(path) => json!({"type": "field", "fieldName": path}),
        Expression::Function { name, arguments } => json!({
            "type": "function",
            "funcName": name,
            "funcArgs": arguments.iter().map(to_json).collect::<Vec<_>>(),
        }),
        Expression::Unparsed(text) => json!({"type": "unparsed", "unparsedExpression": text}),
    }
}

/// Writes a literal.
pub fn literal_to_json(literal: &LiteralValue) -> Value {
    match &literal.value {
        None => json!({"type": "literal", "dataType": "null", "value": NULL_TEXT}),
        Some(value) => json!({
            "type": "literal",
            "dataType": data_type::to_json(&literal.data_type),
            "value": value,
        }),
    }
}

/// Reads an expression; `path` is where it stands in the request.
///
/// # Errors
/// [`RequestError`] for unknown kinds and for unknown, missing or wrong members.
pub fn from_json(value: &Value, path: &str) -> Result<Expression, RequestError> {
    let members = Members::of(value, path)?;
    match members.required_text("type")?.to_ascii_lowercase().as_str() {
        "literal" => Ok(Expression::Literal(literal_from_json(value, path)?)),
        "field" => {
            members.only(&["type", "fieldName"])?;
            let field = field_path(members.required("fieldName")?, &members.at("fieldName"))?;
            Ok(Expression::Field(field))
        }
        "function" => {
            members.only(&["type", "funcName", "funcArgs"])?;
            Ok(Expression::Function {
                name: members.required_text("funcName")?.to_owned(),
                arguments: members.each("funcArgs", from_json)?,
            })
        }
        "unparsed" => {
            members.only(&["type", "unparsedExpression"])?;
            Ok(Expression::Unparsed(
                members.required_text("unparsedExpression")?.to_owned(),
            ))
        }
        other => Err(RequestError::invalid(
            members.at("type"),
            format!("`{other}` is not an expression: literal, field, function or unparsed"),
        )),
    }
}

/// Reads a literal.
///
/// # Errors
/// [`RequestError`] for unknown, missing or wrong members.
pub fn literal_from_json(value: &Value, path: &str) -> Result<LiteralValue, RequestError> {
    let members = Members::of(value, path)?.only(&["type", "dataType", "value"])?;
    let data_type = data_type::from_json(members.required("dataType")?, &members.at("dataType"))?;
    let text = members
        .text("value")?
        .ok_or_else(|| RequestError::Missing(members.at("value")))?;
    let is_null = data_type == lakeward_metadata::data_type::DataType::Null;
    if is_null && !text.eq_ignore_ascii_case(NULL_TEXT) {
        return Err(RequestError::invalid(
            members.at("value"),
            "a literal of the type `null` has the value `NULL`",
        ));
    }
    Ok(LiteralValue {
        data_type,
        value: (!is_null).then(|| text.to_owned()),
    })
}
