// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! SQL over governed tables for one end user.
//!
//! Every query gets an engine of its own, in which nothing exists but the tables it names, each loaded at that moment
//! and behind its barrier. There is no file access, no statement but `SELECT`, and no way to register anything else.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "types, operators and statements are open sets of other crates; what has no meaning here is refused"
)]

mod between;
mod contained;
mod counted_results;
mod describe;
mod engine;
mod execution;
pub(crate) mod explain;
pub(crate) mod failure;
mod memory;
mod pauses;
pub mod prepared;
pub(crate) mod relations;
pub mod resources;
mod sandbox;
mod show;
pub mod size;
pub mod spill_folder;
pub mod statements;
mod time_travel;
mod windows;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use arrow::datatypes::SchemaRef as ArrowSchemaRef;
use arrow::record_batch::RecordBatch;
use datafusion::catalog::MemoryCatalogProviderList;
use datafusion::common::TableReference;
use datafusion::execution::{SendableRecordBatchStream, SessionState};
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::SQLOptions;
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{DescribeAlias, Statement as SqlStatement};
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};

use lakeward_read_restrictions::action::QuerySalt;

use self::contained::contained_rows;
use self::failure::query_error;
use crate::connection::Connection;
use crate::error::ReaderError;
use crate::load_table::{LoadedTable, TableLoader};
use crate::salt::random_salt;
use crate::sample::{self, Narrowed, narrowed};
use crate::table_name::TableName;
use crate::table_version::TableVersion;
use crate::text_views::answered;
use crate::views::{Expanded, Expansion};

pub use engine::Engine;
use relations::{Relation, register};
use time_travel::ParsedStatement;

/// What a query may use.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Rows of an answer; more are cut off and the answer says so.
    pub rows: Option<usize>,
    /// Time from start to last row.
    pub time: Duration,
    /// Memory of sorts, joins and aggregations of a session without a share of [`resources::Resources`]. Nothing is
    /// spilled to disk then.
    pub memory_bytes: usize,
}

impl Default for Limits {
    /// No row limit, ten minutes, 2 GiB.
    fn default() -> Self {
        Self {
            rows: None,
            time: Duration::from_secs(600),
            memory_bytes: 2 * 1024 * 1024 * 1024,
        }
    }
}

/// How names without catalog or schema are read, and what queries may use.
#[derive(Debug, Clone, Default)]
pub struct SessionOptions {
    /// The catalog of names without one.
    pub default_catalog: Option<String>,
    /// The schema of names without one.
    pub default_schema: Option<String>,
    /// What each query may use.
    pub limits: Limits,
    /// The user's share of what all queries of the process have together, memory and disk. Without it each query has
    /// memory of its own.
    pub share: Option<resources::Share>,
}

/// A session of one user with one server. Cheap to clone; holds no tables.
#[derive(Debug, Clone)]
pub struct Session {
    loader: TableLoader,
    options: SessionOptions,
    /// Instead of fresh random bytes for each query; only in tests.
    fixed_salt: Option<QuerySalt>,
}

/// How a table was used by a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableUse {
    /// The table.
    pub name: TableName,
    /// Which state of it was asked for.
    pub version: TableVersion,
    /// The snapshot whose rows were read; `None` for a table without any.
    pub snapshot: Option<i64>,
    /// Where the metadata is stored that the server answered, as far as it said.
    pub metadata_location: Option<String>,
    /// The signature of the restrictions that were enforced; `None` without any.
    pub signature: Option<String>,
    /// Whether rows were filtered.
    pub filtered: bool,
    /// Names of masked columns with their actions.
    pub masks: Vec<(String, String)>,
}

/// The rows of a query.
#[derive(Debug)]
pub struct Answer {
    /// Names and types of the columns.
    pub schema: ArrowSchemaRef,
    /// The rows.
    pub batches: Vec<RecordBatch>,
    /// Whether the row limit cut rows off.
    pub truncated: bool,
    /// The tables that were read.
    pub tables: Vec<TableUse>,
}

impl Answer {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

/// Rows of a table as another subject would see them.
#[derive(Debug)]
pub struct Sample {
    /// The rows.
    pub answer: Answer,
    /// Columns that are null in every row because the caller may not see what the other subject would.
    pub hidden: Vec<String>,
}

/// A query that has begun.
pub struct RunningQuery {
    /// Names and types of the columns.
    pub schema: ArrowSchemaRef,
    /// The tables that are read.
    pub tables: Vec<TableUse>,
    rows: SendableRecordBatchStream,
}

impl Session {
    /// A session over a connection.
    pub fn new(connection: Connection, options: SessionOptions) -> Self {
        Self {
            loader: TableLoader::new(connection),
            options,
            fixed_salt: None,
        }
    }

    /// The session with one salt for all its queries, so that a test can compare whole answers. Digests of
    /// `sha-256-query-local` can then be joined across queries, which is what they must not allow: `clippy.toml` forbids
    /// the call elsewhere.
    #[must_use]
    pub fn with_fixed_salt(mut self, salt: QuerySalt) -> Self {
        self.fixed_salt = Some(salt);
        self
    }

