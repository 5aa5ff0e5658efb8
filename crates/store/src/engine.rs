// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The only file that knows which engine runs.

use std::time::Duration;

use lakeward_metadata::id::ObjectId;
use sqlx::{AnyConnection, AnyPool, AssertSqlSafe, Connection as _, Row as _};

use crate::clock::now;
use crate::error::StoreError;
use crate::migrate::Migration;
use crate::row::count_statement;

/// Which database answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    /// An embedded file, written by this process alone.
    Sqlite,
    /// A server shared by any number of nodes.
    Postgres,
}

/// How long a connection that is given back may take to be done with what it was asked.
const SETTLES_WITHIN: Duration = Duration::from_secs(1);

/// How a write holds what others may want to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hold {
    /// Together with others who do not change it.
    Shared,
    /// While nobody else does.
    Alone,
}

/// Lists the migrations of one engine from their files.
macro_rules! migrations {
    ($engine:literal: $($name:literal),+ $(,)?) => {
        &[$(Migration {
            name: $name,
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/", $engine, "/", $name, ".sql")),
        }),+]
    };
}

const SQLITE_MIGRATIONS: &[Migration] = migrations!("sqlite":
    "0001_objects", "0002_identities", "0003_grants", "0004_governance", "0005_iceberg_tables", "0006_server",
    "0007_revisions",
    "0008_table_locations", "0009_former_locations", "0010_reader_channels", "0011_seen_groups", "0012_statistics",
    "0013_ended_locations",
    "0014_fileset_locations",
    "0015_models",
    "0017_jobs",
    "0020_idempotency_keys",
    "0021_metrics_reports",
    "0022_upstream_identities",
    "0024_metadata_digests",
    "0026_access_tokens",
    "0027_directory",
    "0030_lent_locations",
);

const POSTGRES_MIGRATIONS: &[Migration] = migrations!("postgres":
    "0001_objects", "0002_identities", "0003_grants", "0004_governance", "0005_iceberg_tables", "0006_server",
    "0007_revisions",
    "0008_table_locations", "0009_former_locations", "0010_reader_channels", "0011_seen_groups", "0012_statistics",
    "0013_ended_locations",
    "0014_fileset_locations",
    "0015_models",
    "0017_jobs",
    "0020_idempotency_keys",
    "0021_metrics_reports",
    "0022_upstream_identities",
    "0024_metadata_digests",
    "0026_access_tokens",
    "0027_directory",
    "0030_lent_locations",
);

impl Engine {
    /// Whether this process is the only writer, so that counters in memory are exact.
    pub(crate) const fn is_sole_writer(self) -> bool {
        match self {
            Self::Sqlite => true,
            Self::Postgres => false,
        }
    }

