// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tags on objects: list direct and inherited ones, assign, take away.

use std::collections::{BTreeMap, BTreeSet};

use lakeward_authorization::{Authorized, Requirement, Visibility};
use lakeward_governance::assignment::{
    AssignmentError, AssignmentPlan, AssignmentRequest, CurrentTag, TagValue,
};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_store::{Area, AssignedTag, Assignments, ChainRow, Snapshot, Write};

use crate::Operations;
use crate::caller::Call;
use crate::enabling::Change;
use crate::error::{Noun, OperationError};
use crate::named::{Named, NamedWhat, Names};
use crate::owner::check_metalake;
use crate::paths::ObjectPath;
use crate::tag::{AuditedTag, allowed_values, audited, invalid};
use crate::widening::{Force, closing_policies, nearest};

/// An object and the tags to use on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectTagsPath {
    /// The object.
    pub object: ObjectPath,
    /// The tags by name.
    pub tags: Vec<String>,
}

impl Names for ObjectTagsPath {
    fn named(&self) -> Named {
        Named::of(
            &self.object.metalake,
            NamedWhat::Instruments {
                object: self.object.object.clone(),
                instruments: self
                    .tags
                    .iter()
                    .map(|tag| ObjectPath::top(&self.object.metalake, ObjectKind::Tag, tag).object)
                    .collect(),
            },
        )
    }
}

/// A tag as it applies to an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectTag {
    /// The tag.
    pub tag: AuditedTag,
    /// The values of the nearest assignment; empty for one without.
    pub values: Vec<String>,
    /// Whether that assignment is on an ancestor.
    pub is_inherited: bool,
}

/// Where tags of the object of a request are kept.
struct Site {
    /// The row of the object; of the table when it is a column.
    row: ObjectId,
    /// The field id of a column.
    field: Option<i32>,
}

impl Operations {
    /// The effective tags of an object that may be shown: direct ones first, then those of its ancestors upwards, each
    /// level by name; of each tag the nearest assignment.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the object; [`OperationError::Invalid`] for a kind that takes no tags;
    /// [`OperationError::Disabled`].
    pub async fn list_tags_of_object(
        &self,
        call: &Call,
        object: Authorized<ObjectPath>,
        shown: &Visibility,
    ) -> Result<Vec<ObjectTag>, OperationError> {
        let site = self.site(call, &object).await?;
        let mut snapshot = self.read(&call.facts).await?;
        let assigned = site.assigned(&mut snapshot).await?;
        nearest_tags(&assigned)
            .filter(|(row, _, _)| shown.shows(row.object.id, row.owner.as_ref()))
            .map(|(row, values, is_inherited)| {
                Ok(ObjectTag {
                    tag: audited(row.object.clone())?,
                    values,
                    is_inherited,
                })
            })
            .collect()
    }

    /// One effective tag of an object.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for a tag that is neither on the object nor on an ancestor; and as
    /// [`Self::list_tags_of_object`].
    pub async fn load_tag_of_object(
        &self,
        call: &Call,
        path: Authorized<ObjectTagsPath>,
    ) -> Result<ObjectTag, OperationError> {
        let site = self.site(call, &path.object).await?;
        let name = path.tags.first().map(String::as_str).unwrap_or_default();
        let mut snapshot = self.read(&call.facts).await?;
        let assigned = site.assigned(&mut snapshot).await?;
        let found = nearest_tags(&assigned).find(|(row, _, _)| row.object.name == name);
        match found {
            Some((row, values, is_inherited)) => Ok(ObjectTag {
                tag: audited(row.object.clone())?,
                values,
                is_inherited,
            }),
            None => Err(OperationError::not_found(Noun::TagAssignment, name)),
        }
    }

