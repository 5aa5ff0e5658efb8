// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Changes of tables.

use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::name::Name;
use lakeward_metadata::table::{ColumnPosition, TableChange};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json_object::{Members, field_path};
use crate::request::{RequestError, not_empty};
use crate::update::{new_comment, remove_property, set_property, updates};
use crate::{data_type, expression, index};

/// `PUT …/tables/{table}`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct TableUpdatesRequest {
    /// The changes; at least one.
    pub updates: Option<Vec<Value>>,
}

impl TableUpdatesRequest {
    /// The schema that a rename moves the table to, where one names it. For authorization before the request is read
    /// in full; the last such rename counts.
    pub fn new_schema(&self) -> Option<&str> {
        self.updates.iter().flatten().rev().find_map(|update| {
            let is_rename = update.get("@type").and_then(Value::as_str) == Some("rename");
            update
                .get("newSchemaName")
                .and_then(Value::as_str)
                .filter(|_| is_rename)
        })
    }
}

impl TryFrom<TableUpdatesRequest> for Vec<TableChange> {
    type Error = RequestError;

    fn try_from(request: TableUpdatesRequest) -> Result<Self, RequestError> {
        let list = not_empty("updates", request.updates)?;
        updates(Some(&list), change, "table")
    }
}

fn change(update_type: &str, members: Members<'_>) -> Result<Option<TableChange>, RequestError> {
    let field = |name: &str| field_path(members.required(name)?, &members.at(name));
    let flag = |name: &str| {
        members
            .boolean(name)?
            .ok_or_else(|| RequestError::Missing(members.at(name)))
    };
    let typed = |name: &str| data_type::from_json(members.required(name)?, &members.at(name));
    Ok(Some(match update_type {
        "rename" => TableChange::Rename {
            new_name: Name::parse(ObjectKind::Table, members.required_text("newName")?)?,
            new_schema: members.text("newSchemaName")?.map(str::to_owned),
        },
        "updateComment" => TableChange::UpdateComment(new_comment(members)?),
        "setProperty" => {
            let (property, value) = set_property(members)?;
            TableChange::SetProperty { property, value }
        }
        "removeProperty" => TableChange::RemoveProperty(remove_property(members)?),
        "addColumn" => TableChange::AddColumn {
            field: field("fieldName")?,
            data_type: typed("type")?,
            comment: members.text("comment")?.map(str::to_owned),
            position: match members.get("position") {
                None => ColumnPosition::Default,
                Some(value) => position(value, &members.at("position"))?,
            },
            nullable: members.boolean("nullable")?.unwrap_or(true),
            auto_increment: members.boolean("autoIncrement")?.unwrap_or(false),
            default_value: members
                .get("defaultValue")
                .map(|value| expression::from_json(value, &members.at("defaultValue")))
                .transpose()?,
        },
        "renameColumn" => TableChange::RenameColumn {
            field: field("oldFieldName")?,
            new_name: members.required_text("newFieldName")?.to_owned(),
        },
        "updateColumnDefaultValue" => TableChange::UpdateColumnDefaultValue {
            field: field("fieldName")?,
            default_value: expression::from_json(
                members.required("newDefaultValue")?,
                &members.at("newDefaultValue"),
            )?,
        },
        "updateColumnType" => TableChange::UpdateColumnType {
            field: field("fieldName")?,
            data_type: typed("newType")?,
        },
        "updateColumnComment" => TableChange::UpdateColumnComment {
            field: field("fieldName")?,
            comment: new_comment(members)?,
        },
        "updateColumnPosition" => TableChange::UpdateColumnPosition {
            field: field("fieldName")?,
            position: position(members.required("newPosition")?, &members.at("newPosition"))?,
        },
        "updateColumnNullability" => TableChange::UpdateColumnNullability {
            field: field("fieldName")?,
            nullable: flag("nullable")?,
        },
        "updateColumnAutoIncrement" => TableChange::UpdateColumnAutoIncrement {
            field: field("fieldName")?,
            auto_increment: flag("autoIncrement")?,
        },
        "deleteColumn" => TableChange::DeleteColumn {
            field: field("fieldName")?,
            if_exists: members.boolean("ifExists")?.unwrap_or(false),
        },
        "addTableIndex" => TableChange::AddIndex(index::from_json(
            members.required("index")?,
            &members.at("index"),
        )?),
        "deleteTableIndex" => TableChange::DeleteIndex {
            name: members.required_text("name")?.to_owned(),
            if_exists: members.boolean("ifExists")?.unwrap_or(false),
        },
        _ => return Ok(None),
    }))
}

/// `"first"`, `"default"` or `{"after": "column"}`.
fn position(value: &Value, path: &str) -> Result<ColumnPosition, RequestError> {
    match value {
        Value::String(text) if text.eq_ignore_ascii_case("first") => Ok(ColumnPosition::First),
        Value::String(text) if text.eq_ignore_ascii_case("default") => Ok(ColumnPosition::Default),
        Value::Object(_) => {
            let members = Members::of(value, path)?.only(&["after"])?;
            Ok(ColumnPosition::After(members.required_text("after")?.to_owned()))
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
            Err(RequestError::invalid(
                path,
                "a position is `first`, `default` or `{\"after\": \"column\"}`",
            ))
        }
    }
}
