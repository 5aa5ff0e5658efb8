// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Policies of a metalake: typed content, immutable revisions, switching on and off.

use lakeward_authorization::{Authorized, Visibility};
use lakeward_governance::policy::{PolicyChange, PolicyType};
use lakeward_governance::policy_content::{ContentError, PolicyContent};
use lakeward_metadata::audit::Audit;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_store::{Area, NewPolicy, ObjectChange, PolicyRevisionRow, PolicyRow};
use serde_json::Value;

use crate::Operations;
use crate::caller::Call;
use crate::enabling::Change;
use crate::ending::ENDING;
use crate::error::OperationError;
use crate::paths::{MetalakePath, ObjectPath};
use crate::widening::Force;

/// The content schema of policy types that have no version of their own.
const UNVERSIONED: &str = "1";

/// A policy to be created.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyDefinition {
    /// Its name.
    pub name: String,
    /// What people say of it.
    pub comment: Option<String>,
    /// Whether it takes effect.
    pub is_enabled: bool,
    /// What it says; gives the type too.
    pub content: PolicyContent,
}

/// A policy as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// Its name.
    pub name: String,
    /// What people say of it.
    pub comment: Option<String>,
    /// The name of its type.
    pub policy_type: String,
    /// Whether it takes effect.
    pub is_enabled: bool,
    /// Counts contents and switches, from 1.
    pub revision: i64,
    /// What it says, as it was stored.
    pub content: Value,
    /// Who made and changed it.
    pub audit: Audit,
}

/// What a policy said once; never changed afterwards.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyRevision {
    /// The revision, from 1.
    pub revision: i64,
    /// The version of the schema that the content follows.
    pub content_schema: String,
    /// The content.
    pub content: Value,
    /// Whether the policy took effect.
    pub is_enabled: bool,
    /// Who made this revision.
    pub author: String,
    /// When, in epoch milliseconds.
    pub created_at: i64,
}

impl Operations {
    /// The names of the policies that may be shown, in their order.
    ///
    /// # Errors
    /// As [`Self::list_policies`].
    pub async fn list_policy_names(
        &self,
        call: &Call,
        metalake: Authorized<MetalakePath>,
        shown: &Visibility,
    ) -> Result<Vec<String>, OperationError> {
        let policies = self.list_policies(call, metalake, shown).await?;
        Ok(policies.into_iter().map(|policy| policy.name).collect())
    }

    /// The policies that may be shown, in the order of their names.
    ///
    /// # Errors
    /// [`OperationError::Disabled`] in a disabled metalake.
    pub async fn list_policies(
        &self,
        call: &Call,
        _metalake: Authorized<MetalakePath>,
        shown: &Visibility,
    ) -> Result<Vec<Policy>, OperationError> {
        call.facts.require_metalake_in_use()?;
        let metalake = call.facts.metalake_id()?;
        let mut snapshot = self.read(&call.facts).await?;
        let rows = snapshot.policies(metalake).await?;
        rows.into_iter()
            .filter(|row| shown.shows(row.object.object.id, row.object.owner.as_ref()))
            .map(policy)
            .collect()
    }

    /// One policy.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`].
    pub async fn load_policy(
        &self,
        call: &Call,
        _policy: Authorized<ObjectPath>,
    ) -> Result<Policy, OperationError> {
        call.facts.require_metalake_in_use()?;
        let id = call.facts.row()?.object.id;
        let mut snapshot = self.read(&call.facts).await?;
        let row = snapshot.policy(id).await?;
        row.map_or_else(|| Err(missing(call)), policy)
    }

    /// Creates a policy, owned by the caller.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`]; [`OperationError::Invalid`] for an enabled restriction policy while read
    /// restrictions are switched off; [`OperationError::WouldFail`] without `force` for one that no reader could
    /// enforce; [`OperationError::Disabled`].
    pub async fn create_policy(
        &self,
        call: &Call,
        _metalake: Authorized<MetalakePath>,
        definition: PolicyDefinition,
        force: Force,
    ) -> Result<Policy, OperationError> {
        call.facts.require_metalake_in_use()?;
        let policy_type = definition.content.policy_type();
        if definition.is_enabled {
            self.check_may_enable(policy_type)?;
            if policy_type.is_restriction() {
                // It is on no tag yet, so it reaches no table.
                self.check_enabling(call, None, force).await?;
            }
        }
        let mut write = self.write(call, &[Area::Governance]).await?;
        let new = NewPolicy {
            name: definition.name.clone(),
            comment: definition.comment,
            policy_type: policy_type.as_str().to_owned(),
            is_enabled: definition.is_enabled,
            content_schema: content_schema(policy_type).to_owned(),
            content: definition.content.to_json().to_string(),
        };
        let row = match write.create_policy(&new).await {
            Err(error) if error.is_unique() => {
                return Err(OperationError::already_exists(
                    ObjectKind::Policy,
                    definition.name,
                ));
            }
            other => other?,
        };
        self.make_creator_own(&mut write, row.object.object.id, call)
            .await?;
        let created = policy(row)?;
        write.commit().await?;
        Ok(created)
    }

