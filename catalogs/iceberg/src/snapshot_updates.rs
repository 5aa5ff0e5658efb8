// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Updates of snapshots, branches and tags.

use lakeward_catalog::error::CatalogError;
use serde_json::{Map, Value, json};

use crate::commit::{Commit, ids, int, object, text};
use lakeward_storage::Location;

/// The branch that a table is read from when nobody says otherwise.
pub(crate) const MAIN: &str = "main";

/// Whether an update says that it is part of a plain append: a snapshot that says it only appends to the head of a
/// branch, or a branch moved onto such a snapshot.
pub(crate) fn is_append(commit: &Commit<'_>, action: &str, update: &Value) -> bool {
    match action {
        "add-snapshot" => {
            let snapshot = update.get("snapshot");
            let operation = snapshot.and_then(|snapshot| snapshot.pointer("/summary/operation"));
            let parent = snapshot
                .and_then(|snapshot| snapshot.get("parent-snapshot-id"))
                .and_then(Value::as_i64);
            let is_head = parent.is_some_and(|parent| is_head(commit, parent));
            operation == Some(&json!("append"))
                && (is_head || parent == commit.document.current_snapshot_id())
        }
        "set-snapshot-ref" => {
            let name = update.get("ref-name").and_then(Value::as_str);
            name.is_some_and(|name| name == MAIN || commit.document.reference(name).is_some())
                && update
                    .get("snapshot-id")
                    .and_then(Value::as_i64)
                    .is_some_and(|id| commit.added_snapshots.contains(&id))
        }
        _ => false,
    }
}

/// Whether a snapshot is what some branch points to.
fn is_head(commit: &Commit<'_>, snapshot: i64) -> bool {
    let references = commit.document.get("refs").and_then(Value::as_object);
    references.into_iter().flatten().any(|(_, reference)| {
        reference.get("type") == Some(&json!("branch"))
            && reference.get("snapshot-id").and_then(Value::as_i64) == Some(snapshot)
    })
}

/// `add-snapshot`
pub(crate) fn add_snapshot(commit: &mut Commit<'_>, update: &Value) -> Result<(), CatalogError> {
    let snapshot = object(update, "snapshot")?;
    let id = int(snapshot, "snapshot-id")?;
    let timestamp = int(snapshot, "timestamp-ms")?;
    if commit.document.snapshot(id).is_some() {
        return Err(CatalogError::Invalid(format!("the snapshot {id} exists already")));
    }
    // What it took over from a snapshot that was expired since may be deleted already.
    let parent = snapshot.get("parent-snapshot-id").and_then(Value::as_i64);
    if let Some(gone) = parent.filter(|parent| commit.document.snapshot(*parent).is_none()) {
        return Err(CatalogError::RequirementFailed(format!(
            "the snapshot {id} builds on the snapshot {gone}, which the table no longer has"
        )));
    }
    let version = commit.document.format_version().map_err(CatalogError::Invalid)?;
    check_files(commit, snapshot, version)?;
    if let Some(schema) = snapshot.get("schema-id").filter(|id| !id.is_null()) {
        let known = schema
            .as_i64()
            .and_then(|id| commit.document.element("schemas", "schema-id", id));
        if known.is_none() {
            return Err(CatalogError::Invalid(format!(
                "the snapshot names the unknown schema {schema}"
            )));
        }
    }
    if version >= 2 {
        let operation = snapshot.pointer("/summary/operation").and_then(Value::as_str);
        if !matches!(operation, Some("append" | "replace" | "overwrite" | "delete")) {
            return Err(CatalogError::Invalid(
                "the snapshot's `summary` has no `operation` of the specification".to_owned(),
            ));
        }
        let sequence = int(snapshot, "sequence-number")?;
        let last = commit
            .document
            .int("last-sequence-number")
            .map_err(CatalogError::Invalid)?;
        let has_parent = snapshot
            .get("parent-snapshot-id")
            .is_some_and(|parent| !parent.is_null());
        if sequence <= last && has_parent {
            return Err(CatalogError::Invalid(format!(
                "the snapshot's sequence number {sequence} is not above {last}, the last of the table"
            )));
        }
        commit.document.set("last-sequence-number", sequence.max(last));
    }
    if version >= 3 {
        advance_row_id(commit, snapshot)?;
    }
    commit
        .document
        .list_mut("snapshots")
        .map_err(CatalogError::Invalid)?
        .push(snapshot.clone());
    commit.added_snapshots.insert(id);
    commit.updated_ms = Some(timestamp);
    Ok(())
}

