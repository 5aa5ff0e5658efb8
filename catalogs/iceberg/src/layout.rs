// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Partition specs and sort orders: checked against a schema, and given ids.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::document::PARTITION_FIELD_ID_START;
use crate::schema::{Schema, SchemaType, int32};
use crate::transform::IcebergTransform;

/// The most fields of a partition spec or sort order. Each is compared with all others and with the schema.
const MAX_FIELDS: usize = 1000;

/// Binds the fields of a partition spec to a schema.
///
/// `known` are partition fields of older specs: an equal one (same source and transform) lends its field id, so that
/// data files of both specs agree. New ids follow `last_field_id`.
///
/// # Errors
/// What is wrong, and at which field.
pub(crate) fn bind_partition_fields(
    spec: &Value,
    schema: &Schema,
    source_of: impl Fn(i32) -> Option<i32>,
    known: &[Value],
    last_field_id: i32,
) -> Result<(Vec<Value>, i32), String> {
    let mut last = last_field_id.max(PARTITION_FIELD_ID_START);
    let mut names = BTreeSet::new();
    let mut used_ids = BTreeSet::new();
    let mut used_sources = BTreeSet::new();
    let mut bound = Vec::new();
    let by_id = schema.by_id();
    let by_name: BTreeMap<&str, i32> = by_id.iter().map(|(id, (path, _))| (path.as_str(), *id)).collect();
    for field in few_fields(spec, "a partition spec")? {
        let name = field
            .get("name")
            .and_then(Value::as_str)
            .filter(|name| !name.is_empty())
            .ok_or("a partition field has no `name`")?;
        let (source, transform) = source_and_transform(field, &source_of)?;
        let Some((column, source_field)) = by_id.get(&source) else {
            return Err(format!(
                "the source {source} of partition field `{name}` is not in the schema"
            ));
        };
        check_transform(transform, column, &source_field.schema_type)?;
        if !names.insert(name.to_owned()) {
            return Err(format!("there are two partition fields named `{name}`"));
        }
        if !used_sources.insert((source, transform.to_string())) {
            return Err(format!("`{column}` is partitioned twice by `{transform}`"));
        }
        check_partition_name(name, source, transform, by_name.get(name).copied())?;
        let lent = || {
            let same = known
                .iter()
                .find(|known| is_same_field(known, source, transform))?;
            same.get("field-id").and_then(int32)
        };
        let id = match field.get("field-id").and_then(int32).or_else(lent) {
            Some(id) => id,
            None => last.checked_add(1).ok_or("the partition field ids are used up")?,
        };
        if id < 1
            || known
                .iter()
                .any(|known| is_other_field(known, id, source, transform))
        {
            return Err(format!(
                "the partition field `{name}` cannot have the id {id}: it is not positive, or data files have another \
                 value under it"
            ));
        }
        if !used_ids.insert(id) {
            return Err(format!("two partition fields have the id {id}"));
        }
        last = last.max(id);
        let mut members = Map::new();
        members.insert("name".to_owned(), json!(name));
        members.insert("transform".to_owned(), json!(transform.to_string()));
        members.insert("source-id".to_owned(), json!(source));
        members.insert("field-id".to_owned(), json!(id));
        copy_unknown(field, &mut members, &["source-ids"]);
        bound.push(Value::Object(members));
    }
    Ok((bound, last))
}

/// Binds the fields of a sort order to a schema.
///
/// # Errors
/// What is wrong, and at which field.
pub(crate) fn bind_sort_fields(
    order: &Value,
    schema: &Schema,
    source_of: impl Fn(i32) -> Option<i32>,
) -> Result<Vec<Value>, String> {
    let by_id = schema.by_id();
    let mut bound = Vec::new();
    for field in few_fields(order, "a sort order")? {
        let (source, transform) = source_and_transform(field, &source_of)?;
        let Some((column, source_field)) = by_id.get(&source) else {
            return Err(format!(
                "the source {source} of a sort field is not in the schema"
            ));
        };
        check_transform(transform, column, &source_field.schema_type)?;
        let direction = one_of(field, "direction", &["asc", "desc"])?.unwrap_or("asc");
        let default_nulls = if direction == "asc" {
            "nulls-first"
        } else {
            "nulls-last"
        };
        let nulls = one_of(field, "null-order", &["nulls-first", "nulls-last"])?.unwrap_or(default_nulls);
        let mut members = Map::new();
        members.insert("transform".to_owned(), json!(transform.to_string()));
        members.insert("source-id".to_owned(), json!(source));
        members.insert("direction".to_owned(), json!(direction));
        members.insert("null-order".to_owned(), json!(nulls));
        copy_unknown(field, &mut members, &["source-ids"]);
        bound.push(Value::Object(members));
    }
    Ok(bound)
}

/// Whether two lists of partition or sort fields mean the same; ids of partition fields do not count when one side
/// has none.
pub(crate) fn same_fields(one: &[Value], other: &[Value]) -> bool {
    const COMPARED: &[&str] = &["source-id", "transform", "name", "direction", "null-order"];
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| {
            COMPARED.iter().all(|name| one.get(*name) == other.get(*name))
                && match (one.get("field-id"), other.get("field-id")) {
                    (Some(one), Some(other)) => one == other,
                    _ => true,
                }
        })
}

