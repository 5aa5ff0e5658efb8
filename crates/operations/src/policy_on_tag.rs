// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Policies on tags: the one way in which a policy comes to restrict what readers see.

use lakeward_authorization::{Authorized, Requirement, Visibility};
use lakeward_governance::selector::Selector;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_store::{Area, ChainRow, PolicyTagRow, Snapshot};

use crate::Operations;
use crate::caller::Call;
use crate::enabling::Change;
use crate::error::{Noun, OperationError};
use crate::governed_facts::{selector, stored_selector};
use crate::named::{Named, NamedWhat, Names};
use crate::paths::ObjectPath;
use crate::tag::{allowed_values, invalid};
use crate::widening::Force;

/// A policy and a tag of one metalake, both to be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyOnTagPath {
    /// The metalake.
    pub metalake: String,
    /// The tag.
    pub tag: String,
    /// The policy.
    pub policy: String,
}

impl Names for PolicyOnTagPath {
    fn named(&self) -> Named {
        Named::of(
            &self.metalake,
            NamedWhat::Instruments {
                object: MetadataObject {
                    kind: ObjectKind::Metalake,
                    path: vec![self.metalake.clone()],
                },
                instruments: vec![
                    ObjectPath::top(&self.metalake, ObjectKind::Tag, &self.tag).object,
                    ObjectPath::top(&self.metalake, ObjectKind::Policy, &self.policy).object,
                ],
            },
        )
    }
}

/// One relation between a policy and a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyOnTag {
    /// The policy's name.
    pub policy: String,
    /// The tag's name.
    pub tag: String,
    /// Which assignments select the policy.
    pub selector: Selector,
}

impl Operations {
    /// Puts a policy on a tag, or gives it another selector there.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the tag or the policy; [`OperationError::Invalid`] for a value that the tag can
    /// never have; [`OperationError::WouldWiden`] without `force` when the new selector takes an enabled restriction
    /// from an object; [`OperationError::WouldFail`] without `force` when loads would fail by it;
    /// [`OperationError::Disabled`].
    pub async fn put_policy_on_tag(
        &self,
        call: &Call,
        path: Authorized<PolicyOnTagPath>,
        selector: Selector,
        force: Force,
    ) -> Result<PolicyOnTag, OperationError> {
        let (tag, policy) = both(call, &path)?;
        if let Selector::TagValue(value) = &selector {
            // A selector that can never match would look like a restriction and be none.
            let row = &tag_row(call)?.object;
            allowed_values(row)?
                .check(&row.name, Some(value))
                .map_err(invalid)?;
        }
        self.check_association(call, policy, &selector, force).await?;
        let mut write = self.write(call, &[Area::Governance]).await?;
        let losses = self
            .losses_of_selector(call, &mut write, tag, policy, Some(&selector))
            .await?;
        self.check_widening(call, &losses, force)?;
        match write
            .put_policy_on_tag(policy, tag, &stored_selector(&selector))
            .await
        {
            Err(error) if error.is_missing() => return Err(gone(&path)),
            other => other?,
        }
        write.commit().await?;
        let PolicyOnTagPath { tag, policy, .. } = path.into_inner();
        Ok(PolicyOnTag {
            policy,
            tag,
            selector,
        })
    }

    /// Asks before an enabled restriction policy is put on a tag of tables whose loads would fail by it.
    async fn check_association(
        &self,
        call: &Call,
        policy: ObjectId,
        selector: &Selector,
        force: Force,
    ) -> Result<(), OperationError> {
        let mut snapshot = self.store().snapshot().await?;
        let row = self.restriction(&mut snapshot, policy).await?;
        let Some(row) = row.filter(|row| row.state.is_enabled) else {
            return Ok(());
        };
        let change = Change::associate(&mut snapshot, &row, tag_row(call)?, selector).await?;
        drop(snapshot);
        self.check_loads(call, change, force).await
    }

    /// Takes a policy from a tag; nothing happens when it is not on it.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the tag or the policy; [`OperationError::WouldWiden`] without `force` when that
    /// takes an enabled restriction from an object; [`OperationError::Disabled`].
    pub async fn remove_policy_from_tag(
        &self,
        call: &Call,
        path: Authorized<PolicyOnTagPath>,
        force: Force,
    ) -> Result<(), OperationError> {
        let (tag, policy) = both(call, &path)?;
        let mut write = self.write(call, &[Area::Governance]).await?;
        let losses = self
            .losses_of_selector(call, &mut write, tag, policy, None)
            .await?;
        self.check_widening(call, &losses, force)?;
        match write.remove_policy_from_tag(policy, tag).await {
            Err(error) if error.is_missing() => return Err(gone(&path)),
            other => drop(other?),
        }
        write.commit().await?;
        Ok(())
    }