/// `set-snapshot-ref`
pub(crate) fn set_snapshot_ref(commit: &mut Commit<'_>, update: &Value) -> Result<(), CatalogError> {
    let name = text(update, "ref-name")?;
    let id = int(update, "snapshot-id")?;
    let kind = text(update, "type")?;
    if commit.document.snapshot(id).is_none() {
        return Err(CatalogError::Invalid(format!(
            "`{name}` cannot be set to the unknown snapshot {id}"
        )));
    }
    let mut reference = Map::new();
    reference.insert("snapshot-id".to_owned(), json!(id));
    reference.insert("type".to_owned(), json!(kind));
    let retentions: &[&str] = match kind {
        "branch" => &["min-snapshots-to-keep", "max-snapshot-age-ms", "max-ref-age-ms"],
        "tag" if name == MAIN => {
            return Err(CatalogError::Invalid(
                "`main` is a branch and cannot be a tag".to_owned(),
            ));
        }
        "tag" => &["max-ref-age-ms"],
        _ => {
            return Err(CatalogError::Invalid(format!(
                "`{kind}` is neither `branch` nor `tag`"
            )));
        }
    };
    for member in ["min-snapshots-to-keep", "max-snapshot-age-ms", "max-ref-age-ms"] {
        match update.get(member).filter(|value| !value.is_null()) {
            None => {}
            Some(value) if retentions.contains(&member) && value.as_i64().is_some_and(|value| value > 0) => {
                reference.insert(member.to_owned(), value.clone());
            }
            Some(_) => {
                return Err(CatalogError::Invalid(format!(
                    "`{member}` of the {kind} `{name}` must be a positive number, and a tag has only `max-ref-age-ms`"
                )));
            }
        }
    }
    let reference = Value::Object(reference);
    let references = commit
        .document
        .object_mut("refs")
        .map_err(CatalogError::Invalid)?;
    if references.get(name) == Some(&reference) {
        return Ok(());
    }
    references.insert(name.to_owned(), reference);
    if name == MAIN {
        let at = match commit.updated_ms {
            Some(timestamp) if commit.added_snapshots.contains(&id) => timestamp,
            _ => commit.now_ms,
        };
        commit.updated_ms = Some(at);
        commit.document.set_current_snapshot_id(Some(id));
        commit
            .document
            .list_mut("snapshot-log")
            .map_err(CatalogError::Invalid)?
            .push(json!({ "timestamp-ms": at, "snapshot-id": id }));
    }
    Ok(())
}

/// `remove-snapshots`: branches and tags at a removed snapshot go with it, the main branch protects its own.
pub(crate) fn remove_snapshots(commit: &mut Commit<'_>, update: &Value) -> Result<(), CatalogError> {
    let removed = ids(update, "snapshot-ids")?;
    if let Some(current) = commit
        .document
        .current_snapshot_id()
        .filter(|id| removed.contains(id))
    {
        return Err(CatalogError::Invalid(format!(
            "the snapshot {current} is the current one and cannot be removed"
        )));
    }
    let is_removed = |value: &Value| {
        value
            .get("snapshot-id")
            .and_then(Value::as_i64)
            .is_some_and(|id| removed.contains(&id))
    };
    let flaw = CatalogError::Invalid;
    commit
        .document
        .list_mut("snapshots")
        .map_err(flaw)?
        .retain(|value| !is_removed(value));
    commit
        .document
        .object_mut("refs")
        .map_err(flaw)?
        .retain(|_, value| !is_removed(value));
    commit
        .document
        .list_mut("statistics")
        .map_err(flaw)?
        .retain(|value| !is_removed(value));
    commit
        .document
        .list_mut("partition-statistics")
        .map_err(flaw)?
        .retain(|value| !is_removed(value));
    commit.removed_snapshots = true;
    Ok(())
}

/// `remove-snapshot-ref`. The log of the main branch stays: a table that is replaced keeps its history.
pub(crate) fn remove_snapshot_ref(commit: &mut Commit<'_>, update: &Value) -> Result<(), CatalogError> {
    let name = text(update, "ref-name")?;
    if name == MAIN {
        commit.document.set_current_snapshot_id(None);
        commit.main_was_removed = true;
    }
    commit
        .document
        .object_mut("refs")
        .map_err(CatalogError::Invalid)?
        .shift_remove(name);
    Ok(())
}

/// The files that a snapshot is read from must be the table's own.
fn check_files(commit: &Commit<'_>, snapshot: &Value, version: i64) -> Result<(), CatalogError> {
    let files: Vec<&str> = match (snapshot.get("manifest-list"), snapshot.get("manifests")) {
        (Some(Value::String(list)), _) => vec![list],
        (None | Some(Value::Null), Some(Value::Array(manifests))) if version == 1 => {
            manifests.iter().filter_map(Value::as_str).collect()
        }
        _ => {
            return Err(CatalogError::Invalid(
                "the snapshot has no `manifest-list`".to_owned(),
            ));
        }
    };
    // A creating commit may set its location only later; then the end of the commit checks everything.
    let Ok(location) = commit.document.text("location") else {
        return Ok(());
    };
    let table = Location::parse(location)?;
    for file in files {
        commit.policy.check_part(&table, file)?;
    }
    Ok(())
}

fn advance_row_id(commit: &mut Commit<'_>, snapshot: &Value) -> Result<(), CatalogError> {
    let first = int(snapshot, "first-row-id")?;
    let added = int(snapshot, "added-rows")?;
    let next = commit
        .document
        .int("next-row-id")
        .map_err(CatalogError::Invalid)?;
    if first < next {
        return Err(CatalogError::Invalid(format!(
            "the snapshot's `first-row-id` {first} is behind {next}, the next row id of the table"
        )));
    }
    let next = first
        .checked_add(added)
        .filter(|_| added >= 0)
        .ok_or_else(|| CatalogError::Invalid("`added-rows` is negative or too large".to_owned()))?;
    commit.document.set("next-row-id", next);
    Ok(())
}
