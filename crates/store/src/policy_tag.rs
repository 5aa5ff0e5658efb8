// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Policies on tags, with the selector that says when.

use lakeward_metadata::id::ObjectId;

use crate::change_log::Change;
use crate::error::StoreError;
use crate::row::{Row, statement};
use crate::snapshot::Snapshot;
use crate::write::Write;

/// When a policy on a tag applies, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StoredSelector {
    /// The type in upper case (`ALL_VALUES`, `TAG_VALUE`).
    pub selector_type: String,
    /// The value that a type may need.
    pub value: Option<String>,
}

/// A policy on a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyTagRow {
    /// The policy.
    pub policy_id: ObjectId,
    /// Its name.
    pub policy_name: String,
    /// The tag.
    pub tag_id: ObjectId,
    /// Its name.
    pub tag_name: String,
    /// When it applies.
    pub selector: StoredSelector,
}

fn policy_tag_row(row: &Row) -> Result<PolicyTagRow, StoreError> {
    Ok(PolicyTagRow {
        policy_id: row.id(0)?,
        policy_name: row.text(1)?,
        tag_id: row.id(2)?,
        tag_name: row.text(3)?,
        selector: StoredSelector {
            selector_type: row.text(4)?,
            value: row.optional_text(5)?,
        },
    })
}

impl Snapshot {
    /// The policies on a tag, by policy name.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn policies_of_tag(&mut self, tag: ObjectId) -> Result<Vec<PolicyTagRow>, StoreError> {
        statement!("policy_tag_of_tag")
            .query()
            .id(tag)
            .all(self.connection(), policy_tag_row)
            .await
    }

    /// The tags that a policy is on, by tag name.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn tags_of_policy(&mut self, policy: ObjectId) -> Result<Vec<PolicyTagRow>, StoreError> {
        statement!("policy_tag_of_policy")
            .query()
            .id(policy)
            .all(self.connection(), policy_tag_row)
            .await
    }
}

impl Write {
    /// Puts a policy on a tag, or gives it another selector there. Needs [`crate::Area::Governance`].
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the policy or the tag does not exist.
    pub async fn put_policy_on_tag(
        &mut self,
        policy: ObjectId,
        tag: ObjectId,
        selector: &StoredSelector,
    ) -> Result<(), StoreError> {
        let row = self.mine(policy, "policy_tag_set").await?;
        self.mine(tag, "policy_tag_set").await?;
        let (actor, at) = (self.actor().to_owned(), self.at());
        statement!("policy_tag_set")
            .query()
            .id(policy)
            .id(tag)
            .bind(selector.selector_type.as_str())
            .bind(selector.value.as_deref())
            .bind(actor)
            .bind(at)
            .run(self.connection())
            .await?;
        self.log_object(Change::Grant, &row).await
    }

    /// Takes a policy from a tag. Gives whether it was on it. Needs [`crate::Area::Governance`].
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the policy does not exist.
    pub async fn remove_policy_from_tag(
        &mut self,
        policy: ObjectId,
        tag: ObjectId,
    ) -> Result<bool, StoreError> {
        let row = self.mine(policy, "policy_tag_delete").await?;
        let touched = statement!("policy_tag_delete")
            .query()
            .id(policy)
            .id(tag)
            .run(self.connection())
            .await?;
        if touched > 0 {
            self.log_object(Change::Revoke, &row).await?;
        }
        Ok(touched > 0)
    }
}
