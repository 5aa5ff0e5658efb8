// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Applies the updates of a commit to the document of a view, or to none, which makes a new one.

use std::collections::BTreeSet;

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::table_catalog::IcebergCommit;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::reading::{self, FORMAT_VERSION, check_version, dialects, id_of};
use crate::commit::{id, int, object, text};
use crate::document::Document;
use crate::location_policy::{LocationPolicy, PATH_PROPERTIES};
use crate::property_updates::{put_properties, take_properties};
use crate::schema::{Schema, int32};
use crate::schema_updates::{LAST_ADDED, same_schema};
use lakeward_storage::spelled;

/// The most updates of one commit; real ones have three.
const MAX_UPDATES: usize = 1000;
/// How many versions are kept when the view does not say.
const DEFAULT_HISTORY: usize = 10;
/// The property that says how many versions are kept.
const HISTORY: &str = "version.history.num-entries";
/// The property that allows a new version to lack a dialect that the version before had.
const DROP_DIALECT: &str = "replace.drop-dialect.allowed";

/// A commit while its updates are applied.
#[derive(Debug)]
struct Commit<'a> {
    document: Document,
    base: Option<&'a Document>,
    policy: &'a LocationPolicy,
    now_ms: i64,
    last_added_schema: Option<i32>,
    last_added_version: Option<i32>,
    added_versions: BTreeSet<i32>,
    log_entry: Option<Value>,
}

/// Checks the requirements and applies the updates, in order, all or none.
///
/// # Errors
/// [`CatalogError::RequirementFailed`], [`CatalogError::Invalid`], [`CatalogError::Unsupported`],
/// [`CatalogError::LocationRefused`].
pub(super) fn apply(
    base: Option<&Document>,
    commit: &IcebergCommit,
    policy: &LocationPolicy,
    now_ms: i64,
) -> Result<Document, CatalogError> {
    check_requirements(&commit.requirements, base)?;
    if commit.updates.len() > MAX_UPDATES {
        return Err(CatalogError::Invalid(format!(
            "a commit to a view has at most {MAX_UPDATES} updates"
        )));
    }
    let mut state = Commit {
        document: base.cloned().unwrap_or_else(empty_document),
        base,
        policy,
        now_ms,
        last_added_schema: None,
        last_added_version: None,
        added_versions: BTreeSet::new(),
        log_entry: None,
    };
    for (position, update) in commit.updates.iter().enumerate() {
        let action = text(update, "action")?;
        state.apply_one(action, update).map_err(|error| match error {
            CatalogError::Invalid(flaw) if !flaw.starts_with("Invalid view version") => {
                CatalogError::Invalid(format!("update {} (`{action}`): {flaw}", position + 1))
            }
            other @ (CatalogError::Invalid(_)
            | CatalogError::Unsupported(_)
            | CatalogError::LocationRefused(_)
            | CatalogError::RequirementFailed(_)
            | CatalogError::MetadataMissing(_)
            | CatalogError::MetadataInvalid { .. }
            | CatalogError::MetadataChanged(_)
            | CatalogError::FileExists(_)
            | CatalogError::Unavailable(_)) => other,
        })?;
    }
    state.finish()
}

fn empty_document() -> Document {
    let mut members = Map::new();
    members.insert(
        "view-uuid".to_owned(),
        json!(Uuid::new_v4().hyphenated().to_string()),
    );
    members.insert("format-version".to_owned(), json!(FORMAT_VERSION));
    for list in ["schemas", "versions", "version-log"] {
        members.insert(list.to_owned(), json!([]));
    }
    members.insert("properties".to_owned(), json!({}));
    Document::of(members)
}

fn check_requirements(requirements: &[Value], base: Option<&Document>) -> Result<(), CatalogError> {
    // Unknown ones first: a commit must not be answered "conflict, retry" for a demand that nobody can meet.
    for requirement in requirements {
        match requirement.get("type").and_then(Value::as_str) {
            Some("assert-view-uuid") => {}
            Some(unknown) => {
                return Err(CatalogError::Unsupported(format!(
                    "`{unknown}` is not a known requirement of a view commit"
                )));
            }
            None => return Err(CatalogError::Invalid("a requirement has no `type`".to_owned())),
        }
    }
    for requirement in requirements {
        let expected = text(requirement, "uuid")?;
        let found = base.map_or(Ok(""), |base| {
            base.text("view-uuid").map_err(CatalogError::Invalid)
        })?;
        if !found.eq_ignore_ascii_case(expected) {
            return Err(CatalogError::RequirementFailed(format!(
                "view UUID does not match: expected {expected} != {found}"
            )));
        }
    }
    Ok(())
}

