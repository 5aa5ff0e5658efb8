// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The store itself: opening it, and the questions that need no transaction.

use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lakeward_metadata::id::ObjectId;
use sqlx::Transaction;
use sqlx::{Any, AnyPool};
use tempfile::TempDir;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::connect::{StoreOptions, StoreUrl, connect};
use crate::engine::Engine;
use crate::error::{Class, StoreError};
use crate::iceberg_table::TablePointer;
use crate::migrate::migrate;
use crate::pointer_cache::PointerCache;
use crate::revision::{Area, Counters, Revision};
use crate::row::{Query, Row, count_statement, statement};
use crate::snapshot::{Snapshot, counter_row};
use crate::write::Write;

/// How long a write waits for the writers before it, and a lasting snapshot for others, as on PostgreSQL (`lock_timeout`): long enough for a queue on a slow
/// machine, and shorter than a request may take, so that who waited is told that nothing was changed.
const WAIT: Duration = Duration::from_secs(30);

/// The fewest connections with which a request that holds one, for a write or a lasting snapshot, always gets another for
/// what it asks beside.
pub const FEWEST_CONNECTIONS: u32 = 4;

/// An open store. Cloning is cheap and gives the same store.
#[derive(Clone)]
pub struct Store {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) engine: Engine,
    pub(crate) pool: AnyPool,
    pub(crate) schema_separator: String,
    pub(crate) counters: Counters,
    pub(crate) pointers: PointerCache,
    /// Writers queue here. On the embedded store there is one at a time, which need not poll the file's lock. On a shared
    /// one they use at most half of the connections, so that a writer that asks something beside its write never waits
    /// for those who wait for it.
    pub(crate) writers: Arc<Semaphore>,
    /// Lasting snapshots use at most a quarter of the connections, for the same reason, and at least one.
    lasting: Arc<Semaphore>,
    max_connections: u32,
    /// Of the embedded file; given up with the last connection, whoever still has the store.
    lock: Mutex<Option<File>>,
    _folder: Option<TempDir>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("engine", &self.inner.engine)
            .finish()
    }
}

impl Store {
    /// Opens the store and brings its schema to this version. Several nodes may do so at the same time.
    ///
    /// # Errors
    /// [`StoreError::InUse`] when another process has the embedded file; [`StoreError::Newer`] when a newer version
    /// migrated the store; else what the file system or the database reports.
    pub async fn open(url: &StoreUrl, options: StoreOptions) -> Result<Self, StoreError> {
        let connected = connect(url, &options).await?;
        migrate(&connected.pool, connected.engine).await?;
        let writers = if connected.engine.is_sole_writer() {
            1
        } else {
            usize::try_from(options.max_connections / 2).unwrap_or(1).max(1)
        };
        let lasting = usize::try_from(options.max_connections / 4).unwrap_or(1).max(1);
        let store = Self {
            inner: Arc::new(Inner {
                engine: connected.engine,
                pool: connected.pool,
                schema_separator: options.schema_separator,
                counters: Counters::default(),
                pointers: PointerCache::default(),
                writers: Arc::new(Semaphore::new(writers)),
                lasting: Arc::new(Semaphore::new(lasting)),
                max_connections: options.max_connections,
                lock: Mutex::new(connected.lock),
                _folder: connected.folder,
            }),
        };
        if store.inner.engine.is_sole_writer() {
            store.load_counters().await?;
        }
        Ok(store)
    }

    /// Whether other processes may write to the same store.
    pub fn is_shared(&self) -> bool {
        !self.inner.engine.is_sole_writer()
    }

    /// Separates the levels of a nested schema in names.
    pub fn schema_separator(&self) -> &str {
        &self.inner.schema_separator
    }

    /// Ends all connections. Snapshots and writes that are still open finish first. From then on another process may open
    /// an embedded store.
    pub async fn close(&self) {
        self.inner.pool.close().await;
        let mut lock = self.inner.lock.lock().unwrap_or_else(PoisonError::into_inner);
        drop(lock.take());
    }

