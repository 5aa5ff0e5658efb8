// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Policies of an object: attached directly, inherited, or selected by its effective tags.

use std::collections::BTreeMap;

use lakeward_authorization::{Authorized, Requirement, Visibility};
use lakeward_governance::effective_tag::{effective_tags, with_own};
use lakeward_governance::object_policy::{
    ObjectPolicy, Origin, PolicedObject, check_direct_association, object_policies,
};
use lakeward_governance::policy::PolicyType;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_store::{Area, PolicyRow, Write};

use crate::Operations;
use crate::caller::Call;
use crate::error::{Noun, OperationError};
use crate::governed_facts::{governed_facts, levels};
use crate::named::{Named, NamedWhat, Names};
use crate::owner::check_metalake;
use crate::paths::ObjectPath;
use crate::policy::{Policy, policy};

/// An object and the policies to use on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectPoliciesPath {
    /// The object.
    pub object: ObjectPath,
    /// The policies by name.
    pub policies: Vec<String>,
}

impl Names for ObjectPoliciesPath {
    fn named(&self) -> Named {
        Named::of(
            &self.object.metalake,
            NamedWhat::Instruments {
                object: self.object.object.clone(),
                instruments: self
                    .policies
                    .iter()
                    .map(|policy| ObjectPath::top(&self.object.metalake, ObjectKind::Policy, policy).object)
                    .collect(),
            },
        )
    }
}

/// A policy of an object with how it came.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyOfObject {
    /// The policy.
    pub policy: Policy,
    /// Whether nothing associates it with the object itself.
    pub is_inherited: bool,
    /// Every way it came, the nearest first. A tag that the caller may not see has no name here.
    pub origins: Vec<ShownOrigin>,
}

/// How a policy came, as far as the caller may know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShownOrigin {
    /// All of it.
    Known(Origin),
    /// Through a tag that the caller may not see.
    HiddenTag,
}

impl Operations {
    /// The policies of an object that may be shown: direct ones, inherited ones, then those that its effective tags
    /// select and that are enabled.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the object; [`OperationError::Invalid`] for a kind that has no policies;
    /// [`OperationError::Disabled`].
    pub async fn list_policies_of_object(
        &self,
        call: &Call,
        object: Authorized<ObjectPath>,
        shown: &Visibility,
    ) -> Result<Vec<PolicyOfObject>, OperationError> {
        self.policies_of(call, &object, shown).await
    }

    /// One policy of an object.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] when the object has no such policy; and as [`Self::list_policies_of_object`].
    pub async fn load_policy_of_object(
        &self,
        call: &Call,
        path: Authorized<ObjectPoliciesPath>,
    ) -> Result<PolicyOfObject, OperationError> {
        let shown = self
            .visibility(call, Requirement::load(ObjectKind::Policy))
            .await?;
        let name = path.policies.first().map(String::as_str).unwrap_or_default();
        self.policies_of(call, &path.object, &shown)
            .await?
            .into_iter()
            .find(|found| found.policy.name == name)
            .ok_or_else(|| OperationError::not_found(Noun::PolicyAssignment, name))
    }