impl Commit<'_> {
    fn apply_one(&mut self, action: &str, update: &Value) -> Result<(), CatalogError> {
        match action {
            "assign-uuid" => self.assign_uuid(update),
            "upgrade-format-version" => match int(update, "format-version")? {
                FORMAT_VERSION => Ok(()),
                other => Err(CatalogError::Invalid(format!(
                    "format version {other} of views is not supported; 1 is"
                ))),
            },
            "set-location" => {
                let location = text(update, "location")?;
                let canonical = self.policy.check_table(location)?;
                self.document.set("location", spelled(location, &canonical));
                Ok(())
            }
            "set-properties" => put_properties(&mut self.document, update, |_| Ok(())),
            "remove-properties" => take_properties(&mut self.document, update),
            "add-schema" => self.add_schema(object(update, "schema")?),
            "add-view-version" => self.add_version(object(update, "view-version")?),
            "set-current-view-version" => self.set_current_version(id(update, "view-version-id")?),
            unknown => Err(CatalogError::Unsupported(format!(
                "`{unknown}` is not a known update of a view"
            ))),
        }
    }

    fn assign_uuid(&mut self, update: &Value) -> Result<(), CatalogError> {
        let wanted = text(update, "uuid")?;
        let wanted = Uuid::parse_str(wanted)
            .map_err(|_| CatalogError::Invalid(format!("`{wanted}` is no UUID")))?
            .hyphenated()
            .to_string();
        let current = self.document.text("view-uuid").map_err(CatalogError::Invalid)?;
        if self.base.is_some() && !current.eq_ignore_ascii_case(&wanted) {
            return Err(CatalogError::Invalid(
                "the view has a UUID, which cannot be changed".to_owned(),
            ));
        }
        if self.base.is_none() {
            self.document.set("view-uuid", wanted);
        }
        Ok(())
    }

    /// Keeps an equal schema, else adds one under the next id.
    fn add_schema(&mut self, json: &Value) -> Result<(), CatalogError> {
        Schema::parse(json).map_err(CatalogError::Invalid)?;
        let mut next = 0;
        for existing in self.document.list("schemas") {
            let existing_id = existing.get("schema-id").and_then(int32).unwrap_or(0);
            if same_schema(existing, json) {
                self.last_added_schema = Some(existing_id);
                return Ok(());
            }
            next = after(existing_id, next)?;
        }
        let mut json = json.clone();
        if let Some(members) = json.as_object_mut() {
            members.insert("schema-id".to_owned(), next.into());
        }
        let schemas = self.document.list_mut("schemas");
        schemas.map_err(CatalogError::Invalid)?.push(json);
        self.last_added_schema = Some(next);
        Ok(())
    }

    /// Keeps a version that means the same, else adds one under its id, or the next one where that is taken.
    fn add_version(&mut self, json: &Value) -> Result<(), CatalogError> {
        let mut version = json.clone();
        let schema = match id(json, "schema-id")? {
            LAST_ADDED => self
                .last_added_schema
                .ok_or_else(|| CatalogError::Invalid("no schema was added by this commit".to_owned()))?,
            schema => schema,
        };
        self.document.schema(schema).map_err(CatalogError::Invalid)?;
        let mut version_id = id(json, "version-id")?.max(1);
        let mut same = None;
        if let Some(members) = version.as_object_mut() {
            members.insert("schema-id".to_owned(), schema.into());
        }
        for existing in self.document.list("versions") {
            let existing_id = id_of(existing, "version-id").map_err(CatalogError::Invalid)?;
            if means_the_same(existing, &version) {
                same = Some(existing_id);
            }
            version_id = after(existing_id, version_id)?;
        }
        if let Some(same) = same {
            self.last_added_version = Some(same);
            return Ok(());
        }
        if let Some(members) = version.as_object_mut() {
            members.insert("version-id".to_owned(), version_id.into());
        }
        check_version(&version).map_err(CatalogError::Invalid)?;
        let versions = self.document.list_mut("versions");
        versions.map_err(CatalogError::Invalid)?.push(version);
        self.added_versions.insert(version_id);
        self.last_added_version = Some(version_id);
        Ok(())
    }

    fn set_current_version(&mut self, wanted: i32) -> Result<(), CatalogError> {
        let wanted = match wanted {
            LAST_ADDED => self.last_added_version.ok_or_else(|| {
                CatalogError::Invalid("no view version was added by this commit".to_owned())
            })?,
            id => id,
        };
        let version = self
            .document
            .element("versions", "version-id", i64::from(wanted))
            .ok_or_else(|| CatalogError::Invalid(format!("there is no view version {wanted}")))?;
        if self.document.id("current-version-id") == Ok(wanted) {
            return Ok(());
        }
        // The time of a version that comes back is now, not that of its making.
        let time = version
            .get("timestamp-ms")
            .filter(|_| self.added_versions.contains(&wanted))
            .cloned()
            .unwrap_or_else(|| json!(self.now_ms));
        self.log_entry = Some(json!({ "timestamp-ms": time, "version-id": wanted }));
        self.document.set("current-version-id", wanted);
        Ok(())
    }

    fn finish(mut self) -> Result<Document, CatalogError> {
        if let Some(entry) = self.log_entry.take() {
            let log = self.document.list_mut("version-log");
            log.map_err(CatalogError::Invalid)?.push(entry);
        }
        let facts = reading::check(&self.document).map_err(CatalogError::Invalid)?;
        self.check_dialects()?;
        self.expire_versions()?;
        let location = self.policy.check_table(&facts.location)?;
        for name in PATH_PROPERTIES {
            if let Some(path) = self.document.property(name)
                && self.base.and_then(|base| base.property(name)) != Some(path)
            {
                self.policy.check_part(&location, path)?;
            }
        }
        Ok(self.document)
    }

    /// A new current version has every dialect of the one before, unless the view allows to lose one.
    fn check_dialects(&self) -> Result<(), CatalogError> {
        let is_allowed = self
            .document
            .property(DROP_DIALECT)
            .is_some_and(|text| text.eq_ignore_ascii_case("true"));
        let (Some(base), false) = (self.base, is_allowed) else {
            return Ok(());
        };
        let current = |document: &Document| {
            let id = document.int("current-version-id").ok()?;
            document.element("versions", "version-id", id).map(dialects)
        };
        let (Some(before), Some(after)) = (current(base), current(&self.document)) else {
            return Ok(());
        };
        match before.difference(&after).next() {
            None => Ok(()),
            Some(lost) => Err(CatalogError::Invalid(format!(
                "Cannot replace view due to loss of view dialects ({DROP_DIALECT}=false): the new version has no query \
                 for `{lost}`; add one, or set the property to `true`"
            ))),
        }
    }

    /// Keeps the newest versions, and of the log what follows the last entry of a version that is gone.
    fn expire_versions(&mut self) -> Result<(), CatalogError> {
        let keep = match self.document.property(HISTORY) {
            None => DEFAULT_HISTORY,
            Some(text) => text.parse().ok().filter(|keep| *keep > 0).ok_or_else(|| {
                CatalogError::Invalid(format!(
                    "`{HISTORY}` must be a positive whole number, not `{text}`"
                ))
            })?,
        };
        let current = self
            .document
            .id("current-version-id")
            .map_err(CatalogError::Invalid)?;
        let mut kept = self.added_versions.clone();
        kept.insert(current);
        let ids: BTreeSet<i32> = self
            .document
            .list("versions")
            .iter()
            .filter_map(|version| version.get("version-id").and_then(int32))
            .collect();
        for id in ids.iter().rev() {
            if kept.len() >= keep {
                break;
            }
            kept.insert(*id);
        }
        if ids.is_subset(&kept) {
            return Ok(());
        }
        let is_kept = |element: &Value| {
            element
                .get("version-id")
                .and_then(int32)
                .is_some_and(|id| kept.contains(&id))
        };
        let versions = self.document.list_mut("versions");
        versions.map_err(CatalogError::Invalid)?.retain(is_kept);
        let log = self
            .document
            .list_mut("version-log")
            .map_err(CatalogError::Invalid)?;
        // History before a gap is no history.
        let begin = log
            .iter()
            .rposition(|entry| !is_kept(entry))
            .map_or(0, |gap| gap + 1);
        log.drain(..begin);
        Ok(())
    }
}

/// The id after `existing`, unless `wanted` is above already.
fn after(existing: i32, wanted: i32) -> Result<i32, CatalogError> {
    if wanted > existing {
        return Ok(wanted);
    }
    existing
        .checked_add(1)
        .ok_or_else(|| CatalogError::Invalid("the ids of the view are used up".to_owned()))
}

/// Whether two versions would behave alike; id and time do not count.
fn means_the_same(one: &Value, other: &Value) -> bool {
    let compared = |version: &Value| {
        let mut version = version.clone();
        if let Some(members) = version.as_object_mut() {
            members.retain(|name, value| name != "version-id" && name != "timestamp-ms" && !value.is_null());
        }
        version
    };
    compared(one) == compared(other)
}
