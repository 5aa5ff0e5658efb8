// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables, policies, copies, and both ways to ask them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arrow::record_batch::RecordBatch;
use datafusion::catalog::{
    CatalogProvider, CatalogProviderList, MemoryCatalogProvider, MemoryCatalogProviderList,
    MemorySchemaProvider, SchemaProvider,
};
use datafusion::dataframe::DataFrame;
use datafusion::datasource::MemTable;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;
use datafusion::prelude::SessionConfig;
use futures::{FutureExt as _, TryStreamExt as _};
use lakeward_read_restrictions::action::QuerySalt;
use lakeward_reader::connection::{Connection, ConnectionOptions, Credentials};
use lakeward_reader::error::ReaderError;
use lakeward_reader::session::resources::Share;
use lakeward_reader::session::{Answer as Rows, Limits, Session, SessionOptions};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::answers::Answer;
use crate::canaries::{tokens_of_predicate, tokens_of_rows};
use crate::choices::Choices;
use crate::copy;
use crate::policies::{self, Policy};
use crate::server::{Bodies, Server};
use crate::sql::{Literals, Statement, copy_name, statement};
use crate::tables::{self, Row, Table};
use crate::ways::{Asker, Disk, Way, parameters};

/// How the reader begins to say that the engine panicked.
const BROKEN: &str = "the query engine broke on this statement";

/// Everything that all queries share.
pub(crate) struct Suite {
    pub(crate) tables: Vec<Table>,
    /// Policies of each table.
    pub(crate) policies: Vec<Vec<Policy>>,
    literals: Literals,
    server: Server,
    salt: QuerySalt,
    engine: SessionState,
    copies: Mutex<HashMap<(usize, usize, usize), Arc<Copy>>>,
    folder: TempDir,
}

/// A table under one policy.
pub(crate) struct Copy {
    /// `None` for a version in which a restricted column does not exist as it is now: it must be refused.
    table: Option<Arc<MemTable>>,
    body: Arc<str>,
    /// What a text may not tell.
    hidden: BTreeSet<String>,
    shown: BTreeSet<String>,
}

/// One statement with a policy for each table.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) policies: Vec<usize>,
    pub(crate) way: Way,
    pub(crate) statement: Statement,
    pub(crate) made: Vec<u32>,
}

