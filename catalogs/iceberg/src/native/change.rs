// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Native changes as an Iceberg commit. The schema is edited in its JSON form, so that unknown members survive.

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::table_catalog::IcebergCommit;
use lakeward_metadata::table::{ColumnPosition, TableChange};
use serde_json::{Map, Value, json};

use super::data_type::{field_to_iceberg, to_iceberg};
use super::describe::COMMENT;
use crate::document::Document;
use crate::factory::TABLE_PROPERTIES;
use crate::schema::parse_primitive;

/// Translates changes of the table that `document` describes.
///
/// # Errors
/// [`CatalogError::Invalid`], [`CatalogError::Unsupported`].
pub(crate) fn commit(document: &Document, changes: &[TableChange]) -> Result<IcebergCommit, CatalogError> {
    let schema_id = document.int("current-schema-id").map_err(CatalogError::Invalid)?;
    let before = document
        .element("schemas", "schema-id", schema_id)
        .cloned()
        .ok_or_else(|| CatalogError::Invalid("the current schema is missing".to_owned()))?;
    let mut edit = Edit {
        schema: before.clone(),
        last_column_id: document.id("last-column-id").map_err(CatalogError::Invalid)?,
        set: Map::new(),
        removed: Vec::new(),
    };
    for change in changes {
        edit.apply(change)?;
    }
    let mut updates = Vec::new();
    if edit.schema != before {
        updates.push(json!({
            "action": "add-schema", "schema": edit.schema, "last-column-id": edit.last_column_id,
        }));
        updates.push(json!({ "action": "set-current-schema", "schema-id": -1 }));
    }
    if !edit.set.is_empty() {
        updates.push(json!({ "action": "set-properties", "updates": edit.set }));
    }
    if !edit.removed.is_empty() {
        updates.push(json!({ "action": "remove-properties", "removals": edit.removed }));
    }
    Ok(IcebergCommit {
        requirements: vec![json!({ "type": "assert-current-schema-id", "current-schema-id": schema_id })],
        updates,
    })
}

struct Edit {
    schema: Value,
    last_column_id: i32,
    set: Map<String, Value>,
    removed: Vec<String>,
}

impl Edit {
    fn apply(&mut self, change: &TableChange) -> Result<(), CatalogError> {
        match change {
            TableChange::Rename { .. } => Err(CatalogError::Invalid(
                "a rename cannot be combined with other changes of the table".to_owned(),
            )),
            TableChange::UpdateComment(Some(comment)) => {
                self.put_property(COMMENT, comment);
                Ok(())
            }
            TableChange::UpdateComment(None) => {
                self.drop_property(COMMENT);
                Ok(())
            }
            TableChange::SetProperty { property, value } => {
                TABLE_PROPERTIES.check_change(property, Some(value))?;
                self.put_property(property, value);
                Ok(())
            }
            TableChange::RemoveProperty(property) => {
                TABLE_PROPERTIES.check_change(property, None)?;
                self.drop_property(property);
                Ok(())
            }
            TableChange::AddColumn {
                field,
                data_type,
                comment,
                position,
                nullable,
                auto_increment,
                default_value,
            } => {
                if *auto_increment || default_value.is_some() {
                    return Err(CatalogError::Invalid(format!(
                        "the Iceberg column `{}` can be neither auto-increment nor have a default value",
                        field.join(".")
                    )));
                }
                let (name, parents) = split(field)?;
                let mut last = self.last_column_id;
                let mut next_id = || {
                    last = last.saturating_add(1);
                    last
                };
                let id = next_id();
                let iceberg =
                    to_iceberg(data_type, &field.join("."), &mut next_id).map_err(CatalogError::Invalid)?;
                let added = field_to_iceberg(id, name, !nullable, iceberg, comment.as_deref());
                self.last_column_id = last;
                let siblings = self.siblings(parents)?;
                if siblings.iter().any(|sibling| is_named(sibling, name)) {
                    return Err(CatalogError::Invalid(format!(
                        "cannot add column, name already exists: {}",
                        field.join(".")
                    )));
                }
                siblings.push(added);
                move_to(siblings, name, position)
            }
            TableChange::RenameColumn { field, new_name } => {
                if new_name.trim().is_empty() {
                    return Err(CatalogError::Invalid(
                        "the new name of a column must not be empty".to_owned(),
                    ));
                }
                self.column(field)?.insert("name".to_owned(), json!(new_name));
                Ok(())
            }
            TableChange::UpdateColumnType { field, data_type } => {
                let mut last = self.last_column_id;
                let mut next_id = || {
                    last = last.saturating_add(1);
                    last
                };
                let iceberg =
                    to_iceberg(data_type, &field.join("."), &mut next_id).map_err(CatalogError::Invalid)?;
                let column = self.column(field)?;
                let is_primitive = |value: &Value| value.as_str().and_then(parse_primitive).is_some();
                if !is_primitive(&iceberg) || !column.get("type").is_some_and(is_primitive) {
                    return Err(CatalogError::Invalid(format!(
                        "cannot change column type: {}: only primitive types can be widened",
                        field.join(".")
                    )));
                }
                column.insert("type".to_owned(), iceberg);
                Ok(())
            }
            TableChange::UpdateColumnComment { field, comment } => {
                let column = self.column(field)?;
                match comment {
                    Some(comment) => column.insert("doc".to_owned(), json!(comment)),
                    None => column.shift_remove("doc"),
                };
                Ok(())
            }
            TableChange::UpdateColumnPosition { field, position } => {
                let (name, parents) = split(field)?;
                self.column(field)?;
                move_to(self.siblings(parents)?, name, position)
            }
            TableChange::UpdateColumnNullability { field, nullable } => {
                self.column(field)?
                    .insert("required".to_owned(), json!(!nullable));
                Ok(())
            }
            TableChange::DeleteColumn { field, if_exists } => {
                let (name, parents) = split(field)?;
                let exists = self.column(field).is_ok();
                if !exists && *if_exists {
                    return Ok(());
                }
                if !exists {
                    return Err(CatalogError::Invalid(format!(
                        "delete column not exists: {}",
                        field.join(".")
                    )));
                }
                self.siblings(parents)?.retain(|sibling| !is_named(sibling, name));
                Ok(())
            }
            TableChange::UpdateColumnDefaultValue { .. } => Err(CatalogError::Unsupported(
                "changing default values of Iceberg columns is not supported".to_owned(),
            )),
            TableChange::UpdateColumnAutoIncrement { .. } => Err(CatalogError::Unsupported(
                "Iceberg columns are never auto-increment".to_owned(),
            )),
            TableChange::AddIndex(_) | TableChange::DeleteIndex { .. } => Err(CatalogError::Unsupported(
                "Iceberg tables have no indexes".to_owned(),
            )),
        }
    }

