// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Changes that take an enabled restriction from an object ask first.
//!
//! Each tag is judged alone: that another tag still selects the policy somewhere says nothing of the objects below,
//! where a nearer assignment may hide that other tag.

use std::collections::BTreeSet;

use lakeward_authorization::{Chain, Requirement, Target, Visibility, authorize};
use lakeward_governance::policy::PolicyType;
use lakeward_governance::selector::Selector;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_store::{ChainRow, PolicyRow, Snapshot};

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::governed_facts;
use crate::notes::Widening;

mod of_tables;

/// Whether the caller means a change that takes restrictions away (`force=true`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Force {
    /// Ask first.
    Ask,
    /// The caller means it.
    Meant,
}

/// An enabled restriction policy that a change would take from an object and what is below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Loss {
    /// The policy.
    pub(crate) policy: ChainRow,
    /// The object in words.
    pub(crate) object: String,
    /// Whether the caller may be told which object it is.
    pub(crate) is_visible: bool,
}

/// An enabled restriction policy on a tag.
#[derive(Debug, Clone)]
pub(crate) struct Closing {
    pub(crate) policy: PolicyRow,
    /// `None` for a selector that is not understood: then every table with the tag is refused, which closes too.
    selector: Option<Selector>,
}

impl Closing {
    /// Whether the policy closes an object where the tag has these values; `None` where the tag is not effective.
    pub(crate) fn closes(&self, values: Option<&BTreeSet<&str>>) -> bool {
        match (values, &self.selector) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(values), Some(selector)) => selector.matches(values),
        }
    }

    /// The loss of this policy on an object that the caller named.
    pub(crate) fn lost_on(&self, object: impl Into<String>) -> Loss {
        Loss {
            policy: self.policy.object.clone(),
            object: object.into(),
            is_visible: true,
        }
    }
}

/// Whether a policy restricts readers now.
pub(crate) fn is_closing(policy: &PolicyRow) -> bool {
    let restricts = policy
        .state
        .policy_type
        .parse()
        .map_or(true, |policy_type: PolicyType| policy_type.is_restriction());
    policy.state.is_enabled && restricts
}

/// The enabled restriction policies on a tag.
pub(crate) async fn closing_policies(
    snapshot: &mut Snapshot,
    tag: ObjectId,
) -> Result<Vec<Closing>, OperationError> {
    let mut closing = Vec::new();
    for on_tag in snapshot.policies_of_tag(tag).await? {
        let Some(policy) = snapshot.policy(on_tag.policy_id).await? else {
            continue;
        };
        if is_closing(&policy) {
            closing.push(Closing {
                policy,
                selector: governed_facts::selector(&on_tag.selector).ok(),
            });
        }
    }
    Ok(closing)
}

impl Operations {
    /// What ends when a tag is dropped.
    pub(crate) async fn losses_of_tag(
        &self,
        call: &Call,
        snapshot: &mut Snapshot,
        tag: ObjectId,
    ) -> Result<Vec<Loss>, OperationError> {
        let closing = closing_policies(snapshot, tag).await?;
        losses(call, snapshot, tag, &closing, None).await
    }

    /// What ends when a policy is dropped or disabled.
    pub(crate) async fn losses_of_policy(
        &self,
        call: &Call,
        snapshot: &mut Snapshot,
        policy: &PolicyRow,
    ) -> Result<Vec<Loss>, OperationError> {
        let mut lost = Vec::new();
        if !is_closing(policy) {
            return Ok(lost);
        }
        for on_tag in snapshot.tags_of_policy(policy.object.object.id).await? {
            let closing = Closing {
                policy: policy.clone(),
                selector: governed_facts::selector(&on_tag.selector).ok(),
            };
            lost.extend(losses(call, snapshot, on_tag.tag_id, &[closing], None).await?);
        }
        Ok(lost)
    }

    /// What ends when a policy on a tag gets another selector, or (`None`) is taken from the tag.
    pub(crate) async fn losses_of_selector(
        &self,
        call: &Call,
        snapshot: &mut Snapshot,
        tag: ObjectId,
        policy: ObjectId,
        next: Option<&Selector>,
    ) -> Result<Vec<Loss>, OperationError> {
        let closing: Vec<Closing> = closing_policies(snapshot, tag)
            .await?
            .into_iter()
            .filter(|closing| closing.policy.object.object.id == policy)
            .collect();
        losses(call, snapshot, tag, &closing, next).await
    }

    /// What ends for an object and everything below it when it moves under another parent. For whoever moves rows.
    ///
    /// # Errors
    /// [`OperationError::WouldWiden`] without `force`; what the store reports.
    pub async fn check_move(
        &self,
        call: &Call,
        snapshot: &mut Snapshot,
        object: ObjectId,
        new_parent: ObjectId,
        force: Force,
    ) -> Result<(), OperationError> {
        let before = snapshot.assigned_tags(object).await?;
        let mut after: Vec<_> = before
            .iter()
            .filter(|assigned| assigned.distance == 0)
            .cloned()
            .collect();
        after.extend(snapshot.assigned_tags(new_parent).await?);
        let name = snapshot.full_name(object).await?.map(|object| object.to_string());
        let mut lost = Vec::new();
        let tags: BTreeSet<ObjectId> = before.iter().map(|assigned| assigned.tag.object.id).collect();
        for tag in tags {
            let (old, new) = (nearest(&before, tag), nearest(&after, tag));
            for closing in closing_policies(snapshot, tag).await? {
                if closing.closes(old.as_ref()) && !closing.closes(new.as_ref()) {
                    lost.push(closing.lost_on(name.clone().unwrap_or_default()));
                }
            }
        }
        self.check_widening(call, &lost, force)
    }