    /// Alters a policy, all changes or none. A new content is a new revision.
    ///
    /// # Errors
    /// [`OperationError::NotFound`]; [`OperationError::AlreadyExists`] for the new name; [`OperationError::Invalid`]
    /// for a content of another type; [`OperationError::WouldFail`] without `force` for a content of an enabled policy
    /// by which loads would fail; [`OperationError::WouldWiden`] without `force` when it restricts nobody any more;
    /// [`OperationError::Disabled`].
    pub async fn alter_policy(
        &self,
        call: &Call,
        _policy: Authorized<ObjectPath>,
        changes: Vec<PolicyChange>,
        force: Force,
    ) -> Result<Policy, OperationError> {
        call.facts.require_metalake_in_use()?;
        let id = call.facts.row()?.object.id;
        self.check_contents(call, id, &changes, force).await?;
        let mut write = self.write(call, &[Area::Governance]).await?;
        let Some(row) = write.policy(id).await? else {
            return Err(missing(call));
        };
        for change in changes {
            match change {
                PolicyChange::Rename(name) if name.trim().is_empty() => {
                    return Err(OperationError::invalid(
                        "the new name of a policy must not be empty",
                    ));
                }
                PolicyChange::Rename(name) => match write.rename_object(id, &name).await {
                    Err(error) if error.is_unique() => {
                        return Err(OperationError::already_exists(ObjectKind::Policy, name));
                    }
                    other => drop(other?),
                },
                PolicyChange::UpdateComment(comment) => {
                    let change = ObjectChange {
                        comment: Some(comment),
                        ..ObjectChange::default()
                    };
                    write.alter_object(id, &change).await?;
                }
                PolicyChange::UpdateContent { policy_type, content } => {
                    check_type(&row, policy_type)?;
                    let was_open = PolicyContent::parse(policy_type, &row.state.content)
                        .is_ok_and(|before| before.restricts_nobody());
                    if content.restricts_nobody() && !was_open {
                        let losses = self.losses_of_policy(call, &mut write, &row).await?;
                        self.check_widening(call, &losses, force)?;
                    }
                    write
                        .revise_policy(id, content_schema(policy_type), &content.to_json().to_string())
                        .await?;
                }
            }
        }
        let Some(row) = write.policy(id).await? else {
            return Err(missing(call));
        };
        let altered = policy(row)?;
        write.commit().await?;
        Ok(altered)
    }

    /// Lets a policy take effect, or no longer. Doing so twice changes nothing.
    ///
    /// # Errors
    /// [`OperationError::NotFound`]; [`OperationError::Invalid`] when a restriction policy is to be enabled while read
    /// restrictions are switched off; [`OperationError::WouldFail`] without `force` when enabling it makes loads fail
    /// or no reader could enforce it; [`OperationError::WouldWiden`] without `force` when disabling it takes a
    /// restriction from an object; [`OperationError::Disabled`].
    pub async fn enable_policy(
        &self,
        call: &Call,
        _policy: Authorized<ObjectPath>,
        is_enabled: bool,
        force: Force,
    ) -> Result<(), OperationError> {
        call.facts.require_metalake_in_use()?;
        let id = call.facts.row()?.object.id;
        if is_enabled {
            self.check_switching_on(call, id, force).await?;
        }
        let mut write = self.write(call, &[Area::Governance]).await?;
        let Some(row) = write.policy(id).await? else {
            return Err(missing(call));
        };
        if row.state.is_enabled == is_enabled {
            return Ok(());
        }
        if is_enabled {
            // A type that this version does not know restricts for all we know.
            self.check_may_enable(row.state.policy_type.parse().unwrap_or(PolicyType::RowFilter))?;
        } else {
            let losses = self.losses_of_policy(call, &mut write, &row).await?;
            self.check_widening(call, &losses, force)?;
        }
        write.enable_policy(id, is_enabled).await?;
        write.commit().await?;
        Ok(())
    }

    /// Drops a policy with its associations. Gives whether there was one.
    ///
    /// # Errors
    /// [`OperationError::WouldWiden`] without `force` when that takes an enabled restriction from an object;
    /// [`OperationError::Disabled`].
    pub async fn drop_policy(
        &self,
        call: &Call,
        _policy: Authorized<ObjectPath>,
        force: Force,
    ) -> Result<bool, OperationError> {
        call.facts.require_metalake_in_use()?;
        let Ok(row) = call.facts.row() else {
            return Ok(false);
        };
        let Some(mut write) = self.write_to_end(call, ENDING).await? else {
            return Ok(false);
        };
        let Some(row) = write.policy(row.object.id).await? else {
            return Ok(false);
        };
        let losses = self.losses_of_policy(call, &mut write, &row).await?;
        self.check_widening(call, &losses, force)?;
        write.drop_object(row.object.object.id).await?;
        write.commit().await?;
        Ok(true)
    }