    /// One relation.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the tag, the policy, or when one is not on the other.
    pub async fn load_policy_on_tag(
        &self,
        call: &Call,
        path: Authorized<PolicyOnTagPath>,
    ) -> Result<PolicyOnTag, OperationError> {
        let (tag, policy) = both(call, &path)?;
        let mut snapshot = self.read(&call.facts).await?;
        let rows = snapshot.policies_of_tag(tag).await?;
        let row = rows.into_iter().find(|row| row.policy_id == policy);
        row.map_or_else(
            || {
                Err(OperationError::not_found(
                    Noun::PolicyOnTag,
                    format!("{} on {}", path.policy, path.tag),
                ))
            },
            relation,
        )
    }

    /// The policies on a tag that may be shown, by policy name.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the tag; [`OperationError::Disabled`].
    pub async fn list_policies_of_tag(
        &self,
        call: &Call,
        _tag: Authorized<ObjectPath>,
        shown: &Visibility,
    ) -> Result<Vec<PolicyOnTag>, OperationError> {
        call.facts.require_metalake_in_use()?;
        let tag = call.facts.row()?.object.id;
        let mut snapshot = self.read(&call.facts).await?;
        let rows = snapshot.policies_of_tag(tag).await?;
        visible(&mut snapshot, rows, shown, |row| row.policy_id).await
    }

    /// The tags that a policy is on and that may be shown, by tag name.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the policy; [`OperationError::Disabled`].
    pub async fn list_tags_of_policy(
        &self,
        call: &Call,
        _policy: Authorized<ObjectPath>,
        shown: &Visibility,
    ) -> Result<Vec<PolicyOnTag>, OperationError> {
        call.facts.require_metalake_in_use()?;
        let policy = call.facts.row()?.object.id;
        let mut snapshot = self.read(&call.facts).await?;
        let rows = snapshot.tags_of_policy(policy).await?;
        visible(&mut snapshot, rows, shown, |row| row.tag_id).await
    }
}

/// What reading a policy takes, for lists that show policies.
pub const SHOWS_POLICY: Requirement = *Requirement::load(ObjectKind::Policy);
/// What reading a tag takes, for lists that show tags.
pub const SHOWS_TAG: Requirement = *Requirement::load(ObjectKind::Tag);

/// The ids of the tag and the policy of a request; both exist.
fn both(call: &Call, path: &PolicyOnTagPath) -> Result<(ObjectId, ObjectId), OperationError> {
    call.facts.require_metalake_in_use()?;
    let tag = tag_row(call)?.object.id;
    let policy = call
        .facts
        .instruments()
        .iter()
        .find(|found| found.object.kind == ObjectKind::Policy)
        .ok_or_else(|| OperationError::not_found(ObjectKind::Policy, path.policy.as_str()))?
        .row()?;
    Ok((tag, policy.object.id))
}

fn tag_row(call: &Call) -> Result<&ChainRow, OperationError> {
    call.facts
        .instruments()
        .iter()
        .find(|found| found.object.kind == ObjectKind::Tag)
        .ok_or_else(|| OperationError::internal("the request names no tag"))?
        .row()
}

fn gone(path: &PolicyOnTagPath) -> OperationError {
    OperationError::Conflict(format!(
        "tag `{}` or policy `{}` was dropped in the meantime",
        path.tag, path.policy
    ))
}

fn relation(row: PolicyTagRow) -> Result<PolicyOnTag, OperationError> {
    Ok(PolicyOnTag {
        selector: selector(&row.selector).map_err(OperationError::internal)?,
        policy: row.policy_name,
        tag: row.tag_name,
    })
}

async fn visible(
    snapshot: &mut Snapshot,
    rows: Vec<PolicyTagRow>,
    shown: &Visibility,
    id: impl Fn(&PolicyTagRow) -> ObjectId,
) -> Result<Vec<PolicyOnTag>, OperationError> {
    let mut relations = Vec::with_capacity(rows.len());
    for row in rows {
        let id = id(&row);
        let is_shown = shown.is_everything()
            || snapshot
                .object(id)
                .await?
                .is_some_and(|object| shown.shows(id, object.owner.as_ref()));
        if is_shown {
            relations.push(relation(row)?);
        }
    }
    Ok(relations)
}