    /// Opens a read transaction that sees one state.
    pub(crate) const fn begin_read(self) -> &'static str {
        match self {
            // In WAL mode a transaction sees the state of its first read.
            Self::Sqlite => "BEGIN DEFERRED",
            Self::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        }
    }

    /// Opens a write transaction. On SQLite it takes the write lock at once, so it never has to upgrade a read lock. On
    /// PostgreSQL it reads what is committed, after waiting for the counter rows. One whose node is silent, and perhaps gone,
    /// ends before those who wait for it give up (`lock_timeout`).
    pub(crate) const fn begin_write(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN IMMEDIATE",
            Self::Postgres => {
                "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL idle_in_transaction_session_timeout = '20s'"
            }
        }
    }

    /// Opens the transaction of the migrations, whose statements may take as long as the rows are many.
    pub(crate) const fn begin_migration(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN IMMEDIATE",
            Self::Postgres => {
                "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL statement_timeout = 0"
            }
        }
    }

    /// The migrations in order.
    pub(crate) const fn migrations(self) -> &'static [Migration] {
        match self {
            Self::Sqlite => SQLITE_MIGRATIONS,
            Self::Postgres => POSTGRES_MIGRATIONS,
        }
    }

    /// Makes nodes that migrate at the same time wait for each other until the transaction ends. SQLite needs nothing:
    /// a write transaction is exclusive.
    pub(crate) const fn migration_lock(self) -> Option<&'static str> {
        match self {
            Self::Sqlite => None,
            Self::Postgres => Some(
                "SELECT pg_advisory_xact_lock(hashtext('lakeward migration'), hashtext(current_schema()))",
            ),
        }
    }

    /// Holds until the transaction ends what writes to a metalake and the requests that change something in it are decided
    /// on. Who changes the counters of the metalake, or of the server, holds them alone (`metalake` and `server`), everybody
    /// else together with others. Who comes first is served first, so that no stream of commits keeps a grant waiting. SQLite
    /// needs nothing: a write transaction is exclusive.
    #[expect(
        clippy::disallowed_methods,
        reason = "the engines have no text for it in common"
    )]
    pub(crate) async fn hold(
        self,
        connection: &mut AnyConnection,
        (id, metalake): (ObjectId, Hold),
        server: Hold,
    ) -> Result<(), StoreError> {
        macro_rules! hold {
            ($metalake:literal, $server:literal) => {
                // Metalakes before the server, always: so nobody waits in a circle.
                concat!(
                    "SELECT ",
                    $metalake,
                    "(hashtextextended(current_schema()::text, $1))::text, ",
                    $server,
                    "(hashtextextended(current_schema()::text, 0))::text"
                )
            };
        }
        let text = match (self, metalake, server) {
            (Self::Sqlite, _, _) => return Ok(()),
            (Self::Postgres, Hold::Shared, Hold::Shared) => {
                hold!("pg_advisory_xact_lock_shared", "pg_advisory_xact_lock_shared")
            }
            (Self::Postgres, Hold::Alone, Hold::Shared) => {
                hold!("pg_advisory_xact_lock", "pg_advisory_xact_lock_shared")
            }
            (Self::Postgres, _, Hold::Alone) => hold!("pg_advisory_xact_lock", "pg_advisory_xact_lock"),
        };
        count_statement();
        sqlx::query(text)
            .bind(id.value())
            .execute(connection)
            .await
            .map(drop)
            .map_err(|source| StoreError::from_driver("hold", source))
    }

    /// Prepares a new connection.
    pub(crate) async fn prepare(
        self,
        connection: &mut AnyConnection,
        is_durable: bool,
    ) -> Result<(), sqlx::Error> {
        let text = match (self, is_durable) {
            // FULL: what was answered survives a loss of power, not only the end of the process.
            (Self::Sqlite, true) => {
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
                 PRAGMA busy_timeout = 10000; PRAGMA temp_store = MEMORY"
            }
            (Self::Sqlite, false) => {
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON; \
                 PRAGMA busy_timeout = 10000; PRAGMA temp_store = MEMORY"
            }
            // A statement may wait for two locks, each for as long as a lock is waited for.
            (Self::Postgres, _) => {
                "SET lock_timeout = '30s'; SET statement_timeout = '90s'; \
                 SET idle_in_transaction_session_timeout = '60s'; SET timezone = 'UTC'"
            }
        };
        sqlx::raw_sql(text).execute(&mut *connection).await?;
        if self == Self::Postgres {
            // Whoever closes a connection waits for no lock any more. Some systems cannot tell, and versions before 14.
            let noticed = sqlx::raw_sql("SET client_connection_check_interval = '1s'");
            if let Err(error) = noticed.execute(connection).await {
                tracing::debug!(%error, "the database notices late which connections are closed");
            }
        }
        Ok(())
    }

    /// Whether a connection that is given back may be used again: it is done with what it was asked. One whose request was
    /// dropped while its statement waits for others is not, and to wait for it would keep a place from all who need one: it is
    /// to be closed, and the database ends the wait.
    pub(crate) async fn is_settled(self, connection: &mut AnyConnection) -> bool {
        match self {
            // Its statements wait for nobody.
            Self::Sqlite => true,
            Self::Postgres => {
                let settled = tokio::time::timeout(SETTLES_WITHIN, connection.ping()).await;
                matches!(settled, Ok(Ok(())))
            }
        }
    }

    /// Creates the schema that the connections of a pool look into, when it is missing. Several nodes may do so at once.
    #[expect(
        clippy::disallowed_methods,
        reason = "what it makes is where the files of sql/ run"
    )]
    pub(crate) async fn require_schema(self, pool: &AnyPool, schema: &str) -> Result<(), StoreError> {
        let failed = |source| StoreError::from_driver("schema", source);
        let found = sqlx::query("SELECT current_schema()::text")
            .fetch_one(pool)
            .await
            .and_then(|row| row.try_get::<Option<String>, _>(0))
            .map_err(failed)?;
        if found.is_some() {
            return Ok(());
        }
        let create = format!("CREATE SCHEMA IF NOT EXISTS \"{schema}\"");
        match sqlx::raw_sql(AssertSqlSafe(create))
            .execute(pool)
            .await
            .map_err(failed)
        {
            Ok(_) => Ok(()),
            // Two nodes that create it in the same moment: the database lets one of them fail.
            Err(error) if error.is_unique() => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The time of the one clock that all nodes share, in epoch milliseconds: that of the database, or where this process is
    /// the only one, its own.
    #[expect(
        clippy::disallowed_methods,
        reason = "the engines have no text for it in common"
    )]
    pub(crate) async fn shared_now(self, connection: &mut AnyConnection) -> Result<i64, StoreError> {
        match self {
            Self::Sqlite => Ok(now()),
            Self::Postgres => {
                let text = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";
                sqlx::query(text)
                    .fetch_one(connection)
                    .await
                    .and_then(|row| row.try_get(0))
                    .map_err(|source| StoreError::from_driver("shared_now", source))
            }
        }
    }

    /// Runs one migration file, which may hold many statements.
    pub(crate) async fn run_script(
        self,
        connection: &mut AnyConnection,
        name: &'static str,
        text: &'static str,
    ) -> Result<(), StoreError> {
        sqlx::raw_sql(text)
            .execute(connection)
            .await
            .map(drop)
            .map_err(|source| StoreError::from_driver(name, source))
    }
}
