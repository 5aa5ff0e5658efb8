// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Where the files of filesets lie. They share the places of a server with tables: no living table lies inside a fileset
//! or around one, since whoever reads the fileset would read the table past its restrictions.
//!
//! Filesets may lie inside each other, for whoever the caller of the store trusts to say so.

use std::collections::{BTreeMap, BTreeSet};

use lakeward_metadata::id::ObjectId;

use crate::error::StoreError;
use crate::revision::Area;
use crate::row::{Row, statement};
use crate::snapshot::Snapshot;
use crate::table_location::{Claimed, places_above};
use crate::write::Write;

/// One place of a fileset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilesetLocationRow {
    /// The name of the location in the fileset.
    pub name: String,
    /// The canonical location.
    pub location: String,
    /// The location as answers show it.
    pub shown: String,
}

/// A living fileset with its places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedFileset {
    /// The fileset.
    pub id: ObjectId,
    /// The schema that it is in.
    pub schema_id: ObjectId,
    /// What only filesets have, as a JSON object.
    pub detail: serde_json::Value,
    /// Its places, by name.
    pub locations: Vec<FilesetLocationRow>,
}

fn location(row: &Row, first: usize) -> Result<FilesetLocationRow, StoreError> {
    Ok(FilesetLocationRow {
        name: row.text(first)?,
        location: row.text(first + 1)?,
        shown: row.text(first + 2)?,
    })
}

impl Snapshot {
    /// The places of a fileset, by name.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn fileset_locations(
        &mut self,
        fileset: ObjectId,
    ) -> Result<Vec<FilesetLocationRow>, StoreError> {
        statement!("fileset_location_list")
            .query()
            .id(fileset)
            .all(self.connection(), |row| location(row, 0))
            .await
    }

    /// The living filesets other than `except` that lie at, above or below a canonical location.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn filesets_overlapping(
        &mut self,
        location: &str,
        except: Option<ObjectId>,
    ) -> Result<BTreeSet<ObjectId>, StoreError> {
        // No object has the id 0 but the root, which is no fileset.
        let except = except.unwrap_or(crate::ROOT);
        let mut found = BTreeSet::new();
        for place in places_above(location) {
            found.extend(
                statement!("fileset_location_at")
                    .query()
                    .bind(place)
                    .id(except)
                    .all(self.connection(), |row| row.id(0))
                    .await?,
            );
        }
        // `0` follows `/` in byte order: this is every text that begins with the location and a `/`.
        found.extend(
            statement!("fileset_location_below")
                .query()
                .bind(format!("{location}/"))
                .bind(format!("{location}0"))
                .id(except)
                .all(self.connection(), |row| row.id(0))
                .await?,
        );
        Ok(found)
    }

    /// A living fileset, or every living fileset below a container, with their places.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn filesets_below(&mut self, object: ObjectId) -> Result<Vec<PlacedFileset>, StoreError> {
        let rows = statement!("fileset_below")
            .query()
            .id(object)
            .all(self.connection(), |row| {
                Ok((row.id(0)?, row.id(1)?, row.json(2)?, location(row, 3)?))
            })
            .await?;
        let mut filesets: BTreeMap<ObjectId, PlacedFileset> = BTreeMap::new();
        for (id, schema_id, detail, location) in rows {
            filesets
                .entry(id)
                .or_insert_with(|| PlacedFileset {
                    id,
                    schema_id,
                    detail,
                    locations: Vec::new(),
                })
                .locations
                .push(location);
        }
        Ok(filesets.into_values().collect())
    }
}

impl Write {
    /// Gives a fileset that was created by this write a place, unless a living table or view lies at, above or below it, or a
    /// living fileset that is not among `beside`. Claims wait for each other and for those of tables, over all metalakes
    /// and nodes, until their writes end. Needs [`Area::Objects`].
    ///
    /// # Errors
    /// Class `Unique` for a second location of one name; [`StoreError::Missing`] when the fileset does not exist.
    pub async fn claim_fileset_location(
        &mut self,
        fileset: ObjectId,
        place: &FilesetLocationRow,
        beside: &BTreeSet<ObjectId>,
    ) -> Result<Claimed, StoreError> {
        self.need("fileset_location_put", Area::Objects)?;
        self.mine(fileset, "fileset_location_put").await?;
        self.lock_locations().await?;
        if let Some(other) = self.table_overlapping(&place.location, None).await? {
            return Ok(Claimed::Taken(other));
        }
        let others = self.filesets_overlapping(&place.location, Some(fileset)).await?;
        if let Some(other) = others.difference(beside).next() {
            return Ok(Claimed::Taken(*other));
        }
        statement!("fileset_location_put")
            .query()
            .id(fileset)
            .bind(place.name.as_str())
            .bind(place.location.as_str())
            .bind(place.shown.as_str())
            .run(self.connection())
            .await?;
        Ok(Claimed::Mine)
    }
}