    /// Opens a read transaction that sees one state of the whole store. Dropping it ends it.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn snapshot(&self) -> Result<Snapshot, StoreError> {
        let transaction = self.begin(self.inner.engine.begin_read()).await?;
        Ok(Snapshot::new(transaction, self.clone()))
    }

    /// The same for one that stays open while other things are done, which may ask the store for more connections. Who
    /// opens one waits until few enough are open, so that nobody waits for connections that those hold who wait too.
    ///
    /// # Errors
    /// As [`Self::snapshot`].
    pub async fn lasting_snapshot(&self) -> Result<Snapshot, StoreError> {
        let permit = in_turn(&self.inner.lasting, "snapshot").await?;
        Ok(self.snapshot().await?.lasting(permit))
    }

    /// Opens a write to one metalake. It counts the named areas first, and nothing of the metalake or the server changes
    /// until it commits: a second write to the same metalake waits here, and so does one to the server. Never open a second write while one is open in the same task.
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the metalake has no counters; else what the database reports.
    pub async fn write(&self, metalake: ObjectId, areas: &[Area], actor: &str) -> Result<Write, StoreError> {
        Write::open(self.clone(), metalake, areas, actor).await
    }

    /// Opens a write to what belongs to no metalake ([`Area::Server`]), or that creates a metalake.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn write_server(&self, actor: &str) -> Result<Write, StoreError> {
        Write::open(self.clone(), crate::ROOT, &[Area::Server], actor).await
    }

    /// Opens a write to what no answer of a load depends on, so that it raises no counter and makes no cache forget.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn write_uncounted(&self) -> Result<Write, StoreError> {
        Write::open(self.clone(), crate::ROOT, &[], "system").await
    }

    /// The counters of a metalake, where they are exact without asking the database: this process is the only writer.
    /// `None` on a shared store, and for a metalake that never existed.
    ///
    /// Use it only to look into caches that were filled under [`Snapshot::revision`].
    pub fn revision_hint(&self, metalake: ObjectId) -> Option<Revision> {
        if self.is_shared() {
            return None;
        }
        self.inner.counters.revision(metalake)
    }

    /// The counter of [`Area::Server`], under the same condition as [`Self::revision_hint`].
    pub fn server_revision_hint(&self) -> Option<i64> {
        (!self.is_shared()).then(|| self.inner.counters.server())
    }

    /// The counter of [`Area::Server`] as of now: from memory where this process is the only writer, else with one query
    /// outside a transaction.
    ///
    /// Use it only to look into caches that were filled under [`Snapshot::server_revision`].
    ///
    /// # Errors
    /// What the database reports.
    pub async fn server_revision(&self) -> Result<i64, StoreError> {
        if let Some(revision) = self.server_revision_hint() {
            return Ok(revision);
        }
        let rows = self
            .read(|| statement!("revision_server").query(), |row| row.integer(0))
            .await?;
        Ok(rows.first().copied().unwrap_or_default())
    }

    /// A living metalake by name, with its counters as of now: from memory where this process is the only writer, else
    /// with one query outside a transaction. `None` when there is no such metalake.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn current(&self, metalake: &str) -> Result<Option<(ObjectId, Revision)>, StoreError> {
        if !self.is_shared()
            && let Some(found) = self.inner.counters.named(metalake)
        {
            return Ok(Some(found));
        }
        let name = metalake.to_owned();
        let rows = self
            .read(
                || statement!("revision_named").query().bind(name.clone()),
                counter_row,
            )
            .await?;
        let found = Revision::from_rows(rows);
        if let Some((id, revision)) = found
            && !self.is_shared()
        {
            self.inner.counters.remember(metalake, id, revision.server);
        }
        Ok(found)
    }

    /// The pointer of a living Iceberg table, where it is exact without asking the database. `None` on a shared store,
    /// and where it was not read since it last changed.
    pub fn table_pointer_hint(&self, table: ObjectId) -> Option<TablePointer> {
        if self.is_shared() {
            return None;
        }
        self.inner.pointers.current(table)
    }

    /// Begins a transaction on a pooled connection. A connection that died while it was idle is replaced.
    pub(crate) async fn begin(&self, text: &'static str) -> Result<Transaction<'static, Any>, StoreError> {
        count_statement();
        let mut attempts = self.inner.max_connections;
        loop {
            let failure = match self.inner.pool.begin_with(text).await {
                Ok(transaction) => return Ok(transaction),
                Err(source) => source,
            };
            // A pool that gives no connection in time would not give one sooner the next time.
            let is_spent =
                attempts == 0 || matches!(failure, sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed);
            let error = StoreError::from_driver("begin", failure);
            if is_spent || error.class() != Some(Class::Unavailable) {
                return Err(error);
            }
            attempts -= 1;
        }
    }

    /// Runs one reading statement outside a transaction, again when the connection had died while it was idle.
    pub(crate) async fn read<T>(
        &self,
        query: impl Fn() -> Query<'static>,
        decode: impl Fn(&Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut attempts = self.inner.max_connections;
        loop {
            let mut connection = self
                .inner
                .pool
                .acquire()
                .await
                .map_err(|source| StoreError::from_driver("connect", source))?;
            match query().all(&mut connection, &decode).await {
                Err(error) if error.class() == Some(Class::Unavailable) && attempts > 0 => attempts -= 1,
                result => return result,
            }
        }
    }

    /// Waits until this writer may begin.
    pub(crate) async fn writer(&self) -> Result<OwnedSemaphorePermit, StoreError> {
        in_turn(&self.inner.writers, "writer").await
    }

    async fn load_counters(&self) -> Result<(), StoreError> {
        let rows = self
            .read(|| statement!("revision_all").query(), counter_row)
            .await?;
        for (metalake, area, value) in rows {
            if let Some(area) = Area::from_name(&area) {
                self.inner.counters.raise(metalake, area, value);
            }
        }
        Ok(())
    }
}

/// Waits for one of few places.
async fn in_turn(places: &Arc<Semaphore>, what: &'static str) -> Result<OwnedSemaphorePermit, StoreError> {
    match tokio::time::timeout(WAIT, Arc::clone(places).acquire_owned()).await {
        Ok(Ok(permit)) => Ok(permit),
        // Nobody closes the semaphore.
        Ok(Err(_)) | Err(_) => Err(StoreError::from_driver(what, sqlx::Error::PoolTimedOut)),
    }
}
