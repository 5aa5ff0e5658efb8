// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! From the names of a statement to what stands behind them: tables, and views made of tables.
//!
//! Each table and view is asked for once in a statement, with the caller's identity, so that all its uses stand behind
//! the same restrictions. A view is planned in an engine of its own in which only what it names exists.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::catalog::{MemoryCatalogProviderList, TableProvider};
use datafusion::common::TableReference;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::ViewTable;
use datafusion::datasource::empty::EmptyTable;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::LogicalPlan;
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{
    ObjectName, ObjectNamePart, Query, Statement as SqlStatement, VisitMut, VisitorMut,
};
use datafusion::sql::sqlparser::parser::Parser;
use datafusion::sql::sqlparser::tokenizer::{TokenWithSpan, Tokenizer};
use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, TryStreamExt as _, stream};
use lakeward_read_restrictions::action::QuerySalt;

use super::definition::{Representation, ViewDefinition};
use super::dialect::ViewDialect;
use super::letters::Spellings;
use super::{fit, meaning, subset};
use crate::error::ReaderError;
use crate::load_table::{Loaded, TableLoader};
use crate::session::TableUse;
use crate::session::relations::register;
use crate::session::size;
use crate::table_name::TableName;
use crate::table_version::TableVersion;

/// How many views may stand on each other.
const DEPTH: usize = 16;

/// How many tables one view may come to, each use counted.
const TABLES: usize = 256;

/// How many tables and views a statement may come to, each counted once, through views too.
const NAMES: usize = 1024;

/// How many of them the server is asked for at a time.
const AT_A_TIME: usize = 16;

/// How deep the SQL of a view may be nested.
const NESTING: usize = 50;

/// What stands for a name.
#[derive(Debug, Clone)]
pub(crate) struct Expanded {
    pub(crate) provider: Arc<dyn TableProvider>,
    /// The tables that are read for it.
    pub(crate) tables: Vec<TableUse>,
}

/// The tables and views of one statement.
pub(crate) struct Expansion<'a> {
    loader: &'a TableLoader,
    state: &'a SessionState,
    salt: &'a QuerySalt,
    loaded: HashMap<TableName, Loaded>,
    views: HashMap<TableName, Expanded>,
}

/// Why a representation is not expanded.
enum Failure {
    /// Another one may be.
    Construct(String),
    /// None can be.
    Reader(ReaderError),
}

impl From<ReaderError> for Failure {
    fn from(error: ReaderError) -> Self {
        Self::Reader(error)
    }
}

impl<'a> Expansion<'a> {
    pub(crate) fn new(loader: &'a TableLoader, state: &'a SessionState, salt: &'a QuerySalt) -> Self {
        Self {
            loader,
            state,
            salt,
            loaded: HashMap::new(),
            views: HashMap::new(),
        }
    }

    /// Asks the server for what is not known yet, a few at a time: a short text must not become any number of requests.
    ///
    /// # Errors
    /// The first refusal; [`ReaderError::Statement`] for more names than a statement may come to.
    pub(crate) async fn load(&mut self, names: &HashSet<TableName>) -> Result<(), ReaderError> {
        let loader = self.loader;
        let unknown: Vec<TableName> = names
            .iter()
            .filter(|name| !self.loaded.contains_key(*name))
            .cloned()
            .collect();
        if self.loaded.len().saturating_add(unknown.len()) > NAMES {
            return Err(ReaderError::Statement(format!(
                "the statement comes to more than {NAMES} tables and views; split it"
            )));
        }
        let loaded: Vec<(TableName, Loaded)> = stream::iter(unknown)
            .map(|name| async move { Ok::<_, ReaderError>((name.clone(), loader.load_any(&name).await?)) })
            .buffer_unordered(AT_A_TIME)
            .try_collect()
            .await?;
        self.loaded.extend(loaded);
        Ok(())
    }

    /// What stands for a name of the caller's statement that is loaded.
    ///
    /// # Errors
    /// [`ReaderError`]; of what a view reads, an error says no name that the caller did not write.
    pub(crate) async fn of_statement(
        &mut self,
        name: &TableName,
        version: &TableVersion,
    ) -> Result<Expanded, ReaderError> {
        let is_view = matches!(self.loaded.get(name), Some(Loaded::View(_)));
        if is_view && *version != TableVersion::Current {
            return Err(ReaderError::Version {
                table: name.to_string(),
                version: version.to_string(),
                problem: "it is a view, which has no versions of its own".to_owned(),
            });
        }
        let expanded = self.expanded(name, version, &[]).await;
        if is_view {
            expanded.map_err(|error| through(name, error))
        } else {
            expanded
        }
    }