    /// Everything a policy ever said, the newest first.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`].
    pub async fn list_policy_revisions(
        &self,
        call: &Call,
        _policy: Authorized<ObjectPath>,
    ) -> Result<Vec<PolicyRevision>, OperationError> {
        call.facts.require_metalake_in_use()?;
        let id = call.facts.row()?.object.id;
        let mut snapshot = self.read(&call.facts).await?;
        snapshot
            .policy_revisions(id)
            .await?
            .into_iter()
            .map(revision)
            .collect()
    }

    /// The objects that a policy is attached to directly and that the caller has access to, in the order of ids.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the policy; [`OperationError::Disabled`].
    pub async fn list_objects_of_policy(
        &self,
        call: &Call,
        _policy: Authorized<ObjectPath>,
    ) -> Result<Vec<MetadataObject>, OperationError> {
        call.facts.require_metalake_in_use()?;
        let id = call.facts.row()?.object.id;
        let mut snapshot = self.read(&call.facts).await?;
        let objects = snapshot.objects_of_policy(id).await?;
        drop(snapshot);
        self.accessible(call, objects).await
    }

    /// Asks before a restriction policy takes effect. One that does already, and one that may not, are for later.
    async fn check_switching_on(
        &self,
        call: &Call,
        policy: ObjectId,
        force: Force,
    ) -> Result<(), OperationError> {
        if !self.settings().read_restrictions_enabled {
            return Ok(());
        }
        let mut snapshot = self.store().snapshot().await?;
        let row = self.restriction(&mut snapshot, policy).await?;
        let Some(row) = row.filter(|row| !row.state.is_enabled) else {
            return Ok(());
        };
        let change = Change::enable(&mut snapshot, &row).await?;
        drop(snapshot);
        self.check_enabling(call, Some(change), force).await
    }

    /// Asks before a policy that is enabled gets a content by which loads would fail.
    async fn check_contents(
        &self,
        call: &Call,
        policy: ObjectId,
        changes: &[PolicyChange],
        force: Force,
    ) -> Result<(), OperationError> {
        let mut contents = changes.iter().filter_map(|change| match change {
            PolicyChange::UpdateContent { content, .. } => Some(content),
            PolicyChange::Rename(_) | PolicyChange::UpdateComment(_) => None,
        });
        // Only the last of them stays.
        let Some(content) = contents.next_back() else {
            return Ok(());
        };
        let mut snapshot = self.store().snapshot().await?;
        let row = snapshot.policy(policy).await?;
        let Some(row) = row.filter(|row| row.state.is_enabled) else {
            return Ok(());
        };
        check_type(&row, content.policy_type())?;
        let change = Change::alter(&mut snapshot, &row, content).await?;
        drop(snapshot);
        match change {
            Some(change) => self.check_loads(call, change, force).await,
            None => Ok(()),
        }
    }

    /// A restriction policy takes effect only where restrictions are enforced.
    fn check_may_enable(&self, policy_type: PolicyType) -> Result<(), OperationError> {
        if !policy_type.is_restriction() || self.settings().read_restrictions_enabled {
            return Ok(());
        }
        Err(OperationError::invalid(format!(
            "a {policy_type} policy cannot be enabled while read restrictions are off: create it with `enabled: false`, \
             and set `lakeward.read-restrictions.enabled=true` on the server before enabling it"
        )))
    }
}

/// The policy of a row.
pub(crate) fn policy(row: PolicyRow) -> Result<Policy, OperationError> {
    let PolicyRow { object, state } = row;
    let object = object.object;
    Ok(Policy {
        content: stored_json(&state.content)?,
        name: object.name,
        comment: object.comment,
        policy_type: state.policy_type,
        is_enabled: state.is_enabled,
        revision: state.revision,
        audit: object.audit,
    })
}

fn revision(row: PolicyRevisionRow) -> Result<PolicyRevision, OperationError> {
    Ok(PolicyRevision {
        revision: row.revision,
        content_schema: row.content_schema,
        content: stored_json(&row.content)?,
        is_enabled: row.is_enabled,
        author: row.author,
        created_at: row.created_at,
    })
}

fn stored_json(text: &str) -> Result<Value, OperationError> {
    serde_json::from_str(text)
        .map_err(|error| OperationError::internal(format!("a stored policy content is no JSON: {error}")))
}

fn content_schema(policy_type: PolicyType) -> &'static str {
    policy_type.content_schema().unwrap_or(UNVERSIONED)
}

fn check_type(row: &PolicyRow, given: PolicyType) -> Result<(), OperationError> {
    if row.state.policy_type == given.as_str() {
        return Ok(());
    }
    Err(OperationError::invalid(format!(
        "policy `{}` is of type `{}`; its content cannot become one of type `{given}`",
        row.object.object.name, row.state.policy_type
    )))
}

fn missing(call: &Call) -> OperationError {
    call.facts
        .found()
        .map_or_else(|error| error, |found| found.missing())
}

impl From<ContentError> for OperationError {
    /// The content of a policy in a request, for its author.
    fn from(error: ContentError) -> Self {
        Self::invalid(format!("{error} [{}]", error.code()))
    }
}