    fn salt(&self) -> Result<QuerySalt, ReaderError> {
        self.fixed_salt.clone().map_or_else(random_salt, Ok)
    }

    /// Runs one `SELECT` and collects its rows within the limits.
    ///
    /// # Errors
    /// [`ReaderError`]; no rows are returned then.
    pub async fn query(&self, sql: &str) -> Result<Answer, ReaderError> {
        let limits = &self.options.limits;
        let run = async { self.start(sql).await?.collect(limits.rows).await };
        tokio::time::timeout(limits.time, run)
            .await
            .map_err(|_| ReaderError::TimedOut(limits.time))?
    }

    /// Plans one `SELECT` and gives its rows as they come. The row and time limits are the caller's then.
    ///
    /// # Errors
    /// [`ReaderError`] for statements that are not queries, refused tables and planning errors.
    pub async fn start(&self, sql: &str) -> Result<RunningQuery, ReaderError> {
        self.start_with(sql, None).await
    }

    /// Loads what a statement names and plans it. A statement whose placeholders have no values is planned as well.
    async fn plan(&self, sql: &str) -> Result<(SessionState, Planned), ReaderError> {
        let state = sandbox::state(&self.options, Arc::new(MemoryCatalogProviderList::new()))?;
        let mut parsed = ParsedStatement::parse(sql)?;
        if let Some(shown) = show::shown(&parsed.statement)? {
            let plan = self.listed(shown).await?;
            let tables = Vec::new();
            return Ok((state, Planned { plan, tables }));
        }
        only_queries(&parsed.statement)?;
        if let Statement::Statement(inner) = unexplained(&parsed.statement) {
            size::check_tables(inner)?;
        }
        prepared::number_placeholders(&mut parsed.statement)?;
        let statement = &parsed.statement;
        let mut wanted = Vec::new();
        for reference in state.resolve_table_references(statement).map_err(query_error)? {
            let (plain, version) = parsed.meaning(&reference);
            let name = TableName::resolve(
                &plain,
                self.options.default_catalog.as_deref(),
                self.options.default_schema.as_deref(),
            )?;
            wanted.push((reference, name, version));
        }
        let salt = self.salt()?;
        let mut expansion = Expansion::new(&self.loader, &state, &salt);
        expansion
            .load(&wanted.iter().map(|(_, name, _)| name.clone()).collect())
            .await?;
        let mut relations = Vec::new();
        for (reference, name, version) in wanted {
            let source = expansion.of_statement(&name, &version).await?;
            relations.push(Relation { reference, source });
        }
        let planned = plan(&state, parsed.statement, relations).await?;
        Ok((state, planned))
    }
}

impl Session {
    /// The first rows of a table behind the restrictions of this session's user and behind those of another subject,
    /// `further`: the `read-restrictions` that a server would send to that subject, or `null`. Of what the user may not
    /// see, nothing is shown and nothing can be told from the rows and their order. Row count is `limit` at most.
    ///
    /// # Errors
    /// [`ReaderError::FilterReadsMasked`] when the other subject's filter reads a column that is masked for the user;
    /// [`ReaderError::Restrictions`] for restrictions that are not understood; and as [`Self::query`].
    pub async fn sample(&self, name: &TableName, further: &str, limit: usize) -> Result<Sample, ReaderError> {
        let time = self.options.limits.time;
        let run = async {
            let loaded = self.loader.load(name).await?;
            run_sample(&self.options, name, loaded, further, limit).await
        };
        tokio::time::timeout(time, run)
            .await
            .map_err(|_| ReaderError::TimedOut(time))?
    }
}

/// Samples a table that is loaded.
pub(crate) async fn run_sample(
    options: &SessionOptions,
    name: &TableName,
    loaded: LoadedTable,
    further: &str,
    limit: usize,
) -> Result<Sample, ReaderError> {
    let Narrowed { loaded, hidden } = narrowed(name, loaded, further)?;
    let sql = sample::query(name, loaded.metadata.current_schema(), limit);
    let state = sandbox::state(options, Arc::new(MemoryCatalogProviderList::new()))?;
    let dialect = state.config().options().sql_parser.dialect;
    let statement = state.sql_to_statement(&sql, &dialect).map_err(query_error)?;
    let reference = TableReference::full(
        name.catalog.as_str(),
        name.namespace.join("."),
        name.table.as_str(),
    );
    let salt = random_salt()?;
    let relation = Relation {
        reference,
        source: Expanded::table(name, loaded, &TableVersion::Current, &salt)?,
    };
    let answer = run(&state, statement, vec![relation])
        .await?
        .collect(Some(limit))
        .await?;
    Ok(Sample { answer, hidden })
}

/// A statement over tables that are loaded.
pub(crate) struct Planned {
    plan: LogicalPlan,
    tables: Vec<TableUse>,
}

/// Plans a statement over tables that are loaded, and begins it.
pub(crate) async fn run(
    state: &SessionState,
    statement: Statement,
    relations: Vec<Relation>,
) -> Result<RunningQuery, ReaderError> {
    execute(state, plan(state, statement, relations).await?).await
}

/// Plans a statement over tables that are loaded.
async fn plan(
    state: &SessionState,
    statement: Statement,
    relations: Vec<Relation>,
) -> Result<Planned, ReaderError> {
    let mut tables: Vec<TableUse> = Vec::new();
    for Relation { reference, source } in relations {
        register(state, reference, source.provider).map_err(query_error)?;
        for used in source.tables {
            if !tables.contains(&used) {
                tables.push(used);
            }
        }
    }
    tables.sort_by_key(|used| (used.name.to_string(), used.version.to_string()));
    let plan = state.statement_to_plan(statement).await.map_err(query_error)?;
    size::check_plan(&plan)?;
    SQLOptions::new()
        .with_allow_ddl(false)
        .with_allow_dml(false)
        .with_allow_statements(false)
        .verify_plan(&plan)
        .map_err(query_error)?;
    Ok(Planned { plan, tables })
}

/// Begins a statement that is planned.
async fn execute(state: &SessionState, planned: Planned) -> Result<RunningQuery, ReaderError> {
    let Planned { plan, tables } = planned;
    let explained = matches!(plan, LogicalPlan::Explain(_));
    let mut state = state.clone();
    if explained {
        state.config_mut().set_extension(Arc::new(explain::Explaining));
    }
    let rows = execution::rows(&state, plan).await.map_err(query_error)?;
    let rows = if explained {
        explain::with_restrictions(rows, &tables)?
    } else {
        rows
    };
    let rows = contained_rows(answered(rows));
    Ok(RunningQuery {
        schema: rows.schema(),
        tables,
        rows,
    })
}

/// Refuses everything but `SELECT` and its explanation.
fn only_queries(statement: &Statement) -> Result<(), ReaderError> {
    let refused = |what: &str| {
        Err(ReaderError::Statement(format!(
            "{what} is not allowed; the reader runs `SELECT`, `EXPLAIN`, `DESCRIBE` and `SHOW` of catalogs, schemas and tables only"
        )))
    };
    match statement {
        Statement::Statement(inner) => match inner.as_ref() {
            SqlStatement::Query(_) => relations::only_plain_tables(inner),
            SqlStatement::ExplainTable {
                describe_alias: DescribeAlias::Describe | DescribeAlias::Desc,
                hive_format: None,
                ..
            } => Ok(()),
            other => Err(ReaderError::Statement(format!(
                "`{}` is not allowed; the reader runs `SELECT`, `EXPLAIN`, `DESCRIBE` and `SHOW` of catalogs, schemas and tables only, and tables are changed with an engine that the server lets write",
                first_word(&other.to_string())
            ))),
        },
        Statement::Explain(explain) => {
            explain::only_plans(explain)?;
            match explain.statement.as_ref() {
                Statement::Statement(inner) if matches!(inner.as_ref(), SqlStatement::Query(_)) => {
                    only_queries(&explain.statement)
                }
                _ => refused("`EXPLAIN` of what is no query"),
            }
        }
        Statement::CreateExternalTable(_) => refused("`CREATE EXTERNAL TABLE`"),
        Statement::CopyTo(_) => refused("`COPY`"),
        Statement::Reset(_) => refused("`RESET`"),
    }
}

/// The statement that an `EXPLAIN` is about, or the statement itself.
fn unexplained(statement: &Statement) -> &Statement {
    match statement {
        Statement::Explain(explain) => unexplained(&explain.statement),
        other => other,
    }
}

fn first_word(statement: &str) -> &str {
    statement.split_whitespace().next().unwrap_or_default()
}

impl RunningQuery {
    /// The rows as they come.
    pub fn into_rows(self) -> SendableRecordBatchStream {
        self.rows
    }

    /// The rows as they come, with the reader's own errors. Batches may be empty.
    pub fn into_batches(self) -> BoxStream<'static, Result<RecordBatch, ReaderError>> {
        self.rows.map_err(query_error).boxed()
    }

    /// Collects all rows, at most `limit`.
    ///
    /// # Errors
    /// [`ReaderError`] when reading, enforcing or computing fails.
    pub async fn collect(mut self, limit: Option<usize>) -> Result<Answer, ReaderError> {
        let mut batches = Vec::new();
        let mut left = limit.unwrap_or(usize::MAX);
        let mut truncated = false;
        while let Some(batch) = self.rows.next().await {
            let batch = batch.map_err(query_error)?;
            if batch.num_rows() > left {
                truncated = true;
                batches.push(batch.slice(0, left));
                break;
            }
            left -= batch.num_rows();
            batches.push(batch);
        }
        batches.retain(|batch| batch.num_rows() > 0);
        Ok(Answer {
            schema: self.schema,
            batches,
            truncated,
            tables: self.tables,
        })
    }
}