    /// `path` are the views on the way here.
    fn expanded<'b>(
        &'b mut self,
        name: &'b TableName,
        version: &'b TableVersion,
        path: &'b [TableName],
    ) -> BoxFuture<'b, Result<Expanded, ReaderError>> {
        async move {
            let refused = |problem: &str| ReaderError::View {
                view: name.to_string(),
                problem: problem.to_owned(),
            };
            match self.loaded.get(name).cloned() {
                None => Err(refused("it was not loaded")),
                Some(Loaded::Table(table)) => Expanded::table(name, *table, version, self.salt),
                Some(Loaded::View(_)) if path.contains(name) => {
                    Err(refused("it reads itself, through other views"))
                }
                Some(Loaded::View(_)) if path.len() >= DEPTH => {
                    Err(refused(&format!("more than {DEPTH} views stand on each other")))
                }
                Some(Loaded::View(definition)) => {
                    if let Some(known) = self.views.get(name) {
                        return Ok(known.clone());
                    }
                    let mut path = path.to_vec();
                    path.push(name.clone());
                    let expanded = self.view(name, &definition, &path).await?;
                    self.views.insert(name.clone(), expanded.clone());
                    Ok(expanded)
                }
            }
        }
        .boxed()
    }

    /// The first representation that means the same here.
    async fn view(
        &mut self,
        name: &TableName,
        definition: &ViewDefinition,
        path: &[TableName],
    ) -> Result<Expanded, ReaderError> {
        let refused = |problem: String| ReaderError::View {
            view: name.to_string(),
            problem,
        };
        let mut known: Vec<(ViewDialect, &Representation)> = Vec::new();
        let mut reasons = Vec::new();
        for representation in &definition.representations {
            match ViewDialect::of(&representation.dialect) {
                Some(dialect) => known.push((dialect, representation)),
                None => reasons.push(format!("the dialect `{}` is not known", representation.dialect)),
            }
        }
        known.sort_by_key(|(dialect, _)| *dialect);
        for (dialect, representation) in known {
            match self
                .representation(name, definition, dialect, &representation.sql, path)
                .await
            {
                Ok(expanded) => return Ok(expanded),
                Err(Failure::Reader(error)) => return Err(error),
                Err(Failure::Construct(construct)) => {
                    reasons.push(format!("in {}: {construct}", dialect.name()));
                }
            }
        }
        if reasons.is_empty() {
            reasons.push("it has no SQL".to_owned());
        }
        Err(refused(format!(
            "its SQL is not of the kind that means the same in every dialect ({}); see docs/sql.md",
            reasons.join("; ")
        )))
    }

    async fn representation(
        &mut self,
        name: &TableName,
        definition: &ViewDefinition,
        dialect: ViewDialect,
        sql: &str,
        path: &[TableName],
    ) -> Result<Expanded, Failure> {
        let tokens = tokens(dialect, sql).map_err(Failure::Construct)?;
        let statement = parsed(dialect, tokens.clone()).map_err(Failure::Construct)?;
        size::check_tables(&statement).map_err(|cause| Failure::Construct(cause.to_string()))?;
        subset::check(&statement).map_err(Failure::Construct)?;

        let catalog = definition.default_catalog.as_deref().unwrap_or(&name.catalog);
        if definition
            .default_namespace
            .iter()
            .any(|level| level.contains('.'))
        {
            return Err(Failure::Construct("a namespace whose name has a dot".to_owned()));
        }
        let namespace = definition.default_namespace.join(".");
        let engine = || {
            let config = self.state.config().clone();
            SessionStateBuilder::new_from_existing(self.state.clone())
                .with_config(config.with_default_catalog_and_schema(catalog, &namespace))
                .with_catalog_list(Arc::new(MemoryCatalogProviderList::new()))
                .build()
        };
        let (checking, planning) = (engine(), engine());
        let names = named(&checking, &statement, catalog, &namespace)?;
        self.load(&names.values().cloned().collect()).await?;
        let mut tables: Vec<TableUse> = Vec::new();
        let mut spellings = Spellings::default();
        for (reference, name) in &names {
            let one = self.expanded(name, &TableVersion::Current, path).await?;
            let schema = one.provider.schema();
            schema
                .fields()
                .iter()
                .for_each(|field| spellings.insert(field.name()));
            let stand_in = Arc::new(EmptyTable::new(schema));
            register(&checking, reference.clone(), stand_in).map_err(construct)?;
            register(&planning, reference.clone(), one.provider).map_err(construct)?;
            for used in one.tables {
                if !tables.contains(&used) {
                    tables.push(used);
                }
            }
        }

        let statement = if dialect.ignores_case() {
            let mut tokens = tokens;
            spellings.apply(&mut tokens).map_err(Failure::Construct)?;
            parsed(dialect, tokens).map_err(Failure::Construct)?
        } else {
            statement
        };
        if named(&checking, &statement, catalog, &namespace)? != names {
            return Err(Failure::Construct(
                "a table and a column whose names differ in nothing but case".to_owned(),
            ));
        }
        let form = subset::check(&statement).map_err(Failure::Construct)?;
        let plan = planned(&checking, &statement).await?;
        // Before anything else walks through it, in one step that no time limit interrupts.
        size::check_plan(&plan)?;
        meaning::check(&plan, dialect).map_err(Failure::Construct)?;
        let plan = planned(&planning, &statement).await?;
        let plan = fit::fitted(
            plan,
            &definition.schema,
            form.has_wildcard,
            dialect.ignores_case(),
        )
        .map_err(|problem| {
            Failure::Reader(ReaderError::View {
                view: name.to_string(),
                problem,
            })
        })?;
        limited(name, &plan)?;
        Ok(Expanded {
            provider: Arc::new(ViewTable::new(plan, None)),
            tables,
        })
    }
}

