// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Columns that this reader cannot read, told by name before anything else looks at the metadata.
//!
//! iceberg-rust refuses a whole document for one column of type variant, geometry, geography or unknown, without saying
//! which, and takes a default that it does not understand for none, which would show null. Schemas that no snapshot and
//! no query uses any more do not matter: such a column is taken out of them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use iceberg::spec::TableMetadata;
use lakeward_read_restrictions::field::{Field, FieldType};
use lakeward_read_restrictions::schema::fields_from_schema;
use serde_json::Value as Json;

/// How such types begin in metadata. Without any of these words nothing has to be looked for.
const WORDS: [&str; 4] = ["variant", "geometry", "geography", "unknown"];

/// The metadata without schemas that cannot be read and that nothing uses.
///
/// # Errors
/// Which column of which type is not read.
pub(crate) fn readable(metadata: &str) -> Result<Cow<'_, str>, String> {
    if !WORDS.iter().any(|word| metadata.contains(word)) {
        return Ok(Cow::Borrowed(metadata));
    }
    // What is no JSON is refused by whoever reads it next.
    let Ok(mut json) = serde_json::from_str::<Json>(metadata) else {
        return Ok(Cow::Borrowed(metadata));
    };
    let used = used_schemas(&json);
    let mut changed = false;
    if let Some(schema) = json.get("schema") {
        unreadable_column(schema).map_or(Ok(()), Err)?;
    }
    for schema in json
        .get_mut("schemas")
        .and_then(Json::as_array_mut)
        .into_iter()
        .flatten()
    {
        let id = schema.get("schema-id").and_then(Json::as_i64);
        while let Some(problem) = unreadable_column(schema) {
            if id.is_none_or(|id| used.contains(&id)) || !without_unreadable(schema) {
                return Err(problem);
            }
            changed = true;
        }
    }
    if !changed {
        return Ok(Cow::Borrowed(metadata));
    }
    Ok(Cow::Owned(json.to_string()))
}

/// Refuses defaults that iceberg-rust did not understand and therefore dropped.
///
/// # Errors
/// Which column has such a default.
pub(crate) fn check_defaults(json: &str, metadata: &TableMetadata) -> Result<(), String> {
    if !json.contains("initial-default") {
        return Ok(());
    }
    let Ok(json) = serde_json::from_str::<Json>(json) else {
        return Ok(());
    };
    for schema in json.get("schemas").and_then(Json::as_array).into_iter().flatten() {
        let id = schema.get("schema-id").and_then(Json::as_i64);
        let known = metadata
            .schemas_iter()
            .find(|known| id == Some(i64::from(known.schema_id())));
        let mut defaulted = Vec::new();
        with_default(schema, &mut defaulted);
        for (id, name) in defaulted {
            let understood = known
                .and_then(|known| known.field_by_id(i32::try_from(id).ok()?))
                .is_some_and(|field| field.initial_default.is_some());
            if !understood {
                return Err(format!("the default of its column `{name}` is not understood"));
            }
        }
    }
    Ok(())
}

/// Ids of the schemas that a query may use.
fn used_schemas(json: &Json) -> BTreeSet<i64> {
    let snapshots = json
        .get("snapshots")
        .and_then(Json::as_array)
        .into_iter()
        .flatten();
    snapshots
        .filter_map(|snapshot| snapshot.get("schema-id"))
        .chain(json.get("current-schema-id"))
        .filter_map(Json::as_i64)
        .collect()
}

/// What is wrong with the first column that is not read.
fn unreadable_column(schema: &Json) -> Option<String> {
    // What our own parser does not know either, iceberg-rust refuses with a message of its own.
    let fields = fields_from_schema(schema).ok()?;
    fields
        .iter()
        .find_map(|field| unreadable_part(field, &field.name))
}

fn unreadable_part(field: &Field, path: &str) -> Option<String> {
    let part = |part: &Field| unreadable_part(part, &format!("{path}.{}", part.name));
    match &field.field_type {
        FieldType::Variant | FieldType::Geometry | FieldType::Geography | FieldType::Unknown => {
            Some(format!(
                "its column `{path}` has the type `{}`, which is not read",
                field.field_type
            ))
        }
        FieldType::Struct(members) => members.iter().find_map(part),
        FieldType::List(element) => part(element),
        FieldType::Map { key, value } => part(key).or_else(|| part(value)),
        FieldType::Boolean
        | FieldType::Int
        | FieldType::Long
        | FieldType::Float
        | FieldType::Double
        | FieldType::Decimal { .. }
        | FieldType::Date
        | FieldType::Time
        | FieldType::Timestamp
        | FieldType::Timestamptz
        | FieldType::TimestampNs
        | FieldType::TimestamptzNs
        | FieldType::String
        | FieldType::Uuid
        | FieldType::Fixed(_)
        | FieldType::Binary => None,
    }
}

/// Takes the first such column out of a schema; whether there was one.
fn without_unreadable(schema: &mut Json) -> bool {
    let Ok(parsed) = fields_from_schema(schema) else {
        return false;
    };
    let position = parsed
        .iter()
        .position(|field| unreadable_part(field, &field.name).is_some());
    let fields = schema.get_mut("fields").and_then(Json::as_array_mut);
    match (position, fields) {
        (Some(position), Some(fields)) if position < fields.len() => {
            fields.remove(position);
            true
        }
        _ => false,
    }
}

/// Ids and names of fields with a default that is not null, at every level.
fn with_default(json: &Json, found: &mut Vec<(i64, String)>) {
    match json {
        Json::Object(members) => {
            if let (Some(id), Some(name), Some(default)) = (
                members.get("id").and_then(Json::as_i64),
                members.get("name").and_then(Json::as_str),
                members.get("initial-default"),
            ) && !default.is_null()
            {
                found.push((id, name.to_owned()));
            }
            // A default's own members are no fields.
            let parts = members.iter().filter(|(name, _)| !name.ends_with("-default"));
            for (_, part) in parts {
                with_default(part, found);
            }
        }
        Json::Array(elements) => {
            for element in elements {
                with_default(element, found);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}
