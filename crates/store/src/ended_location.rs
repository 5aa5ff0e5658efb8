// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Where dropped tables lay that were restricted. Their files are still there unless they were purged, and the tags that
//! restricted them are gone: whoever made a table of them would have every row.

use lakeward_metadata::id::ObjectId;

use crate::error::StoreError;
use crate::row::statement;
use crate::snapshot::Snapshot;
use crate::table_location::places_above;
use crate::write::Write;

impl Snapshot {
    /// Whether a restricted table that was dropped lay at, above or below a canonical location.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn is_ended_location(&mut self, location: &str) -> Result<bool, StoreError> {
        for place in places_above(location) {
            let row = statement!("ended_location_at")
                .query()
                .bind(place)
                .optional(self.connection())
                .await?;
            if row.is_some() {
                return Ok(true);
            }
        }
        let row = statement!("ended_location_below")
            .query()
            .bind(format!("{location}/"))
            .bind(format!("{location}0"))
            .optional(self.connection())
            .await?;
        Ok(row.is_some())
    }
}

impl Write {
    /// Remembers where a living table lies and lay, before it is dropped.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn end_locations(&mut self, table: ObjectId) -> Result<(), StoreError> {
        let at = self.at();
        statement!("ended_location_keep")
            .query()
            .id(table)
            .bind(at)
            .run(self.connection())
            .await
            .map(drop)
    }

    /// Forgets what ended at and below a canonical location: its files are gone, or are meant to be a table again.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn forget_ended_locations(&mut self, location: &str) -> Result<(), StoreError> {
        statement!("ended_location_forget")
            .query()
            .bind(location)
            .bind(format!("{location}/"))
            .bind(format!("{location}0"))
            .run(self.connection())
            .await
            .map(drop)
    }
}
