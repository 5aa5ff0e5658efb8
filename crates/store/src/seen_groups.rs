// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The groups that a user's last token named. For explanations of somebody who is not calling; no decision reads them.

use std::collections::BTreeSet;

use crate::error::StoreError;
use crate::row::{json_text, statement};
use crate::snapshot::Snapshot;
use crate::write::Write;

/// What the last token of a user said of groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenGroups {
    /// The names, as the token gave them; a metalake may not know them all.
    pub groups: BTreeSet<String>,
    /// When, in epoch milliseconds, give or take an hour.
    pub at: i64,
}

impl Snapshot {
    /// The groups of a user's last token; `None` when no token of the user named any set of groups.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn seen_groups(&mut self, user: &str) -> Result<Option<SeenGroups>, StoreError> {
        let row = statement!("seen_groups_load")
            .query()
            .bind(user)
            .optional(self.connection())
            .await?;
        row.map(|row| {
            Ok(SeenGroups {
                groups: row.json(0)?,
                at: row.integer(1)?,
            })
        })
        .transpose()
    }
}

impl Write {
    /// Remembers the groups of a user's token; what is older than what is kept changes nothing. Counts no area, since no
    /// answer of a load depends on it.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn note_groups(&mut self, user: &str, seen: &SeenGroups) -> Result<(), StoreError> {
        let groups = json_text(&seen.groups)?;
        statement!("seen_groups_put")
            .query()
            .bind(user)
            .bind(groups)
            .bind(seen.at)
            .run(self.connection())
            .await
            .map(drop)
    }
}
