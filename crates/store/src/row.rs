// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Statements and rows: binding, running, decoding.

use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

use lakeward_metadata::Properties;
use lakeward_metadata::audit::Audit;
use lakeward_metadata::id::Id;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::principal::{Principal, PrincipalKind};
use sqlx::any::{AnyArguments, AnyRow};
use sqlx::{Any, AnyConnection, Decode, Encode, Row as _, Type};

use crate::error::StoreError;

/// One file of `sql/`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Statement {
    /// The file without its ending.
    pub(crate) name: &'static str,
    /// Its text, the same for both engines.
    pub(crate) text: &'static str,
}

/// `statement!("object_insert")` is the file `sql/object_insert.sql`.
macro_rules! statement {
    ($name:literal) => {
        $crate::row::Statement {
            name: $name,
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/sql/", $name, ".sql")),
        }
    };
}
pub(crate) use statement;

/// The names of all statements that ran in this process, for the test that none is dead.
#[cfg(test)]
pub(crate) static EXECUTED: std::sync::Mutex<std::collections::BTreeSet<&'static str>> =
    std::sync::Mutex::new(std::collections::BTreeSet::new());

static STATEMENTS: AtomicU64 = AtomicU64::new(0);

/// How many statements and transactions this process has begun, over all stores: what a request costs is the
/// difference.
pub fn statements_run() -> u64 {
    STATEMENTS.load(Ordering::Relaxed)
}

/// Counts a statement or the begin of a transaction.
pub(crate) fn count_statement() {
    STATEMENTS.fetch_add(1, Ordering::Relaxed);
}

/// A statement with its values.
pub(crate) struct Query<'q> {
    statement: Statement,
    inner: sqlx::query::Query<'q, Any, AnyArguments>,
}

impl Statement {
    /// Starts binding, in the order `$1`, `$2`, …
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that runs statements"
    )]
    pub(crate) fn query<'q>(self) -> Query<'q> {
        count_statement();
        #[cfg(test)]
        if let Ok(mut executed) = EXECUTED.lock() {
            executed.insert(self.name);
        }
        Query {
            statement: self,
            inner: sqlx::query(self.text),
        }
    }
}

impl<'q> Query<'q> {
    /// Binds the next value.
    pub(crate) fn bind<T: 'q + Encode<'q, Any> + Type<Any>>(mut self, value: T) -> Self {
        self.inner = self.inner.bind(value);
        self
    }

    /// Binds the next value, an id.
    pub(crate) fn id<K>(self, id: Id<K>) -> Self {
        self.bind(id.value())
    }

    /// Runs for the effect. Gives the number of rows touched.
    pub(crate) async fn run(self, connection: &mut AnyConnection) -> Result<u64, StoreError> {
        let name = self.statement.name;
        self.inner
            .execute(connection)
            .await
            .map(|result| result.rows_affected())
            .map_err(|source| StoreError::from_driver(name, source))
    }

    /// Runs for the first row.
    pub(crate) async fn optional(self, connection: &mut AnyConnection) -> Result<Option<Row>, StoreError> {
        let statement = self.statement.name;
        let row = self
            .inner
            .fetch_optional(connection)
            .await
            .map_err(|source| StoreError::from_driver(statement, source))?;
        Ok(row.map(|row| Row { statement, row }))
    }

    /// Runs for exactly one row.
    pub(crate) async fn one(self, connection: &mut AnyConnection) -> Result<Row, StoreError> {
        let statement = self.statement.name;
        self.optional(connection)
            .await?
            .ok_or_else(|| StoreError::Corrupt {
                statement,
                detail: "a row was expected".to_owned(),
            })
    }

