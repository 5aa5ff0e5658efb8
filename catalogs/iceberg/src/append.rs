// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Whether a commit that says it only appends does.
//!
//! Who sees a table only in part may add rows to it and nothing else. What a snapshot says of itself proves nothing:
//! its files do. The new version must differ from the old one in snapshots alone; each new snapshot must build on the
//! head of the branch that it moves; and between it and its parent every file must stay as it was ([`files`]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::Utc;
use iceberg::spec::ManifestFile;
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::table_catalog::AppendProof;
use serde_json::{Map, Value, json};

use crate::document::Document;
use crate::manifest::{Doubt, MAX_MANIFEST_BYTES, Room};
use crate::provider::IcebergProvider;
use lakeward_storage::Location;

mod files;
mod summary;

/// Members that an append changes, and those that only repeat others for old readers.
const MOVING: [&str; 10] = [
    "snapshots",
    "refs",
    "current-snapshot-id",
    "snapshot-log",
    "metadata-log",
    "last-sequence-number",
    "last-updated-ms",
    "next-row-id",
    "schema",
    "partition-spec",
];

/// The most snapshots of one commit; a writer has one for each branch that it writes to.
const MAX_SNAPSHOTS: usize = 100;
/// How far the time of a snapshot may lie ahead. No later snapshot of anybody may be older than it.
const CLOCK_SKEW_MS: i64 = 60_000;

/// What may still be read for a commit.
#[derive(Debug)]
pub(super) struct Budget {
    bytes: u64,
    pub(super) room: Arc<Room>,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self {
            bytes: MAX_MANIFEST_BYTES,
            room: Arc::new(Room::new()),
        }
    }

    /// Takes what is needed for manifests, by what is said of their length.
    pub(super) fn take<'a>(
        &mut self,
        manifests: impl Iterator<Item = &'a ManifestFile>,
    ) -> Result<(), Doubt> {
        for manifest in manifests {
            let length = u64::try_from(manifest.manifest_length).ok();
            self.bytes = length
                .and_then(|length| self.bytes.checked_sub(length))
                .ok_or_else(|| {
                    Doubt::of(format!(
                        "it changes manifests of more than {MAX_MANIFEST_BYTES} bytes; append without merging them"
                    ))
                })?;
        }
        Ok(())
    }
}

/// Looks whether `after` only appends to `before`.
///
/// # Errors
/// [`CatalogError::Unavailable`] when the files cannot be read.
pub(crate) async fn prove(
    provider: &IcebergProvider,
    before: &Document,
    after: &Document,
) -> Result<AppendProof, CatalogError> {
    match look(provider, before, after).await {
        Ok(()) => Ok(AppendProof::Holds),
        Err(Doubt::Reason(reason) | Doubt::Missing(reason)) => Ok(AppendProof::Fails(reason)),
        Err(Doubt::Failure(error)) => Err(error),
    }
}

async fn look(provider: &IcebergProvider, before: &Document, after: &Document) -> Result<(), Doubt> {
    nothing_else_changed(before, after)?;
    let steps = steps(before, after)?;
    if steps.len() > MAX_SNAPSHOTS {
        return Err(Doubt::of(format!("it adds more than {MAX_SNAPSHOTS} snapshots")));
    }
    counts_on(before, after, &steps)?;
    let table = after
        .text("location")
        .map_err(Doubt::Reason)
        .and_then(|location| Location::parse(location).map_err(Doubt::Failure))?;
    let mut budget = Budget::new();
    for step in steps {
        files::only_added(provider, &table, after, &step, &mut budget).await?;
    }
    Ok(())
}

/// One new snapshot on what it builds on; `None` for the first of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step<'a> {
    pub(crate) parent: Option<&'a Value>,
    pub(crate) snapshot: &'a Value,
}

/// Whether what every later commit must go beyond moves by what the snapshots need: with the greatest sequence number,
/// row id or time nobody could commit any more.
fn counts_on(before: &Document, after: &Document, steps: &[Step<'_>]) -> Result<(), Doubt> {
    let number = |value: &Value, member: &str| value.get(member).and_then(Value::as_i64);
    let now = Utc::now().timestamp_millis();
    let late =
        |step: &Step<'_>| number(step.snapshot, "timestamp-ms").is_none_or(|at| at > now + CLOCK_SKEW_MS);
    if steps.iter().any(late) {
        return Err(Doubt::of("its snapshot is of a time to come"));
    }
    let version = after.format_version().map_err(Doubt::Reason)?;
    if version >= 2 {
        let last = before.int("last-sequence-number").unwrap_or(0);
        let highest = last.saturating_add(i64::try_from(steps.len()).unwrap_or(i64::MAX));
        let follows = |step: &Step<'_>| {
            number(step.snapshot, "sequence-number").is_some_and(|number| number > last && number <= highest)
        };
        if !steps.iter().all(follows) {
            return Err(Doubt::of("its sequence number is not the next one"));
        }
    }
    if version >= 3 {
        let mut next = before.int("next-row-id").unwrap_or(0);
        let known = snapshots(before);
        let is_new =
            |snapshot: &&Value| number(snapshot, "snapshot-id").is_some_and(|id| !known.contains_key(&id));
        // In the order in which they were added, which is that of their numbers.
        for snapshot in after.list("snapshots").iter().filter(is_new) {
            if number(snapshot, "first-row-id") != Some(next) {
                return Err(Doubt::of("its `first-row-id` is not the next one"));
            }
            next = next.saturating_add(number(snapshot, "added-rows").unwrap_or(0));
        }
    }
    Ok(())
}

