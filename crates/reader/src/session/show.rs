// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `SHOW CATALOGS`, `SHOW SCHEMAS` and `SHOW TABLES`: what the server lists to the caller, as the caller.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "statements are an open set of the parser; what is not named here is no listing"
)]

use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use arrow::record_batch::RecordBatch;
use datafusion::datasource::{MemTable, provider_as_source};
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{
    ObjectName, ShowStatementIn, ShowStatementOptions, Statement as SqlStatement,
};

use super::time_travel::normalized;
use super::{Session, query_error};
use crate::error::ReaderError;
use crate::listing::{CatalogListing, Listing, ListingBounds, RelationKind, catalogs_of};

/// What is listed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Catalogs,
    /// Of a catalog, or of the session's.
    Schemas(Vec<String>),
    /// Of a catalog and schema, either or both of them the session's.
    Tables(Vec<String>),
}

/// What a statement asks to be listed; `None` for other statements.
///
/// # Errors
/// [`ReaderError::Statement`] for a listing with conditions, which would be passed over.
pub(super) fn shown(statement: &Statement) -> Result<Option<Shown>, ReaderError> {
    let Statement::Statement(inner) = statement else {
        return Ok(None);
    };
    let (what, options, plain) = match inner.as_ref() {
        // No statement of its own to the parser.
        SqlStatement::ShowVariable { variable }
            if variable.iter().map(normalized).eq(["catalogs".to_owned()]) =>
        {
            return Ok(Some(Shown::Catalogs));
        }
        SqlStatement::ShowSchemas {
            terse,
            history,
            show_options,
        } => (Shown::Schemas(Vec::new()), show_options, !terse && !history),
        SqlStatement::ShowTables {
            terse,
            history,
            extended,
            full,
            external,
            show_options,
        } => (
            Shown::Tables(Vec::new()),
            show_options,
            !terse && !history && !extended && !full && !external,
        ),
        _ => return Ok(None),
    };
    let ShowStatementOptions {
        show_in,
        starts_with,
        limit,
        limit_from,
        filter_position,
    } = options;
    let plain = plain
        && starts_with.is_none()
        && limit.is_none()
        && limit_from.is_none()
        && filter_position.is_none();
    let parent = match show_in {
        None => Some(Vec::new()),
        Some(ShowStatementIn {
            clause: _,
            parent_type: None,
            parent_name: Some(name),
        }) => parts(name),
        Some(_) => None,
    };
    let refused = || {
        ReaderError::Statement(
            "write `SHOW CATALOGS`, `SHOW SCHEMAS [IN catalog]` or `SHOW TABLES [IN catalog.schema]`, without conditions"
                .to_owned(),
        )
    };
    let parent = parent.filter(|_| plain).ok_or_else(refused)?;
    match (what, parent.len()) {
        (Shown::Schemas(_), 0 | 1) => Ok(Some(Shown::Schemas(parent))),
        (Shown::Tables(_), 0..=2) => Ok(Some(Shown::Tables(parent))),
        (_, _) => Err(refused()),
    }
}

fn parts(name: &ObjectName) -> Option<Vec<String>> {
    name.0
        .iter()
        .map(|part| part.as_ident().map(normalized))
        .collect()
}

impl Session {
    /// The listing as a plan that gives its rows.
    pub(super) async fn listed(&self, shown: Shown) -> Result<LogicalPlan, ReaderError> {
        let listing = Listing::new(self.loader.connection().clone(), ListingBounds::default());
        let columns = match shown {
            Shown::Catalogs => {
                let configuration = self.loader.connection().configuration().await?;
                let names = catalogs_of(&configuration).ok_or_else(|| {
                    ReaderError::Statement(
                        "the server does not say which catalogs there are; ask its operator".to_owned(),
                    )
                })?;
                vec![("catalog_name", names)]
            }
            Shown::Schemas(parent) => {
                let catalog = self.listed_catalog(&listing, parent.into_iter().next()).await?;
                let names = catalog.namespaces(|_| true).await?;
                vec![(
                    "schema_name",
                    names.iter().map(|levels| levels.join(".")).collect(),
                )]
            }
            Shown::Tables(mut parent) => {
                let schema = parent.pop().or_else(|| self.options.default_schema.clone());
                let catalog = self.listed_catalog(&listing, parent.pop()).await?;
                let schema = schema.ok_or_else(|| missing("schema"))?;
                let levels: Vec<String> = schema.split('.').map(str::to_owned).collect();
                let (mut names, mut kinds) = (Vec::new(), Vec::new());
                for (kind, word) in [(RelationKind::Table, "table"), (RelationKind::View, "view")] {
                    let found = catalog.relations(&levels, kind).await?;
                    kinds.extend(std::iter::repeat_n(word.to_owned(), found.len()));
                    names.extend(found);
                }
                vec![("table_name", names), ("table_type", kinds)]
            }
        };
        let columns = columns
            .into_iter()
            .map(|(name, values)| (name, Arc::new(StringArray::from(values)) as ArrayRef, false));
        let rows = RecordBatch::try_from_iter_with_nullable(columns)
            .map_err(|cause| ReaderError::Query(cause.to_string()))?;
        let table = MemTable::try_new(rows.schema(), vec![vec![rows]]).map_err(query_error)?;
        LogicalPlanBuilder::scan("listing", provider_as_source(Arc::new(table)), None)
            .and_then(LogicalPlanBuilder::build)
            .map_err(query_error)
    }

    async fn listed_catalog(
        &self,
        listing: &Listing,
        name: Option<String>,
    ) -> Result<CatalogListing, ReaderError> {
        let name = name
            .or_else(|| self.options.default_catalog.clone())
            .ok_or_else(|| missing("catalog"))?;
        let found = listing.catalog(&name).await?;
        found.ok_or_else(|| {
            ReaderError::Statement(format!("there is no catalog `{name}`, or you may not see it"))
        })
    }
}

fn missing(what: &str) -> ReaderError {
    ReaderError::Statement(format!(
        "the session has no default {what}; write `SHOW SCHEMAS IN catalog` or `SHOW TABLES IN catalog.schema`"
    ))
}
