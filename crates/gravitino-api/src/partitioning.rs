// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Partition transforms, and the partitions that list and range transforms begin with.

use lakeward_metadata::partitioning::{ListPartition, RangePartition, Transform};
use serde_json::{Value, json};

use crate::expression;
use crate::json_object::{Members, each, field_path, kind};
use crate::request::RequestError;

/// Writes a transform.
pub fn to_json(transform: &Transform) -> Value {
    let of_field = |strategy: &str, field: &[String]| json!({"strategy": strategy, "fieldName": field});
    match transform {
        Transform::Identity(field) => of_field("identity", field),
        Transform::Year(field) => of_field("year", field),
        Transform::Month(field) => of_field("month", field),
        Transform::Day(field) => of_field("day", field),
        Transform::Hour(field) => of_field("hour", field),
        Transform::Bucket { buckets, fields } => {
            json!({"strategy": "bucket", "numBuckets": buckets, "fieldNames": fields})
        }
        Transform::Truncate { width, field } => {
            json!({"strategy": "truncate", "width": width, "fieldName": field})
        }
        Transform::List { fields, assignments } => json!({
            "strategy": "list",
            "fieldNames": fields,
            "assignments": assignments.iter().map(list_to_json).collect::<Vec<_>>(),
        }),
        Transform::Range { field, assignments } => json!({
            "strategy": "range",
            "fieldName": field,
            "assignments": assignments.iter().map(range_to_json).collect::<Vec<_>>(),
        }),
        Transform::Function { name, arguments } => json!({
            "strategy": "function",
            "funcName": name,
            "funcArgs": arguments.iter().map(expression::to_json).collect::<Vec<_>>(),
        }),
    }
}

fn list_to_json(partition: &ListPartition) -> Value {
    let lists: Vec<Vec<Value>> = partition
        .lists
        .iter()
        .map(|tuple| tuple.iter().map(expression::literal_to_json).collect())
        .collect();
    json!({"type": "list", "name": partition.name, "lists": lists, "properties": partition.properties})
}

fn range_to_json(partition: &RangePartition) -> Value {
    json!({
        "type": "range",
        "name": partition.name,
        "upper": expression::literal_to_json(&partition.upper),
        "lower": expression::literal_to_json(&partition.lower),
        "properties": partition.properties,
    })
}

/// Reads a transform; `path` is where it stands in the request.
///
/// # Errors
/// [`RequestError`] for unknown strategies and for unknown, missing or wrong members.
pub fn from_json(value: &Value, path: &str) -> Result<Transform, RequestError> {
    let members = Members::of(value, path)?;
    let strategy = members.required_text("strategy")?.to_ascii_lowercase();
    let field = || field_path(members.required("fieldName")?, &members.at("fieldName"));
    let fields = || {
        let found = members.each("fieldNames", field_path)?;
        if found.is_empty() {
            return Err(RequestError::Missing(members.at("fieldNames")));
        }
        Ok(found)
    };
    match strategy.as_str() {
        "identity" | "year" | "month" | "day" | "hour" => {
            members.only(&["strategy", "fieldName"])?;
            let field = field()?;
            Ok(match strategy.as_str() {
                "year" => Transform::Year(field),
                "month" => Transform::Month(field),
                "day" => Transform::Day(field),
                "hour" => Transform::Hour(field),
                _ => Transform::Identity(field),
            })
        }
        "bucket" => {
            members.only(&["strategy", "numBuckets", "fieldNames"])?;
            Ok(Transform::Bucket {
                buckets: members.positive("numBuckets")?,
                fields: fields()?,
            })
        }
        "truncate" => {
            members.only(&["strategy", "width", "fieldName"])?;
            Ok(Transform::Truncate {
                width: members.positive("width")?,
                field: field()?,
            })
        }
        "list" => {
            members.only(&["strategy", "fieldNames", "assignments"])?;
            let fields = fields()?;
            let assignments =
                members.each("assignments", |value, at| list_from_json(value, at, fields.len()))?;
            Ok(Transform::List { fields, assignments })
        }
        "range" => {
            members.only(&["strategy", "fieldName", "assignments"])?;
            Ok(Transform::Range {
                field: field()?,
                assignments: members.each("assignments", range_from_json)?,
            })
        }
        "function" => {
            members.only(&["strategy", "funcName", "funcArgs"])?;
            Ok(Transform::Function {
                name: members.required_text("funcName")?.to_owned(),
                arguments: members.each("funcArgs", expression::from_json)?,
            })
        }
        other => Err(RequestError::invalid(
            members.at("strategy"),
            format!(
                "`{other}` is not a partitioning strategy: identity, year, month, day, hour, bucket, truncate, \
                 list, range or function"
            ),
        )),
    }
}

fn partition_type(members: Members<'_>, expected: &str) -> Result<(), RequestError> {
    match members.text("type")? {
        Some(found) if !found.eq_ignore_ascii_case(expected) => Err(RequestError::invalid(
            members.at("type"),
            format!("`{found}` is given where a `{expected}` partition is expected"),
        )),
        _ => Ok(()),
    }
}

fn list_from_json(value: &Value, path: &str, width: usize) -> Result<ListPartition, RequestError> {
    let members = Members::of(value, path)?.only(&["type", "name", "lists", "properties"])?;
    partition_type(members, "list")?;
    let lists = members.each("lists", |tuple, at| {
        let Value::Array(values) = tuple else {
            return Err(RequestError::invalid(
                at,
                format!("{} is given, a list of literals is expected", kind(tuple)),
            ));
        };
        if values.len() != width {
            return Err(RequestError::invalid(
                at,
                format!("{} values are given for {width} fields", values.len()),
            ));
        }
        each(values, at, expression::literal_from_json)
    })?;
    Ok(ListPartition {
        name: members.required_text("name")?.to_owned(),
        lists,
        properties: members.properties("properties")?,
    })
}

fn range_from_json(value: &Value, path: &str) -> Result<RangePartition, RequestError> {
    let members = Members::of(value, path)?.only(&["type", "name", "upper", "lower", "properties"])?;
    partition_type(members, "range")?;
    let bound = |name: &str| expression::literal_from_json(members.required(name)?, &members.at(name));
    Ok(RangePartition {
        name: members.required_text("name")?.to_owned(),
        upper: bound("upper")?,
        lower: bound("lower")?,
        properties: members.properties("properties")?,
    })
}
