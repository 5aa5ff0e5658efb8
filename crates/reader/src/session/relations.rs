// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What may stand behind `FROM`.
//!
//! The engine passes over decorations of a table that it does not know, such as a sample or a version. An answer
//! that silently means something else than was asked is refused instead.

use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::catalog::{
    CatalogProvider, MemoryCatalogProvider, MemorySchemaProvider, SchemaProvider, TableProvider,
};
use datafusion::common::TableReference;
use datafusion::error::DataFusionError;
use datafusion::execution::SessionState;
use datafusion::sql::sqlparser::ast::{Statement, TableFactor, Visit, Visitor};
use lakeward_read_restrictions::action::QuerySalt;

use super::TableUse;
use crate::error::ReaderError;
use crate::load_table::LoadedTable;
use crate::restricted_table::RestrictedTable;
use crate::table_name::TableName;
use crate::table_version::TableVersion;
use crate::views::Expanded;

/// What one table reference of a statement means.
#[derive(Debug)]
pub(crate) struct Relation {
    /// The reference, as the engine asks for it.
    pub(crate) reference: TableReference,
    /// What stands behind it.
    pub(crate) source: Expanded,
}

impl Expanded {
    /// A version of a table behind its restrictions.
    pub(crate) fn table(
        name: &TableName,
        loaded: LoadedTable,
        version: &TableVersion,
        salt: &QuerySalt,
    ) -> Result<Self, ReaderError> {
        let masks = masks_of(&loaded);
        let metadata_location = loaded.metadata_location.clone();
        let table = RestrictedTable::new(&name.to_string(), loaded, version, salt.clone())?;
        let used = TableUse {
            name: name.clone(),
            version: version.clone(),
            snapshot: table.snapshot_id(),
            metadata_location,
            signature: table
                .restrictions()
                .is_active()
                .then(|| table.restrictions().signature()),
            filtered: table.restrictions().row_filter().is_some(),
            masks,
        };
        Ok(Self {
            provider: Arc::new(table),
            tables: vec![used],
        })
    }
}

/// Names of masked columns, as the table has them now, with their actions.
fn masks_of(loaded: &LoadedTable) -> Vec<(String, String)> {
    let schema = loaded.metadata.current_schema();
    loaded
        .restrictions
        .projections()
        .iter()
        .map(|projection| {
            let column = schema.name_by_field_id(projection.field_id).unwrap_or_default();
            (column.to_owned(), projection.action.to_string())
        })
        .collect()
}

/// Puts a table where the engine looks for the reference.
pub(crate) fn register(
    state: &SessionState,
    reference: TableReference,
    table: Arc<dyn TableProvider>,
) -> Result<(), DataFusionError> {
    let defaults = &state.config().options().catalog;
    let place = reference.resolve(&defaults.default_catalog, &defaults.default_schema);
    let catalogs = state.catalog_list();
    let catalog = match catalogs.catalog(&place.catalog) {
        Some(catalog) => catalog,
        None => {
            let catalog: Arc<dyn CatalogProvider> = Arc::new(MemoryCatalogProvider::new());
            catalogs.register_catalog(place.catalog.to_string(), Arc::clone(&catalog));
            catalog
        }
    };
    let schema = match catalog.schema(&place.schema) {
        Some(schema) => schema,
        None => {
            let schema: Arc<dyn SchemaProvider> = Arc::new(MemorySchemaProvider::new());
            catalog.register_schema(&place.schema, Arc::clone(&schema))?;
            schema
        }
    };
    if !schema.table_exist(&place.table) {
        schema.register_table(place.table.to_string(), table)?;
    }
    Ok(())
}

/// Refuses decorated tables anywhere in a statement.
pub(super) fn only_plain_tables(statement: &Statement) -> Result<(), ReaderError> {
    match statement.visit(&mut PlainTables) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(what) => Err(ReaderError::Statement(format!(
            "{what} is not supported; name tables alone"
        ))),
    }
}

struct PlainTables;

impl Visitor for PlainTables {
    type Break = &'static str;

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<&'static str> {
        let (version, sample, with_hints, with_ordinality, partitions, index_hints, json_path) = match factor
        {
            TableFactor::Table {
                name: _,
                alias: _,
                // A table function; the engine has none.
                args: _,
                version,
                sample,
                with_hints,
                with_ordinality,
                partitions,
                index_hints,
                json_path,
            } => (
                version,
                sample,
                with_hints,
                with_ordinality,
                partitions,
                index_hints,
                json_path,
            ),
            TableFactor::Derived { sample: Some(_), .. } => return ControlFlow::Break("a sample"),
            TableFactor::Derived { sample: None, .. } | TableFactor::NestedJoin { .. } => {
                return ControlFlow::Continue(());
            }
            TableFactor::UNNEST {
                alias: _,
                array_exprs: _,
                with_offset: false,
                with_offset_alias: None,
                with_ordinality: false,
            } => return ControlFlow::Continue(()),
            TableFactor::UNNEST { .. } => return ControlFlow::Break("`UNNEST` with numbers of its rows"),
            TableFactor::Pivot { .. } | TableFactor::Unpivot { .. } => return ControlFlow::Break("`PIVOT`"),
            TableFactor::MatchRecognize { .. } => return ControlFlow::Break("`MATCH_RECOGNIZE`"),
            TableFactor::TableFunction { .. }
            | TableFactor::Function { .. }
            | TableFactor::JsonTable { .. }
            | TableFactor::OpenJsonTable { .. }
            | TableFactor::XmlTable { .. }
            | TableFactor::SemanticView { .. } => return ControlFlow::Break("a table function"),
        };
        if *with_ordinality {
            return ControlFlow::Break("`WITH ORDINALITY`");
        }
        if version.is_some() {
            return ControlFlow::Break("time travel");
        }
        if sample.is_some() {
            return ControlFlow::Break("a sample");
        }
        if !partitions.is_empty() {
            return ControlFlow::Break("a partition of a table");
        }
        if !with_hints.is_empty() || !index_hints.is_empty() || json_path.is_some() {
            return ControlFlow::Break("a hint or path behind a table");
        }
        ControlFlow::Continue(())
    }
}
