// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Updates of partition specs and sort orders.

use lakeward_catalog::error::CatalogError;
use serde_json::{Map, Value, json};

use crate::commit::{Commit, id, ids, object};
use crate::document::Document;
use crate::layout::{bind_partition_fields, bind_sort_fields, fields_of, same_fields};
use crate::schema::{Schema, int32};
use crate::schema_updates::LAST_ADDED;

/// `add-spec`: keeps an equal spec, else adds one under the next id.
pub(crate) fn add_spec(commit: &mut Commit<'_>, update: &Value) -> Result<(), CatalogError> {
    let json = object(update, "spec")?;
    let schema = binding_schema(commit)?;
    let known = partition_fields(&commit.document);
    let last = commit
        .document
        .id("last-partition-id")
        .map_err(CatalogError::Invalid)?;
    let (fields, last) =
        bind_partition_fields(json, &schema, Some, &known, last).map_err(CatalogError::Invalid)?;
    let version = commit.document.format_version().map_err(CatalogError::Invalid)?;
    if version == 1 && !is_sequential(&fields) {
        return Err(CatalogError::Invalid(
            "a table of format version 1 needs partition field ids that count up from 1000".to_owned(),
        ));
    }
    commit.document.set("last-partition-id", last);
    commit.last_added_spec = Some(keep_or_add(
        commit,
        json,
        "partition-specs",
        "spec-id",
        fields,
        0,
    )?);
    Ok(())
}

/// `set-default-spec`
pub(crate) fn set_default_spec(commit: &mut Commit<'_>, update: &Value) -> Result<(), CatalogError> {
    let wanted = match id(update, "spec-id")? {
        LAST_ADDED => commit
            .last_added_spec
            .ok_or_else(|| CatalogError::Invalid("no partition spec was added by this commit".to_owned()))?,
        id => id,
    };
    exists(&commit.document, "partition-specs", "spec-id", wanted)?;
    commit.document.set("default-spec-id", wanted);
    Ok(())
}

/// `remove-partition-specs`
pub(crate) fn remove_partition_specs(commit: &mut Commit<'_>, update: &Value) -> Result<(), CatalogError> {
    let removed = ids(update, "spec-ids")?;
    let default = commit
        .document
        .int("default-spec-id")
        .map_err(CatalogError::Invalid)?;
    if removed.contains(&default) {
        return Err(CatalogError::Invalid(format!(
            "the default partition spec {default} cannot be removed"
        )));
    }
    commit
        .document
        .list_mut("partition-specs")
        .map_err(CatalogError::Invalid)?
        .retain(|spec| {
            !spec
                .get("spec-id")
                .and_then(Value::as_i64)
                .is_some_and(|id| removed.contains(&id))
        });
    Ok(())
}

/// `add-sort-order`: keeps an equal order, else adds one under the next id; 0 is the order of nothing.
pub(crate) fn add_sort_order(commit: &mut Commit<'_>, update: &Value) -> Result<(), CatalogError> {
    let json = object(update, "sort-order")?;
    let schema = binding_schema(commit)?;
    let fields = bind_sort_fields(json, &schema, Some).map_err(CatalogError::Invalid)?;
    let first_id = i32::from(!fields.is_empty());
    commit.last_added_order = Some(keep_or_add(
        commit,
        json,
        "sort-orders",
        "order-id",
        fields,
        first_id,
    )?);
    Ok(())
}

/// `set-default-sort-order`
pub(crate) fn set_default_sort_order(commit: &mut Commit<'_>, update: &Value) -> Result<(), CatalogError> {
    let wanted = match id(update, "sort-order-id")? {
        LAST_ADDED => commit
            .last_added_order
            .ok_or_else(|| CatalogError::Invalid("no sort order was added by this commit".to_owned()))?,
        id => id,
    };
    exists(&commit.document, "sort-orders", "order-id", wanted)?;
    commit.document.set("default-sort-order-id", wanted);
    Ok(())
}

/// The schema whose fields a spec or order names: the current one. A commit that creates a table may make its schema
/// current only at its end, as DuckDB does; until then it is the schema that it added last. Whether both fit the schema
/// that is current in the end is checked there.
fn binding_schema(commit: &Commit<'_>) -> Result<Schema, CatalogError> {
    let is_known = commit.document.get("current-schema-id").is_some();
    match commit.last_added_schema {
        Some(added) if !is_known => commit.document.schema(added),
        _ => commit.document.current_schema(),
    }
    .map_err(CatalogError::Invalid)
}

/// Every partition field of every spec.
pub(crate) fn partition_fields(document: &Document) -> Vec<Value> {
    document
        .list("partition-specs")
        .iter()
        .filter_map(|spec| spec.get("fields")?.as_array())
        .flatten()
        .cloned()
        .collect()
}

fn keep_or_add(
    commit: &mut Commit<'_>,
    written: &Value,
    list: &str,
    key: &str,
    fields: Vec<Value>,
    first_id: i32,
) -> Result<i32, CatalogError> {
    for existing in commit.document.list(list) {
        let existing_id = existing.get(key).and_then(int32).unwrap_or(0);
        let existing_fields = fields_of(existing, list).map_err(CatalogError::Invalid)?;
        if same_fields(existing_fields, &fields) {
            return Ok(existing_id);
        }
    }
    let new_id = commit.next_id(list, key, first_id)?;
    let mut members = Map::new();
    members.insert(key.to_owned(), json!(new_id));
    members.insert("fields".to_owned(), Value::Array(fields));
    for (name, value) in written.as_object().into_iter().flatten() {
        if !members.contains_key(name) {
            members.insert(name.clone(), value.clone());
        }
    }
    commit
        .document
        .list_mut(list)
        .map_err(CatalogError::Invalid)?
        .push(Value::Object(members));
    Ok(new_id)
}

fn exists(document: &Document, list: &str, key: &str, id: i32) -> Result<(), CatalogError> {
    match document.element(list, key, i64::from(id)) {
        Some(_) => Ok(()),
        None => Err(CatalogError::Invalid(format!("there is no `{key}` {id}"))),
    }
}

fn is_sequential(fields: &[Value]) -> bool {
    (1000..)
        .zip(fields)
        .all(|(expected, field)| field.get("field-id").and_then(Value::as_i64) == Some(expected))
}
