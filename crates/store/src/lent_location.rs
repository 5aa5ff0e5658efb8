// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Places for whose files credentials were given out, until the last of them ends. A credential cannot be taken back: where its
//! table or fileset is dropped, the place must become nobody else's before.

use crate::clock;
use crate::error::StoreError;
use crate::row::statement;
use crate::snapshot::Snapshot;
use crate::table_location::places_above;
use crate::write::Write;

impl Snapshot {
    /// Whether somebody has a credential for a place at, above or below a canonical location whose table or fileset is gone.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn is_lent_location(&mut self, location: &str) -> Result<bool, StoreError> {
        let now = clock::now();
        for place in places_above(location) {
            let row = statement!("lent_location_at")
                .query()
                .bind(place)
                .bind(now)
                .optional(self.connection())
                .await?;
            if row.is_some() {
                return Ok(true);
            }
        }
        let row = statement!("lent_location_below")
            .query()
            .bind(format!("{location}/"))
            .bind(format!("{location}0"))
            .bind(now)
            .optional(self.connection())
            .await?;
        Ok(row.is_some())
    }
}

impl Write {
    /// Notes that a credential for the files below a canonical location ends at this time, in epoch milliseconds. What has ended
    /// by now is forgotten.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn lend_location(&mut self, location: &str, ends_at: i64) -> Result<(), StoreError> {
        let now = self.at();
        statement!("lent_location_expire")
            .query()
            .bind(now)
            .run(self.connection())
            .await?;
        statement!("lent_location_put")
            .query()
            .bind(location)
            .bind(ends_at)
            .run(self.connection())
            .await
            .map(drop)
    }
}
