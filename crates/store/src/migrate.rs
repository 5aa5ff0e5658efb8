// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Brings the schema to this version: forward only, one transaction, under a lock that other nodes wait for.

use std::collections::BTreeSet;

use sqlx::{Any, AnyPool};
use sqlx::{Row as _, Transaction};

use crate::clock;
use crate::engine::Engine;
use crate::error::StoreError;

/// One step, by the name of its file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Migration {
    /// The file without its ending.
    pub(crate) name: &'static str,
    /// The text for one engine.
    pub(crate) text: &'static str,
}

const TABLE: &str =
    "CREATE TABLE IF NOT EXISTS migration (name TEXT NOT NULL PRIMARY KEY, applied_at BIGINT NOT NULL)";

/// Applies every step that is not yet applied. Either all of them are, or none.
///
/// # Errors
/// [`StoreError::Newer`] when the store has steps that this version does not know; else what the database reports.
#[expect(
    clippy::disallowed_methods,
    reason = "the table of migrations is there before any file of sql/ can run"
)]
pub(crate) async fn migrate(pool: &AnyPool, engine: Engine) -> Result<(), StoreError> {
    let failed = |source| StoreError::from_driver("migration", source);
    let mut transaction: Transaction<'static, Any> =
        pool.begin_with(engine.begin_migration()).await.map_err(failed)?;
    if let Some(lock) = engine.migration_lock() {
        sqlx::query(lock)
            .execute(&mut *transaction)
            .await
            .map_err(failed)?;
    }
    engine.run_script(&mut transaction, "migration", TABLE).await?;
    let applied: BTreeSet<String> = sqlx::query("SELECT name FROM migration")
        .fetch_all(&mut *transaction)
        .await
        .map_err(failed)?
        .iter()
        .map(|row| row.try_get(0))
        .collect::<Result<_, _>>()
        .map_err(failed)?;
    let migrations = engine.migrations();
    if let Some(name) = applied
        .iter()
        .find(|name| !migrations.iter().any(|migration| migration.name == name.as_str()))
    {
        return Err(StoreError::Newer { name: name.clone() });
    }
    for migration in migrations
        .iter()
        .filter(|migration| !applied.contains(migration.name))
    {
        engine
            .run_script(&mut transaction, migration.name, migration.text)
            .await?;
        sqlx::query("INSERT INTO migration (name, applied_at) VALUES ($1, $2)")
            .bind(migration.name)
            .bind(clock::now())
            .execute(&mut *transaction)
            .await
            .map_err(failed)?;
    }
    transaction.commit().await.map_err(failed)
}
