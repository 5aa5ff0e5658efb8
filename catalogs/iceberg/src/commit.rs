// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Applies the updates of a commit to a document.

use std::collections::BTreeSet;

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::table_catalog::{CommitEffect, IcebergCommit};
use serde_json::{Value, json};

use crate::creation::{DEFAULT_FORMAT_VERSION, empty_document};
use crate::document::Document;
use crate::location_policy::LocationPolicy;
use crate::schema::int32;
use crate::{
    commit_end, layout_updates, property_updates, requirements, schema_updates, snapshot_updates,
    statistics_updates,
};

/// The most updates of one commit. Updates look at what is there already, so their cost grows with their square; real
/// commits have a handful, one that expires snapshots one by one has thousands.
const MAX_UPDATES: usize = 20_000;
/// The most schemas, specs and orders that one commit adds; each is compared with all others as a whole.
const MAX_ADDED_LAYOUTS: usize = 500;

/// The version that a commit starts from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Base<'a> {
    /// Where it is stored.
    pub(crate) metadata_location: &'a str,
    /// What it says.
    pub(crate) document: &'a Document,
}

/// A commit while its updates are applied.
#[derive(Debug)]
pub(crate) struct Commit<'a> {
    /// The metadata as changed so far.
    pub(crate) document: Document,
    /// What it started from; `None` for a table that the commit creates.
    pub(crate) base: Option<Base<'a>>,
    /// Where files may lie.
    pub(crate) policy: &'a LocationPolicy,
    /// The time of the commit, epoch milliseconds.
    pub(crate) now_ms: i64,
    /// When the document was last changed by a snapshot of this commit.
    pub(crate) updated_ms: Option<i64>,
    /// Ids that `-1` ("last added") stands for.
    pub(crate) last_added_schema: Option<i32>,
    pub(crate) last_added_spec: Option<i32>,
    pub(crate) last_added_order: Option<i32>,
    /// Snapshots that this commit added.
    pub(crate) added_snapshots: BTreeSet<i64>,
    /// Whether snapshots were removed.
    pub(crate) removed_snapshots: bool,
    /// Whether the main branch was taken away, as `CREATE OR REPLACE` does: then old rows are no longer read with
    /// the new schema.
    pub(crate) main_was_removed: bool,
    /// What the commit does to what exists.
    pub(crate) effect: CommitEffect,
}

/// A finished commit.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) document: Document,
    pub(crate) effect: CommitEffect,
    pub(crate) location_is_new: bool,
    pub(crate) expired_metadata: Vec<String>,
}

/// Checks the requirements of a commit and applies its updates, in order, all or none.
///
/// # Errors
/// [`CatalogError::RequirementFailed`], [`CatalogError::Invalid`], [`CatalogError::Unsupported`],
/// [`CatalogError::LocationRefused`].
pub(crate) fn apply(
    base: Option<Base<'_>>,
    commit: &IcebergCommit,
    policy: &LocationPolicy,
    now_ms: i64,
) -> Result<Outcome, CatalogError> {
    requirements::check(&commit.requirements, base.map(|base| base.document))?;
    check_size(&commit.updates)?;
    let document = match base {
        Some(base) => base.document.clone(),
        None => {
            if !requirements::asserts_create(&commit.requirements) {
                return Err(CatalogError::Invalid(
                    "a commit that creates a table must assert that it creates".to_owned(),
                ));
            }
            empty_document(wanted_format_version(&commit.updates))
        }
    };
    let mut state = Commit {
        document,
        base,
        policy,
        now_ms,
        updated_ms: None,
        last_added_schema: None,
        last_added_spec: None,
        last_added_order: None,
        added_snapshots: BTreeSet::new(),
        removed_snapshots: false,
        main_was_removed: false,
        effect: if base.is_some() && !commit.updates.is_empty() {
            CommitEffect::AppendsOnly
        } else {
            CommitEffect::Changes
        },
    };
    for (position, update) in commit.updates.iter().enumerate() {
        let action = update.get("action").and_then(Value::as_str).unwrap_or_default();
        state.apply_one(update).map_err(|error| match error {
            CatalogError::Invalid(flaw) => {
                CatalogError::Invalid(format!("update {} (`{action}`): {flaw}", position + 1))
            }
            other @ (CatalogError::Unsupported(_)
            | CatalogError::LocationRefused(_)
            | CatalogError::RequirementFailed(_)
            | CatalogError::MetadataMissing(_)
            | CatalogError::MetadataInvalid { .. }
            | CatalogError::MetadataChanged(_)
            | CatalogError::FileExists(_)
            | CatalogError::Unavailable(_)) => other,
        })?;
    }
    commit_end::finish(state)
}

