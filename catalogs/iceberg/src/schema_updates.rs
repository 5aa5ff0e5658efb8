// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Updates of schemas.

use lakeward_catalog::error::CatalogError;
use lakeward_read_restrictions::field::FieldType;
use serde_json::{Value, json};

use crate::commit::{Commit, id, ids, object};
use crate::schema::{Schema, SchemaType, int32};

/// Stands for "the one that this commit added last".
pub(crate) const LAST_ADDED: i32 = -1;

/// `add-schema`: keeps an equal schema, else adds one under the next id.
pub(crate) fn add_schema(commit: &mut Commit<'_>, update: &Value) -> Result<(), CatalogError> {
    let json = object(update, "schema")?;
    let schema = Schema::parse(json).map_err(CatalogError::Invalid)?;
    let version = commit.document.format_version().map_err(CatalogError::Invalid)?;
    check_version(&schema, version).map_err(CatalogError::Invalid)?;
    let last = commit
        .document
        .id("last-column-id")
        .map_err(CatalogError::Invalid)?;
    let highest = schema.highest_field_id();
    // A client's own idea of the highest id may be too low: Iceberg's Java client sends that of the new schema, so after
    // a drop of the last column it is below what was used before. It is deprecated and never lowers the table's.
    let stated = match update.get("last-column-id") {
        None | Some(Value::Null) => highest,
        Some(_) => id(update, "last-column-id")?,
    };
    let wanted = stated.max(highest).max(last);
    for existing in commit.document.list("schemas") {
        let existing_id = existing.get("schema-id").and_then(int32).unwrap_or(0);
        if same_schema(existing, json) {
            commit.last_added_schema = Some(existing_id);
            commit.document.set("last-column-id", wanted);
            return Ok(());
        }
    }
    let new_id = commit.next_id("schemas", "schema-id", 0)?;
    let mut json = json.clone();
    if let Some(members) = json.as_object_mut() {
        members.insert("schema-id".to_owned(), new_id.into());
    }
    commit
        .document
        .list_mut("schemas")
        .map_err(CatalogError::Invalid)?
        .push(json);
    commit.document.set("last-column-id", wanted);
    commit.last_added_schema = Some(new_id);
    Ok(())
}

/// `set-current-schema`
pub(crate) fn set_current_schema(commit: &mut Commit<'_>, update: &Value) -> Result<(), CatalogError> {
    let wanted = match id(update, "schema-id")? {
        LAST_ADDED => commit
            .last_added_schema
            .ok_or_else(|| CatalogError::Invalid("no schema was added by this commit".to_owned()))?,
        id => id,
    };
    // Reading it proves that it exists.
    commit.document.schema(wanted).map_err(CatalogError::Invalid)?;
    commit.document.set("current-schema-id", wanted);
    Ok(())
}

/// `remove-schemas`
pub(crate) fn remove_schemas(commit: &mut Commit<'_>, update: &Value) -> Result<(), CatalogError> {
    let removed = ids(update, "schema-ids")?;
    let current = commit
        .document
        .int("current-schema-id")
        .map_err(CatalogError::Invalid)?;
    if removed.contains(&current) {
        return Err(CatalogError::Invalid(format!(
            "the current schema {current} cannot be removed"
        )));
    }
    commit
        .document
        .list_mut("schemas")
        .map_err(CatalogError::Invalid)?
        .retain(|schema| {
            !schema
                .get("schema-id")
                .and_then(Value::as_i64)
                .is_some_and(|id| removed.contains(&id))
        });
    Ok(())
}

/// Whether a schema may be stored under a format version.
///
/// # Errors
/// Which field needs a later version.
pub(crate) fn check_version(schema: &Schema, version: i64) -> Result<(), String> {
    for (path, field) in schema.by_id().into_values() {
        if version < 3 && field.schema_type.needs_version_3() {
            return Err(format!(
                "the type `{}` of `{path}` needs format version 3; the table has {version}",
                field.schema_type.describe()
            ));
        }
        if version < 3 && field.initial_default.is_some() {
            return Err(format!(
                "the default value of `{path}` needs format version 3; the table has {version}"
            ));
        }
    }
    Ok(())
}