impl Suite {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let tables = tables::all(folder.path()).await;
        let policies = tables
            .iter()
            .enumerate()
            .map(|(number, table)| policies::of_table(number, table))
            .collect();
        let views = tables
            .iter()
            .map(|table| (table.view_name(), table.view.to_string().into()))
            .collect();
        let config = SessionConfig::new()
            .with_create_default_catalog_and_schema(false)
            .with_information_schema(false)
            .with_default_catalog_and_schema("c", "s");
        // Wrong for columns of one name, as the reader says of its own engine.
        let mut rules = PhysicalOptimizer::new().rules;
        rules.retain(|rule| !rule.name().starts_with("FilterPushdown"));
        let engine = SessionStateBuilder::new()
            .with_config(config)
            .with_default_features()
            .with_physical_optimizer_rules(rules)
            .build();
        Self {
            literals: Literals::of(&tables),
            server: Server::start(views).await,
            tables,
            policies,
            salt: QuerySalt::new(b"one salt for all queries of the suite".to_vec()).unwrap(),
            engine,
            copies: Mutex::default(),
            folder,
        }
    }

    /// Where the files lie; no text may name it.
    pub(crate) fn folder(&self) -> String {
        self.folder.path().display().to_string()
    }

    /// What decisions make.
    pub(crate) fn case(&self, mut choices: Choices) -> Case {
        let policies = self
            .policies
            .iter()
            .map(|of_table| choices.below(of_table.len()))
            .collect();
        let way = Way::of(&mut choices);
        let statement = statement(&mut choices, &self.tables, &self.literals);
        Case {
            policies,
            way,
            statement,
            made: choices.made,
        }
    }

    /// What the grammar makes, as far as so many seeds tell.
    pub(crate) fn constructs(&self, seeds: u64) -> BTreeSet<&'static str> {
        (0..seeds)
            .flat_map(|seed| self.case(Choices::of_seed(seed)).statement.constructs)
            .collect()
    }

    /// Sessions for all queries of a user.
    pub(crate) fn asker(&self, number: usize) -> Asker {
        let (user, disk) = (format!("user-{number}"), Disk::new(number));
        Asker {
            plain: self.session(&user, None),
            short: self.session(&user, Some(disk.share(&user))),
            disk,
            user,
        }
    }

    fn session(&self, user: &str, share: Option<Share>) -> Session {
        let connection = Connection::new(ConnectionOptions {
            iceberg: self.server.url.clone(),
            credentials: Credentials::Basic {
                user: user.to_owned(),
                password: "p".to_owned(),
            },
            identity: None,
            timeout: Duration::from_secs(120),
        })
        .unwrap();
        let options = SessionOptions {
            default_catalog: Some("c".to_owned()),
            default_schema: Some("s".to_owned()),
            limits: Limits::default(),
            share,
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "whole answers are compared, digests with a salt too"
        )]
        Session::new(connection, options).with_fixed_salt(self.salt.clone())
    }

    fn used<'a>(&'a self, case: &'a Case) -> impl Iterator<Item = (usize, usize, Arc<Copy>)> + 'a {
        let tables = case.statement.tables.iter().copied();
        tables.map(|(table, version)| (table, version, self.copy(table, version, case.policies[table])))
    }

    /// Whether a version is asked for that cannot be restricted.
    pub(crate) fn must_be_refused(&self, case: &Case) -> bool {
        self.used(case).any(|(_, _, copy)| copy.table.is_none())
    }

    /// Nothing is restricted for the user from now on.
    fn lift(&self, user: &str, case: &Case) {
        let bodies = self.used(case).map(|(table, version, _)| {
            let body = Arc::clone(&self.copy(table, version, 0).body);
            (self.tables[table].name.to_owned(), body)
        });
        let bodies: Bodies = bodies.collect();
        self.server.assign(user, bodies);
    }

    /// The policies of the case are in force for the user from now on.
    pub(crate) fn assign(&self, user: &str, case: &Case) {
        let bodies: Bodies = self
            .used(case)
            .map(|(table, _, copy)| (self.tables[table].name.to_owned(), Arc::clone(&copy.body)))
            .collect();
        self.server.assign(user, bodies);
    }

    fn copy(&self, table: usize, version: usize, policy: usize) -> Arc<Copy> {
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(
            copies
                .entry((table, version, policy))
                .or_insert_with(|| Arc::new(self.make_copy(table, version, policy))),
        )
    }

    fn make_copy(&self, table: usize, version: usize, policy: usize) -> Copy {
        let (table, restrictions) = (&self.tables[table], &self.policies[table][policy].restrictions);
        let version = &table.versions[version];
        // A view is restricted as its table is.
        let read = match version.view_of {
            Some(_) => table.current(),
            None => version,
        };
        let can_be_restricted = copy::can_be_restricted(read, table.current(), restrictions);
        let mut rows = if can_be_restricted {
            copy::rows(read, restrictions, &self.salt)
        } else {
            Vec::new()
        };
        if let Some(columns) = &version.view_of {
            let of_view = |row: &Row| columns.iter().map(|at| row[*at].clone()).collect();
            rows = rows.iter().map(of_view).collect();
        }
        let shown = tokens_of_rows(&rows);
        let mut hidden = BTreeSet::new();
        for earlier in &table.versions {
            hidden.extend(tokens_of_rows(&earlier.rows));
        }
        if let Some(filter) = restrictions.row_filter() {
            tokens_of_predicate(filter.predicate(), &mut hidden);
        }
        let mut body = json!({"metadata": table.metadata, "config": {}});
        if restrictions.is_active() {
            let wire: Json = serde_json::from_str(&restrictions.wire_json()).unwrap();
            body["read-restrictions"] = wire;
        }
        Copy {
            table: can_be_restricted.then(|| copy::table(&version.fields, restrictions, &rows)),
            body: body.to_string().into(),
            hidden: hidden.difference(&shown).cloned().collect(),
            shown,
        }
    }

    /// What no text about this case may contain, as far as the user did not write it and no row shows it.
    pub(crate) fn hidden(&self, case: &Case) -> (BTreeSet<String>, BTreeSet<String>) {
        let (mut hidden, mut shown) = (BTreeSet::new(), BTreeSet::new());
        for (_, _, copy) in self.used(case) {
            hidden.extend(copy.hidden.iter().cloned());
            shown.extend(copy.shown.iter().cloned());
        }
        (hidden, shown)
    }

    /// The answer of the copies.
    pub(crate) async fn ask_copy(&self, case: &Case) -> Result<Answer, String> {
        // Statements that break the engine break it on both sides.
        AssertUnwindSafe(self.ask_engine(case))
            .catch_unwind()
            .await
            .unwrap_or_else(|_| Err(BROKEN.to_owned()))
    }

    async fn ask_engine(&self, case: &Case) -> Result<Answer, String> {
        let schema = MemorySchemaProvider::new();
        for (table, version, copy) in self.used(case) {
            let name = copy_name(self.tables[table].name, version);
            let provider = Arc::clone(copy.table.as_ref().unwrap());
            schema.register_table(name, provider).unwrap();
        }
        let catalog = MemoryCatalogProvider::new();
        catalog.register_schema("s", Arc::new(schema)).unwrap();
        let catalogs = MemoryCatalogProviderList::new();
        catalogs.register_catalog("c".to_owned(), Arc::new(catalog));
        let state = SessionStateBuilder::new_from_existing(self.engine.clone())
            .with_catalog_list(Arc::new(catalogs))
            .build();
        let told = |cause: datafusion::error::DataFusionError| cause.strip_backtrace();
        let plan = state
            .create_logical_plan(&case.statement.copy_sql)
            .await
            .map_err(told)?;
        let optimized = state.optimize(&plan).map_err(told)?;
        let schema = Arc::clone(optimized.schema().inner());
        let rows = DataFrame::new(state, plan).execute_stream().await.map_err(told)?;
        let batches: Vec<RecordBatch> = rows.try_collect().await.map_err(told)?;
        Ok(Answer::new(&schema, &batches))
    }

    /// The answer of the reader.
    pub(crate) async fn ask_reader(&self, asker: &Asker, case: &Case) -> Result<Answer, String> {
        self.assign(&asker.user, case);
        let sql = &case.statement.sql;
        let answer = match case.way {
            Way::Plain | Way::Cancelled => asker.plain.query(sql).await,
            Way::Short => asker.short.query(sql).await,
            Way::Prepared => self.ask_prepared(asker, case).await,
        };
        match answer {
            Ok(answer) => Ok(Answer::new(&answer.schema, &answer.batches)),
            Err(cause) => {
                let text = cause.to_string();
                Err(if text.starts_with(BROKEN) {
                    BROKEN.to_owned()
                } else {
                    text
                })
            }
        }
    }

    async fn ask_prepared(&self, asker: &Asker, case: &Case) -> Result<Rows, ReaderError> {
        let sql = &case.statement.parametrized;
        self.lift(&asker.user, case);
        // What is told then is not told to whom the policies of the case are for.
        let _prepared = asker.plain.prepare(sql, None).await;
        self.assign(&asker.user, case);
        let values = parameters(&case.statement.parameters);
        let query = asker.plain.start_with(sql, values.as_ref()).await?;
        query.collect(None).await
    }

    /// Begins the statement with little memory, waits for its first rows and gives it up; what lay on the disk then.
    pub(crate) async fn give_up(&self, asker: &Asker, case: &Case) -> Result<Vec<u8>, String> {
        self.assign(&asker.user, case);
        let running = asker.short.start(&case.statement.sql).await;
        let mut rows = running.map_err(|cause| cause.to_string())?.into_batches();
        let first = rows.try_next().await;
        let content = asker.disk.content();
        first.map(|_| content).map_err(|cause| cause.to_string())
    }

    /// The tables of a case with their policies, for a report.
    pub(crate) fn about(&self, case: &Case) -> String {
        let lines: BTreeMap<&str, String> = case
            .statement
            .tables
            .iter()
            .map(|(table, _)| {
                let policy = &self.policies[*table][case.policies[*table]];
                let text = format!("{}: {}", policy.about, policy.restrictions.wire_json());
                (self.tables[*table].name, text)
            })
            .collect();
        lines
            .iter()
            .map(|(table, policy)| format!("  {table} under {policy}\n"))
            .collect()
    }
}
