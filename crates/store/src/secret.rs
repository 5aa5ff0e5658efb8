// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which objects have secrets. The store keeps only what stands for them (`lakeward_metadata::secret`).

use lakeward_metadata::Properties;
use lakeward_metadata::id::ObjectId;

use crate::error::StoreError;
use crate::row::statement;
use crate::snapshot::Snapshot;

impl Snapshot {
    /// The properties of the catalogs and filesets that have secrets, an object and all below it.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn secret_properties_below(&mut self, object: ObjectId) -> Result<Vec<Properties>, StoreError> {
        statement!("secret_properties_below")
            .query()
            .id(object)
            .all(self.connection(), |row| row.properties(0))
            .await
    }
}