/// Whether rows written with `old` schemas can be read with `new`: types only widen, and no row that exists breaks
/// a new demand.
///
/// # Errors
/// Which field does not fit.
pub(crate) fn check_evolution(
    known: &[Schema],
    current: &Schema,
    new: &Schema,
    has_rows: bool,
    format_version: i64,
) -> Result<(), String> {
    let (old_parents, new_parents) = (current.parents(), new.parents());
    let current = current.by_id();
    // Made once: a table has many columns and many schemas.
    let known: Vec<_> = known.iter().rev().map(Schema::by_id).collect();
    for (id, (path, field)) in new.by_id() {
        let parent = new_parents.get(&id);
        if current.contains_key(&id) && old_parents.get(&id) != parent {
            return Err(format!("`{path}` cannot be moved into or out of another field"));
        }
        let earlier = current.get(&id).map(|(_, field)| (*field).clone()).or_else(|| {
            // A column that was dropped and comes back under its old id meets its old values.
            known
                .iter()
                .find_map(|schema| schema.get(&id).map(|(_, field)| (*field).clone()))
        });
        let Some(earlier) = earlier else {
            // A part of a new container comes with it; only in something that exists it can be missing.
            let container_exists = parent.is_none_or(|parent| current.contains_key(parent));
            if has_rows && field.required && field.initial_default.is_none() && container_exists {
                return Err(format!(
                    "`{path}` is a new required column without a default value, and the table has rows without it"
                ));
            }
            continue;
        };
        if !widens(&earlier.schema_type, &field.schema_type, format_version) {
            return Err(format!(
                "cannot change column type: {path}: {} -> {}",
                earlier.schema_type.describe(),
                field.schema_type.describe()
            ));
        }
        if has_rows && field.required && !earlier.required && current.contains_key(&id) {
            return Err(format!(
                "`{path}` cannot become required: rows that exist may hold null"
            ));
        }
    }
    Ok(())
}

/// Whether values of `old` are read as `new`.
pub(crate) fn widens(old: &SchemaType, new: &SchemaType, format_version: i64) -> bool {
    let (old, new) = match (old, new) {
        (SchemaType::Struct(_), SchemaType::Struct(_))
        | (SchemaType::List(_), SchemaType::List(_))
        | (SchemaType::Map(..), SchemaType::Map(..)) => return true,
        // Values of type unknown are all null, which every type has.
        (SchemaType::Primitive { field_type, .. }, _) if *field_type == FieldType::Unknown => return true,
        (
            SchemaType::Primitive {
                field_type: old,
                text: old_text,
            },
            SchemaType::Primitive {
                field_type: new,
                text: new_text,
            },
        ) => {
            if old_text == new_text {
                return true;
            }
            (old, new)
        }
        _ => return false,
    };
    match (old, new) {
        (FieldType::Int, FieldType::Long) | (FieldType::Float, FieldType::Double) => true,
        (
            FieldType::Decimal {
                precision: old,
                scale,
            },
            FieldType::Decimal {
                precision: new,
                scale: new_scale,
            },
        ) => scale == new_scale && new >= old,
        (FieldType::Date, FieldType::Timestamp | FieldType::TimestampNs) => format_version >= 3,
        _ => false,
    }
}

/// Whether two schemas are the same but for their id.
pub(crate) fn same_schema(one: &Value, other: &Value) -> bool {
    let without_id = |schema: &Value| {
        let mut schema = schema.clone();
        if let Some(members) = schema.as_object_mut() {
            members.remove("schema-id");
            if members.get("identifier-field-ids") == Some(&json!([])) {
                members.remove("identifier-field-ids");
            }
        }
        schema
    };
    without_id(one) == without_id(other)
}
