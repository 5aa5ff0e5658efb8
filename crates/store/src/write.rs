// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A write transaction: it names its areas, counts them first, and logs every change by the same call.

use std::ops::{Deref, DerefMut};

use lakeward_metadata::id::ObjectId;
use tokio::sync::OwnedSemaphorePermit;

use crate::change_log::Change;
use crate::clock;
use crate::engine::Hold;
use crate::error::StoreError;
use crate::revision::{Area, Revision};
use crate::row::statement;
use crate::snapshot::Snapshot;
use crate::store::Store;

/// An open write. Dropped without [`Write::commit`], it leaves nothing behind. It reads its own changes.
pub struct Write {
    snapshot: Snapshot,
    metalake: ObjectId,
    counted: Vec<Counted>,
    pointers: Vec<(ObjectId, i64)>,
    actor: String,
    at: i64,
    // After the transaction, so that the next writer starts when this one has let go of the file.
    _writer: OwnedSemaphorePermit,
}

/// A counter that this write raised.
#[derive(Debug, Clone, Copy)]
struct Counted {
    metalake: ObjectId,
    area: Area,
    value: i64,
}

impl std::fmt::Debug for Write {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Write")
            .field("metalake", &self.metalake)
            .field("counted", &self.counted)
            .finish_non_exhaustive()
    }
}

impl Deref for Write {
    type Target = Snapshot;

    fn deref(&self) -> &Snapshot {
        &self.snapshot
    }
}

impl DerefMut for Write {
    fn deref_mut(&mut self) -> &mut Snapshot {
        &mut self.snapshot
    }
}

impl Write {
    pub(crate) async fn open(
        store: Store,
        metalake: ObjectId,
        areas: &[Area],
        actor: &str,
    ) -> Result<Self, StoreError> {
        let writer = store.writer().await?;
        let transaction = store.begin(store.inner.engine.begin_write()).await?;
        let mut write = Self {
            snapshot: Snapshot::inside_write(transaction, store),
            metalake,
            counted: Vec::with_capacity(areas.len()),
            pointers: Vec::new(),
            actor: actor.to_owned(),
            at: clock::now(),
            _writer: writer,
        };
        if metalake != crate::ROOT || !areas.is_empty() {
            let alone = |is_alone| if is_alone { Hold::Alone } else { Hold::Shared };
            let (metalake, server) = (!areas.is_empty(), areas.contains(&Area::Server));
            let engine = write.snapshot.store().inner.engine;
            let id = write.metalake;
            engine
                .hold(write.connection(), (id, alone(metalake)), alone(server))
                .await?;
        }
        let mut areas = areas.to_vec();
        areas.sort_unstable();
        areas.dedup();
        for area in areas {
            let owner = if area == Area::Server {
                crate::ROOT
            } else {
                metalake
            };
            write.count(owner, area).await?;
        }
        Ok(write)
    }

    async fn count(&mut self, metalake: ObjectId, area: Area) -> Result<(), StoreError> {
        let row = statement!("revision_count")
            .query()
            .id(metalake)
            .bind(area.as_str())
            .optional(self.connection())
            .await?;
        let Some(row) = row else {
            return Err(StoreError::Missing {
                what: "metalake",
                name: metalake.to_string(),
            });
        };
        let value = row.integer(0)?;
        self.counted.push(Counted {
            metalake,
            area,
            value,
        });
        Ok(())
    }

    /// Makes this write one to a metalake that it created: its counters start at 1.
    pub(crate) async fn adopt_metalake(&mut self, metalake: ObjectId) -> Result<(), StoreError> {
        for area in Area::OF_METALAKE {
            statement!("revision_insert")
                .query()
                .id(metalake)
                .bind(area.as_str())
                .run(self.connection())
                .await?;
            self.counted.push(Counted {
                metalake,
                area,
                value: 1,
            });
        }
        self.metalake = metalake;
        Ok(())
    }

    /// The metalake that is written to.
    pub fn metalake(&self) -> ObjectId {
        self.metalake
    }

    /// Who writes.
    pub fn actor(&self) -> &str {
        &self.actor
    }

    /// The time of this write, in epoch milliseconds; the same for all its changes.
    pub fn at(&self) -> i64 {
        self.at
    }

