// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which table or view of another catalog a row stands for. The other catalog renames and replaces behind our back; its
//! UUIDs tell what is the same.

use lakeward_metadata::id::ObjectId;

use crate::error::StoreError;
use crate::revision::Area;
use crate::row::statement;
use crate::snapshot::Snapshot;
use crate::write::Write;

impl Snapshot {
    /// The UUID of what a row stands for; `None` for a row that stands for nothing of another catalog.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn upstream_uuid(&mut self, object: ObjectId) -> Result<Option<String>, StoreError> {
        let row = statement!("upstream_identity_of_object")
            .query()
            .id(object)
            .optional(self.connection())
            .await?;
        row.as_ref().map(|row| row.text(0)).transpose()
    }

    /// The living row, somewhere in a catalog, that stands for what has this UUID there.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn with_upstream_uuid(
        &mut self,
        catalog: ObjectId,
        uuid: &str,
    ) -> Result<Option<ObjectId>, StoreError> {
        let row = statement!("upstream_identity_with_uuid")
            .query()
            .id(catalog)
            .bind(uuid)
            .optional(self.connection())
            .await?;
        row.as_ref().map(|row| row.id(0)).transpose()
    }
}

impl Write {
    /// Says what a row that this write created stands for. Needs [`Area::Objects`].
    ///
    /// # Errors
    /// Class `Unique` when the row, or another of the catalog, stands for something already.
    pub async fn set_upstream_uuid(
        &mut self,
        object: ObjectId,
        catalog: ObjectId,
        uuid: &str,
    ) -> Result<(), StoreError> {
        self.need("upstream_identity_put", Area::Objects)?;
        statement!("upstream_identity_put")
            .query()
            .id(object)
            .id(catalog)
            .bind(uuid)
            .run(self.connection())
            .await
            .map(drop)
    }
}
