// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! All that governance needs to know of one object: the tags on it, on what is above it and on its columns, and the
//! policies on those tags.

use lakeward_metadata::id::ObjectId;

use crate::error::StoreError;
use crate::policy::{PolicyState, policy_state};
use crate::policy_tag::StoredSelector;
use crate::row::statement;
use crate::snapshot::Snapshot;

/// A tag on an object, on an ancestor, or on a column of the object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssignmentFact {
    /// Where the tag was assigned.
    pub object_id: ObjectId,
    /// How many levels above the object that was asked for; 0 for the object itself and for its columns.
    pub distance: u32,
    /// The field id, when the tag is on a column.
    pub field_id: Option<i32>,
    /// The tag.
    pub tag_id: ObjectId,
    /// Its name.
    pub tag_name: String,
    /// The value, for tags that carry one. A tag with several values has a fact for each.
    pub value: Option<String>,
}

/// A policy on one of those tags. A policy on several of them has a fact for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyFact {
    /// The policy.
    pub policy_id: ObjectId,
    /// Its name.
    pub policy_name: String,
    /// The tag.
    pub tag_id: ObjectId,
    /// When it applies.
    pub selector: StoredSelector,
    /// What it says; disabled policies are listed too, for previews.
    pub state: PolicyState,
}

/// The facts of one object in one state of the store. They depend on the areas objects and governance.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GovernanceFacts {
    /// Tags: those of the object and its columns first, then upwards; within a level by object, tag name, value.
    pub assignments: Vec<AssignmentFact>,
    /// Policies on these tags, by policy name and tag.
    pub policies: Vec<PolicyFact>,
}

impl Snapshot {
    /// Reads the facts of an object.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn governance_facts(&mut self, object: ObjectId) -> Result<GovernanceFacts, StoreError> {
        let assignments = statement!("facts_assignments")
            .query()
            .id(object)
            .all(self.connection(), |row| {
                let field = row.optional_text(2)?;
                let field_id = field
                    .map(|field| field.parse::<i32>())
                    .transpose()
                    .map_err(|error| row.corrupt(format!("field id: {error}")))?;
                Ok(AssignmentFact {
                    object_id: row.id(0)?,
                    distance: row.distance(1)?,
                    field_id,
                    tag_id: row.id(3)?,
                    tag_name: row.text(4)?,
                    value: row.optional_text(5)?,
                })
            })
            .await?;
        if assignments.is_empty() {
            return Ok(GovernanceFacts::default());
        }
        let policies = statement!("facts_policies")
            .query()
            .id(object)
            .all(self.connection(), |row| {
                Ok(PolicyFact {
                    policy_id: row.id(0)?,
                    tag_id: row.id(1)?,
                    selector: StoredSelector {
                        selector_type: row.text(2)?,
                        value: row.optional_text(3)?,
                    },
                    policy_name: row.text(4)?,
                    state: policy_state(row, 5)?,
                })
            })
            .await?;
        Ok(GovernanceFacts {
            assignments,
            policies,
        })
    }
}