    /// The time of the clock that all nodes share, in epoch milliseconds.
    pub(crate) async fn shared_now(&mut self) -> Result<i64, StoreError> {
        let engine = self.snapshot.store().inner.engine;
        engine.shared_now(self.snapshot.connection()).await
    }

    /// The value to which this write raised an area, or `None` when it did not name it.
    pub fn counted(&self, area: Area) -> Option<i64> {
        self.counted
            .iter()
            .find(|counted| counted.area == area)
            .map(|counted| counted.value)
    }

    /// The counters of a metalake as they were before this write raised its own: from memory where this process is the only
    /// writer, else with one statement.
    pub(crate) async fn revision_before(&mut self, metalake: ObjectId) -> Result<Revision, StoreError> {
        // While this write is open no other raises any, and its own are raised when it commits.
        if let Some(revision) = self.snapshot.store().revision_hint(metalake) {
            return Ok(revision);
        }
        let revision = self.snapshot.revision(metalake).await?;
        Ok(self.without_own(metalake, revision))
    }

    /// A living metalake by name, with the counters of the state that this write follows, as the database has them: caches
    /// may be filled under them with what this write cannot have changed.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn current_before(
        &mut self,
        metalake: &str,
    ) -> Result<Option<(ObjectId, Revision)>, StoreError> {
        let current = self.snapshot.current(metalake).await?;
        Ok(current.map(|(id, revision)| (id, self.without_own(id, revision))))
    }

    fn without_own(&self, metalake: ObjectId, mut revision: Revision) -> Revision {
        for counted in &self.counted {
            if counted.metalake == metalake || counted.area == Area::Server {
                revision.set(counted.area, counted.value - 1);
            }
        }
        revision
    }

    /// Fails unless the write named the area.
    pub(crate) fn need(&self, statement: &'static str, area: Area) -> Result<i64, StoreError> {
        self.counted(area)
            .ok_or(StoreError::UndeclaredArea { statement, area })
    }

    /// Writes a row of the change log. `subject` is the kind of thing (`TABLE`, `USER`, …) with its id and name.
    pub(crate) async fn log(
        &mut self,
        area: Area,
        change: Change,
        subject: (&str, i64, &str),
    ) -> Result<(), StoreError> {
        let revision = self.need("change_log_insert", area)?;
        let metalake = if area == Area::Server {
            crate::ROOT
        } else {
            self.metalake
        };
        let (kind, id, name) = subject;
        let (actor, at) = (self.actor.clone(), self.at);
        statement!("change_log_insert")
            .query()
            .id(metalake)
            .bind(area.as_str())
            .bind(revision)
            .bind(change.as_str())
            .bind(kind)
            .bind(id)
            .bind(name)
            .bind(actor)
            .bind(at)
            .run(self.connection())
            .await?;
        Ok(())
    }

    /// Notes that the pointer of a table gets this version when the write commits; `i64::MAX` when it ends.
    pub(crate) fn will_point(&mut self, table: ObjectId, version: i64) {
        self.pointers.push((table, version));
    }

    /// Makes everything visible at once. What was answered before stays answered from its own state; every request
    /// that starts after this returns sees the change.
    ///
    /// # Errors
    /// What the database reports. After an error of class `Unavailable` the change may or may not have been made.
    pub async fn commit(self) -> Result<(), StoreError> {
        let store = self.snapshot.store().clone();
        if store.inner.engine.is_sole_writer() {
            // Before the commit: a request that is cancelled here, or a commit whose answer is lost, must not leave
            // counters behind the database.
            for counted in &self.counted {
                store
                    .inner
                    .counters
                    .raise(counted.metalake, counted.area, counted.value);
            }
            for (table, version) in &self.pointers {
                store.inner.pointers.announce(*table, *version);
            }
        }
        self.snapshot
            .into_transaction()
            .commit()
            .await
            .map_err(|source| StoreError::from_driver("commit", source))
    }

    /// Undoes everything now rather than when it is dropped.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn rollback(self) -> Result<(), StoreError> {
        self.snapshot
            .into_transaction()
            .rollback()
            .await
            .map_err(|source| StoreError::from_driver("rollback", source))
    }
}
