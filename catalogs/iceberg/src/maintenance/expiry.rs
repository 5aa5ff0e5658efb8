// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which snapshots, branches and tags may go: the retention policy of the table specification ("Snapshot Retention
//! Policy"), computed from the document alone.

use std::collections::{BTreeMap, BTreeSet};

use lakeward_catalog::table_catalog::IcebergCommit;
use lakeward_catalog::table_maintenance::{Expiry, PlannedExpiry};
use serde_json::{Value, json};

use crate::document::{Document, Flaw};
use crate::snapshot_updates::MAIN;

/// How old a snapshot becomes where nobody says: five days.
const DEFAULT_MAX_SNAPSHOT_AGE_MS: i64 = 5 * 24 * 60 * 60 * 1000;
/// How old one of no branch or tag becomes at least, unless it is said that it need not: it may be staged, and about to be
/// published.
const LEAST_STAGED_AGE_MS: i64 = 24 * 60 * 60 * 1000;

/// A snapshot, as far as it matters here.
#[derive(Debug, Clone, Copy)]
struct Snapshot {
    parent: Option<i64>,
    timestamp: i64,
}

/// A branch or tag.
#[derive(Debug)]
struct Reference<'a> {
    name: &'a str,
    snapshot: i64,
    is_branch: bool,
    min_snapshots: Option<u64>,
    max_snapshot_age: Option<i64>,
    max_age: Option<i64>,
}

/// Plans an expiry.
///
/// # Errors
/// What is wrong with the document.
pub(super) fn plan(document: &Document, expiry: &Expiry) -> Result<PlannedExpiry, Flaw> {
    let snapshots = snapshots(document)?;
    let references = references(document)?;
    let max_age = number(document, "history.expire.max-snapshot-age-ms")?;
    let age = max_age.unwrap_or(DEFAULT_MAX_SNAPSHOT_AGE_MS);
    let older_than = expiry
        .older_than
        .unwrap_or_else(|| expiry.now.saturating_sub(age));
    let min_snapshots = number(document, "history.expire.min-snapshots-to-keep")?;
    let min_snapshots = expiry
        .retain_last
        .or_else(|| min_snapshots.and_then(|number| u64::try_from(number).ok()))
        .unwrap_or(1);
    let max_reference_age = number(document, "history.expire.max-ref-age-ms")?.unwrap_or(i64::MAX);

    let (kept, gone): (Vec<&Reference<'_>>, Vec<_>) = references.iter().partition(|reference| {
        let max_age = reference.max_age.unwrap_or(max_reference_age);
        // One that points to nothing is not for an expiry to judge.
        reference.name == MAIN
            || snapshots
                .get(&reference.snapshot)
                .is_none_or(|snapshot| expiry.now.saturating_sub(snapshot.timestamp) <= max_age)
    });
    let mut retained: BTreeSet<i64> = kept.iter().map(|reference| reference.snapshot).collect();
    retained.extend(document.current_snapshot_id());
    let mut referenced = retained.clone();
    for branch in kept.iter().filter(|reference| reference.is_branch) {
        let older_than = branch
            .max_snapshot_age
            .map_or(older_than, |age| expiry.now.saturating_sub(age));
        let min = branch.min_snapshots.unwrap_or(min_snapshots);
        let mut is_retained = true;
        for (position, (id, snapshot)) in (0_u64..).zip(ancestors(&snapshots, branch.snapshot)) {
            referenced.insert(id);
            // The history of a branch ends at the first one that goes.
            is_retained = is_retained && (position < min || snapshot.timestamp >= older_than);
            if is_retained {
                retained.insert(id);
            }
        }
    }
    let staged_since = if expiry.allow_recent {
        older_than
    } else {
        older_than.min(expiry.now.saturating_sub(LEAST_STAGED_AGE_MS))
    };
    let expired: Vec<i64> = document
        .list("snapshots")
        .iter()
        .filter_map(|snapshot| snapshot.get("snapshot-id")?.as_i64())
        .filter(|id| {
            let is_young = snapshots.get(id).is_some_and(|it| it.timestamp >= staged_since);
            !retained.contains(id) && (referenced.contains(id) || !is_young)
        })
        .collect();
    let gone: Vec<String> = gone
        .into_iter()
        .map(|reference| reference.name.to_owned())
        .collect();
    Ok(PlannedExpiry {
        commit: commit(document, &references, &gone, &expired)?,
        snapshots: expired,
        references: gone,
    })
}

