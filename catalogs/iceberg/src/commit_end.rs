// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The end of a commit: what must hold of the whole, and the members that record history.

use std::collections::BTreeSet;

use lakeward_catalog::error::CatalogError;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::commit::{Commit, Outcome};
use crate::layout::{fields_of, misfit};
use crate::location_policy::PATH_PROPERTIES;
use crate::oracle;
use crate::purge::referenced_files;
use crate::schema::Schema;
use crate::schema_updates::{check_evolution, check_version};
use lakeward_storage::Location;

/// How far a snapshot's time may lie before the last recorded one; clocks of writers differ.
const CLOCK_SKEW_MS: i64 = 60_000;
/// How many metadata files the log keeps when the table does not say.
const DEFAULT_PREVIOUS_VERSIONS: usize = 100;

/// Completes a commit.
///
/// # Errors
/// [`CatalogError::Invalid`], [`CatalogError::LocationRefused`].
pub(crate) fn finish(mut commit: Commit<'_>) -> Result<Outcome, CatalogError> {
    if commit.base.is_none() {
        complete_new(&mut commit)?;
    }
    let location_is_new = check_locations(&commit)?;
    check_layout(&commit).map_err(CatalogError::Invalid)?;
    clean_snapshot_log(&mut commit).map_err(CatalogError::Invalid)?;
    let updated = record_time(&mut commit).map_err(CatalogError::Invalid)?;
    commit.document.set("last-updated-ms", updated);
    let expired_metadata = record_metadata_file(&mut commit).map_err(CatalogError::Invalid)?;
    commit
        .document
        .write_legacy_members()
        .map_err(CatalogError::Invalid)?;
    oracle::check(&commit.document).map_err(CatalogError::Invalid)?;
    Ok(Outcome {
        document: commit.document,
        effect: commit.effect,
        location_is_new,
        expired_metadata,
    })
}

/// A commit that creates a table must have brought everything; the parts with an obvious default get it.
fn complete_new(commit: &mut Commit<'_>) -> Result<(), CatalogError> {
    let document = &mut commit.document;
    if document.get("table-uuid").is_none() {
        document.set("table-uuid", Uuid::new_v4().hyphenated().to_string());
    }
    for (member, what) in [("current-schema-id", "schema"), ("location", "location")] {
        if document.get(member).is_none() {
            return Err(CatalogError::Invalid(format!(
                "the commit that creates the table sets no {what}"
            )));
        }
    }
    if document.get("default-spec-id").is_none() {
        document
            .list_mut("partition-specs")
            .map_err(CatalogError::Invalid)?
            .push(json!({ "spec-id": 0, "fields": [] }));
        document.set("default-spec-id", 0);
    }
    if document.get("default-sort-order-id").is_none() {
        document
            .list_mut("sort-orders")
            .map_err(CatalogError::Invalid)?
            .push(json!({ "order-id": 0, "fields": [] }));
        document.set("default-sort-order-id", 0);
    }
    Ok(())
}

/// Everything that the metadata names must lie where the policy allows. Answers whether the table moved.
fn check_locations(commit: &Commit<'_>) -> Result<bool, CatalogError> {
    let text = commit.document.text("location").map_err(CatalogError::Invalid)?;
    let moved = commit
        .base
        .is_none_or(|base| base.document.text("location").ok() != Some(text));
    let table = if moved {
        commit.policy.check_table(text)?
    } else {
        Location::parse(text)?
    };
    for name in PATH_PROPERTIES {
        let unchanged = commit
            .base
            .is_some_and(|base| base.document.property(name) == commit.document.property(name));
        if let Some(path) = commit.document.property(name).filter(|_| moved || !unchanged) {
            commit.policy.check_part(&table, path)?;
        }
    }
    // Files written before the table moved stay where they are. Where the commit said in between that the table lies
    // counts for nothing: only so a table cannot be made of another table's files.
    let before = commit
        .base
        .and_then(|base| base.document.text("location").ok())
        .map(Location::parse)
        .transpose()?;
    let known: BTreeSet<String> = commit
        .base
        .map(|base| referenced_files(base.document))
        .unwrap_or_default()
        .into_iter()
        .collect();
    for file in referenced_files(&commit.document) {
        let lies_there = |table: &Location| commit.policy.check_part(table, &file).is_ok();
        if !known.contains(&file) && !before.as_ref().is_some_and(lies_there) {
            commit.policy.check_part(&table, &file)?;
        }
    }
    Ok(moved)
}

