// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The requirements of a commit: what its maker took for granted.

use lakeward_catalog::error::CatalogError;
use serde_json::Value;

use crate::document::Document;

/// Whether the commit asserts that it creates the table.
pub(crate) fn asserts_create(requirements: &[Value]) -> bool {
    requirements
        .iter()
        .any(|requirement| kind(requirement) == Some("assert-create"))
}

/// Checks every requirement against the current version; `None` where there is no table.
///
/// # Errors
/// [`CatalogError::RequirementFailed`] for the first that does not hold, [`CatalogError::Invalid`] for one that lacks
/// a member, [`CatalogError::Unsupported`] for an unknown kind.
pub(crate) fn check(requirements: &[Value], current: Option<&Document>) -> Result<(), CatalogError> {
    // Unknown ones first: a commit must not be answered "conflict, retry" for a demand that nobody can meet.
    for requirement in requirements {
        match kind(requirement) {
            Some(
                "assert-create"
                | "assert-table-uuid"
                | "assert-ref-snapshot-id"
                | "assert-last-assigned-field-id"
                | "assert-current-schema-id"
                | "assert-last-assigned-partition-id"
                | "assert-default-spec-id"
                | "assert-default-sort-order-id",
            ) => {}
            Some(unknown) => {
                return Err(CatalogError::Unsupported(format!(
                    "`{unknown}` is not a known requirement of a table commit"
                )));
            }
            None => return Err(CatalogError::Invalid("a requirement has no `type`".to_owned())),
        }
    }
    for requirement in requirements {
        check_one(requirement, current)?;
    }
    Ok(())
}

fn kind(requirement: &Value) -> Option<&str> {
    requirement.get("type").and_then(Value::as_str)
}

fn check_one(requirement: &Value, current: Option<&Document>) -> Result<(), CatalogError> {
    let kind = kind(requirement).unwrap_or_default();
    let Some(current) = current else {
        return match kind {
            "assert-create" => Ok(()),
            // A branch that is asserted not to exist does not exist in a table that does not.
            "assert-ref-snapshot-id" if requirement.get("snapshot-id").is_none_or(Value::is_null) => Ok(()),
            _ => failed("the table does not exist".to_owned()),
        };
    };
    match kind {
        "assert-create" => failed("table already exists".to_owned()),
        "assert-table-uuid" => {
            let expected = text(requirement, "uuid")?;
            let found = current.text("table-uuid").map_err(CatalogError::Invalid)?;
            if found.eq_ignore_ascii_case(expected) {
                Ok(())
            } else {
                failed(format!("UUID does not match: expected {expected} != {found}"))
            }
        }
        "assert-ref-snapshot-id" => check_reference(requirement, current),
        "assert-last-assigned-field-id" => {
            number(requirement, "last-assigned-field-id", current, "last-column-id")
        }
        "assert-current-schema-id" => number(requirement, "current-schema-id", current, "current-schema-id"),
        "assert-last-assigned-partition-id" => number(
            requirement,
            "last-assigned-partition-id",
            current,
            "last-partition-id",
        ),
        "assert-default-spec-id" => number(requirement, "default-spec-id", current, "default-spec-id"),
        _ => number(
            requirement,
            "default-sort-order-id",
            current,
            "default-sort-order-id",
        ),
    }
}

fn check_reference(requirement: &Value, current: &Document) -> Result<(), CatalogError> {
    let name = text(requirement, "ref")?;
    let expected = match requirement.get("snapshot-id") {
        None | Some(Value::Null) => None,
        Some(id) => Some(id.as_i64().ok_or_else(|| {
            CatalogError::Invalid("`snapshot-id` of a requirement is no whole number".to_owned())
        })?),
    };
    match (expected, current.reference(name)) {
        (expected, found) if expected == found => Ok(()),
        (None, Some(_)) => failed(format!("the branch or tag `{name}` was created concurrently")),
        (Some(expected), None) => failed(format!(
            "the branch or tag `{name}` is missing, expected at snapshot {expected}"
        )),
        (expected, found) => failed(format!(
            "the branch or tag `{name}` has changed: expected snapshot {}, found {}",
            expected.unwrap_or_default(),
            found.unwrap_or_default()
        )),
    }
}

fn number(requirement: &Value, member: &str, current: &Document, found: &str) -> Result<(), CatalogError> {
    let expected = requirement.get(member).and_then(Value::as_i64).ok_or_else(|| {
        CatalogError::Invalid(format!(
            "`{member}` of a requirement is missing or no whole number"
        ))
    })?;
    let actual = current.int(found).map_err(CatalogError::Invalid)?;
    // The words of Iceberg's own catalogs, which clients compare.
    let what = match found {
        "last-column-id" => "last assigned field id",
        "current-schema-id" => "current schema",
        "last-partition-id" => "last assigned partition id",
        "default-spec-id" => "default partition spec",
        _ => "default sort order",
    };
    if expected == actual {
        Ok(())
    } else {
        failed(format!("{what} changed: expected id {expected} != {actual}"))
    }
}

fn text<'a>(requirement: &'a Value, member: &str) -> Result<&'a str, CatalogError> {
    requirement
        .get(member)
        .and_then(Value::as_str)
        .ok_or_else(|| CatalogError::Invalid(format!("`{member}` of a requirement is missing or no text")))
}

fn failed(what: String) -> Result<(), CatalogError> {
    Err(CatalogError::RequirementFailed(what))
}