    /// Runs for all rows, each decoded at once.
    pub(crate) async fn all<T>(
        self,
        connection: &mut AnyConnection,
        decode: impl Fn(&Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let statement = self.statement.name;
        let rows = self
            .inner
            .fetch_all(connection)
            .await
            .map_err(|source| StoreError::from_driver(statement, source))?;
        rows.into_iter()
            .map(|row| decode(&Row { statement, row }))
            .collect()
    }
}

/// One row of an answer. Columns are read by position, in the order of the statement's text.
pub(crate) struct Row {
    statement: &'static str,
    row: AnyRow,
}

impl Row {
    fn get<'r, T: Decode<'r, Any> + Type<Any>>(&'r self, column: usize) -> Result<T, StoreError> {
        self.row
            .try_get(column)
            .map_err(|source| self.corrupt(format!("column {column}: {source}")))
    }

    /// The error of a value that cannot be understood.
    pub(crate) fn corrupt(&self, detail: String) -> StoreError {
        StoreError::Corrupt {
            statement: self.statement,
            detail,
        }
    }

    /// A BIGINT, SMALLINT or INTEGER.
    pub(crate) fn integer(&self, column: usize) -> Result<i64, StoreError> {
        self.get(column)
    }

    /// A BIGINT or NULL.
    pub(crate) fn optional_integer(&self, column: usize) -> Result<Option<i64>, StoreError> {
        self.get(column)
    }

    /// A flag kept as 0 or 1.
    pub(crate) fn flag(&self, column: usize) -> Result<bool, StoreError> {
        match self.integer(column)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(self.corrupt(format!("column {column}: {other} is not a flag"))),
        }
    }

    /// An id.
    pub(crate) fn id<K>(&self, column: usize) -> Result<Id<K>, StoreError> {
        self.integer(column).map(Id::new)
    }

    /// An id or NULL.
    pub(crate) fn optional_id<K>(&self, column: usize) -> Result<Option<Id<K>>, StoreError> {
        Ok(self.optional_integer(column)?.map(Id::new))
    }

    /// A number of levels.
    pub(crate) fn distance(&self, column: usize) -> Result<u32, StoreError> {
        let value = self.integer(column)?;
        u32::try_from(value).map_err(|_| self.corrupt(format!("column {column}: {value} is not a distance")))
    }

    /// A text.
    pub(crate) fn text(&self, column: usize) -> Result<String, StoreError> {
        self.get(column)
    }

    /// A text or NULL.
    pub(crate) fn optional_text(&self, column: usize) -> Result<Option<String>, StoreError> {
        self.get(column)
    }

    /// A kind of object by its upper-case name.
    pub(crate) fn kind(&self, column: usize) -> Result<ObjectKind, StoreError> {
        let text: &str = self.get(column)?;
        ObjectKind::from_str(text).map_err(|error| self.corrupt(error.to_string()))
    }

    /// A JSON document kept as text.
    pub(crate) fn json<T: serde::de::DeserializeOwned>(&self, column: usize) -> Result<T, StoreError> {
        let text: &str = self.get(column)?;
        serde_json::from_str(text).map_err(|error| self.corrupt(format!("column {column}: {error}")))
    }

    /// String properties.
    pub(crate) fn properties(&self, column: usize) -> Result<Properties, StoreError> {
        self.json(column)
    }

    /// The four audit columns that begin at `column`.
    pub(crate) fn audit(&self, column: usize) -> Result<Audit, StoreError> {
        Ok(Audit {
            creator: self.text(column)?,
            create_time: self.integer(column + 1)?,
            last_modifier: self.optional_text(column + 2)?,
            last_modified_time: self.optional_integer(column + 3)?,
        })
    }

    /// The two owner columns (user name, group name) that begin at `column`.
    pub(crate) fn owner(&self, column: usize) -> Result<Option<Principal>, StoreError> {
        if let Some(name) = self.optional_text(column)? {
            return Ok(Some(Principal {
                kind: PrincipalKind::User,
                name,
            }));
        }
        Ok(self.optional_text(column + 1)?.map(|name| Principal {
            kind: PrincipalKind::Group,
            name,
        }))
    }
}

/// Writes JSON for a TEXT column.
pub(crate) fn json_text<T: serde::Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Corrupt {
        statement: "json",
        detail: error.to_string(),
    })
}