/// A snapshot with all before it, the youngest first. A circle, which no honest writer makes, ends where it began.
fn ancestors(snapshots: &BTreeMap<i64, Snapshot>, from: i64) -> impl Iterator<Item = (i64, Snapshot)> {
    let mut seen = BTreeSet::new();
    let mut next = Some(from);
    std::iter::from_fn(move || {
        let id = next?;
        let snapshot = *snapshots.get(&id).filter(|_| seen.insert(id))?;
        next = snapshot.parent;
        Some((id, snapshot))
    })
}

/// The commit. It requires of every branch and tag that it has not moved: what somebody points to meanwhile stays.
fn commit(
    document: &Document,
    references: &[Reference<'_>],
    gone: &[String],
    expired: &[i64],
) -> Result<IcebergCommit, Flaw> {
    let mut requirements = vec![json!({"type": "assert-table-uuid", "uuid": document.text("table-uuid")?})];
    requirements.extend(references.iter().map(|reference| {
        json!({"type": "assert-ref-snapshot-id", "ref": reference.name, "snapshot-id": reference.snapshot})
    }));
    let mut updates: Vec<Value> = gone
        .iter()
        .map(|name| json!({"action": "remove-snapshot-ref", "ref-name": name}))
        .collect();
    if !expired.is_empty() {
        updates.push(json!({"action": "remove-snapshots", "snapshot-ids": expired}));
    }
    Ok(IcebergCommit {
        requirements,
        updates,
    })
}

fn snapshots(document: &Document) -> Result<BTreeMap<i64, Snapshot>, Flaw> {
    let of = |snapshot: &Value| {
        let number = |member: &str| snapshot.get(member).and_then(Value::as_i64);
        let read = Snapshot {
            parent: number("parent-snapshot-id"),
            timestamp: number("timestamp-ms")?,
        };
        Some((number("snapshot-id")?, read))
    };
    document
        .list("snapshots")
        .iter()
        .map(|snapshot| of(snapshot).ok_or_else(|| "a snapshot has no id or no time".to_owned()))
        .collect()
}

fn references(document: &Document) -> Result<Vec<Reference<'_>>, Flaw> {
    let Some(references) = document.get("refs") else {
        return Ok(Vec::new());
    };
    let references = references.as_object().ok_or("`refs` is no object")?;
    references
        .iter()
        .map(|(name, reference)| {
            let positive = |member: &str| match reference.get(member).filter(|value| !value.is_null()) {
                None => Ok(None),
                Some(value) => value
                    .as_i64()
                    .filter(|number| *number > 0)
                    .map(Some)
                    .ok_or_else(|| format!("`{member}` of `{name}` is no positive number")),
            };
            Ok(Reference {
                name,
                snapshot: reference
                    .get("snapshot-id")
                    .and_then(Value::as_i64)
                    .ok_or_else(|| format!("`{name}` points to no snapshot"))?,
                is_branch: match reference.get("type").and_then(Value::as_str) {
                    Some("branch") => true,
                    Some("tag") => false,
                    Some(_) | None => return Err(format!("`{name}` is neither a branch nor a tag")),
                },
                min_snapshots: positive("min-snapshots-to-keep")?
                    .and_then(|number| u64::try_from(number).ok()),
                max_snapshot_age: positive("max-snapshot-age-ms")?,
                max_age: positive("max-ref-age-ms")?,
            })
        })
        .collect()
}

/// A property that must be a positive number where it is set.
fn number(document: &Document, property: &str) -> Result<Option<i64>, Flaw> {
    let Some(text) = document.property(property) else {
        return Ok(None);
    };
    text.trim()
        .parse()
        .ok()
        .filter(|number| *number > 0)
        .map(Some)
        .ok_or_else(|| format!("the property `{property}` is `{text}` and no positive number"))
}

#[cfg(test)]
mod tests;