fn construct(cause: datafusion::error::DataFusionError) -> Failure {
    Failure::Construct(cause.strip_backtrace())
}

/// The tokens of a view's text.
fn tokens(dialect: ViewDialect, sql: &str) -> Result<Vec<TokenWithSpan>, String> {
    if sql.contains('\\') {
        return Err("a backslash, which dialects read differently".to_owned());
    }
    size::check_text(sql).map_err(|cause| cause.to_string())?;
    let tokens = Tokenizer::new(dialect.parser().as_ref(), sql)
        .tokenize_with_location()
        .map_err(|cause| cause.to_string())?;
    size::check_chains(&tokens).map_err(|cause| cause.to_string())?;
    Ok(tokens)
}

/// The one statement of a view.
fn parsed(dialect: ViewDialect, tokens: Vec<TokenWithSpan>) -> Result<SqlStatement, String> {
    let parser = dialect.parser();
    let mut statements = Parser::new(parser.as_ref())
        .with_recursion_limit(NESTING)
        .with_tokens_with_locations(tokens)
        .parse_statements()
        .map_err(|cause| cause.to_string())?;
    let (Some(mut statement), true) = (statements.pop(), statements.is_empty()) else {
        return Err("several statements".to_owned());
    };
    if dialect.keeps_case_of_tables() {
        let mut kept = KeptCase::default();
        let _: ControlFlow<()> = statement.visit(&mut kept);
    }
    Ok(statement)
}

/// Quotes names of tables, so that the engine takes them as they are written.
#[derive(Default)]
struct KeptCase {
    ctes: BTreeSet<String>,
}

impl VisitorMut for KeptCase {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let with = query.with.iter().flat_map(|with| &with.cte_tables);
        self.ctes
            .extend(with.map(|cte| cte.alias.name.value.to_lowercase()));
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, relation: &mut ObjectName) -> ControlFlow<()> {
        let single = relation.0.len() == 1;
        for part in &mut relation.0 {
            if let ObjectNamePart::Identifier(ident) = part
                && !(single && self.ctes.contains(&ident.value.to_lowercase()))
            {
                ident.quote_style.get_or_insert('"');
            }
        }
        ControlFlow::Continue(())
    }
}

/// The tables that a view names.
fn named(
    state: &SessionState,
    statement: &SqlStatement,
    catalog: &str,
    namespace: &str,
) -> Result<HashMap<TableReference, TableName>, Failure> {
    let namespace = (!namespace.is_empty()).then_some(namespace);
    state
        .resolve_table_references(&Statement::Statement(Box::new(statement.clone())))
        .map_err(construct)?
        .into_iter()
        .map(|reference| {
            let name = TableName::resolve(&reference, Some(catalog), namespace)
                .map_err(|cause| Failure::Construct(cause.to_string()))?;
            Ok((reference, name))
        })
        .collect()
}

async fn planned(state: &SessionState, statement: &SqlStatement) -> Result<LogicalPlan, Failure> {
    state
        .statement_to_plan(Statement::Statement(Box::new(statement.clone())))
        .await
        .map_err(construct)
}

/// Views over views double with each level; what comes to too many tables is refused.
fn limited(name: &TableName, plan: &LogicalPlan) -> Result<(), Failure> {
    let mut scans = 0_usize;
    plan.apply_with_subqueries(|node| {
        if matches!(node, LogicalPlan::TableScan(_)) {
            scans += 1;
        }
        Ok(TreeNodeRecursion::Continue)
    })
    .map_err(construct)?;
    if scans > TABLES {
        return Err(Failure::Reader(ReaderError::View {
            view: name.to_string(),
            problem: format!("it comes to more than {TABLES} tables"),
        }));
    }
    Ok(())
}

/// An error of what a view reads, as the user of the view may see it.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "an error that is not known to name nothing is not shown"
)]
fn through(view: &TableName, error: ReaderError) -> ReaderError {
    let refused = |problem: String| ReaderError::View {
        view: view.to_string(),
        problem,
    };
    match error {
        ReaderError::View { view: inner, problem } if inner == view.to_string() => refused(problem),
        ReaderError::View { .. } => refused("a view that it reads cannot be read here".to_owned()),
        ReaderError::Refused { .. } => {
            refused("something that it reads does not exist, or you may not see it".to_owned())
        }
        ReaderError::NotTrusted { .. } | ReaderError::NotAcceptable { .. } => refused(
            "something that it reads is restricted, and this reader is not trusted with it".to_owned(),
        ),
        ReaderError::Unresolved { code, .. } => refused(format!(
            "the restrictions of something that it reads could not be determined ({code}); tell an administrator"
        )),
        own @ (ReaderError::Unreachable { .. }
        | ReaderError::Unauthenticated(_)
        | ReaderError::Configuration(_)
        | ReaderError::Credentials(_)
        | ReaderError::TimedOut(_)) => own,
        _ => refused("something that it reads cannot be read".to_owned()),
    }
}
