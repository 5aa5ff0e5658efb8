// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! One consistent view of the whole store.

use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use sqlx::Transaction;
use sqlx::{Any, AnyConnection};
use tokio::sync::OwnedSemaphorePermit;

use crate::error::StoreError;
use crate::revision::{Area, Revision};
use crate::row::{Row, statement};
use crate::store::Store;

/// A read transaction. Every answer is of the same state. Dropping it ends it; keep it short.
pub struct Snapshot {
    transaction: Transaction<'static, Any>,
    store: Store,
    /// Whether the state is committed: false inside a write, whose own changes may still be rolled back.
    is_committed: bool,
    /// The right of a lasting snapshot to its connection.
    _permit: Option<Box<OwnedSemaphorePermit>>,
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot").finish_non_exhaustive()
    }
}

impl Snapshot {
    pub(crate) fn new(transaction: Transaction<'static, Any>, store: Store) -> Self {
        Self {
            transaction,
            store,
            is_committed: true,
            _permit: None,
        }
    }

    pub(crate) fn lasting(self, permit: OwnedSemaphorePermit) -> Self {
        Self {
            _permit: Some(Box::new(permit)),
            ..self
        }
    }

    pub(crate) fn inside_write(transaction: Transaction<'static, Any>, store: Store) -> Self {
        Self {
            transaction,
            store,
            is_committed: false,
            _permit: None,
        }
    }

    pub(crate) fn connection(&mut self) -> &mut AnyConnection {
        &mut self.transaction
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn is_committed(&self) -> bool {
        self.is_committed
    }

    pub(crate) fn into_transaction(self) -> Transaction<'static, Any> {
        self.transaction
    }

    /// The counters of a metalake in this state. All zero for a metalake that never existed.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn revision(&mut self, metalake: ObjectId) -> Result<Revision, StoreError> {
        let rows = statement!("revision_load")
            .query()
            .id(metalake)
            .all(self.connection(), counter_row)
            .await?;
        Ok(Revision::from_rows(rows).map_or_else(Revision::default, |(_, revision)| revision))
    }

    /// The counter of [`Area::Server`] in this state.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn server_revision(&mut self) -> Result<i64, StoreError> {
        let row = statement!("revision_server")
            .query()
            .one(self.connection())
            .await?;
        row.integer(0)
    }

    /// A living metalake by name, with its counters in this state.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn current(&mut self, metalake: &str) -> Result<Option<(ObjectId, Revision)>, StoreError> {
        let rows = statement!("revision_named")
            .query()
            .bind(metalake)
            .all(self.connection(), counter_row)
            .await?;
        Ok(Revision::from_rows(rows))
    }

    /// The id of a living metalake.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn metalake_id(&mut self, name: &str) -> Result<Option<ObjectId>, StoreError> {
        let row = self.child(crate::ROOT, ObjectKind::Metalake, name).await?;
        Ok(row.map(|row| row.object.id))
    }
}

/// Decodes metalake, area and value of a counter.
pub(crate) fn counter_row(row: &Row) -> Result<(ObjectId, String, i64), StoreError> {
    Ok((row.id(0)?, row.text(1)?, row.integer(2)?))
}

impl Revision {
    /// Puts counter rows (metalake, area, value) together. Rows of metalake 0 are the server's. `None` without rows.
    pub(crate) fn from_rows(rows: Vec<(ObjectId, String, i64)>) -> Option<(ObjectId, Self)> {
        let mut revision = Self::default();
        let mut id = None;
        for (metalake, area, value) in rows {
            if metalake != crate::ROOT || id.is_none() {
                id = Some(metalake);
            }
            if let Some(area) = Area::from_name(&area) {
                revision.set(area, value);
            }
        }
        id.map(|id| (id, revision))
    }
}