    /// Attaches policies to an object and detaches others. Gives the names of its direct policies afterwards, as far as
    /// they may be shown. Names of policies that do not exist are passed over, as in the original.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`] for a policy that is attached already; [`OperationError::Invalid`] for a
    /// restriction policy, which tags select, and for a kind that takes no policies; and as
    /// [`Self::list_policies_of_object`].
    pub async fn change_policies_of_object(
        &self,
        call: &Call,
        path: Authorized<ObjectPoliciesPath>,
        add: &[String],
        remove: &[String],
    ) -> Result<Vec<String>, OperationError> {
        let id = self.policed(call, &path.object)?;
        check_attachable(path.object.object.kind)?;
        let metalake = call.facts.metalake_id()?;
        let mut write = self.write(call, &[Area::Governance]).await?;
        let mut already = Vec::new();
        for name in add {
            let Some(row) = named(&mut write, metalake, name).await? else {
                continue;
            };
            let policy_type = row.state.policy_type.parse().unwrap_or(PolicyType::RowFilter);
            check_direct_association(name, policy_type)
                .map_err(|error| OperationError::invalid(error.to_string()))?;
            if !write.attach_policy(row.object.object.id, id).await? {
                already.push(name.as_str());
            }
        }
        if !already.is_empty() {
            return Err(OperationError::already_exists(
                Noun::PolicyAssignment,
                format!("{} on {}", already.join(", "), path.object.object),
            ));
        }
        for name in remove {
            if let Some(row) = named(&mut write, metalake, name).await? {
                write.detach_policy(row.object.object.id, id).await?;
            }
        }
        let attached = write.attached_policies(id).await?;
        write.commit().await?;
        let shown = self
            .visibility(call, Requirement::load(ObjectKind::Policy))
            .await?;
        Ok(attached
            .into_iter()
            .filter(|attached| attached.distance == 0)
            .map(|attached| attached.policy.object)
            .filter(|row| shown.shows(row.object.id, row.owner.as_ref()))
            .map(|row| row.object.name)
            .collect())
    }

    async fn policies_of(
        &self,
        call: &Call,
        path: &ObjectPath,
        shown: &Visibility,
    ) -> Result<Vec<PolicyOfObject>, OperationError> {
        let id = self.policed(call, path)?;
        let found = call.facts.found()?;
        let is_column = path.object.kind == ObjectKind::Column;
        let field = if is_column {
            Some(self.field_named(call, found).await?)
        } else {
            None
        };
        let metalake = call.facts.metalake_id()?;
        let separator = self.store().schema_separator();
        let mut snapshot = self.read(&call.facts).await?;
        let stored = snapshot.governance_facts(id).await?;
        let attached = snapshot.attached_policies(id).await?;
        let policies = snapshot.policies(metalake).await?;
        drop(snapshot);
        let facts = governed_facts(&found.chain.rows, &stored, separator)?;
        let inherited = effective_tags(&facts.levels);
        let own = field.and_then(|field| facts.columns.get(&field));
        let effective = match own {
            Some(own) => with_own(own, &inherited),
            None => inherited,
        };
        let objects = levels(&found.chain.rows, separator);
        let mut levels: Vec<PolicedObject> = objects
            .into_iter()
            .rev()
            .enumerate()
            .map(|(distance, object)| PolicedObject {
                object,
                policies: attached
                    .iter()
                    .filter(|attached| usize::try_from(attached.distance) == Ok(distance))
                    .map(|attached| attached.policy.object.object.name.clone())
                    .collect(),
            })
            .collect();
        if field.is_some() {
            let column = own.map_or_else(|| path.object.clone(), |own| own.object.clone());
            levels.insert(
                0,
                PolicedObject {
                    object: column,
                    policies: Vec::new(),
                },
            );
        }
        let tags = self.visibility(call, Requirement::load(ObjectKind::Tag)).await?;
        let visible_tags: BTreeMap<&str, bool> = stored
            .assignments
            .iter()
            .map(|assignment| (assignment.tag_name.as_str(), tags.is_everything()))
            .collect();
        let hidden = self.hidden_tags(call, &tags, visible_tags).await?;
        let itself = levels.first().map(|level| level.object.clone());
        let listing = object_policies(&levels, &effective, &facts.associations);
        let mut by_name: BTreeMap<String, PolicyRow> = policies
            .into_iter()
            .map(|row| (row.object.object.name.clone(), row))
            .collect();
        let mut result = Vec::new();
        for entry in listing {
            let Some(row) = by_name.remove(&entry.policy) else {
                continue;
            };
            let through_tags_alone = entry
                .origins
                .iter()
                .all(|origin| matches!(origin, Origin::Tag { .. }));
            let is_shown = shown.shows(row.object.object.id, row.object.owner.as_ref());
            if is_shown && (row.state.is_enabled || !through_tags_alone) {
                result.push(of_object(row, entry, itself.as_ref(), path, &hidden)?);
            }
        }
        Ok(result)
    }