/// Schema, default spec and default order must fit together, and rows that exist must stay readable.
fn check_layout(commit: &Commit<'_>) -> Result<(), String> {
    let document = &commit.document;
    let version = document.format_version()?;
    let schema = document.current_schema()?;
    check_version(&schema, version)?;
    for (list, key, default) in [
        ("partition-specs", "spec-id", "default-spec-id"),
        ("sort-orders", "order-id", "default-sort-order-id"),
    ] {
        let element = document
            .element(list, key, document.int(default)?)
            .ok_or_else(|| format!("`{default}` names none of `{list}`"))?;
        if let Some(why) = misfit(fields_of(element, list)?, &schema) {
            return Err(format!("the current schema does not fit `{default}`: {why}"));
        }
    }
    let Some(base) = commit.base else {
        return Ok(());
    };
    // Rows of a main branch that was taken away and set back are read all the same.
    let is_replaced = commit.main_was_removed
        && document
            .current_snapshot_id()
            .is_none_or(|id| commit.added_snapshots.contains(&id));
    let before = base.document.current_schema()?;
    if is_replaced || before == schema {
        return Ok(());
    }
    let known: Vec<Schema> = base
        .document
        .list("schemas")
        .iter()
        .map(Schema::parse)
        .collect::<Result<_, _>>()?;
    check_evolution(
        &known,
        &before,
        &schema,
        base.document.current_snapshot_id().is_some(),
        version,
    )
}

/// The snapshot log keeps what still exists and was current between commits.
fn clean_snapshot_log(commit: &mut Commit<'_>) -> Result<(), String> {
    let current = commit.document.current_snapshot_id();
    let entries = commit.document.list_mut("snapshot-log")?.clone();
    let mut kept = Vec::with_capacity(entries.len());
    for entry in entries {
        let id = entry
            .get("snapshot-id")
            .and_then(Value::as_i64)
            .ok_or("an entry of `snapshot-log` has no `snapshot-id`")?;
        let is_intermediate = commit.added_snapshots.contains(&id) && Some(id) != current;
        if is_intermediate {
            continue;
        }
        if commit.document.snapshot(id).is_some() {
            kept.push(entry);
        } else if commit.removed_snapshots {
            // History before a gap is no history.
            kept.clear();
        }
    }
    commit.document.set("snapshot-log", Value::Array(kept));
    Ok(())
}

/// The time of the change: that of its snapshot, else now; never clearly before what is recorded.
fn record_time(commit: &mut Commit<'_>) -> Result<i64, String> {
    let Some(base) = commit.base else {
        return Ok(commit.updated_ms.unwrap_or(commit.now_ms));
    };
    let before = base.document.int("last-updated-ms")?;
    match commit.updated_ms {
        Some(updated) if updated < before.saturating_sub(CLOCK_SKEW_MS) => Err(format!(
            "the snapshot's time {updated} lies more than a minute before {before}, the table's last change"
        )),
        Some(updated) => Ok(updated),
        None => Ok(commit.now_ms.max(before)),
    }
}

/// Adds the version that the commit started from to the metadata log and answers what falls out of it and may be
/// deleted.
fn record_metadata_file(commit: &mut Commit<'_>) -> Result<Vec<String>, String> {
    let Some(base) = commit.base else {
        return Ok(Vec::new());
    };
    let entry = json!({
        "timestamp-ms": base.document.int("last-updated-ms")?,
        "metadata-file": base.metadata_location,
    });
    let keep = commit
        .document
        .property("write.metadata.previous-versions-max")
        .and_then(|text| text.parse::<usize>().ok())
        .unwrap_or(DEFAULT_PREVIOUS_VERSIONS)
        .max(1);
    let delete = commit
        .document
        .property("write.metadata.delete-after-commit.enabled")
        .is_some_and(|text| text.eq_ignore_ascii_case("true"));
    let log = commit.document.list_mut("metadata-log")?;
    log.push(entry);
    let excess = log.len().saturating_sub(keep);
    let expired = log
        .drain(..excess)
        .filter_map(|entry| entry.get("metadata-file")?.as_str().map(str::to_owned))
        .collect();
    Ok(if delete { expired } else { Vec::new() })
}