    /// Changes the tags that are on an object directly. Gives the names of its direct tags afterwards, as far as they
    /// may be shown. Names of tags that do not exist are passed over, as in the original.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`] when a whole tag is added twice; [`OperationError::Invalid`] for values that a
    /// tag does not allow; [`OperationError::WouldWiden`] without `force` when that takes an enabled restriction from
    /// the object; [`OperationError::WouldFail`] without `force` when loads would fail by it; and as
    /// [`Self::list_tags_of_object`].
    pub async fn change_tags_of_object(
        &self,
        call: &Call,
        path: Authorized<ObjectTagsPath>,
        request: &AssignmentRequest,
        force: Force,
    ) -> Result<Vec<String>, OperationError> {
        let site = self.site(call, &path.object).await?;
        self.check_assignments(call, &site, request, &path.object.object, force)
            .await?;
        let metalake = call.facts.metalake_id()?;
        let areas: &[Area] = match site.field {
            Some(_) => &[Area::Objects, Area::Governance],
            None => &[Area::Governance],
        };
        let mut write = self.write(call, areas).await?;
        let mut tags: BTreeMap<&str, ChainRow> = BTreeMap::new();
        for name in request.tags() {
            if let Some(row) = write.child(metalake, ObjectKind::Tag, name).await? {
                check_is_authorized(call, name, row.object.id)?;
                tags.insert(name, row);
            }
        }
        let before = site.assigned(&mut write).await?;
        let plan = plan(request, &tags, &before, &path.object.object)?;
        let row = match site.field {
            Some(field) if !plan.add.is_empty() => write.ensure_column(site.row, field).await?.id,
            Some(field) => write
                .column(site.row, field)
                .await?
                .map_or(site.row, |row| row.object.id),
            None => site.row,
        };
        carry_out(&mut write, &plan, &tags, row).await?;
        let after = site.assigned(&mut write).await?;
        let mut lost = Vec::new();
        for tag in touched(&plan).iter().filter_map(|name| tags.get(name.as_str())) {
            let id = tag.object.id;
            let (old, new) = (nearest(&before, id), nearest(&after, id));
            for closing in closing_policies(&mut write, id).await? {
                if closing.closes(old.as_ref()) && !closing.closes(new.as_ref()) {
                    lost.push(closing.lost_on(path.object.object.to_string()));
                }
            }
        }
        self.check_widening(call, &lost, force)?;
        write.commit().await?;
        let shown = self.visibility(call, Requirement::load(ObjectKind::Tag)).await?;
        Ok(nearest_tags(&after)
            .filter(|(row, _, is_inherited)| !is_inherited && shown.shows(row.object.id, row.owner.as_ref()))
            .map(|(row, _, _)| row.object.name.clone())
            .collect())
    }

    /// Asks before a tag is put on an object, by whose enabled policies loads would fail. What is wrong with the request
    /// itself is for the change to say.
    async fn check_assignments(
        &self,
        call: &Call,
        site: &Site,
        request: &AssignmentRequest,
        object: &MetadataObject,
        force: Force,
    ) -> Result<(), OperationError> {
        let metalake = call.facts.metalake_id()?;
        let mut snapshot = self.store().snapshot().await?;
        let mut tags: BTreeMap<&str, ChainRow> = BTreeMap::new();
        for name in request.tags() {
            if let Some(row) = snapshot.child(metalake, ObjectKind::Tag, name).await? {
                tags.insert(name, row);
            }
        }
        let before = site.assigned(&mut snapshot).await?;
        let Ok(plan) = plan(request, &tags, &before, object) else {
            return Ok(());
        };
        let in_facts = self.as_in_facts(call.facts.found()?, site.field);
        let mut changes = Vec::new();
        for (name, tag) in &tags {
            let adds = plan.add.iter().any(|pair| pair.tag == *name);
            if !adds || closing_policies(&mut snapshot, tag.object.id).await?.is_empty() {
                continue;
            }
            let values = values_after(name, tag.object.id, &before, &plan);
            changes.push(Change::assign(&mut snapshot, tag, (in_facts.clone(), site.row), values).await?);
        }
        drop(snapshot);
        for change in changes {
            self.check_loads(call, change, force).await?;
        }
        Ok(())
    }

    /// Where the tags of the object of this request are, after everything that can be wrong with it.
    async fn site(&self, call: &Call, path: &ObjectPath) -> Result<Site, OperationError> {
        call.facts.require_metalake_in_use()?;
        check_metalake(&path.metalake, &path.object)?;
        let kind = path.object.kind;
        if !kind.is_taggable() {
            return Err(OperationError::invalid(format!(
                "tags cannot be assigned to a {}",
                kind.lower_case().replace('_', " ")
            )));
        }
        let found = call.facts.found()?;
        let row = found
            .chain
            .object()
            .ok_or_else(|| OperationError::not_found(Noun::MetadataObject, path.object.full_name()))?;
        Ok(Site {
            row: row.object.id,
            field: if kind == ObjectKind::Column {
                Some(self.field_named(call, found).await?)
            } else {
                None
            },
        })
    }
}

/// Refuses a tag that is not the one which the caller was allowed to use: made in between, or made anew.
fn check_is_authorized(call: &Call, name: &str, tag: ObjectId) -> Result<(), OperationError> {
    let is_authorized = call
        .facts
        .instruments()
        .iter()
        .filter_map(|found| found.row().ok())
        .any(|row| row.object.id == tag);
    if is_authorized {
        return Ok(());
    }
    Err(OperationError::Conflict(format!(
        "tag `{name}` was changed by somebody else in between; try again"
    )))
}