    /// The tags among these that the caller may not see.
    async fn hidden_tags(
        &self,
        call: &Call,
        shown: &Visibility,
        tags: BTreeMap<&str, bool>,
    ) -> Result<Vec<String>, OperationError> {
        if tags.values().all(|is_visible| *is_visible) {
            return Ok(Vec::new());
        }
        let metalake = call.facts.metalake_id()?;
        let mut snapshot = self.read(&call.facts).await?;
        let mut hidden = Vec::new();
        for name in tags.into_keys() {
            let row = snapshot.child(metalake, ObjectKind::Tag, name).await?;
            if !row.is_some_and(|row| shown.shows(row.object.id, row.owner.as_ref())) {
                hidden.push(name.to_owned());
            }
        }
        Ok(hidden)
    }

    /// The row of the object of this request (of the table for a column), which exists and can have policies.
    fn policed(&self, call: &Call, path: &ObjectPath) -> Result<ObjectId, OperationError> {
        call.facts.require_metalake_in_use()?;
        check_metalake(&path.metalake, &path.object)?;
        if !path.object.kind.is_taggable() {
            return Err(unsupported(path.object.kind));
        }
        let row = call
            .facts
            .found()?
            .chain
            .object()
            .ok_or_else(|| OperationError::not_found(Noun::MetadataObject, path.object.full_name()))?;
        Ok(row.object.id)
    }
}

fn of_object(
    row: PolicyRow,
    entry: ObjectPolicy,
    itself: Option<&MetadataObject>,
    path: &ObjectPath,
    hidden: &[String],
) -> Result<PolicyOfObject, OperationError> {
    let is_inherited = itself.is_some_and(|object| entry.is_inherited(object));
    let origins = entry
        .origins
        .into_iter()
        .map(|origin| match origin {
            Origin::Tag { tag, .. } if hidden.contains(&tag) => ShownOrigin::HiddenTag,
            // The caller named the column; the store knows its field id.
            Origin::Tag {
                tag,
                assigned_on,
                selector,
            } if Some(&assigned_on) == itself => ShownOrigin::Known(Origin::Tag {
                tag,
                assigned_on: path.object.clone(),
                selector,
            }),
            other @ (Origin::Direct | Origin::Inherited { .. } | Origin::Tag { .. }) => {
                ShownOrigin::Known(other)
            }
        })
        .collect();
    Ok(PolicyOfObject {
        policy: policy(row)?,
        is_inherited,
        origins,
    })
}

async fn named(
    write: &mut Write,
    metalake: ObjectId,
    name: &str,
) -> Result<Option<PolicyRow>, OperationError> {
    let Some(row) = write.child(metalake, ObjectKind::Policy, name).await? else {
        return Ok(None);
    };
    Ok(write.policy(row.object.id).await?)
}

fn check_attachable(kind: ObjectKind) -> Result<(), OperationError> {
    match kind {
        ObjectKind::Catalog
        | ObjectKind::Schema
        | ObjectKind::Table
        | ObjectKind::Fileset
        | ObjectKind::Topic
        | ObjectKind::Model => Ok(()),
        ObjectKind::Metalake
        | ObjectKind::View
        | ObjectKind::Function
        | ObjectKind::Column
        | ObjectKind::Role
        | ObjectKind::Tag
        | ObjectKind::Policy
        | ObjectKind::JobTemplate
        | ObjectKind::Job => Err(unsupported(kind)),
    }
}

fn unsupported(kind: ObjectKind) -> OperationError {
    OperationError::invalid(format!(
        "policies cannot be associated with a {}",
        kind.lower_case().replace('_', " ")
    ))
}
