// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Where tables lie. No two living tables of a server may lie inside each other, whatever their metalakes: files of one
//! would be files of the other, and what guards one would not guard the other.
//!
//! Locations are canonical (one text per place, `/` between segments, none at the end), so that one place lies inside
//! another exactly when its text continues the other's after a `/`.

use lakeward_metadata::id::ObjectId;

use crate::error::StoreError;
use crate::revision::Area;
use crate::row::statement;
use crate::snapshot::Snapshot;
use crate::write::Write;

/// The outcome of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claimed {
    /// The location is that of the table, view or fileset that claimed it.
    Mine,
    /// Nothing was changed: another table, a view or a fileset lies there, above or below.
    Taken(ObjectId),
}

impl Snapshot {
    /// A living table other than `except` that lies, or lay before it moved, at, above or below a canonical location.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn table_overlapping(
        &mut self,
        location: &str,
        except: Option<ObjectId>,
    ) -> Result<Option<ObjectId>, StoreError> {
        // No object has the id 0 but the root, which is no table.
        let except = except.unwrap_or(crate::ROOT);
        for place in places_above(location) {
            let row = statement!("table_location_at")
                .query()
                .bind(place)
                .id(except)
                .optional(self.connection())
                .await?;
            if let Some(row) = row {
                return row.id(0).map(Some);
            }
        }
        // `0` follows `/` in byte order: this is every text that begins with the location and a `/`.
        let row = statement!("table_location_below")
            .query()
            .bind(format!("{location}/"))
            .bind(format!("{location}0"))
            .id(except)
            .optional(self.connection())
            .await?;
        row.map(|row| row.id(0)).transpose()
    }
}

impl Snapshot {
    /// A living table or view other than `except`, or a living fileset, at, above or below a canonical location: what keeps a
    /// table from going there.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn location_holder(
        &mut self,
        location: &str,
        except: Option<ObjectId>,
    ) -> Result<Option<ObjectId>, StoreError> {
        if let Some(table) = self.table_overlapping(location, except).await? {
            return Ok(Some(table));
        }
        let filesets = self.filesets_overlapping(location, except).await?;
        Ok(filesets.into_iter().next())
    }
}

impl Write {
    /// Makes whoever claims a location wait until the writes of those that claimed before have ended.
    pub(crate) async fn lock_locations(&mut self) -> Result<(), StoreError> {
        statement!("table_location_lock")
            .query()
            .run(self.connection())
            .await
            .map(drop)
    }

    /// Makes a canonical location the table's, unless it overlaps that of another living table or fileset. Where the table lay before
    /// stays its own too, since its older files are there: whoever got that place could make a table of them. Claims wait for each
    /// other, over all metalakes and nodes, until their writes end. Needs [`Area::Objects`].
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the table does not exist.
    pub async fn claim_table_location(
        &mut self,
        table: ObjectId,
        location: &str,
    ) -> Result<Claimed, StoreError> {
        self.need("table_location_put", Area::Objects)?;
        self.mine(table, "table_location_put").await?;
        self.lock_locations().await?;
        if let Some(other) = self.location_holder(location, Some(table)).await? {
            return Ok(Claimed::Taken(other));
        }
        statement!("table_location_keep")
            .query()
            .id(table)
            .bind(location)
            .run(self.connection())
            .await?;
        statement!("table_location_put")
            .query()
            .id(table)
            .bind(location)
            .run(self.connection())
            .await?;
        Ok(Claimed::Mine)
    }
}

/// The location itself and every place that it lies in, innermost first.
pub(crate) fn places_above(location: &str) -> impl Iterator<Item = &str> {
    let after_scheme = location.find("://").map_or(0, |at| at + "://".len());
    std::iter::successors(Some(location), move |place| {
        let (above, _) = place.rsplit_once('/')?;
        (above.len() > after_scheme).then_some(above)
    })
}

#[cfg(test)]
mod tests {
    use super::places_above;

    fn check(location: &str, expected: &[&str]) {
        assert_eq!(places_above(location).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn every_place_above_is_named_once() {
        check("s3://b/x/y", &["s3://b/x/y", "s3://b/x", "s3://b"]);
        check("file:///w/t", &["file:///w/t", "file:///w"]);
        check("s3://b", &["s3://b"]);
    }
}