impl Site {
    /// The assignments on the object and its ancestors, the nearest first. A column of which nothing was ever said has
    /// no row; it has what its table has.
    async fn assigned(&self, snapshot: &mut Snapshot) -> Result<Vec<AssignedTag>, OperationError> {
        if let Some(field) = self.field
            && let Some(column) = snapshot.column(self.row, field).await?
        {
            return Ok(snapshot.assigned_tags(column.object.id).await?);
        }
        let mut assigned = snapshot.assigned_tags(self.row).await?;
        if self.field.is_some() {
            for tag in &mut assigned {
                tag.distance += 1;
            }
        }
        Ok(assigned)
    }
}

/// Each tag once, with its values, and whether it is inherited.
fn nearest_tags(assigned: &[AssignedTag]) -> impl Iterator<Item = (&ChainRow, Vec<String>, bool)> {
    let mut seen = BTreeSet::new();
    assigned.iter().filter_map(move |first| {
        let tag = first.tag.object.id;
        if !seen.insert(tag) {
            return None;
        }
        let values = assigned
            .iter()
            .filter(|other| other.tag.object.id == tag && other.object_id == first.object_id)
            .filter_map(|other| other.value.clone())
            .collect();
        Some((&first.tag, values, first.distance > 0))
    })
}

fn plan(
    request: &AssignmentRequest,
    tags: &BTreeMap<&str, ChainRow>,
    assigned: &[AssignedTag],
    object: &MetadataObject,
) -> Result<AssignmentPlan, OperationError> {
    let mut current: BTreeMap<&str, CurrentTag> = BTreeMap::new();
    for (name, row) in tags {
        let direct: Vec<&AssignedTag> = assigned
            .iter()
            .filter(|assigned| assigned.distance == 0 && assigned.tag.object.id == row.object.id)
            .collect();
        current.insert(
            name,
            CurrentTag {
                allowed_values: allowed_values(&row.object)?,
                values: (!direct.is_empty()).then(|| {
                    direct
                        .iter()
                        .filter_map(|assigned| assigned.value.clone())
                        .collect()
                }),
            },
        );
    }
    request
        .plan(|name| current.get(name).cloned())
        .map_err(|error| match error {
            AssignmentError::Value(error) => invalid(error),
            AssignmentError::AlreadyAssociated(names) => OperationError::already_exists(
                Noun::TagAssignment,
                format!("{} on {object}", names.join(", ")),
            ),
            other
            @ (AssignmentError::Overlap | AssignmentError::Mixed(_) | AssignmentError::EmptyName(_)) => {
                OperationError::invalid(other.to_string())
            }
        })
}

async fn carry_out(
    write: &mut Write,
    plan: &AssignmentPlan,
    tags: &BTreeMap<&str, ChainRow>,
    object: ObjectId,
) -> Result<(), OperationError> {
    let id = |pair: &TagValue| tags.get(pair.tag.as_str()).map(|row| row.object.id);
    for pair in &plan.remove {
        let which = match &pair.value {
            None => Assignments::Valueless,
            Some(value) => Assignments::Valued(value),
        };
        if let Some(tag) = id(pair) {
            write.unassign_tag(tag, object, which).await?;
        }
    }
    for pair in &plan.add {
        if let Some(tag) = id(pair) {
            write.assign_tag(tag, object, pair.value.as_deref()).await?;
        }
    }
    Ok(())
}

/// The values that an object has of a tag when the plan is carried out; none for an assignment without.
fn values_after(name: &str, tag: ObjectId, before: &[AssignedTag], plan: &AssignmentPlan) -> Vec<String> {
    let direct = before
        .iter()
        .filter(|assigned| assigned.distance == 0 && assigned.tag.object.id == tag)
        .filter_map(|assigned| assigned.value.clone());
    let is_pair = |pair: &&TagValue| pair.tag == name;
    let removed: BTreeSet<&String> = plan
        .remove
        .iter()
        .filter(is_pair)
        .filter_map(|pair| pair.value.as_ref())
        .collect();
    let added = plan
        .add
        .iter()
        .filter(is_pair)
        .filter_map(|pair| pair.value.clone());
    direct
        .filter(|value| !removed.contains(value))
        .chain(added)
        .collect()
}

fn touched(plan: &AssignmentPlan) -> BTreeSet<String> {
    plan.add
        .iter()
        .chain(&plan.remove)
        .map(|pair| pair.tag.clone())
        .collect()
}