/// The `fields` of a spec or order; a spec of format version 1 is the list itself.
pub(crate) fn fields_of<'a>(json: &'a Value, what: &str) -> Result<&'a [Value], String> {
    json.as_array()
        .or_else(|| json.get("fields").and_then(Value::as_array))
        .map(Vec::as_slice)
        .ok_or_else(|| format!("`fields` of {what} is missing or no list"))
}

/// As [`fields_of`], for a new spec or order.
fn few_fields<'a>(json: &'a Value, what: &str) -> Result<&'a [Value], String> {
    let fields = fields_of(json, what)?;
    if fields.len() > MAX_FIELDS {
        return Err(format!("{what} has more than {MAX_FIELDS} fields"));
    }
    Ok(fields)
}

/// Why the partition or sort fields do not fit a schema any more, if they do not: their source column is gone or
/// has a type that the transform does not take.
pub(crate) fn misfit(fields: &[Value], schema: &Schema) -> Option<String> {
    let by_id = schema.by_id();
    for field in fields {
        let transform = field.get("transform").and_then(Value::as_str).unwrap_or_default();
        // A transform that is not known here is checked by nobody, and a dropped column may be left to `void`.
        let Some(transform) =
            IcebergTransform::parse(transform).filter(|known| *known != IcebergTransform::Void)
        else {
            continue;
        };
        let source = field.get("source-id").and_then(int32).unwrap_or(0);
        match by_id.get(&source) {
            None => {
                return Some(format!(
                    "the column with id {source} is still used by `{transform}`"
                ));
            }
            Some((column, found)) if !transform.applies_to(&found.schema_type) => {
                return Some(format!(
                    "`{transform}` cannot be applied to the new type of `{column}`"
                ));
            }
            Some(_) => {}
        }
    }
    None
}

fn source_and_transform(
    field: &Value,
    source_of: &impl Fn(i32) -> Option<i32>,
) -> Result<(i32, IcebergTransform), String> {
    let text = field
        .get("transform")
        .and_then(Value::as_str)
        .ok_or("a partition or sort field has no `transform`")?;
    let transform = IcebergTransform::parse(text)
        .ok_or_else(|| format!("`{text}` is not a transform of the specification"))?;
    let source = match (field.get("source-id"), field.get("source-ids")) {
        (Some(source), _) => int32(source),
        (None, Some(Value::Array(sources))) => match sources.as_slice() {
            [source] => int32(source),
            _ => return Err("transforms of several source columns are not supported".to_owned()),
        },
        (None, _) => None,
    };
    let source = source.ok_or("a partition or sort field has no `source-id`")?;
    let source = source_of(source)
        .ok_or_else(|| format!("the source {source} of a partition or sort field is not in the schema"))?;
    Ok((source, transform))
}

fn check_transform(transform: IcebergTransform, column: &str, source: &SchemaType) -> Result<(), String> {
    if transform.applies_to(source) {
        return Ok(());
    }
    Err(format!(
        "`{transform}` cannot be applied to `{column}` of type `{}`",
        source.describe()
    ))
}

/// A partition field may share its name with a column only when it is that column, unchanged.
fn check_partition_name(
    name: &str,
    source: i32,
    transform: IcebergTransform,
    column_of_that_name: Option<i32>,
) -> Result<(), String> {
    match column_of_that_name {
        None => Ok(()),
        Some(column)
            if column == source
                && matches!(transform, IcebergTransform::Identity | IcebergTransform::Void) =>
        {
            Ok(())
        }
        Some(_) => Err(format!(
            "the partition field `{name}` has the name of a column of the table"
        )),
    }
}

fn is_same_field(known: &Value, source: i32, transform: IcebergTransform) -> bool {
    known.get("source-id").and_then(int32) == Some(source)
        && known.get("transform").and_then(Value::as_str) == Some(transform.to_string().as_str())
}

/// Whether a known field has the id and holds other values. A field that was given up for `void` keeps its id.
fn is_other_field(known: &Value, id: i32, source: i32, transform: IcebergTransform) -> bool {
    let is_void =
        transform == IcebergTransform::Void || known.get("transform").and_then(Value::as_str) == Some("void");
    known.get("field-id").and_then(int32) == Some(id)
        && known
            .get("source-id")
            .and_then(int32)
            .is_some_and(|of| of != source || !(is_void || is_same_field(known, source, transform)))
}

fn one_of<'a>(field: &'a Value, name: &str, choices: &[&str]) -> Result<Option<&'a str>, String> {
    match field.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value
            .as_str()
            .filter(|text| choices.contains(text))
            .map(Some)
            .ok_or_else(|| {
                format!(
                    "`{name}` of a sort field must be one of `{}`",
                    choices.join("`, `")
                )
            }),
    }
}

fn copy_unknown(from: &Value, to: &mut Map<String, Value>, dropped: &[&str]) {
    for (name, value) in from.as_object().into_iter().flatten() {
        if !to.contains_key(name) && !dropped.contains(&name.as_str()) && name != "field-id" {
            to.insert(name.clone(), value.clone());
        }
    }
}