impl Commit<'_> {
    /// The id after all that the list has or had before this commit: what the commit removed must not lend its id to
    /// something else, since snapshots and data files still name it.
    pub(crate) fn next_id(&self, list: &str, key: &str, first: i32) -> Result<i32, CatalogError> {
        let before = self.base.map_or(&[][..], |base| base.document.list(list));
        let named = self.document.list("snapshots");
        self.document
            .list(list)
            .iter()
            .chain(before)
            .map(|element| element.get(key).and_then(int32).unwrap_or(0))
            .chain(
                named
                    .iter()
                    .filter_map(|snapshot| snapshot.get(key).and_then(int32)),
            )
            .max()
            .map_or(Some(first), |highest| {
                highest.checked_add(1).map(|next| next.max(first))
            })
            .ok_or_else(|| CatalogError::Invalid(format!("the ids of `{list}` are used up")))
    }

    fn apply_one(&mut self, update: &Value) -> Result<(), CatalogError> {
        let action = update
            .get("action")
            .and_then(Value::as_str)
            .ok_or_else(|| CatalogError::Invalid("an update has no `action`".to_owned()))?;
        if !snapshot_updates::is_append(self, action, update) {
            self.effect = CommitEffect::Changes;
        }
        match action {
            "assign-uuid" => property_updates::assign_uuid(self, update),
            "upgrade-format-version" => self.upgrade_format_version(update),
            "add-schema" => schema_updates::add_schema(self, update),
            "set-current-schema" => schema_updates::set_current_schema(self, update),
            "remove-schemas" => schema_updates::remove_schemas(self, update),
            "add-spec" => layout_updates::add_spec(self, update),
            "set-default-spec" => layout_updates::set_default_spec(self, update),
            "remove-partition-specs" => layout_updates::remove_partition_specs(self, update),
            "add-sort-order" => layout_updates::add_sort_order(self, update),
            "set-default-sort-order" => layout_updates::set_default_sort_order(self, update),
            "add-snapshot" => snapshot_updates::add_snapshot(self, update),
            "set-snapshot-ref" => snapshot_updates::set_snapshot_ref(self, update),
            "remove-snapshots" => snapshot_updates::remove_snapshots(self, update),
            "remove-snapshot-ref" => snapshot_updates::remove_snapshot_ref(self, update),
            "set-location" => property_updates::set_location(self, update),
            "set-properties" => property_updates::set_properties(self, update),
            "remove-properties" => property_updates::remove_properties(self, update),
            "set-statistics" => statistics_updates::set(self, update, statistics_updates::Kind::Table),
            "remove-statistics" => statistics_updates::remove(self, update, statistics_updates::Kind::Table),
            "set-partition-statistics" => {
                statistics_updates::set(self, update, statistics_updates::Kind::Partition)
            }
            "remove-partition-statistics" => {
                statistics_updates::remove(self, update, statistics_updates::Kind::Partition)
            }
            "add-encryption-key" => property_updates::add_encryption_key(self, update),
            "remove-encryption-key" => property_updates::remove_encryption_key(self, update),
            unknown => Err(CatalogError::Unsupported(format!(
                "`{unknown}` is not a known update of a table"
            ))),
        }
    }

    fn upgrade_format_version(&mut self, update: &Value) -> Result<(), CatalogError> {
        let wanted = int(update, "format-version")?;
        let current = self.document.format_version().map_err(CatalogError::Invalid)?;
        if !(1..=3).contains(&wanted) {
            return Err(CatalogError::Invalid(format!(
                "format version {wanted} is not supported; 1, 2 and 3 are"
            )));
        }
        if wanted < current {
            return Err(CatalogError::Invalid(format!(
                "a table of format version {current} cannot be downgraded to {wanted}"
            )));
        }
        if wanted == current {
            return Ok(());
        }
        self.document.set("format-version", wanted);
        if current < 2 {
            self.document.set("last-sequence-number", 0);
            // Version 1 has no sequence numbers; readers of later ones expect them.
            let snapshots = self
                .document
                .list_mut("snapshots")
                .map_err(CatalogError::Invalid)?;
            for snapshot in snapshots.iter_mut().filter_map(Value::as_object_mut) {
                snapshot.entry("sequence-number").or_insert_with(|| 0.into());
            }
        }
        if wanted >= 3 {
            self.document.set("next-row-id", 0);
            let snapshot = self.document.current_snapshot_id();
            self.document.set_current_snapshot_id(snapshot);
        }
        Ok(())
    }
}

