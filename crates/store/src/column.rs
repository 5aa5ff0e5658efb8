// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Columns that something was said of. A column is named by its field id, which renames and moves of the column keep.

use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;

use crate::error::StoreError;
use crate::object::{ChainRow, ObjectRow};
use crate::revision::Area;
use crate::snapshot::Snapshot;
use crate::tree::NewObject;
use crate::write::Write;

impl Snapshot {
    /// The row of a column; `None` when nothing was ever said of it.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn column(&mut self, table: ObjectId, field_id: i32) -> Result<Option<ChainRow>, StoreError> {
        self.child(table, ObjectKind::Column, &field_id.to_string()).await
    }
}

impl Write {
    /// The row of a column, made when it is not there yet. Needs [`Area::Objects`]. The caller knows that the table
    /// has such a field.
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the table does not exist.
    pub async fn ensure_column(&mut self, table: ObjectId, field_id: i32) -> Result<ObjectRow, StoreError> {
        self.need("object_insert", Area::Objects)?;
        if let Some(row) = self.column(table, field_id).await? {
            return Ok(row.object);
        }
        self.create_object(&NewObject::named(table, ObjectKind::Column, field_id.to_string()))
            .await
    }
}