    fn put_property(&mut self, name: &str, value: &str) {
        self.removed.retain(|removed| removed != name);
        self.set.insert(name.to_owned(), json!(value));
    }

    fn drop_property(&mut self, name: &str) {
        self.set.shift_remove(name);
        self.removed.push(name.to_owned());
    }

    /// The list of fields that the last part of a path is in.
    fn siblings(&mut self, parents: &[String]) -> Result<&mut Vec<Value>, CatalogError> {
        let missing = || {
            CatalogError::Invalid(format!(
                "column `{}` does not exist or has no members",
                parents.join(".")
            ))
        };
        let mut at = &mut self.schema;
        for parent in parents {
            at = inner_type(at, parent).ok_or_else(missing)?;
        }
        at.get_mut("fields")
            .and_then(Value::as_array_mut)
            .ok_or_else(missing)
    }

    fn column(&mut self, path: &[String]) -> Result<&mut Map<String, Value>, CatalogError> {
        let (name, parents) = split(path)?;
        self.siblings(parents)?
            .iter_mut()
            .find(|sibling| is_named(sibling, name))
            .and_then(Value::as_object_mut)
            .ok_or_else(|| CatalogError::Invalid(format!("column `{}` does not exist", path.join("."))))
    }
}

/// The type of the part `name` of a struct, list or map.
fn inner_type<'a>(json: &'a mut Value, name: &str) -> Option<&'a mut Value> {
    match json.get("type").and_then(Value::as_str) {
        Some("list") if name == "element" => json.get_mut("element"),
        Some("map") if name == "key" || name == "value" => json.get_mut(name),
        Some("struct") => json
            .get_mut("fields")?
            .as_array_mut()?
            .iter_mut()
            .find(|field| is_named(field, name))?
            .get_mut("type"),
        _ => None,
    }
}

fn is_named(field: &Value, name: &str) -> bool {
    field.get("name").and_then(Value::as_str) == Some(name)
}

fn split(path: &[String]) -> Result<(&str, &[String]), CatalogError> {
    match path.split_last() {
        Some((name, parents)) if !name.trim().is_empty() => Ok((name, parents)),
        _ => Err(CatalogError::Invalid(
            "the name of a column must not be empty".to_owned(),
        )),
    }
}

fn move_to(siblings: &mut Vec<Value>, name: &str, position: &ColumnPosition) -> Result<(), CatalogError> {
    let find = |siblings: &[Value], name: &str| siblings.iter().position(|sibling| is_named(sibling, name));
    let Some(from) = find(siblings, name) else {
        return Err(CatalogError::Invalid(format!("column `{name}` does not exist")));
    };
    match position {
        ColumnPosition::Default => {}
        ColumnPosition::First => {
            let moved = siblings.remove(from);
            siblings.insert(0, moved);
        }
        ColumnPosition::After(other) => {
            if other == name || find(siblings, other).is_none() {
                return Err(CatalogError::Invalid(format!(
                    "column `{name}` cannot be placed after `{other}`, which is not another column beside it"
                )));
            }
            let moved = siblings.remove(from);
            let to = find(siblings, other).map_or(siblings.len(), |found| found + 1);
            siblings.insert(to, moved);
        }
    }
    Ok(())
}