/// Refuses a commit that would keep the server busy for hours.
fn check_size(updates: &[Value]) -> Result<(), CatalogError> {
    let adds_layout = |update: &&Value| {
        let action = update.get("action").and_then(Value::as_str);
        matches!(action, Some("add-schema" | "add-spec" | "add-sort-order"))
    };
    if updates.len() > MAX_UPDATES || updates.iter().filter(adds_layout).count() > MAX_ADDED_LAYOUTS {
        return Err(CatalogError::Invalid(format!(
            "a commit has at most {MAX_UPDATES} updates and adds at most {MAX_ADDED_LAYOUTS} schemas, partition specs \
             and sort orders; make several commits"
        )));
    }
    Ok(())
}

/// The format version that a creating commit asks for.
fn wanted_format_version(updates: &[Value]) -> i64 {
    updates
        .iter()
        .find(|update| update.get("action") == Some(&json!("upgrade-format-version")))
        .and_then(|update| update.get("format-version"))
        .and_then(Value::as_i64)
        .filter(|version| (1..=3).contains(version))
        .unwrap_or(DEFAULT_FORMAT_VERSION)
}

/// A whole number that an update must have.
pub(crate) fn int(update: &Value, member: &str) -> Result<i64, CatalogError> {
    update
        .get(member)
        .and_then(Value::as_i64)
        .ok_or_else(|| CatalogError::Invalid(format!("`{member}` is missing or no whole number")))
}

/// A 32-bit id that an update must have.
pub(crate) fn id(update: &Value, member: &str) -> Result<i32, CatalogError> {
    i32::try_from(int(update, member)?)
        .map_err(|_| CatalogError::Invalid(format!("`{member}` does not fit into 32 bits")))
}

/// A text that an update must have.
pub(crate) fn text<'a>(update: &'a Value, member: &str) -> Result<&'a str, CatalogError> {
    update
        .get(member)
        .and_then(Value::as_str)
        .ok_or_else(|| CatalogError::Invalid(format!("`{member}` is missing or no text")))
}

/// An object that an update must have.
pub(crate) fn object<'a>(update: &'a Value, member: &str) -> Result<&'a Value, CatalogError> {
    update
        .get(member)
        .filter(|value| value.is_object())
        .ok_or_else(|| CatalogError::Invalid(format!("`{member}` is missing or no object")))
}

/// A list of whole numbers that an update must have.
pub(crate) fn ids(update: &Value, member: &str) -> Result<BTreeSet<i64>, CatalogError> {
    update
        .get(member)
        .and_then(Value::as_array)
        .and_then(|ids| ids.iter().map(Value::as_i64).collect())
        .ok_or_else(|| CatalogError::Invalid(format!("`{member}` is missing or no list of whole numbers")))
}
