// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Policies attached directly to objects. Read restrictions never come from here.

use lakeward_metadata::id::ObjectId;
use lakeward_metadata::object::MetadataObject;

use crate::change_log::Change;
use crate::error::StoreError;
use crate::object::CHAIN_COLUMNS;
use crate::policy::{PolicyRow, policy_row};
use crate::row::statement;
use crate::snapshot::Snapshot;
use crate::write::Write;

/// A policy attached to an object or to one of its ancestors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachedPolicy {
    /// The policy.
    pub policy: PolicyRow,
    /// Where it is attached.
    pub object_id: ObjectId,
    /// How many levels above the object that was asked for: 0 is the object itself.
    pub distance: u32,
}

impl Snapshot {
    /// The policies attached to an object and its ancestors, the nearest first, then by name.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn attached_policies(&mut self, object: ObjectId) -> Result<Vec<AttachedPolicy>, StoreError> {
        statement!("policy_attached")
            .query()
            .id(object)
            .all(self.connection(), |row| {
                Ok(AttachedPolicy {
                    policy: policy_row(row)?,
                    object_id: row.id(CHAIN_COLUMNS + 5)?,
                    distance: row.distance(CHAIN_COLUMNS + 6)?,
                })
            })
            .await
    }

    /// The objects that a policy is attached to, in the order of ids.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn objects_of_policy(
        &mut self,
        policy: ObjectId,
    ) -> Result<Vec<(ObjectId, MetadataObject)>, StoreError> {
        self.paths(statement!("path_of_policy_object"), policy).await
    }
}

impl Write {
    /// Attaches a policy to an object. Gives whether it is new. Needs [`crate::Area::Governance`].
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the policy or the object does not exist.
    pub async fn attach_policy(&mut self, policy: ObjectId, object: ObjectId) -> Result<bool, StoreError> {
        let row = self.mine(policy, "policy_object_add").await?;
        self.living_here(object).await?;
        let touched = statement!("policy_object_add")
            .query()
            .id(policy)
            .id(object)
            .run(self.connection())
            .await?;
        if touched > 0 {
            self.log_object(Change::Grant, &row).await?;
        }
        Ok(touched > 0)
    }

    /// Detaches a policy from an object. Gives whether it was attached. Needs [`crate::Area::Governance`].
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the policy does not exist.
    pub async fn detach_policy(&mut self, policy: ObjectId, object: ObjectId) -> Result<bool, StoreError> {
        let row = self.mine(policy, "policy_object_remove").await?;
        let touched = statement!("policy_object_remove")
            .query()
            .id(policy)
            .id(object)
            .run(self.connection())
            .await?;
        if touched > 0 {
            self.log_object(Change::Revoke, &row).await?;
        }
        Ok(touched > 0)
    }
}
