// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Policies: an object with a type, whether it is enabled, and every content it ever had.

use lakeward_metadata::Properties;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;

use crate::change_log::Change;
use crate::error::StoreError;
use crate::object::{CHAIN_COLUMNS, ChainRow, chain_row};
use crate::row::{Row, statement};
use crate::snapshot::Snapshot;
use crate::tree::NewObject;
use crate::write::Write;

/// A policy with its present content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyRow {
    /// The object with its owner.
    pub object: ChainRow,
    /// What is special about it.
    pub state: PolicyState,
}

/// What a policy says now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyState {
    /// The type, as in requests (`custom`, `system_row_filter`, …).
    pub policy_type: String,
    /// Whether it is in force.
    pub is_enabled: bool,
    /// Counts contents and switches, from 1. A content is fixed by policy and revision.
    pub revision: i64,
    /// The version of the schema that the content follows (`read-restrictions-content 1`).
    pub content_schema: String,
    /// The content as JSON text.
    pub content: String,
}

/// A policy to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPolicy {
    /// Its name.
    pub name: String,
    /// Free text.
    pub comment: Option<String>,
    /// The type.
    pub policy_type: String,
    /// Whether it is in force.
    pub is_enabled: bool,
    /// The version of the schema that the content follows.
    pub content_schema: String,
    /// The content as JSON text.
    pub content: String,
}

/// What a policy said from one time to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyRevisionRow {
    /// The revision, from 1.
    pub revision: i64,
    /// The version of the schema that the content follows.
    pub content_schema: String,
    /// The content as JSON text.
    pub content: String,
    /// Whether the policy was in force.
    pub is_enabled: bool,
    /// Who made this revision.
    pub author: String,
    /// When, in epoch milliseconds.
    pub created_at: i64,
}

/// Decodes type, enabled, revision, schema and content that begin at `column`.
pub(crate) fn policy_state(row: &Row, column: usize) -> Result<PolicyState, StoreError> {
    Ok(PolicyState {
        policy_type: row.text(column)?,
        is_enabled: row.flag(column + 1)?,
        revision: row.integer(column + 2)?,
        content_schema: row.text(column + 3)?,
        content: row.text(column + 4)?,
    })
}

/// Decodes an object with its owner, and the policy columns after them.
pub(crate) fn policy_row(row: &Row) -> Result<PolicyRow, StoreError> {
    Ok(PolicyRow {
        object: chain_row(row)?,
        state: policy_state(row, CHAIN_COLUMNS)?,
    })
}

impl Snapshot {
    /// A policy by id.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn policy(&mut self, id: ObjectId) -> Result<Option<PolicyRow>, StoreError> {
        let row = statement!("policy_load")
            .query()
            .id(id)
            .optional(self.connection())
            .await?;
        row.as_ref().map(policy_row).transpose()
    }

    /// All policies of a metalake by name.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn policies(&mut self, metalake: ObjectId) -> Result<Vec<PolicyRow>, StoreError> {
        statement!("policy_list")
            .query()
            .id(metalake)
            .all(self.connection(), policy_row)
            .await
    }

    /// Everything a policy ever said, the newest first.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn policy_revisions(&mut self, policy: ObjectId) -> Result<Vec<PolicyRevisionRow>, StoreError> {
        statement!("policy_revision_list")
            .query()
            .id(policy)
            .all(self.connection(), |row| {
                Ok(PolicyRevisionRow {
                    revision: row.integer(0)?,
                    content_schema: row.text(1)?,
                    content: row.text(2)?,
                    is_enabled: row.flag(3)?,
                    author: row.text(4)?,
                    created_at: row.integer(5)?,
                })
            })
            .await
    }
}

impl Write {
    /// Creates a policy at revision 1. Needs [`crate::Area::Governance`].
    ///
    /// # Errors
    /// Class `Unique` when the name is taken.
    pub async fn create_policy(&mut self, new: &NewPolicy) -> Result<PolicyRow, StoreError> {
        let object = self
            .create_object(&NewObject {
                comment: new.comment.clone(),
                properties: Properties::new(),
                ..NewObject::named(self.metalake(), ObjectKind::Policy, new.name.as_str())
            })
            .await?;
        statement!("policy_insert")
            .query()
            .id(object.id)
            .bind(new.policy_type.as_str())
            .bind(i64::from(new.is_enabled))
            .run(self.connection())
            .await?;
        let state = PolicyState {
            policy_type: new.policy_type.clone(),
            is_enabled: new.is_enabled,
            revision: 1,
            content_schema: new.content_schema.clone(),
            content: new.content.clone(),
        };
        self.keep_revision(object.id, &state).await?;
        Ok(PolicyRow {
            object: ChainRow { object, owner: None },
            state,
        })
    }

    /// Gives a policy a new content. Needs [`crate::Area::Governance`].
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the policy does not exist.
    pub async fn revise_policy(
        &mut self,
        id: ObjectId,
        content_schema: &str,
        content: &str,
    ) -> Result<PolicyRow, StoreError> {
        let mut policy = self.require_policy(id).await?;
        content_schema.clone_into(&mut policy.state.content_schema);
        content.clone_into(&mut policy.state.content);
        self.next_revision(policy).await
    }

    /// Puts a policy in force or out of force; a revision of its own. Needs [`crate::Area::Governance`].
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the policy does not exist.
    pub async fn enable_policy(&mut self, id: ObjectId, is_enabled: bool) -> Result<PolicyRow, StoreError> {
        let mut policy = self.require_policy(id).await?;
        policy.state.is_enabled = is_enabled;
        self.next_revision(policy).await
    }

    async fn require_policy(&mut self, id: ObjectId) -> Result<PolicyRow, StoreError> {
        self.mine(id, "policy_revise").await?;
        self.policy(id).await?.ok_or_else(|| StoreError::Missing {
            what: "policy",
            name: id.to_string(),
        })
    }

    async fn next_revision(&mut self, mut policy: PolicyRow) -> Result<PolicyRow, StoreError> {
        let id = policy.object.object.id;
        policy.state.revision = statement!("policy_revise")
            .query()
            .id(id)
            .bind(i64::from(policy.state.is_enabled))
            .one(self.connection())
            .await?
            .integer(0)?;
        self.keep_revision(id, &policy.state).await?;
        let object = &mut policy.object.object;
        self.touch(object);
        self.store_object(object).await?;
        self.log_object(Change::Alter, &policy.object.object).await?;
        Ok(policy)
    }

    async fn keep_revision(&mut self, id: ObjectId, state: &PolicyState) -> Result<(), StoreError> {
        let (author, at) = (self.actor().to_owned(), self.at());
        statement!("policy_revision_insert")
            .query()
            .id(id)
            .bind(state.revision)
            .bind(state.content_schema.as_str())
            .bind(state.content.as_str())
            .bind(i64::from(state.is_enabled))
            .bind(author)
            .bind(at)
            .run(self.connection())
            .await
            .map(drop)
    }
}
