// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What each count of a counter changed, for what outlives requests: provider clients, warm-up, audit, event feeds.

use lakeward_metadata::id::ObjectId;

use crate::error::StoreError;
use crate::revision::Area;
use crate::row::statement;
use crate::snapshot::Snapshot;
use crate::write::Write;

/// What happened to a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// It was made.
    Create,
    /// Something in it changed.
    Alter,
    /// It was renamed or moved; the row has the old name.
    Rename,
    /// It was ended.
    Drop,
    /// It got an owner.
    SetOwner,
    /// It was given to a user or group, or attached to an object.
    Grant,
    /// It was taken from them.
    Revoke,
}

impl Change {
    /// The stored name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Alter => "alter",
            Self::Rename => "rename",
            Self::Drop => "drop",
            Self::SetOwner => "set-owner",
            Self::Grant => "grant",
            Self::Revoke => "revoke",
        }
    }

    /// The change of a stored name.
    pub fn from_name(name: &str) -> Option<Self> {
        [
            Self::Create,
            Self::Alter,
            Self::Rename,
            Self::Drop,
            Self::SetOwner,
            Self::Grant,
            Self::Revoke,
        ]
        .into_iter()
        .find(|change| change.as_str() == name)
    }
}

/// One row of the change log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeLogRow {
    /// The counter value that the change belongs to.
    pub revision: i64,
    /// What happened.
    pub change: Change,
    /// The kind of thing, in upper case: a kind of object, or `USER`, `GROUP`, `READER`, `SETTING`, ….
    pub kind: String,
    /// Its id; 0 for things that have only a name.
    pub object_id: i64,
    /// Its name before the change.
    pub object_name: String,
    /// Who did it.
    pub actor: String,
    /// When, in epoch milliseconds.
    pub changed_at: i64,
}

impl Snapshot {
    /// The changes of an area after a counter value, oldest first. Counter order is commit order, so a poller that
    /// continues from the last value it saw misses nothing. With a limit, the last revision may be incomplete: go on
    /// from the one before it.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn changes_since(
        &mut self,
        metalake: ObjectId,
        area: Area,
        revision: i64,
        limit: u32,
    ) -> Result<Vec<ChangeLogRow>, StoreError> {
        statement!("change_log_since")
            .query()
            .id(metalake)
            .bind(area.as_str())
            .bind(revision)
            .bind(i64::from(limit))
            .all(self.connection(), |row| {
                let change = row.text(1)?;
                Ok(ChangeLogRow {
                    revision: row.integer(0)?,
                    change: Change::from_name(&change)
                        .ok_or_else(|| row.corrupt(format!("`{change}` is not a change")))?,
                    kind: row.text(2)?,
                    object_id: row.integer(3)?,
                    object_name: row.text(4)?,
                    actor: row.text(5)?,
                    changed_at: row.integer(6)?,
                })
            })
            .await
    }
}

impl Write {
    /// Removes rows of all metalakes that are older than a time in epoch milliseconds. Gives their number.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn prune_change_log(&mut self, before: i64) -> Result<u64, StoreError> {
        statement!("change_log_prune")
            .query()
            .bind(before)
            .run(self.connection())
            .await
    }
}