    /// Refuses a change with losses unless it is meant; what is widened goes to the audit log.
    pub(crate) fn check_widening(
        &self,
        call: &Call,
        lost: &[Loss],
        force: Force,
    ) -> Result<(), OperationError> {
        if lost.is_empty() {
            return Ok(());
        }
        if force == Force::Ask && !self.settings().widening_allowed {
            return Err(OperationError::WouldWiden(question(call, lost)));
        }
        let policies = lost.iter().map(|loss| loss.policy.object.name.clone()).collect();
        let objects = lost.iter().map(|loss| loss.object.clone()).collect();
        call.notes.widen(Widening { policies, objects });
        Ok(())
    }
}

/// Names only policies and objects that the caller may see.
fn question(call: &Call, lost: &[Loss]) -> String {
    let visible: Option<Visibility> = call
        .facts
        .target()
        .chain()
        .map(|chain| Visibility::new(Requirement::load(ObjectKind::Policy), call.facts.grants(), chain));
    let shows = |policy: &ChainRow| {
        visible
            .as_ref()
            .is_some_and(|visible| visible.shows(policy.object.id, policy.owner.as_ref()))
    };
    let all: BTreeSet<ObjectId> = lost.iter().map(|loss| loss.policy.object.id).collect();
    let named: BTreeSet<&str> = lost
        .iter()
        .filter(|loss| shows(&loss.policy))
        .map(|loss| loss.policy.object.name.as_str())
        .collect();
    let objects: BTreeSet<&str> = lost.iter().map(|loss| loss.object.as_str()).collect();
    let names = if named.is_empty() {
        String::new()
    } else {
        let names: Vec<&str> = named.into_iter().collect();
        format!(" (`{}`)", names.join("`, `"))
    };
    let seen = lost.iter().find(|loss| loss.is_visible);
    let from = match (seen, objects.len()) {
        (Some(seen), 0 | 1) => seen.object.clone(),
        (Some(seen), count) => format!("{} and {} more", seen.object, count - 1),
        (None, count) => format!("{count} objects that you may not see"),
    };
    format!(
        "this takes {} enabled read-restriction polic{}{names} from {from}, with everything below; repeat with `force=true` if that is meant",
        all.len(),
        if all.len() == 1 { "y" } else { "ies" },
    )
}

/// On which objects the policies stop closing when the selector becomes `next`, or the tag goes.
async fn losses(
    call: &Call,
    snapshot: &mut Snapshot,
    tag: ObjectId,
    closing: &[Closing],
    next: Option<&Selector>,
) -> Result<Vec<Loss>, OperationError> {
    let mut lost = Vec::new();
    if closing.is_empty() {
        return Ok(lost);
    }
    for tagged in snapshot.tagged_objects(tag).await? {
        let values: BTreeSet<&str> = tagged.values.iter().map(String::as_str).collect();
        for policy in closing {
            let still = next.is_some_and(|next| next.matches(&values));
            if policy.closes(Some(&values)) && !still {
                // One that may be named is enough for the question.
                let is_visible = !lost.iter().any(|loss: &Loss| loss.is_visible)
                    && may_access(call, snapshot, tagged.id, tagged.object.kind).await?;
                lost.push(Loss {
                    is_visible,
                    ..policy.lost_on(in_words(&tagged.object))
                });
            }
        }
    }
    Ok(lost)
}

/// An object in words. The store knows a column by its field id; its name is in the metadata of the table.
fn in_words(object: &MetadataObject) -> String {
    if object.kind == ObjectKind::Column
        && let Some((field, table)) = object.path.split_last()
    {
        return format!("the column with field id {field} of table `{}`", table.join("."));
    }
    object.to_string()
}

/// Whether the caller has access to an object, as of the state of `snapshot`.
async fn may_access(
    call: &Call,
    snapshot: &mut Snapshot,
    object: ObjectId,
    kind: ObjectKind,
) -> Result<bool, OperationError> {
    let rows = snapshot.ancestors(object).await?;
    let chain = Chain::found(kind, rows.iter().map(ChainRow::node).collect());
    Ok(authorize(
        Requirement::load(kind),
        (),
        &Target::object(chain),
        call.facts.grants(),
    )
    .is_ok())
}

/// The values of the nearest assignment of a tag; `assigned` goes from near to far.
pub(crate) fn nearest(assigned: &[lakeward_store::AssignedTag], tag: ObjectId) -> Option<BTreeSet<&str>> {
    let of_tag = || {
        assigned
            .iter()
            .filter(move |assigned| assigned.tag.object.id == tag)
    };
    let site = of_tag().next()?.object_id;
    Some(
        of_tag()
            .filter(|assigned| assigned.object_id == site)
            .filter_map(|assigned| assigned.value.as_deref())
            .collect(),
    )
}
