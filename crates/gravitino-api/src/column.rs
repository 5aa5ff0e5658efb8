// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Columns.

use lakeward_metadata::table::Column;
use serde_json::{Map, Value, json};

use crate::json_object::Members;
use crate::request::RequestError;
use crate::{data_type, expression};

/// Writes a column.
pub fn to_json(column: &Column) -> Value {
    let mut object = Map::new();
    object.insert("name".to_owned(), json!(column.name));
    object.insert("type".to_owned(), data_type::to_json(&column.data_type));
    if let Some(comment) = &column.comment {
        object.insert("comment".to_owned(), json!(comment));
    }
    object.insert("nullable".to_owned(), json!(column.nullable));
    object.insert("autoIncrement".to_owned(), json!(column.auto_increment));
    if let Some(default_value) = &column.default_value {
        object.insert("defaultValue".to_owned(), expression::to_json(default_value));
    }
    Value::Object(object)
}

/// Reads a column; `path` is where it stands in the request.
///
/// # Errors
/// [`RequestError`] for unknown, missing or wrong members.
pub fn from_json(value: &Value, path: &str) -> Result<Column, RequestError> {
    let members = Members::of(value, path)?.only(&[
        "name",
        "type",
        "comment",
        "nullable",
        "autoIncrement",
        "defaultValue",
    ])?;
    Ok(Column {
        name: members.required_text("name")?.to_owned(),
        data_type: data_type::from_json(members.required("type")?, &members.at("type"))?,
        comment: members.text("comment")?.map(str::to_owned),
        nullable: members.boolean("nullable")?.unwrap_or(true),
        auto_increment: members.boolean("autoIncrement")?.unwrap_or(false),
        default_value: members
            .get("defaultValue")
            .map(|value| expression::from_json(value, &members.at("defaultValue")))
            .transpose()?,
    })
}
