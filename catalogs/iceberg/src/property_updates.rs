// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Updates of identity, location, properties and encryption keys.

use lakeward_catalog::error::CatalogError;
use serde_json::Value;
use uuid::Uuid;

use crate::commit::{Commit, object, text};
use crate::document::Document;
use lakeward_storage::spelled;

/// Names that look like properties to engines and are members of the metadata; nobody may store them.
const RESERVED: &[&str] = &[
    "format-version",
    "uuid",
    "snapshot-count",
    "current-snapshot-id",
    "current-snapshot-summary",
    "current-snapshot-timestamp-ms",
    "current-schema",
    "default-partition-spec",
    "default-sort-order",
];

/// Refuses reserved property names.
///
/// # Errors
/// Which one is reserved.
pub(crate) fn check_property_names<'a>(names: impl IntoIterator<Item = &'a String>) -> Result<(), String> {
    for name in names {
        if RESERVED.contains(&name.as_str()) {
            return Err(format!("the property `{name}` is reserved and cannot be set"));
        }
    }
    Ok(())
}

/// `assign-uuid`: a table that has a UUID keeps it.
pub(crate) fn assign_uuid(commit: &mut Commit<'_>, update: &Value) -> Result<(), CatalogError> {
    let wanted = text(update, "uuid")?;
    let wanted = Uuid::parse_str(wanted)
        .map_err(|_| CatalogError::Invalid(format!("`{wanted}` is no UUID")))?
        .hyphenated()
        .to_string();
    match (commit.base, commit.document.text("table-uuid")) {
        (Some(_), Ok(current)) if !current.eq_ignore_ascii_case(&wanted) => Err(CatalogError::Invalid(
            "the table has a UUID, which cannot be changed".to_owned(),
        )),
        _ => {
            commit.document.set("table-uuid", wanted);
            Ok(())
        }
    }
}

/// `set-location`
pub(crate) fn set_location(commit: &mut Commit<'_>, update: &Value) -> Result<(), CatalogError> {
    let location = text(update, "location")?;
    let canonical = commit.policy.check_table(location)?;
    commit.document.set("location", spelled(location, &canonical));
    Ok(())
}

/// `set-properties`
pub(crate) fn set_properties(commit: &mut Commit<'_>, update: &Value) -> Result<(), CatalogError> {
    put_properties(&mut commit.document, update, |name| check_property_names([name]))
}

/// `set-properties` of a table or view; `check` says which names are refused.
pub(crate) fn put_properties(
    document: &mut Document,
    update: &Value,
    check: impl Fn(&String) -> Result<(), String>,
) -> Result<(), CatalogError> {
    // The specification says `updates`; some clients wrote `updated`.
    let member = if update.get("updates").is_none() && update.get("updated").is_some() {
        "updated"
    } else {
        "updates"
    };
    let changes = object(update, member)?;
    let properties = document.object_mut("properties").map_err(CatalogError::Invalid)?;
    for (name, value) in changes.as_object().into_iter().flatten() {
        check(name).map_err(CatalogError::Invalid)?;
        if !value.is_string() {
            return Err(CatalogError::Invalid(format!(
                "the value of property `{name}` is no text"
            )));
        }
        properties.insert(name.clone(), value.clone());
    }
    Ok(())
}

/// `remove-properties`
pub(crate) fn remove_properties(commit: &mut Commit<'_>, update: &Value) -> Result<(), CatalogError> {
    take_properties(&mut commit.document, update)
}

/// `remove-properties` of a table or view; missing ones are no error.
pub(crate) fn take_properties(document: &mut Document, update: &Value) -> Result<(), CatalogError> {
    let member = if update.get("removals").is_none() && update.get("removed").is_some() {
        "removed"
    } else {
        "removals"
    };
    let names: Vec<&str> = update
        .get(member)
        .and_then(Value::as_array)
        .and_then(|names| names.iter().map(Value::as_str).collect())
        .ok_or_else(|| CatalogError::Invalid(format!("`{member}` is missing or no list of texts")))?;
    let properties = document.object_mut("properties").map_err(CatalogError::Invalid)?;
    for name in names {
        properties.shift_remove(name);
    }
    Ok(())
}

/// `add-encryption-key`
pub(crate) fn add_encryption_key(commit: &mut Commit<'_>, update: &Value) -> Result<(), CatalogError> {
    let key = object(update, "encryption-key")?;
    let id = text(key, "key-id")?;
    text(key, "encrypted-key-metadata")?;
    if commit.document.format_version().map_err(CatalogError::Invalid)? < 3 {
        return Err(CatalogError::Invalid(
            "encryption keys need format version 3".to_owned(),
        ));
    }
    let keys = commit
        .document
        .list_mut("encryption-keys")
        .map_err(CatalogError::Invalid)?;
    if keys
        .iter()
        .any(|known| known.get("key-id").and_then(Value::as_str) == Some(id))
    {
        return Err(CatalogError::Invalid(format!(
            "the encryption key `{id}` exists already"
        )));
    }
    keys.push(key.clone());
    Ok(())
}

/// `remove-encryption-key`: a missing one is no error.
pub(crate) fn remove_encryption_key(commit: &mut Commit<'_>, update: &Value) -> Result<(), CatalogError> {
    let id = text(update, "key-id")?;
    if commit.document.get("encryption-keys").is_some() {
        commit
            .document
            .list_mut("encryption-keys")
            .map_err(CatalogError::Invalid)?
            .retain(|key| key.get("key-id").and_then(Value::as_str) != Some(id));
    }
    Ok(())
}