fn nothing_else_changed(before: &Document, after: &Document) -> Result<(), Doubt> {
    let names: BTreeSet<&str> = before.names().chain(after.names()).collect();
    let is_empty = |value: &Value| {
        value.is_null()
            || value.as_array().is_some_and(Vec::is_empty)
            || value.as_object().is_some_and(Map::is_empty)
    };
    for name in names.into_iter().filter(|name| !MOVING.contains(name)) {
        let one = before.get(name).filter(|value| !is_empty(value));
        let other = after.get(name).filter(|value| !is_empty(value));
        if one != other {
            return Err(Doubt::of(format!("it changes `{name}`")));
        }
    }
    Ok(())
}

/// Every new snapshot, in the order in which the branches reach them.
fn steps<'a>(before: &'a Document, after: &'a Document) -> Result<Vec<Step<'a>>, Doubt> {
    let known = snapshots(before);
    let now = snapshots(after);
    if known.iter().any(|(id, snapshot)| now.get(id) != Some(snapshot)) {
        return Err(Doubt::of("it removes or rewrites a snapshot"));
    }
    let mut unreached: BTreeSet<i64> = now.keys().filter(|id| !known.contains_key(id)).copied().collect();
    let mut steps = Vec::new();
    for Moved { branch, head, tip } in moved_branches(before, after)? {
        let mut at = tip;
        let mut chain = Vec::new();
        while Some(at) != head {
            let snapshot = now
                .get(&at)
                .filter(|_| unreached.remove(&at))
                .ok_or_else(|| Doubt::of(format!("it moves `{branch}` away from where it was")))?;
            let parent = snapshot.get("parent-snapshot-id").and_then(Value::as_i64);
            chain.push(Step {
                parent: parent.and_then(|parent| now.get(&parent).copied()),
                snapshot,
            });
            match (parent, head) {
                (Some(parent), _) => at = parent,
                (None, None) => break,
                (None, Some(_)) => {
                    return Err(Doubt::of(format!("it moves `{branch}` away from where it was")));
                }
            }
        }
        steps.extend(chain.into_iter().rev());
    }
    if !unreached.is_empty() {
        return Err(Doubt::of("it adds a snapshot that no branch reaches"));
    }
    Ok(steps)
}

fn snapshots(document: &Document) -> BTreeMap<i64, &Value> {
    document
        .list("snapshots")
        .iter()
        .filter_map(|snapshot| Some((snapshot.get("snapshot-id")?.as_i64()?, snapshot)))
        .collect()
}

/// A branch that moves.
struct Moved<'a> {
    branch: &'a str,
    /// Where it was; `None` where it did not exist.
    head: Option<i64>,
    /// Where it is now.
    tip: i64,
}

/// Each branch that moves. Nothing else of branches and tags may change, since what
/// they keep is kept for others.
fn moved_branches<'a>(before: &Document, after: &'a Document) -> Result<Vec<Moved<'a>>, Doubt> {
    let none = Map::new();
    let references = |document: &Document| {
        let references = document.get("refs").and_then(Value::as_object);
        references.unwrap_or(&none).clone()
    };
    let old = references(before);
    if old.keys().any(|name| after.reference(name).is_none()) {
        return Err(Doubt::of("it removes a branch or tag"));
    }
    let now = after.get("refs").and_then(Value::as_object);
    let mut moved = Vec::new();
    for (name, reference) in now.into_iter().flatten() {
        let head = |reference: &Value| reference.get("snapshot-id").and_then(Value::as_i64);
        let tip = head(reference).ok_or_else(|| Doubt::of(format!("`{name}` names no snapshot")))?;
        match old.get(name) {
            Some(known) if known == reference => {}
            Some(known) if is_branch_with(reference, known) => moved.push(Moved {
                branch: name,
                head: head(known),
                tip,
            }),
            None if name == crate::snapshot_updates::MAIN
                && before.current_snapshot_id().is_none()
                && is_branch_with(reference, &json!({ "type": "branch" })) =>
            {
                moved.push(Moved {
                    branch: name,
                    head: None,
                    tip,
                });
            }
            Some(_) | None => {
                return Err(Doubt::of(format!(
                    "it makes or changes the branch or tag `{name}`"
                )));
            }
        }
    }
    Ok(moved)
}

/// Whether a reference is a branch like `known` but for its snapshot.
fn is_branch_with(reference: &Value, known: &Value) -> bool {
    let but_snapshot = |reference: &Value| {
        let mut members = reference.as_object().cloned().unwrap_or_default();
        members.remove("snapshot-id");
        members
    };
    known.get("type") == Some(&json!("branch")) && but_snapshot(reference) == but_snapshot(known)
}
