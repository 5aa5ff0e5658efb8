// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tags on objects.

use std::collections::HashMap;

use lakeward_metadata::id::ObjectId;
use lakeward_metadata::object::MetadataObject;

use crate::change_log::Change;
use crate::error::StoreError;
use crate::object::{CHAIN_COLUMNS, ChainRow, chain_row};
use crate::row::statement;
use crate::snapshot::Snapshot;
use crate::write::Write;

/// A tag on an object or on one of its ancestors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssignedTag {
    /// The tag with its owner.
    pub tag: ChainRow,
    /// Where it was assigned.
    pub object_id: ObjectId,
    /// How many levels above the object that was asked for: 0 is the object itself.
    pub distance: u32,
    /// The value, for tags that carry one. A tag with several values has a row for each.
    pub value: Option<String>,
}

/// An object that a tag is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaggedObject {
    /// Its identity.
    pub id: ObjectId,
    /// Its full name; the last level of a column is its field id.
    pub object: MetadataObject,
    /// The values; empty for an assignment without value.
    pub values: Vec<String>,
}

/// Which assignments of a tag to take away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assignments<'a> {
    /// All of them, whatever their values.
    All,
    /// The one without value.
    Valueless,
    /// The one with this value.
    Valued(&'a str),
}

impl Snapshot {
    /// The assignments on an object and its ancestors, the nearest first, then by tag name and value.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn assigned_tags(&mut self, object: ObjectId) -> Result<Vec<AssignedTag>, StoreError> {
        statement!("tag_assigned")
            .query()
            .id(object)
            .all(self.connection(), |row| {
                Ok(AssignedTag {
                    tag: chain_row(row)?,
                    object_id: row.id(CHAIN_COLUMNS)?,
                    distance: row.distance(CHAIN_COLUMNS + 1)?,
                    value: row.optional_text(CHAIN_COLUMNS + 2)?,
                })
            })
            .await
    }

    /// The objects that a tag was assigned to, in the order of ids.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn tagged_objects(&mut self, tag: ObjectId) -> Result<Vec<TaggedObject>, StoreError> {
        let objects = self.paths(statement!("path_of_tagged"), tag).await?;
        let rows: Vec<(ObjectId, Option<String>)> = statement!("tag_values")
            .query()
            .id(tag)
            .all(self.connection(), |row| Ok((row.id(0)?, row.optional_text(1)?)))
            .await?;
        let mut values: HashMap<ObjectId, Vec<String>> = HashMap::new();
        for (object, value) in rows {
            values.entry(object).or_default().extend(value);
        }
        Ok(objects
            .into_iter()
            .map(|(id, object)| TaggedObject {
                id,
                object,
                values: values.remove(&id).unwrap_or_default(),
            })
            .collect())
    }
}

impl Write {
    /// Puts a tag on an object, with or without a value. Gives whether it is new. Needs [`crate::Area::Governance`].
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the tag or the object does not exist.
    pub async fn assign_tag(
        &mut self,
        tag: ObjectId,
        object: ObjectId,
        value: Option<&str>,
    ) -> Result<bool, StoreError> {
        let row = self.mine(tag, "tag_assign").await?;
        self.living_here(object).await?;
        let touched = statement!("tag_assign")
            .query()
            .id(tag)
            .id(object)
            .bind(value)
            .run(self.connection())
            .await?;
        if touched > 0 {
            self.log_object(Change::Grant, &row).await?;
        }
        Ok(touched > 0)
    }

    /// Takes a tag from an object. Gives how many assignments ended. Needs [`crate::Area::Governance`].
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the tag does not exist.
    pub async fn unassign_tag(
        &mut self,
        tag: ObjectId,
        object: ObjectId,
        which: Assignments<'_>,
    ) -> Result<u64, StoreError> {
        let row = self.mine(tag, "tag_unassign").await?;
        let query = match which {
            Assignments::All => statement!("tag_unassign").query().id(tag).id(object),
            Assignments::Valueless => statement!("tag_unassign_valueless").query().id(tag).id(object),
            Assignments::Valued(value) => statement!("tag_unassign_value")
                .query()
                .id(tag)
                .id(object)
                .bind(value),
        };
        let touched = query.run(self.connection()).await?;
        if touched > 0 {
            self.log_object(Change::Revoke, &row).await?;
        }
        Ok(touched)
    }
}
